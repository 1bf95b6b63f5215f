#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/measurements/results.md and its plots of the tables that bench/ccc.sh wrote to docs/measurements/results/.

    bench/results.py        needs matplotlib (Debian: python3-matplotlib)

The paper's figures are those of its text and Table 1 (GeForce GTX 780, Kepler); those of its plots that no text gives are left out.
"""
import os
import sys

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt

DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "measurements", "results")
OUT = os.path.join(DIR, "..", "results.md")
# The paper: speed-up, warp execution efficiency before and after (%), registers before and after, shared bytes a thread.
PAPER = {
    "bfs": (1.13, 58, None, 15, 26, 8), "sssp": (1.09, 64, None, 19, 29, 16), "dqg": (1.63, 37, 93, 25, 31, 24),
    "emies": (1.34, 44, 92, 28, 32, 24), "ff": (3.08, 13, 53, 21, 29, 24), "hash": (1.20, 25, 96, 22, 28, 12),
    "iefa": (2.72, 41, 97, 24, 32, 24), "rt": (1.38, 67, 96, 21, 27, 24),
}
# The data set of each program that is nearest to the paper's, section 6.1.
NEAREST = {
    "bfs": "R-MAT 2^22", "sssp": "R-MAT 2^22", "dqg": "2 to 80 atoms", "emies": "1 box", "ff": "100000000 points plotted",
    "hash": "100000000 pairs, load .9", "iefa": "100000007 values, thirds, memory", "rt": "pixels in rows",
}
OURS, PAPERS, HAND, BEFORE = "#2a6fb0", "#b8b8b8", "#7fb38a", "#d9a35b"


def read(name):
    """The rows of the Markdown tables in a file; the first is the head."""
    path = os.path.join(DIR, name)
    if not os.path.exists(path):
        sys.exit("results.py: no %s: run bench/ccc.sh first" % path)
    rows = []
    for line in open(path):
        if line.startswith("|") and not line.startswith("| -"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return rows


def number(text):
    """The first number of a cell, such as '1.38x 1.40x 0.983' or '85.2 %'; None for '-'."""
    word = text.split()[0].rstrip("x%") if text.split() else "-"
    return None if word == "-" else float(word)


def save(name):
    plt.tight_layout()
    plt.savefig(os.path.join(DIR, name), metadata={"Date": None})
    plt.close()


def bars(name, labels, series, ylabel, line=None, fmt="%.2f"):
    """Grouped bars; series: (legend, colour, values), None where there is no value."""
    plt.figure(figsize=(9, 3.4))
    width = 0.8 / len(series)
    for j, (legend, colour, values) in enumerate(series):
        at = [i - 0.4 + width * (j + 0.5) for i in range(len(labels))]
        plt.bar(at, [v or 0 for v in values], width * 0.92, label=legend, color=colour)
        for x, v in zip(at, values):
            if v:
                plt.text(x, v, fmt % v, ha="center", va="bottom", fontsize=6)
    if line is not None:
        plt.axhline(line, color="black", linewidth=0.6)
    plt.xticks(range(len(labels)), labels, fontsize=8)
    plt.ylabel(ylabel)
    plt.legend(fontsize=8, frameon=False)
    for side in ("top", "right"):
        plt.gca().spines[side].set_visible(False)
    save(name)


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(out + ["| " + " | ".join(str(c) for c in r) + " |" for r in rows])


def best_rows(programs):
    """Of each of the eight programs, the data set that gains most."""
    best = {}
    for r in programs:
        if r[0] in PAPER and (r[0] not in best or number(r[5]) > number(best[r[0]][5])):
            best[r[0]] = r
    return best


def figure11(programs):
    best = best_rows(programs)
    nearest = {r[0]: r for r in programs if NEAREST.get(r[0]) == r[1]}
    names = [n for n in PAPER if n in best]
    bars("fig11.svg", names, [
        ("paper (Kepler)", PAPERS, [PAPER[n][0] for n in names]),
        ("annotated", OURS, [number(best[n][5]) for n in names]),
        ("by hand", HAND, [number(best[n][6]) for n in names]),
    ], "speed-up over the plain kernel", 1)
    mean, near = (sum(number(of[n][5]) for n in names) / len(names) for of in (best, nearest))
    rows = []
    for n in names:
        r = best[n]
        one = number(r[9]) if len(r) > 9 else None
        rows.append([n, "%.2fx" % PAPER[n][0], nearest[n][1], "**%s**" % nearest[n][5], r[1], "**%s**" % r[5], r[6],
                     "%.2fx" % (one / number(r[3])) if one else "-"])
    rows.append(["mean", "1.69x", "", "**%.2fx**" % near, "", "**%.2fx**" % mean, "", ""])
    return near, mean, max(number(best[n][5]) for n in names), table(
        ["program", "paper", "nearest data", "annotated", "best data", "annotated", "by hand", "over one task a thread"], rows)


def figure12(efficiency):
    after = {r[0]: number(r[2]) for r in efficiency if r[1] == "k_ccc"}
    before = {r[0]: number(r[2]) for r in efficiency if r[1] == "k_base"}
    names = [n for n in PAPER if n in before and n in after]
    bars("fig12.svg", names, [
        ("paper, before", "#dddddd", [PAPER[n][1] for n in names]), ("paper, after", PAPERS, [PAPER[n][2] for n in names]),
        ("before", BEFORE, [before[n] for n in names]), ("after", OURS, [after[n] for n in names]),
    ], "warp execution efficiency, %", 100, "%.0f")
    rows = [[n, PAPER[n][1], PAPER[n][2] or "-", "%.1f" % before[n], "%.1f" % after[n]] for n in names]
    rows.append(["mean", 43.7, 89.8] + ["%.1f" % (sum(d[n] for n in names) / len(names)) for d in (before, after)])
    return table(["program", "paper before, %", "after", "here before, %", "after"], rows)


def table1(resources):
    rows = []
    for n in PAPER:
        of = {}
        for r in resources:
            if r[0] == n:
                of.setdefault("ccc" if "k_ccc" in r[1] else "base", []).append((int(r[2]), int(r[3])))
        if len(of) == 2:
            most = {k: (max(x[0] for x in v), max(x[1] for x in v)) for k, v in of.items()}
            rows.append([n, "%d → %d" % PAPER[n][3:5], PAPER[n][5], "%d → %d" % (most["base"][0], most["ccc"][0]),
                         "%.0f" % (most["ccc"][1] / 256)])
    return table(["program", "paper: registers", "shared bytes a thread", "here: registers", "shared bytes a thread"], rows)


def synthetic(policies):
    """{(L, k): {policy: (speed-up, by hand)}}, base ms, and the names of the policies."""
    head, cells, base = policies[0], {}, {}
    for r in policies[1:]:
        if r[0].isdigit():
            key = (int(r[0]), int(r[1]))
            base[key] = number(r[2])
            cells[key] = {head[i]: [float(w.rstrip("x")) for w in r[i].split()[:2]] for i in range(3, len(r))}
    return cells, base, head[3:]


def figure13(cells, base, names):
    ks = sorted({k for L, k in cells if L == 20})
    plt.figure(figsize=(9, 3.4))
    plt.subplot(1, 2, 1)
    plt.plot(ks, [base[20, k] for k in ks], "o-", color=BEFORE, label="plain")
    for name, style in (("stack", "s-"), ("queue", "^-"), ("queue(4)", "v-"), ("ahead(32)", "d-")):
        if name in names:
            plt.plot(ks, [base[20, k] / cells[20, k][name][0] for k in ks], style, label=name, markersize=4)
    plt.xlabel("lanes of 32 that take the path (20 FMAs)")
    plt.ylabel("ms")
    plt.ylim(bottom=0)
    plt.legend(fontsize=7, frameon=False)
    plt.subplot(1, 2, 2)
    rows = [r for r in read("synthetic-efficiency.md") if r[0] == "20"]
    plt.plot([int(r[1]) for r in rows], [number(r[2]) for r in rows], "o-", color=BEFORE, label="plain")
    plt.plot([int(r[1]) for r in rows], [number(r[3]) for r in rows], "s-", color=OURS, label="stack")
    plt.xlabel("lanes of 32 that take the path")
    plt.ylabel("warp execution efficiency, %")
    plt.ylim(0, 105)
    plt.legend(fontsize=7, frameon=False)
    save("fig13.svg")


def figure14(cells, base, names):
    plt.figure(figsize=(9, 3.4))
    for i, k in enumerate((8, 24)):
        plt.subplot(1, 2, i + 1)
        lengths = sorted({L for L, kk in cells if kk == k})
        for name, style in (("stack", "s-"), ("queue", "^-"), ("queue(4)", "v-"), ("ahead(32)", "d-")):
            if name in names:
                plt.plot(lengths, [cells[L, k][name][0] for L in lengths], style, label=name, markersize=4)
        plt.axhline(1, color="black", linewidth=0.6)
        plt.axhline(32 / k, color="grey", linewidth=0.6, linestyle="--")
        plt.title("%d of 32 lanes" % k, fontsize=9)
        plt.xlabel("FMAs in the path")
        plt.ylabel("speed-up")
        plt.legend(fontsize=7, frameon=False)
    save("fig14.svg")


def switches(rows, programs):
    """Each switch beside the program as it is annotated, by the speed-up over the plain kernel."""
    names = []
    for r in rows:
        if r[0] not in names:
            names.append(r[0])
    of = {}
    for r in rows:
        of.setdefault((r[1], r[2]), {})[r[0]] = r[6]
    return table(["program", "data"] + names, [list(key) + [v.get(n, "-") for n in names] for key, v in of.items()])


def main():
    machine = dict(line.strip().split(": ", 1) for line in open(os.path.join(DIR, "machine.txt")) if ": " in line)
    programs, policies = read("programs.md")[1:], read("policies.md")
    cells, base, names = synthetic(policies)
    near, mean, most, eleven = figure11(programs)
    twelve = figure12(read("efficiency.md")[1:])
    figure13(cells, base, names)
    figure14(cells, base, names)
    head = read("programs.md")[0]
    short = [0, 1, 2, 3, 4, 5, 6, 7]
    pick = lambda r: [r[i] for i in short]
    text = open(os.path.join(DIR, "results.in")).read()
    values = dict(machine, near="%.2f" % near, mean="%.2f" % mean, most="%.2f" % most, eleven=eleven, twelve=twelve,
                  one=table1(read("resources.md")[1:]), switches=switches(read("switches.md")[1:], programs),
                  programs=table([head[i] for i in short], [pick(r) for r in programs]),
                  papers=table([head[i] for i in short], [pick(r) for r in read("papers.md")[1:]]),
                  policies=table(policies[0], [r for r in policies[1:]]))
    for key, value in values.items():
        text = text.replace("@%s@" % key, value)
    open(OUT, "w").write(text)
    return 0


sys.exit(main())
