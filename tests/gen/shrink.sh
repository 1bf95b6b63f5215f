#!/bin/sh
# SPDX-License-Identifier: MIT
# shrink.sh FILE COMMAND...: shortens a text that shows a fault. `COMMAND... FILE` returns exit status 0 if a text shows it.
# Removes ever smaller pieces, starting with half of the file, as long as the fault persists. The result is FILE.small. See
# HACKING.md, "Finding a miscompile".
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
