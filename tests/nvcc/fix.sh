#!/bin/sh
# SPDX-License-Identifier: MIT
# fix.sh [-v] [-b] [PATTERN]: the patches of --ccc-suggest=fix and --ccc-suggest=try. Patches of the programs in styles/ are those of
# styles/fixes.patch (-b rewrites it), apply with patch -p1, and the patched sources compile to PTX with a marker for each annotation.
# --ccc-suggest=try keeps what gains and refutes the rest, on the emulator. Needs nvcc and patch, no GPU.
part=fixes
bless=
[ "${1:-}" != -b ] || { bless=1; shift; }
. "$(dirname "$0")/frame.sh"
unset CCC_PTXCCC CCC_FLAGS CCC_FIXES
export CCC_PTXAS=
command -v patch >/dev/null || { echo "$part: 0 passed, 0 failed, 1 skipped"; exit 0; }
flags='-std=c++17 --extended-lambda -arch=sm_80'
fix() { "$cccnvcc" --ccc-suggest=fix $flags "$@" 2>err; } # the patch is on standard output
apply() { patch -s -f -p1 "$@" && ! ls ./*.rej ./*.orig >/dev/null 2>&1; }
markers() { # markers FILE...: the annotations in the compiled code, FILE:LINE
	for source; do
		"$cccnvcc" --ccc-markers-only $flags -ptx "$source" -o m.ptx || return
		sed -n 's/^.*\.ccc begin \([a-z-]*\) [0-9]* "\([^"]*\)":\([0-9]*\).*/\1 \2:\3/p' m.ptx | sed '/^iteration/d; s/.* //; s|^\./||'
	done | sort -u
}
annotations() { grep -n '#pragma ccc' /dev/null "$@" | sed 's/\([^:]*:[0-9]*\):.*/\1/' | sort -u; }
reached() { # each annotation of the sources, and of work.cuh, is in the compiled code
	annotations "$@" $(ls work.cuh 2>/dev/null) >want
	markers "$@" >got && diff want got && [ -s want ]
}
style() { # FILE: the patch is as expected, applies, and compiles
	rm -rf s && cp -r "$tree/tests/nvcc/styles" s && cd s || return
	fix -ptx "$1" -o s.ptx >p.patch || { cat err; return 1; }
	cat p.patch >>../patches
	[ ! -s p.patch ] || { apply <p.patch && reached "$1"; }
}
expected() {
	[ -z "$bless" ] || cp patches "$tree/tests/nvcc/styles/fixes.patch"
	diff "$tree/tests/nvcc/styles/fixes.patch" patches
}
kernel() { # kernel NAME: a loop with a costly branch
	printf '__global__ void %s(const int *in, int *out, int n)\n{\n\tfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n' "$1"
	printf '\t\tint v = in[i];\n\t\tif (v %% 7 == 0) {\n\t\t\tfor (int j = 0; j < 40; j++)\n\t\t\t\tv = v * 1664525 + 1013904223 + (v >> 3) %% 7;\n'
	printf '\t\t\tout[i] = v;\n\t\t}\n\t}\n}'
}
in_folder() { rm -rf f && mkdir -p f && cd f || exit; }
crlf() { # the inserted lines end as the file's do
	in_folder
	{ kernel k; echo; } | sed 's/$/\r/' >k.cu
	fix -ptx k.cu -o k.ptx >p.patch && cp k.cu old && apply <p.patch && [ "$(grep -c '#pragma' k.cu)" = 2 ] && [ "$(grep -c "$(printf '\r')\$" k.cu)" = "$(wc -l <k.cu)" ] &&
		grep -v '#pragma' k.cu | cmp - old && reached k.cu
}
no_newline() { # a file whose last line has no newline, and is in the patch's context
	in_folder
	printf '__global__ void k(const int *in, int *out, int n)\n{ for (int i = threadIdx.x; i < n; i += blockDim.x)\n        if (in[i] %% 7 == 0) { int v = in[i]; for (int j = 0; j < 40; j++) v = v * 1664525 + (v >> 3) %% 7; out[i] = v; } }' >k.cu
	fix -ptx k.cu -o k.ptx >p.patch && grep -q '^\\ No newline at end of file' p.patch && apply <p.patch && reached k.cu && [ "$(tail -c 1 k.cu)" = '}' ]
}
split() { # a statement after another one on its line gets a line, also in a line with CR
	in_folder
	kernel k | sed 's/^\t*{$/{ int m = n;/; s/< n/< m/' | tr '\n' '\r' | sed 's/m = n;\r\t/m = n; /' | tr '\r' '\n' | sed 's/$/\r/' >k.cu
	fix -ptx k.cu -o k.ptx >p.patch && apply <p.patch && reached k.cu && grep -q "^{ int m = n;$(printf '\r')\$" k.cu && grep -q '^for (' k.cu
}
spaces() { # names with blanks, in a folder
	in_folder
	mkdir 'a b' && kernel k >'a b/c d.cu'
	fix -ptx 'a b/c d.cu' -o k.ptx >p.patch && apply <p.patch && [ "$(grep -c '#pragma' 'a b/c d.cu')" = 2 ]
}
several() { # two sources with a common header, for two architectures, linked: each line once
	in_folder
	echo '#pragma once' >h.cuh
	kernel k | sed 's/__global__/static &/' >>h.cuh
	{ echo '#include "h.cuh"'; kernel a; echo; echo 'void f(const int *p, int *q) { k<<<1, 32>>>(p, q, 1); }'; } >a.cu
	{ echo '#include "h.cuh"'; echo 'int main() { k<<<1, 32>>>(nullptr, nullptr, 0); }'; } >b.cu
	"$cccnvcc" --ccc-suggest=fix -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 a.cu b.cu -o ab >p.patch 2>err || { cat err; return 1; }
	[ -x ab ] && [ "$(grep -c '^+.*#pragma' p.patch)" = 4 ] && [ "$(grep -c '^+++' p.patch)" = 2 ] && apply <p.patch && reached a.cu h.cuh 2>/dev/null
	[ "$(grep -c '#pragma ccc' h.cuh) $(grep -c '#pragma ccc' a.cu)" = '2 2' ] && [ "$(grep -c 'branch in k$' err)" = 1 ]
}
alone() { # a loop whose exits have code of their own: one annotation
	in_folder
	cp "$tree/tests/suggest/exits.cu" k.cu
	fix -ptx k.cu -o k.ptx >p.patch && apply <p.patch && [ "$(sed -n '/#pragma ccc/{n;s/^\t//p;}' k.cu)" = 'for (int k = 0; k < most; k++) {' ] &&
		[ "$(grep -c '#pragma ccc for policy(converge)$' k.cu) $(grep -c '#pragma ccc' k.cu)" = '1 1' ] && reached k.cu
}
named() { # the patch names the policy where the annotation without it gets another plan than the one whose gain is printed
	in_folder
	{ kernel k; echo; } >k.cu
	printf 'cccprof 1\ncut if "%s/k.cu":5:1 _Z1kPKiPii 0000000000000001\niterations 3200 100\nlanes 1:100\nend\n' "$PWD" >p.cccprof
	fix --ccc-profile-use=p.cccprof -ptx k.cu -o k.ptx >p.patch && apply <p.patch || { cat err; return 1; }
	plan=$(sed -n 's/^ *plan: policy(\(.*\)), [0-9]* bytes a task.*/\1/p' err)
	[ "$plan" ] && grep -q "#pragma ccc if policy($plan)\$" k.cu && "$cccnvcc" --ccc-report $flags -ptx k.cu -o k.ptx 2>err && grep -qF "transformed, policy $plan" err &&
		sed -i 's/ policy(.*$//' k.cu && "$cccnvcc" --ccc-report $flags -ptx k.cu -o k.ptx 2>err && grep -q 'transformed, policy' err && ! grep -qF "policy $plan" err || { cat k.cu err; return 1; }
	in_folder
	{ kernel k; echo; } >k.cu
	fix -ptx k.cu -o k.ptx >p.patch && apply <p.patch && grep -q '#pragma ccc if$' k.cu
}
object() { # the build is as without the option
	in_folder
	kernel k >k.cu
	fix -c k.cu -o k.o >p.patch && "$cccnvcc" $flags -c k.cu -o want.o && "$fatbin" -ptx k.o >a && "$fatbin" -ptx want.o >b && diff a b && [ -s a ]
}
refused() { # refused FILE REASON: what cannot be patched has a reason, and the patch is empty
	fix -I. -ptx "$1" -o k.ptx >p.patch; cat p.patch err
	[ ! -s p.patch ] && grep -q "note: not in the patch: $2" err
}
outside() { in_folder && mkdir in && kernel k >k.cu && cd in && refused ../k.cu "its file is not in the current folder, nor below it"; }
renumbered() { in_folder && { echo '#line 100'; kernel k; } >k.cu && refused k.cu "'#line' renumbers the lines of its file"; }
in_macro() { # a statement inside a macro expansion
	in_folder
	{ echo '#define BODY int v = in[i]; if (v % 7 == 0) { for (int j = 0; j < 40; j++) v = v * 1664525 + (v >> 3) % 7; out[i] = v; }'
	echo '__global__ void k(const int *in, int *out, int n)'; echo '{'; echo 'for (int i = threadIdx.x; i < n; i += blockDim.x) {'; echo 'BODY } }'; } >k.cu
	fix -ptx k.cu -o k.ptx >p.patch; cat p.patch err
	[ ! -s p.patch ] && grep -q 'why not: it is in a macro; write the annotation in the macro' err
}
one_line() { # two statements of a kind on one line
	in_folder
	{ echo '__global__ void k(const int *in, int *out, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) {'
	echo 'int v = in[i]; if (v % 7 == 0) out[i] = 1; if (v % 5 == 0) { for (int j = 0; j < 40; j++) v = v * 1664525 + (v >> 3) % 7; out[i + n] = v; } } }'; } >k.cu
	fix -ptx k.cu -o k.ptx >p.patch; cat p.patch err
	[ ! -s p.patch ] && grep -q 'why not: its line has several statements of this kind' err
}
annotated() { # functions with annotations keep those that they have; others get theirs
	in_folder
	{ kernel a | sed 's/^\tfor/\t#pragma ccc for\n&/; s/^\t\tif/\t\t#pragma ccc if\n&/'; echo; kernel b; } >k.cu
	fix -ptx k.cu -o k.ptx >p.patch && apply <p.patch && [ "$(grep -c '#pragma' k.cu)" = 4 ] && reached k.cu
}
nothing() { # an empty patch, with a message; the object is built
	in_folder
	echo '__global__ void k(int *p) { p[threadIdx.x] = 1; }' >k.cu
	fix -c k.cu -o k.o >p.patch && [ -s k.o ] && [ ! -s p.patch ] && grep -q 'the patch is empty' err
}
failing() { # a source with errors: nvcc's messages and status, and no patch
	in_folder
	{ kernel k; echo; echo 'int f() { return g(); }'; } >k.cu
	! fix -c k.cu -o k.o >p.patch && [ ! -s p.patch ] && grep -q 'identifier "g" is undefined' err
}
# four loops: independent; with a broken promise; with sums that depend on the order of iterations; whose branch never diverges
program() {
	cat <<'E2'
#include <cstdio>
__device__ int sums[64];
E2
	kernel independent
	echo
	kernel dependent | sed 's/out\[i\] = v;/sums[threadIdx.x] += v;/'
	echo
	cat <<'E2'
__global__ void ordered(const int *row, const int *column, const float *a, float *out, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < n) {
		float sum = 0;
		for (int e = row[v]; e < row[v + 1]; e++)
			sum += a[e] * a[column[e]];
		out[v] = sum;
	}
}
E2
	kernel together | sed 's/v % 7 == 0/v % 7 == 0 || n > 1/; s/out\[i\] = v;/out[i] += v;/'
	cat <<'E2'

