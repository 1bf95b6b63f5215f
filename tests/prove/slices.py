# SPDX-License-Identifier: MIT
"""slices.py IN.ptx OUT.ptx: questions to an SMT solver about the values that a helper recomputes before a path.

For each transformed path of OUT, the input's common code is executed on unknown registers from the loop's header to the path, along all
branches; this gives the owner's registers at the path. The values that OUT computes after the label `run`, from saved values, lane
invariants and uniform values, must be equal to them. A path without recomputed values has no question. In the same way, the owner slice
after the label `want` must compute the path's live-outs or, if the task also executes the rest of the iteration, the values at the branch
by which the owner continues.

The comment before the loop maps task regions to paths by line; the first instruction of a path decides between several at one line.
Popped values and lane invariants are assumed to be the owner's, which the validator proves."""
import re
import sys

from flow import Flow
from lane import NAME, Lane, Products, ask, equal, front, questions, reads, targets, writes

COPY = re.compile(r"%ccc(\d+)(?:p(\d+))?(u|s)?(?:b\d+)?\$([\w$]+)$")
INNER = ("for", "for-var", "while")


def own(operand):
    """An operand of the output, with registers renamed to those of the input."""
    return re.sub(r"%ccc\d+(p\d+)?[us]?(b\d+)?\$", "%", operand)


def shown(words):
    """An instruction with the input's register names; for a branch, without its target."""
    return (own(words[0] or ""), words[1].split(".")[0] if words[1].startswith("bra") else (words[1], *(own(o) for o in words[2])))


def end_of(code, marker, end):
    words = code[marker][1].split()
    return next((n for n in range(marker, end) if code[n][0] == "marker" and code[n][1].split()[1:4] == ["end"] + words[2:4]), None)


class Path:
    """A path of the input: the positions of its marker and its end. cut: where its tasks begin, which is the header for an inner loop;
    first: its first instruction."""

    def __init__(self, site, marker):
        code = site.code
        self.line = re.sub(r'.*":(\d+).*', r"\1", code[marker][1])
        self.end = end_of(code, marker, site.end)
        self.marker, self.inner = marker, code[marker][1].split()[2] in INNER
        self.cut = site.flow.header(marker, {site.header}) if self.inner else marker
        self.late = " coalesced" in code[marker][1]  # its first loads may be executed by the owner
        self.first = site.first(self.cut) if self.cut and self.end else None


class Site:
    def __init__(self, code, text, begin, end, at):
        self.code, self.text, self.at, self.end = code, text, at, end
        self.flow = Flow(code, 0, len(code))
        self.begin, self.header = begin, self.flow.header(begin, {begin})
        self.inside = writes(code[begin:])
        self.stop = next((n for n in range(at + 1, len(text)) if text[n][0] == "marker"), len(text))
        self.stated = re.findall(r"path at line (\d+)", text[at][1]) + [w for k, w in text[at:self.stop] if k == "stated"]
        path = re.compile(r"\.ccc begin (if|case|else|path|for|while)")
        marked = [n for n in range(begin + 1, end) if code[n][0] == "marker" and path.match(code[n][1])]
        self.paths = [p for p in (Path(self, n) for n in marked) if p.first]
        insns = [w for k, w in text[at:self.stop] if k == "insn"]
        self.sums = {w[2][0] for w in insns if w[1].startswith("ld.shared") and "_sum" in w[2][1]}
        self.folded = {w[2][0] for w in insns if w[0] and len(w[2]) == 3 and re.search(r"_(lo|wide_other)$", w[2][2])}
        self.has_rows = any(k == "label" and re.search(r"p\d+w?_next$", w) for k, w in text[at:self.stop])

    def first(self, place):
        """The first instruction at or after a position."""
        return next((shown(w) for k, w in self.code[place:] if k == "insn"), None)

    def path_of(self, part):
        """The path of task region `part`, counted from 1, or None."""
        line = self.stated[part - 1] if part <= len(self.stated) else None
        found = [p for p in self.paths if p.line == line]
        if found and found[0].inner and part == 1 and self.has_rows:  # a path with rows has their line
            found = [p for p in self.paths if p.marker < found[0].marker < p.end][-1:]
        if len(found) > 1:
            label = re.compile(rf"\$ccc\d+p{part}_run$")
            runs = [n for n in range(self.at, self.stop) if self.text[n][0] == "label" and label.match(self.text[n][1])]
            found = self.next_of(found, runs[0]) if runs else []
        return found[0] if len(found) == 1 else None

    def rows_path(self, place):
        """The inner loop whose rows are fetched at a position: the only one, or the one whose iterations follow."""
        found = [p for p in self.paths if p.inner]
        found = self.next_of(found, place) if len(found) > 1 else found
        return found[0] if len(found) == 1 else None

    def next_of(self, paths, place):
        """The paths whose first instruction is the next one in the output."""
        firsts = [p.first for p in paths]
        first = next((shown(w) for k, w in self.text[place:self.stop] if k == "insn" and shown(w) in firsts), None)
        return [p for p in paths if p.first == first]

    def cut(self, path, label):
        """The position in the input where the tasks that follow the label begin."""
        if not path.late:
            return path.cut
        copy = next((n for n in range(label + 1, self.stop) if self.text[n][0] == "label"), self.stop)
        first = next((shown(w) for k, w in self.text[copy:self.stop] if k == "insn"), None)
        return next((n for n in range(path.cut, path.end) if self.code[n][0] == "insn" and shown(self.code[n][1]) == first), path.cut)

    def computed(self, label, first):
        """The recomputing instructions between the label and the copy of the path, whose first instruction is `first`."""
        for k, w in self.text[label + 1:self.stop]:
            names = targets(w) if k == "insn" else []
            if not names or not all(reg.startswith("%ccc") for reg in names) or shown(w) == first:
                return
            if not all(COPY.match(reg) for reg in names) or w[2][0] in self.sums or re.search(r"%ccc\d+(p\d+)?_", " ".join(w[2])):
                continue  # an added register, a reduction's identity, a popped value or a lane invariant
            yield w

    def handed_on(self, label):
        """The owner slice after the label, up to the instruction that announces the task, and the branch by which the owner continues."""
        slice, said = [], False
        for k, w in self.text[label + 1:self.stop]:
            if k != "insn" or w[1].startswith("bra"):
                return slice, w if k == "insn" else None
            said |= w[2][0].endswith(("_want", "_which"))
            if not said and not w[2][0].startswith("%ccc"):
                slice.append(w)
        return slice, None

    def goes_on(self, guard):
        """The only branch of the input with that guard or its negation; of several, the one to the loop's header."""
        found = [n for n in self.flow.ends if (self.code[n][1][0] or "").lstrip("!") == guard.lstrip("!")]
        found = [n for n in found if self.header in self.flow.targets(n)] if len(found) > 1 else found
        return found[0] if len(found) == 1 else None


