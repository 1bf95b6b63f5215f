#!/bin/sh
# SPDX-License-Identifier: MIT
# threads.sh: ptxrun's output does not depend on its number of threads. Each kernel of tests/diff, and each small kernel that
# breaks a rule, runs in 9 blocks with one thread and with three: same memory, counts, tables of lines, messages and exit
# status. Their launches have buffers for fewer blocks, so many access memory out of bounds; these reports must be equal, too.
set -u
cd "$(dirname "$0")/../.." || exit 2
part=threads
. tests/t.sh
PTXRUN=$(readlink -m "${B:-build}")/bin/ptxrun

blocks=9
alike() { # FILE KERNEL OPTIONS
	for n in 1 3; do
		"$PTXRUN" "$@" --grid "$blocks" --limit 3000000 --counts --lines --threads $n >"$tmp/$n" 2>&1
		echo "exit status $?" >>"$tmp/$n"
	done
	[ "$(wc -l <"$tmp/1")" -gt 1 ] && diff "$tmp/1" "$tmp/3"
}
for f in tests/simt/rule-*.ptx; do
	# shellcheck disable=SC2046
	t "$f" alike "$f" k $(sed -n 's|^// ARGS: ||p' "$f" | sed 's/--sched=random//')
done
for f in tests/diff/*.ptx; do
	for k in $(sed -n 's/^\.visible \.entry \([A-Za-z0-9_$]*\).*/\1/p' "$f"); do
		launch=$(sed -n "s|^// LAUNCH: $k ||p; s|^// LAUNCH: \* ||p" "$f" | head -1)
		# shellcheck disable=SC2086
		t "$f $k" alike "$f" $k $launch --block 96
	done
done
# Again with room for all blocks, and exactly as many threads.
for shape in "9 64" "40 32"; do
	set -- $shape
	blocks=$1
	t "room for $1 blocks" alike tests/simt/blocks.ptx apart --block "$2" --arg buf:16384:index --arg buf:16384
	t "unwritten by $1 blocks" alike tests/simt/blocks.ptx apart --block "$2" --arg buf:16384:none --arg buf:16384:none
done
finish