int main(int, char **argv)
{
	static int h[2048], r[2048];
	int *in, *out;
	unsigned sum = argv[1][0];
	for (int i = 0; i < 2048; i++)
		h[i] = i * 2654435761u >> 5;
	cudaMalloc(&in, sizeof h);
	cudaMalloc(&out, sizeof h);
	cudaMemset(out, 0, sizeof h);
	cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
	independent<<<1, 64>>>(in, out, 2048);
	dependent<<<1, 64>>>(in, out, 2048);
	together<<<1, 64>>>(in, out, 2048);
	cudaMemcpy(r, out, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 2048; i++)
		sum = sum * 31 + r[i];
	static int row[65], column[2048];
	static float a[2048];
	for (int i = 0; i < 64; i++)
		row[i + 1] = row[i] + (i % 8 == 3 ? 200 : 2);
	for (int i = 0; i < 2048; i++)
		column[i] = i * 77 % 2048, a[i] = 1.0f / (i + 3);
	int *rows, *columns;
	float *values;
	cudaMalloc(&rows, sizeof row);
	cudaMalloc(&columns, sizeof column);
	cudaMalloc(&values, sizeof a);
	cudaMemcpy(rows, row, sizeof row, cudaMemcpyHostToDevice);
	cudaMemcpy(columns, column, sizeof column, cudaMemcpyHostToDevice);
	cudaMemcpy(values, a, sizeof a, cudaMemcpyHostToDevice);
	ordered<<<2, 32>>>(rows, columns, values, (float *)out, 64);
	cudaMemcpy(r, out, 64 * 4, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 64; i++)
		sum = sum * 31 + r[i];
	printf("%u\n", sum);
}
E2
}
try() { # what gains and is right is kept; the program is left as the source is
	in_folder
	program >p.cu
	"$cccnvcc" --ccc-suggest=try='./p x' $flags p.cu -o p >p.patch 2>err; status=$?
	cat err p.patch
	[ $status = 0 ] && [ "$(grep -c '^+.*#pragma' p.patch)" = 2 ] || return
	grep -q 'p.cu:7, independent: in the patch' err && grep -q 'p.cu:18, dependent: broken promise at line .*p.cu:21: .*wrote at line .*p.cu:21$' err &&
		grep -q "p.cu:30, ordered: outputs differ: standard output differs from line 1 on: .*; 'reassociate' adds .* ccc-tune --suggest --rtol=1e-6" err && grep -q 'p.cu:39, together: no gain' err &&
		grep -q 'promises: checked in a run on the emulator, for this data' err || return
	"$cccnvcc" $flags p.cu -o plain && "$BIN/ptxrun" --counts=plain.tsv --no-races -- ./plain x >plain.out && "$BIN/ptxrun" --no-races --counts=p.tsv -- ./p x >p.out && cmp plain.out p.out && cmp plain.tsv p.tsv &&
		apply <p.patch && reached p.cu && "$cccnvcc" $flags p.cu -o q && "$BIN/ptxrun" --no-races --counts=q.tsv -- ./q x >q.out && cmp plain.out q.out && ! cmp -s plain.tsv q.tsv
}
try_nothing() { # nothing gains: an empty patch, and success
	in_folder
	program | sed 's/v % 7 == 0/(v % 7 == 0 || n > 1)/' >p.cu
	"$cccnvcc" --ccc-suggest=try='./p x' $flags p.cu -o p >p.patch 2>err; status=$?
	cat err
	[ $status = 0 ] && [ ! -s p.patch ] && [ -x p ] || return
	echo 'int main() { }' >p.cu # no advice
	"$cccnvcc" --ccc-suggest=try=./p $flags p.cu -o p >p.patch 2>err; status=$?
	cat err
	[ $status = 0 ] && [ ! -s p.patch ] && [ -x p ]
}
try_copies() { # an annotation in several copies of a template is one recommendation
	in_folder
	{ echo '#include <cstdio>'; kernel k | sed 's/__global__/template <int N> &/; s/% 7 == 0/% N == 0/'
	echo; cat <<'E2'
int main()
{
	static int h[2048];
	int *in, *out;
	unsigned sum = 0;
	for (int i = 0; i < 2048; i++)
		h[i] = i * 2654435761u >> 5;
	cudaMalloc(&in, sizeof h);
	cudaMalloc(&out, sizeof h);
	cudaMemset(out, 0, sizeof h);
	cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
	k<7><<<1, 64>>>(in, out, 2048);
	k<9><<<1, 64>>>(in, out, 2048);
	cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 2048; i++)
		sum = sum * 31 + h[i];
	printf("%u\n", sum);
}
E2
	} >p.cu
	"$cccnvcc" --ccc-suggest=try=./p $flags p.cu -o p >p.patch 2>err || { cat err; return 1; }
	cat err
	[ "$(grep -c ': in the patch$' err)" = 1 ] && apply <p.patch && reached p.cu
}
try_predicted() { # a gain is that over the program without annotations, also if the annotation's kind implies a policy; the best threshold is advised
	in_folder
	cat >p.cu <<'E2'
#include <cstdio>
__global__ void k(float *out, int n)
{
	unsigned seed = threadIdx.x * 2654435761u | 1;
	float e = 1;
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		if (seed >> 28 == 0) {
			for (int j = 0; j < 60; j++)
				e = sqrtf(e * 0.5f + j);
			seed += (int)e;
		}
	}
	out[threadIdx.x] = e;
}
int main()
{
	float *out, h[32];
	cudaMalloc(&out, sizeof h);
	k<<<1, 32>>>(out, 2000);
	cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
	for (float x : h)
		printf("%.9g\n", x);
}
E2
	"$cccnvcc" --ccc-suggest=try=./p $flags p.cu -o p >p.patch 2>err || { cat err; return 1; }
	cat err
	grep -q '^+.*#pragma ccc predict' p.patch && [ "$(sed -n 's/^ *[0-9.]*x  *\([0-9]\).*: in the patch$/\1/p' err)" -ge 2 ] && grep -q '^+.*threshold(24)$' p.patch
}
try_small() { # a launch with few tasks for a task loop: they say so, and not that nothing is gained
	in_folder
	sed '/pragma ccc/d' "$tree/tests/tune/search.cu" >p.cu
	"$cccnvcc" --ccc-suggest=try='./p 2048' $flags p.cu -o p >p.patch 2>err || { cat err; return 1; }
	cat err
	grep -q "p.cu:[0-9]*, search: not measurable here: 'search' has 2048 tasks for the 1[0-9]* threads of its task loop; use a larger input" err && [ ! -s p.patch ] || return
	"$cccnvcc" --ccc-suggest=try='./p 16384' $flags p.cu -o p >p.patch 2>err || { cat err; return 1; }
	cat err
	grep -q ': in the patch$' err && apply <p.patch && "$cccnvcc" $flags p.cu -o q || return
	"$BIN/ptxrun" --no-races --no-promises --counts -- ./q 2048 2>err && grep -q "^ptxrun: note: 'search(.*)' has 2048 tasks for the 1[0-9]* threads" err &&
		"$BIN/ptxrun" --no-races --counts -- ./q 16384 2>err && ! grep -q 'costs more' err &&
		"$BIN/ptxrun" --no-races --sms 4 --counts -- ./q 16384 2>err && grep -q "^ptxrun: note: 'search(.*)' has 16384 tasks" err
}
both_tests() { # a condition of two tests: its arm is what follows both, which few lanes execute
	in_folder
	cat >p.cu <<'E2'
#include <cstdio>
__device__ float next(unsigned &s)
{
	s = s * 1664525u + 1013904223u;
	return (s >> 8) * (1.0f / 16777216.0f);
}
__global__ void k(float *out, int n)
{
	unsigned s = threadIdx.x + blockIdx.x * 977 + 1;
	float e = 2.f, sum = 0.f;
	int i = 0;
	while (i < n) {
		i++;
		sum += logf(next(s) + 0.1f) / (1.5f + e);
		if (next(s) < 0.3f)
			e = 2.f;
		if (e > 1.f && next(s) < 0.08f) {
			sum += (POW ? powf(e + next(s), 0.7f) : logf(e + next(s))) / (sum + 1.5f);
		} else {
			float q = 2.f * next(s) - 1.f;
			e *= 0.6f + 0.1f * q * rsqrtf(q * q + 0.5f);
			sum += cosf(q) + e;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main()
{
	static float h[256];
	float *out, sum = 0;
	cudaMalloc(&out, sizeof h);
	k<<<2, 128>>>(out, 200);
	cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
	for (float x : h)
		sum += x;
	printf("%g\n", sum);
}
E2
	count() { # POW: the advice by a profile, and a patch by the same one
		nvcc $flags -lineinfo -DPOW=$1 p.cu -o p && "$BIN/ptxrun" --advice --profile=p.cccprof -- ./p 2>advice >/dev/null &&
			fix -DPOW=$1 --ccc-profile-use=p.cccprof -c p.cu -o p.o >p.patch
		cat advice p.patch
	}
	count 0
	[ "$(grep -c 'p.cu:17: branch in k' advice)" = 1 ] && grep -q 'why: 4\.[0-9]* % of the lanes come' advice && [ ! -s p.patch ] || return
	count 1 # which tests its second argument: ptxas knows the result
	! grep -q 'all lanes of a warp take the same edge' advice && [ "$(grep -c '^+.*#pragma' p.patch)" = 2 ] && apply <p.patch || return
	"$cccnvcc" --ccc-report $flags -DPOW=1 --ccc-profile-use=p.cccprof -c p.cu -o p.o 2>err; cat err
	grep -q 'expected: 1\.[0-9]*x .*by the profile' err && grep -q 'profile: 4\.[0-9]* % of the lanes come' err
}
contended() { # what decides is named: atomic operations of all warps on one line
	in_folder
	cat >p.cu <<'E2'
#include <cstdio>
__global__ void k(unsigned *total, unsigned *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned s = (i ^ i >> 5) * 0x9e3779b9u;
		atomicAdd(&total[s >> 30], s & 15);
		if (s >> 16 & 16) {
			for (int j = 0; j < 9; j++)
				s = (s ^ s >> 15) * 0x85ebca6bu + j % 7;
			out[i] = s;
		}
	}
}
int main()
{
	unsigned *total, *out, h[4];
	cudaMalloc(&total, 16);
	cudaMalloc(&out, 40000);
	cudaMemset(total, 0, 16);
	k<<<2, 64>>>(total, out, 4000);
	cudaMemcpy(h, total, sizeof h, cudaMemcpyDeviceToHost);
	printf("%u\n", h[0] + h[1] + h[2] + h[3]);
}
E2
	term='9[0-9] % of the time is atomic operations on one line of memory: accumulate in a register or in shared memory first'
	nvcc $flags -lineinfo p.cu -o p && "$BIN/ptxrun" --no-races --advice --profile=p.cccprof -- ./p 2>advice >/dev/null; cat advice
	grep -q "^         to do: $term$" advice || return
	fix --ccc-profile-use=p.cccprof -c p.cu -o p.o >p.patch; cat err
	[ ! -s p.patch ] || return
	sed -i 's/^\tfor/\t#pragma ccc for\n&/; s/^\t\tif/\t\t#pragma ccc if\n&/' p.cu
	"$cccnvcc" $flags --ccc-profile-use=p.cccprof -c p.cu -o p.o 2>err; cat err
	grep -q '\[-Wccc-no-gain\]$' err && grep -q "^  note: $term$" err
}
usage() { # wrong values
	in_folder
	status 2 "$cccnvcc" --ccc-suggest=fixes -c k.cu && status 2 "$cccnvcc" --ccc-suggest=try -c k.cu && kernel k >k.cu && status 2 "$cccnvcc" --ccc-suggest=fix -run k.cu
}
: >patches
for source in "$tree"/tests/nvcc/styles/*.cu; do
	t "style ${source##*/}" style "${source##*/}"
	cd "$top/work" || exit
done
[ -n "$pattern" ] || t "styles/fixes.patch" expected
for test in crlf no_newline split spaces several alone named object outside renumbered in_macro one_line annotated nothing failing usage try try_nothing try_copies try_predicted try_small both_tests contended; do
	t "$test" $test
	cd "$top/work" || exit
done
finish
