#!/bin/sh
# SPDX-License-Identifier: MIT
# ptxas.sh: ccc-ptxas in front of a stand-in for ptxas, which records its command line and copies its inputs to the output file;
# then in front of the toolkit's ptxas, with clang and as nvcc's ptxas, where these are installed.
set -u
cd "$(dirname "$0")/.." || exit 2
part=ptxas
BIN=${BIN:-$PWD/build/bin}
. tests/t.sh
. tests/cuda.sh
unset CCC_FLAGS CCC_PTXAS CCC_DISABLE CCC_VERBOSE CCC_DEPTH CUDA_HOME CUDA_PATH
real=$(command -v ptxas) || real=
ccc=$BIN/ccc-ptxas
path=$PATH
cp tests/golden/hand_queue.ptx "$tmp/marked.ptx" && "$BIN/ptxccc" --choose=first "$tmp/marked.ptx" >"$tmp/rewritten" 2>/dev/null || exit 2
cp tests/auto/trials.ptx "$tmp" && cd "$tmp" || exit 2
cmp -s marked.ptx rewritten && exit 2
sed 's/^.*\.ccc .*$//' marked.ptx >unmarked.ptx
sed '/inline asm/d; /\.ccc /d; /bra/d; /^\$/d; s/two/bare/' marked.ptx >bare.ptx # no loop
mkdir bin links
# REJECT=PATTERN: fails on inputs with this text. SAY=1: prints a warning about each input. CRASH=1: ends its parent by SIGSEGV.
cat >bin/ptxas <<'E2'
#!/bin/sh
case $* in *--version*) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;; esac
out=elf.o last= verbose=
printf '%s\n' "$*" >>"$RECORD"
for a; do
	case $last$a in
	-o=* | --output-file=*) out=${a#*=} ;;
	-o?* | --output-file?*) out=$a ;;
	-v) verbose=1 ;;
	esac
	last=
	case $a in -o | --output-file | -arch | --opt-level) last=$a ;; esac
