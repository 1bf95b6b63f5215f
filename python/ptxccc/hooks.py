# SPDX-License-Identifier: MIT
"""install(): kernels that Python libraries make are transformed when they are loaded or linked.

A maker is a library that makes PTX. For each there is a function below that replaces attributes of its modules, as soon as
they are imported. The replacements do the maker's own work where nothing is transformed, where the result is not accepted,
and after uninstall(). Text and machine code that a maker stores on disk are never those of another setting: CuPy and Warp
store what they had before the transformation; Numba's key for its files also has that of the settings."""
import contextlib
import importlib.abc
import os
import sys
import warnings

from . import Error, _bytes
from .rewrite import Settings, assemble, is_set, rewrite, tell

__all__ = ["install", "installed", "report", "uninstall"]


class _State:
    settings = None  # None: not installed, or CCC_FLAGS is invalid
    given = None     # the arguments of install(); None: not installed
    replaced = []    # (object, name, previous value, our value)
    hooked = set()   # (maker, module)
    modules = []     # outcomes of rewrite()
    texts = {}       # of machine code that Warp has compiled
    results = set()  # hashes of transformed texts, which one maker may give to another
    unsupported = {}  # reasons, by maker


# ---- for the makers ----------------------------------------------------------------------------------------
class _Unsupported(Exception):
    """This version of a maker is not supported."""


def _settings():
    """Returns the settings if PTX is to be transformed now, else None."""
    return None if is_set("CCC_DISABLE") else _State.settings


def _attempt(maker, name, ptx, use, replaces=False, make=None, own=None):
    """Returns what use(text) makes of the transformed text; None if the maker is to use its own. An exception of use() means
    that the text is rejected. replaces, make, own: see rewrite()."""
    settings = _settings()
    if not settings or ptx is None:
        return None
    ptx = _bytes(ptx)
    if hash(ptx) in _State.results:
        return None
    module, made = rewrite(settings, maker, name, ptx, replaces, make, own), None
    if module.text is not None:
        _State.results.add(hash(module.text))
        try:
            made = use(module.text)
        except Exception as e:
            module.reject(f"rejected: {e}")
    module.text = None  # the report has no use for it
    _State.modules.append(module)
    with contextlib.suppress(OSError, ValueError):  # standard error may be closed
        tell(module)
    return made


def _get(owner, name):
    value = vars(owner).get(name)
    if value is None:
        raise _Unsupported(f"'{getattr(owner, '__name__', owner)}' has no '{name}'")
    return getattr(value, "_ptxccc_real", value)


def _put(owner, name, value):
    previous = _get(owner, name)
    _State.replaced.append((owner, name, previous, value))
    setattr(owner, name, value)


class _Like(type):
    """Of a class that replaces another one: instances of that are instances of it."""

    def __instancecheck__(cls, x):
        return isinstance(x, cls._ptxccc_real)


def _unsupported(maker, why):
    if maker not in _State.unsupported:
        _State.unsupported[maker] = why
        with contextlib.suppress(RuntimeWarning):  # where warnings are errors
            warnings.warn(f"ptxccc: {maker}: not supported: {why}; its kernels are not transformed", RuntimeWarning, stacklevel=3)


# ---- cuda.core ---------------------------------------------------------------------------------------------
def _make_linker(real, core, maker):
    """Returns a replacement of cuda.core.Linker. Text that is linked is transformed. So is the text that link-time
    optimization makes, if all inputs take part in it."""
    from dataclasses import replace

    class Linker(real, metaclass=_Like):
        _ptxccc_real, __doc__ = real, real.__doc__
        _made = None

        def __init__(self, *object_codes, options=None):
            super().__init__(*object_codes, options=options)
            self._given = object_codes, options

        def _link(self, codes, options):
            linker = real(*codes, options=options)
            result = linker.link("cubin")
            self._made = linker
            return result

        @staticmethod
        def _code(codes, options):
            """Returns machine code, and what its assembler prints."""
            linker = real(*codes, options=replace(options, verbose=True) if options else None)
            try:
                return linker.link("cubin").code, linker.get_info_log()
            finally:
                linker.close()

        def _optimized(self):
            codes, given = self._given
            try:
                ptx = real(*codes, options=replace(given, ptx=True)).link("ptx").code
            except Exception:
                return None  # the maker's own call reports it
            options = replace(given, link_time_optimization=None, ptx=None)

            def alone(text):
                return [core.ObjectCode.from_ptx(text)]
            return _attempt(maker, "", ptx, lambda text: self._link(alone(text), options), replaces=True,
                            make=lambda text: self._code(alone(text), options), own=lambda: self._code(codes, given)[0])

        def _texts(self):
            codes, options = self._given
            made = None
            for i, code in enumerate(codes):
                if code.code_type == "ptx":
                    def changed(text, i=i, code=code, codes=codes):
                        return (*codes[:i], core.ObjectCode.from_ptx(text, name=code.name), *codes[i + 1:])

                    def use(text, changed=changed):
                        return changed(text), self._link(changed(text), options)

                    def make(text, changed=changed):
                        return self._code(changed(text), options)
                    codes, made = _attempt(maker, code.name if maker == "cuda.core" else "", code.code, use, make=make) or (codes, made)
            return made

        def link(self, target_type):
            kinds = {code.code_type for code in self._given[0]}
            made = None
            if _settings() and target_type == "cubin":
                made = self._texts() if "ltoir" not in kinds else self._optimized() if kinds == {"ltoir"} else None
            return made if made is not None else super().link(target_type)

        def get_info_log(self):
            return self._made.get_info_log() if self._made else super().get_info_log()

        def get_error_log(self):
            return self._made.get_error_log() if self._made else super().get_error_log()

        def close(self):
            if self._made:
                self._made.close()
            super().close()
    return Linker


