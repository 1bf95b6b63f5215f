# SPDX-License-Identifier: MIT
"""Transforms the PTX of other compilers' kernels in this process, as ptxccc-run(1) does. See hooks.py.

No function here raises an exception because of a module: its outcome is in a Module."""
import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from . import Error, _Assemble, _Context, _Machine_code, _bytes, _lib, _options, version

_TOOLKITS = ("/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit")


def is_set(variable):
    """Returns whether an environment variable is neither empty nor 0."""
    return os.environ.get(variable, "") not in ("", "0")


# ---- options -----------------------------------------------------------------------------------------------
def _profiles(path):
    """Yields the files that an option names: a file, or the profiles in a folder."""
    path = pathlib.Path(path)
    yield from sorted(path.glob("*.cccprof")) if path.is_dir() else (path,)


class Settings:
    """The options of transformations. key: identifies all that their results depend on."""

    def __init__(self, flags, options):
        self.options, self.profiles, self.report_to = ["--auto"], [], None
        for word in flags.split():
            self._take(word)
        for option in _options(options):
            self._take(option)
        self.ptxas = _find_ptxas()
        self.key = self._key()

    def _take(self, word):
        """Takes an option of ptxccc, or of cccnvcc; of the latter, those that only it knows are ignored."""
        shared = word.startswith("--ccc-")
        option = word if not shared else ("-" if word[6:7] == "W" else "--") + word[6:]
        name, _, value = option.partition("=")
        if name in ("--report", "--report-to"):
            self._report_to(word, value)
        elif name == "--profile-use":
            self._use_profiles(value)
        elif name in ("--profile-generate", "--check-promise", "--switchable"):
            if not shared:
                raise Error(f"'{word}' is for cccnvcc")
        else:
            try:
                _Context([option]).close()
                self.options.append(option)
            except Error:
                if not shared:
                    raise

    def _report_to(self, word, file):
        if pathlib.Path(file).suffix in (".html", ".json", ".sarif", ".yaml"):
            raise Error(f"'{word}': only ptxccc-run writes such a report; ptxccc.report() returns this one as data")
        self.report_to = file

    def _use_profiles(self, path):
        try:
            found = [(str(p), p.read_bytes()) for p in _profiles(path)]
        except OSError as e:
            raise Error(f"cannot read '{path}': {e.strerror}") from None
        if not found:
            raise Error(f"cannot read '{path}': no file in it ends in '.cccprof'")
        _Context((), profiles=found).close()
        self.profiles += found

    def _key(self):
        try:
            library = pathlib.Path(_lib._name).read_bytes()
        except OSError:  # found by the loader
            library = version().encode()
        text = repr((self.options, self.profiles, self.ptxas)).encode()
        return hashlib.sha256(library + text).hexdigest()


# ---- the assembler -----------------------------------------------------------------------------------------
def _find_ptxas():
    """Returns the path of ptxas: CCC_PTXAS, the first on PATH, or the CUDA toolkit's; None if there is none."""
    named = os.environ.get("CCC_PTXAS")
    if named:
        return shutil.which(named)
    homes = [os.environ[v] for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)]
    return shutil.which("ptxas") or shutil.which("ptxas", path=":".join(h + "/bin" for h in (*homes, *_TOOLKITS)))


def _device_arch():
    """Returns the compute capability of the first GPU, 90 for sm_90; 0 if the program has no driver."""
    numbers = []
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, MINOR
            n = ctypes.c_int()
            if driver.cuDeviceGetAttribute(ctypes.byref(n), attribute, 0):
                return 0
            numbers.append(n.value)
    except (OSError, AttributeError):
        return 0
    return 10 * numbers[0] + numbers[1]


