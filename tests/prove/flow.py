# SPDX-License-Identifier: MIT
"""flow.py: computes the values of registers at a point of the input, over all paths of control flow that reach it.

Blocks are executed symbolically once each, in reverse postorder, because nvcc's order is not topological. At a loop header, the registers
that the loop writes get unknown values, so the result holds in each of its iterations. `closed` are points that control does not reach
again: the start of the annotated loop, if it is nested in another one, or its header."""
from lane import joined, leaves, writes


class Flow:
    """The flow graph of code[begin:end]. Its nodes are positions: labels, instructions after branches, and positions that callers add."""

    def __init__(self, code, begin, end):
        self.code, self.begin, self.end = code, begin, end
        self.labels = {w: n for n, (k, w) in enumerate(code) if k == "label" and begin <= n < end}
        self.tables = {code[n - 1][1]: w for n, (k, w) in enumerate(code) if k == "table"}
        self.ends = {n for n in range(begin, end) if code[n][0] == "insn" and leaves(code[n][1])}

    def stops(self, *places):
        """The positions at which blocks begin."""
        return sorted({*self.labels.values(), *(n + 1 for n in self.ends), *places})

    def targets(self, n):
        """The targets of a branch within the code."""
        op, operands = self.code[n][1][1:]
        names = operands[:1] if op.startswith("bra") else self.tables.get(operands[1], []) if op.startswith("brx") else []
        return [self.labels[name] for name in names if name in self.labels]

    def graph(self, *places):
        """For each block, the position after its end, and its successors."""
        stops = self.stops(*places) + [self.end]
        blocks = {}
        for a, b in zip(stops, stops[1:]):
            last = b - 1
            ends = last in self.ends
            falls = not ends or (self.code[last][1][0] and not self.code[last][1][1].startswith("brx"))
            blocks[a] = (b, (self.targets(last) if ends else []) + ([b] if falls and b < self.end else []))
        return blocks

    def walk(self, blocks, start, closed):
        """The blocks reachable from start in reverse postorder, and the back edges."""
        order, back, seen, on, open_ = [], [], {start}, {start}, [(start, iter(blocks[start][1]))]
        while open_:
            at, nexts = open_[-1]
            to = next(nexts, None)
            if to is None:
                open_.pop()
                on.discard(at)
                order.insert(0, at)
            elif to in on:
                back.append((at, to))
            elif to not in seen and to not in closed:
                seen.add(to)
                on.add(to)
                open_.append((to, iter(blocks[to][1])))
        return order, [(at, to) for at, to in back if to not in closed]

    def header(self, start, closed):
        """The header of the first loop that control reaches from start; None if there is none."""
        order, back = self.walk(self.graph(start), start, closed)
        heads = {to for _, to in back}
        return next((n for n in order if n in heads), None)

    def loop(self, blocks, back, head):
        """The registers written in the loop with header `head`."""
        into = {}
        for at, (_, nexts) in blocks.items():
            for to in nexts:
                into.setdefault(to, []).append(at)
        inside, open_ = {head}, [at for at, to in back if to == head]
        while open_:
            at = open_.pop()
            if at not in inside:
                inside.add(at)
                open_ += into.get(at, [])
        return set().union(*(writes(self.code[at:blocks[at][0]]) for at in inside))

    def written(self, start, head, closed):
        """The registers written in the loop with header `head`, which control reaches from start; none if it is no header."""
        blocks = self.graph(start, head)
        back = self.walk(blocks, start, closed)[1]
        return self.loop(blocks, back, head) if any(to == head for _, to in back) else set()

    @staticmethod
    def forget(run, lane, registers):
        """Gives the registers unknown values."""
        for reg in registers:
            lane.state[reg] = run.any(reg, lane.look(reg, "mov.b32")[1])

    def arrive(self, run, lane, start, stop, closed, first=False):
        """Executes the code from start to stop, or once around the loop if they are equal. Leaves the registers' values at stop in the lane, and
        returns the condition under which control reaches it, or None. first: stop is a loop header, reached for its first iteration."""
        blocks = self.graph(start, stop)
        order, back = self.walk(blocks, start, closed)
        heads, shut = {to for _, to in back}, {*back, *((at, to) for at in blocks for to in closed)}
        if start == stop:
            heads, shut = heads - {start}, shut - {(at, start) for at in blocks}
        coming = {start: [("true", lane.state)]}
        for at in order:
            if not coming.get(at):
                continue
            now, state = joined(run, coming.pop(at))
            lane.state = dict(state)
            if at in heads and not (first and at == stop):
                self.forget(run, lane, self.loop(blocks, back, at))
            if at == stop != start:
                return now
            self.block(run, lane, now, (at, blocks[at][0]), shut, coming)
        if start != stop or not coming.get(stop):
            return None
        now, lane.state = joined(run, coming[stop])
        return now

    def block(self, run, lane, now, block, shut, coming):
        """Executes a block. Adds its outgoing edges, except those in `shut`, to `coming`, with their conditions and the registers' values."""
        at, end = block

        def lead(to, when):
            if (at, to) not in shut:
                coming.setdefault(to, []).append((run.short((when, 0))[0], lane.state))

        for n in range(at, end):
            kind, w = self.code[n]
            if kind != "insn":
                continue
            if n not in self.ends:
                lane.step(*w)
                continue
            p = lane.condition(w[0])
            for k, to in enumerate(self.targets(n)):
                choice = f"(= {lane.read('mov.b32', w[2][0])[0]} (_ bv{k} 32))" if w[1].startswith("brx") else "true"
                lead(to, f"(and {now} {p} {choice})")
            if w[0] and not w[1].startswith("brx"):
                lead(end, f"(and {now} (not {p}))")
            return
        lead(end, now)
