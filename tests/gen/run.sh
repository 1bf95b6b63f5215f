#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: the first 600 random kernels (tests/gen/gen.h), and 200 later ones, original and transformed, and whether enough
# launches enter the transformed loops; kernels without annotations (tests/gen/alias.h). First tests jobs, and shrink.sh on a
# text whose fault needs two lines. `make fuzz-long` runs more kernels.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) N=${N:-200} ;; *) N=${N:-600} ;; esac
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
bad=0
seq 40 >"$tmp/text"
sh tests/gen/shrink.sh "$tmp/text" awk '/^(7|31)$/ { n++ } END { exit n != 2 }' >/dev/null
[ "$(cat "$tmp/text.small")" = "7
31" ] || { echo "FAIL gen shrink.sh"; bad=1; }
# Several jobs count the same; a template without a line fails, and an interrupt prints the totals.
few="-n 40 -s 7 -o $tmp"
"$B/tests/fuzz_diff" $few | sed 1d >"$tmp/one" && "$B/tests/fuzz_diff" -j 3 $few | sed 1d | cmp -s - "$tmp/one" ||
	{ echo "FAIL gen: three jobs count something else"; bad=1; }
# The totals of two ranges are added.
for s in 7 27; do "$B/tests/fuzz_diff" -n 20 -s $s -o "$tmp" >"$tmp/range.$s"; done
awk -f tests/gen/totals.awk "$tmp"/range.* | sed 1d >"$tmp/sum"
{ echo '40 kernels in 0 s'; cat "$tmp/one"; } | awk -f tests/gen/totals.awk | sed 1d | cmp -s - "$tmp/sum" && grep -q '[1-9]' "$tmp/sum" ||
	{ echo "FAIL gen: two ranges do not add up to the whole"; bad=1; }
line=collect.tpl:$(sed -n '/vote.sync.ballot/{=;q;}' transform/collect/collect.tpl)
"$B/tests/fuzz_diff" -j 2 -m "$line" $few >"$tmp/out" && { echo "FAIL gen: nothing notices that $line is left out"; bad=1; }
grep -q '^seed [0-9]*: ' "$tmp/out" && ls "$tmp"/*.ptx >/dev/null 2>&1 || { echo "FAIL gen: a failure is not reported"; bad=1; }
timeout -s INT 3 "$B/tests/fuzz_diff" -j 2 -w 300 -s 7 | grep -q '^gen: [1-9][0-9]* passed, 0 failed' ||
	{ echo "FAIL gen: an interrupt loses the totals"; bad=1; }
# The same for kernels without annotations, transformed without a promise.
"$B/tests/fuzz_diff" -u $few | sed 1d >"$tmp/one" && "$B/tests/fuzz_diff" -u -j 3 $few | sed 1d | cmp -s - "$tmp/one" ||
	{ echo "FAIL gen -u: three jobs count something else"; bad=1; }
line=wait.tpl:$(sed -n '/vote.sync.any.pred.*%^in, <mask>/{=;q;}' transform/wait/wait.tpl)
"$B/tests/fuzz_diff" -u -j 2 -m "$line" $few >"$tmp/out" && { echo "FAIL gen -u: nothing notices that $line is left out"; bad=1; }
grep -q '^seed [0-9]*: ' "$tmp/out" && grep -q 'ccc begin .* proven' "$tmp"/*.ptx || { echo "FAIL gen -u: a failure is not reported"; bad=1; }
timeout 2000 "$B/tests/fuzz_diff" -u -n "$((N / 2))" -s 1 2>&1 || bad=1
# Kernels whose paths may end the thread or the grid, and loops with literal bounds.
timeout 600 "$B/tests/fuzz_diff" -n $((N / 3)) -s 7000000200 >"$tmp/later" 2>&1 || { cat "$tmp/later"; bad=1; }
# Calls of one function on the sides of a branch.
timeout 600 "$B/tests/fuzz_diff" -n $((N / 6)) -s 7100000000 >"$tmp/calls" 2>&1 || { cat "$tmp/calls"; bad=1; }
timeout 2000 "$B/tests/fuzz_diff" -n "$N" -s 1 2>&1 && [ $bad = 0 ]