class _Ptxas:
    """Runs ptxas on PTX."""

    def __init__(self, program, arch):
        self._program, self._arch = program, arch

    def _option(self, ptx):
        """Returns the option for the module's target, or for a later GPU that can run it."""
        target = re.search(rb"\.target\s+sm_(\d+)([af]?)", ptx)
        number, only = (int(target[1]), target[2].decode()) if target else (75, "")
        return f"-arch=sm_{number if only else max(number, self._arch)}{only}"

    def run(self, ptx):
        """Returns whether ptxas accepts the PTX, and what it prints. Sets self.code, if it is a whole program."""
        self.code = None
        with tempfile.TemporaryDirectory(prefix="ptxccc-") as folder:
            source = pathlib.Path(folder, "module.ptx")
            source.write_bytes(ptx)
            for relocatable in ([], ["-c"]):
                command = [self._program, self._option(ptx), "-m64", "-v", *relocatable, str(source), "-o", folder + "/module.cubin"]
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if done.returncode == 0:
                    self.code = None if relocatable else pathlib.Path(folder, "module.cubin").read_bytes()
                    break
        return done.returncode == 0, done.stdout


class _Assembler:
    """Has PTX assembled: by the maker's assembler, if it is known, whose machine code shows how it rounds, else by ptxas. Registers
    are those that the maker's prints, or else ptxas. `function` is for ptxccc_on_assemble, `code_function` for ptxccc_on_machine_code."""

    def __init__(self, make, ptxas):
        self._make, self._ptxas, self._log, self._code = make, ptxas, None, None
        self.function, self.code_function = _Assemble(self._called), _Machine_code(self._code_called)

    def run(self, ptx):
        """Returns whether the PTX is accepted and its registers are known, and what is printed. Sets self.code."""
        self.code, said = self._make(ptx) if self._make else (None, b"")
        said = _bytes(said or "")
        if b" Used " in said or not self._ptxas:
            return b" Used " in said, said
        return self._ptxas.run(ptx)

    def _called(self, _, ptx, length, log):
        try:
            good, said = self.run(ctypes.string_at(ptx, length))
        except Exception as e:  # an exception would not reach the library
            good, said = False, str(e).encode()
        self._log = ctypes.create_string_buffer(said)
        log[0] = ctypes.cast(self._log, ctypes.c_char_p)
        return 0 if good else 1

    def _code_called(self, _, length):
        if not self.code:
            return None
        self._code = ctypes.create_string_buffer(self.code, len(self.code))  # lives until the next call
        length[0] = len(self.code)
        return ctypes.addressof(self._code)


def _sections(cubin):
    """Returns the sections of machine code with instructions, their relocations, and data. A linker may give them any order."""
    if cubin[:4] != b"\x7fELF":
        raise ValueError("no machine code")
    at, = struct.unpack_from("<Q", cubin, 40)
    count, names = struct.unpack_from("<HH", cubin, 60)
    heads = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + 64 * i) for i in range(count)]
    found = []
    for name, kind, _, _, offset, size, *_ in heads:
        start = heads[names][4] + name
        name = cubin[start:cubin.index(b"\0", start)]
        if kind != 8 and re.match(rb"\.text|\.nv\.(constant|global)|\.rela?\.(text|nv\.)", name):  # 8: no bytes in the file
            found.append((name, cubin[offset:offset + size]))
    return sorted(found)


def _are_equal(a, b):
    try:
        return _sections(bytes(a)) == _sections(bytes(b))
    except (ValueError, IndexError, struct.error):
        return False


# ---- modules -----------------------------------------------------------------------------------------------
class Module:
    """What became of a module of PTX. text: the transformed PTX; None if the maker is to use its own."""

    def __init__(self, maker, name, ptx):
        first = re.search(r"\.entry\s+([\w$]+)", ptx)
        self.maker, self.name = maker, name or (first[1] if first else "module")
        self.kernels = len(re.findall(r"\.entry[ \t]", ptx))
        self.transformed, self.sites, self.warnings, self.why, self.text = 0, [], [], None, None

    def reject(self, why):
        self.transformed, self.text, self.why = 0, None, str(why).strip() or type(why).__name__

    def data(self):
        return {"maker": self.maker, "name": self.name, "kernels": self.kernels, "transformed": self.transformed,
                "why": self.why, "sites": self.sites, "warnings": self.warnings}


