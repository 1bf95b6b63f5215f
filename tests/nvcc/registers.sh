#!/bin/sh
# SPDX-License-Identifier: MIT
# registers.sh: a program that launched before still launches. A kernel without launch bounds uses at most the registers that
# its largest block allows, whatever ptxccc adds to it, and no register limit reduces occupancy, according to the real ptxas.
# Needs nvcc, no GPU.
set -u
cd "$(dirname "$0")/../.." || exit 2
BIN=${BIN:-$PWD/build/bin}
part=registers
. tests/t.sh
. tests/cuda.sh
[ -n "$nvcc" ] && "$nvcc" --version >/dev/null 2>&1 || skip_all
export CCC_NVCC="$nvcc"
unset CCC_FLAGS CCC_PTXCCC CCC_PTXAS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
export CCC_FLAGS=--ccc-choose=first # independently of the expected gain

# A path of 20 64-bit values: twice the registers.
kernel() { # kernel NAME BOUNDS
	cat <<E2
__global__ void $2 $1(int n, const double *in, double *out, int th)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		double b[20], s = 0;
		#pragma unroll
		for (int j = 0; j < 20; j++) b[j] = in[i + j * n];
		#pragma ccc if
		if (in[i] > th) {
			for (int t = 0; t < 30; t++)
				#pragma unroll
				for (int j = 0; j < 20; j++) b[j] = b[j] * b[(j + 1) % 20] + t;
			#pragma unroll
			for (int j = 0; j < 20; j++) s += b[j];
			out[i] = s;
		}
	}
}
E2
}
{
	kernel open_ended ''
	kernel bounded '__launch_bounds__(256)'
} >"$tmp/k.cu"
compile() { "$BIN/cccnvcc" -arch=sm_90 -cubin -Xptxas -v "$@" "$tmp/k.cu" -o "$tmp/k.cubin" >"$tmp/said" 2>&1; }
registers() { awk -v k="$1" '/Compiling entry function/ { on = index($0, k) } on && /: Used/ { sub(/.*: Used /, ""); print $1 + 0; exit }' "$tmp/said"; }

