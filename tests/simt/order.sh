#!/bin/sh
# SPDX-License-Identifier: MIT
# order.sh: the order that fences and barriers establish. The kernels of order.cu run without a report, also under random
# schedules. Then each fence, barrier, release and acquire of order.ptx is removed, one at a time; each removal must be
# reported by the race check or another, or change memory. "// CANNOT: reason" marks those whose removal cannot be noticed.
set -u
cd "$(dirname "$0")" || exit 2
PTXRUN=$(cd ../.. && readlink -m "${B:-build}")/bin/ptxrun
SEEDS=${SEEDS:-10}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
options() {
	case $1 in
	last_block) echo --grid 6 --block 64 --arg buf:4096:fill:1065353216 --arg buf:64 --arg buf:4 --arg s32:1024 ;;
	all_threads) echo --grid 4 --block 64 --arg buf:1024 --arg buf:1024 ;;
	look_back) echo --grid 5 --block 64 --arg buf:2048:mod:9 --arg buf:2048 --arg buf:64 --arg buf:64 ;;
	message) echo --grid 3 --block 64 --arg buf:256 --arg buf:4 --arg buf:1024 ;;
	queue) echo --grid 3 --block 32 --arg buf:4 --arg buf:4 --arg buf:400 --arg buf:400 --arg buf:400 --arg s32:40 ;;
	locks) echo --grid 3 --block 64 --arg buf:400 --arg buf:400 --arg s32:9 --arg s32:100 ;;
	grid_barrier) echo --grid 3 --block 64 --arg buf:768 --arg buf:4 --arg buf:768 --sched=random ;;
	two_warps) echo --block 64 --arg buf:640 ;;
	esac
}
run() { # FILE KERNEL
	$PTXRUN "$1" "$2" $(options "$2") --quiet --seeds "$SEEDS" --limit 3000000 2>&1
}
passed=0 failed=0
for k in $(sed -n 's/.*\.entry \([a-z_]*\).*/\1/p' order.ptx); do
	out=$(run order.ptx "$k")
	if [ -z "$out" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $k: $out"; fi
done
for line in $(grep -nE '	(membar|fence|bar\.)|\.acquire|\.release' order.ptx | grep -v CANNOT | cut -d: -f1); do
	k=$(awk -v n="$line" 'NR <= n && /\.entry/ { split($3, a, "("); k = a[1] } END { print k }' order.ptx)
	sed "${line}s/\.acquire\|\.release/.relaxed/;${line}s/^	\(membar\|fence\|bar\.\).*//" order.ptx >"$dir/order.ptx"
	case $(run "$dir/order.ptx" "$k") in
	*error*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) && echo "FAIL $k: nothing found without line $line: $(sed -n "${line}p" order.ptx)" ;;
	esac
done
echo "order: $passed passed, $failed failed"
[ $failed = 0 ]
