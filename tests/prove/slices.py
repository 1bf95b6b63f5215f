# SPDX-License-Identifier: MIT
"""slices.py IN.ptx OUT.ptx: what a task's lane computes again in front of a path, as questions to an SMT solver.

Of each transformed path of OUT: the input's own part is run from the loop's header to the path, whichever way control comes there, on
unknown registers; that gives what the owner's registers hold at the path. What OUT computes behind the label `run`, from registers that
were saved there and from what is the same in all lanes, must be the same words. Integers are bit vectors; what else an instruction
computes is an unknown function of what it reads, loads give anything. Prints a question for each path, with "; path" in front, that
must be "unsat"; a path of which nothing is computed again gives none. Likewise of what an owner computes behind the label `want`, in place
of the path: the words that the path leaves behind, where loads of one address give one word."""
import re
import sys

NAME = re.compile(r"%[\w$]+(?:\.[xyzw])?")
COPY = re.compile(r"%ccc(\d+)(?:p(\d+))?(u|s)?(?:b\d+)?\$([\w$]+)$")
WIDE = {"pred": 0, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "b64": 64, "u64": 64, "s64": 64, "f64": 64}
WORDS = {"add": "bvadd", "sub": "bvsub", "and": "bvand", "or": "bvor", "xor": "bvxor", "mul": "bvmul"}


def statements(text):
    """(kind, words): a label, a marker, or an instruction as guard, opcode and operands."""
    for line in text.split("\n"):
        marker = re.search(r"//\s*(\.ccc (?:begin|done|end) .*)", line)
        if re.match(r"\s*(\.\w+ )?\.(entry|func)\b", line):
            yield ("function", "")
        if marker or "{ // ccc: loop" in line:
            yield ("marker", marker.group(1) if marker else line)
            continue
        for piece in re.split(r"(?<=[;:])|(?<=^[{}])", re.sub(r"//.*", "", line).strip()):
            piece = piece.strip()
            label = re.match(r"([\w$]+):$", piece)
            found = re.match(r"(?:@(!?%[\w$]+)\s+)?([a-z][\w.]*)\s*(.*);$", piece)
            if label:
                yield ("label", label.group(1))
            elif found and not piece.startswith("."):
                yield ("insn", (found.group(1), found.group(2), [o.strip() for o in re.split(r",(?![^{\[]*[}\]])", found.group(3))]))


def width(op):
    kind = op.split(".")[-1] if op.split(".")[0] != "cvt" else op.split(".")[-2]
    size = WIDE.get(kind, 32)
    if op.startswith("ld.") and size == 8:  # no register is as narrow
        return 16
    return 2 * size if ".wide" in op else size


class Run:
    """Registers' terms, and the declarations that they need."""

    def __init__(self, pure=False):
        """pure: what a load gives depends on its address alone."""
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
        """The value under a name, if its term is long."""
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


def integer(op):
    """A comparison of integers, alone or joined with a predicate."""
    return re.fullmatch(r"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)(\.(and|or|xor))?\.[bus](16|32|64)", op)


def sort_of(op):
    """Of an operand that no register gives: a number as wide as the instruction reads."""
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

    def address(self, text, through=None):
        base, _, plus = text.strip("[]").partition("+")
        if not base.startswith("%"):
            return self.run.unknown(f"|{text}|", 64)
        value = self.read("mov.b64", base.strip())
        return self.run.function(f"at+{plus}", [self.run.function(through, [value], 64) if through else value], 64)

    def step(self, guard, op, operands):
        """An instruction that is no branch."""
        if op.split(".")[0] in ("st", "red", "bar", "membar", "fence", "barrier", "prefetch") or not operands[0]:
            return
        targets = re.findall(NAME, operands[0].split("|")[0] if op.startswith("shfl") else operands[0])
        load = op.split(".")[0] in ("ld", "atom", "ldu", "tex", "shfl", "vote", "call", "activemask") and ".param" not in op
        load = load and not (self.run.pure and op.startswith("ld."))
        args = [] if load else [self.read(op, o) for o in operands[1:] if not o.startswith(("[", "{"))]
        if self.run.pure and op.startswith("ld.const."):  # as by a generic address, which the output may have in its place
            op = op.replace(".const", "")
            args += [self.address(o, "cvta.const.u64") for o in operands[1:]]
        elif not load:
            args += [self.address(o) for o in operands[1:] if o.startswith("[")]
        vector = len(targets) > 1 or any(o.startswith("{") for o in operands[1:])
        for i, t in enumerate(targets):
            if vector and self.run.pure and op.startswith("ld."):
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


def writes(code):
    return {t for k, w in code if k == "insn" and w[1].split(".")[0] not in ("st", "red", "bra") for t in re.findall(NAME, w[2][0])}


