# SPDX-License-Identifier: MIT
"""looks.py IN.ptx OUT.ptx: questions to an SMT solver about look-ahead iterations (policies `ahead` and `unify`), with the terms of lane.py.

One iteration of the input is executed without its paths, on unknown registers: it reaches paths or not, and continues or leaves the loop, with
the values of the counters after it. For each transformed loop of OUT there are these queries, for all values of registers and memory:

  counts    Before selected iteration 0 the counters have their values from the start of the batch; before iteration n + 1, those that the
            input's iteration computes from the ones before n, for each n below 32. So they are correct, by induction.
  look      A look-ahead iteration, or a branch-free batch, from any counters, selects exactly the iterations that reach a path, ends where the
            lane leaves the loop, counts the iterations, and has the counters of the next one.
  path      The code of a selected iteration up to the path leaves in each register that the path reads the value of the input.

The output chooses which of the two words of `unify` has which arm's iterations, but the choice must be the same for all look-ahead
iterations. Comparing each of them with the last one, on two lanes, therefore covers all pairs. Memory does not change, since the common
code reads none that does (iteration_tracking.c). A vote is exact for the lane itself, and unknown for the others. Loops with an inner loop
or a table of labels in their common code have no query `look`."""
import re
import sys

from lane import Lane, Products, Run, ask, at_path, equal, front, header, joined, questions, reads, writes

NOTES = 5  # bits of an iteration's number in a batch
WORDS = ("noted", "other", "bits", "others")


class Others(Products):
    """Names its unknowns after a lane (`lane`), so that those of two lanes are independent."""

    lane = ""

    def unknown(self, name, sort):
        return super().unknown(f"|{self.lane}{name.strip('|')}|", sort)


class Here(Lane):
    def step(self, guard, op, operands):
        if not op.startswith("vote.sync.a"):
            return super().step(guard, op, operands)
        others = self.run.any("the others'", 0)
        mine = self.read("mov.pred", operands[1].lstrip("!"))
        mine = f"(not {mine[0]})" if operands[1].startswith("!") else mine[0]
        self.state[operands[0]] = (f"({'and' if '.all.' in op else 'or'} {mine} {others[0]})", 0)


def paths(code, start, end):
    """Yields the outermost paths: the positions of their markers, and the label at which the iteration continues, or None if it falls through."""
    n = start
    while n < end:
        words = code[n][1].split() if code[n][0] == "marker" else []
        n += 1
        if len(words) < 4 or words[1] != "begin" or words[2] not in ("if", "case", "else", "path", "unify"):
            continue
        last = next((i for i in range(n, end) if code[i][0] == "marker" and code[i][1].split()[1:4] == ["end"] + words[2:4]), None)
        if last is None:
            continue
        labels = {w for k, w in code[n:last] if k == "label"}
        jumps = [w for k, w in code[n:last] if k == "insn" and w[1].startswith("bra")]
        out = {w[2][0] for w in jumps if w[2][0] not in labels}
        insns = [w for k, w in code[n:last] if k == "insn"]
        falls = not (insns and insns[-1][1].startswith("bra") and not insns[-1][0])
        yield (n - 1, last, out.pop() if out and not falls else None)
        n = last


def own_part(code, start, end):
    """Returns the loop without its paths, with an instruction in place of path k that sets %came<k>, and the positions of the paths."""
    own, at = [], start
    places = list(paths(code, start, end))
    for k, (first, last, to) in enumerate(places):
        own += code[at:first] + [("insn", ("", "mov.pred", [f"%came{k}", "-1"]))]
        own += [("insn", ("", "bra.uni", [to]))] if to else []
        at = last
    return own + code[at:end], places


