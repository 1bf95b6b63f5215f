#!/bin/sh
# check.sh [nvcc | all]: the tests that need no GPU, one after the other, and the closing count; of those of cccnvcc against nvcc a
# selection; nvcc: only these, whole; all: everything. B=build/san for the sanitizers' programs.
# Each part prints "part: N passed, N failed[, N skipped]" as its last line.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
PTXCCC=$PWD/$B/bin/ptxccc BIN=$PWD/$B/bin
export B PTXCCC BIN
passed=0 failed=0 skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT INT TERM

part() {
	"$@" >"$log" 2>&1
	status=$?
	sed '$d' "$log"
	last=$(tail -1 "$log")
	echo "$last"
	p=$(echo "$last" | sed -n 's/.*\b\([0-9][0-9]*\) passed.*/\1/p')
	f=$(echo "$last" | sed -n 's/.*\b\([0-9][0-9]*\) failed.*/\1/p')
	s=$(echo "$last" | sed -n 's/.*\b\([0-9][0-9]*\) skipped.*/\1/p')
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
	# A part that fails without a count, or counts none but fails, is one failure.
	if [ -z "$p" ] || { [ $status != 0 ] && [ "${f:-0}" = 0 ]; }; then
		echo "FAIL $*"
		failed=$((failed + 1))
	fi
}

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed = 0 ]
	exit
}

nvcc_whole() {
	part sh tests/nvcc/own.sh
	part env FARM=1 sh tests/nvcc/own.sh
	part sh tests/nvcc/surroundings.sh
	part sh tests/nvcc/matrix.sh
	part sh tests/nvcc/cmake.sh
	part sh tests/nvcc/programs.sh
	part env ARCHS="sm_75 sm_80 sm_90" sh tests/nvcc/machine.sh
}
nvcc_selection() {
	part sh tests/nvcc/own.sh
	part env FEW=1 sh tests/nvcc/matrix.sh
}

if [ "${1:-}" = nvcc ]; then
	nvcc_whole
	finish
fi
part sh tests/arrows.sh
part sh tests/docs.sh
part sh tests/units.sh
part sh tests/run.sh
part sh tests/lib/run.sh
part sh tests/lib/nvrtc.sh
part sh tests/whole.sh
part sh tests/bad.sh
part sh tests/analysis/run.sh
part sh tests/annotate/run.sh
if [ "${1:-}" = all ]; then nvcc_whole; else nvcc_selection; fi
# What nvcc makes of a few CUDA sources, besides the hand-written PTX.
if command -v nvcc >/dev/null 2>&1; then
	FEW=1 sh tests/corpus/make-corpus.sh "$B/corpus" >/dev/null
	CORPUS=$B/corpus
	export CORPUS
fi
part sh tests/corpus/run.sh
part sh tests/simt/run.sh
part sh tests/cudart/run.sh
part sh tests/simt/order.sh
part sh tests/diff/run.sh
part sh tests/diff/faults.sh
part sh tests/gen/run.sh
part sh tests/fuzz/run.sh
finish
