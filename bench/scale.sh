#!/bin/sh
# SPDX-License-Identifier: MIT
# The growth of ptxccc's time and memory on PTX of many shapes and sizes (scale.awk). Needs no GPU.
#
#	bench/scale.sh [SHAPE:N ...]
#
# Prints for each shape the processor time (the minimum of some runs) at a size and at half of it: a ratio of 2 is linear.
# Environment: PTXCCC (build/bin/ptxccc), CC (cc).
cd "$(dirname "$0")/.." || exit 2
PTXCCC=${PTXCCC:-build/bin/ptxccc} CC=${CC:-cc}
out=build/scale rc=0
mkdir -p $out && $CC -std=c11 -D_DEFAULT_SOURCE -O2 -o $out/measure bench/measure.c || exit 2
[ $# -gt 0 ] || set -- sites:800 sites:2000 kernels:5000 paths:500 switch:500 loops:10 nested:10 updates:10000 branches:10000 calls:1000

# Writes "ms ms KB".
measured() { # shape n
	awk -v shape="$1" -v n="$2" -f bench/scale.awk </dev/null >$out/in.ptx
	$out/measure -c 5 "$PTXCCC" -o $out/out.ptx $out/in.ptx 2>$out/log
}

echo "| shape | n | MB | ms | MB peak | to half of n |"
echo "| --- | --: | --: | --: | --: | --: |"
for what; do
	shape=${what%:*} n=${what#*:}
	half=$(measured "$shape" $((n / 2))) && whole=$(measured "$shape" "$n") || { echo "$what: ptxccc failed" >&2; rc=1; continue; }
	echo "$shape $n $(wc -c <$out/in.ptx) $half $whole" |
		awk '{ printf "| %s | %d | %.2f | %.0f | %.0f | %.1f |\n", $1, $2, $3 / 1e6, $7, $9 / 1024, $7 / $4 }'
done
rm -f $out/in.ptx $out/out.ptx
exit $rc
