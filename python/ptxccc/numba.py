# SPDX-License-Identifier: MIT
"""Annotations in Numba kernels: comments '# ccc for' and '# ccc if' before a statement become markers in the PTX.

    @ptxccc.numba.annotated
    def k(x, y):
        # ccc for threads(256)
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            # ccc if
            if x[i] > 3:
                y[i] = work(x[i])

    ptx, _ = cuda.compile(k, signature, abi="numba", device=False)
    result = ptxccc.transform(ptx)

jit() does all of this and launches the result.

A marker is an inline asm statement that contains a comment (docs/markers.md). The begin marker is before the loop, or at the start of
the body of the if. There is an end marker on every way out: at the end, and before each break, continue and return that leaves it. The
kinds are `for`, `for var`, `while`, `predict`, `if` and `if else`, with the clauses of docs/annotations.md; `predict` precedes a loop or an
if without else. `grid` precedes the kernel, one of its decorators or its first statement, and is one marker, at the kernel's start.
"""
import ast
import ctypes
import inspect
import io
import itertools
import re
import textwrap
import tokenize

from llvmlite import ir
from numba.core import types

try:
    from numba.cuda.extending import intrinsic
except ImportError:  # Numba's own, older target
    from numba.extending import intrinsic

__all__ = ["annotated", "jit"]

_numbers = itertools.count()
_COMPILED = ("fastmath", "lineinfo", "opt")  # options of numba.cuda.jit and numba.cuda.compile
_MARKERS = {"grid": "grid", "for": "for", "for const": "for", "for var": "for-var", "while": "while", "predict": "predict", "if": "if", "if else": "if"}
_LOOPS = (ast.For, ast.While)
_STATEMENT = {"for": _LOOPS, "for-var": _LOOPS, "while": _LOOPS, "predict": _LOOPS + (ast.If,), "if": (ast.If,), "grid": ()}
_BEFORE = {"grid": "the kernel or its first", "predict": "a for, while or if", "if": "an if"}


def _escape(text, also=""):
    """Escapes text for a marker: =XX for a byte that is not allowed in an asm string or a line."""
    return "".join(c if re.match(r"[A-Za-z0-9_./+-]", c) or c in also else "".join(f"={b:02X}" for b in c.encode())
                   for c in text)


def _marker(text):
    """Returns a function that inserts the text into the PTX as a comment."""
    asm = text.replace("\\", "\\5C").replace('"', "\\22")

    @intrinsic
    def mark(typingctx):
        def codegen(context, builder, signature, arguments):
            builder.asm(ir.FunctionType(ir.VoidType(), []), asm, "", [], True)
            return context.get_dummy_value()
        return types.none(), codegen
    return mark


class _Annotation:
    def __init__(self, comment, line):
        words = re.match(r"(grid|for const|for var|for|while|predict|if else|if)\b *,? *(.*)$", comment)
        if not words:
            raise SyntaxError(f"line {line}: '# ccc {comment}': the annotations are grid, for, for const, for var, while, predict, if and if else")
        self.words, self.line = words[1], line
        self.kind = _MARKERS[self.words]
        self.clauses = "".join(" " + _escape(c, "(),:") for c in re.findall(r"\w+(?:\([^)]*\))?", words[2]))


