# SPDX-License-Identifier: MIT
"""Numba kernels with annotations are transformed, and leave the same memory on the emulator. Needs numba with a CUDA target and libNVVM. The
emulator is PTXRUN, or build/bin/ptxrun."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import ptxccc

try:
    from numba import cuda, float32, int32
    import ptxccc.numba
    WHY = ""
except Exception as e:  # no numba, or one without CUDA
    WHY = str(e)

PTXRUN = os.environ.get("PTXRUN", str(pathlib.Path(__file__).resolve().parents[2] / "build/bin/ptxrun"))
N = 1000


def compiled(function, *signature):
    made = cuda.compile(function, signature, device=False, abi="numba", cc=(9, 0))[0]
    return made if isinstance(made, str) else made.decode()


def array(fill, items=N):
    """Returns a 1D array as Numba passes it: two host words, number and size of the items, data, shape, strides."""
    return ["u64:0", "u64:0", f"u64:{items}", "u64:4", f"buf:{4 * items}:{fill}", f"u64:{items}", "u64:4"]


def memory(ptx, arguments):
    """Returns the hashes of the kernel's buffers, under several schedules."""
    kernel = re.search(r"\.entry\s+(\S+?)\(", ptx)[1]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "k.ptx")
        with open(file, "w") as f:
            f.write(ptx)
        command = [PTXRUN, file, kernel, "--grid", "2", "--block", "96", "--seeds", "3", "--quiet"]
        run = subprocess.run(command + [w for a in arguments for w in ("--arg", a)], capture_output=True, text=True)
    assert run.returncode == 0 and not run.stderr, run.stderr
    return run.stdout


