#!/bin/sh
# SPDX-License-Identifier: MIT
# shrink.sh FILE COMMAND...: shortens a text that shows a fault. `COMMAND... FILE` returns exit status 0 if a text shows it.
# Removes ever smaller pieces, starting with half of the file, as long as the fault persists. The result is FILE.small. The command
# must reject texts that are wrong in another way (HACKING.md, "Finding a miscompile"):
#
#	cat >shows.sh <<'END'
#	ptxrun "$1" k $launch --limit 1000000 --seeds 5 >want 2>err || exit 1
#	ptxccc --report "$1" -o out.ptx 2>&1 | grep -q '^  transformed' || exit 1
#	ptxrun out.ptx k $launch --limit 1000000 --seeds 20 >got 2>err
#	! cmp -s want got || grep -q 'error: race' err
#	END
#	export launch; sh tests/gen/shrink.sh 2.ptx sh shows.sh
set -u
[ $# -gt 1 ] && [ -r "$1" ] || { echo "usage: shrink.sh FILE COMMAND..." >&2; exit 2; }
file=$1 small=$1.small try=$1.try
shift
"$@" "$file" || { echo "shrink.sh: '$file' does not show it" >&2; exit 1; }
cp "$file" "$small"
size=$(($(wc -l <"$small") / 2)) less=false
while [ "$size" -gt 0 ]; do
	at=1
	while [ "$at" -le "$(wc -l <"$small")" ]; do
		sed "$at,$((at + size - 1))d" "$small" >"$try"
		if "$@" "$try"; then
			mv "$try" "$small"
			less=true
		else
			at=$((at + size))
		fi
	done
	$less && [ "$size" = 1 ] || size=$((size / 2)) # single lines until none can go
	less=false
done
rm -f "$try"
echo "$(wc -l <"$small") of $(wc -l <"$file") lines left: $small"