def _make_program(real, core):
    """Returns a replacement of cuda.core.Program. For machine code, the text is made first, and assembled if it is
    transformed."""
    import io

    class Program(real, metaclass=_Like):
        _ptxccc_real, __doc__ = real, real.__doc__

        def __init__(self, code, code_type, options=None):
            super().__init__(code, code_type, options)
            self._given = code, str(code_type).lower(), options

        def _assemble(self, text, logs=None):
            return real(text.decode("utf-8", "surrogateescape"), "ptx", self._given[2]).compile("cubin", (), logs)

        def _code(self, text):
            """Returns machine code, and what its assembler prints."""
            said = io.StringIO()
            return self._assemble(text, said).code, said.getvalue()

        def _text(self, names, logs, **kwargs):
            def use(text):
                self._assemble(text)  # else a rejection would reach the caller when the text is loaded
                return core.ObjectCode.from_ptx(text, name=own.name, symbol_mapping=own.symbol_mapping)
            own = super().compile("ptx", names, logs, **kwargs)
            made = _attempt("cuda.core", own.name, own.code, use)
            return own if made is None else made

        def _machine_code(self, names, logs, **kwargs):
            code, code_type, _ = self._given
            if code_type == "ptx":
                return _attempt("cuda.core", "", code, self._assemble, make=self._code)
            said = io.StringIO()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the driver may be too old for this text, which it does not get
                    own = super().compile("ptx", names, said, **kwargs)
            except Exception:
                return None  # the maker's own call reports it

            def use(text):
                made = core.ObjectCode.from_cubin(self._assemble(text).code, name=own.name, symbol_mapping=own.symbol_mapping)
                if logs is not None:
                    logs.write(said.getvalue())
                return made
            def machine_code():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return real(code, code_type, self._given[2]).compile("cubin", names, **kwargs).code
            return _attempt("cuda.core", own.name, own.code, use, replaces=True, make=self._code, own=machine_code)

        def compile(self, target_type, name_expressions=(), logs=None, **kwargs):
            made = None
            if _settings() and target_type == "ptx" and self._given[1] != "ptx":
                made = self._text(name_expressions, logs, **kwargs)
            if _settings() and target_type == "cubin":
                made = self._machine_code(name_expressions, logs, **kwargs)
            return made if made is not None else super().compile(target_type, name_expressions, logs, **kwargs)
    return Program


def _make_object_code(real, core):
    """Returns a replacement of cuda.core.ObjectCode, whose from_ptx() transforms. Its results are the original class's."""
    class ObjectCode(real, metaclass=_Like):
        _ptxccc_real, __doc__ = real, real.__doc__

        @staticmethod
        def from_ptx(module, *args, **kwargs):
            def use(text):
                target = text.partition(b".target")[2].split(b"\n")[0].split(b",")[0].strip().decode()
                core.Program(text.decode("utf-8", "surrogateescape"), "ptx", core.ProgramOptions(arch=target)).compile("cubin")
                return real.from_ptx(text, *args, **kwargs)
            own = real.from_ptx(module, *args, **kwargs)
            made = _attempt("cuda.core", own.name, own.code, use) if _settings() else None
            return own if made is None else made
    return ObjectCode


class _Core:
    """The original classes of cuda.core."""

    def __init__(self, module):
        for name in ("Linker", "Program", "ProgramOptions", "ObjectCode"):
            setattr(self, name, _get(module, name))


def _cuda_core(module):
    core = _Core(module)
    for name, make in (("Linker", lambda real, core: _make_linker(real, core, "cuda.core")), ("Program", _make_program),
                       ("ObjectCode", _make_object_code)):
        _put(module, name, make(getattr(core, name), core))


