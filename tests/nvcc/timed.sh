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
#include <cstring>
#include <pthread.h>
// The times of the timed launches in milliseconds, one digit each; others have not ended.
static const char *times, *how;
static int wrong;
#ifndef EMULATED
extern "C" cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	cudaThreadExchangeStreamCaptureMode(&mode);
	wrong |= mode != cudaStreamCaptureModeRelaxed;
	cudaThreadExchangeStreamCaptureMode(&mode);
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
#ifdef UNANNOTATED
		for (v++; v != 1; y[i]++)
			v = v & 1 ? v * 3 + 1 : v / 2;
#endif
		#pragma ccc if
		if (v > N) {
			for (int k = 0; k < 40 && v < 1000000; k++)
				v = v * 3 + N;
			y[i] += v % 1009;
		}
	}
}
#ifndef EMULATED
enum { THREADS = 4 };
static int n = 1000, launches, launch, *x, *y;
extern int current_device;
static cudaStream_t stream;
static void *
thread(void *at)
{
	cudaStream_t s;
	int *own = y + n * (1 + (int)(size_t)at);
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	for (int i = 0; i < launches; i++)
		visit<4><<<1, 256, 0, s>>>(x, own, n);
	cudaStreamSynchronize(s);
	return 0;
}
static void
once()
{
	void *args[] = { &x, &y, &n };
	current_device = !strcmp(how, "devices") ? launch & 1 : 0;
	if (!strcmp(how, "api")) {
		cudaLaunchKernel((const void *)visit<4>, dim3(1), dim3(256), args, 0, stream);
	} else if (!strcmp(how, "ex")) {
		cudaLaunchConfig_t c = {};
		c.gridDim = 1, c.blockDim = 256, c.stream = stream;
		cudaLaunchKernelEx(&c, visit<4>, (const int *)x, y, n);
	} else if (!strcmp(how, "exc")) {
		cudaLaunchConfig_t c = {};
		c.gridDim = 1, c.blockDim = 256, c.stream = stream;
		cudaLaunchKernelExC(&c, (const void *)visit<4>, args);
	} else if (!strcmp(how, "cooperative")) {
		cudaLaunchCooperativeKernel((const void *)visit<4>, dim3(1), dim3(256), args, 0, stream);
	} else if (!strcmp(how, "symbol")) {
		cudaFunction_t f;
		void *entry;
		cudaDriverEntryPointQueryResult found;
		cudaGetFuncBySymbol(&f, (const void *)visit<4>);
		cudaGetDriverEntryPointByVersion("cuLaunchKernel", &entry, 12000, cudaEnableDefault, &found);
		wrong |= ((int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))entry)(f, 1, 1, 1, 256, 1, 1, 0, stream, args, 0);
	} else if (!strcmp(how, "pointer")) {
		void (*volatile f)(const int *, int *, int) = visit<4>;
		f<<<1, 256>>>(x, y, n);
	} else if (!strcmp(how, "occupancy")) {
		int grid, block;
		cudaFuncAttributes a;
		cudaOccupancyMaxPotentialBlockSize(&grid, &block, visit<4>);
		cudaFuncGetAttributes(&a, visit<4>);
		visit<4><<<1, block < 512 ? block : 512>>>(x, y, n);
		wrong |= a.maxThreadsPerBlock < 512;
	} else if (!strcmp(how, "sizes")) {
		visit<4><<<launch & 1 ? 8 : 1, 256>>>(x, y, n);
	} else if (!strcmp(how, "shared")) {
		cudaFuncSetAttribute(visit<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
		visit<4><<<1, 256, 65536>>>(x, y, n);
	} else {
		visit<4><<<1, 256, 0, stream>>>(x, y, n);
	}
	launch++;
}
static void
capture()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	for (int i = 0; i < launches; i++)
		once();
	cudaStreamEndCapture(stream, &graph);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphLaunch(exec, stream);
}
int
main(int argc, char **argv)
{
	int s = 0;
	launches = atoi(argv[1]), times = argv[2], how = argc > 3 ? argv[3] : "";
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y * (THREADS + 1));
	for (int i = 0; i < n * (THREADS + 1); i++)
		x[i % n] = i % n * 7919 % 11, y[i] = 0;
	cudaStream_t captured;
	cudaGraph_t graph;
	if (!strcmp(how, "beside")) { // a stream that is captured
		cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking);
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal);
	}
	if (!strcmp(how, "error")) { // which stays the last one
		visit<4><<<1, 4096>>>(x, y, n);
		for (int i = 0; i < 3; i++)
			once();
		wrong |= cudaGetLastError() == cudaSuccess;
		launches -= 3;
	}
	pthread_t t[THREADS];
	if (!strcmp(how, "threads")) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&t[i], 0, thread, (void *)(size_t)i);
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], 0);
	}
	if (strcmp(how, "graph"))
		for (int i = 0; i < launches; i++)
			once();
	if (!strncmp(how, "graph", 5))
		capture();
	if (!strcmp(how, "beside"))
		wrong |= cudaStreamEndCapture(captured, &graph) != cudaSuccess;
	cudaDeviceSynchronize();
	for (int i = 0; i < n * (THREADS + 1); i++)
		s += y[i];
	printf("%d %d %s\n", s, wrong, cudaGetErrorString(cudaGetLastError()));
}
#else
int
main(int argc, char **argv)
{
	int n = 1000, launches = atoi(argv[1]), *x, *y, s = 0;
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	for (int i = 0; i < n; i++)
		x[i] = i * 7919 % 11, y[i] = 0;
	for (int i = 0; i < launches; i++)
		visit<4><<<1, 256>>>(x, y, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++)
		s += y[i];
	printf("%d %s\n", s, cudaGetErrorString(cudaGetLastError()));
}
#endif
E2
# Two devices; the emulator has one.
cat >device.cpp <<'E2'
int current_device;
extern "C" int cudaGetDevice(int *device) { *device = current_device; return 0; }
E2
build() { "$cccnvcc" -arch=sm_90 -cudart shared --ccc-timed "$@"; }
# Removes from `out` what ptxrun says of the versions that ran: "TRANSFORMED ORIGINAL".
versions() { sed -n 's/^ptxrun: timed: .*: \([0-9]*\) launch[es]* of the original, \([0-9]*\) of the transformed kernel.*/\2 \1/p' out && sed -i '/^ptxrun: timed: /d' out; }
# selects N O LAUNCHES TIMES [WAY]: with these times, N launches run the kernel's own version (the transformed one, if the source
# has annotations) and O the other one, and ptxrun says so; the results are those of plain nvcc
selects() {
	rm -f counts
	"$BIN/ptxrun" --counts=counts -- ./${exe:-s}.exe "$3" "$4" ${5:-} >out 2>&1 && "$BIN/ptxrun" -- ./${exe:+${exe}_}plain.exe "$3" "" ${5:-} >want 2>&1 || { cat out want; return 1; }
	cat out want counts
	case ${exe:-} in a) ran="$2 $1" ;; *) ran=$([ "$2" = 0 ] || echo "$1 $2") ;; esac
	[ "$(versions)" = "$ran" ] &&
		cmp out want && grep -q ' 0 no error' out && [ "$(awk -F'\t' 'NR > 1 { n[$NF ~ /_ccc_o/] += $1 } END { print n[0] + 0, n[1] + 0 }' counts)" = "$1 $2" ]
}
# periodic OWN OTHER: times of 192 launches in the order of ccc_timed.h, where the versions' times follow one another periodically
periodic() {
	awk -v own="$1" -v other="$2" 'BEGIN {
		order = "tooottototototttootototooootttttooottoooototttottooottoootttotttooooottttotototototoootoottootttottottoooootototottottottotttooooototooottttotototttotoottotottototoooottootooototttotttoooottto"
		for (i = 0; i < 192; i++) { s = substr(order, i + 1, 1) == "o" ? other : own; printf "%s", substr(s, i % length(s) + 1, 1) }
	}'
}
# after N VERSION OWN OTHER: with these periodic times the version (t or o) is selected after N timed launches
after() {
	rest=$((210 - 2 - $1)) half=$((1 + $1 / 2))
	if [ "$2" = t ]; then selects $((half + rest)) $half 210 "$(periodic "$3" "$4")"; else selects $half $((half + rest)) 210 "$(periodic "$3" "$4")"; fi
}
program() { build s.cu device.cpp -o s.exe && "$cccnvcc" --ccc-off -arch=sm_90 -cudart shared s.cu device.cpp -o plain.exe; }
# With a named policy, in a separately compiled file, for several architectures; without the option.
named() { sed 's/ccc if/ccc if policy(stack)/' s.cu >named.cu && build -ptx named.cu -o named.ptx && ! grep -q _ccc_off named.ptx; }
split() { build -dc s.cu -o s.o && "$cccnvcc" -arch=sm_90 -cudart shared s.o device.cpp -o r.exe && "$fatbin" -elf s.o >dump && grep -q 'visitILi4.*_ccc_off' dump; }
archs() {
	"$cccnvcc" -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 -cudart shared --ccc-timed s.cu device.cpp -o s.exe &&
		selects 4 26 30 544455
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
# The kernel's own version is the original, the transformed one NAME_ccc_on.
own_is_plain() { awk '/\.entry/ { on = /_ccc_on\(/; any += on } /vote.sync/ { n[on]++ } END { exit !(any && n[1] && !n[0]) }' "$1"; }
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
		zi = (2 * zr * zi + ci) * 0.98f + 0.01f;
		zr = t * 0.99f - 0.01f * zi * zi;
		k++;
	}
	y[x] = k;
}
E2
	CCC_FLAGS='' "$cccnvcc" -arch=sm_90 -ptx t.cu -o t.ptx 2>err && grep -q 'not certain without a profile' err &&
		CCC_FLAGS='' build -ptx t.cu -o t.ptx 2>err && cat err && [ ! -s err ] && grep -q '_ccc_on(' t.ptx
}
# A source without annotations: what needs no promise is transformed, and measured by the program in place of a profile, unless
# --ccc-no-timed is given; --ccc-switchable has no measuring. The binaries of PTX files and device code launch the original.
cat >c.cu <<'E2'
#ifdef HEADER
#include "c.cuh"
#else
namespace {
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
}
#endif
#include <cstdio>
void others(int *x, int *y, int n);
#ifdef NO_MAIN
void others(int *x, int *y, int n)
#else
int main()
#endif
{
#ifndef NO_MAIN
	int n = 1000, *x, *y, s = 0;
	cudaMallocManaged(&x, n * sizeof *x);
	cudaMallocManaged(&y, n * sizeof *y);
	for (int i = 0; i < n; i++)
		x[i] = i + 1, y[i] = 0;
	others(x, y, n);
#endif
	for (int i = 0; i < 60; i++)
		steps<<<1, 256>>>(x, y, n);
	cudaDeviceSynchronize();
#ifndef NO_MAIN
	for (int i = 0; i < n; i++)
		s = (s * 31 + y[i]) % 1000003;
	printf("%d %s\n", s, cudaGetErrorString(cudaGetLastError()));
#endif
}
E2
sed -n '/^namespace/,/^#endif/p' c.cu | sed -e 's/^namespace.*/#pragma once/' -e 's/^__global__/template <int N> &/' -e '$d' -e '/^}$/{N;s/}\n}/}/}' >c.cuh
sed -e 's/steps<<</steps<1><<</' -e '1i #define HEADER' c.cu >h.cu
for f in c h; do sed '1i #define NO_MAIN' $f.cu >${f}2.cu; done
auto() { CCC_FLAGS='' "$cccnvcc" -arch=sm_90 -cudart shared --ccc-auto "$@"; }
unasked() {
	auto -DNO_MAIN -ptx c.cu -o c.ptx 2>err && cat err && [ ! -s err ] && own_is_plain c.ptx &&
		auto --ccc-no-timed -DNO_MAIN -ptx c.cu -o c.ptx 2>err && ! grep -q 'vote.sync' c.ptx && grep -q 'or omit --ccc-no-timed' err &&
		auto --ccc-switchable -DNO_MAIN -ptx c.cu -o c.ptx 2>err && ! grep -q '_ccc_on' c.ptx
}
# two FILE OPTION...: two files with the kernel: one each in anonymous namespaces, or one template; both versions run
two() {
	file=$1
	shift
	rm -f counts
	auto "$@" $file.cu ${file}2.cu -o two.exe && "$nvcc" -arch=sm_90 -cudart shared "$@" $file.cu ${file}2.cu -o want.exe &&
		"$BIN/ptxrun" --counts=counts -- ./two.exe >out 2>&1 && "$BIN/ptxrun" -- ./want.exe >want 2>&1
	cat out want counts
	versions >said
	cmp out want && grep -q 'no error' out && awk -F'\t' 'NR > 1 { n[$NF ~ /_ccc_on/] += $1 } END { exit !(n[0] + n[1] == 120 && n[0] && n[1]) }' counts
}
# Device code launches the kernel's own version. The program is only compiled: the emulator has no such launches.
device() {
	{ cat c.cuh; echo '__global__ void parent(int *x, int *y, int n) { steps<1><<<1, 256>>>(x, y, n); }'; } >d.cu
	auto -rdc=true -ptx d.cu -o d.ptx && own_is_plain d.ptx && sed -n '/entry _Z6parent/,/^}/p' d.ptx | grep -q '_Z5steps' && ! sed -n '/entry _Z6parent/,/^}/p' d.ptx | grep _ccc_on
}
# Without the header, and where launches have another form, the kernel's own version runs.
own_only() {
	rm -f counts && "$BIN/ptxrun" --counts=counts -- ./l.exe >out 2>said && grep -q 'no error' out && ! grep -a _ccc_on counts &&
		grep -c '^ptxrun: timed: .*: 120 launches of the original, 0 of the transformed kernel; to run that alone, build with --ccc-choose=always$' said &&
		"$BIN/ptxrun" --quiet -- ./l.exe 2>&1 | grep -v '^[0-9]* no error$' | wc -l | grep -x 0
}
legacy() { auto -Xcompiler -D__NV_LEGACY_LAUNCH c.cu c2.cu -o l.exe && own_only; }
headless() {
	mkdir -p lone/bin lone/lib && cp "$BIN/cccnvcc" "$BIN/ccc-annotate" "$BIN/ptxccc" lone/bin && cp "${BIN%/bin}"/lib/libptxccc.so* lone/lib &&
		CCC_FLAGS='' CCC_NVCC=$nvcc lone/bin/cccnvcc -arch=sm_90 -cudart shared --ccc-auto c.cu c2.cu -o l.exe && own_only
}
# A file in which nothing may be transformed is compiled once.
nothing() {
	cat >n.cu <<-'E2'
	__global__ void product(const float *a, const float *b, float *c, int n)
	{
		int i = blockIdx.x * blockDim.x + threadIdx.x;
		if (i >= n)
			return;
		for (int j = 0; j < n; j++) {
			float s = 0;
			for (int k = 0; k < n; k++)
				s += a[i * n + k] * b[k * n + j];
			c[i * n + j] = s;
		}
	}
	E2
	for lines in '' -lineinfo; do
		auto --ccc-verbose $lines -ptx n.cu -o n.ptx 2>err && "$nvcc" -arch=sm_90 $lines -ptx n.cu -o want.ptx || return 1
		cat err
		cmp n.ptx want.ptx && [ "$(grep -c '/cicc ' err)" = 1 ] || return 1
	done
}
threads() { # each launches 30 times, and the main thread 30 more
	selects 0 0 30 544455 threads
	cmp out want && [ "$(awk -F'\t' 'NR > 1 { n += $1 } END { print n + 0 }' counts)" = 150 ]
}
# The emulator's events count warp instructions, so the kernel that issues fewer is selected.
emulated() {
	build -DEMULATED s.cu -o e.exe && rm -f counts && "$BIN/ptxrun" --counts=counts -- ./e.exe 30 "" >out 2>&1 || { cat out; return 1; }
	cat counts
	awk -F'\t' 'NR > 1 { k = $NF ~ /_ccc_off/; n[k] += $1; w[k] += $2 } END { fewer = w[0] / n[0] < w[1] / n[1]; more = n[0] > n[1]; exit !(n[0] + n[1] == 30 && fewer == more) }' counts
}
# The launches run t o, then those of periodic().
t "a program" program
t "a launch" selects 1 0 1 ""
t "no time is known" selects 10 8 18 ""
t "no time is known: the transformed kernel continues" selects 27 13 40 ""
t "the transformed kernel is faster" selects 26 4 30 455544
t "the original is faster" selects 4 26 30 544455
while read -r n own other; do
	t "times $own, $other: the transformed kernel is faster" after "$n" t "$own" "$other"
