#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: programs under ptxccc-run, on the emulator's driver. Each way of loading PTX gives the kernel transformed and the results
# unchanged. A GPU is not needed; fat binaries need nvcc, nvJitLink its library.
set -u
cd "$(dirname "$0")" || exit 2
B=$(cd ../.. && readlink -m "${B:-build}")
part=load here=$PWD
. ../t.sh
cd ../.. && . tests/cuda.sh
unset CCC_FLAGS CCC_PTXAS CCC_DISABLE CCC_VERBOSE CCC_RUN CCC_CACHE_SIZE
run=$B/bin/ptxccc-run
case $B in */san) echo "no emulator for programs without the sanitizers" && skip_all ;; esac
cc -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -o "$tmp/program" "$here/program.c" -ldl &&
	cc -std=c11 -D_DEFAULT_SOURCE -DLINKED -Wall -Wextra -o "$tmp/linked" "$here/program.c" -ldl "$B/lib/ptxrun/libcuda.so.1" -Wl,-rpath-link,"$B/lib/ptxrun" &&
	cc -std=c11 -shared -fPIC -o "$tmp/next.so" "$here/next.c" -ldl || exit 2
cp tests/golden/hand_queue.ptx "$tmp/marked.ptx"
cd "$tmp" || exit 2
sed 's/^.*\.ccc .*$//' marked.ptx >bare.ptx
XDG_CACHE_HOME=$tmp/cache CCC_FLAGS=--choose=first
export XDG_CACHE_HOME CCC_FLAGS
emulated() { "$B/bin/ptxrun" --counts -- "$@"; }
want=$(emulated ./program bare.ptx data 2>/dev/null | grep -x '[0-9a-f]\{8\}') && [ -n "$want" ] || exit 2
plain=$(emulated ./program bare.ptx data 2>&1 | awk '$NF ~ /two/ { print $2 }')

# With the results of the program alone, other instructions, and these counts.
same() { # same COUNTS PROGRAM ARGUMENT...
	counts=$1
	shift
	case $1 in --*) ;; *) set -- -- "$@" ;; esac
	emulated "$run" "$@" >out 2>err
	code=$?
	cat out err
	reasons=
	case $counts in *' 0 left unchanged') ;; *' left unchanged') reasons="
ptxccc-run: reasons: CCC_FLAGS=--report-to=FILE" ;; esac
	[ $code = 0 ] && grep -qx "$want" out && [ "$(grep '^ptxccc-run' err)" = "$counts$reasons" ]
}
done_one="ptxccc-run: 1 modules, 1 kernels: 1 transformed, 0 left unchanged"
counted="ptxccc-run: 1 modules, 1 kernels: 1 count, 0 do not"
left_one="ptxccc-run: 1 modules, 1 kernels: 0 transformed, 1 left unchanged"
instructions() { cat out err | awk '$NF ~ /two/ { print $2 }'; }
transformed() { same "$done_one" "$@" && [ "$(instructions)" != "$plain" ]; }
untouched() { same "$@" && [ "$(instructions)" = "$plain" ]; }
library() { find "$(dirname "${nvcc:-/nowhere}")/../" /usr/local/cuda/ -name "$1.so.[0-9]*" 2>/dev/null | head -1; }
JITLINK=$(library libnvJitLink) NVRTC=$(library libnvrtc)
export JITLINK NVRTC
jit() {
	[ -n "$JITLINK" ] || { echo "no nvJitLink"; return 77; }
	transformed ./program bare.ptx jitlink && transformed ./program bare.ptx jitlink-global
}
# What the emulator links is PTX, which is not transformed again when it is loaded.
for how in data ex library link; do
	t "$how" transformed ./program bare.ptx $how
	t "$how, linked" transformed ./linked bare.ptx $how
done
t jitlink jit
t markers transformed ./program marked.ptx data
t "a child process" transformed ./program bare.ptx fork

