#!/bin/sh
# SPDX-License-Identifier: MIT
# mutants.sh [all]: every line of the templates (transform/*.tpl) that puts text is left out once, and random kernels must notice (fuzz_diff.c,
# "mutants"). A line whose absence no test can notice is marked with the reason, and then none may notice. all: more kernels
# before a line passes for one that cannot. N: how many.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) N=${N:-20} ;; esac
case ${1:-} in all) N=${N:-600} ;; *) N=${N:-80} ;; esac
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
export B N tmp
"$B/tests/fuzz_diff" -l >"$tmp/lines"
xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '"$B/tests/fuzz_diff" -n "$N" -t {} >"$tmp/{}.out" 2>&1 || cat "$tmp/{}.out"' <"$tmp/lines"
passed=$(cat "$tmp"/*.out | grep -c '^pass') lines=$(wc -l <"$tmp/lines")
echo "mutants: $passed passed, $((lines - passed)) failed"
[ "$passed" = "$lines" ] && [ "$lines" -gt 100 ]
