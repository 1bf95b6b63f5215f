#!/bin/sh
# SPDX-License-Identifier: MIT
# auto.sh [-v] [PATTERN]: programs without annotations, built with --ccc-auto. Code that gains according to a profile, and
# needs no promise, is transformed; code that needs a promise is reported. Without a profile, or if nothing gains, the code
# equals nvcc's. Needs nvcc, no GPU.
part=auto
. "$(dirname "$0")/frame.sh"
# The emulator's runtime is loaded into programs that are not built with the sanitizers.
case $BIN in */san/*) ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 && export ASAN_OPTIONS ;; esac
unset CCC_PTXCCC CCC_FLAGS
cat >u.cuh <<'E2'
__device__ inline float work(float x)
{
	for (int j = 0; j < 60; j++)
		x = x * 0.99f + 0.5f;
	return x;
}
E2
cat >u.cu <<'E2'
#include <cstdio>
#include "u.cuh"
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int n)
{
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = in[i];
		if (x > 0.95f)
			sum += work(work(x));
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void otherwise(const float *__restrict__ in, float *__restrict__ out, int n)
{
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = in[i];
		if (x <= 0.95f) {
		} else {
			sum = work(x) * sum + 1;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void pointers(const float *in, float *out, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = in[i];
		if (x > 0.95f)
			out[i] = work(x);
	}
}
__global__ void tasks(const float *__restrict__ in, float *__restrict__ out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float x = in[i];
	if (x > 0.95f)
		out[i] = work(x) + work(x + 1) + work(x + 2);
}
__global__ void always(const float *__restrict__ in, float *__restrict__ out, int n)
{
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = in[i];
		if (x >= 0)
			sum += work(x);
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#ifndef NO_MAIN
int main()
{
	enum { N = 80000, T = 256 };
	float *in, *out;
	double s = 0;
	cudaMallocManaged(&in, N * sizeof *in);
	cudaMallocManaged(&out, N * sizeof *out);
	for (int i = 0; i < N; i++)
		in[i] = i * 7919 % 1000 / 1000.f, out[i] = 0;
	void (*all[])(const float *, float *, int) = { sums, otherwise, pointers, always };
	tasks<<<N / 128, 128>>>(in, out, N);
	cudaDeviceSynchronize();
	for (auto k : all) {
		k<<<4, T / 4>>>(in, out, N);
		cudaDeviceSynchronize();
		for (int i = 0; i < N; i++)
			s = s * 0.5 + out[i];
	}
	printf("%.9g %s\n", s, cudaGetErrorString(cudaGetLastError()));
}
#endif
E2
auto() { "$cccnvcc" -arch=sm_80 --ccc-auto --ccc-no-timed --ccc-sms=1 --ccc-grid-blocks=4 "$@"; }
counted() { # u.cccprof
	[ -s u.cccprof ] && return
	"$cccnvcc" -arch=sm_80 --ccc-profile-generate --ccc-profile-sampling=0 u.cu -o counts.exe && CCC_PROFILE_FILE=u.cccprof "$BIN/ptxrun" -- ./counts.exe >counts.out && [ -s u.cccprof ]
}
used() { counted && auto --ccc-profile-use=u.cccprof --ccc-report=u.txt u.cu -o used.exe 2>told; }
kernel() { sed -n "/kernel $1,/,/^[^ ]/p" u.txt; }
same_result() { "$nvcc" -arch=sm_80 -cudart shared u.cu -o plain.exe && used && "$BIN/ptxrun" -- ./plain.exe >plain.out && "$BIN/ptxrun" -- ./used.exe >used.out && cat plain.out used.out && cmp plain.out used.out && cmp plain.out counts.out && grep -q 'no error' used.out; }
taken() { used; cat u.txt; kernel sums | grep -q 'transformed, policy ahead' && kernel sums | grep -q 'by the profile'; }
other_arm() { used; grep -A1 'u.cu:19: kernel otherwise, path .*u.cu:19' u.txt | grep -q 'transformed, policy ahead' || { cat u.txt; return 1; }; }
left() { used; cat u.txt; kernel pointers | grep -q 'left unchanged: the path writes memory' && kernel always | grep -q 'left unchanged: the expected gain is too small'; }
threads() { used; grep -A6 'kernel tasks' u.txt | grep -q 'task loop: ' && grep -q 'kernel tasks' u.txt || { cat u.txt; return 1; }; }
quiet() { used; ! grep -q warning told || { cat told; return 1; }; }
promises() { # for code that needs a promise, or gains more with one: the place and the annotation; no other messages
	used; cat told
	[ "$(grep -c ' site$' told)" = 1 ] && [ "$(grep -c 'to do:' told)" = 1 ] && grep -q 'x  .*u.cu:30: branch in pointers' told && grep -q "'#pragma ccc if' over it, and '#pragma ccc for' over the loop around it, line 28" told
}
compilations() { auto --ccc-verbose --ccc-profile-use=u.cccprof "$@" -ptx -DNO_MAIN u.cu -o s.ptx 2>told; grep -c '^cccnvcc: [^ ]*/cicc ' told; }
suggests() { # the suggestions of --ccc-suggest refer to the compilation without it
	counted && alone=$(compilations) && both=$(compilations --ccc-suggest) && cat told && echo "$alone compilations, $both with suggestions"
	[ "$alone" = "$both" ] && grep -q "branch in sums" told
}
ptx() { "$1" -arch=sm_80 -ptx -DNO_MAIN ${3:-} "$2" -o "$4"; }
nothing() { # without a profile, with one of different code, and for a file with annotations: the code equals nvcc's
	ptx "$nvcc" u.cu '' want.ptx && auto -ptx -DNO_MAIN u.cu -o got.ptx 2>err && cmp want.ptx got.ptx && grep -q 'ccc-auto needs a profile: .*ccc-profile-missing' err || { cat err; return 1; }
	printf 'cccprof 1\n' >none.cccprof && auto -ptx -DNO_MAIN --ccc-profile-use=none.cccprof u.cu -o got.ptx 2>err && cmp want.ptx got.ptx && ! grep -q . err || { cat err; return 1; }
	auto -ptx -DNO_MAIN --ccc-Wno-ccc-profile-missing u.cu -o got.ptx 2>err && ! grep -q . err
}
annotated() { # a file that contains annotations gets no others
	sed '27s/$/\n#pragma ccc for/; 29s/$/\n#pragma ccc if/' u.cu >own.cu && counted && auto --ccc-profile-use=u.cccprof --ccc-report own.cu -ptx -o own.ptx 2>err
	cat err
	grep -q '1 annotated loops\? ' err || grep -q 'of 1 annotated' err
}
left_annotated() { # where no annotation is applied, the profile selects as without annotations
	counted && cp u.cu without.cu &&
		sed '/__global__ void always/,/^}/s/for (int i/_Pragma("ccc for") &/' without.cu >u.cu &&
		auto --ccc-profile-use=u.cccprof --ccc-report=own.txt u.cu -ptx -o own.ptx 2>err
	mv without.cu u.cu
	cat err own.txt
	grep -A1 'kernel sums' own.txt | grep -q 'transformed, policy ahead' && grep -A1 'kernel always' own.txt | grep -q 'left unchanged'
}
macros() { # statements that cannot be distinguished get no annotation, and nothing breaks
	cat >m.cu <<-'E2'
	#include "u.cuh"
	#define TWO(x) if (x > 0.95f) sum += work(x); if (x < 0.01f) sum += work(x + 1)
	__global__ void two(const float *__restrict__ in, float *__restrict__ out, int n)
	{
		float sum = 0;
		for (int i = threadIdx.x; i < n; i += blockDim.x) { float x = in[i]; TWO(x); }
		out[threadIdx.x] = sum;
	}
	E2
	auto --ccc-profile-generate -ptx m.cu -o m.ptx && printf 'cccprof 1\n' >none.cccprof && auto --ccc-profile-use=none.cccprof -ptx m.cu -o m2.ptx && "$nvcc" -arch=sm_80 -ptx m.cu -o m3.ptx && cmp m2.ptx m3.ptx
}
melded() { # similar arms are melded if the profile says that lanes of one warp take both, and only then
	cat >a.cu <<-'E2'
	#include <cstdio>
	#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
	__global__ void arms(const float *in, float *out, int n)
	{
		EACH(i, n) {
			float x = in[i], s = 0;
			if (x > 0.5f) {
				#pragma unroll 1
				for (int k = 0; k < 40; k++)
					s = s * 0.75f + sqrtf(x + k);
			} else {
				#pragma unroll 1
				for (int k = 0; k < 40; k++)
					s = s * 0.25f + sqrtf(x + 3 * k);
			}
			out[i] = s;
		}
	}
	__global__ void walks(const int *__restrict__ from, int *__restrict__ out, int n)
	{
		EACH(i, n) {
			unsigned x = from[i], steps = 0;
			do {
				x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12, x *= 0x297a2d39u, x ^= x >> 15;
				x = x % 1000003u * 4057u + x / 7001u;
				steps++;
			} while (x % 32);
			out[i] = steps;
		}
	}
	int main(int argc, char **)
	{
		enum { N = 4096 };
		float *in, *out;
		int *from, *steps;
		double s = 0;
		cudaMallocManaged(&in, N * sizeof *in);
		cudaMallocManaged(&out, N * sizeof *out);
		cudaMallocManaged(&from, N * sizeof *from);
		cudaMallocManaged(&steps, N * sizeof *steps);
		for (int i = 0; i < N; i++)
			in[i] = argc > 1 ? i / 32 % 2 : i % 2, from[i] = i * 7919;
		arms<<<2, 64>>>(in, out, N);
		walks<<<2, 64>>>(from, steps, N);
		cudaDeviceSynchronize();
		for (int i = 0; i < N; i++)
			s = s * 0.5 + out[i] + steps[i];
		printf("%.9g\n", s);
	}
	E2
	"$nvcc" -arch=sm_80 -cudart shared a.cu -o a.plain && auto --ccc-profile-generate --ccc-profile-sampling=0 -cudart shared a.cu -o a.counts || return 1
	for data in '' alike; do
		rm -f a.cccprof
		# shellcheck disable=SC2086
		CCC_PROFILE_FILE=a.cccprof "$BIN/ptxrun" -- ./a.counts $data >/dev/null && auto --ccc-profile-use=a.cccprof --ccc-report=a.txt -cudart shared a.cu -o a.exe &&
			"$BIN/ptxrun" -- ./a.plain $data >want && "$BIN/ptxrun" -- ./a.exe $data >got && cmp want got || return 1
		cat a.txt
		if [ -z "$data" ]; then
			grep -q 'melded: of ' a.txt && grep -A1 'kernel walks' a.txt | grep -q flatten || return 1
		else
			! grep -q 'melded: of ' a.txt || return 1
		fi
	done
	auto -ptx a.cu -o a.ptx 2>/dev/null && "$nvcc" -arch=sm_80 -ptx a.cu -o a2.ptx && cmp a.ptx a2.ptx
}
nests() { # FIRST SECOND FILE: a program with two candidates that exclude each other counts both
	[ -s n.cu ] || { cat "$tree/tests/suggest/nests.cu" - >n.cu <<-'E2'
	#include <cstdio>
	#include <cstdlib>
	int main(int, char **v)
	{
		enum { N = 2048 };
		int *a;
		float *out;
		double s = 0;
		cudaMallocManaged(&a, 2 * (N + 16) * sizeof *a);
		cudaMallocManaged(&out, N * sizeof *out);
		for (int i = 0; i < 2 * (N + 16); i++)
			a[i] = i * 7919u % 1009 % 20;
		nest<<<2, 64>>>(N, atoi(v[1]), atoi(v[2]), a, a + N + 16, out);
		cudaDeviceSynchronize();
		for (int i = 0; i < N; i++)
			s = s * 0.5 + out[i];
		printf("%.9g\n", s);
	}
	E2
	}
	[ -x n.counts ] || auto --ccc-profile-generate --ccc-profile-sampling=0 -cudart shared n.cu -o n.counts || return 1
	rm -f "$3"
	CCC_PROFILE_FILE=$3 "$BIN/ptxrun" -- ./n.counts "$1" "$2"
}
nested() { # the profile selects the one that gains, and the result is the same
	for data in '20 1 22' '1 0 18'; do
		# shellcheck disable=SC2086
		set -- $data
		rm -f n.txt
		nests "$1" "$2" n.cccprof >want && auto --ccc-profile-use=n.cccprof --ccc-report=n.txt -cudart shared n.cu -o n.exe 2>/dev/null && "$BIN/ptxrun" -- ./n.exe "$1" "$2" >got && cmp want got || return 1
		cat n.txt
		grep -A1 "n.cu:$3: kernel nest, path .*n.cu:$3" n.txt | grep -q 'transformed, policy' && [ "$(grep -c 'transformed, policy' n.txt)" = 1 ] || return 1
	done
}
points() { # FILE LINE: the numbers of a branch's record
	sed -n "/^cut if .*n.cu\":$2:/,/^end/p" "$1" | grep -v '^cut\|^inlined\|^block'
}
alone() { # the counts of each candidate equal those for an annotation of it alone, and the emulator's
	nests 20 1 n.cccprof && "$cccnvcc" -arch=sm_80 --ccc-auto --ccc-markers-only -cudart shared n.cu -o n.markers && rm -f m.cccprof && "$BIN/ptxrun" --profile=m.cccprof -- ./n.markers 20 1 || return 1
	for lines in '18 16' '22 21'; do
		# shellcheck disable=SC2086
		set -- $lines
		sed "$2s/^/#pragma ccc for proven\n#line $2 \"n.cu\"\n/; $1s/^/#pragma ccc if proven\n#line $1 \"n.cu\"\n/" n.cu >one.cu
		"$cccnvcc" -arch=sm_80 --ccc-profile-generate --ccc-profile-sampling=0 -cudart shared one.cu -o one.counts 2>/dev/null && rm -f one.cccprof && CCC_PROFILE_FILE=one.cccprof "$BIN/ptxrun" -- ./one.counts 20 1 || return 1
		points n.cccprof "$1" | grep -v '^end' >got && sed -n '/^cut if/,/^end/p' one.cccprof | grep -v '^cut\|^inlined\|^block\|^end' >want && points m.cccprof "$1" | grep -v 'sectors\|^end' >emulated
		cat want got emulated
		[ -s want ] && cmp want got && cmp want emulated || return 1
	done
}
exits() { # a loop that lanes leave apart, with long code at an exit, is left together; the branch is in a function that is inlined twice
	cat >e.cu <<-'E2'
	#include <cstdio>
	__device__ unsigned mix(unsigned x, int n)
	{
		#pragma unroll 1
		for (int i = 0; i < n; i++)
			x ^= x << 13, x ^= x >> 17, x ^= x << 5;
		return x;
	}
	__device__ __forceinline__ unsigned step(unsigned x)
	{
		if (x % 4 == 1)
			x = mix(x, 12);
		return x * 1664525 + 1013904223;
	}
	__global__ void march(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n)
	{
		int i = blockIdx.x * blockDim.x + threadIdx.x, k;
		if (i >= n)
			return;
		unsigned x = in[i], found = 0;
		#pragma unroll 1
		for (k = 0; k < 64; k++) {
			x = step(x);
			if (x >> 28 == 0) {
				found = mix(x, 200);
				break;
			}
		}
		#pragma unroll 1
		for (int j = 0; j < 2; j++)
			x = step(x);
		out[i] = found + k + x;
	}
	int main()
	{
		enum { N = 4096 };
		unsigned *in, *out, s = 0;
		cudaMallocManaged(&in, N * sizeof *in);
		cudaMallocManaged(&out, N * sizeof *out);
		for (int i = 0; i < N; i++)
			in[i] = i * 2246822519u;
		march<<<N / 128, 128>>>(in, out, N);
		cudaDeviceSynchronize();
		for (int i = 0; i < N; i++)
			s = s * 31 + out[i];
		printf("%u\n", s);
	}
	E2
	"$nvcc" -arch=sm_80 -cudart shared e.cu -o e.plain && auto --ccc-profile-generate --ccc-profile-sampling=0 -cudart shared e.cu -o e.counts && "$cccnvcc" -arch=sm_80 --ccc-auto --ccc-markers-only -cudart shared e.cu -o e.markers || return 1
	rm -f e.cccprof m.cccprof
	CCC_PROFILE_FILE=e.cccprof "$BIN/ptxrun" -- ./e.counts >got && "$BIN/ptxrun" --profile=m.cccprof -- ./e.markers >/dev/null && "$BIN/ptxrun" --counts=want.counts -- ./e.plain >want && cmp want got || return 1
	auto --ccc-profile-use=e.cccprof --ccc-report=e.txt -cudart shared e.cu -o e.exe 2>/dev/null && "$BIN/ptxrun" --counts=got.counts -- ./e.exe >got; cat e.txt e.cccprof want.counts got.counts
	cmp want got && [ "$(grep '^exits' e.cccprof)" = "$(grep '^exits' m.cccprof)" ] && grep -q '^exits' e.cccprof && grep -A1 'kernel march' e.txt | grep -q 'transformed, policy' &&
		[ "$(issued got.counts)" -lt $(($(issued want.counts) / 2)) ]
}
elsewhere() { # a profile of the same source in another folder is as good
	[ -s e.cccprof ] || exits >log || { cat log; return 1; }
	sed 's|"[^"]*/e.cu"|"/elsewhere/e.cu"|' e.cccprof >else.cccprof && auto --ccc-profile-use=else.cccprof --ccc-report=else.txt -cudart shared e.cu -o e.exe 2>/dev/null; cat else.txt
	grep -v '^==' else.txt >else.plain
	grep -v '^==' e.txt | cmp - else.plain
}
issued() { sed -n 2p "$1" | cut -f2; }
uncounted() { # if there is nothing to count, a message says so, and the code equals nvcc's
	echo '__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }' >c.cu
	auto --ccc-profile-generate -ptx c.cu -o c.ptx 2>err && "$nvcc" -arch=sm_80 -ptx c.cu -o c2.ptx; cat err
	grep -q 'warning: nothing is counted here: .*ccc-profile-missing' err
}
unrolled() { # a loop whose branch unrolling would copy is not unrolled; a function that is left is nvcc's
	grep -v '#pragma ccc' "$tree/samples/rt.cu" >rt.cu && auto -std=c++17 -I"$tree/samples" --ccc-markers-only -ptx rt.cu -o rt.ptx && grep 'ccc begin if' rt.ptx
	[ "$(grep -c '// .ccc begin if .*rt.cu":39:' rt.ptx)" = 1 ] || return 1
	counted && auto --ccc-profile-use=u.cccprof -ptx -DNO_MAIN u.cu -o u.ptx 2>/dev/null && ptx "$nvcc" u.cu '' want.ptx || return 1
	for kernel in pointers always sums; do
		for file in u want; do
			awk -v name="${#kernel}$kernel" 'index($0, ".entry _Z" name) { on = 1 } on; on && /^}/ { exit }' $file.ptx >$file.$kernel
		done
	done
	grep -q . u.pointers && cmp u.pointers want.pointers && cmp u.always want.always && ! cmp u.sums want.sums
}
broken() { # error messages are those of nvcc
	echo 'int main() { return x; }' >b.cu
	printf 'cccprof 1\n' >none.cccprof
	same=$(cd . && "$nvcc" -arch=sm_80 -c b.cu -o b.o 2>&1; echo $?)
	got=$(auto --ccc-profile-use=none.cccprof -c b.cu -o b.o 2>&1; echo $?)
	echo "$same"; echo "$got"
	[ "$same" = "$got" ]
}
by_choice() { # a choice measured by ccc-tune is followed without counts
	printf 'cccprof 1\n' >none.cccprof && auto --ccc-profile-use=none.cccprof --ccc-report=key.json -c u.cu -o c.o &&
		sed -n 's/.*"key": "\(cut if .*u.cu\\":9:.*\)\\u000a", .*/\1/p' key.json | sed 's/\\"/"/g; s/\\u000a/\n/g' >key; cat key key.json
	[ -s key ] && 
		{ echo 'cccprof 2'; cat key; echo "choice ahead(8) $("$BIN/ptxccc" --version | sed 's/^ptxccc \([^ ]*\).*/\1/')"; echo end; } >c.cccprof
	auto --ccc-profile-use=c.cccprof --ccc-report=c.txt -c u.cu -o c.o; cat c.txt
	grep -A1 'kernel sums' c.txt | grep -q 'transformed, policy ahead' && [ "$(grep -c 'transformed, policy' c.txt)" = 1 ]
}
tuned() { # ccc-tune measures such loops like others: here each policy of one of them, on the emulator
	sed '/^__global__ void otherwise/,/^#ifndef/d' u.cu | sed 's/sums, otherwise, pointers, always/sums/; /tasks<<</,+1d; /^#endif/d' >one.cu && counted || return 1
	"$BIN/ccc-tune" --build "$cccnvcc -arch=sm_80 --ccc-auto one.cu -o one.exe" --top 1 --runs 1 --warmup 0 -- ./one.exe
	status=$?
	cat ccc-tune.cccprof
	[ $status = 0 ] && grep -q '^choice ahead(' ccc-tune.cccprof && auto --ccc-profile-use=ccc-tune.cccprof --ccc-report=one.txt -c one.cu -o one.o; cat one.txt
	grep -q 'transformed, policy ahead' one.txt
}
contracted() { # results are those of the machine code: the text has what ptxas contracts written out, if that can be proved
	cat >f.cu <<-'E2'
	#include <cstdio>
	#ifdef AS_PTXAS // what ptxas contracts
	#define SQUARES(v, b) __fma_rn(b, b, __dmul_rn(v, v))
	#define CROSS(v, a, b, t) __fma_rn(v, a, -__dmul_rn(b, t))
	#else
	#define SQUARES(v, b) ((v) * (v) + (b) * (b))
	#define CROSS(v, a, b, t) ((v) * (a) - (b) * (t))
	#endif
	#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
	__global__ void both(const double *__restrict__ in, double *__restrict__ out, int n, double t)
	{
		double sum = 0;
		EACH(i, n) {
			double a = in[i], b = 0.9 + in[n - 1 - i] / 10;
			if (a > 0.95) {
				double v = pow(a, 2.0);
				#pragma unroll 1
				for (int k = 0; k < 40; k++)
					v = CROSS(v, v, b, t); // chaotic: every bit counts
				sum += SQUARES(v + 1, b);
			}
		}
		out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
	}
	// ptxas drops the fabs, and contracts the square.
	__global__ void hidden(const double *__restrict__ in, double *__restrict__ out, int n, double t)
	{
		float sum = 0;
		EACH(i, n) {
			float a = in[i], v = fabsf(a * a) + (float)t;
			if (a > 0.95f) {
				#pragma unroll 1
				for (int k = 0; k < 40; k++)
					v = sqrtf(v) + 1;
				sum += v;
			}
		}
		out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
	}
	int main()
	{
		enum { N = 20000, T = 256 };
		double *in, *out;
		unsigned long long hash = 0;
		cudaMallocManaged(&in, N * sizeof *in);
		cudaMallocManaged(&out, T * sizeof *out);
		for (int i = 0; i < N; i++)
			in[i] = i * 7919 % 1000 / 1000.;
		for (auto k : { both, hidden }) {
			k<<<4, T / 4>>>(in, out, N, 1.9);
			cudaDeviceSynchronize();
			for (int i = 0; i < T; i++)
				hash = hash * 31 + ((unsigned long long *)out)[i];
		}
		printf("%llx %s\n", hash, cudaGetErrorString(cudaGetLastError()));
	}
	E2
	auto --ccc-profile-generate --ccc-profile-sampling=0 f.cu -o f.counts && CCC_PROFILE_FILE=f.cccprof "$BIN/ptxrun" -- ./f.counts &&
		auto --ccc-profile-use=f.cccprof --ccc-report=f.txt -cudart shared f.cu -o f.exe && cat f.txt &&
		"$nvcc" -arch=sm_80 -cubin f.cu -o plain.cubin && "$nvcc" -arch=sm_80 -cubin -DAS_PTXAS f.cu -o as.cubin && cmp plain.cubin as.cubin &&
		"$nvcc" -arch=sm_80 -cudart shared -DAS_PTXAS f.cu -o as.exe && "$BIN/ptxrun" -- ./as.exe >want && "$BIN/ptxrun" -- ./f.exe >got && cat want got && cmp want got && grep -q 'no error' got || return 1
	grep -A1 'kernel both' f.txt | grep -q 'transformed, policy' && grep -A1 'kernel hidden' f.txt | grep -q 'left unchanged: whether ptxas fuses' || return 1
	# At this level ptxas contracts nothing: the guess is right for the other kernel.
	auto --ccc-profile-use=f.cccprof --ccc-report=f0.txt -Xptxas -v,-O0 -cubin f.cu -o f0.cubin 2>err; cat err f0.txt
	grep -A1 'kernel both' f0.txt | grep -q 'left unchanged' && grep -A1 'kernel hidden' f0.txt | grep -q 'transformed, policy'
}
bug() { # a text that the validator rejects is reported, by a ptxccc that omits a line of its template
	counted || return 1
	line=$(grep -n "brev.*noted" "$tree/transform/wait/wait.tpl" | cut -d: -f1)
	printf '#!/bin/sh\nexec "%s" --omit-line=wait.tpl:%s "$@"\n' "$BIN/ptxccc" "$line" >faulty && chmod +x faulty
	CCC_PTXCCC=$PWD/faulty auto --ccc-profile-use=u.cccprof --ccc-report=bug.txt -ptx -DNO_MAIN u.cu -o bug.ptx 2>told; cat told
	[ "$(grep -c "warning: left unchanged: the transformed text is wrong.*ccc-bug" told)" = 2 ]
}
# What the lanes of a warp add to a counter in one iteration is one atomic operation. Lanes of different iterations leave the loop
# before it at different times: an operation for each. Counts of an H100, where look-ahead takes 2.5 times as long.
apart() {
	cat >p.cccprof <<'E2'
cccprof 7
memory 3352320000 261360000
cut if "bench/decisions/primes.cu":22:4 _Z12count_primesjijPjPh 92a61e1964df3d74
iterations 33554432 1048576
entries 540672 16896
launches 2
threads 256
lanes 4:33552 5:243276 6:411038 7:251656 8:100664 9:8390
again 6188894
block 1 67449596 14025070 1075126084 24 48 731523574
atomics 6459230 4597016 143567 143567
end
cut for "bench/decisions/primes.cu":25:6 _Z12count_primesjijPjPh 66e00a0d0f191c23
iterations 33554432 1048576
entries 540672 16896
launches 2
threads 256
lanes 32:1048576
atomics 33554432 4597016 143570 143570
end
cut for-var "bench/decisions/primes.cu":25:6 _Z12count_primesjijPjPh 8651fe54a46f6105
iterations 33554432 1048576
entries 540672 16896
launches 2
threads 256
lanes 2:8390 4:33552 5:226496 6:377478 7:234876 8:100664
trips 67449596 14025070 48
end
cut for-var "bench/decisions/primes.cu":25:6 _Z12count_primesjijPjPh 8651fe54a46f6105
whole 67449596 5378434
end
E2
	primes() { auto --ccc-profile-use=$1 --ccc-report=p.txt -std=c++17 -c "$tree/bench/decisions/primes.cu" -o p.o; cat p.txt; }
	primes p.cccprof | grep -q "'ahead(32)' would take .*(0\.[0-9]*x, by the profile)" || return 1
	sed '/^atomics/s/[0-9]*$/0/' p.cccprof >scattered.cccprof # to lines of their own
	primes scattered.cccprof | grep -q 'transformed, policy'
}
# 6.5 lanes of a warp run an iteration of the original loop together; each group of them runs the common code. Counts of an H100,
# where `stack`, for which all lanes meet, takes 1/2.58 of the time.
groups() {
	cat >p.cccprof <<'E2'
cccprof 7
memory 3352320000 261360000
cut for "bench/decisions/jaccard.cu":23:1 _Z9intersectiPKiS0_S0_iPiPf c86048c7047c33e2
iterations 25054528 3834559
entries 540672 16896
launches 2
threads 256
lanes 1:385434 2:408981 3:352699 4:654399 5:227366 6:260076 7:191313 8:369702 9:133000 10:142010 11:96815 12:200003 13:63033 14:63196 15:41332 16:96313 17:22742 18:21243 19:12744 20:37444 21:5117 22:4118 23:2030 24:15186 25:762 26:602 27:279 28:7224 29:68 30:40 31:22 32:19266
block 1 180540416 51085123 6318824556 99 198 0
block 2 882139350 268036544 146453900186 955 1910 0
atomics 25054528 169488 5466 0
end
cut if "bench/decisions/jaccard.cu":40:1 _Z9intersectiPKiS0_S0_iPiPf 846e0f5a1469a852
iterations 25054528 3834559
entries 540672 16896
launches 2
threads 256
lanes 1:464741 2:342300 3:234117 4:320031
again 3064232
block 1 3131816 1361189 3131816 1 2 0
block 2 50109056 21779024 801744896 16 32 0
block 3 0 0 0 0 0 0
block 4 0 0 0 0 0 0
end
E2
	intersect() { "$cccnvcc" -arch=sm_90 -DPLAN=0 --ccc-choose=best --ccc-profile-use=$1 --ccc-report=groups.txt -std=c++17 -I"$tree/bench/decisions" -c $2 -o p.o 2>/dev/null; cat groups.txt; }
	jaccard=$tree/bench/decisions/jaccard.cu
	intersect p.cccprof "$jaccard" | grep -q 'expected: 2\.[0-9]*x' || return 1
	sed '/^iterations/s/ [0-9]*$/ 782955/' p.cccprof >together.cccprof
	! intersect together.cccprof "$jaccard" | grep -q 'transformed, policy'
}
t "same result" same_result
t "taken" taken
t "the arm of an else" other_arm
t "left unchanged" left
t "one task per thread" threads
t "no warnings" quiet
t "contracted multiplications" contracted
t "a bug in ptxccc" bug
t "code that needs a promise" promises
t "and suggestions, once" suggests
t "nothing to do" nothing
t "a file with annotations" annotated
t "annotations that are left" left_annotated
t "macros" macros
t "arms, and a do loop" melded
t "nested candidates" nested
t "counts of each candidate alone" alone
t "code of an exit" exits
t "a profile of another folder" elsewhere
t "nothing to count" uncounted
t "atomic operations" apart
t "groups of lanes" groups
t "unrolled loops" unrolled
t "errors" broken
t "a choice" by_choice
t "tuned" tuned
finish