class _Rewriter:
    """Inserts calls of markers around annotated statements. names: maps the names of the markers to the functions."""

    def __init__(self, file, annotations):
        self.file, self.annotations, self.names = file, annotations, {}
        self.open = []  # enclosing annotated statements and loops: (loop, call of the end marker or None)

    def call(self, text, line):
        name = f"__ccc_{len(self.names)}"
        self.names[name] = _marker(text)
        node = ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))
        return ast.fix_missing_locations(ast.copy_location(node, ast.Pass(lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)))

    def begin(self, a):
        """Returns the number of the annotation and the calls of its begin and end marker."""
        number = next(_numbers)
        return (number, self.call(f'// .ccc begin {a.kind} {number} "{_escape(self.file)}":{a.line}{a.clauses}', a.line),
                self.call(f"// .ccc end {a.kind} {number}", a.line))

    def kernel(self, definition):
        """Adds the marker that requests a task loop at the start of the kernel, and then the other markers."""
        documented = ast.get_docstring(definition, clean=False) is not None and len(definition.body) > 1
        first = definition.body[documented].lineno
        line = next((n for n, a in self.annotations.items() if a.kind == "grid" and n <= first), None)
        grid = self.annotations.pop(line, None)
        definition.body = self.body(definition.body)
        if grid:
            definition.body.insert(documented, self.begin(grid)[1])

    def leaving(self, node):
        """Yields the end markers of the regions that this jump leaves, the innermost first."""
        for loop, end in reversed(self.open):
            if loop and not isinstance(node, ast.Return):
                return
            if end:
                yield end

    def body(self, statements):
        return [s for statement in statements for s in self.statement(statement)]

    def path(self, statements, a):
        _, begin, end = self.begin(a)
        self.open.append((False, end))
        inner = self.body(statements)
        self.open.pop()
        return [begin] + inner + ([] if isinstance(inner[-1], (ast.Break, ast.Continue, ast.Return)) else [end])

    def hoist(self, node):
        """Evaluates range() before the begin marker, because a step of 0 leaves the kernel."""
        if isinstance(node, ast.While):
            return []
        name = f"__ccc_iterator_{len(self.names)}"
        made = ast.Assign([ast.Name(name, ast.Store())], ast.Call(ast.Name("iter", ast.Load()), [node.iter], []))
        node.iter = ast.copy_location(ast.Name(name, ast.Load()), node.iter)
        return [ast.fix_missing_locations(ast.copy_location(made, node.iter))]

    def loop(self, node, a):
        number, begin, end = self.begin(a) if a else (None, None, None)
        if a:
            self.open.append((False, end))
        self.open.append((True, None))
        node.body = self.body(node.body)
        self.open.pop()
        node.orelse = self.body(node.orelse)
        if not a:
            return [node]
        self.open.pop()
        before = self.hoist(node)
        node.body.insert(0, self.call(f"// .ccc begin iteration {number}", a.line))
        return before + [begin, node, end]

    def statement(self, node):
        a = self.annotations.pop(node.lineno, None)
        if a and not isinstance(node, _STATEMENT[a.kind]):
            raise SyntaxError(f"{self.file}:{a.line}: '# ccc {a.words}' must be directly before "
                              f"{_BEFORE.get(a.kind, 'a for or while')} statement")
        if isinstance(node, _LOOPS):
            return self.loop(node, a)
        if isinstance(node, ast.If):
            if a and a.words == "if else" and not node.orelse:
                raise SyntaxError(f"{self.file}:{a.line}: '# ccc if else': the if statement has no else")
            if a and a.kind == "predict" and node.orelse:
                raise SyntaxError(f"{self.file}:{a.line}: '# ccc predict': the if statement has an else")
            node.body = self.path(node.body, a) if a else self.body(node.body)
            node.orelse = self.path(node.orelse, a) if a and a.words == "if else" else self.body(node.orelse)
        elif isinstance(node, ast.With):
            node.body = self.body(node.body)
        elif isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            return list(self.leaving(node)) + [node]
        return [node]


def _annotations(source, first):
    """Returns the annotations by the line of the statement that follows each."""
    found, waiting = {}, None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        comment = re.match(r"# *ccc +(.*?) *$", token.string) if token.type == tokenize.COMMENT else None
        if comment:
            waiting = _Annotation(comment[1], token.start[0] + first)
        elif waiting and token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            found[token.start[0] + first], waiting = waiting, None
    return found


def annotated(function):
    """Returns the function with its annotations as markers, for numba.cuda.jit or numba.cuda.compile."""
    lines, first = inspect.getsourcelines(function)
    above = inspect.getcomments(function) or ""  # of its first decorator
    source = above + textwrap.dedent("".join(lines))
    first -= above.count("\n")
    file = inspect.getsourcefile(function) or "<python>"
    rewriter = _Rewriter(file, _annotations(source, first - 1))
    tree = ast.increment_lineno(ast.parse(source), first - 1)
    definition = tree.body[0]
    definition.decorator_list = []
    rewriter.kernel(definition)
    if rewriter.annotations:
        raise SyntaxError(f"{file}:{next(iter(rewriter.annotations.values())).line}: no statement follows the annotation")
    names = dict(function.__globals__, **inspect.getclosurevars(function).nonlocals, **rewriter.names)
    exec(compile(ast.fix_missing_locations(tree), file, "exec"), names)
    made = names[function.__name__]
    made.__doc__, made.__module__, made.__qualname__ = function.__doc__, function.__module__, function.__qualname__
    return made


