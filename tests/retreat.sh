#!/bin/sh
# SPDX-License-Identifier: MIT
# retreat.sh: the cost of a loop with a fallback. If the lanes of a warp agree, it issues hardly more warp instructions than
# the original loop; if not, hardly more than a transformed loop without a fallback. Runs the kernels of tests/gpu/retreat.cu
# on the emulator, with 125 iterations per lane.
set -u
cd "$(dirname "$0")/.." || exit 2
part=retreat
. tests/t.sh
B=${B:-build}
ptxccc=${PTXCCC:-$B/bin/ptxccc}
launch=$(sed -n 's|^// LAUNCH: \* ||p' tests/diff/retreat.ptx |
	sed 's/s32:800/s32:16000/; s/buf:3600/buf:64000/g; s/buf:7200/buf:128000/g; s/buf:14400/buf:256000/')
sed 's/ retreat([0-9]*)//' tests/diff/retreat.ptx >"$tmp/plain.ptx"
for how in never 4; do
	"$ptxccc" --choose=first --retreat=$how --verify "$tmp/plain.ptx" -o "$tmp/$how.ptx" 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }
done

count() { # FILE KERNEL
	# shellcheck disable=SC2086
	"$B/bin/ptxrun" "$tmp/$1.ptx" "$(grep -o "_Z[0-9]*${2}4Args" "$tmp/plain.ptx" | head -1)" $launch --block 64 --counts --no-races | sed -n 's/^warp instructions: //p'
}
counted() { # COUNT...: each is one
	for n; do case $n in '' | 0 | *[!0-9]*) return 1 ;; esac done
}
near() { # KERNEL FILE PERCENT: with a fallback it takes at most PERCENT more than FILE
	with=$(count 4 "$1") other=$(count "$2" "$1")
	echo "$1: $with instructions, $other of $2"
	counted "$with" "$other" && [ $((100 * with)) -le $(((100 + $3) * other)) ]
}
loses() { # KERNEL PERCENT: without a fallback it takes at least PERCENT more than the original loop
	with=$(count never "$1") other=$(count plain "$1")
	echo "$1: $with instructions, $other in the original"
	counted "$with" "$other" && [ $((100 * with)) -ge $(((100 + $2) * other)) ]
}
for kernel in k_agree k_never k_queue k_breaks k_sum k_jump k_ahead; do
	t "$kernel loses" loses "$kernel" 25
	t "$kernel retreats" near "$kernel" plain 12
done
# With several iterations of common code per vote, the gain of a round comes from later executions of the path: the fallback credit must be
# large enough for it.
sed 's/ policy(stack)/ policy(queue(8))/' "$tmp/plain.ptx" >"$tmp/wide.ptx"
for how in never 4; do
	"$ptxccc" --choose=first --retreat=$how --verify "$tmp/wide.ptx" -o "$tmp/wide.$how.ptx" 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }
done
stays() { # KERNEL PERCENT: with eight iterations of common code a vote
	with=$(count wide.4 "$1") other=$(count wide.never "$1")
	echo "$1: $with instructions, $other of never"
	counted "$with" "$other" && [ $((100 * with)) -le $(((100 + $2) * other)) ]
}
t "k_apart stays with queue(8)" stays k_apart 12
t "k_change retreats when its data change" near k_change plain 5
for kernel in k_apart k_ahead_apart k_nested; do
	t "$kernel stays" near "$kernel" never 12
done
finish
