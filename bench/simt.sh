#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed of the emulator on one core: thread instructions per second for converged and divergent kernels, under both
# schedules, with and without checks and counts; and generated kernels per second (tests/gen: each is transformed, run up to 6
# times, and compared). Processor time, the minimum of RUNS (5) runs. Prints tables in Markdown; exit status 1 below 300
# million thread instructions per second for a converged kernel under ipdom, or below 60 generated kernels per second.
#
#	bench/simt.sh
#
# Environment: B (build), CC, RUNS, SEED (1) the first generated kernel.
cd "$(dirname "$0")/.." || exit 2
B=${B:-build} CC=${CC:-cc} RUNS=${RUNS:-5} SEED=${SEED:-1} rc=0
out=build/simt
mkdir -p $out && $CC -std=c11 -D_DEFAULT_SOURCE -O2 -o $out/measure bench/measure.c || exit 2
make -s B="$B" "$B/bin/ptxrun" "$B/tests/fuzz_diff" || exit 2

# row NAME LEAST OPTIONS...: LEAST million thread instructions per second; 0: any.
row() {
	name=$1 least=$2
	shift 2
	ms=$($out/measure -c "$RUNS" "$B/bin/ptxrun" "$@" --threads 1 --quiet) || { echo "ptxrun $*" >&2; exit 2; }
	"$B/bin/ptxrun" "$@" --threads 1 --quiet --counts >$out/counts || exit 2
	echo $ms $(sed -n 's/^warp instructions: //p; s/^thread instructions: //p' $out/counts) | awk -v name="$name" -v least="$least" '
	{ printf "| %s | %.1f | %.1f | %.0f | %.0f |\n", name, $4 / 1e6, $5 / 1e6, $1, $5 / $1 / 1e3; exit $5 / $1 / 1e3 < least }' || rc=1
}

echo "Processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $($CC --version | head -n 1)"
echo
echo "| kernel, options of ptxrun | warp instructions, millions | thread instructions, millions | ms | millions a second |"
echo "| --- | --: | --: | --: | --: |"
loop="--block 256 --arg buf:1024:rand --arg"
row "converged, --no-races" 300 bench/simt.ptx converged $loop u32:100000 --no-races
row "converged" 0 bench/simt.ptx converged $loop u32:20000
row "converged, --no-races --lines" 0 bench/simt.ptx converged $loop u32:20000 --no-races --lines
row "converged, --no-races --sched=random" 0 bench/simt.ptx converged $loop u32:20000 --no-races --sched=random --seed=1
row "divergent, --no-races" 0 bench/simt.ptx divergent $loop u32:50000 --no-races
row "divergent" 0 bench/simt.ptx divergent $loop u32:20000
row "divergent, --no-races --lines" 0 bench/simt.ptx divergent $loop u32:20000 --no-races --lines
row "divergent, --no-races --sched=random" 0 bench/simt.ptx divergent $loop u32:20000 --no-races --sched=random --seed=1
bfs="samples/bfs.ptx _Z9bfs_leveliiPiPKiS1_S_ --grid 8 --block 256 --arg s32:100000 --arg s32:1 --arg buf:400000:mod:4:7"
bfs="$bfs --arg buf:400004:index:8 --arg buf:3200000:mod:100000:9 --arg buf:4"
row "BFS level, --no-races" 0 $bfs --no-races
row "BFS level" 0 $bfs

ms=$($out/measure -c "$RUNS" "$B/tests/fuzz_diff" -n 200 -s "$SEED" -o $out) || exit 2
echo
echo "$ms" | awk '{ printf "%.0f generated kernels a second (the first 200)\n", 200 / $1 * 1e3; exit 200 / $1 * 1e3 < 60 }' || rc=1
exit $rc
