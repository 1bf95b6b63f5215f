#!/bin/sh
# SPDX-License-Identifier: MIT
# switch.sh [-v] [PATTERN]: programs built with --ccc-switchable run their original kernels if CCC_DISABLE=1 is set. Runs on
# the emulator: whole programs, separate compilation, functions that are not inlined, several architectures, a second
# compilation. A build without the option contains no trace of it. Needs nvcc, no GPU.
part=switch
. "$(dirname "$0")/frame.sh"
# The emulator's runtime is loaded into programs that are not built with the sanitizers.
case $BIN in */san/*) ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 && export ASAN_OPTIONS ;; esac
unset CCC_PTXCCC CCC_DISABLE
cat >s.cuh <<'E2'
#include <cstdio>
#ifndef INLINE
#define INLINE
#endif
static __device__ int counted; // both kernels share what the module has
template <int N> INLINE __device__ int work(int v)
{
	for (int k = 0; k < 40 && v < 1000000; k++)
		v = v * 3 + N;
	return v;
}
template <int N> __global__ void visit(const int *x, int *y, int n)
{
	#pragma ccc for threads(256)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int v = x[i];
		#pragma ccc if
		if (v > N)
			y[i] = work<N>(v);
	}
	if (threadIdx.x == 0)
		atomicAdd(&counted, 1);
}
namespace { __global__ void plain(int *y, int n) { if (threadIdx.x < n) y[threadIdx.x] += counted; } }
E2
cat >s.cu <<'E2'
#include "s.cuh"
int main()
{
	int n = 1000, *x, *y, s = 0;
	cudaFuncAttributes a;
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	for (int i = 0; i < n; i++)
		x[i] = i * 7919 % 11, y[i] = 0;
	visit<4><<<1, 256>>>(x, y, n);
	void *args[] = { &x, &y, &n };
	cudaLaunchKernel((const void *)visit<7>, dim3(1), dim3(256), args, 0, 0);
	plain<<<1, 32>>>(y, n);
	cudaDeviceSynchronize();
	cudaFuncGetAttributes(&a, visit<4>);
	for (int i = 0; i < n; i++)
		s += y[i] % 1009;
	printf("%d %s %s\n", s, a.sharedSizeBytes ? "tasks" : "none", cudaGetErrorString(cudaGetLastError()));
}
E2
sw() { "$cccnvcc" -arch=sm_90 --ccc-switchable "$@"; }
# runs PROGRAM N [ARCH]: the results are equal in all runs; N original kernels run, and only under CCC_DISABLE
runs() {
	"$BIN/ptxrun" ${3:+--arch $3} --counts -- ./"$1" >on 2>on.err && CCC_DISABLE=0 "$BIN/ptxrun" ${3:+--arch $3} -- ./"$1" >zero 2>/dev/null &&
		CCC_DISABLE=1 "$BIN/ptxrun" ${3:+--arch $3} --counts -- ./"$1" >off 2>off.err || { cat on on.err off off.err; return 1; }
	cat on off on.err off.err
	grep -q ' tasks no error' on && cmp on zero && grep -q ' none no error' off && [ "$(cut -d' ' -f1 on)" = "$(cut -d' ' -f1 off)" ] &&
		[ "$(cat on on.err | grep -c _ccc_off)" = 0 ] && [ "$(cat off off.err | grep -c _ccc_off)" = "$2" ]
}
whole() { sw s.cu -o s.exe && runs s.exe 2; }
split() { sw -dc s.cu -o s.o && "$cccnvcc" -arch=sm_90 s.o -o r.exe && "$fatbin" -elf s.o >dump && grep -q 'visitILi4.*_ccc_off' dump; }
# The emulator does not run linked device code; the test checks the calls to the runtime instead.
split_runs() {
	printf '#include <stdio.h>\nvoid __cudaRegisterFunction(void **h, const char *f, char *d, const char *n) { (void)h; (void)f; printf("%%s %%s\\n", d, n); }\n' >told.c
	gcc -shared -fPIC told.c -o told.so && sw -rdc=true -cudart shared s.cu -o r.exe || return 1
	for off in 0 1; do LD_PRELOAD=./told.so LD_LIBRARY_PATH=${BIN%/bin}/lib/ptxrun CCC_DISABLE=$off ./r.exe | grep visit >told.$off; done
	cat told.0 told.1
	[ "$(wc -l <told.0)" = 2 ] && sed 's/\([^ ]*\) \([^ ]*\)/\1_ccc_off \2_ccc_off/' told.0 | diff - told.1
}
# A called function: the copies of its kernels call its copy.
called() { # a loop in a separate function
	cat >f.cu <<-'E2'
	#include "s.cuh"
	__device__ __noinline__ void all(const int *x, int *y, int n)
	{
		#pragma ccc for threads(256)
		for (int i = threadIdx.x; i < n; i += blockDim.x) {
			int v = x[i];
			#pragma ccc if
			if (v > 3)
				y[i] = work<3>(v);
		}
	}
	__device__ __noinline__ void between(const int *x, int *y, int n) { if (n) all(x, y + (n & 1), n); }
	__global__ void below(const int *x, int *y, int n) { between(x, y, n); }
	E2
	sw -ptx f.cu -o f.ptx && cat f.ptx && grep -q 'shared.*_tasks' f.ptx && grep -q '^\.entry _Z5below.*_ccc_off\|^\.visible \.entry _Z5below.*_ccc_off' f.ptx &&
		[ "$(grep -c 'func.*_Z7between.*_ccc_off' f.ptx)" -ge 1 ] && [ "$(grep -c '^	*_Z7between.*_ccc_off, *$' f.ptx)" = 1 ] && [ "$(grep -c '^	*_Z3all.*_ccc_off, *$' f.ptx)" = 1 ] &&
		! sed -n '/entry.*_ccc_off/,$p' f.ptx | grep -q '\.ccc begin' && "$BIN/ptxccc" f.ptx -o g.ptx && cmp f.ptx g.ptx &&
		{ ! command -v ptxas >/dev/null || ptxas -arch=sm_90 f.ptx -o f.cubin; }
}
archs() { "$cccnvcc" -t 2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90 -gencode arch=compute_80,code=compute_80 --ccc-switchable s.cu -o s.exe 2>err && [ ! -s err ] && runs s.exe 2 90 && runs s.exe 2 80; }
# A kernel that lacks annotations for one architecture keeps its single name, with a warning.
some_archs() {
	sed 's/#pragma ccc/#pragma CCC/; s/pragma CCC/pragma ccc/' s.cuh | awk '/#pragma ccc/ { print "#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900"; print; print "#endif"; next } { print }' >some.cuh &&
		sed 's/s.cuh/some.cuh/' s.cu >some.cu && "$cccnvcc" -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 --ccc-switchable some.cu -o some.exe 2>err || { cat err; return 1; }
	[ "$(grep -c "warning: kernel 'visit<[47]>' can be switched for some architectures only.*-Wswitchable" err)" = 2 ] || { cat err; return 1; }
	CCC_DISABLE=1 "$BIN/ptxrun" --counts -- ./some.exe >off 2>&1 && cat off && ! grep -q _ccc_off off &&
		"$cccnvcc" -gencode arch=compute_90,code=compute_90 -gencode arch=compute_80,code=compute_80 --ccc-Wno-switchable --ccc-switchable some.cu -o some.exe 2>err && [ ! -s err ]
}
# A refused annotation causes a compilation without it; if all are refused, nothing is transformed.
again() {
	sed 's/y\[i\] = work<N>(v);/{ if (N == 7) __syncthreads(); y[i] = work<N>(v); }/' s.cuh >again.cuh &&
		sed 's/s.cuh/again.cuh/' s.cu >again.cu && sw again.cu -o again.exe 2>err; cat err; runs again.exe 2
}
bypassed() { sw -G s.cu -o s.exe 2>err; grep -q 'annotations ignored' err && ! grep -aq ccc_off s.exe; }
without() { # without the option: no trace of it
	"$cccnvcc" -arch=sm_90 --keep s.cu -o s.exe && ! grep -q ccc_kernel s.cudafe1.stub.c && ! grep -q _ccc_off s.ptx && rm -f s.*.* && "$cccnvcc" -arch=sm_90 -ptx s.cu -o 1.ptx && sw -ptx s.cu -o 2.ptx &&
		grep -q _ccc_off 2.ptx && [ "$(grep -c '^}' 1.ptx)" -lt "$(grep -c '^}' 2.ptx)" ] && sw -DFULL='"h"' -c plain.cu -o plain.o && ! grep -aq ccc_off plain.o
}
cmake_target() {
	command -v cmake >/dev/null && [ -z "${FARM:-}" ] || return 77
	mkdir -p project && cp s.cu s.cuh project/ && cat >project/CMakeLists.txt <<-'E2' || return 1
	cmake_minimum_required(VERSION 3.19)
	project(switched LANGUAGES CUDA)
	find_package(CCC REQUIRED)
	add_executable(x s.cu)
	ccc_target(x POLICY stack SWITCHABLE)
	E2
	cmake -S project -B project/b -DCMAKE_CUDA_COMPILER="$nvcc" -DCCC_DIR="${BIN%/bin}/lib/cmake/CCC" -DCMAKE_CUDA_ARCHITECTURES=90 &&
		cmake --build project/b && cp project/b/x x.exe && runs x.exe 2
}
t "whole program" whole
t "separate compilation" split
t "separate compilation, run" split_runs
t "functions" called
t "architectures" archs
t "some architectures" some_archs
t "second compilation" again
t "bypassed" bypassed
t "without the option" without
t "cmake" cmake_target
finish
