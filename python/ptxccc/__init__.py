# SPDX-License-Identifier: MIT
"""libptxccc for Python: PTX in, PTX out (see ptxccc(3)).

    result = ptxccc.transform(ptx, "k.ptx", policy="queue", threads=256)
    print(result.report())

Each call uses its own context of the library, so calls may run concurrently in several threads.
"""
import ctypes
import json
import os
import pathlib

__all__ = ["Diagnostic", "Error", "Result", "annotate", "cupy_module", "install", "installed", "report", "transform", "uninstall", "version"]

FORMATS = {"text": 0, "json": 1, "steps": 2, "sarif": 3, "remarks": 4, "html": 5}  # ptxccc_format
_SEVERITIES = ("note", "warning", "error")


class Error(Exception):
    """The text could not be parsed, or an option is invalid. diagnostics: a list of Diagnostic."""

    def __init__(self, message, diagnostics=()):
        super().__init__("\n".join([message] + [d.printed for d in diagnostics if d.severity == "error"]))
        self.diagnostics = list(diagnostics)


# ---- the library -------------------------------------------------------------------------------------------
class _Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("line", ctypes.c_uint), ("column", ctypes.c_uint)]


class _Remark(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("at", _Place)]


class _Diagnostic(ctypes.Structure):  # the first members of ptxccc_diagnostic, which only grows at its end
    _fields_ = [("severity", ctypes.c_int), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("notes", ctypes.c_char_p),
                ("file", ctypes.c_char_p), ("line", ctypes.c_uint), ("column", ctypes.c_uint),
                ("ptx_line", ctypes.c_uint), ("ptx_column", ctypes.c_uint), ("printed", ctypes.c_char_p), ("at", _Place),
                ("caller", _Place), ("note", ctypes.POINTER(_Remark)), ("nnotes", ctypes.c_size_t)]


_Diagnose = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Diagnostic))
_Assemble = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p))
_Machine_code = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t))
_Read = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t))


def _find():
    """Returns the library: PTXCCC_LIBRARY, next to this file, in this file's source tree, in the lib folder of this
    file's environment (make wheel), or where the loader finds it."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("PTXCCC_LIBRARY")
    if named:
        return named
    for folder in (here, here.parents[1] / "build" / "lib", here.parents[2]):
        if (folder / "libptxccc.so.0").exists():
            return str(folder / "libptxccc.so.0")
    return "libptxccc.so.0"


def _load():
    lib = ctypes.CDLL(_find())
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, arguments in (
            ("new", pointer, [pointer, pointer]), ("free", None, [pointer]), ("option", ctypes.c_int, [pointer, text]),
            ("on_diagnostic", None, [pointer, _Diagnose, pointer]), ("on_source", None, [pointer, _Read, pointer]),
            ("on_assemble", None, [pointer, _Assemble, pointer]), ("on_machine_code", None, [pointer, _Machine_code]),
            ("profile", ctypes.c_int, [pointer, text, text, size]),
            ("transform", ctypes.c_int, [pointer, text, text, size]), ("annotate", ctypes.c_int, [pointer, text, text, size]),
            ("text", pointer, [pointer, ctypes.POINTER(size)]), ("message", text, [pointer]),
            ("report", text, [pointer, ctypes.c_int]), ("version", text, [])):
        f = getattr(lib, "ptxccc_" + name)
        f.restype, f.argtypes = result, arguments
    return lib


_lib = _load()


def version():
    """Returns the library's version."""
    return _lib.ptxccc_version().decode()


def _str(b):
    return b.decode("utf-8", "surrogateescape") if b is not None else None


def _bytes(s):
    return s.encode("utf-8", "surrogateescape") if isinstance(s, str) else bytes(s)


class Diagnostic:
    """A message: severity, name ("ccc-live-out"), text, notes, file and line (of the annotation), at (file, line and column of the
    code that causes it, or None), advice (the notes that say what to do, a list), printed (the whole message as ptxccc
    prints it). str(): without the lines of the PTX."""

    def __init__(self, d):
        self.severity = _SEVERITIES[d.severity]
        self.name, self.text, self.notes, self.printed = _str(d.name), _str(d.text), _str(d.notes), _str(d.printed)
        self.file, self.line = _str(d.file), d.line
        self.advice = [_str(n.text) for n in d.note[:d.nnotes] if not n.at.file]
        self.at = (_str(d.at.file), d.at.line, d.at.column) if d.at.file else None

    def __str__(self):
        return f"{self.file}:{self.line}: {self.severity}: {self.text} [-W{self.name}]" + "".join("\n  note: " + n for n in self.advice)

    def __repr__(self):
        return f"<{self.severity} {self.file}:{self.line}: {self.text} [-W{self.name}]>"