# ---- fat binaries ---------------------------------------------------------------------------------------------------------
fat() { # fat HOW FORM OPTION...
	[ -n "$nvcc" ] || { echo "no nvcc"; return 77; }
	how=$1
	shift
	sed 's/sm_80/sm_90/' bare.ptx >two.ptx
	"$nvcc" -fatbin "$@" two.ptx -o two.fatbin && transformed ./program two.fatbin "$how"
}
# Machine code for this GPU that is newer than the PTX is of another source, unless ptxas makes the same code of that PTX.
newer_code() {
	[ -n "$nvcc" ] || { echo "no nvcc"; return 77; }
	"$nvcc" -fatbin -gencode arch=compute_80,code=compute_80 bare.ptx -o two.fatbin && transformed ./program two.fatbin data || return
	sed 's/sm_80/sm_90/' bare.ptx >two.ptx
	"$nvcc" -cubin -arch=sm_90 two.ptx -o two.cubin && fatbinary=$(dirname "$(readlink -f "$nvcc")")/fatbinary &&
		"$fatbinary" --create=two.fatbin -64 --image3=kind=elf,sm=90,file=two.cubin --image3=kind=ptx,sm=80,file=bare.ptx && transformed ./program two.fatbin data || return
	sed 's/%r2, 7;/%r2, 15;/' bare.ptx >other.ptx && ! cmp -s bare.ptx other.ptx && "$fatbinary" --create=two.fatbin -64 --image3=kind=elf,sm=90,file=two.cubin --image3=kind=ptx,sm=80,file=other.ptx &&
		emulated ./program two.fatbin data >out.alone && emulated "$run" ./program two.fatbin data >out 2>err && cmp out out.alone && ! grep '^ptxccc-run' err
}
unsure_text() {
	{
		cat bare.ptx
		sed '/^\.version/d; /^\.target/d; /^\.address_size/d; s/^.*\.ccc .*$//' "$here/../golden/rounding.ptx"
	} | sed 's/sm_80/sm_90/; s/^\.version .*/.version 9.0/' >unsure.ptx
}
# The driver's compiler may fuse the product with one of its sums or with both. So may the compiler that made the machine code, independently.
rounding() {
	[ -n "$nvcc" ] || { echo "no nvcc"; return 77; }
	unsure_text
	n=$(grep -c '\.entry' unsure.ptx)
	left="ptxccc-run: 1 modules, $n kernels: 0 transformed, $n left unchanged"
	"$nvcc" -fatbin -arch=sm_90 unsure.ptx -o two.fatbin && untouched "$left" ./program two.fatbin data || return
	emulated "$run" --profile=p1 ./program two.fatbin data 2>&1 | grep -x "ptxccc-run: 1 modules, $n kernels: 0 count, $n do not" || return
	relaxed='--choose=first --fp=relaxed'
	CCC_FLAGS=$relaxed emulated "$run" ./program two.fatbin data 2>&1 | grep '^ptxccc-run.* [1-9][0-9]* transformed' || return
	"$nvcc" -fatbin -gencode arch=compute_90,code=compute_90 unsure.ptx -o two.fatbin && emulated "$run" ./program two.fatbin data 2>&1 | grep '^ptxccc-run.* [1-9][0-9]* transformed'
}
t "fat binary, rounding" rounding
t "fat binary" fat data -arch=sm_90
t "fat binary, cuModuleLoadFatBinary" fat fatbinary -arch=sm_90
t "fat binary, not compressed" fat library -arch=sm_90 --no-compress
t "fat binary, later machine code" newer_code

# ptxas is asked for the GPU; if it does not know the PTX, registers are limited.
stand_in_ptxas() {
	cat >stand-in-ptxas <<'E2'
#!/bin/sh
echo "$*" >>"$RECORD"
exit 1
E2
	chmod +x stand-in-ptxas && : >record
	sed 's/^\.reqntid.*//' bare.ptx >unbound.ptx
	text=$(RECORD=$tmp/record CCC_PTXAS=$tmp/stand-in-ptxas CCC_CACHE_SIZE=0 "$run" --rewrite ptx 90 0 <unbound.ptx | tail -c +21)
	echo "$text" | grep '\.maxnreg 64$' || { echo "$text"; return 1; }
	grep -q -e '-arch=sm_90 ' record && ! grep -e '-arch=sm_80' record
}
t "no assembler" stand_in_ptxas

