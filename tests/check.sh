#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh [nvcc | all]: the tests that need no GPU, and the closing count; of those of cccnvcc against nvcc a selection; nvcc: only
# these, whole; all: everything. PARTS: only those of them that match this pattern. Runs as many
# parts at once as there are processors (JOBS). B=build/san for the sanitizers' programs.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
PTXCCC=$(readlink -m "$B")/bin/ptxccc BIN=$(readlink -m "$B")/bin
export B PTXCCC BIN
results=$(mktemp) || exit 2
trap 'rm -f "$results"' EXIT
trap 'exit 1' HUP INT TERM

# A part a line: the long ones first.
parts() {
	case $1 in
	nvcc | all) cat <<'END'
sh tests/nvcc/matrix.sh
sh tests/nvcc/programs.sh
sh tests/nvcc/cmake.sh
sh tests/nvcc/own.sh
sh tests/nvcc/refused.sh
sh tests/nvcc/messages.sh
sh tests/nvcc/registers.sh
sh tests/nvcc/report.sh
sh tests/nvcc/switch.sh
sh tests/nvcc/auto.sh
sh tests/nvcc/signals.sh
FARM=1 sh tests/nvcc/own.sh
sh tests/nvcc/surroundings.sh
ARCHS="sm_75 sm_80 sm_90" sh tests/nvcc/machine.sh
END
		;;
	*) cat <<'END'
FEW=1 sh tests/nvcc/matrix.sh
sh tests/nvcc/own.sh
sh tests/nvcc/refused.sh
sh tests/nvcc/messages.sh
sh tests/nvcc/registers.sh
sh tests/nvcc/report.sh
sh tests/nvcc/switch.sh
sh tests/nvcc/auto.sh
sh tests/nvcc/signals.sh
END
		;;
	esac
	[ "$1" = nvcc ] || echo "sh tests/gen/mutants.sh few"
	[ "$1" = nvcc ] || cat <<'END'
sh tests/samples.sh
sh tests/cudart/run.sh
sh tests/libcuda/run.sh
sh tests/bench.sh
sh tests/lib/run.sh
sh tests/corpus/few.sh
sh tests/diff/run.sh
POLICY=queue SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" POLICY="queue(3)" SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" POLICY=converge SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" POLICY=wait SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" POLICY=ahead SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" RETREAT=2 SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" POLICY=ahead RETREAT=1 SEEDS=4 sh tests/diff/run.sh
sh tests/retreat.sh
SHAPES="1 33 100 4,5,3" POLICY=live SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" POLICY=cycle SEEDS=4 sh tests/diff/run.sh
SHAPES="1 33 100 4,5,3" COUNT=1 SEEDS=2 sh tests/diff/run.sh
SHAPES="33 4,5,3" COUNT=plain SEEDS=2 sh tests/diff/run.sh
sh tests/bare.sh
sh tests/whole.sh
sh tests/diff/faults.sh
sh tests/simt/run.sh
sh tests/profile/run.sh
sh tests/suggest/run.sh
sh tests/tune/run.sh
sh tests/simt/order.sh
sh tests/simt/threads.sh
sh tests/simt/options.sh
sh tests/simt/contention.sh
sh tests/simt/listing.sh
sh tests/gen/run.sh
sh tests/scale.sh
sh tests/fuzz/run.sh
sh tests/units.sh
sh tests/run.sh
sh tests/lib/nvrtc.sh
sh tests/bad.sh
sh tests/report.sh
sh tests/pages.sh
sh tests/install.sh
sh tests/deb.sh
sh tests/conda.sh
sh tests/action.sh
sh tests/python.sh
sh tests/completion.sh
sh tests/analysis/run.sh
sh tests/annotate/run.sh
sh tests/arrows.sh
sh tests/house.sh
sh tests/prose.sh
sh tests/checks.sh
sh tests/docs.sh
sh tests/prove/run.sh
sh tests/prove/slices.sh
sh tests/validate/run.sh
END
}

sh tests/need.sh g++ || echo "tests that need g++ are skipped" >&2
parts "${1:-few}" | grep -E -e "${PARTS:-.}" |
	xargs -d '\n' -n 1 -P "${JOBS:-$(nproc)}" sh tests/part.sh "$results" || echo "0 1 0" >>"$results"
awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0 }' "$results"