class _Context:
    """A context with its options, for one job. profiles: pairs of a name and a text."""

    def __init__(self, options, sources=None, profiles=()):
        self._c = _lib.ptxccc_new(None, None)
        if not self._c:
            raise MemoryError
        self.diagnostics, self._texts, self._sources = [], {}, sources or {}
        self._keep = _Diagnose(lambda _, d: self.diagnostics.append(Diagnostic(d.contents))), _Read(self._read)
        _lib.ptxccc_on_diagnostic(self._c, self._keep[0], None)
        _lib.ptxccc_on_source(self._c, self._keep[1], None)
        for option in options:
            self._check(_lib.ptxccc_option(self._c, _bytes(option)))
        for name, text in profiles:
            self._check(_lib.ptxccc_profile(self._c, _bytes(name), text, len(text)))

    def _check(self, status):
        if status:
            why = _str(_lib.ptxccc_message(self._c))
            self.close()
            raise Error(why)

    def assemble_with(self, function):
        _lib.ptxccc_on_assemble(self._c, function, None)

    def prove_with(self, function):
        _lib.ptxccc_on_machine_code(self._c, function)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._c:
            _lib.ptxccc_free(self._c)
        self._c = None

    def _read(self, _, name, length):
        name = _str(name)
        try:
            text = _bytes(self._sources[name]) if name in self._sources else pathlib.Path(name).read_bytes()
        except OSError:
            return None
        self._texts[name] = ctypes.create_string_buffer(text)  # lives as long as the context
        length[0] = len(text)
        return ctypes.addressof(self._texts[name])

    def run(self, job, name, text):
        data = _bytes(text).rstrip(b"\0")
        if job(self._c, _bytes(name), data, len(data)):
            raise Error(_str(_lib.ptxccc_message(self._c)), self.diagnostics)
        n = ctypes.c_size_t()
        at = _lib.ptxccc_text(self._c, ctypes.byref(n))
        return _str(ctypes.string_at(at, n.value))

    def report(self, form):
        return _str(_lib.ptxccc_report(self._c, FORMATS[form]))


def _options(options):
    """Converts options: policy="queue" is --policy=queue, no_compress=True is --no-compress, warnings=["no-ccc-hazard"] are -W options."""
    for name, value in options.items():
        if name == "warnings":
            yield from ("-W" + w for w in value)
        elif value is True:
            yield "--" + name.replace("_", "-")
        elif value is not None and value is not False:
            yield f"--{name.replace('_', '-')}={value}"


# ---- the two jobs ------------------------------------------------------------------------------------------
class Result:
    """ptx: the transformed module. sites: a dictionary for each path or loop, with the members of the JSON report (ptxccc(1)).
    diagnostics: a list of Diagnostic. report(form): the report as text, json, sarif, remarks or html."""

    def __init__(self, ptx, diagnostics, reports):
        self.ptx, self.diagnostics, self._reports = ptx, diagnostics, reports
        self.sites = json.loads(reports["json"])["sites"]

    @property
    def transformed(self):
        """The number of transformed sites."""
        return sum(s["transformed"] for s in self.sites)

    def report(self, form="text"):
        return self._reports[form]


def transform(ptx, name="<ptx>", sources=None, **options):
    """Transforms the annotated loops of a PTX module (str or bytes). Returns a Result. options: those of the library, with '_' for
    '-': policy, threads, max_regs, no_compress, dynamic_shared, grid, sms, strict, strip_lines, verify; warnings: a list.
    sources: maps names of CUDA files to their texts, for lines in messages; other files are read. Raises Error."""
    with _Context(_options(options), sources) as c:
        text = c.run(_lib.ptxccc_transform, name, ptx)
        return Result(text, c.diagnostics, {form: c.report(form) for form in FORMATS})


def annotate(source, name="<source>", headers=None):
    """Returns CUDA source for NVRTC or CuPy in which each '#pragma ccc' reaches the PTX. headers: maps names of headers of the same
    program to their texts; the result is then a pair: the source, and a dictionary of the headers. Raises Error if an annotation
    is misplaced."""
    with _Context(()) as c:
        text = c.run(_lib.ptxccc_annotate, name, source)
        if headers is None:
            return text
        return text, {k: c.run(_lib.ptxccc_annotate, k, v) for k, v in headers.items()}


def cupy_module(code, name="<source>", options=(), **kinds):
    """Compiles annotated CUDA source with NVRTC, transforms it, and loads it as a CuPy module, whose get_function and get_global are
    those of a cupy.RawModule. Its .ptxccc is the Result. options: of NVRTC."""
    from cupy.cuda import compiler, function

    class Module(function.Module):  # CuPy's own class allows no further members
        ptxccc = None
    ptx, _ = compiler.compile_using_nvrtc(annotate(code, name), options=tuple(options), filename=name)
    result = transform(ptx, name, sources={name: code}, **kinds)
    module = Module()
    module.load(result.ptx.encode())
    module.ptxccc = result
    return module


from .hooks import install, installed, report, uninstall  # noqa: E402 (they need the library)