# ---- machine code ---------------------------------------------------------------------------------------------------------
# A driver that records what it is given (driver.c), and a ptxas that accepts texts without REFUSE.
mkdir -p fake && cc -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -shared -fPIC -o fake/libcuda.so.1 "$here/driver.c" || exit 2
cat >fake-ptxas <<'E2'
#!/bin/sh
case $* in *--version*) echo "Cuda compilation tools, release ${RELEASE:-13.0}, V13.0.88"; exit ;; esac
echo "$*" >>"$RECORD.ptxas"
case " $* " in *" -c "*) whole= ;; *) whole=1 ;; esac
for a; do case $a in /proc/self/fd/*) in=${in:-$a} out=$a ;; esac; done
! grep -q -e "${REFUSE:-nothing}" "$in" || [ -z "$whole" ] || exit 255
echo "ptxas info    : Used 16 registers" >&2
{ printf '\177ELF'; cat "$in"; } >text && cat text >"$out"
E2
chmod +x fake-ptxas
# What the driver was given, in order.
given() { # given WANTED PROGRAM ARGUMENT...
	wanted=$1
	shift
	rm -f record
	RECORD=$tmp/record CCC_PTXAS=${ASSEMBLER-$tmp/fake-ptxas} LD_LIBRARY_PATH=$tmp/fake "$run" -- "$@" >out 2>err
	code=$?
	cat out err record
	[ $code = 0 ] && [ "$(cat record)" = "$wanted" ]
}
empty_cache() { rm -rf cache; : >record.ptxas; }
asked() { [ "$(wc -l <record.ptxas)" -gt 0 ]; }
code_loaded() { empty_cache; given "$1: code" ./program bare.ptx "$2" && asked && grep -x "$done_one" err && ! grep -v -e '-arch=sm_90 ' record.ptxas; }
t "machine code" code_loaded data data
t "machine code, cuModuleLoadDataEx" code_loaded ex ex
t "machine code, cuLibraryLoadData" code_loaded library library
linked_text() { empty_cache; given "link: transformed
data: code" ./program bare.ptx link; }
t "machine code is not linked" linked_text
rejected_code() {
	REJECT=code given "data: code
data: transformed" ./program bare.ptx data && REJECT='code transformed' given "library: code
library: transformed
library: original" ./program bare.ptx library
}
t "machine code, driver rejects" rejected_code
cached_code() { # ptxas is not run again, unless it is another one
	empty_cache
	given "data: code" ./program bare.ptx data && asked && : >record.ptxas && given "data: code" ./program bare.ptx data && ! asked &&
		touch -d '2001-01-01' fake-ptxas && given "data: code" ./program bare.ptx data && asked
}
t "machine code, cache" cached_code
# What affects code leaves that to the driver: the register limit, the level, debugging, the cache mode, another target.
jit_options() {
	for o in 0=32 1=128 7=3 9=80 11=1 13=1 14=1 24=0; do for how in ex library; do JIT_OPTION=$o given "$how: transformed" ./program bare.ptx $how || return; done; done
	for how in ex library; do JIT_OPTION=4=999 REJECT='code transformed' given "$how: code, log of 999
$how: transformed, log of 999
$how: original, log of 999" ./program bare.ptx $how || return; done
	for o in 3=0 6=0 7=4 8=0 10=0 11=0 12=1 13=0; do for how in ex library; do JIT_OPTION=$o given "$how: code" ./program bare.ptx $how || return; done; done
	CUDA_FORCE_PTX_JIT=1 given "data: transformed" ./program bare.ptx data
}
t "machine code, options" jit_options
# The driver takes no code of a later toolkit; a ptxas that does not tell its version may be one.
versions() {
	empty_cache
	DRIVER=12080 given "data: transformed" ./program bare.ptx data && DRIVER=13020 given "data: code" ./program bare.ptx data && empty_cache &&
		RELEASE=12.8 DRIVER=12020 given "data: code" ./program bare.ptx data && empty_cache && RELEASE=unknown given "data: transformed" ./program bare.ptx data
}
t "machine code, versions" versions
# Texts that code cannot replace, and GPUs that it is not for.
not_replaceable() {
	sed 's/^\.visible .entry/.global .texref image;\n&/' bare.ptx >texture.ptx
	sed 's/^\.target.*/.target sm_90, debug/' bare.ptx >debug.ptx
	sed 's/^\.target.*/.target sm_90a/' bare.ptx >special.ptx
	sed 's/^\.target.*/.target sm_100f/' bare.ptx >family.ptx
	empty_cache
	given "data: transformed" ./program texture.ptx data && given "data: transformed" ./program debug.ptx data && given "data: code" ./program special.ptx data &&
		ARCHS=100 given "data: transformed" ./program special.ptx data && ARCHS=103 given "data: transformed" ./program family.ptx data &&
		ARCHS=75 given "data: transformed" ./program bare.ptx data && ASSEMBLER=/nowhere/ptxas given "data: transformed" ./program bare.ptx data &&
		REFUSE=entry given "ex: transformed" ./program bare.ptx ex
}
t "machine code, not for this" not_replaceable
# A module is for the device of its context; a library for all.
devices() {
	empty_cache
	ARCHS='90 100' given "data: code" ./program bare.ptx data && ! grep -v -e '-arch=sm_100 ' record.ptxas && ARCHS='90 90' given "library: code" ./program bare.ptx library &&
		ARCHS='90 100' given "library: transformed" ./program bare.ptx library
}
t "machine code, devices" devices
# Nothing is run for texts without branches.
no_branches() {
	sed '/bra/d' bare.ptx >straight.ptx
	printf '#!/bin/sh\ntouch "$RECORD.run"\nexit 1\n' >stand-in && chmod +x stand-in && rm -f record*
	for f in straight bare; do RECORD=$tmp/record LD_LIBRARY_PATH=$tmp/fake LD_PRELOAD=$B/lib/ptxccc/libptxccc-run.so CCC_RUN=$tmp/stand-in ./program $f.ptx data 2>err.$f; [ $f = bare ] || [ ! -e record.run ] || return; done
	[ -e record.run ] && [ "$(grep '^ptxccc-run' err.straight)" = "$left_one
ptxccc-run: reasons: CCC_FLAGS=--report-to=FILE" ]
}
t "a text without branches" no_branches
# ptxas and the driver's compiler may fuse other products: such PTX remains PTX.
rounded_text() {
	unsure_text && empty_cache && given "data: transformed" ./program unsure.ptx data && CCC_FLAGS='--choose=first --fp=relaxed' given "data: code" ./program unsure.ptx data
}
t "machine code, rounding" rounded_text
# The driver's compiler, here ptxas, shows how it rounds, if it makes the same code when a program loads the module.
rounded_by_driver() {
	[ -n "$nvcc" ] && command -v ptxas >/dev/null || { echo "no ptxas"; return 77; }
	"$B/bin/ptxrun" "$here/../auto/trials.ptx" trials --grid 2 --block 64 --arg buf:512:rand --arg buf:512 --arg s32:16 --arg f32:6e-8 --profile="$tmp/p4" >/dev/null || return
	ASSEMBLER=/nowhere/ptxas JIT=$(command -v ptxas)
	CCC_FLAGS=--profile-use=$tmp/p4 TMPDIR=$tmp/jit
	export TMPDIR
	mkdir -p jit && cp "$here/../auto/trials.ptx" . && empty_cache && given "data: original" ./program trials.ptx data &&
		export JIT && empty_cache && given "data: transformed" ./program trials.ptx data && [ -f jit/linked ] && rm jit/linked &&
		empty_cache && JIT_LOADED=-O1 given "data: original" ./program trials.ptx data && DRIVER=0 given "data: original" ./program trials.ptx data && ! ls -d jit/ptxccc*
	code=$?
	unset JIT TMPDIR ASSEMBLER
	CCC_FLAGS=--choose=first
	return $code
}
t "rounding of the driver's compiler" rounded_by_driver
verbose() {
	empty_cache
	export CCC_VERBOSE=1
	given "data: code" ./program bare.ptx data && grep -x 'ptxccc-run: module: 1 of 1 kernels transformed, loaded as machine code' err &&
		given "data: code" ./program bare.ptx data && grep -x 'ptxccc-run: module: 1 of 1 kernels transformed, loaded as machine code (from the cache)' err &&
		DRIVER=0 given "data: transformed" ./program bare.ptx data && grep -x 'ptxccc-run: module: 1 of 1 kernels transformed' err
	code=$?
	unset CCC_VERBOSE
	return $code
}
t "machine code, CCC_VERBOSE" verbose
# The toolkit's ptxas on fat binaries: it rounds as their machine code if it makes that of their PTX. Then the driver may not compile the result.
toolkit_code() {
	[ -n "$nvcc" ] && command -v ptxas >/dev/null || { echo "no ptxas"; return 77; }
	ASSEMBLER=
	empty_cache
	unsure_text && "$nvcc" -fatbin -arch=sm_90 unsure.ptx -o two.fatbin && given "fat: code" ./program two.fatbin fatbinary && REJECT=code given "fat: code
fat: fatbin" ./program two.fatbin fatbinary || return
	DRIVER=0 given "fat: fatbin" ./program two.fatbin fatbinary && "$nvcc" -fatbin -arch=sm_90 -Xptxas=-O1 unsure.ptx -o two.fatbin && given "fat: fatbin" ./program two.fatbin fatbinary &&
		grep ' 0 transformed' err
}
t "machine code of the toolkit" toolkit_code
# With -maxrregcount, larger blocks can be launched: the result has the same limit, which the driver's compiler would not have.
limited_code() {
	[ -n "$nvcc" ] && command -v ptxas >/dev/null || { echo "no ptxas"; return 77; }
	unsure_text
	for f in bare unsure; do
		sed 's/sm_80/sm_90/; s/^\.reqntid.*//' $f.ptx >two.ptx && "$nvcc" -fatbin -arch=sm_90 -maxrregcount=24 two.ptx -o two.fatbin && given "fat: code" ./program two.fatbin fatbinary &&
			DRIVER=0 given "fat: fatbin" ./program two.fatbin fatbinary || return
	done
}
t "machine code with a register limit" limited_code
# The machine code of another compiler needs few registers: here, of another kernel. The same PTX with launch bounds cannot need more.
more_registers() {
	[ -n "$nvcc" ] && command -v ptxas >/dev/null || { echo "no ptxas"; return 77; }
	sed 's/sm_80/sm_90/; s/^\.reqntid.*//' bare.ptx >few.ptx
	awk '/^\.reqntid/ { next } { print } /ld.param.u64/ {
		for (i = 0; i < 90; i++) { print "\t.reg .b32 %v" i ";"; print "\tld.volatile.global.u32 %v" i ", [%rd1+" 4 * i "];" }
		for (i = 0; i < 90; i++) print "\tst.volatile.global.u32 [%rd1+" 4 * i "], %v" i ";" }' few.ptx >many.ptx
	"$nvcc" -cubin -arch=sm_90 few.ptx -o two.cubin && fatbinary=$(dirname "$(readlink -f "$nvcc")")/fatbinary || return
	sed 's/^{/.maxntid 64, 1, 1\n{/' many.ptx >bounded.ptx
	for f in few:code many:fatbin bounded:code; do
		"$fatbinary" --create=two.fatbin -64 --image3=kind=elf,sm=90,file=two.cubin --image3=kind=ptx,sm=90,file=${f%:*}.ptx && given "fat: ${f#*:}" ./program two.fatbin fatbinary || return
	done
}
t "machine code with more registers" more_registers
# ---- machine code that the program compiles or links ------------------------------------------------------------------------
# NVRTC and nvJitLink themselves, which need no GPU. The machine code is transformed when it is loaded: by ptxas, or as PTX.
cat >two.cu <<'E2'
extern "C" __global__ void two(unsigned n, unsigned *out)
{
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned v = i * 7919u % 1000;
		if (v % 8 == 3) {
			for (unsigned j = 0; j < v % 50; j++)
				v = v * 3 + j;
			out[i] = v;
		}
	}
}
E2
{
	cat two.cu
	cat <<'E2'
extern "C" __global__ void sum(const float *x, float *out, unsigned n, float u)
{
	float s = 0, p = u;
	#pragma unroll 1
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
		s += x[i] + p;
		p = x[i] * u;
	}
	out[threadIdx.x] = s;
}
E2
} >sum.cu
compilers() {
	command -v ptxas >/dev/null && [ -n "$NVRTC" ] && [ -n "$JITLINK" ] || { echo "no ptxas, NVRTC or nvJitLink"; return 77; }
	ASSEMBLER=
	empty_cache
}
compiled() { # compiled CALL PROGRAM HOW
	compilers || return
	given "$1: code" $2 two.cu $3 && grep -x "$done_one" err && DRIVER=0 given "$1: transformed" $2 two.cu $3 && grep -x "$done_one" err &&
		DRIVER=0 REJECT=transformed given "$1: transformed
$1: code" $2 two.cu $3 && CCC_DISABLE=1 given "$1: code" $2 two.cu $3 && ! grep '^ptxccc-run' err
}
# With a limit, only machine code is loaded; where a sum may be rounded differently, only that of a ptxas that makes the compiler's code.
limited_or_rounded() { # limited_or_rounded HOW LIMIT
	compilers || return
	OPTION=$2 given "data: code" ./program two.cu $1 && grep -x "$done_one" err && DRIVER=0 OPTION=$2 given "data: code" ./program two.cu $1 && grep -x "$left_one" err || return
	given "data: code" ./program sum.cu $1 && grep '2 kernels: 1 transformed' err && DRIVER=0 given "data: code" ./program sum.cu $1 && grep '2 kernels: 0 transformed' err
}
# A program that is linked with a compiler, and a library that is, which a program loads for itself (RTLD_LOCAL).
build_linked() { # build_linked PROGRAM LIBRARY OPTION...
	to=$1 linked=$2
	shift 2
	cc -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra "$@" -o $to "$here/program.c" -ldl "$linked" -Wl,-rpath,"$(dirname "$linked")"
}
cat >host.c <<'E2'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *l = dlopen("./linked.so", RTLD_NOW | RTLD_LOCAL);
	int (*f)(int, char **) = 0;
	if (l)
		*(void **)&f = dlsym(l, "program");
	return f ? f(argc, argv) : 3;
}
E2
linked_compiler() { # linked_compiler LIBRARY OPTION HOW
	compilers || return
	build_linked ./compiler-linked "$1" $2 && compiled data ./compiler-linked $3 && build_linked linked.so "$1" $2 -shared -fPIC -DLIBRARY_ONLY &&
		cc -std=c11 -o host host.c -ldl && compiled data ./host $3
}
linked_jitlink() {
	compilers || return
	build_linked ./jitlink-linked "$JITLINK" -DLINKED_JITLINK && ASSEMBLER=$tmp/fake-ptxas || return
	empty_cache
	given "data: code" ./jitlink-linked bare.ptx jitlink && [ "$(grep -c '^ptxccc-run: .* 1 transformed' err)" = 1 ]
}
several_versions() { compilers || return; OTHER=$tmp/next.so compiled data ./program nvrtc; }
counts_compiled() { compilers || return; for how in nvrtc lto; do RECORD=$tmp/record LD_LIBRARY_PATH=$tmp/fake "$run" --profile=p1 -- ./program two.cu $how 2>&1 | grep -x "$counted" || return; done; }
t "NVRTC" compiled data ./program nvrtc
t "NVRTC, cuLibraryLoadData" compiled library ./program nvrtc-library
t "NVRTC, linked" linked_compiler "$NVRTC" -DLINKED_NVRTC nvrtc
t "NVRTC, several versions" several_versions
t "NVRTC, limit and rounding" limited_or_rounded nvrtc --maxrregcount=24
t "link-time optimization" compiled data ./program lto
t "link-time optimization, linked" linked_compiler "$JITLINK" -DLINKED_JITLINK lto
t "nvJitLink, linked" linked_jitlink
t "link-time optimization, limit and rounding" limited_or_rounded lto -maxrregcount=24
t "machine code that is compiled, profile" counts_compiled
unset ASSEMBLER

