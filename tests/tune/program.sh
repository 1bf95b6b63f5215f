#!/bin/sh
# SPDX-License-Identifier: MIT
# program.sh: a stand-in for a program built by build.sh. Its time is the sum of the entries of `costs` for each loop's policy
# (a line: loop, policy, time), plus those for combinations ("both POLICY POLICY TIME"). WRONG, CRASH=POLICY: with this policy
# it prints something else, or crashes; NOISE=1: each run takes longer; SLOW=POLICY: waits; NEAR=POLICY: prints a slightly
# different number. LONG=TEXT: begins the line that it prints.
has() { [ -n "$1" ] && grep -q " $1\$" built; }
echo run >>runs
! has "${CRASH:-}" && [ "${CRASH:-}" != all ] || { echo "error: it crashes" >&2; kill -SEGV $$; }
if has "${SLOW:-}"; then touch waiting; sleep 20; fi
awk -v runs="$(wc -l <runs)" -v noise="${NOISE:-0}" 'NR == FNR { of[$1] = $2; next }
	$1 == "both" && of[10] == $2 && of[20] == $3 { sum = $4; last = 1 }
	$2 == of[$1] && !last { sum += $3 }
	END { print 7 "\t" sum * (1 + (noise && runs == 2) * 0.2) "\tall kernels" }' built costs >"$CCC_TUNE_TIMES"
sum=3.25
! has "${NEAR:-}" || sum=3.2500001
if has "${WRONG:-}"; then echo "${LONG:-}sum -1"; else echo "${LONG:-}sum $sum"; fi
! has "${WRONG:-}" || sum=-1
echo "values $sum" >values.txt
[ -z "${CLOCK:-}" ] || date +%N
