#!/bin/sh
# SPDX-License-Identifier: MIT
# What cccnvcc adds to a build: alternating runs of `nvcc -c` and `cccnvcc -c`, on an annotated file with one kernel and on a
# file that uses CUB.
#
#	bench/wrapper.sh [PAIRS [one | cub | manyN]]    default: 20 pairs, one and cub; use an otherwise idle machine
#
# manyN: N kernels like that of one.
#
# Prints for each file the medians of wall time and processor time (user + system, of all processes; in steps of 10 ms), and
# the median of the pairs' ratios, also of processor time, which depends less on other load. A table in Markdown. Needs no
# GPU. Environment: CCCNVCC (build/bin/cccnvcc), NVCC (nvcc).
cd "$(dirname "$0")/.." || exit 2
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} NVCC=${NVCC:-nvcc} pairs=${1:-20}
command -v "$NVCC" >/dev/null 2>&1 && [ -x "$CCCNVCC" ] || { echo "wrapper.sh: needs nvcc and $CCCNVCC" >&2; exit 2; }
out=build/wrapper
mkdir -p $out || exit 2

cat >$out/one.cu <<'END'
__global__ void one(int n, const int *in, int *out)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (in[i] > 0) {
			int x = in[i];
			while (x % 9)
				x = x * 3 + 1;
			out[i] = x;
		}
	}
}
END
{ printf '#include <cub/cub.cuh>\n'; cat $out/one.cu; cat <<'END'; } >$out/cub.cu
cudaError_t sum(void *temporary, size_t &bytes, const int *in, int *out, int n)
{
	return cub::DeviceReduce::Sum(temporary, bytes, in, out, n);
}
END

many() { # many N
	for i in $(seq "$1"); do
		sed "s/void one/void k$i/; s/> 0/> $i/; s/x \* 3/x * $((2 * i + 1))/" $out/one.cu
	done
}

# Milliseconds: wall, processor.
timed() {
	start=$(date +%s%N)
	times >$out/before
	"$@" >$out/log 2>&1 || { cat $out/log >&2; return 1; }
	times >$out/after
	echo "$start $(date +%s%N) $(sed -n 2p $out/before) $(sed -n 2p $out/after)" | tr 'ms' '  ' | awk '{
		printf "%.1f %.1f\n", ($2 - $1) / 1e6, 1000 * (($7 - $3 + $9 - $5) * 60 + $8 - $4 + $10 - $6) }'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
column() { awk -v "e=$2" 'BEGIN { n = split(e, c, "/") } { print (n > 1 ? $c[1] / $c[2] : $c[1]) }' "$1" | median; }

echo "| file | nvcc ms | cccnvcc ms | ratio | nvcc cpu ms | cccnvcc cpu ms | ratio |"
echo "| --- | --: | --: | --: | --: | --: | --: |"
for file in ${2:-one cub}; do
	case $file in many*) many "${file#many}" >$out/"$file".cu ;; esac
	rm -f $out/$file.times
	i=0
	while [ $i -lt "$pairs" ]; do
		n=$(timed "$NVCC" -std=c++17 -diag-suppress 20199 -arch=sm_90 -c -o $out/n.o $out/$file.cu) || exit 1
		c=$(timed "$CCCNVCC" -std=c++17 -diag-suppress 20199 -arch=sm_90 -c -o $out/c.o $out/$file.cu) || exit 1
		echo "$n $c" >>$out/$file.times
		i=$((i + 1))
	done
	t=$out/$file.times
	printf '| %s | %.0f | %.0f | %.3f | %.0f | %.0f | %.3f |\n' $file \
		"$(column $t 1)" "$(column $t 3)" "$(column $t 3/1)" "$(column $t 2)" "$(column $t 4)" "$(column $t 4/2)"
done
