#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh [quick | few | rest | ci | nvcc | all]: runs the tests that need no GPU, and closes with their count.
#
#	quick   what a developer runs after each change: under a minute
#	few     what finds faults most often: minutes (make check)
#	rest    the other parts, except the complete comparison of cccnvcc with nvcc
#	ci      few and rest, without parts of few that a part of rest contains: the same launches under more schedules
#	nvcc    the complete comparison of cccnvcc with nvcc
#	all     everything
#
# FOLDER: restricts the quick list to the tests of a folder, such as transform/wait (tests/folder.sh). PARTS: only parts that match this pattern. JOBS: parts at a time (the number of processors). B: the build to test (build/san: the one
# with sanitizers). TIMES: a file that gets the processor seconds of each part.
# JUNIT: a file that gets the results in JUnit's XML: a suite for each part, in which failed and skipped tests have their names.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
PTXCCC=$(readlink -m "$B")/bin/ptxccc BIN=$(readlink -m "$B")/bin
export B PTXCCC BIN
results=$(mktemp) || exit 2
trap 'rm -f "$results" "$results.skips" "$results.fails"' EXIT
trap 'exit 1' HUP INT TERM
: >"$results.skips"; : >"$results.fails"

# One part per line, the long ones first, with the lists that contain it. small: a part of rest contains it.
parts() {
	awk -v list="$1" -F '\t' '$1 ~ "(^| )" list "( |$)" || ($1 !~ /^quick$|small/ && (list == "all" || (list == "ci" && $1 != "nvcc"))) { print $2 }' <<'END'
rest	sh tests/diff/run.sh
rest	sh tests/whole.sh
rest	sh tests/bare.sh
rest	sh tests/samples.sh
rest	CLANG=clang++ sh tests/samples.sh
rest	sh tests/gen/mutants.sh few
few	sh tests/nvcc/own.sh
rest	FEW=1 sh tests/nvcc/matrix.sh
nvcc	sh tests/nvcc/matrix.sh
nvcc	sh tests/nvcc/programs.sh
nvcc	sh tests/nvcc/cmake.sh
rest	sh tests/nvcc/refused.sh
rest	sh tests/nvcc/messages.sh
rest	sh tests/nvcc/registers.sh
rest	sh tests/nvcc/report.sh
rest	sh tests/nvcc/switch.sh
rest	sh tests/nvcc/timed.sh
rest	sh tests/nvcc/auto.sh
rest	FEW=1 sh tests/nvcc/suggest.sh
nvcc	sh tests/nvcc/suggest.sh
rest	sh tests/nvcc/fix.sh
rest	sh tests/nvcc/signals.sh
nvcc	FARM=1 sh tests/nvcc/own.sh
nvcc	sh tests/nvcc/surroundings.sh
nvcc	ARCHS="sm_75 sm_80 sm_90" sh tests/nvcc/machine.sh
rest	sh tests/diff/omit.sh
rest	sh tests/clang/run.sh
rest	sh tests/papers/run.sh
rest	sh tests/cudart/run.sh
rest	sh tests/libcuda/run.sh
rest	sh tests/bench.sh
rest	sh tests/lib/run.sh
rest	sh tests/corpus/few.sh
few small	SHAPES="1 33 100 4,5,3" SEEDS=2 sh tests/diff/run.sh
few small	SHAPES="1 33 100 4,5,3" POLICY=queue SEEDS=1 sh tests/diff/run.sh
few small	SHAPES="1 33 100 4,5,3" POLICY=ahead SEEDS=1 sh tests/diff/run.sh
quick	SHAPES="33 4,5,3" SEEDS=1 sh tests/diff/run.sh
rest	POLICY=queue SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" POLICY="queue(3)" SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" POLICY=converge SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" POLICY=wait SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" POLICY=ahead SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" RETREAT=2 SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" POLICY=ahead RETREAT=1 SEEDS=4 sh tests/diff/run.sh
rest	sh tests/retreat.sh
rest	SHAPES="1 33 100 4,5,3" POLICY=live SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" POLICY=cycle SEEDS=4 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" COUNT=1 SEEDS=2 sh tests/diff/run.sh
rest	SHAPES="33 4,5,3" COUNT=plain SEEDS=2 sh tests/diff/run.sh
rest	sh tests/diff/faults.sh
few	sh tests/simt/run.sh
few	sh tests/simt/promise.sh
rest	sh tests/profile/run.sh
few	sh tests/suggest/run.sh
few	sh tests/auto/run.sh
few small	SHAPES="33 4,5,3" AUTO=1 SEEDS=1 sh tests/diff/run.sh
rest	SHAPES="1 33 100 4,5,3" AUTO=1 SEEDS=4 sh tests/diff/run.sh
rest	sh tests/tune/run.sh
rest	sh tests/simt/order.sh
rest	sh tests/simt/threads.sh
few	sh tests/simt/options.sh
rest	sh tests/simt/contention.sh
rest	sh tests/simt/listing.sh
few	timeout 900 "$B/tests/fuzz_diff" -n 1000 -s 1 -o "$B"
quick	timeout 900 "$B/tests/fuzz_diff" -n 500 -s 1 -o "$B"
rest	sh tests/gen/run.sh
rest	sh tests/scale.sh
few	sh tests/fuzz/run.sh
few quick	sh tests/units.sh
few quick	sh tests/run.sh
few quick	sh tests/cost/run.sh
rest	sh tests/lib/nvrtc.sh
few	sh tests/bad.sh
few	sh tests/report.sh
few	sh tests/ptxas.sh
few	sh tests/load/run.sh
few	sh tests/explain.sh
rest	sh tests/pages.sh
rest	sh tests/guide.sh
rest	sh tests/site.sh
few	sh tests/install.sh
rest	sh tests/deb.sh
rest	sh tests/conda.sh
rest	sh tests/wheel.sh
rest	sh tests/dist.sh
rest	sh tests/release.sh
rest	sh tests/spack.sh
rest	sh tests/action.sh
rest	sh tests/python.sh
few	sh tests/completion.sh
few quick	sh tests/analysis/run.sh
few quick	sh tests/annotate/run.sh
few quick	sh tests/arrows.sh
few quick	sh tests/house.sh
few quick	sh tests/prose.sh
rest	sh tests/checks.sh
few	sh tests/docs.sh
rest	sh tests/prove/run.sh
rest	sh tests/prove/slices.sh
rest	sh tests/validate/run.sh
END
}

