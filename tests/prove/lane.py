# SPDX-License-Identifier: MIT
"""lane.py: symbolic execution of PTX on one lane, with SMT terms as the values of registers, and the questions made of them.

Integers are bit vectors. Any other result is an uninterpreted function of the instruction's operands. Loads give unknown values, or
functions of the address (Run.pure). Code is a list of statements. A code range is executed once, merging all predecessors of each block; at
the label of a back edge, the registers that its loop writes get unknown values (at_path)."""
import re
import sys

NAME = re.compile(r"%[\w$]+(?:\.[xyzw])?")
WIDE = {"pred": 0, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "b64": 64, "u64": 64, "s64": 64, "f64": 64}
SILENT = ("st", "red", "bar", "membar", "fence", "barrier", "prefetch")  # instructions without a result
WORDS = {"add": "bvadd", "sub": "bvsub", "and": "bvand", "or": "bvor", "xor": "bvxor", "mul": "bvmul"}


def statements(text):
    """Yields (kind, words): a label, the labels of an indexed branch, a marker, the line number of a path from a plan's comment, or an
    instruction as guard, opcode and operands."""
    for line in text.split("\n"):
        marker = re.search(r"//\s*(\.ccc (?:begin|done|end) .*)", line)
        if re.match(r"\s*(\.\w+ )?\.(entry|func)\b", line):
            yield ("function", "")
        stated = re.match(r"\s*// \s*path at line (\d+), policy", line)
        if marker or stated or "{ // ccc: loop" in line:
            yield ("stated", stated.group(1)) if stated else ("marker", marker.group(1) if marker else line)
            continue
        for piece in re.split(r"(?<=[;:])|(?<=^[{}])", re.sub(r"//.*", "", line).strip()):
            piece = piece.strip()
            label = re.match(r"([\w$]+):$", piece)
            found = re.match(r"(?:@(!?%[\w$]+)\s+)?([a-z][\w.]*)\s*(.*);$", piece)
            if label:
                yield ("label", label.group(1))
            elif piece.startswith(".branchtargets"):
                yield ("table", re.findall(r"[\w$]+", piece)[1:])
            elif found and not piece.startswith("."):
                op = re.sub(r"^(add|sub|mul)\.rn\.f", r"\1.f", found.group(2))  # written out where it is the same: docs/proofs/contraction.md
                yield ("insn", (found.group(1), op, [o.strip() for o in re.split(r",(?![^{\[]*[}\]])", found.group(3))]))


def width(op):
    kind = op.split(".")[-1] if op.split(".")[0] != "cvt" else op.split(".")[-2]
    size = WIDE.get(kind, 32)
    if op.startswith("ld.") and size == 8:  # registers have at least 16 bits
        return 16
    return 2 * size if ".wide" in op else size


class Run:
    """Builds the terms of registers, and collects the declarations that they need."""

    def __init__(self, pure=False):
        """pure: the result of a load is a function of its address."""
        self.declared, self.fresh, self.pure = {}, 0, pure

    def unknown(self, name, sort):
        self.declared[name] = sort
        return (name, sort)

    def any(self, what, sort):
        self.fresh += 1
        return self.unknown(f"|{what}!{self.fresh}|", sort)

    def function(self, op, args, sort):
        name = f"|{op}:{':'.join(str(s) for _, s in args)}|"
        self.declared[name] = ([s for _, s in args], sort)
        return (f"({name} {' '.join(a for a, _ in args)})" if args else name, sort)

    def short(self, value):
        """The value, or a name defined as its term if that is long."""
        if len(value[0]) < 80:
            return value
        self.fresh += 1
        self.declared[f"|v!{self.fresh}|"] = (value[0], value[1], "define")
        return (f"|v!{self.fresh}|", value[1])

    def value(self, op, args):
        first, sort = op.split(".")[0], width(op)
        if first in ("mov", "cvta") and len(args) == 1 and args[0][1] == sort and "cvta" not in op:
            return args[0]
        if first in WORDS and ".wide" not in op and ".hi" not in op and not re.search(r"\.(f|sat|cc)", op) and sort and all(s == sort for _, s in args):
            return (f"({WORDS[first]} {args[0][0]} {args[1][0]})", sort)
        if "pred" in op and all(s == 0 for _, s in args) and first in ("and", "or", "xor", "not"):
            return (f"({first} {' '.join(a for a, _ in args)})", 0)
        if first == "setp" and integer(op) and args[0][1] == args[1][1] == sort:
            term = self.compared(op.split(".")[1], "s" if op.split(".")[-1].startswith("s") else "u", args[0][0], args[1][0])
            return (f"({op.split('.')[2]} {term} {args[2][0]})" if len(args) == 3 else term, 0)
        if first == "selp" and args[0][1] == args[1][1]:
            return (f"(ite {args[2][0]} {args[0][0]} {args[1][0]})", args[0][1])
        if first == "mad" and len(args) == 3 and re.match(r"mad\.(lo|wide)\.[us]", op) and args[2][1] == sort:
            product = self.value("mul" + op[3:], args[:2])
            return (f"(bvadd {product[0]} {args[2][0]})", sort)
        if first in ("mul", "cvt") and not re.search(r"\.(f|bf|e|r|sat|hi)", op) and all(s for _, s in args) and sort:
            sign = op.split(".")[-1].startswith("s")
            wide = [self.extend(a, sort, sign) for a in args]
            return wide[0] if first == "cvt" else (f"(bvmul {wide[0][0]} {wide[1][0]})", sort)
        return self.function(op, args, sort if first not in ("setp",) else 0)

    @staticmethod
    def compared(how, sign, a, b):
        if how in ("eq", "ne"):
            return f"(= {a} {b})" if how == "eq" else f"(distinct {a} {b})"
        return f"(bv{sign}{ {'lo': 'lt', 'ls': 'le', 'hi': 'gt', 'hs': 'ge'}.get(how, how)} {a} {b})"

    @staticmethod
    def extend(arg, sort, sign):
        term, have = arg
        if sort <= have:
            return (f"((_ extract {sort - 1} 0) {term})", sort)
        return (f"((_ {'sign' if sign else 'zero'}_extend {sort - have}) {term})", sort)