done
[ -z "${CRASH:-}" ] || case $* in */proc/self/fd*) kill -SEGV $PPID; exit 1 ;; esac
: >text
last=
for a; do
	case $last$a in
	-?*) ;;
	*) if [ "$a" = - ]; then cat; else cat -- "$a"; fi >>text || { echo "ptxas fatal   : Input file '$a' could not be opened" >&2; exit 255; } ;;
	esac
	case $a in
	/proc/self/fd/* | *.ptx) [ -z "${SAY:-}" ] || echo "ptxas $a, line 7; warning : something about '$a'" >&2 ;;
	esac
	last=
	case $a in -o | --output-file | -arch | --opt-level) last=$a ;; esac
done
if [ -n "${REJECT:-}" ] && grep -q -e "$REJECT" text; then echo "ptxas fatal   : rejected" >&2; exit 255; fi
[ -z "$verbose" ] || echo "ptxas info    : Used 16 registers" >&2
cat text >"$out"
E2
chmod +x bin/ptxas
RECORD=$tmp/record CCC_FLAGS=--choose=first
export RECORD CCC_FLAGS
PATH=$tmp/bin:$PATH

# Fails if the program has crashed, which it does not show otherwise. Other lines of CCC_VERBOSE are removed.
run() { # run ARGUMENT...
	rm -f elf.o out.o
	CCC_VERBOSE=1 "$ccc" "$@" >said.out 2>said.all
	code=$?
	grep -v '^ccc-ptxas: [^C].*: ' said.all >said.err
	[ -n "${CRASH:-}" ] || ! grep 'internal error' said.all || return 99
	return $code
}
quiet() { [ ! -s said.out ] && [ ! -s said.err ] || { cat said.out said.err; false; }; }
transformed() { grep -q 'ccc' "$1" && cmp "$1" rewritten; }
named() { for o in "-o out.o" "-o=out.o" "--output-file out.o" "--output-file=out.o"; do run -arch sm_80 $o marked.ptx && quiet && transformed out.o || return; done; }
default_name() { run marked.ptx && quiet && transformed elf.o; }
standard_input() { run -arch sm_80 -o out.o - <marked.ptx && quiet && transformed out.o && cat marked.ptx | run - -o out.o && transformed out.o; }
several() { run -o out.o bare.ptx marked.ptx && quiet && cat bare.ptx rewritten | cmp - out.o; }
option_file() {
	cp marked.ptx 'a b.ptx'
	printf '%s\n' '-arch sm_80 "a b.ptx"' '-o out.o' >words
	echo '-optf words' >nested
	for o in "-optf words" "--options-file words" "-optf=words" "--options-file=nested"; do run $o && quiet && transformed out.o || return; done
}
# Quoting that ccc-ptxas does not know is ptxas's to read.
strange_option_file() {
	printf '%s' '-o out.o a\ b.ptx' >words
	: >record
	! run -optf words
	grep -qx -e '-optf words' record
}
# Without markers, what needs no promise.
unmarked() {
	"$BIN/ptxccc" --auto --choose=first unmarked.ptx -o auto.ptx 2>/dev/null && ! cmp -s auto.ptx unmarked.ptx || return
	run -o out.o unmarked.ptx && quiet && cmp out.o auto.ptx && CCC_FLAGS= run -o out.o unmarked.ptx && cmp out.o unmarked.ptx
}
untouched() { run -o out.o bare.ptx && quiet && cmp out.o bare.ptx && run -o out.o rewritten && cmp out.o rewritten; }
# The original, with the same arguments, and the answer that it gives.
rejected() {
	REJECT=ccc1_tasks run -arch sm_80 marked.ptx -o out.o
	code=$?
	[ $code = 0 ] && quiet && cmp out.o marked.ptx && [ "$(tail -1 record)" = "-arch sm_80 marked.ptx -o out.o" ]
}
fails_alike() {
	REJECT=entry run marked.ptx -o out.o
	[ $? = 255 ] && [ "$(cat said.err)" = "ptxas fatal   : rejected" ] && ! [ -e out.o ] || return
	run absent.ptx
	[ $? = 255 ] && [ "$(cat said.err)" = "cat: absent.ptx: No such file or directory
ptxas fatal   : Input file 'absent.ptx' could not be opened" ]
}
# Messages name the user's files, not the temporary ones that replace them.
messages() {
	SAY=1 run -o out.o bare.ptx marked.ptx && transformed out.o 2>/dev/null
	[ "$(cat said.err)" = "ptxas bare.ptx, line 7; warning : something about 'bare.ptx'
ptxas marked.ptx, line 7; warning : something about 'marked.ptx'" ]
}
crashes() { CRASH=1 run -o out.o marked.ptx && [ "$(cat said.err)" = 'ccc-ptxas: internal error; the original is used' ] && cmp out.o marked.ptx && CRASH=1 run -o out.o - <marked.ptx && cmp out.o marked.ptx; }
disabled() { CCC_DISABLE=1 run -o out.o marked.ptx && cmp out.o marked.ptx && CCC_DISABLE=0 run -o out.o marked.ptx && transformed out.o; }
debug_code() { for o in -g --device-debug -O0 --opt-level=0 "--opt-level 0"; do run $o -o out.o marked.ptx; tail -1 record | grep -q '/proc' && return 1; done; run --opt-level=3 -o out.o marked.ptx; tail -1 record | grep '/proc'; }
verbose() {
	"$ccc" -o out.o marked.ptx >said.all 2>&1 && [ ! -s said.all ] && run -o out.o marked.ptx && [ "$(cat said.all)" = "ccc-ptxas: marked.ptx: 1 of 1 loops transformed" ] || return
	echo '.version 8.0 nonsense' >bad.ptx
	run -o out.o bad.ptx && grep -q '^ccc-ptxas: bad.ptx: not transformed: ' said.all && [ "$(wc -l <said.all)" = 1 ] && cmp out.o bad.ptx
}
flags() {
	CCC_FLAGS=--choice run -o out.o marked.ptx && cmp out.o marked.ptx &&
		[ "$(cat said.err)" = "ccc-ptxas: CCC_FLAGS: unknown option '--choice': nothing is transformed" ] || return
	CCC_FLAGS='--profile-use=absent' run -o out.o marked.ptx && cmp out.o marked.ptx && grep -q "cannot read 'absent': No such file" said.err || return
	CCC_FLAGS="$CCC_FLAGS --report-to=/nowhere/report.txt" run -o out.o marked.ptx && transformed out.o &&
		grep -q "^ccc-ptxas: error: cannot write '/nowhere/report.txt'" said.all || return
	CCC_FLAGS=' --ccc-choose=first  --ccc-keep --ccc-Wno-all' run -o out.o marked.ptx && quiet && transformed out.o # shared with cccnvcc
}
reports() {
	CCC_FLAGS="--choose=first --report-to=$tmp/r.txt" run -o out.o marked.ptx && grep -q 'transformed' r.txt && [ -d r.txt.units ] || return
	CCC_FLAGS="--choose=first --report-to=$tmp/lines" run -o out.o marked.ptx marked.ptx && [ "$(grep -c "loops transformed" lines)" = 2 ] || return
	sed 's/two/three/g' marked.ptx >three.ptx # texts without a file name are told apart
	for text in marked three marked; do
		CCC_FLAGS="--choose=first --report-to=$tmp/both.txt" run -o out.o - <$text.ptx || return
	done
	[ "$(grep -c 'kernel two' both.txt) $(grep -c 'kernel three' both.txt)" = "1 1" ]
}
sum() { "$ccc" --version | sed -n 's/^ccc-ptxas [^ ]*\( ([0-9a-f]*)\)\?, sum \([0-9a-f]\{16\}\)$/\2/p'; }
version() {
	run --version && head -1 said.out | grep -qx 'Cuda compilation tools, release 13.0, V13.0.88' && [ "$(wc -l <said.out)" = 2 ] || return
	echo 'ccc profile 1' >p1
	a=$(sum) b=$(CCC_FLAGS=--choose=best sum) c=$(CCC_FLAGS="--profile-use=p1" sum)
	echo '# ' >>p1
	d=$(CCC_FLAGS="--profile-use=p1" sum)
	echo "$a $b $c $d"
	[ -n "$a" ] && [ "$(printf '%s\n' "$a" "$b" "$c" "$d" "$(sum)" | sort -u | wc -l)" = 4 ] && [ "$(CCC_DISABLE=1 "$ccc" --version | wc -l)" = 1 ]
}
# What Triton, CUDA.jl and XLA look for in the text is found in the line of ptxas first.
parsed_version() {
	CCC_PTXAS=$real "$ccc" --version >said.out && [ "$(grep -c 'release [0-9]*\.[0-9]*, *V[0-9]*\.[0-9]*\.[0-9]*' said.out)" = 1 ] && [ "$(grep -c -w 'V[0-9]*\.[0-9]*\.[0-9]*' said.out)" = 1 ]
}
# Which ptxas is run.
finds() {
	ln -sf "$ccc" links/ptxas
	PATH=$tmp/links:$PATH run -o out.o marked.ptx && transformed out.o || return # not itself
	sed 's/release 13.0/release 99.0/' bin/ptxas >other && chmod +x other
	CCC_PTXAS=$tmp/other "$ccc" --version | grep -q 'release 99.0' || return
	cp other links/ptxas.real && "$tmp/links/ptxas" --version | grep -q 'release 99.0' && rm links/ptxas.real || return
	mkdir -p home/bin && cp other home/bin/ptxas
	PATH=/usr/bin:/bin CUDA_HOME=$tmp/home "$ccc" --version | grep -q 'release 99.0'
}
none() { CCC_PTXAS=$tmp/absent "$ccc" --version >said.out 2>said.err; [ $? = 127 ] && grep -q "cannot find 'ptxas'" said.err; }
loops() {
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$ccc" >links/ptxas2 && chmod +x links/ptxas2
	CCC_PTXAS=$tmp/links/ptxas2 run --version
	[ $? = 127 ] && grep -q "leads back" said.all
}
t named-output named
t default-output default_name
t standard-input standard_input
t several-inputs several
t option-files option_file
t strange-option-file strange_option_file
t unmarked unmarked
t untouched untouched
t rejected rejected
t fails-alike fails_alike
t messages messages
case $BIN in */san/*) ;; *) t crashes crashes ;; esac
t disabled disabled
t debug-code debug_code
t verbose verbose
t flags flags
t reports reports
t version version
t finds finds
t none none
t loops loops

# ---- real programs --------------------------------------------------------------------------------------------------------
unset CCC_FLAGS
PATH=$path
needs_ptxas() { [ -n "$real" ] || { skip ptxas; return; } && "$@"; }
skip() { echo "no $1"; return 77; }
# The machine code is that of `ptxccc` and ptxas, or of ptxas alone.
machine_code() {
	"$BIN/ptxccc" --choose=first --verify-ptxas="$real" marked.ptx -o by-hand.ptx 2>/dev/null && "$real" -arch sm_80 -v by-hand.ptx -o by-hand.cubin 2>/dev/null || return
	CCC_FLAGS=--choose=first run -arch sm_80 -v marked.ptx -o out.o && cmp out.o by-hand.cubin && grep -q 'Used .* registers' said.err || return
	run -arch sm_80 bare.ptx -o out.o && "$real" -arch sm_80 bare.ptx -o bare.cubin && cmp out.o bare.cubin
}
# Where it is unknown what ptxas contracts, its own machine code proves it.
rounding() {
	"$BIN/ptxrun" trials.ptx trials --grid 2 --block 64 --arg buf:512:rand --arg buf:512 --arg s32:16 --arg f32:6e-8 --quiet --profile=trials.cccprof || return
	CCC_FLAGS=--profile-use=$PWD/trials.cccprof run -arch sm_80 trials.ptx -o out.o && grep -q '1 of 3 loops transformed' said.all
}
# What a build has without ccc-ptxas it has with it, to the byte.
real_errors() {
	sed 's/add\.u32/addd.u32/' marked.ptx >bad.ptx
	for args in "bad.ptx" "absent.ptx" "-arch=sm_1 marked.ptx" "-o /absent/x marked.ptx -arch=sm_80" "--nonsense" "" "bad.ptx marked.ptx -arch=sm_80"; do
		CCC_FLAGS=--choose=first run $args
		code=$?
		"$real" $args >out 2>err
		[ $code = $? ] && cmp out said.out && cmp err said.err || { echo "$args"; return 1; }
	done
}
nvcc_farm() {
	[ -n "$nvcc" ] || { skip nvcc; return; }
	home=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
	mkdir -p farm/bin && ln -s "$home"/* farm/ 2>/dev/null
	ln -s "$home"/bin/* farm/bin/ && mv farm/bin/ptxas farm/bin/ptxas.real && ln -s "$ccc" farm/bin/ptxas || return
	cat >m.cu <<'E3'
__global__ void k(const float *__restrict__ in, float *__restrict__ out, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = in[i];
		#pragma ccc if
		if (x > 0.9f) {
			for (int j = 0; j < 50; j++)
				x = x * 0.99f + 0.5f;
			out[i] = x;
		}
	}
}
E3
	"$BIN/cccnvcc" --ccc-markers-only -arch=sm_80 -ptx m.cu -o m.ptx && "$nvcc" -arch=sm_80 -cubin m.ptx -o plain.cubin || return
	CCC_FLAGS=--choose=first CCC_VERBOSE=1 farm/bin/nvcc -arch=sm_80 -cubin m.ptx -o m.cubin 2>err && grep '1 of 1 loops transformed' err && ! cmp m.cubin plain.cubin || { cat err; return 1; }
	CCC_DISABLE=1 farm/bin/nvcc -arch=sm_80 -cubin m.ptx -o m.cubin && cmp m.cubin plain.cubin
}
clang_cuda() {
	command -v clang++ >/dev/null || { skip clang; return; }
	cat >c.cu <<'E3'
extern "C" __attribute__((global)) void k(const float *in, float *out, int n)
{
	for (int i = __nvvm_read_ptx_sreg_tid_x(); i < n; i += 32) {
		float x = in[i];
		asm volatile("// .ccc begin if 1");
		if (x > 0.5f)
			out[i] = x * x;
	}
}
E3
	device="-x cuda --cuda-path=$(dirname "$(dirname "$(readlink -f "$real")")") --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Wno-unknown-cuda-version -O2 -c c.cu"
	clang++ $device -o plain.o && CCC_VERBOSE=1 clang++ $device -o c.o --ptxas-path="$ccc" 2>err && grep 'ccc-ptxas: .*: not transformed' err && cmp plain.o c.o
}
# Triton's compiler needs no GPU. Its kernels come out as from ptxas alone, and its cache tells the two apart.
triton() {
	"${PYTHON:-python3}" -c 'import triton' 2>/dev/null || { skip triton; return; }
	bin=$("${PYTHON:-python3}" -c 'import triton; print(triton.__path__[0])')/backends/nvidia/bin
	cat >tri.py <<'E3'
import sys, triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
@triton.jit
def add(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, i < n) + 1, i < n)
for arch in 80, 90:
    k = triton.compile(ASTSource(fn=add, signature=dict(x="*fp32", y="*fp32", n="i32", B="constexpr"), constexprs={"B": 128}), target=GPUTarget("cuda", arch, 32))
    open("%s-%d.cubin" % (sys.argv[1], arch), "wb").write(k.asm["cubin"])
E3
	TRITON_CACHE_DIR=$tmp/triton-cache
	export TRITON_CACHE_DIR
	"${PYTHON:-python3}" tri.py plain && n=$(find triton-cache -name '*.cubin' | wc -l) || return
	mkdir -p tri && for p in ptxas ptxas-blackwell; do ln -sf "$ccc" tri/$p && ln -sf "$bin/$p" tri/$p.real || return; done
	CCC_VERBOSE=1 TRITON_PTXAS_PATH=$tmp/tri/ptxas TRITON_PTXAS_BLACKWELL_PATH=$tmp/tri/ptxas-blackwell "${PYTHON:-python3}" tri.py ours || return
	cmp plain-80.cubin ours-80.cubin && cmp plain-90.cubin ours-90.cubin && [ "$(find triton-cache -name '*.cubin' | wc -l)" = $((2 * n)) ]
}
t machine-code needs_ptxas machine_code
t rounding needs_ptxas rounding
t real-errors needs_ptxas real_errors
t version-is-parsed needs_ptxas parsed_version
t nvcc nvcc_farm
t clang needs_ptxas clang_cuda
t triton triton
finish