# ---- launching kernels ---------------------------------------------------------------------------------------------------------------

def _driver(name, *arguments):
    e = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if e:
        raise RuntimeError(f"{name}: error {e} of CUDA's driver")


def _words(type_, value):
    """Returns a parameter as Numba passes it: for an array two host words, number and size of the items, data, shape, strides."""
    if not isinstance(type_, types.Array):
        from numba.np.numpy_support import as_dtype
        return [as_dtype(type_).type(value).tobytes()]
    if not hasattr(value, "__cuda_array_interface__"):
        raise TypeError("the kernel takes arrays of the device: numba.cuda.to_device")
    a = value.__cuda_array_interface__
    shape, size = a["shape"], int(a["typestr"][2:])
    strides, items = a.get("strides"), 1
    if strides is None:
        strides = []
        for n in reversed(shape):
            strides.insert(0, size * items)
            items *= n
    for n in shape if a.get("strides") is not None else ():
        items *= n
    return [int(w).to_bytes(8, "little", signed=True) for w in (0, 0, items, size, a["data"][0], *shape, *strides)]


class _Kernel:
    """k[grid, block](...) launches the transformed kernel, k.plain[grid, block](...) Numba's own; k.result is the Result of
    ptxccc.transform."""

    def __init__(self, function, signature, options, compiled):
        from numba import cuda
        self.signature, self.options, self._function, self._result = signature, options, None, None
        self.annotated, self._compiled = annotated(function), {"lineinfo": True, **compiled}
        self.plain = cuda.jit(signature, **compiled)(self.annotated)

    @property
    def result(self):
        from . import transform
        if self._result is None:
            from numba import cuda
            capability = cuda.get_current_device().compute_capability
            made = cuda.compile(self.annotated, self.signature, device=False, abi="numba", cc=capability, **self._compiled)[0]
            self._result = transform(made if isinstance(made, str) else made.decode(), self.annotated.__name__ + ".ptx", **self.options)
        return self._result

    def _load(self):
        if self._function is None:
            ptx = self.result.ptx
            module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
            _driver("cuModuleLoadData", ctypes.byref(module), ptx.encode())
            name = re.search(r"\.entry\s+(\S+?)\(", ptx)[1]
            _driver("cuModuleGetFunction", ctypes.byref(self._function), module, name.encode())
        return self._function

    def __getitem__(self, shape):
        def sizes(n):
            return (tuple(n) if isinstance(n, (tuple, list)) else (n,)) + (1, 1)
        grid, block = sizes(shape[0])[:3], sizes(shape[1])[:3]
        shared = shape[2] if len(shape) > 2 else 0

        def launch(*values):
            from numba import cuda
            if len(values) != len(self.signature):
                raise TypeError(f"the kernel takes {len(self.signature)} arguments")
            cuda.current_context()
            words = [w for t, v in zip(self.signature, values) for w in _words(t, v)]
            kept = [ctypes.create_string_buffer(w, max(len(w), 8)) for w in words]
            pointers = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
            _driver("cuLaunchKernel", self._load(), *map(ctypes.c_uint, (*grid, *block, shared)), None, pointers, None)
        return launch


def jit(signature, **options):
    """A decorator that makes an annotated function a kernel for arguments of these types, transformed with these options of
    ptxccc.transform; fastmath, lineinfo and opt are Numba's. k[grid, block](...) launches it. Arrays must be device arrays; block may
    be a tuple. Raises Error for other options."""
    from . import Error, _Context, _options
    compiled = {name: options.pop(name) for name in _COMPILED if name in options}
    try:
        _Context(_options(options)).close()
    except Error as e:
        raise Error(f"{e}; of Numba's options, jit() takes {', '.join(_COMPILED)}: for others, put '@numba.cuda.jit(...)' over "
                    "'@ptxccc.numba.annotated', and run the program with ptxccc-run, or call ptxccc.install() in it") from None
    return lambda function: _Kernel(function, tuple(signature), options, compiled)