limited() { # without a limit the kernel takes more than 64 registers, but not without the annotations
	compile --ccc-off && [ "$(registers open_ended)" -le 64 ] &&
		CCC_PTXAS= compile && [ "$(registers open_ended)" -gt 64 ] &&
		compile && [ "$(registers open_ended)" -le 64 ] &&
		grep -q "k.cu:3: warning: kernel '.*open_ended.*' takes .* limited to 64, so that blocks of 1024 threads can still .*\[-Wccc-maxnreg\]" "$tmp/said"
}
bounds() { compile && [ "$(registers bounded)" -gt 64 ] && [ "$(grep -c ccc-maxnreg "$tmp/said")" = 1 ]; }
option() { compile --ccc-max-regs=48 && [ "$(registers open_ended)" -le 48 ] && [ "$(registers bounded)" -le 48 ] && ! grep -q ccc-maxnreg "$tmp/said"; }
maxrregcount() { compile -maxrregcount=56 && ! grep -q ccc-maxnreg "$tmp/said"; } # ptxas already limits it
# nvlink refuses a kernel with a limit that calls a function which takes more: such a kernel is left unchanged.
linked() {
	{
		echo 'extern __device__ double elsewhere(const double *, int);'
		kernel calling '' | sed 's/^}$/	if (n < 0) out[0] = elsewhere(in, n);\n}/'
		echo 'int main() { return 0; }'
	} >"$tmp/calling.cu"
	cat >"$tmp/elsewhere.cu" <<'E2'
__device__ double elsewhere(const double *a, int n)
{
	double r[48], s = 0;
	for (int i = 0; i < 48; i++) r[i] = a[i * n];
	for (int k = 0; k < n; k++)
		for (int i = 0; i < 48; i++) r[i] = r[i] * r[(i + 7) % 48] + 1.5;
	for (int i = 0; i < 48; i++) s += r[i];
	return s;
}
E2
	"$BIN/cccnvcc" -arch=sm_90 -rdc=true "$tmp/calling.cu" "$tmp/elsewhere.cu" -o "$tmp/linked" >"$tmp/said" 2>&1 && grep -q ccc-registers "$tmp/said"
}
# A kernel that needs a few registers more than full occupancy allows: limited to that number, it spills nothing.
room() {
	ray() { CCC_FLAGS='' "$BIN/cccnvcc" -O3 -std=c++17 -arch=sm_90 -cubin -Xptxas -v --ccc-report "$@" bench/ccc_rt.cu -o "$tmp/k.cubin" >"$tmp/said" 2>&1; }
	ray --ccc-occupancy=ignore && [ "$(registers k_ccc)" -gt 32 ] && ! grep -q 'limited to that' "$tmp/said" &&
		ray && [ "$(registers k_ccc)" -le 32 ] && ! grep -q '[1-9][0-9]* bytes spill' "$tmp/said" &&
		grep -q 'registers: 32 a thread instead of 24; occupancy: 64 warps instead of 64 (blocks of 256 threads); limited to that, otherwise 3[3-9] registers and 48 warps' "$tmp/said" &&
		! grep -q 'ccc-maxnreg' "$tmp/said"
}
# Occupancy is that of the largest block which launch bounds allow, also if lanes wait and no shared memory bounds it.
bounded_wait() {
	kernel waits '__launch_bounds__(128)' | sed 's/ccc if/& policy(wait(16))/' >"$tmp/waits.cu"
	"$BIN/cccnvcc" -arch=sm_90 -cubin --ccc-report "$tmp/waits.cu" -o "$tmp/k.cubin" >"$tmp/said" 2>&1 &&
		grep -q 'transformed, policy wait(16)' "$tmp/said" && grep -q 'occupancy: .*(blocks of 128 threads)' "$tmp/said"
}
by_itself() { # ptxccc alone
	"$BIN/cccnvcc" --ccc-markers-only -arch=sm_90 -ptx "$tmp/k.cu" -o "$tmp/in.ptx" && "$BIN/ptxccc" --choose=first --verify-ptxas "$tmp/in.ptx" -o "$tmp/out.ptx" 2>"$tmp/err" &&
		grep -q '^\.maxnreg 64' "$tmp/out.ptx" && grep -q ccc-maxnreg "$tmp/err" &&
		"$BIN/ptxccc" --choose=first "$tmp/in.ptx" -o "$tmp/out.ptx" 2>/dev/null && ! grep -q '^\.maxnreg' "$tmp/out.ptx"
}
# nvcc's ptxas step writes the code that ptxccc has assembled, if the command and the text are the same.
kept_code() { # ptxas -v leaves its mark in the code
	(cd "$tmp" && "$BIN/cccnvcc" -arch=sm_90 -cubin --ccc-keep k.cu -o one.cubin && ptxas -v -arch=sm_90 -m64 k.compute_90.ptx -o want.cubin && cmp one.cubin want.cubin &&
		"$BIN/cccnvcc" -arch=sm_90 -cubin -Xptxas -O1 k.cu -o one.cubin && ptxas -v -arch=sm_90 -m64 -O1 k.compute_90.ptx -o want.cubin && cmp one.cubin want.cubin &&
		"$BIN/cccnvcc" -arch=sm_90 -cubin -rdc=true k.cu -o one.cubin && ptxas -arch=sm_90 -m64 --compile-only k.compute_90.ptx -o want.cubin && cmp one.cubin want.cubin)
}
kept_warning() { # of ptxas, in nvcc's step
	{
		cat "$tmp/k.cu"
		echo '__global__ void __launch_bounds__(1024, 9) crowded(int *p) { *p = *p + 1; }'
	} >"$tmp/crowded.cu"
	"$BIN/cccnvcc" -arch=sm_90 -cubin "$tmp/crowded.cu" -o "$tmp/crowded.cubin" >"$tmp/said" 2>&1 && grep -q '^ptxas warning.*crowded' "$tmp/said"
}
kept_step() { # a ptxas that fails shows when it is run
	mkdir "$tmp/bin" && printf '#!/bin/sh\nexit 9\n' >"$tmp/bin/ptxas" && chmod +x "$tmp/bin/ptxas" &&
		"$BIN/ptxccc" --choose=first --verify-ptxas --assembled-to="$tmp/x.ptx.assembled" "$tmp/in.ptx" -o "$tmp/x.ptx" || return
	step() { rm -f "$tmp/x.cubin"; PATH=$tmp/bin:$PATH "$BIN/ccc-annotate" --hook-ptxas -- ptxas -arch=sm_90 -m64 "$@" "$tmp/x.ptx" -o "$tmp/x.cubin"; }
	export CCC_ASSEMBLED="$tmp"
	step && ptxas -v -arch=sm_90 -m64 "$tmp/x.ptx" -o "$tmp/want.cubin" && cmp "$tmp/x.cubin" "$tmp/want.cubin" || return
	for o in -O1 -maxrregcount=32; do step $o; [ $? = 9 ] || return; done
	printf '\n' >>"$tmp/x.ptx"
	step
	[ $? = 9 ] && unset CCC_ASSEMBLED
}
nothing_left() { mkdir "$tmp/t" && TMPDIR=$tmp/t "$BIN/ptxccc" --verify-ptxas "$tmp/in.ptx" -o "$tmp/out.ptx" 2>/dev/null && [ -z "$(ls -A "$tmp/t")" ]; }
no_ptxas() { "$BIN/ptxccc" --verify-ptxas=nowhere/ptxas "$tmp/in.ptx" -o "$tmp/none.ptx"; [ $? = 2 ] && [ ! -e "$tmp/none.ptx" ]; }
bad_numbers() { for o in --ccc-max-regs=0 --ccc-max-regs=256 --ccc-max-regs=x --ccc-dynamic-shared=-1 --ccc-sms=0 --ccc-grid-blocks=33 --ccc-retreat=0 --ccc-retreat=1025; do compile "$o"; [ $? = 2 ] || return 1; done; for o in 1 1024; do compile --ccc-retreat=$o || return; done; }
dynamic() { # dynamic shared memory: left unchanged unless its size is given
	printf 'extern __shared__ int s[];\n__global__ void k(int n, int *p)\n{\n\ts[threadIdx.x] = n;\n\t#pragma ccc for\n\tfor (int i = threadIdx.x; i < n; i += blockDim.x)\n\t\t#pragma ccc if\n\t\tif (p[i] & 1) p[i] = p[i] / n %% 77;\n\tp[0] = s[0];\n}\n' >"$tmp/k.cu"
	compile && grep -q 'ccc-shared' "$tmp/said" && ! compile --ccc-strict && compile --ccc-strict --ccc-dynamic-shared=16384 && ! grep -q warning "$tmp/said"
}
# The number of blocks in a task loop depends on the registers that ptxas reports: of 65536, in units of 8 per thread and of four warps.
task_loop() {
	kernel one_task '' | sed 's/^	for (\(int i = .*\); i < n; .*/	\1; if (i < n) {/; /ccc for/d' >"$tmp/k.cu"
	ptx --ccc-grid --ccc-report && grep -q 'task loop: the first min(.* \* multiprocessors (at most 132) ' "$tmp/said" && cp "$tmp/k.ptx" "$tmp/first.ptx" &&
		compile --ccc-grid && warps=$((16384 / (($(registers one_task) + 7) / 8 * 256) * 4)) &&
		grep -q "min([0-9]*, $warps / warps of a block) \* multiprocessors (at most 132)" "$tmp/first.ptx" && [ $warps -lt 48 ] &&
		ptx --ccc-grid --ccc-sms=7 --ccc-grid-blocks=2 && grep -q 'mul\.lo\.u32 .*_step, 7;' "$tmp/k.ptx" && grep -q 'first 2 \* 7 ' "$tmp/k.ptx" && ! grep -q nsmid "$tmp/k.ptx" &&
		ptx && grep -q 'there is no loop around it' "$tmp/said"
}
# A block size that auto chooses: the original loop, which larger blocks run, gets the registers of the kernel. Those cost `lean` too
# many warps in blocks of 1024 threads, so it gets 256 threads instead of 512; `heavy` in blocks of 512, too, so it is left unchanged.
block_size() {
	series() { # NAME TYPE VALUES CALL
		cat <<E2
static __device__ $2 far_$1($2 a, $2 b, $2 c, $2 d, $2 e)
{
	$2 s = a;
	for (int k = 0; k < 3; k++) s = s * a + b / (c + s * s) + d * s + e;
	return s;
}
__global__ void $1(int n, const $2 *in, $2 *out, $2 *all)
{
	$2 x[$3];
	for (int k = 0; k < $3; k++) x[k] = in[threadIdx.x + k];
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma unroll
		for (int k = $3 - 1; k > 0; k--) x[k] = x[k - 1];
		x[0] = ($2)3.9 * x[1] * (1 - x[1]);
		all[i] = x[0];
		#pragma ccc if
		if (x[0] > ($2)0.7) out[i] = $4;
	}
}
E2
	}
	{
		series lean float 10 'far_lean(x[0], x[1], x[2], x[3], x[4]) + far_lean(x[5], x[6], x[7], x[8], x[9])'
		series heavy double 6 'far_heavy(x[0], x[1], x[2], x[3], x[4]) + far_heavy(x[5], x[4], x[3], x[2], x[1]) + far_heavy(x[1], x[3], x[5], x[0], x[2])'
	} >"$tmp/k.cu"
	sizes() { CCC_FLAGS='' compile --ccc-report && awk '/ kernel / { k = $3 } /shared memory:.*; others run the original loop/ { sub(/.*up to /, ""); print k, $1 }' "$tmp/said" >"$tmp/sizes"; }
	CCC_PTXAS= sizes && printf '%s\n' lean, 512 heavy, 512 | paste -d ' ' - - | cmp - "$tmp/sizes" &&
		sizes && echo lean, 256 | cmp - "$tmp/sizes" && [ "$(registers lean)" -le 40 ] && grep -A1 'kernel heavy' "$tmp/said" | grep -q 'transformed, policy wait'
}
# A loop that streams, and is expected to gain 1.19x, would halve the resident warps of multiprocessors that have 32 registers a
# thread. Counts of an H100, with twice its bandwidth.
starved() {
	cat >"$tmp/p.cccprof" <<'E2'
cccprof 7
memory 6704640000 261360000
cut if "bench/decisions/pic.cu":68:1 _Z4push9ParticlesiPKfiffj 027cfc1515206b19
iterations 16777216 524288
entries 540672 16896
launches 2
threads 256
lanes 1:568 2:2926 3:9628 4:23450 5:43182 6:65698 7:81524 8:84614 9:75220 10:56988 11:38232 12:22590 13:11334 14:5174 15:2068 16:740 17:212 18:66 19:10 20:4 21:2
again 3652426
block 1 0 0 0 0 0 0
block 2 0 0 0 0 0 0
block 3 0 0 0 0 0 0
block 4 0 0 0 0 0 0
block 5 0 0 0 0 0 0
end
E2
	streams() { CCC_FLAGS= "$BIN/cccnvcc" -DPLAN=0 -std=c++17 -arch=sm_90 -c "$PWD/bench/decisions/pic.cu" -o "$tmp/k.o" --ccc-profile-use="$tmp/p.cccprof" --ccc-report "$@" >"$tmp/said" 2>&1; cat "$tmp/said"; }
	streams | grep -q 'warps of a multiprocessor are resident instead of 64, too few for a loop that waits for memory' &&
		streams --ccc-occupancy=ignore | grep -q 'transformed, policy' && streams --ccc-choose=always | grep -q 'transformed, policy'
}
ptx() { "$BIN/cccnvcc" -arch=sm_90 -ptx "$@" "$tmp/k.cu" -o "$tmp/k.ptx" >"$tmp/said" 2>&1; }
t limited limited
t launch-bounds bounds
t max-regs option
t maxrregcount maxrregcount
t linked linked
t room room
t "launch bounds of a loop that waits" bounded_wait
t ptxccc-alone by_itself
t nothing-left nothing_left
t kept-code kept_code
t kept-warning kept_warning
t kept-step kept_step
t no-ptxas no_ptxas
t bad-numbers bad_numbers
t dynamic-shared dynamic
t task-loop task_loop
t block-size block_size
t starved starved
finish