# ---- timed launches -------------------------------------------------------------------------------------------------------
# The original 48 times, the other version once, then as ccc_timed.h has them; the driver tells the times.
timed_launches() { # timed_launches TIME TIMES HOW LAST...: that of the original before, and those after
	EVENT_TIMES=$(printf %24s | tr ' ' "$1")$2 how=$3 LAUNCHES=59 CCC_FLAGS=
	shift 3
	export EVENT_TIMES LAUNCHES
	empty_cache
	rm -f record
	RECORD=$tmp/record CCC_PTXAS=$tmp/fake-ptxas LD_LIBRARY_PATH=$tmp/fake "$run" --timed ./program bare.ptx $how >out 2>err
	code=$?
	unset EVENT_TIMES LAUNCHES
	CCC_FLAGS=--choose=first
	cat out err record
	[ $code = 0 ] && grep -x "$done_one" err && [ "$(sed 1d record | uniq -c | tr -s ' \n' ' ')" = " 48 two 1 two_ccc_on 1 two 3 two_ccc_on $* " ]
}
forgotten() { AGAIN=1 timed_launches 3 1311133 unload 2 two 4 two_ccc_on 1 two && AGAIN=1 timed_launches 3 1311133 destroy 2 two 4 two_ccc_on 1 two; }
timed_results() { # which version runs depends on the times, the results do not
	LAUNCHES=70 CCC_FLAGS=
	export LAUNCHES
	alone=$(emulated ./program bare.ptx data 2>/dev/null | grep -x '[0-9a-f]\{8\}')
	for how in data ex library link fork unload unloadlibrary destroy reset release; do
		emulated "$run" --timed -- ./program bare.ptx $how >out 2>err
		[ $? = 0 ] && grep -qx "$alone" out && grep -q ' [12] transformed' err || { alone=$how; break; }
		[ $how != data ] || cat out err | grep -q two_ccc_on || { alone=$how; break; }
	done
	emulated "$run" --timed ./linked bare.ptx data >out 2>&1
	unset LAUNCHES
	CCC_FLAGS=--choose=first
	cat out err
	grep -qx "$alone" out
}
t "timed, transformed is faster" timed_launches 3 1311133 data 2 two 4 two_ccc_on
t "timed, original is faster" timed_launches 2 1233322 data 6 two
t "timed, no difference" timed_launches 3 3333333 data 2 two 1 two_ccc_on 1 two 1 two_ccc_on 1 two
t "timed, handles that the driver reuses" forgotten
t "timed, results" timed_results

