#!/bin/sh
# SPDX-License-Identifier: MIT
# slices.sh [FILE.ptx...]: what tasks' lanes compute again in front of a path is what the owner's registers held there, and what an owner
# computes in place of a path is what the path leaves there, for every value of the registers in the loop: a question for each transformed
# path (slices.py). Lanes that look ahead note the iterations that come to a path, and those that run them have their registers
# (looks.py). And an edit of what is asked about is found: another number, another bit, another register.
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
ask() { python3 "tests/prove/$1.py" "$2" "$3" >"$tmp/q.smt2" 2>"$tmp/err" && z3 -t:20000 "$tmp/q.smt2" >"$tmp/answers" 2>&1; } # SCRIPT IN OUT
unproven() { # SCRIPT FILE: the questions that have another answer, in words
	ask "$1" "$2" "$tmp/out.ptx" || { echo "$(tail -n 1 "$tmp/err")$(head -n 1 "$tmp/answers")"; return; }
	grep '^; path' "$tmp/q.smt2" | paste -d ' ' - "$tmp/answers" | grep -v ' unsat$' | sort | uniq -c
}
edit() { # NAME: writes the output with one edit of what was asked about
	case $1 in
	run | want) # the first number in what is computed again in front of such a path, or in place of it, one more
		awk -v label="_$1:\$" 'NR == FNR { asked[$1 ":"] = 1; next } $0 ~ label { on = $1 in asked; print; next } /:$/ { on = 0 }
			on && !done && /, [0-9]+;/ { match($0, /, [0-9]+;/); $0 = substr($0, 1, RSTART + 1) substr($0, RSTART + 2, RLENGTH - 3) + 1 ";"; done = 1 } { print }' \
			"$tmp/asked" "$tmp/out.ptx"
		;;
	note) awk '!done && /or[.]b32.*_(noted|bits), .*, 0x1;/ { sub(/0x1;/, "0x2;"); done = 1 } { print }' "$tmp/out.ptx" ;; # of another iteration
	from) awk '!done && /[.](s16|s32|s64) .*ccc[0-9]*f[$]/ { sub(/f[$]/, "u$"); done = 1 } { print }' "$tmp/out.ptx" ;; # from where looks have come to
	number) # in what is run of a noted iteration
		awk '/and[.]b32.*_noted, .*_noted, .*_bit;/ { on = 1 } on && !done && !/_want|_noted/ && /, [0-9]+;/ {
			match($0, /, [0-9]+;/); $0 = substr($0, 1, RSTART + 1) substr($0, RSTART + 2, RLENGTH - 3) + 1 ";"; done = 1 } { print }' "$tmp/out.ptx"
		;;
	esac >"$tmp/bad.ptx"
}
proven() { # SCRIPT POLICY FILE EDIT...
	script=$1 policy=$2 f=$3
	shift 3
	"$ptxccc" $policy "$f" -o "$tmp/out.ptx" 2>/dev/null || return
	bad=$(unproven "$script" "$f")
	n=$(grep -c '^; path' "$tmp/q.smt2")
	[ -z "$bad" ] || { fail "$f, $script" "$bad"; return; }
	passed=$((passed + n))
	sed -n 's/^; path //p' "$tmp/q.smt2" >"$tmp/asked"
	for name; do
		edit "$name"
		cmp -s "$tmp/out.ptx" "$tmp/bad.ptx" && continue
		ask "$script" "$f" "$tmp/bad.ptx"
		if grep -q -x sat "$tmp/answers"; then passed=$((passed + 1)); else fail "$f" "edit '$name' is not noticed"; fi
	done
}

golden() { for n; do echo "tests/golden/$n.ptx"; done; }
if [ $# -gt 0 ]; then
	for f; do proven slices --policy=stack "$f" run want; proven looks --policy=ahead "$f" note from number; done
else
	for f in $(golden grid_stride hand_kept hand_texts hazards joined loops_in_loops rest sums) tests/diff/liveout.ptx; do proven slices --policy=stack "$f" run want; done
	for f in $(golden hand_sums text_ahead); do proven looks --policy=ahead "$f" note from number; done
	for f in $(golden text_kept unify unrolled value_kinds) tests/diff/bound.ptx tests/diff/unify.ptx; do proven looks --policy=ahead "$f"; done
fi
echo "slices: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 10 ]