class Loop:
    """The input's loop: its code from the header on, its common code, and the positions of its paths. in_one: the common code has no
    inner loop and no indexed branch, and each path's end is known."""

    def __init__(self, code, start, end, sort):
        label = code[start][1]
        end = max(i for i in range(start, end) if code[i][0] == "insn" and code[i][1][2][0] == label) + 1
        self.code, self.start, self.sort = code, start, sort
        self.inside = writes(code[start:end])
        self.own, self.places = own_part(code, start, end)
        labels, self.in_one = set(), True
        for k, w in self.own:
            branch = k == "insn" and w[1].startswith(("bra", "brx"))
            self.in_one &= not (branch and (w[1].startswith("brx") or w[2][0] in labels - {label}))
            labels |= {w} if k == "label" else set()
            self.in_one &= not (k == "marker" and w.split()[1] == "begin" and w.split()[2] != "iteration")

    def iteration(self, run, before, state):
        """Executes an iteration from a state. Returns which paths it reaches, whether the loop continues, and the state after it."""
        lane = Lane(run, before)
        lane.state = {**state, **{f"%came{k}": ("false", 0) for k in range(len(self.places))}}
        now = at_path(run, lane, self.own, 0, len(self.own))
        ends = [way for ways in lane.coming.values() for way in ways] + ([(now, lane.state)] if now else [])
        came = [either(run, [f"(and {c} {s[f'%came{k}'][0]})" for c, s in ends]) for k in range(len(self.places))]
        ways = lane.coming.get(self.code[self.start][1], [])
        goes, then = joined(run, ways) if ways else ("false", {})
        return came, goes, then


def either(run, terms):
    return run.short((f"(or false {' '.join(terms)})", 0))[0]


def either_all(sides):
    return f"(or {' '.join('(and ' + ' '.join(side) + ')' for side in sides)})"


class Text:
    """The output's code in place of a loop: the copy for full warps."""

    def __init__(self, text, at):
        self.text, self.at = text, at
        self.n = re.match(r"[$]ccc\d+", next(w for k, w in text[at:] if k == "label" and w.startswith("$ccc"))).group()
        self.own = "%" + self.n[1:] + "_"
        self.copy = re.compile(rf"%{self.n[1:]}([uf])\$(.*)")

    def label(self, name, after=None):
        return next((i for i in range(after or self.at, len(self.text)) if self.text[i] == ("label", f"{self.n}_{name}")), None)

    def find(self, after, op, *operands):
        """The next instruction with this opcode and these added registers as operands."""
        for i in range(after, len(self.text)):
            k, w = self.text[i]
            if k == "insn" and re.match(op, w[1]) and all(self.own + o in w[2] for o in operands):
                return i
        return None

    def counts(self, start, end):
        return sorted({m.group(2) for k, w in self.text[start:end] if k == "insn" for m in [self.copy.match(w[2][0])] if m and m.group(1) == "f"})