def assemble(ptx, ptxas):
    """Returns the machine code that ptxas makes, and what it prints. Raises Error."""
    ptxas = ptxas and _Ptxas(ptxas, _device_arch())
    good, said = ptxas.run(_bytes(ptx)) if ptxas else (False, b"there is no ptxas")
    if not good or not ptxas.code:
        raise Error(said.decode("utf-8", "replace").strip())
    return ptxas.code, said


def _find_assembler(settings, ptx, make):
    """Returns an assembler that accepts the PTX and tells its registers, and whether it is the maker's; None if there is none."""
    ptxas = _Ptxas(settings.ptxas, _device_arch()) if settings.ptxas else None
    for own in (make, None) if make else (None,):
        with contextlib.suppress(Exception):  # the maker's own call reports it
            assembler = _Assembler(own, ptxas)
            if assembler.run(ptx)[0]:  # it knows the PTX and the GPU
                return assembler, own is not None
    return None, False


def _run(settings, module, ptx, options, assembler, proves):
    """Transforms the module. Returns why it is left since it may be rounded differently, or None."""
    with _Context(options, profiles=settings.profiles) as c:
        if assembler:
            c.assemble_with(assembler.function)
        if proves:
            c.prove_with(assembler.code_function)
        text = c.run(_lib.ptxccc_transform, module.name if module.name.endswith(".ptx") else module.name + ".ptx", ptx)
        left = [d.text for d in c.diagnostics if "--other-assembler" in options and d.text.startswith("module left unchanged")]
        if left:
            return left[0]
        module.sites = json.loads(c.report("json"))["sites"]
        module.warnings = [str(d) for d in c.diagnostics if d.severity == "warning" and d.file]
        module.transformed = len({s["function"] for s in module.sites if s["transformed"]})
        if settings.report_to:
            with open(settings.report_to, "a") as f:
                f.write(c.report("text") if module.sites else "")
    module.text = _bytes(text) if module.transformed else None
    return None


def _transform(settings, module, ptx, replaces, make, own):
    assembler, is_makers = _find_assembler(settings, _bytes(ptx), make)
    options = settings.options
    if not assembler and not any(o.startswith("--max-regs=") for o in options):
        options = options + ["--max-regs=64"]  # with these, any block can be launched
    if not replaces:
        _run(settings, module, ptx, options, assembler, is_makers)
        return
    left = _run(settings, module, ptx, options + ["--other-assembler"], assembler, False)
    # The maker's assembler makes the same code of the text alone: then it makes both.
    if left and is_makers and own and assembler.run(_bytes(ptx))[0] and _are_equal(assembler.code, own()):
        left = _run(settings, module, ptx, options, assembler, True)
    if left:
        module.reject(left)


def rewrite(settings, maker, name, ptx, replaces, make=None, own=None):
    """Returns the Module of a text, str or bytes, that may end in NULs. replaces: without the result, the maker would not have this
    text assembled, but execute machine code that another assembler makes: that of own(). make: the assembler of the result; it
    returns machine code and what is printed, or raises an exception. If it makes the code of the maker's text, too, the library
    can prove how both are rounded."""
    ptx = (ptx if isinstance(ptx, str) else bytes(ptx).decode("utf-8", "surrogateescape")).rstrip("\0")
    module = Module(maker, name, ptx)
    try:
        _transform(settings, module, ptx, replaces, make, own)
    except Error as e:
        errors = [d.text for d in e.diagnostics if d.severity == "error"]
        module.reject(errors[0] if errors else e)
    except Exception as e:
        module.reject(e)
    return module


def tell(module):
    """Prints the warnings about a module's annotations, and the line for it if CCC_VERBOSE is set."""
    for warning in module.warnings:
        print(f"ptxccc: {warning}", file=sys.stderr)
    if is_set("CCC_VERBOSE"):
        outcome = f"not transformed: {module.why}" if module.why else f"{module.transformed} of {module.kernels} kernels transformed"
        print(f"ptxccc: {module.maker}: {module.name}: {outcome}", file=sys.stderr)
