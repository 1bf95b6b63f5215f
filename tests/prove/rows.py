# SPDX-License-Identifier: MIT
"""rows.py IN.ptx OUT.ptx: questions to an SMT solver about inner loops whose iterations are distributed over the lanes (`expand`).

A helper fetches registers of a row's owner by shuffles, computes others from them, and advances to its own iteration. The owner's
registers are those of the input at the start of the inner loop, however control reaches it. Each place of OUT that fetches rows has these
questions, for all values of registers and memory, and each iteration number n:

  row       For n = 0, the helper's copies of those registers equal the owner's; and for n + 1, they equal the results of the input's
            iteration on the copies for n. So for each n, they are the values at the start of the row's iteration n.
  lap       From there, the code that executes a row reaches its next pass with the copies for n + 32, or for n + the size of the group.

A helper may read uniform registers directly; any other register of its own is that of another lane, and unknown."""
import re
import sys

from flow import Flow
from lane import Lane, Run, ask, equal, front, questions, reads, sort_of
from slices import COPY, Site, own

SIZE = 32  # lanes of a full warp; the size of a partial group is unknown
LAPS = 4   # passes of an unrolled row


def fetched(text, label):
    """Returns the instructions that fetch a row and advance to an iteration, those that recompute values from the loop's index, and the
    register with the iteration's number."""
    end = next(n for n in range(label + 4, len(text)) if text[n][0] != "insn" or (text[n][1][1] == "bra" and text[n][1][0]))
    if text[label][1].endswith("_next"):
        last = next(n for n in range(label, end) if text[n][0] == "insn" and text[n][1][1] == "xor.b32")
        lap = text.index(("label", re.sub("_next$", "_lap", text[label][1])), end)
        few = lap
        while text[few - 1][0] == "insn":
            few -= 1
        return text[last + 1:end], text[max(few, end):lap], re.sub(r"_\w+$", "_lane", text[last][1][2][0])
    last = max(n for n in range(label + 1, end) if re.search(r"_(bit|try)$", text[n][1][2][0]) and text[n][1][1] in ("sub.s32", "add.s32"))
    done = next(n for n in range(end + 1, len(text)) if text[n][0] != "insn")
    return text[last + 1:end], text[end + 1:done], text[last][1][2][0]


def above(n, plus):
    return (f"(bvadd {n[0]} {plus})", 32)


def number(n):
    return f"(_ bv{n} 32)"