def joined(run, ways):
    """Of several (condition, state) the one in which each register is what it is on the way that was taken."""
    if len(ways) == 1:
        return ways[0]
    state = {}
    for reg in set().union(*(s for _, s in ways)):
        have = [(c, s.get(reg)) for c, s in ways]
        if any(v is None or v[1] != have[0][1][1] for _, v in have if have[0][1]) or have[0][1] is None:
            continue  # it is set on some ways alone: look() gives anything
        v = have[-1][1]
        for c, w in have[-2::-1]:
            v = v if v == w else (f"(ite {c} {w[0]} {v[0]})", v[1])
        state[reg] = run.short(v)
    return (run.short((f"(or {' '.join(c for c, _ in ways)})", 0))[0], state)


def at_path(run, lane, code, start, end):
    """What registers hold where the path begins: the code [start, end), each block once, with all ways into it."""
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
        elif kind == "insn" and now and w[1].startswith(("bra", "ret", "exit", "brx", "trap")):
            p = lane.read("mov.pred", w[0].lstrip("!"))[0] if w[0] else "true"
            p = f"(not {p})" if w[0] and w[0].startswith("!") else p
            if w[1].startswith("bra"):
                coming.setdefault(w[2][0], []).append((run.short((f"(and {now} {p})", 0))[0], dict(lane.state)))
            now = run.short((f"(and {now} (not {p}))", 0))[0] if w[0] else None
        elif kind == "insn" and now:
            lane.step(w[0], w[1], w[2])
    return now


def questions(before, after, of_site):
    """What of_site(code, text, begin, end, at, sort) asks of each transformed loop: its function in the input, the whole output; the places of
    the loop's markers in the one, and of the inserted text in the other; sort(register)."""
    code, text = list(statements(before)), list(statements(after))
    types = {}
    for m in re.finditer(r"\.reg\s+\.(\w+)\s+([^;]*);", before):
        for name in m.group(2).split(","):
            types[name.strip().split("<")[0]] = (WIDE.get(m.group(1), 32), "<" in name)

    def sort(reg):
        stem = re.sub(r"\d+$", "", reg)
        return types[reg][0] if reg in types else types[stem][0] if stem in types and types[stem][1] else 32

    functions = re.split(r"\n(?=[ \t]*(?:\.\w+ )?\.(?:entry|func)\b)", "\n" + before)
    for i, (kind, w) in enumerate(text):
        if kind != "marker" or "{ // ccc:" not in w or i == 0 or not str(text[i - 1][1]).startswith(".ccc done for"):
            continue
        site = text[i - 1][1].split()[3]
        begins = [n for n, (k, v) in enumerate(code) if k == "marker" and re.match(rf"\.ccc begin for {site}\b", v)]
        ends = [n for n, (k, v) in enumerate(code) if k == "marker" and re.match(rf"\.ccc end for {site}\b", v)]
        if len(begins) != 1 or len(ends) != 1:
            continue
        function = functions[sum(k == "function" for k, _ in code[:begins[0]])]
        if re.search(r"\.reg\s+\.\w+\s+(?!temp_param_reg\b)[^%\s]", function):  # names without a %, which this does not follow
            continue
        low = max((n for n in range(begins[0]) if code[n][0] == "function"), default=0)
        high = next((n for n in range(begins[0], len(code)) if code[n][0] == "function"), len(code))
        yield from of_site(code[low:high], text, begins[0] - low, ends[0] - low, i, sort)


def header(code, begin, end):
    labels = {code[n][1]: n for n in range(begin, end) if code[n][0] == "label"}
    back = [labels[code[n][1][2][0]] for n in range(begin, end)
            if code[n][0] == "insn" and code[n][1][1].startswith("bra") and labels.get(code[n][1][2][0], end) < n]
    return min(back) if back else None


def of_site(code, text, begin, end, at, sort):
    start = header(code, begin, end)
    inside = writes(code[start:end]) if start is not None else set()
    stated = re.findall(r"path at line (\d+)", text[at][1])
    places = [[n for n in range(begin, end) if code[n][0] == "marker" and re.match(rf"\.ccc begin (if|case|else|path) .*:{line}\b", code[n][1])]
              for line in stated]
    stop = next((n for n in range(at + 1, len(text)) if text[n][0] == "marker"), len(text))
    if start is None:
        return
    for n in range(at, stop):
        label = re.match(r"\$ccc\d+(?:p(\d+))?_(run|want)$", text[n][1]) if text[n][0] == "label" else None
        part = int(label.group(1) or 1) if label else 0
        if label and part <= len(places) and len(places[part - 1]) == 1:
            ask_for = of_path if label.group(2) == "run" else of_owner
            yield from ask_for(code, text, (start, places[part - 1][0], end, inside), (at, n, stop), sort)


