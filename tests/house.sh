#!/bin/sh
# SPDX-License-Identifier: MIT
# house.sh: lines of C have at most 100 columns, files of C at most 500 lines (HACKING.md, "House style"). Tabs are 8 wide.
# Lines with message strings may be longer.
set -u
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0
for f in $(find base lexer parser analysis profile transform validate suggest annotate report simt lib driver tune bench tests -name '*.[ch]'); do
	bad=$(expand "$f" | awk -v f="$f" 'length > 100 && !/"/ { print "wider than 100 columns: " f ":" NR }')
	[ "$(wc -l <"$f")" -le 500 ] || bad="$bad longer than 500 lines: $f"
	if [ -z "$bad" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL house: $bad"; fi
done
echo "house: $passed passed, $failed failed"
[ $failed = 0 ]
