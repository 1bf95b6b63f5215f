#!/bin/sh
# SPDX-License-Identifier: MIT
# timed.sh [-v] [PATTERN]: programs built with --ccc-timed run transformed and original kernels at their first launches, and then
# one of them. The program has its own cudaEventElapsedTime, whose times are given, so that each test knows what is selected. Runs
# on the emulator. Needs nvcc, no GPU.
part=timed
. "$(dirname "$0")/frame.sh"
# The emulator's runtime is loaded into programs that are not built with the sanitizers.
case $BIN in */san/*) ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 && export ASAN_OPTIONS ;; esac
unset CCC_PTXCCC CCC_DISABLE
export CCC_FLAGS='--ccc-choose=always --ccc-Wno-all'
cat >s.cu <<'E2'
#include <cstdio>
#include <cstdlib>
// The times of the timed launches in milliseconds, one digit each; others have not ended.
static const char *times;
#ifndef EMULATED
extern "C" cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
	if (*times < '0')
		return cudaErrorNotReady;
	*ms = (float)(*times++ - '0');
	return cudaSuccess;
}
#endif
template <int N> __global__ void
visit(const int *x, int *y, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int v = x[i];
		#pragma ccc if
		if (v > N) {
			for (int k = 0; k < 40 && v < 1000000; k++)
				v = v * 3 + N;
			y[i] += v % 1009;
		}
	}
}
int
main(int argc, char **argv)
{
	int n = 1000, launches = atoi(argv[1]), *x, *y, s = 0;
	times = argv[2];
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	for (int i = 0; i < n; i++)
		x[i] = i * 7919 % 11, y[i] = 0;
	for (int i = 0; i < launches; i++)
		visit<4><<<1, 256>>>(x, y, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++)
		s += y[i];
	printf("%d %s\n", s / launches, cudaGetErrorString(cudaGetLastError()));
}
E2
build() { "$cccnvcc" -arch=sm_90 -cudart shared --ccc-timed "$@"; }
# selects T O LAUNCHES TIMES: with these times, T of the launches run the transformed kernel, and O the original; the results are right
selects() {
	rm -f counts
	"$BIN/ptxrun" --counts=counts -- ./s.exe "$3" "$4" >out 2>&1 && "$BIN/ptxrun" -- ./plain.exe "$3" "" >want 2>&1 || { cat out want; return 1; }
	cat out counts
	cmp out want && [ "$(awk -F'\t' 'NR > 1 { n[$NF ~ /_ccc_off/] += $1 } END { print n[0] + 0, n[1] + 0 }' counts)" = "$1 $2" ]
}
program() { build s.cu -o s.exe && "$cccnvcc" --ccc-off -arch=sm_90 -cudart shared s.cu -o plain.exe; }
# With a named policy, in a separately compiled file, for several architectures; without the option.
named() { sed 's/ccc if/ccc if policy(stack)/' s.cu >named.cu && build -ptx named.cu -o named.ptx && ! grep -q _ccc_off named.ptx; }
split() { build -dc s.cu -o s.o && "$cccnvcc" -arch=sm_90 -cudart shared s.o -o r.exe && "$fatbin" -elf s.o >dump && grep -q 'visitILi4.*_ccc_off' dump; }
archs() {
	"$cccnvcc" -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 -cudart shared --ccc-timed s.cu -o s.exe &&
		selects 3 27 30 5445
}
without() { "$cccnvcc" -arch=sm_90 --keep -c s.cu -o s.o && ! grep -q ccc_timed s.cudafe1.stub.c && ! grep -q _ccc_off s.ptx && rm -f s.*.*; }
# The original's loops are those of the source without annotations: nvcc unrolls them.
unrolled() {
	cat >u.cu <<'E2'
__global__ void sums(const int *x, int *y, int n)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (x[i] > 3)
			y[i] = x[i] % 1009;
	}
}
E2
	build -ptx u.cu -o u.ptx && "$cccnvcc" --ccc-off -arch=sm_90 -ptx u.cu -o plain.ptx &&
		awk '/_ccc_off/ { on = 1 } on' u.ptx | grep -c 'ld.global' >got && grep -c 'ld.global' plain.ptx | cmp - got
}
# A task loop that may lose is only made if the program measures it.
task_loop() {
	cat >t.cu <<'E2'
#pragma ccc grid
__global__ void steps(int width, int limit, float x0, float y0, float scale, int *y)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	if (x >= width)
		return;
	float cr = x0 + x * scale, ci = y0, zr = 0, zi = 0;
	int k = 0;
	#pragma ccc while
	while (k < limit && zr * zr + zi * zi < 4) {
		float t = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = t;
		k++;
	}
	y[x] = k;
}
E2
	CCC_FLAGS='' "$cccnvcc" -arch=sm_90 -ptx t.cu -o t.ptx 2>err && grep -q 'not certain without a profile' err &&
		CCC_FLAGS='' build -ptx t.cu -o t.ptx 2>err && cat err && [ ! -s err ] && grep -q _ccc_off t.ptx
}
# A source without annotations: what needs no promise is transformed, and measured by the program in place of a profile.
unasked() {
	cat >c.cu <<'E2'
__global__ void steps(const int *x, int *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int v = x[i], k = 0;
		while (v != 1 && k < 1000) {
			v = v & 1 ? v * 3 + 1 : v / 2;
			k++;
		}
		y[i] = k;
	}
}
E2
	CCC_FLAGS='' build --ccc-auto -ptx c.cu -o c.ptx 2>err && cat err && [ ! -s err ] && grep -q 'vote.sync' c.ptx && grep -q _ccc_off c.ptx &&
		CCC_FLAGS='' "$cccnvcc" --ccc-auto -arch=sm_90 -ptx c.cu -o c.ptx 2>err && ! grep -q 'vote.sync' c.ptx && grep -q 'or use --ccc-timed' err
}
# The emulator's events count warp instructions, so the kernel that issues fewer is selected.
emulated() {
	build -DEMULATED s.cu -o e.exe && rm -f counts && "$BIN/ptxrun" --counts=counts -- ./e.exe 30 "" >out 2>&1 || { cat out; return 1; }
	cat counts
	awk -F'\t' 'NR > 1 { k = $NF ~ /_ccc_off/; n[k] += $1; w[k] += $2 } END { fewer = w[0] / n[0] < w[1] / n[1]; more = n[0] > n[1]; exit !(n[0] + n[1] == 30 && fewer == more) }' counts
}
# The launches run t o, then t o o t o t t o o t t o t o o t.
t "a program" program
t "a launch" selects 1 0 1 ""
t "no time is known" selects 9 9 18 ""
t "no time is known: the transformed kernel continues" selects 21 9 30 ""
t "the transformed kernel is faster" selects 27 3 30 4554
t "the original is faster" selects 3 27 30 5445
t "the transformed kernel is faster in the sum" selects 31 9 40 6554544554454554
t "the original is faster in the sum" selects 9 31 40 5645455445545445
t "on the emulator" emulated
t "named policy" named
t "separate compilation" split
t "several architectures" archs
t "loops of the original" unrolled
t "a task loop" task_loop
t "without annotations" unasked
t "without" without
finish