class Products(Run):
    """Products are uninterpreted functions of their operands: input and output have the same ones, and solvers need not multiply."""

    def value(self, op, args):
        return self.function(op, args, width(op)) if op.startswith(("mul", "mad")) else super().value(op, args)


def integer(op):
    """Whether op compares integers, with or without a predicate to combine the result with."""
    return re.fullmatch(r"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)(\.(and|or|xor))?\.[bus](16|32|64)", op)


def sort_of(op):
    """The width in bits of an immediate operand of the instruction."""
    return WIDE.get(op.split(".")[-1], 32)


class Lane:
    def __init__(self, run, look):
        self.run, self.look, self.state = run, look, {}

    def read(self, op, text):
        if text.startswith("%"):
            return self.state[text] if text in self.state else self.look(text, op)
        number = re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)U?", text)
        sort = sort_of(op)
        if number and not sort:
            return ("false" if int(number.group(1), 0) == 0 else "true", 0)
        if number:
            return (f"(_ bv{int(text.rstrip('U'), 0) % 2 ** sort} {sort})", sort)
        return self.run.unknown(f"|{text}:{sort}|", sort)

    def condition(self, guard):
        if not guard:
            return "true"
        p = self.read("mov.pred", guard.lstrip("!"))[0]
        return f"(not {p})" if guard.startswith("!") else p

    def address(self, text, through=None):
        base, _, plus = text.strip("[]").partition("+")
        if not base.startswith("%"):
            return self.run.unknown(f"|{text}|", 64)
        value = self.read("mov.b64", base.strip())
        return self.run.function(f"at+{plus}", [self.run.function(through, [value], 64) if through else value], 64)

    def parts(self, op, operands):
        """The target values of a move that packs or unpacks a vector; the lowest part comes first in the braces."""
        names = [o.strip() for o in (operands[0] if "{" in operands[0] else operands[1]).strip("{}").split(",")]
        bits = width(op) // len(names)
        if "{" in operands[0]:
            whole = self.read(op, operands[1])[0]
            return [(f"((_ extract {bits * i + bits - 1} {bits * i}) {whole})", bits) for i, o in enumerate(names) if o.startswith("%")]
        return [(f"(concat {' '.join(self.read(f'mov.b{bits}', o)[0] for o in reversed(names))})", width(op))]

    def step(self, guard, op, operands):
        """Executes an instruction that is no branch."""
        if op.split(".")[0] in SILENT or not operands[0]:
            return
        targets = re.findall(NAME, operands[0].split("|")[0] if op.startswith("shfl") else operands[0])
        load = op.split(".")[0] in ("ld", "atom", "ldu", "tex", "shfl", "vote", "call", "activemask") and ".param" not in op
        load = load and not (self.run.pure and op.startswith("ld."))
        args = [] if load else [self.read(op, o) for o in operands[1:] if not o.startswith(("[", "{"))]
        if self.run.pure and op.startswith("ld.const."):  # as a generic load, by which the output may replace it
            op = op.replace(".const", "")
            args += [self.address(o, "cvta.const.u64") for o in operands[1:]]
        elif not load:
            args += [self.address(o) for o in operands[1:] if o.startswith("[")]
        vector = len(targets) > 1 or any(o.startswith("{") for o in operands)
        parts = self.parts(op, operands) if vector and op.startswith("mov.b") else None
        for i, t in enumerate(targets):
            if parts:
                v = parts[i]
            elif vector and self.run.pure and op.startswith("ld."):
                v = self.run.function(f"{op}.{i}", args, width(op))
            elif load or vector:
                v = self.run.any(t, width(op) if not op.startswith("setp") else 0)
            else:
                v = self.run.value(op, args)
            if guard:
                p = self.read("mov.pred", guard.lstrip("!"))
                old = self.state[t] if t in self.state else self.look(t, op)
                pair = (old[0], v[0]) if guard.startswith("!") else (v[0], old[0])
                v = (f"(ite {p[0]} {pair[0]} {pair[1]})", v[1]) if old[1] == v[1] else self.run.any(t, v[1])
            self.state[t] = self.run.short(v)