[ -z "${JUNIT:-}" ] || { JUNIT=$(readlink -m "$JUNIT") && export JUNIT && : >"$JUNIT.parts" || exit 2; }
sh tests/need.sh g++ || echo "tests that need g++ are skipped" >&2
{ [ -n "${FOLDER:-}" ] && sh tests/folder.sh "$FOLDER" || parts "${1:-few}"; } | grep -E -e "${PARTS:-.}" |
	xargs -d '\n' -n 1 -P "${JOBS:-$(nproc)}" sh tests/part.sh "$results" || echo "0 1 0 0 xargs" >>"$results"
[ -z "${JUNIT:-}" ] || { echo '<testsuites>' && cat "$JUNIT.parts" && echo '</testsuites>' && rm "$JUNIT.parts"; } >"$JUNIT"
[ -z "${TIMES:-}" ] || cp "$results" "$TIMES"
[ ! -s "$results.skips" ] || awk -F '\t' '{ n[$2] += $1 } END { for (c in n) print n[c], c }' "$results.skips" | sort -rn |
	awk '{ n = $1; sub(/^[0-9]* /, ""); printf "%s%s: %d", (NR > 1 ? ", " : "skipped: "), $0, n } END { print "" }'
sort -k 4,4rn "$results" | head -12 | awk '{ n = $4; sub(/^[^ ]* [^ ]* [^ ]* [^ ]* /, ""); printf "%s%s s %s", (NR > 1 ? ", " : "longest: "), n, $0 } END { print "" }'
sed 's/^/failed: /' "$results.fails"
awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0 }' "$results"
