#!/bin/sh
# SPDX-License-Identifier: MIT
# slices.sh [FILE.ptx...]: what tasks' lanes compute again in front of a path is what the owner's registers held there, and what an owner
# computes in place of a path is what the path leaves there, for every value of the registers in the loop: a question for each transformed
# path (slices.py). And a number that is another one there is found.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxccc=${PTXCCC:-$PWD/$B/bin/ptxccc} passed=0 failed=0
sh tests/need.sh z3 python3 >/dev/null 2>&1 || {
	echo "slices: 0 passed, 0 failed, 1 skipped: no z3 or no python3"
	exit 0
}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
fail() { echo "FAIL slices $1: $2"; failed=$((failed + 1)); }
ask() { python3 tests/prove/slices.py "$1" "$2" >"$tmp/q.smt2" 2>"$tmp/err" && z3 -T:60 "$tmp/q.smt2" >"$tmp/answers" 2>&1; } # IN OUT

[ $# -gt 0 ] || set -- tests/diff/liveout.ptx tests/golden/grid_stride.ptx tests/golden/hand_kept.ptx tests/golden/hand_texts.ptx tests/golden/hazards.ptx tests/golden/joined.ptx tests/golden/loops_in_loops.ptx tests/golden/rest.ptx tests/golden/sums.ptx
for f; do
	"$ptxccc" --policy=stack "$f" -o "$tmp/out.ptx" 2>/dev/null
	ask "$f" "$tmp/out.ptx" || { fail "$f" "$(tail -n 1 "$tmp/err")$(head -n 1 "$tmp/answers")"; continue; }
	n=$(grep -c '^; path' "$tmp/q.smt2")
	if [ "$n" -gt 0 ] && [ "$(grep -c -x unsat "$tmp/answers")" = "$n" ]; then passed=$((passed + n)); else fail "$f" "$n paths: $(tr '\n' ' ' <"$tmp/answers")"; fi
	# The first number in what is computed again in front of such a path, or in place of it, one more.
	sed -n 's/^; path //p' "$tmp/q.smt2" >"$tmp/asked"
	for label in run want; do
		awk -v label="_$label:\$" 'NR == FNR { asked[$1 ":"] = 1; next } $0 ~ label { on = $1 in asked; print; next } /:$/ { on = 0 }
			on && !done && /, [0-9]+;/ { match($0, /, [0-9]+;/); $0 = substr($0, 1, RSTART + 1) substr($0, RSTART + 2, RLENGTH - 3) + 1 ";"; done = 1 } { print }' \
			"$tmp/asked" "$tmp/out.ptx" >"$tmp/bad.ptx"
		cmp -s "$tmp/out.ptx" "$tmp/bad.ptx" && continue
		ask "$f" "$tmp/bad.ptx"
		if grep -q -x sat "$tmp/answers"; then passed=$((passed + 1)); else fail "$f" "another number behind a label $label is not noticed"; fi
	done
done
echo "slices: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 10 ]
