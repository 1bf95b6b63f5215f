# SPDX-License-Identifier: MIT
"""flow.py: what registers hold where control comes to a place of the input, whichever way it takes.

The code's blocks are gone through once, in reverse postorder, since nvcc does not write them in an order in which each stands behind those
that lead to it. At a loop's header what the loop writes is anything, so what is found holds in each of its iterations. Places to which
control does not come again are `closed`: where the annotated loop begins, if another one is around it, or that loop's header."""
from lane import joined, leaves, writes


class Flow:
    """The graph of code[begin:end], with its places as nodes: labels, what stands behind a branch, and those that are asked for."""

    def __init__(self, code, begin, end):
        self.code, self.begin, self.end = code, begin, end
        self.labels = {w: n for n, (k, w) in enumerate(code) if k == "label" and begin <= n < end}
        self.tables = {code[n - 1][1]: w for n, (k, w) in enumerate(code) if k == "table"}
        self.ends = {n for n in range(begin, end) if code[n][0] == "insn" and leaves(code[n][1])}

    def stops(self, *places):
        """Where blocks begin."""
        return sorted({*self.labels.values(), *(n + 1 for n in self.ends), *places})

    def targets(self, n):
        """Of a branch: the places to which it leads within the code."""
        op, operands = self.code[n][1][1:]
        names = operands[:1] if op.startswith("bra") else self.tables.get(operands[1], []) if op.startswith("brx") else []
        return [self.labels[name] for name in names if name in self.labels]

    def graph(self, *places):
        """Each block's last place, and the blocks that come next."""
        stops = self.stops(*places) + [self.end]
        blocks = {}
        for a, b in zip(stops, stops[1:]):
            last = b - 1
            ends = last in self.ends
            falls = not ends or (self.code[last][1][0] and not self.code[last][1][1].startswith("brx"))
            blocks[a] = (b, (self.targets(last) if ends else []) + ([b] if falls and b < self.end else []))
        return blocks

    def walk(self, blocks, start, closed):
        """Blocks from start on in reverse postorder, and the edges that lead back."""
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
        """Of the first loop to which control comes from start on; None: there is none."""
        order, back = self.walk(self.graph(start), start, closed)
        heads = {to for _, to in back}
        return next((n for n in order if n in heads), None)

    def loop(self, blocks, back, head):
        """What is written in the loop of that header."""
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

    def arrive(self, run, lane, start, stop, closed, first=False):
        """Goes from start to stop, or round if that is where it started, and leaves in the lane what registers hold there; the condition under
        which control comes there, or None. first: stop is a loop's header, at its first iteration."""
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
            for reg in self.loop(blocks, back, at) if at in heads and not (first and at == stop) else ():
                lane.state[reg] = run.any(reg, lane.look(reg, "mov.b32")[1])
            if at == stop != start:
                return now
            self.block(run, lane, now, (at, blocks[at][0]), shut, coming)
        if start != stop or not coming.get(stop):
            return None
        now, lane.state = joined(run, coming[stop])
        return now

    def block(self, run, lane, now, block, shut, coming):
        """Runs a block; the ways out of it, but for those that are shut, are coming with what registers hold on them."""
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