# ---- profiles -------------------------------------------------------------------------------------------------------------
# The counts are those of the emulator, and serve as a profile. HOW: how the program loads the module, and unloads it. A GPU writes
# each point of a site as a record of its own.
records() {
	sed '/^cccprof/d; /^memory/d; s/^\(cut [a-z ]*\)"[^"]*"/\1/; /^atomics/d' "$1" | awk '/^cut/ { if ($0 == last) next; if (last) print "end"; last = $0 } $0 != "end" { print } END { print "end" }'
}
profiled() { # profiled PROGRAM HOW
	rm -f p1 p2
	"$B/bin/ptxrun" --profile=p2 -- "$1" bare.ptx data >/dev/null 2>&1
	CCC_FLAGS=--profile-sampling=0 same "$counted" --profile=p1 -- "$1" bare.ptx "$2" || return
	records p1 >r1
	records p2 >r2
	grep -q '^lanes' r1 && diff r1 r2
}
uses_profile() {
	CCC_FLAGS="--choose=first --profile-use=$tmp/p1 --report-to=$tmp/used" same "$done_one" ./program bare.ptx data && grep 'profile: 12.50 % of the lanes' used
}
# A profile adds up; texts that count already are left.
adds_up() { rm -f p1; for i in 1 2; do emulated "$run" --profile=p1 ./program bare.ptx data || return; done; [ "$(grep -c '^cccprof' p1)" = 2 ]; }
already() {
	"$B/bin/ptxccc" --auto --profile-generate bare.ptx -o counts.ptx && emulated "$run" --profile=p1 ./program counts.ptx data 2>&1 |
		grep -x 'ptxccc-run: 1 modules, 1 kernels: 0 count, 1 do not'
}
no_file() { ! "$run" --profile= ./program bare.ptx data 2>err && grep -x 'ptxccc-run: --profile needs a file' err; }
for how in data ex library link fork unload unloadlibrary destroy reset release; do
	t "profile, $how" profiled ./program $how