class Row:
    """The owner of a row, at the start of the inner loop, and a helper."""

    def __init__(self, site, path, label, sort):
        self.site, self.path, self.sort, self.run, self.others = site, path, sort, Run(pure=True), {}
        code, self.along, self.n = fetched(site.text, label)
        self.code = code + self.along
        self.interim = {w[2][0] for _, w in self.code} - reads(s for s in site.text[site.at:site.stop] if s not in self.code)
        self.owner = Lane(self.run, front(self.run, site.code, site.inside, sort))
        self.come = site.flow.arrive(self.run, self.owner, site.begin, path.cut, {site.begin}, first=True)

    @staticmethod
    def own_sort(reg, op):
        """The width of a register that the output adds."""
        return 64 if "_wide" in reg else sort_of(op)

    def his(self, reg, op):
        """The value of a register of the owner, by its name in the output or the input."""
        copy = COPY.match(reg)
        name = "%" + copy.group(4) if copy else reg
        if not copy and reg.startswith("%ccc"):
            return self.run.any("the owner's " + reg, self.own_sort(reg, op))
        return self.owner.state.get(name) or self.owner.look(name, op)

    def look(self, reg, op):
        """The initial value of a register of a helper."""
        if re.match(r"%ccc\d+(p\d+)?_", reg):
            return self.run.unknown(f"|{reg}|", self.own_sort(reg, op))
        if reg in self.site.inside or COPY.match(reg) or re.match(r"%(tid|laneid|warpid|lanemask|clock)", reg):
            if self.others.get(reg) is None:
                self.others[reg] = self.run.any("another lane's " + reg, self.sort("%" + COPY.match(reg).group(4) if COPY.match(reg) else reg))
            return self.others[reg]
        return self.owner.look(reg, op)

    def lane(self):
        """A helper whose uniform values are computed."""
        lane = Lane(self.run, self.look)
        for k, w in self.site.text[self.site.at:self.site.stop]:
            if k == "insn" and not w[0] and re.match(r"%ccc\d+(p\d+)?u\$", w[2][0]):
                lane.step(*w)
        return lane

    def at(self, n):
        """The helper's copies of the registers for iteration n that it reads later, without reductions, which start at the identity."""
        lane, owner = self.lane(), Lane(self.run, self.his)
        lane.state[self.n] = n
        for _, w in self.code:
            if w[1].startswith("shfl") and w[2][2].endswith("_whose"):
                lane.state[w[2][0]] = owner.read("mov.b32", w[2][1])
            else:
                lane.step(*w)
                owner.step(*w)
        return {reg: v for reg, v in lane.state.items() if COPY.match(reg) and not COPY.match(reg).group(3) and reg not in self.site.folded | self.interim}

    def computed(self):
        """The number of registers that the helper recomputes."""
        own = [w[2][0] for _, w in self.code if COPY.match(w[2][0]) and not re.search(r"%ccc\d+(p\d+)?_", " ".join(w[2]))]
        return len(set(own) - self.site.folded)

    def small(self, n, most):
        return f"(and (bvsge {n[0]} {number(0)}) (bvslt {n[0]} {number(2 ** 31 - most)}))"

    def steady(self, n):
        """States that the row's index does not overflow up to iteration n, which the manual requires of loops that form addresses from it."""
        claims = ["true"]
        for _, (_, op, operands) in self.code:
            step = next((w[2][2] for _, w in self.code if w[1] == "mad.lo.s32" and w[2][0] == operands[1] == w[2][3]), None) if len(operands) > 1 else None
            if re.search(r"wide\.[su]32|cvt\.[su]64\.[su]32", op) and step:
                extend = f"(_ {'sign' if op.endswith('s32') else 'zero'}_extend 32)"
                first, now = self.at((number(0), 32))[operands[1]], self.at(n)[operands[1]]
                claims.append(f"(= ({extend} {now[0]}) (bvadd ({extend} {first[0]}) (bvmul ((_ zero_extend 32) {n[0]}) (_ bv{int(step) % 2 ** 64} 64))))")
        return f"(and {' '.join(claims)})"

    def ask_row(self, label):
        n = self.run.unknown("n", 32)
        first, this, following = self.at((number(0), 32)), self.at(n), self.at(above(n, number(1)))
        claims = [equal(v, self.his(reg, "mov.b32")) for reg, v in first.items()]
        lane = Lane(self.run, self.owner.look)
        lane.state = {**self.owner.state, **{own(reg): v for reg, v in this.items()}}
        goes = self.site.flow.arrive(self.run, lane, self.path.cut, self.path.cut, {self.site.begin, self.site.header})
        most = f"(distinct {n[0]} {number(2 ** 32 - 1)})" if self.n.endswith("_try") else self.small(n, 1)
        most = f"(and {most} {self.steady(n)} {self.steady(above(n, number(1)))})"
        claims += [f"(=> (and {goes} {most}) {equal(v, lane.state.get(own(reg)))})" for reg, v in following.items() if goes]
        return ask(self.run, self.come, claims, f"{label} row", self.computed()) if claims else None

    def ask_laps(self, label, place):
        """Asks about the code of each pass: at the next pass, the helper has the values that it would have fetched for it."""
        text = self.site.text
        end = next(n for n in range(place, self.site.stop) if text[n][0] == "label" and text[n][1].endswith("_walked"))
        for name, laps in (("laps", LAPS), ("lap", 1)):
            start = next((n for n in range(place, end) if text[n] == ("label", f"{label}_{name}")), None)
            if start is None:
                continue
            label_ran = next((n + 1 for n in range(start, start + 4) if text[n][0] == "insn" and text[n][1][2][0] == f"{label}_ran"), start)
            back = max(n for n in range(start, end) if text[n][0] == "insn" and text[n][1][2][0] == f"{label}_{name}")
            stops = [next(m for m in range(n + 1, end) if text[m][0] == "label") for k in range(1, laps)
                     for n in range(start, back) if text[n] == ("label", f"{label}_lap{k}")] + [back]
            for k, stop in enumerate(stops):
                yield self.ask_lap(max(start, label_ran), back, stop, k + 1 if laps > 1 else laps, f"{label} {name}")

    def ask_lap(self, start, back, stop, laps, label):
        """Asks about one pass, for a lane that has an iteration in it."""
        text, run = self.site.text, self.run
        n = run.unknown("n", 32)
        group = any(re.search(r"_(size|last)$", o) for k, w in text[start:back] if k == "insn" and COPY.match(w[2][0]) for o in w[2])
        size = run.unknown("size", 32)[0] if group else number(SIZE)
        lane = self.lane()
        lane.state.update(self.at(n))
        prefix = re.sub(r"_\w+$", "_", self.n)
        lane.state.update({prefix + "size": (size, 32), prefix + "last": (f"(bvsub {size} {number(1)})", 32)})
        now = Flow(text, start, back + 1).arrive(run, lane, start, stop, {start})
        then = above(n, f"(bvmul {number(laps)} {size})")
        wanted = self.at(then)
        if stop == back and laps > 1:
            for _, w in self.along:
                lane.step(*w)
        sizes = f"(and (bvugt {size} {number(0)}) (bvule {size} {number(SIZE)}))"
        return ask(run, f"(and {now} {self.small(n, LAPS * SIZE)} {sizes} {self.steady(n)} {self.steady(then)})", [equal(v, lane.state.get(reg)) for reg, v in wanted.items()], label)


def of_site(code, text, begin, end, at, sort):
    site = Site(code, text, begin, end, at)
    for n in range(at, site.stop):
        label = re.match(r"(\$ccc\d+(?:p(\d+))?w?)_(next|window)$", text[n][1]) if text[n][0] == "label" else None
        path = site.rows_path(n) if label else None
        if path:
            yield Row(site, path, n, sort).ask_row(label.group(1))
            if label.group(3) == "next":
                yield from Row(site, path, n, sort).ask_laps(label.group(1), n)


if __name__ == "__main__":
    for question in questions(open(sys.argv[1]).read(), open(sys.argv[2]).read(), of_site):
        if question:
            print(question)