class Helper:
    """A helper before the copy of a path. It has the owner's registers, and recomputes some. interim: those of them that no other code reads."""

    def __init__(self, run, site, cut, label, sort):
        self.run, self.site, self.sort = run, site, sort
        self.before = front(run, site.code, site.inside, sort)
        self.owner = Lane(run, self.before)
        self.insns = list(site.computed(label, site.first(cut)))
        self.uniform = [w for k, w in site.text[site.at:label] if k == "insn" and not w[0] and re.match(r"%ccc\d+(p\d+)?u\$", w[2][0])]
        self.interim = writes([("insn", w) for w in self.insns]) - reads(s for s in site.text[site.at:site.stop] if s[1] not in self.insns)

    def look(self, reg, op):
        copy = COPY.match(reg)
        if copy and not copy.group(3):
            return self.owner.state.get("%" + copy.group(4)) or self.owner.look("%" + copy.group(4), op)
        if copy or reg in self.site.inside or re.match(r"%(tid|laneid|warpid|lanemask|clock)", reg):
            return self.run.any("another lane's " + reg, self.sort(reg))
        return self.before(reg, op)

    def claims(self):
        """For each register that it recomputes for other code, by its name in the input: the value is that of the owner's register now."""
        lane, claims = Lane(self.run, self.look), {}
        for w in self.uniform + self.insns:
            lane.step(*w)
        for reg, op in ((reg, w[1]) for w in self.insns for reg in targets(w)):
            if reg not in self.interim:
                claims[own(reg)] = equal(lane.state[reg], self.look(reg, op))
        return claims


def of_path(site, path, label, sort):
    """Asks about the recomputed values. The registers that an inner loop carries are set before the iteration that a task starts with. Their
    claims are an invariant of the loop: they are true in its first iteration and, if in any one, in the next. They imply the other claims."""
    run, cut, name = Products(), site.cut(path, label), site.text[label][1]
    helper = Helper(run, site, cut, label, sort)
    count, written = len(helper.insns), site.flow.written(site.begin, cut, {site.begin}) if path.inner else set()
    carried = written & {own(reg) for w in helper.insns for reg in targets(w)}
    now = site.flow.arrive(run, helper.owner, site.begin, cut, {site.begin}, first=bool(carried))
    if not now or not count:
        return
    claims, after = helper.claims(), {}
    if carried:
        yield ask(run, now, [claims[reg] for reg in claims if reg in carried], name, count)
        site.flow.forget(run, helper.owner, written)
        claims = helper.claims()
        now = f"(and {now} {' '.join(claims.pop(reg) for reg in [*claims] if reg in carried)})"
        goes = site.flow.arrive(run, helper.owner, cut, cut, {site.begin, site.header})
        after = {reg: f"(=> {goes} {claim})" for reg, claim in helper.claims().items() if reg in carried}
    yield ask(run, now, [*claims.values(), *after.values()], name, count)


def of_owner(site, path, label, sort):
    """The owner slice: the input's registers must then have the values that they have after the path."""
    slice, goes = site.handed_on(label)
    behind = site.goes_on(goes[0]) if goes and goes[0] else path.end  # with tail capture, up to that branch
    run = Products(pure=True)
    owner = Lane(run, front(run, site.code, site.inside, sort))
    now = site.flow.arrive(run, owner, site.begin, path.cut, {site.begin})
    mine, claims = Lane(run, owner.look), {}
    mine.state = dict(owner.state)
    within = site.flow.arrive(run, owner, path.cut, behind, {site.begin, site.header}) if now and behind else None
    for w in slice:
        mine.step(*w)
        if not w[1].startswith("mov.b") or "{" in w[2][0]:  # a reduction's register is passed on unchanged
            claims.update((t, w) for t in re.findall(NAME, w[2][0]))
    if claims and now and within:
        yield ask(run, f"(and {now} {within})", [equal(mine.state[t], owner.state.get(t)) for t in claims], site.text[label][1])


def of_site(code, text, begin, end, at, sort):
    site = Site(code, text, begin, end, at)
    for n in range(at, site.stop):
        label = re.match(r"\$ccc\d+(?:p(\d+))?_(run|want)$", text[n][1]) if text[n][0] == "label" else None
        path = site.path_of(int(label.group(1) or 1)) if label else None
        if path:
            yield from (of_path if label.group(2) == "run" else of_owner)(site, path, n, sort)


if __name__ == "__main__":
    for question in questions(open(sys.argv[1]).read(), open(sys.argv[2]).read(), of_site):
        print(question)