done
t "profile, linked" profiled ./linked unload
t "profile is used" uses_profile
t "profile adds up" adds_up
t "profile, counters" already
t "profile without a file" no_file

# ---- nothing else changes -------------------------------------------------------------------------------------------------
disabled() { CCC_DISABLE=1 untouched "" ./program bare.ptx data; }
wrong_flags() {
	export CCC_FLAGS=--choice
	emulated "$run" ./program bare.ptx data >out 2>err
	CCC_FLAGS=--choose=first
	grep -qx "$want" out && grep -qx "ptxccc-run: CCC_FLAGS: unknown option '--choice': nothing is transformed" err
}
reported() { # the line that names the option is not printed where the report is written
	CCC_FLAGS="--stop-after=plan --report-to=$tmp/report" emulated "$run" ./program bare.ptx data >out 2>err
	[ "$(grep '^ptxccc-run' err)" = "$left_one" ] && [ -s report ]
}
# An annotation that has no effect causes a warning, also if the outcome is in the cache, and is in the report. That is written also
# if a module has no loops.
stray() {
	sed '/\.ccc .* for/d' marked.ptx >stray.ptx && empty_cache
	for i in 1 2; do
		untouched "$left_one" ./program stray.ptx data && [ "$(grep -c '^a.cu:2: warning: path left unchanged: no annotated loop around it \[-Wccc-path\]$' err)" = 1 ] &&
			grep -qx "  note: put '#pragma ccc for' over the loop around it" err || return
	done
	export CCC_FLAGS="--choose=first -Wno-ccc-path --report-to=$tmp/stray.txt"
	emulated "$run" ./program stray.ptx data >out 2>err && ! grep warning err && [ "$(cat stray.txt.units/*.unit | grep -c 'no annotated loop around it')" = 1 ] &&
		grep 'no annotated loop around it' stray.txt && printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry two()\n{\n\tbra end;\nend:\tret;\n}\n' >none.ptx &&
		{ CCC_FLAGS=--report-to=$tmp/none.txt emulated "$run" ./program none.ptx data >out 2>err || :; } && [ -f none.txt ]
	code=$?
	export CCC_FLAGS=--choose=first
	return $code
}
nothing_found() { CCC_FLAGS=--stop-after=plan untouched "$left_one" ./program bare.ptx data; }
# The library alone, with a stand-in for the program that transforms.
stand_in() { # stand_in COUNTS COMMANDS
	printf '#!/bin/sh\n%s\n' "$2" >stand-in && chmod +x stand-in
	LD_PRELOAD=$B/lib/ptxccc/libptxccc-run.so CCC_RUN=$tmp/stand-in emulated ./program bare.ptx data >out 2>err
	code=$?
	cat out err
	[ $code = 0 ] && grep -qx "$want" out && [ "$(instructions)" = "$plain" ] && [ "$(grep '^ptxccc-run' err)" = "$1" ]
}
header='printf "3pcc\001\000\000\000\001\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000"'
crashes() { stand_in "" 'kill -SEGV $$'; }
incomplete() { stand_in "" 'printf 3pcc'; }
rejected() { stand_in "$done_one" "$header; printf nonsense"; }
next() { # of a library that is preloaded after this one
	CCC_RUN=/bin/false LD_PRELOAD="$B/lib/ptxccc/libptxccc-run.so $tmp/next.so" sh -c 'exec "$0" -c "import os; print(os.getppid())"' "$(command -v python3)" >out
	grep -qx 77 out
}
status() {
	"$run" sh -c 'exit 5'
	[ $? = 5 ] || return
	"$run" ./absent
	[ $? = 127 ] || return
	"$run" --nonsense
	[ $? = 2 ] && "$run" --help | grep -q CCC_CACHE_SIZE && "$run" --help | grep -q 'CUDA_FORCE_PTX_JIT  1: results are loaded as PTX' && "$run" --version | grep -q '^ptxccc-run [0-9]'
}
silent() { "$run" -- sh -c 'echo said' >out 2>&1 && [ "$(cat out)" = said ]; }
t disabled disabled
t wrong-flags wrong_flags
t nothing-found nothing_found
t "an annotation without a loop" stray
t "nothing found, with a report" reported
t "transformation crashes" crashes
t "incomplete result" incomplete
t "driver rejects" rejected
t RTLD_NEXT next
t status status
t "no module" silent