class Site:
    def __init__(self, loop, text):
        self.loop, self.t = loop, text
        self.batch = text.label("batch")
        self.taken = text.find(self.batch, r"brev\.b32", "n", "noted")
        self.counted = text.counts(self.batch, self.taken)
        row, group = text.find(self.batch, r"mov\.u32", "at"), text.label("look", self.batch)
        self.row = row if row and row < self.taken else None
        self.groups = self.row is not None and group == row + 1
        self.unified = text.find(self.batch, r"mov\.u32", "noted", "other") is not None

    def lane(self, run, before):
        """A lane of the output. Its look-ahead counters start with the input's values; registers left over from other iterations are unknown."""
        def look(reg, op):
            copy = self.t.copy.match(reg)
            if copy:
                return before("%" + copy.group(2), op)
            if reg.startswith("%ccc"):
                wide = 0 if reg[len(self.t.own):] in ("go", "in", "want", "more") else 32
                return run.unknown(f"|{reg}|", wide)
            return run.any("stale " + reg, self.loop.sort(reg)) if reg in self.loop.inside else before(reg, op)

        return Here(run, look)

    def noted(self, run, before, n):
        """Returns the lane after it has recomputed the counters of selected iteration n, and the position after the last instruction that
        depends on n."""
        lane, text = self.lane(run, before), self.t.text
        for k, w in text[self.batch + 1:self.t.find(self.batch, r"mov\.pred", "go", "in")]:
            if k == "insn" and not w[1].startswith("bra"):
                lane.step(*w)
        lane.state[self.t.own + "n"] = n
        for c in self.counted:  # the look-ahead has advanced them
            lane.state[f"%{self.t.n[1:]}u${c}"] = run.any("looked on " + c, self.loop.sort("%" + c))
        start = i = self.t.find(self.taken, r"and\.b32", "noted", "bit") + 1
        reads = re.compile(rf"%{self.t.n[1:]}(_(n|by2|by8|some)\b|f[$])")
        while text[i][0] == "insn" and not text[i][1][1].startswith("bra"):
            i += 1
        end = max(j for j in range(start, i) if reads.search(" ".join(text[j][1][2]))) + 1 if self.counted else start
        for k, w in text[start:end]:
            lane.step(*w)
        return lane, end

    def ask_counts(self):
        """Asks about the counters of selected iteration 0, and of n + 1 given n."""
        run = Run(pure=True)
        before = self.before(run)
        n = f"((_ zero_extend {32 - NOTES}) {run.unknown('n', NOTES)[0]})"
        first, this, other = (self.noted(run, before, (k, 32))[0].state for k in ("#x00000000", n, f"(bvadd {n} #x00000001)"))
        regs = ["%" + c for c in self.counted]
        _, goes, then = self.loop.iteration(run, before, {r: this[r] for r in regs})
        claims = [equal(first[r], before(r, "mov.b32")) for r in regs] + [f"(=> {goes} {equal(then.get(r), other[r])})" for r in regs]
        return ask(run, "true", claims, self.t.n + " counts")

    def ask_looks(self):
        """Asks about each look-ahead iteration, in branch-free code for lanes in the loop and for others; without exit tests, each claim by itself."""
        pieces = list(self.pieces())
        for start, end, test, first, looks in pieces:
            for go in ("true", "false") if self.row and test is None else ("true",):
                run = Others(pure=True)
                claims, sides = self.looked(run, (start, end, test), first, looks, go)
                if self.unified:
                    run.lane = "another's "
                    others = self.looked(run, (*pieces[-1][:2], None), *pieces[-1][3:], "true")[1]
                    sides = [a + b for a, b in zip(sides, others)]
                claims += sides[0] if len(sides) == 1 else [either_all(sides)]
                for some in [claims] if test is None else [[c] for c in claims]:
                    yield ask(run, "true", some, self.t.n + " look")

    def looked(self, run, where, first, looks, go):
        """Returns the claims about the code [start, end), which has `looks` look-ahead iterations, the first of them number `first`; test: the
        position of the test that all lanes stay. Then the claims about selected iterations, for each path that the first word may stand for
        while the other word has all other paths."""
        start, end, test = where
        own, before, t = self.t.own, self.before(run), self.t
        lane = self.lane(run, before)
        lane.state[own + "go"] = (go, 0)
        for name in [f"%{t.n[1:]}u${c}" for c in self.counted]:
            lane.state[name] = lane.look(name, "mov.b32")
        for name in WORDS + ("at", "bit", "upto"):
            lane.state[own + name] = lane.look(own + name, "mov.b32")
        if test is not None:
            for k, w in t.text[test:start]:
                if not w[1].startswith("bra"):
                    lane.step(*w)
        sure = lane.state[own + "more"][0] if test is not None else "true"
        was = dict(lane.state)
        at_path(run, lane, t.text, start, end)
        now, on, state, came = lane.state, go, {"%" + c: before("%" + c, "mov.b32") for c in self.counted}, []
        upto = was[own + "upto"][0]
        for i in range(looks):
            stays = on if test is not None else "true"
            c, goes, then = self.loop.iteration(run, before, state)
            came.append([f"(and {on} {x})" for x in c])
            on = run.short((f"(and {on} {goes})", 0))[0]
            state = {"%" + c: then.get("%" + c) for c in self.counted}
            passed = f"(bvadd {was[own + 'at'][0]} (_ bv{first + i + 1} 32))" if self.row else f"(bvadd {upto} #x00000001)"
            upto = f"(ite {on} {passed} {upto})"
        claims = [f"(= {now[own + 'go'][0]} {on})", f"(= {now[own + 'upto'][0]} {upto})"]
        claims += [f"(=> {on} {equal(now.get(f'%{t.n[1:]}u${c}'), state['%' + c])})" for c in self.counted]
        bits = [was[own + "bit"][0] if not self.row else f"(_ bv{2 ** (first + i)} 32)" for i in range(looks)]
        begins = [f"(=> {sure} {stays})"] if test is not None else []
        given = f"(and {sure} {stays})"
        return begins + [f"(=> {given} {c})" for c in claims], [[f"(=> {given} {n})" for n in side] for side in self.notes(now, was, came, bits)]

    def notes(self, now, was, came, bits):
        every = range(len(self.loop.places))
        first, other = self.words()

        def word(to, paths):
            """One claim for the bit of each look-ahead iteration, and one for all other bits: solvers decide separate claims faster."""
            then, term = now[self.t.own + to][0], was[self.t.own + to][0]
            noted = [f"(ite (or false {' '.join(c[k] for k in paths)}) {bit} #x00000000)" for bit, c in zip(bits, came)]
            each = [f"(= (bvand {then} {bit}) (bvor (bvand {term} {bit}) {note}))" for bit, note in zip(bits, noted)]
            other = f"(bvnot (bvor {' '.join(bits)} #x00000000))"
            return each + [f"(= (bvand {then} {other}) (bvand {term} {other}))"]

        if not self.unified:
            return [word(first, every)]
        return [word(first, [one]) + word(other, [k for k in every if k != one]) for one in every]

    def words(self):
        return ("bits", "others") if self.groups else ("noted", "other")

    def pieces(self):
        """Yields (start, end, test, first, looks): with branches, one; branch-free, one for each iteration with an exit test, and one for all
        those without."""
        t = self.t
        if not self.row:
            start = t.find(self.batch, r"mov\.u32", "bit") + 2
            yield start, t.label("looked", self.batch) + 1, None, 0, 1
            return
        start, end = self.row + 1, t.label("rowed", self.row)
        while t.text[start][0] == "label" or t.text[start][1][2] in ([t.own + "bits", "0"], [t.own + "others", "0"]):
            start += 1
        ends = [i for i in range(start, self.taken) if t.text[i][0] == "insn" and t.text[i][1][:2] == (t.own + "go", "add.s32")
                and t.text[i][1][2][:2] == [t.own + "upto", t.own + "at"]]
        vote = t.find(start, r"vote\.sync\.all") if end and end < self.taken else None
        unsure = t.label("unsure", start) if vote else None
        if vote:
            test = next(i for i in range(start, vote) if t.text[i][0] == "insn" and t.text[i][1][2][0] in (t.own + "by8", t.own + "some"))
            yield vote + 2, unsure, test, 0, len([i for i in ends if i > unsure])
            start = unsure + 1
        for i, at in enumerate([i for i in ends if i > start]):
            yield start, at + 1, None, i, 1
            start = at + 1

    def ask_paths(self):
        """Asks about the code of selected iteration n before each path, from its counters on."""
        loop, text = self.loop, self.t.text
        theirs = writes([c for first, last, _ in loop.places for c in loop.code[first:last]])
        for first, last, _ in loop.places:
            run = Products(pure=True)
            before = self.before(run)
            lane, start = self.noted(run, before, run.unknown("n", 32))
            owner = Lane(run, before)
            owner.state = {"%" + c: lane.state["%" + c] for c in self.counted}
            straight = text[start][1][1] != "bra.uni"
            if not straight:
                start = text.index(("label", text[start][1][2][0]), self.t.at)
            stop = self.same(loop.code[first:last], start, self.t.label("ran") if straight else self.batch)
            now = at_path(run, owner, loop.code, loop.start, first)
            if stop is None or not now or not at_path(run, lane, text, start, stop):
                continue
            regs = sorted((reads(loop.code[first:last]) & set(owner.state)) - theirs)
            if regs:
                yield ask(run, now, [equal(lane.read("mov.b32", r), owner.state[r]) for r in regs], self.t.n + " path")

    def same(self, path, start, end):
        """The only position of the path's first two instructions in the output, or None."""
        def shown(code):
            return [w[:2] + ([] if w[1].startswith("bra") else w[2],) for k, w in code if k == "insn"][:2]

        found = [i for i in range(start, end) if self.t.text[i][0] == "insn" and shown(self.t.text[i:i + 8]) == shown(path)]
        return found[0] if len(found) == 1 else None

    def before(self, run):
        return front(run, self.loop.code, self.loop.inside, self.loop.sort)


def of_site(code, text, begin, end, at, sort):
    start = header(code, begin, end)
    if start is None or "policy ahead" not in text[at][1]:
        return
    site = Site(Loop(code, start, end, sort), Text(text, at))
    yield site.ask_counts()
    if site.loop.in_one:
        yield from site.ask_looks()
    yield from site.ask_paths()


if __name__ == "__main__":
    for question in questions(open(sys.argv[1]).read(), open(sys.argv[2]).read(), of_site):
        print(question)