done <<'E2'
12 449 559
12 82 93
6 822 933
12 8222 9333
12 822222 933333
12 246135 357246
12 86421111 97532211
E2
while read -r n own other; do
	t "times $own, $other: the original is faster" after "$n" o "$own" "$other"
done <<'E2'
48 559 449
96 93 82
48 933 822
24 9333 8222
24 933333 822222
96 357246 246135
E2
# Both versions take the same time, but one of them happens to run more of the long launches.
for times in 91111 9764211 97532211111; do
	t "times $times: neither is faster" after 192 t $times $times
done
t "faster in fewer launches: neither" after 192 t 2218 1129
# The original is the kernel's own version: a launch of the other one must have been paid for. The second to 25th launch of the
# original take 5, the first of the other one the first digit after that.
plainly() {
	sed '/#pragma/d' s.cu >a.cu && auto -DUNANNOTATED a.cu device.cpp -o a.exe && "$nvcc" -arch=sm_90 -cudart shared -DUNANNOTATED a.cu device.cpp -o a_plain.exe
}
pays() { exe=a selects "$1" "$2" "$3" "555555555555555555555555$4"; }
t "without annotations: a program" plainly
t "without annotations: the first 48 launches" pays 48 0 48 ""
t "without annotations: faster" pays 51 9 60 4544455
t "without annotations: as fast, once loaded" pays 51 9 60 5544455
t "without annotations: loading takes long" pays 92 8 100 9555555
t "without annotations: slower" pays 396 4 400 9599955
t "without annotations: no time is known" pays 83 1 84 " "
for way in api ex exc cooperative symbol graph; do
	t "not timed: $way" selects 30 0 30 544455 $way
done
for way in pointer occupancy shared beside; do
	t "timed: $way" selects 4 26 30 544455 $way
done
t "captured after a selection" selects 4 56 30 544455 graph-later
t "an error before" selects 7 23 30 544455 error
t "sizes" selects 8 72 80 554444445555 sizes
t "devices" selects 8 72 80 554444445555 devices
t "threads" threads
t "on the emulator" emulated
t "named policy" named
t "separate compilation" split
t "several architectures" archs
t "loops of the original" unrolled
t "a task loop" task_loop
t "without annotations" unasked
t "two files" two c
t "two files, separate compilation" two c -rdc=true
t "one template in two files" two h
t "one template in two files, separate compilation" two h -rdc=true
t "launched by device code" device
t "launches of another form" legacy
t "no header" headless
t "nothing to transform" nothing
t "without" without
finish