# ---- the cache ------------------------------------------------------------------------------------------------------------
dir=cache/ptxccc/run
entries() { find $dir -type f 2>/dev/null | wc -l; }
fresh() { rm -rf cache && transformed ./program bare.ptx data; }
kept() {
	fresh && [ "$(entries)" = 1 ] && [ "$(stat -c %a $dir)" = 700 ] || return
	# what is there is used: another result in its place
	printf "3pcc\\001\\000\\000\\000" >first && head -c 16 /dev/zero >>first && cat first >"$(find $dir -type f)" && same "$done_one" ./program bare.ptx data && return 1
	CCC_FLAGS='--choose=first --no-compress' transformed ./program bare.ptx data && [ "$(entries)" = 2 ]
}
limited() {
	fresh && head -c 3000000 /dev/zero >$dir/old && touch -d '2001-01-01' $dir/old || return
	CCC_CACHE_SIZE=2 transformed ./program marked.ptx data && [ ! -e $dir/old ] && [ "$(entries)" = 2 ]
}
none() { rm -rf cache && CCC_CACHE_SIZE=0 transformed ./program bare.ptx data && [ "$(entries)" = 0 ] && HOME= XDG_CACHE_HOME= transformed ./program bare.ptx data; }
others_folder() { fresh && rm $dir/* && chmod 777 $dir && transformed ./program bare.ptx data && [ "$(entries)" = 0 ]; }
at_once() {
	rm -rf cache
	for i in 1 2 3 4 5 6; do emulated "$run" ./program bare.ptx data >out.$i 2>err.$i & done
	wait
	[ "$(cat out.[1-6] | grep -cx "$want")" = 6 ] && [ "$(cat err.[1-6] | grep -cx "$done_one")" = 6 ] && [ "$(entries)" = 1 ]
}
t cache kept
t cache-limit limited
t no-cache none
t "a folder that others can write" others_folder
t "processes at once" at_once
finish
