#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed of the front end; wrapper.sh measures what it adds to a build. Needs no GPU; parts that need nvcc are skipped
# without it.
#
#	bench/frontend.sh [--quick]
#
#	1. Identity: ptxccc on modules of 1 to 40 MB without annotations: identical output, MB/s, peak memory, growth.
#	2. ptxas on the largest of them (--quick: the smallest), for comparison.
#	3. A transforming run on samples/bfs.ptx.
# Prints tables in Markdown; exit status 1 if an output differs or a program fails.
#
# Environment: PTXCCC (build/bin/ptxccc), NVCC, PTXAS, CC.
cd "$(dirname "$0")/.." || exit 2
PTXCCC=${PTXCCC:-build/bin/ptxccc} NVCC=${NVCC:-nvcc} PTXAS=${PTXAS:-ptxas} CC=${CC:-cc}
sizes="1 2 5 10 20 40" runs=7
case $1 in
--quick) sizes="1 5 10" runs=3 ;;
?*) echo "usage: bench/frontend.sh [--quick]" >&2; exit 2 ;;
esac
out=build/frontend rc=0
mkdir -p $out && $CC -std=c11 -D_DEFAULT_SOURCE -O2 -o $out/measure bench/measure.c || exit 2

# ---- a seed: what nvcc makes of a few Thrust algorithms; without nvcc the sample -----------------------------------------
seed=$out/seed.ptx
if [ ! -s $seed ]; then
	cat >$out/seed.cu <<'END'
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
void all(thrust::device_vector<int> &a, thrust::device_vector<double> &b)
{
	thrust::sort(a.begin(), a.end());
	thrust::inclusive_scan(b.begin(), b.end(), b.begin());
	a[0] = thrust::reduce(a.begin(), a.end());
}
END
	$NVCC -O3 -std=c++17 -arch=compute_90 -ptx -o $seed $out/seed.cu >/dev/null 2>&1 || cp samples/bfs.ptx $seed
fi
# No annotations: measures the time to read and copy.
grep -v '\.ccc ' $seed >$out/plain.ptx
echo "Seed: $(grep -cE '^(\.(visible|weak) +)*\.(entry|func)' $seed) functions, $(wc -c <$seed) bytes"

echo
echo "| MB | ms | MB/s | peak MB | peak / input | ms a MB, to the smallest |"
echo "| --: | --: | --: | --: | --: | --: |"
for mb in $sizes; do
	in=$out/big_$mb.ptx
	awk -v bytes=$((mb * 1000000)) -f bench/bigmodule.awk $out/plain.ptx >$in
	bytes=$(wc -c <$in)
	r=$($out/measure $runs "$PTXCCC" -o $out/big.out $in) || { echo "ptxccc failed on $in" >&2; exit 1; }
	cmp -s $in $out/big.out || { echo "not identical: $in $out/big.out" >&2; rc=1; }
	echo "$bytes $r"
	rm -f $out/big.out
done >$out/identity.txt
awk '{ per = $2 / $1; if (NR == 1) first = per
	printf "| %.1f | %.1f | %.0f | %.0f | %.1f | %.2f |\n", $1 / 1e6, $2, $1 / $2 / 1e3, $4 * 1024 / 1e6, $4 * 1024 / $1, per / first
	if (per < best || !best) best = per }
	END { if (!NR) exit 1 }' $out/identity.txt || exit 1

echo
if command -v "$PTXAS" >/dev/null 2>&1; then
	in=$out/big_${sizes##* }.ptx
	[ "$1" = --quick ] && in=$out/big_1.ptx
	bytes=$(wc -c <$in)
	if r=$($out/measure 1 "$PTXAS" -arch=sm_90 -o /dev/null $in 2>$out/ptxas.log); then
		tail -n 1 $out/identity.txt | awk -v r="$r" -v bytes="$bytes" '{ split(r, p)
			printf "ptxas: %.1f MB in %.0f ms, %.3f MB/s; ptxccc is %.0f times as fast (its rate at %.0f MB)\n",
				bytes / 1e6, p[1], bytes / p[1] / 1e3, ($1 / $2) / (bytes / p[1]), $1 / 1e6 }'
	else
		echo "ptxas does not take $in: $(head -n 1 $out/ptxas.log)"
	fi
else
	echo "ptxas: not here, left out"
fi

rm -f $out/big_*.ptx

# ---- transforming ------------------------------------------------------------------------------------------------------------
if r=$($out/measure 21 "$PTXCCC" -o $out/bfs.out samples/bfs.ptx 2>$out/bfs.log); then
	echo "samples/bfs.ptx transformed: $(echo "$r" | cut -d' ' -f1) ms at best, $(echo "$r" | cut -d' ' -f2) ms median of 21"
	cmp -s samples/bfs.ptx $out/bfs.out && echo "(nothing was changed)"
else
	echo "samples/bfs.ptx: ptxccc failed, $(head -n 1 $out/bfs.log)"
	rc=1
fi

exit $rc