@unittest.skipIf(WHY, WHY)
class Kernels(unittest.TestCase):
    def same(self, function, signature, arguments, transformed):
        try:
            before = compiled(function, *signature)
        except Exception as e:
            if "NVVM" in str(e) or "libnvvm" in str(e) or "CUDA" in str(e):
                self.skipTest(str(e))
            raise
        result = ptxccc.transform(before, "k.ptx", policy="stack")  # whatever its expected speedup
        self.assertEqual(result.transformed, transformed, result.diagnostics)
        self.assertEqual(memory(before, arguments), memory(result.ptx, arguments))
        return result

    def test_path(self):
        def k(x, y):
            # ccc for threads(256)
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                v = x[i]
                # ccc if
                if v % 8 == 3:
                    for j in range(v % 50):
                        v = v * 3 + j
                    y[i] = v
        result = self.same(ptxccc.numba.annotated(k), (int32[::1], int32[::1]), array("rand:3") + array("zero"), 1)
        self.assertEqual(result.sites[0]["max_threads"], 256)
        self.assertTrue(result.sites[0]["path"]["file"].endswith("test_numba.py"))
        self.assertIn("# ccc if", pathlib.Path(__file__).read_text().splitlines()[result.sites[0]["path"]["line"] - 1])

    def test_ways_out(self):
        def k(x, y):
            # ccc for
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                if x[i] % 5 == 0:
                    continue
                # ccc if
                if x[i] % 3 == 1:
                    y[i] = x[i] * 7
                    if x[i] % 2:
                        continue
                    y[i] += 1
        self.same(ptxccc.numba.annotated(k), (int32[::1], int32[::1]), array("rand:5") + array("zero"), 1)

    def test_while(self):
        def k(x, y):
            # ccc for
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                v = x[i] & 0xFFFFF
                n = 0
                # ccc while
                while v > 1:
                    v = v * 3 + 1 if v % 8 == 3 else v >> 1
                    n += 1
                y[i] = n
        self.same(ptxccc.numba.annotated(k), (int32[::1], int32[::1]), array("rand:3") + array("zero"), 1)

    def test_predict_loop(self):
        def k(x, y):
            # ccc for
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                v = x[i] & 0xFFFFF
                n = 0
                # ccc predict threshold(8)
                while v > 1:
                    v = v * 3 + 1 if v % 8 == 3 else v >> 1
                    n += 1
                y[i] = n
        self.same(ptxccc.numba.annotated(k), (int32[::1], int32[::1]), array("rand:3") + array("zero"), 1)

    def test_predict_path(self):
        def k(x, y):
            # ccc for
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                v = x[i]
                # ccc predict threshold(8)
                if v % 8 == 3:
                    for j in range(v % 50):
                        v = v * 3 + j
                    y[i] = v
        self.same(ptxccc.numba.annotated(k), (int32[::1], int32[::1]), array("rand:3") + array("zero"), 1)

    def test_grid(self):
        # ccc grid
        def above(x, y):
            """It precedes the kernel."""
            i = cuda.grid(1)
            if i < x.size:
                v = x[i] & 0xFFFFF
                n = 0
                # ccc while
                while v > 1:
                    v = v * 3 + 1 if v % 8 == 3 else v >> 1
                    n += 1
                y[i] = n

        def inside(x, y):
            """It precedes the first statement."""
            # ccc grid
            i = cuda.grid(1)
            if i < x.size:
                v = x[i]
                # ccc if
                if v % 8 == 3:
                    for j in range(v % 50):
                        v = v * 3 + j
                    y[i] = v
        for k in (above, inside):
            with self.subTest(k.__name__):
                annotated = ptxccc.numba.annotated(k)
                self.assertIn("It precedes", annotated.__doc__)
                result = self.same(annotated, (int32[::1], int32[::1]), array("rand:3") + array("zero"), 1)
                self.assertIn("# ccc grid", pathlib.Path(__file__).read_text().splitlines()[result.sites[0]["loop"]["line"] - 1])

    def test_refused(self):
        def k(x, y):
            s = float32(0)
            # ccc for
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                # ccc if
                if x[i] > 3:
                    s = s * float32(0.5) + x[i]
            y[cuda.grid(1)] = s
        result = self.same(ptxccc.numba.annotated(k), (float32[::1], float32[::1]), array("real:2") + array("zero"), 0)
        self.assertTrue([d for d in result.diagnostics if d.name in ("ccc-live-out", "ccc-path")], result.diagnostics)

    def test_jit(self):
        """Options of Numba apply to both versions of a kernel; unknown ones are errors where it is defined."""
        program = """
import numpy, ptxccc.numba
from numba import cuda, float32

@ptxccc.numba.jit((float32[::1], float32[::1]), fastmath=True, policy="stack")
def k(x, y):
    # ccc for
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        # ccc if
        if x[i] > 0.9:
            y[i] = x[i] / (x[i] + y[i])

x = cuda.to_device(numpy.random.default_rng(1).random(1000, dtype=numpy.float32))
made = []
for kernel in (k, k.plain):
    y = cuda.to_device(numpy.ones(1000, dtype=numpy.float32))
    kernel[2, 96](x, y)
    made.append(y.copy_to_host())
assert (made[0] == made[1]).all() and (made[0] != 1).any()
assert k.result.transformed == 1 and "div.approx" in k.result.ptx and "div.approx" in next(iter(k.plain.inspect_asm().values()))
"""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "p.py")
            file.write_text(program)
            run = subprocess.run([PTXRUN, "--quiet", "--", sys.executable, "-W", "ignore", file], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        with self.assertRaisesRegex(ptxccc.Error, "'--debug'.*fastmath, lineinfo, opt: for others.*ptxccc.numba.annotated"):
            ptxccc.numba.jit((float32[::1],), debug=True)

    def test_recipe(self):
        """The program in README.md gains, and prints the same."""
        text = (pathlib.Path(__file__).resolve().parents[1] / "README.md").read_text()
        program = next(p for p in re.findall(r"```python\n(.*?)```", text, re.S) if "fastmath=True, lineinfo=True" in p)
        made = []
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "p.py")
            file.write_text(program.replace("16384", "4096"))
            for way in ([], [pathlib.Path(PTXRUN).with_name("ptxccc-run"), "--"]):
                command = [PTXRUN, "--counts", "--", *way, sys.executable, "-W", "ignore", file]
                run = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, XDG_CACHE_HOME=folder, CCC_FLAGS=""))
                self.assertEqual(run.returncode, 0, run.stderr)
                made.append((run.stdout, int(re.search(r"^ +1 +(\d+) .*walks$", run.stderr, re.M)[1])))
        self.assertEqual(made[0][0], made[1][0])
        self.assertLess(made[1][1], made[0][1])

    def test_misplaced(self):
        def k(x):
            # ccc for
            x[0] = 1
        with self.assertRaisesRegex(SyntaxError, "must be directly before a for or while"):
            ptxccc.numba.annotated(k)

        def g(x):
            if x[0]:
                # ccc grid
                x[0] = 1
        with self.assertRaisesRegex(SyntaxError, "must be directly before the kernel or its first statement"):
            ptxccc.numba.annotated(g)

        def u(x):
            # ccc fro
            for i in range(3):
                x[i] = 1
        with self.assertRaisesRegex(SyntaxError, "the annotations are"):
            ptxccc.numba.annotated(u)

        def p(x):
            # ccc predict
            if x[0]:
                x[1] = 1
            else:
                x[2] = 1
        with self.assertRaisesRegex(SyntaxError, "the if statement has an else"):
            ptxccc.numba.annotated(p)

        def w(x):
            # ccc predict
            x[0] = 1
        with self.assertRaisesRegex(SyntaxError, "must be directly before a for, while or if"):
            ptxccc.numba.annotated(w)


if __name__ == "__main__":
    unittest.main()