# ---- Numba -------------------------------------------------------------------------------------------------
def _numba_linker(maker):
    def hook(module):
        core = sys.modules.get("cuda.core")
        real = _get(module, "Linker")
        if not core or real is not _get(core, "Linker"):
            raise _Unsupported(f"'{module.__name__}' does not link by cuda.core")
        _put(module, "Linker", _make_linker(real, _Core(core), maker))
        _put(module, "ObjectCode", _get(core, "ObjectCode"))  # what the linker takes is transformed there
    return hook


def _numba_key(name):
    """Adds the settings to what identifies the code generator in the key of a file."""
    def hook(module):
        owner = _get(module, name)
        real = _get(owner, "magic_tuple")

        def magic_tuple(self):
            settings = _settings()
            return real(self) + (("ptxccc", settings.key),) if settings else real(self)
        magic_tuple._ptxccc_real = real
        _put(owner, "magic_tuple", magic_tuple)
    return hook


# ---- CuPy --------------------------------------------------------------------------------------------------
def _cupy(compiler):
    """CuPy compiles to text, as with CUPY_COMPILE_WITH_PTX=1, which is transformed when it is loaded. The option that says so is
    part of CuPy's key for its files."""
    function = _get(compiler, "function")
    real_arch, real_module = _get(compiler, "_get_arch_for_options_for_nvrtc"), _get(function, "Module")
    version, runtime = _get(compiler, "_get_nvrtc_version"), _get(compiler, "runtime")

    def arch_for_options(arch=None):
        option, method = real_arch(arch)
        if not _settings() or method != "cubin":
            return option, method
        major, minor = version()
        if runtime.driverGetVersion() < 1000 * major + 10 * minor:
            _unsupported("CuPy", f"the driver is older than NVRTC {major}.{minor}, whose PTX it cannot load")
            return option, method
        return option.replace("sm_", "compute_"), "ptx"

    class Module(real_module):
        __doc__ = real_module.__doc__

        def load(self, cubin):
            def use(text):
                super(Module, self).load(text)
                return True
            ptx = None if bytes(cubin[:4]) in (b"\x7fELF", b"\x50\xed\x55\xba") else cubin
            if not _attempt("CuPy", "", ptx, use):
                super().load(cubin)

    class Function:
        """CuPy's module `function` with another Module; compiled modules of CuPy need their own there."""
        _ptxccc_real = function

        def __getattr__(self, name):
            return Module if name == "Module" else getattr(function, name)
    arch_for_options._ptxccc_real = real_arch
    _put(compiler, "_get_arch_for_options_for_nvrtc", arch_for_options)
    _put(compiler, "function", Function())


# ---- Warp --------------------------------------------------------------------------------------------------
def _read(path):
    with contextlib.suppress(OSError), open(path, "rb") as f:
        return f.read()
    return None


def _make_build(real):
    """Returns a replacement of Warp's build_cuda(). Of a kernel that Warp compiles to machine code, since the driver is older than
    Warp's toolkit, the text is made, too."""
    import tempfile

    def build_cuda(cu_path, arch, output_path, *args, **kwargs):
        result = real(cu_path, arch, output_path, *args, **kwargs)
        if _settings() and output_path.endswith(".cubin"):
            with contextlib.suppress(Exception), tempfile.TemporaryDirectory(prefix="ptxccc-") as folder:
                path = os.path.join(folder, "module.ptx")
                real(cu_path, arch, path, *args, **kwargs)
                _State.texts[_read(output_path)] = _read(path)
        return result
    build_cuda._ptxccc_real = real
    return build_cuda


def _warp(build):
    """Warp loads a file: its own, or a temporary one with the transformed text, or with its machine code."""
    import tempfile
    if build.__name__ == "warp.build" and "warp._src.build" in sys.modules:
        return  # of a version that has the functions there
    real = _get(build, "load_cuda")

    def load_cuda(input_path, device):
        def use(text):
            with tempfile.TemporaryDirectory(prefix="ptxccc-") as folder:
                path = os.path.join(folder, os.path.basename(input_path))
                with open(path, "wb") as f:
                    f.write(make(text)[0] if own else text)
                module = real(path, device)
            if not module:
                raise RuntimeError("Warp cannot load it")
            return module

        def make(text):
            return assemble(text, _settings().ptxas)
        text = _read(input_path) if _settings() else None
        own = text if input_path.endswith(".cubin") else None
        if own:
            made = _attempt("Warp", os.path.basename(input_path), _State.texts.get(own), use, True, make, lambda: own)
        else:
            made = _attempt("Warp", os.path.basename(input_path), text, use)
        return made or real(input_path, device)
    load_cuda._ptxccc_real = real
    _put(build, "load_cuda", load_cuda)
    _put(build, "build_cuda", _make_build(_get(build, "build_cuda")))


