# SPDX-License-Identifier: MIT
"""The package without other packages: transform, annotate, reports, errors."""
import concurrent.futures
import json
import pathlib
import re
import unittest

import ptxccc

TREE = pathlib.Path(__file__).resolve().parents[2]
BFS = (TREE / "samples/bfs.ptx").read_text()
MARKED = (TREE / "tests/golden/hand_queue.ptx").read_text()
KEPT = (TREE / "tests/golden/hand_kept.ptx").read_bytes()
SOURCE = """__global__ void k(int *p, int n) {
#pragma ccc for
for (int i = threadIdx.x; i < n; i += 32) {
#pragma ccc if
if (p[i] & 1) p[i] /= 3;
} }
"""


class Library(unittest.TestCase):
    def test_version(self):
        makefile = (TREE / "Makefile").read_text()
        self.assertIn(f"\nVERSION = {ptxccc.version()}\n", makefile)
        self.assertIn(f'\nversion = "{ptxccc.version()}"\n', (TREE / "python/pyproject.toml").read_text())

    def test_transform(self):
        result = ptxccc.transform(BFS, "bfs.ptx", policy="queue", threads=128)
        self.assertIn("ccc1_tasks", result.ptx)
        self.assertEqual([(s["policy"], s["max_threads"]) for s in result.sites], [("queue", 128)])
        self.assertEqual((result.transformed, result.diagnostics), (1, []))

    def test_again(self):
        once = ptxccc.transform(BFS).ptx
        self.assertEqual(ptxccc.transform(once).ptx, once)

    def test_bytes_of_nvrtc(self):
        self.assertEqual(ptxccc.transform(BFS.encode() + b"\0").ptx, ptxccc.transform(BFS).ptx)

    def test_diagnostics(self):
        result = ptxccc.transform(KEPT, "hand_kept.ptx")
        left = [d for d in result.diagnostics if d.name == "ccc-live-out"]
        self.assertEqual({d.file for d in left}, {"hand.cu"})
        self.assertTrue(all(d.severity == "warning" and "left unchanged" in d.text and d.notes for d in left))
        quiet = ptxccc.transform(KEPT, warnings=["no-ccc-live-out"])
        self.assertFalse([d for d in quiet.diagnostics if d.name == "ccc-live-out"])

    def test_annotation_without_loop(self):
        result = ptxccc.transform("\n".join(line for line in MARKED.splitlines() if not re.search(r"\.ccc .* for\b", line)))
        self.assertEqual([(s["reason"], s["transformed"]) for s in result.sites], [("no annotated loop around it", False)])
        self.assertIn("a.cu:2: kernel two\n  left unchanged: no annotated loop around it\n0 of 1 annotated loops transformed", result.report())
        self.assertEqual(str(result.diagnostics[0]), "a.cu:2: warning: path left unchanged: no annotated loop around it [-Wccc-path]\n"
                                                     "  note: put '#pragma ccc for' over the loop around it")

    def test_reports(self):
        result = ptxccc.transform(BFS, sources={"samples/bfs.cu": "line\n" * 70})
        self.assertEqual(json.loads(result.report("sarif"))["version"], "2.1.0")
        self.assertEqual(json.loads(result.report("json"))["sites"], result.sites)
        self.assertIn("--- !Passed", result.report("remarks"))
        self.assertIn("<pre>line</pre>", result.report("html"))
        self.assertIn("1 of 1 annotated loops transformed", result.report())

    def test_annotate(self):
        text = ptxccc.annotate(SOURCE, "k.cu")
        self.assertIn('.ccc begin for 0', text)
        text, headers = ptxccc.annotate(SOURCE, "k.cu", {"h.cuh": SOURCE.replace("void k", "void h")})
        self.assertIn(".ccc begin for 0", text)
        self.assertIn(".ccc begin for 2", headers["h.cuh"])

    def test_errors(self):
        with self.assertRaisesRegex(ptxccc.Error, "unexpected 'nonsense'") as caught:
            ptxccc.transform("nonsense")
        self.assertEqual(caught.exception.diagnostics[0].severity, "error")
        with self.assertRaisesRegex(ptxccc.Error, "policy"):
            ptxccc.transform(BFS, policy="best")
        with self.assertRaisesRegex(ptxccc.Error, "option"):
            ptxccc.transform(BFS, polcy="stack")
        with self.assertRaisesRegex(ptxccc.Error, "tresholds"):
            ptxccc.annotate(SOURCE.replace("ccc for", "ccc for tresholds(3)"))

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: ptxccc.transform(BFS).ptx, range(40)))
        self.assertEqual(len(set(made)), 1)


if __name__ == "__main__":
    unittest.main()