def leaves(words):
    """Does the instruction transfer control, so that its block ends here?"""
    return words[1].split(".")[0] in ("bra", "brx", "ret", "exit", "trap")


def reads(code):
    """The registers that the code reads."""
    insns = [(w, w[1].split(".")[0] in (*SILENT, "bra", "brx")) for k, w in code if k == "insn"]
    return {reg for w, silent in insns for o in [w[0] or "", *w[2][0 if silent else 1:]] for reg in re.findall(NAME, o)}


def targets(words):
    """The registers that an instruction writes."""
    return [] if words[1].split(".")[0] in ("st", "red", "bra", "brx") else re.findall(NAME, words[2][0])


def writes(code):
    return {t for k, w in code if k == "insn" for t in targets(w)}


def joined(run, ways):
    """Merges (condition, state) pairs: the disjunction of the conditions, and a state that selects each register's value by them."""
    if len(ways) == 1:
        return ways[0]
    state = {}
    for reg in set().union(*(s for _, s in ways)):
        have = [(c, s.get(reg)) for c, s in ways]
        if any(v is None or v[1] != have[0][1][1] for _, v in have if have[0][1]) or have[0][1] is None:
            continue  # not set on all edges: look() gives an unknown value
        v = have[-1][1]
        for c, w in have[-2::-1]:
            v = v if v == w else (f"(ite {c} {w[0]} {v[0]})", v[1])
        state[reg] = run.short(v)
    return (run.short((f"(or {' '.join(c for c, _ in ways)})", 0))[0], state)


def at_path(run, lane, code, start, end):
    """Executes code[start:end), which is in topological order except for back edges. Returns the condition under which control reaches the
    end, or None."""
    labels = {w: i for i, (k, w) in enumerate(code) if k == "label"}
    back = {}
    for i in range(start, end):
        kind, w = code[i]
        if kind == "insn" and w[1].startswith("bra") and start <= labels.get(w[2][0], -1) <= i:
            back.setdefault(w[2][0], set()).update(writes(code[labels[w[2][0]]:i + 1]))
    lane.coming = coming = {}
    now = "true"
    for i in range(start, end):
        kind, w = code[i]
        if kind == "label":
            ways = coming.pop(w, []) + ([(now, lane.state)] if now else [])
            if not ways:
                now = None
                continue
            now, state = joined(run, ways)
            lane.state = dict(state)
            for reg in back.get(w, ()) if i > start else ():
                lane.state[reg] = run.any(reg, lane.look(reg, "mov.b32")[1])
        elif kind == "insn" and now and leaves(w):
            p = lane.condition(w[0])
            if w[1].startswith("bra"):
                coming.setdefault(w[2][0], []).append((run.short((f"(and {now} {p})", 0))[0], dict(lane.state)))
            now = run.short((f"(and {now} (not {p}))", 0))[0] if w[0] else None
        elif kind == "insn" and now:
            lane.step(w[0], w[1], w[2])
    return now