# ---- imports -----------------------------------------------------------------------------------------------
_HOOKS = {  # module: maker, function
    "cuda.core": ("cuda.core", _cuda_core),
    "numba.cuda.cudadrv.driver": ("numba-cuda", _numba_linker("numba-cuda")),
    "numba.cuda.codegen": ("numba-cuda", _numba_key("JITCUDACodegen")),
    "numba_cuda_mlir.numba_cuda.cudadrv.driver": ("numba-cuda-mlir", _numba_linker("numba-cuda-mlir")),
    "numba_cuda_mlir.codegen": ("numba-cuda-mlir", _numba_key("JITMLIRCodegen")),
    "numba_cuda_mlir.caching": ("numba-cuda-mlir", _numba_key("_CachedCodegen")),
    "cupy.cuda.compiler": ("CuPy", _cupy),
    "warp.build": ("Warp", _warp),
    "warp._src.build": ("Warp", _warp),
}
MAKERS = tuple(dict.fromkeys(maker for maker, _ in _HOOKS.values()))


def _apply(name, module):
    maker, hook = _HOOKS[name]
    if _State.given is None or maker not in _State.given["makers"] or (maker, name) in _State.hooked:
        return
    before = len(_State.replaced)
    try:
        hook(module)
        _State.hooked.add((maker, name))
    except Exception as e:
        _restore(before)
        _unsupported(maker, str(e))


class _Finder(importlib.abc.MetaPathFinder):
    """Has a maker's module hooked when it has been executed."""

    def find_spec(self, name, path=None, target=None):
        if name not in _HOOKS:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec:
                self._watch(name, spec.loader)
                return spec
        return None

    def _watch(self, name, loader):
        execute = getattr(loader, "exec_module", None)

        def exec_module(module):
            execute(module)
            if sys.modules.get(name) is module:  # a loader may have several modules
                _apply(name, module)
        if execute:
            with contextlib.suppress(AttributeError):
                loader.exec_module = exec_module


_FINDER = _Finder()


def _restore(first):
    """Undoes the replacements from this one on, except those that somebody else has replaced since."""
    while len(_State.replaced) > first:
        owner, name, previous, value = _State.replaced.pop()
        if vars(owner).get(name) is value:
            setattr(owner, name, previous)


# ---- the interface -----------------------------------------------------------------------------------------
def install(makers=None, **options):
    """From now on, kernels of cuda.core, numba-cuda, numba-cuda-mlir, CuPy and Warp are transformed where no promise is needed:
    those of libraries that are imported already, too, but not kernels that are loaded already. Markers are compiled. makers: names
    from ptxccc.hooks.MAKERS (default: all). options: those of transform(), such as choose="always", and profile_use, a file; they
    are added to those in CCC_FLAGS. CCC_DISABLE=1: nothing is transformed; CCC_VERBOSE=1: a line on standard error for each module.
    Another call replaces the options. Raises Error for an unknown maker or option, and never for a kernel."""
    makers = MAKERS if makers is None else tuple([makers] if isinstance(makers, str) else makers)
    for maker in makers:
        if maker not in MAKERS:
            raise Error(f"unknown maker '{maker}': it must be one of {', '.join(MAKERS)}")
    Settings("", options)  # raises Error
    uninstall()
    try:
        _State.settings = Settings(os.environ.get("CCC_FLAGS", ""), options)
    except Error as e:
        warnings.warn(f"ptxccc: CCC_FLAGS: {e}: nothing is transformed", RuntimeWarning, stacklevel=2)
    _State.given = {"makers": makers, "options": options}
    _State.unsupported = {}
    sys.meta_path.insert(0, _FINDER)
    for name in _HOOKS:
        module = sys.modules.get(name)
        if module and not getattr(getattr(module, "__spec__", None), "_initializing", False):
            _apply(name, module)


def uninstall():
    """Undoes install(). Kernels that are loaded already stay as they are."""
    _State.settings = _State.given = None
    _restore(0)
    _State.hooked.clear()
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


@contextlib.contextmanager
def installed(makers=None, **options):
    """install() for the duration of a with statement; afterwards, what was installed before it is installed again."""
    before = _State.given
    install(makers, **options)
    try:
        yield
    finally:
        uninstall()
        if before:
            install(before["makers"], **before["options"])


def report():
    """Returns what was found, as a dictionary. modules: a dictionary for each module of PTX, with its maker, its name, the
    numbers of its kernels and of the transformed ones, why the maker's own text was used after an error (else None), the warnings
    about annotations, and the sites, as in Result. hooked: the makers whose modules are hooked. unsupported: the reasons, by maker."""
    return {"modules": [m.data() for m in _State.modules], "hooked": sorted({maker for maker, _ in _State.hooked}),
            "unsupported": dict(_State.unsupported)}
