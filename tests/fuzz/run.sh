#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: replays each fuzzer's corpus (tests/fuzz/corpus/NAME for fuzz_NAME), one file at a time, so that failures can be
# named.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
passed=0 failed=0
for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	corpus=tests/fuzz/corpus/${name#fuzz_}
	[ "$(ls "$corpus" | wc -l)" -gt 0 ] || { failed=$((failed + 1)); echo "FAIL $name: no corpus"; continue; }
	if timeout 1000 "$B/tests/$name" "$corpus"/* >/dev/null 2>&1; then
		passed=$((passed + $(ls "$corpus" | wc -l)))
		continue
	fi
	for file in "$corpus"/*; do
		if timeout 300 "$B/tests/$name" "$file" >/dev/null 2>&1; then passed=$((passed + 1))
		else failed=$((failed + 1)); echo "FAIL $name $file"; fi
	done
done
echo "fuzz: $passed passed, $failed failed"
[ $failed = 0 ]
