# SPDX-License-Identifier: MIT
"""install() without the makers: their parts are stand-ins below, which have only the attributes that are hooked, and remember the
text that they are given. makers.py tests the libraries themselves."""
import contextlib
import importlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings

import ptxccc

TREE = pathlib.Path(__file__).resolve().parents[2]
MARKED = (TREE / "tests/golden/hand_queue.ptx").read_text()
BARE = "".join(line for line in MARKED.splitlines(True) if ".ccc " not in line)  # a kernel without annotations
# and one with products of which it is unknown how an assembler fuses them
UNSURE = BARE + """.visible .entry sum(.param .u64 p)
{
	.reg .f32 %f<6>; .reg .b64 %rd<2>; .reg .b32 %r;
	mov.u32 %r, 1;
	ld.param.u64 %rd1, [p]; ld.global.v2.f32 {%f1, %f2}, [%rd1];
	mul.f32 %f3, %f1, %f1; mul.f32 %f4, %f2, %f2; add.f32 %f5, %f3, %f4;
	st.global.f32 [%rd1], %f5;
	ret;
}
"""
STAND_INS = {
    "warp/__init__.py": "", "warp/_src/__init__.py": "",
    "warp/_src/build.py": """
        def build_cuda(cu_path, arch, output_path, *, pch_dir):
            with open(cu_path) as f, open(output_path, "w") as to:
                to.write(("own code of " if output_path.endswith(".cubin") else "") + f.read())
        def load_cuda(path, device):
            with open(path) as f:
                text = f.read()
            return None if device == "old" and "ccc" in text else text
        """,
    "cupy/__init__.py": "", "cupy/cuda/__init__.py": "",
    "cupy/cuda/function.py": """
        class Module:
            def load(self, cubin):
                self.text = cubin
        """,
    "cupy/cuda/runtime.py": """
        version = 13000
        def driverGetVersion():
            return version
        """,
    "cupy/cuda/compiler.py": """
        from cupy.cuda import function, runtime
        def _get_nvrtc_version():
            return 13, 0
        def _get_arch_for_options_for_nvrtc(arch=None):
            return f"-arch=sm_{arch}", "cubin"
        """,
    "cuda/core/__init__.py": """
        import pathlib, subprocess, tempfile
        ptxas, level = None, "3"  # of the code that is made of source
        def assemble(code, level):
            with tempfile.TemporaryDirectory() as folder:
                text, made = pathlib.Path(folder, "k.ptx"), pathlib.Path(folder, "k.cubin")
                text.write_bytes(code)
                said = subprocess.run([ptxas, "-v", "-arch=sm_90", "-O" + level, text, "-o", made], check=True, capture_output=True)
                return made.read_bytes(), said.stderr.decode()
        class ProgramOptions:
            def __init__(self, arch=None):
                self.arch = arch
        class ObjectCode:
            def __init__(self, code, code_type, name=""):
                self.code, self.code_type, self.name, self.symbol_mapping = code, code_type, name, {}
            @staticmethod
            def from_ptx(module, *, name="", symbol_mapping=None):
                return ObjectCode(module, "ptx", name)
            @staticmethod
            def from_cubin(module, *, name="", symbol_mapping=None):
                return ObjectCode(module, "cubin", name)
        class Linker:
            strict = False
            def __init__(self, *codes, options=None):
                self.codes = codes
            def link(self, target_type):
                code = b"".join(c.code for c in self.codes)
                if self.strict and b"ccc" in code:
                    raise RuntimeError("a fault")
                if ptxas:
                    code, self.log = assemble(code, "3")
                return ObjectCode(code, target_type)
            def get_info_log(self):
                return getattr(self, "log", "")
            def close(self):
                pass
        class Program:
            def __init__(self, code, code_type, options=None):
                self.code, self.kind = code if isinstance(code, bytearray) else code.encode(), code_type
            def compile(self, target_type, name_expressions=(), logs=None):
                if ptxas and target_type == "cubin":
                    code, said = assemble(bytes(self.code), "3" if self.kind == "ptx" else level)
                    if logs is not None:
                        logs.write(said)
                    return ObjectCode(code, target_type)
                if logs is not None:
                    logs.write("compiled\\n")
                return ObjectCode(bytes(self.code), target_type)
        """,
    "numba/__init__.py": "", "numba/cuda/__init__.py": "", "numba/cuda/cudadrv/__init__.py": "",
    "numba/cuda/cudadrv/driver.py": "from cuda.core import Linker, ObjectCode",
    "numba/cuda/codegen.py": """
        class JITCUDACodegen:
            def magic_tuple(self):
                return 1, 2
        """,
}