def front(run, code, inside, sort):
    """What a register held in front of the loop: by the one instruction that sets it, if there is but one."""
    known, setters = {}, {}
    for k, w in code:
        for reg in writes([(k, w)]):
            setters.setdefault(reg, []).append(w)

    def before(reg, op):
        if reg not in known:
            known[reg] = run.unknown(f"|{reg}|", sort(reg))
            sets = setters.get(reg, ())
            if len(sets) == 1 and not sets[0][0] and reg not in inside and len(re.findall(NAME, sets[0][2][0])) == 1:
                lane = Lane(run, before)
                lane.step("", sets[0][1], sets[0][2])
                known[reg] = lane.state[reg]
        return known[reg]

    return before


def of_owner(code, text, where, places, sort):
    """In place of the path the owner computes what flows out of it: the input's registers hold then what they do behind the path."""
    start, path, end, inside = where
    _, label, stop = places
    words = code[path][1].split()
    behind = next((n for n in range(path, end) if code[n][0] == "marker" and code[n][1].split()[1:4] == ["end"] + words[2:4]), None)
    if behind is None:
        return
    run = Run(pure=True)
    owner = Lane(run, front(run, code, inside, sort))
    now = at_path(run, owner, code, start, path)
    mine, claims = Lane(run, owner.look), {}
    mine.state = dict(owner.state)
    within = at_path(run, owner, code, path, behind) if now else None
    for k, w in text[label + 1:stop]:
        if k != "insn" or w[1].startswith("bra"):
            break
        if not w[2][0].startswith("%ccc"):
            mine.step(w[0], w[1], w[2])
            if not w[1].startswith("mov.b"):  # a reduction's register is handed on as it was
                claims.update((t, w) for t in re.findall(NAME, w[2][0]) if t in writes(code[path:behind]))
    pairs = [(mine.state[t], owner.state.get(t, ("none", None))) for t in claims]
    if pairs and now and within:
        yield ask(run, f"(and {now} {within})", [f"(= {a[0]} {b[0]})" if a[1] == b[1] else "false" for a, b in pairs], text[label][1])


def of_path(code, text, where, places, sort):
    start, path, end, inside = where
    at, label, stop = places
    run = Run()
    before = front(run, code, inside, sort)
    owner = Lane(run, before)
    now = at_path(run, owner, code, start, path)
    first = next((w for k, w in code[path + 1:end] if k == "insn"), None)

    def look(reg, op):
        copy = COPY.match(reg)
        if copy and not copy.group(3):
            return owner.state.get("%" + copy.group(4)) or owner.look("%" + copy.group(4), op)
        if copy or reg in inside or re.match(r"%(tid|laneid|warpid|lanemask|clock)", reg):
            return run.any("another lane's " + reg, sort(reg))
        return before(reg, op)

    def own(operand):
        return re.sub(r"%ccc\d+(p\d+)?[us]?(b\d+)?\$", "%", operand)

    lane, claims = Lane(run, look), []
    for k, w in text[at:label]:  # what is computed for all lanes
        if k == "insn" and not w[0] and re.match(r"%ccc\d+(p\d+)?u\$", w[2][0]):
            lane.step(w[0], w[1], w[2])
    for k, w in text[label + 1:stop]:
        copy = COPY.match(w[2][0]) if k == "insn" else None
        if not copy or copy.group(3) or (first and (w[1], [own(o) for o in w[2]]) == (first[1], first[2])) or re.match(r"(mov|red|st)", w[1]):
            break
        lane.step(w[0], w[1], w[2])
        mine = lane.state[w[2][0]]
        his = owner.state.get("%" + copy.group(4)) or owner.look("%" + copy.group(4), w[1])
        claims.append(f"(= {mine[0]} {his[0]})" if mine[1] == his[1] else "false")
    if claims and now:
        yield ask(run, now, claims, text[label][1])


def kind(sort):
    return "Bool" if sort == 0 else f"(_ BitVec {sort})"


def declaration(name, s):
    if not isinstance(s, tuple):
        return f"(declare-fun {name} () {kind(s)})"
    if s[-1] == "define":
        return f"(define-fun {name} () {kind(s[1])} {s[0]})"
    return f"(declare-fun {name} ({' '.join(kind(a) for a in s[0])}) {kind(s[1])})"


def ask(run, now, claims, label):
    out = [f"; path {label}", "(set-logic QF_UFBV)"] + [declaration(name, s) for name, s in run.declared.items()]
    return "\n".join(out + [f"(assert {now})", f"(assert (not (and true {' '.join(claims)})))", "(check-sat)", "(reset)"])


if __name__ == "__main__":
    for question in questions(open(sys.argv[1]).read(), open(sys.argv[2]).read(), of_site):
        print(question)
