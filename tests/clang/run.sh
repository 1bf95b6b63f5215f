#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: annotations in CUDA that clang compiles (cccnvcc clang++): what is transformed, and what stays as clang makes it. The
# programs run on the emulator; `CLANG=clang++ sh tests/samples.sh` does so with the samples. CLANG: another clang++.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build}")
part=clang
. tests/t.sh
. tests/cuda.sh
. tests/clang/kit.sh
if [ -z "$clang" ]; then
	echo "SKIP clang: $clang_why"
	skip_all
fi
cd "$tmp" || exit 2
cat >a.cu <<'E2'
#include <cstdio>
#include <cuda_runtime.h>
#ifdef MACROS
#include <ccc.h>
#endif
__global__ void k(const unsigned *in, unsigned *out, int n)
{
#ifdef MACROS
	CCC_FOR(threads(64))
#elif !defined PLAIN
	#pragma ccc for threads(64)
#endif
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = in[i];
#ifdef MACROS
		CCC_IF(policy(queue))
#elif !defined PLAIN
		#pragma ccc if policy(queue)
#endif
		if (x % 5 == 0) {
			for (int j = 0; j < 40; ++j)
				x = x * 1664525 + (x >> 7);
			out[i] = x;
		}
	}
}
int main()
{
	enum { N = 3000 };
	static unsigned in[N], out[N];
	unsigned *a, *b, sum = 0;
	for (int i = 0; i < N; ++i)
		in[i] = i * 2654435761u;
	cudaMalloc(&a, sizeof in);
	cudaMalloc(&b, sizeof out);
	cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
	cudaMemset(b, 0, sizeof out);
	k<<<2, 64>>>(a, b, N);
	cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; ++i)
		sum = sum * 31 + out[i];
	printf("%08x\n", sum);
	return cudaDeviceSynchronize();
}
E2
# shellcheck disable=SC2086
plain() { "$clang" "$@" $clang_options; }
# shellcheck disable=SC2086
ours() { "$B/bin/cccnvcc" "$clang" "$@" $clang_options; }
emulate() { "$B/bin/ptxrun" --quiet --seeds 4 -- "$1" 2>&1; }

program() {
	plain -O2 a.cu -o plain && ours -O2 -Wall -Werror -Wno-unknown-pragmas a.cu -o ours --ccc-report 2>report || { cat report; return 1; }
	grep '^1 of 1 annotated loops transformed' report && emulate ./plain >want && emulate ./ours >got && diff want got && grep -E '^[0-9a-f]{8}$' got
}
macros() { ours -O2 -DMACROS -Wall -Werror a.cu -o macros --ccc-report 2>report && grep '^1 of 1 annotated' report && emulate ./macros | diff want -; }
variable() { CCC_NVCC=$clang "$B/bin/cccnvcc" --ccc-report -O2 -c a.cu -o v.o $clang_options 2>report && grep '^1 of 1 annotated' report; }
device="--cuda-device-only -S"
# Without annotations, or with them switched off, clang's PTX.
unannotated() { plain -O2 $device a.cu -o p.s -DPLAIN && ours -O2 $device a.cu -o o.s -DPLAIN && cmp p.s o.s; }
off() { plain -O2 $device a.cu -o p.s && ours --ccc-off -O2 $device a.cu -o o.s && cmp p.s o.s && CCC_DISABLE=1 ours -O2 $device a.cu -o o.s && cmp p.s o.s; }
unoptimised() { ours -c a.cu -o x.o 2>err && grep 'a.cu: warning: annotations ignored: with -O0, which is clang.s default, nothing is inlined' err; }
user_error() {
	sed 's/unsigned x = in/unsigned x = inn/' a.cu >bad.cu
	! ours -O2 -c bad.cu -o x.o 2>err && [ "$(grep -c "bad.cu:14:.* error: use of undeclared identifier 'inn'" err)" = "$(plain -O2 -c bad.cu -o x.o 2>&1 | grep -c 'bad.cu:14:.* error:')" ]
}
annotation_error() { sed 's/ccc if policy/ccc if polcy/' a.cu >word.cu && ! ours -O2 -c word.cu -o x.o 2>err && grep 'word.cu:[0-9]*:[0-9]*: error: unknown clause .polcy' err; }
refused() {
	for o in --ccc-timed --ccc-switchable --ccc-farm=x -save-temps; do
		! ours -O2 $o -c a.cu -o x.o 2>err && grep 'cccnvcc: error: .*not with clang' err || return
	done
}
bitcode() { ours -O2 --cuda-device-only -emit-llvm -c a.cu -o x.bc 2>err && grep 'annotations ignored: with -emit-llvm' err && [ -s x.bc ]; }
dependencies() { plain -O2 -MD -MF p.d -c a.cu -o x.o && ours -O2 -MD -MF o.d -c a.cu -o x.o && cmp p.d o.d; }
kept() { mkdir -p kept && (cd kept && ours -O2 -c ../a.cu -o x.o --ccc-keep) && ls kept >out && printf '%s\n' a.sm_80.ccc.ii a.sm_80.orig.ptx a.sm_80.ptx x.o | diff - out; }
# Temporary files go, also of a build that fails.
clean() {
	mkdir -p tmp && (TMPDIR=$tmp/tmp && export TMPDIR && ours -O2 -c a.cu -o x.o && ! ours -O2 -c bad.cu -o x.o 2>/dev/null) && [ -z "$(ls tmp)" ]
}
profile() {
	ours -O2 a.cu -o counts --ccc-profile-generate=a.prof && emulate ./counts | diff want - && ours -O2 a.cu -o used --ccc-profile-use=a.prof --ccc-report 2>report &&
		grep '^1 of 1 annotated' report && emulate ./used | diff want -
}
t program program
t macros macros
t CCC_NVCC variable
t unannotated unannotated
t off off
t unoptimised unoptimised
t user-error user_error
t annotation-error annotation_error
t refused refused
t bitcode bitcode
t dependencies dependencies
t kept kept
t clean clean
t profile profile
finish
