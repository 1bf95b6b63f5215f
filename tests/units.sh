#!/bin/sh
# SPDX-License-Identifier: MIT
# units.sh [NAME...]: runs the unit tests, which print a line "ok NAME" or "FAIL NAME" for each test. Programs whose name ends in
# _main are tools.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
passed=0 failed=0
for source in tests/unit/*.c; do
	name=$(basename "$source" .c)
	case $name in *_main | facts) continue ;; esac
	case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
	out=$("$B/tests/$name" 2>&1)
	status=$?
	ok=$(echo "$out" | grep -c '^ok ')
	bad=$(echo "$out" | grep -c '^FAIL ')
	[ $status != 0 ] && [ "$bad" = 0 ] && bad=1
	[ "$ok" = 0 ] && [ "$bad" = 0 ] && bad=1
	[ "$bad" != 0 ] && echo "FAIL unit $name (exit status $status)" && echo "$out" | grep -v '^ok ' | head -20
	passed=$((passed + ok)) failed=$((failed + bad))
done
echo "units: $passed passed, $failed failed"
[ $failed = 0 ]
