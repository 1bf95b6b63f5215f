#!/bin/sh
# SPDX-License-Identifier: MIT
# mutants.sh [-b] [few | all]: mutation test of the templates (transform/*/*.tpl). Each line that emits text is omitted once,
# and random kernels must notice (mutants.c). A line whose omission no test can notice is marked with the reason, and then
# none may notice. mutants.seeds has a kernel for each line that noticed its omission; -b rewrites the file, which is
# necessary after changes of the generator or a template. tests/profile tests the lines of profile.tpl, tests/simt/promise.sh those of promise.tpl, tests/diff/omit.sh those of recursion.tpl and cancel.tpl. Without `few`, prints
# a table of the lines by the invariants of docs/proofs/ that they cite (invariants.awk): invariant, place, walks in which a
# kernel noticed the omission, line. few: skips lines without a kernel, or whose kernel no longer notices; otherwise searches
# for other kernels. N: number of kernels that must not notice a line before it counts as unnoticeable. LINES: only matching
# lines, such as 'collect.tpl:1..$'.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bless=
[ "${1:-}" != -b ] || { bless=1; shift; }
known=
case ${1:-} in few) N=${N:-60} known=-k ;; *) N=${N:-80} ;; esac
hints=${HINTS:-tests/gen/mutants.seeds}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
"$B/tests/fuzz_diff" -l | sed 's/ .*//' | grep -v -E '^(profile|promise|recursion|cancel)[.]tpl' | grep -E "${LINES:-}" >"$tmp/lines"
jobs=${JOBS:-$(nproc)} k=0
# Every job has some lines of each part of each template.
while [ $k -lt "$jobs" ]; do
	awk -v k=$k -v jobs="$jobs" 'NR % jobs == k' "$tmp/lines" >"$tmp/lines.$k"
	[ ! -s "$tmp/lines.$k" ] || xargs "$B/tests/fuzz_diff" $known -n "$N" -i "$hints" -t <"$tmp/lines.$k" >"$tmp/$k.out" 2>&1 &
	k=$((k + 1))
done
wait
grep -h -v -e '^pass' -e '^skip' -e ' seed [0-9]*: ' -e '^hint: ' "$tmp"/*.out
if [ "$bless" ]; then
	{
		echo "# Kernels that noticed that a line was left out: a seed, and names of lines (tests/gen/lines.c). Written by mutants.sh -b."
		cat "$tmp"/*.out | sed -n 's/^hint: //p' | sort -n -k 1,1 -k 2 |
			awk '$1 != last { if (last) print ""; printf "%s", $1; last = $1 } { printf " %s", $2 } END { print "" }'
	} >"$hints"
fi
cat "$tmp"/*.out >"$tmp/told"
[ "$known" ] || awk -f tests/gen/invariants.awk transform/*/*.tpl | sort -s -k 1,1V | awk '
NR == FNR && /^(pass|FAIL)/ && match($0, /[a-z]+[.]tpl:[0-9]+/) { tried[substr($0, RSTART, RLENGTH)] = $1 == "pass" ? "CANNOT" : "not noticed" }
NR == FNR && / seed [0-9]*: / { place = $1; sub(/^[^ ]* /, ""); sub(/: seed .*/, ""); walks[place] = walks[place] ", " $0 }
NR == FNR { next }
$2 in tried { id = $1; place = $2; sub(/^[^ ]* [^ ]* /, ""); printf "%-4s %-14s %-32s %s\n", id, place, place in walks ? substr(walks[place], 3) : tried[place], $0 }
' "$tmp/told" -
passed=$(cat "$tmp"/*.out | grep -c '^pass') skipped=$(cat "$tmp"/*.out | grep -c '^skip') lines=$(wc -l <"$tmp/lines")
echo "mutants: $passed passed, $((lines - passed - skipped)) failed, $skipped skipped"
[ $((passed + skipped)) = "$lines" ] && [ "$passed" -gt 0 ]
