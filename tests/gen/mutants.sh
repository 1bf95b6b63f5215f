#!/bin/sh
# SPDX-License-Identifier: MIT
# mutants.sh [few | all]: every line of the templates (transform/*.tpl) that puts text is left out once, and random kernels must notice
# (mutants.c). A line whose absence no test can notice is marked with the reason, and then none may notice. all: more kernels
# before a line passes for one that cannot. N: how many. LINES: those that match, such as 'ccc.tpl:1..$'.
# few, all (tests/check.sh): without the templates of which the generator does not reach every line yet; their lines count as skipped.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) N=${N:-20} ;; esac
open='^(ccc|expand|remap)[.]tpl'
[ -n "${1:-}" ] || open='^$'
case ${1:-} in all) N=${N:-80} ;; *) N=${N:-40} ;; esac
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
"$B/tests/fuzz_diff" -l | grep -E "${LINES:-}" >"$tmp/all"
grep -v -E "$open" "$tmp/all" >"$tmp/lines"
jobs=${JOBS:-$(nproc)} k=0
# Every job has some lines of each part of each template.
while [ $k -lt "$jobs" ]; do
	awk -v k=$k -v jobs="$jobs" 'NR % jobs == k' "$tmp/lines" >"$tmp/lines.$k"
	[ ! -s "$tmp/lines.$k" ] || xargs "$B/tests/fuzz_diff" -n "$N" -t <"$tmp/lines.$k" >"$tmp/$k.out" 2>&1 &
	k=$((k + 1))
done
wait
grep -h -v -e '^pass' -e ' seed [0-9]*: ' "$tmp"/*.out
passed=$(cat "$tmp"/*.out | grep -c '^pass') lines=$(wc -l <"$tmp/lines")
echo "mutants: $passed passed, $((lines - passed)) failed, $(($(wc -l <"$tmp/all") - lines)) skipped"
[ "$passed" = "$lines" ] && [ "$lines" -gt 0 ]