class Hooks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.before = pathlib.Path(folder.name), dict(sys.modules)
        for name, text in STAND_INS.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(textwrap.dedent(text))
        self.ptx = self.folder / "k.ptx"
        self.ptx.write_text(BARE)
        sys.path.insert(0, str(self.folder))
        self.environment = {k: v for k, v in os.environ.items() if k.startswith("CCC_")}
        self.set(CCC_PTXAS="/nowhere/ptxas", CCC_FLAGS="", CCC_DISABLE="", CCC_VERBOSE="")
        self.addCleanup(self.tidy)

    def set(self, **variables):
        os.environ.update(variables)

    def tidy(self):
        ptxccc.uninstall()
        sys.path.remove(str(self.folder))
        for name in set(sys.modules) - set(self.before):
            if name.partition(".")[0] in ("warp", "cupy", "cuda", "numba"):
                del sys.modules[name]
        for name in [k for k in os.environ if k.startswith("CCC_")]:
            del os.environ[name]
        os.environ.update(self.environment)

    def load(self, device="new"):
        """Returns what Warp's stand-in loads for the file, and the entry of the report."""
        n = len(ptxccc.report()["modules"])
        text = importlib.import_module("warp._src.build").load_cuda(str(self.ptx), device)
        return text, (ptxccc.report()["modules"][n:] or [None])[0]

    def test_import_before_and_after(self):
        build = importlib.import_module("warp._src.build")
        own = build.load_cuda
        ptxccc.install(choose="always")
        text, module = self.load()
        self.assertNotEqual(text, BARE)
        self.assertEqual((module["maker"], module["name"], module["kernels"], module["transformed"], module["why"]), ("Warp", "k.ptx", 1, 1, None))
        self.assertIn(module["sites"][0]["policy"].partition("(")[0], ("ahead", "wait", "converge", "flatten"))  # no promise
        self.assertEqual(self.ptx.read_text(), BARE)
        ptxccc.uninstall()
        self.assertIs(build.load_cuda, own)
        self.assertEqual(self.load(), (BARE, None))

        del sys.modules["warp._src.build"]
        ptxccc.install(choose="always")
        self.assertEqual(self.load()[0], text)
        self.assertEqual(ptxccc.report()["hooked"], ["Warp"])
        meta_path = len(sys.meta_path)
        ptxccc.install(choose="always")
        ptxccc.uninstall()
        ptxccc.uninstall()
        self.assertEqual(len(sys.meta_path), meta_path - 1)
        self.assertEqual(self.load(), (BARE, None))

    def test_no_gain_no_change(self):
        with ptxccc.installed():
            text, module = self.load()
        self.assertEqual((text, module["transformed"], module["why"]), (BARE, 0, None))

    def test_kept_names(self):
        """A function that a program took while the hooks were installed does the maker's work afterwards."""
        with ptxccc.installed(choose="always"):
            taken = importlib.import_module("warp._src.build").load_cuda
        self.assertEqual(taken(str(self.ptx), "new"), BARE)

    def test_nested(self):
        with ptxccc.installed():
            with ptxccc.installed(choose="always"):
                self.assertEqual(self.load()[1]["transformed"], 1)
            self.assertEqual(self.load()[1]["transformed"], 0)
        self.assertEqual(self.load(), (BARE, None))

    def test_rejected(self):
        ptxccc.install(choose="always")
        text, module = self.load("old")
        self.assertEqual((text, module["transformed"], module["why"]), (BARE, 0, "rejected: Warp cannot load it"))

    def test_unreadable(self):
        ptxccc.install(choose="always")
        self.ptx.write_text("nonsense")
        text, module = self.load()
        self.assertEqual((text, module["transformed"]), ("nonsense", 0))
        self.assertIn("unexpected 'nonsense'", module["why"])

    def test_markers(self):
        ptxccc.install()
        self.ptx.write_text(MARKED)
        self.assertIn("tasks", self.load()[0])

    def test_annotation_without_loop(self):
        self.set(CCC_FLAGS=f"--report-to={self.folder}/report.txt")
        ptxccc.install()
        self.ptx.write_text("\n".join(line for line in MARKED.splitlines() if not re.search(r"\.ccc .* for\b", line)))
        with contextlib.redirect_stderr(io.StringIO()) as told:
            module = self.load()[1]
        warning = ("a.cu:2: warning: path left unchanged: no annotated loop around it [-Wccc-path]\n"
                   "  note: put '#pragma ccc for' over the loop around it")
        self.assertEqual((module["warnings"], told.getvalue()), ([warning], f"ptxccc: {warning}\n"))
        self.assertEqual([s["reason"] for s in module["sites"]], ["no annotated loop around it"])
        self.assertIn("0 of 1 annotated loops transformed", (self.folder / "report.txt").read_text())

    def test_variables(self):
        self.set(CCC_FLAGS=f"--choose=always --ccc-switchable --ccc-nonsense --ccc-Wno-ccc-hazard --report-to={self.folder}/report.txt")
        ptxccc.install()
        self.assertEqual(self.load()[1]["transformed"], 1)
        self.assertIn("transformed", (self.folder / "report.txt").read_text())
        self.set(CCC_DISABLE="1")
        self.assertEqual(self.load(), (BARE, None))
        self.set(CCC_DISABLE="0")
        self.assertEqual(self.load()[1]["transformed"], 1)

    def test_wrong_variables(self):
        for flags, why in (("--nonsense", "nonsense"), ("--switchable", "'--switchable' is for cccnvcc"), ("--profile-use=/nowhere", "/nowhere"),
                           (f"--profile-use={self.folder}", "no file in it"), ("--report=x.html", "x.html")):
            self.set(CCC_FLAGS=flags)
            with self.subTest(flags), self.assertWarnsRegex(RuntimeWarning, f"CCC_FLAGS: .*{why}.*: nothing is transformed"):
                ptxccc.install(choose="always")
            self.assertEqual(self.load(), (BARE, None))

    def test_wrong_arguments(self):
        for arguments in (dict(choose="sometimes"), dict(makers="Triton"), dict(profile_use="/nowhere")):
            with self.assertRaises(ptxccc.Error):
                ptxccc.install(**arguments)
        self.assertEqual(self.load(), (BARE, None))

    def test_makers(self):
        ptxccc.install(makers="CuPy", choose="always")
        self.assertEqual(self.load(), (BARE, None))

    def test_assembler(self):
        """Its verdict on the original decides whether registers are limited, and its verdict on the result whether that is used."""
        def ptxas(script):
            file = self.folder / "ptxas"
            file.write_text("#!/bin/sh\nfor last; do case $last in *.ptx) size=$(wc -c <$last) ;; esac; done\n"
                            "echo \"ptxas info    : Compiling entry function 'two' for 'sm_80'\"\n"
                            "echo 'ptxas info    : Used 20 registers'\n" + script)
            file.chmod(0o755)
            self.set(CCC_PTXAS=str(file))
            ptxccc.install(choose="always")
            return self.load()[0]
        self.ptx.write_text(BARE.replace(".reqntid 64\n", ""))
        self.assertIn(".maxnreg 64", ptxas("exit 1\n"))
        accepted = ptxas(">$last\n")
        self.assertNotIn(".maxnreg", accepted)
        self.assertEqual(ptxas(f"[ $size -lt {len(accepted)} ] && >$last\n"), self.ptx.read_text())

    def test_warp_machine_code(self):
        """Warp's own machine code is transformed by ptxas; without one, or if the two may round differently, it is loaded."""
        file, code = self.folder / "ptxas", self.folder / "k.cubin"
        file.write_text("#!/bin/sh\nfor last; do case $last in *.ptx) in=$last ;; esac; done\n"
                        "echo \"ptxas info    : Compiling entry function 'two' for 'sm_80'\"\n"
                        "echo 'ptxas info    : Used 20 registers'\n{ printf 'ptxas code of '; cat $in; } >$last\n")
        file.chmod(0o755)
        for ptxas, text, expected in ((file, BARE, "ptxas code of "), ("/nowhere/ptxas", BARE, "own code of "), (file, UNSURE, "own code of ")):
            self.set(CCC_PTXAS=str(ptxas))
            self.ptx.write_text(text)
            with ptxccc.installed(choose="always"):
                build = importlib.import_module("warp._src.build")
                build.build_cuda(str(self.ptx), 90, str(code), pch_dir=None)
                self.assertEqual(code.read_text(), "own code of " + text)
                loaded = build.load_cuda(str(code), "new")
            self.assertTrue(loaded.startswith(expected))
            self.assertEqual("%ccc" in loaded, expected == "ptxas code of ")
        self.assertEqual(build.load_cuda(str(code), "new"), code.read_text())

    def test_unsupported(self):
        build = self.folder / "warp/_src/build.py"
        build.write_text("")
        with self.assertWarnsRegex(RuntimeWarning, "Warp: not supported: 'warp._src.build' has no 'load_cuda'"):
            ptxccc.install()
            importlib.import_module("warp._src.build")
        self.assertEqual(list(ptxccc.report()["unsupported"]), ["Warp"])
        del sys.modules["warp._src.build"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ptxccc.install()
            importlib.import_module("warp._src.build")  # raises nothing

    def test_cupy(self):
        compiler = importlib.import_module("cupy.cuda.compiler")
        own = compiler.function
        with ptxccc.installed(choose="always"):
            self.assertEqual(compiler._get_arch_for_options_for_nvrtc("90"), ("-arch=compute_90", "ptx"))
            module = compiler.function.Module()
            module.load(BARE.encode())
            self.assertNotEqual(module.text, BARE.encode())
            self.assertIsInstance(module, own.Module)
            self.assertIs(compiler.function.__name__, own.__name__)
            module.load(b"\x7fELF")
            self.assertEqual(module.text, b"\x7fELF")
            compiler.runtime.version = 12090
            with self.assertWarnsRegex(RuntimeWarning, "the driver is older than NVRTC 13.0"):
                self.assertEqual(compiler._get_arch_for_options_for_nvrtc("90"), ("-arch=sm_90", "cubin"))
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # once
                compiler._get_arch_for_options_for_nvrtc("90")
        self.assertIs(compiler.function, own)
        self.assertEqual(compiler._get_arch_for_options_for_nvrtc("90"), ("-arch=sm_90", "cubin"))

    def test_cuda_core(self):
        core = importlib.import_module("cuda.core")
        own = core.Linker, core.Program, core.ObjectCode
        plain = core.ObjectCode.from_ptx(BARE.encode())
        with ptxccc.installed(choose="always"):
            for made in (core.Linker(plain).link("cubin"), core.Program(BARE, "c++").compile("cubin"), core.Program(BARE, "c++").compile("ptx"),
                         core.Program(bytearray(BARE.encode()), "ptx").compile("cubin"), core.ObjectCode.from_ptx(BARE.encode())):
                self.assertIn(b"ccc", made.code)
                self.assertIsInstance(made, core.ObjectCode)
            with tempfile.TemporaryFile("w+") as logs:
                core.Program(BARE, "c++").compile("cubin", logs=logs)
                logs.seek(0)
                self.assertEqual(logs.read(), "compiled\n")
            n = len(ptxccc.report()["modules"])
            core.Linker(core.ObjectCode.from_ptx(BARE.encode())).link("cubin")
            self.assertEqual(len(ptxccc.report()["modules"]), n + 1)  # a result is not transformed again
            core.Linker.strict = own[0].strict = True
            self.assertEqual(core.Linker(plain).link("cubin").code, BARE.encode())
            self.assertEqual(ptxccc.report()["modules"][-1]["why"], "rejected: a fault")
        self.assertEqual((core.Linker, core.Program, core.ObjectCode), own)

    def test_another_assembler(self):
        """Machine code of NVRTC is not replaced by that of the linker if the two may round differently."""
        core = importlib.import_module("cuda.core")
        with ptxccc.installed(choose="always"):
            self.assertEqual(core.Program(UNSURE, "c++").compile("cubin").code, UNSURE.encode())
            self.assertIn("another assembler may fuse", ptxccc.report()["modules"][-1]["why"])
            self.assertIn(b"ccc", core.Program(UNSURE, "ptx").compile("cubin").code)
        with ptxccc.installed(choose="always", fp="relaxed"):
            self.assertIn(b"ccc", core.Program(UNSURE, "c++").compile("cubin").code)

    def own_assembler(self):
        """Returns cuda.core's stand-in, which has a linker that makes machine code."""
        core = importlib.import_module("cuda.core")
        core.ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin")
        if not core.ptxas:
            self.skipTest("no ptxas")
        return core

    def test_equal_assembler(self):
        """Machine code of NVRTC is replaced by that of a linker that makes the same code of the text."""
        core = self.own_assembler()
        for level, transformed in (("3", 1), ("1", 0)):
            core.level = level
            own = core.Program(UNSURE, "c++").compile("cubin").code
            with ptxccc.installed(choose="always"):
                self.assertEqual(core.Program(UNSURE, "c++").compile("cubin").code != own, transformed)
                self.assertEqual(ptxccc.report()["modules"][-1]["transformed"], transformed)

    def test_rounding_shown(self):
        """The linker's machine code shows how it rounds, so that a loop with such products can be transformed."""
        core, run = self.own_assembler(), os.environ.get("PTXRUN", TREE / "build/bin/ptxrun")
        profile, trials = str(self.folder / "p"), TREE / "tests/auto/trials.ptx"
        subprocess.run([run, trials, "trials", *"--grid 2 --block 64 --arg buf:512:rand --arg buf:512 --arg s32:16 --arg f32:6e-8".split(),
                        "--profile=" + profile], check=True, capture_output=True)
        text = trials.read_bytes()
        for transformed in (1, 0):
            with ptxccc.installed(profile_use=profile):
                made = core.Linker(core.ObjectCode(text, "ptx")).link("cubin").code
            self.assertEqual(ptxccc.report()["modules"][-1]["transformed"], transformed)
            self.assertEqual(made == core.assemble(text, "3")[0], not transformed)
            core.Linker.get_info_log = lambda self: ""  # a linker that does not tell registers

    def test_numba(self):
        with ptxccc.installed(choose="always"):
            driver, codegen = importlib.import_module("numba.cuda.cudadrv.driver"), importlib.import_module("numba.cuda.codegen")
            core = importlib.import_module("cuda.core")
            self.assertIn(b"ccc", driver.Linker(core.ObjectCode.from_cubin(b""), driver.ObjectCode.from_ptx(BARE.encode())).link("cubin").code)
            self.assertEqual(ptxccc.report()["modules"][-1]["maker"], "numba-cuda")
            keys = {codegen.JITCUDACodegen().magic_tuple()}
            with ptxccc.installed():
                keys.add(codegen.JITCUDACodegen().magic_tuple())
            self.set(CCC_DISABLE="1")
            keys.add(codegen.JITCUDACodegen().magic_tuple())
        self.assertEqual(len(keys), 3)  # caches do not mix these
        self.assertEqual(codegen.JITCUDACodegen().magic_tuple(), (1, 2))
        self.assertIs(driver.Linker, core.Linker)

    def test_numba_of_another_kind(self):
        (self.folder / "numba/cuda/cudadrv/driver.py").write_text("class Linker: pass")
        importlib.import_module("cuda.core")
        importlib.import_module("numba.cuda.cudadrv.driver")
        with self.assertWarnsRegex(RuntimeWarning, "numba-cuda: not supported: .* does not link by cuda.core"):
            ptxccc.install()


if __name__ == "__main__":
    unittest.main()