def questions(before, after, of_site):
    """Yields the questions of of_site(code, text, begin, end, at, sort) for each transformed loop. code: its function in the input; text: the
    whole output; begin, end: the positions of the loop's markers in code; at: the position of the inserted code in text; sort(register)."""
    code, text = list(statements(before)), list(statements(after))
    types = {}
    for m in re.finditer(r"\.reg\s+\.(\w+)\s+([^;]*);", before):
        for name in m.group(2).split(","):
            types[name.strip().split("<")[0]] = (WIDE.get(m.group(1), 32), "<" in name)

    def sort(reg):
        stem = re.sub(r"\d+$", "", reg)
        return types[reg][0] if reg in types else types[stem][0] if stem in types and types[stem][1] else 32

    seen = set()  # copies of a loop have the same questions
    functions = re.split(r"\n(?=[ \t]*(?:\.\w+ )?\.(?:entry|func)\b)", "\n" + before)
    for i, (kind, w) in enumerate(text):
        if kind != "marker" or "{ // ccc:" not in w or i == 0 or not str(text[i - 1][1]).startswith(".ccc done"):
            continue
        site = " ".join(text[i - 1][1].split()[2:4])
        marker = re.compile(rf"\.ccc (begin|done) {site} \"")
        begins = [n for n, (k, v) in enumerate(code) if k == "marker" and marker.match(v)]
        begin = begins[sum(k == "marker" and marker.match(v) is not None for k, v in text[:i]) - 1]
        low = max((n for n in range(begin) if code[n][0] == "function"), default=0)
        high = next((n for n in range(begin, len(code)) if code[n][0] == "function"), len(code))
        ends = [n for n in range(begin, min([n for n in begins if n > begin] + [high])) if code[n][0] == "marker" and re.match(rf"\.ccc end {site}\b", code[n][1])]
        end = ends[-1] if ends else high - 1  # no end: a task loop, which is the whole kernel, or the end's block precedes the loop
        function = functions[sum(k == "function" for k, _ in code[:begin])]
        if re.search(r"\.reg\s+\.\w+\s+(?!(?:temp_param_reg|tmp)\b)[^%\s]", function):  # register names without %, which are not supported
            continue
        for question in of_site(code[low:high], text, begin - low, end - low, i, sort):
            if question not in seen:
                seen.add(question)
                yield question


def header(code, begin, end):
    labels = {code[n][1]: n for n in range(begin, end) if code[n][0] == "label"}
    back = [labels[code[n][1][2][0]] for n in range(begin, end)
            if code[n][0] == "insn" and code[n][1][1].startswith("bra") and labels.get(code[n][1][2][0], end) < n]
    return min(back) if back else None


def front(run, code, inside, sort):
    """Returns a function that gives the value of a register before the loop. If a single instruction sets the register, the value is that
    instruction's result, computed from registers that are set once, before it. Its other operands get unknown values, as they may have
    changed since."""
    known, setters = {}, {}
    for n, (k, w) in enumerate(code):
        for reg in writes([(k, w)]):
            setters.setdefault(reg, []).append((n, w))

    def once(reg):
        """The position that sets the register, if it is the only one, unguarded and outside of the loop; -1 if there is none; else None."""
        sets = setters.get(reg, ())
        return -1 if not sets else sets[0][0] if len(sets) == 1 and not sets[0][1][0] and reg not in inside else None

    def before(reg, op):
        if reg not in known:
            known[reg] = run.unknown(f"|{reg}|", sort(reg))
            n = once(reg)
            if n is not None and n >= 0 and len(re.findall(NAME, code[n][1][2][0])) == 1:
                lane = Lane(run, lambda r, o: before(r, o) if once(r) is not None and once(r) < n else run.any("once " + r, sort(r)))
                lane.step(*code[n][1])
                known[reg] = lane.state[reg]
        return known[reg]

    return before


def kind(sort):
    return "Bool" if sort == 0 else f"(_ BitVec {sort})"


def declaration(name, s):
    if not isinstance(s, tuple):
        return f"(declare-fun {name} () {kind(s)})"
    if s[-1] == "define":
        return f"(define-fun {name} () {kind(s[1])} {s[0]})"
    return f"(declare-fun {name} ({' '.join(kind(a) for a in s[0])}) {kind(s[1])})"


def equal(a, b):
    return f"(= {a[0]} {b[0]})" if a and b and a[1] == b[1] else "false"


def ask(run, now, claims, label, of=None):
    """The SMT script of a question. Each check follows an echo of the expected answer: `now` is satisfiable, and then no claim can be false.
    of: the number of recomputed registers, if it is not the number of claims."""
    out = ["(set-logic QF_UFBV)"] + [declaration(name, s) for name, s in run.declared.items()]
    if now != "true":
        out += [f'(echo "sat {label} is come to:")', f"(assert {now})", "(check-sat)"]
    of = len(claims) if of is None else of
    return "\n".join(out + [f'(echo "unsat {label} of {of}:")', f"(assert (not (and true {' '.join(claims)})))", "(check-sat)", "(reset)"])
