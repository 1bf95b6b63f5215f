#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: whole CUDA programs on the emulator. api.cu calls the runtime's functions one by one, faults.cu contains each kind
# of fault, and a sample checks its own results. With nvcc they are built as a user would. Without it, g++ builds the host
# code, and the kernels come from checked-in PTX; this variant is always tested. LONG=1: also Thrust. (All samples:
# tests/samples.sh.)
set -u
cd "$(dirname "$0")" || exit 2
B=$(cd ../.. && readlink -m "${B:-build}")
RUN=$B/bin/ptxrun LIB=$B/lib/ptxrun/libcudart.so.13
passed=0 failed=0 skipped=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
check() { # GOT WANT NAME
	if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL cudart $3: $1 instead of $2"; fi
}
says() { # FILE TEXT NAME
	if grep -q -F -e "$2" "$1"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL cudart $3: no '$2' in"; head -5 "$1"; fi
}
# A program that is not linked with the sanitizers must load their libraries first.
sanitizers=
case $B in */san) sanitizers=$(cc -print-file-name=libasan.so) ;; esac
run() { ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers "$RUN" "$@"; }

# ---- what a program of one's own sees: api, faults -------------------------------------------------------------------------
try_api() { # WAY OPTIONS PROGRAM
	way=$1
	shift
	run "$@" >"$tmp/out" 2>"$tmp/err"
	check $? 0 "$way api: exit status"
	passed=$((passed + $(grep -c '^ok' "$tmp/out")))
	check "$([ "$(grep -c '^ok' "$tmp/out")" -gt 100 ] && echo many)" many "$way api: its tests run"
	check "$(grep -c '^FAIL' "$tmp/out")" 0 "$way api: $(grep -m 3 '^FAIL' "$tmp/out")"
	check "$(wc -l <"$tmp/err")" "$(sort -u "$tmp/err" | wc -l)" "$way api: each message once"
}
try_fault() { # WAY WHAT SEEN STATUS MESSAGE -- OPTIONS PROGRAM
	way=$1 what=$2 seen=$3 status=$4 message=$5
	shift 6
	run "$@" "$what" >"$tmp/out" 2>"$tmp/err"
	check $? "$status" "$way $what: exit status"
	check "$(sed 's/, .*//' "$tmp/out")" "$seen" "$way $what: the program's results"
	says "$tmp/err" "$message" "$way $what"
}
try_faults() { # WAY OPTIONS PROGRAM
	way=$1
	shift
	try_fault "$way" beyond cudaErrorIllegalAddress 1 "out of bounds: 4 bytes at 0x190 of cudaMalloc number 1" -- "$@"
	try_fault "$way" freed cudaErrorIllegalAddress 1 "memory freed" -- "$@"
	try_fault "$way" host cudaErrorIllegalAddress 1 "which is not in memory" -- "$@"
	try_fault "$way" misaligned cudaErrorMisalignedAddress 1 "misaligned" -- "$@"
	try_fault "$way" trap cudaErrorLaunchFailure 1 "', grid (1, 1, 1), block (32, 1, 1)" -- "$@"
	try_fault "$way" unwritten cudaSuccess 1 "uninitialised read" -- "$@"
	try_fault "$way" race cudaSuccess 1 "race: written by lane 31 of warp 0" -- "$@"
	run "$@" say >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c '^thread [0-9]* says hello' "$tmp/out") $(tail -1 "$tmp/out")" \
		"0 32 cudaSuccess, cudaSuccess, cudaSuccess, cudaSuccess" "$way printf"
}

# ---- a sample ----------------------------------------------------------------------------------------------------------------
small="--scale 8 --threads 96 --reps 1 --blocks 2"
try_sample() { # WAY OPTIONS PROGRAM: under ipdom and two random schedules
	way=$1
	shift
	# shellcheck disable=SC2086
	run --quiet --seeds 2 --counts="$tmp/counts" "$@" $small >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c 'ok$' "$tmp/out")" "0 1" "$way bfs"
	[ -s "$tmp/err" ] && { failed=$((failed + 1)); echo "FAIL cudart $way bfs:"; head -5 "$tmp/err"; }
	insts=$(awk -F'\t' 'NR > 1 { n += $2 } END { print n + 0 }' "$tmp/counts")
	check "$([ "$insts" -gt 1000 ] && echo counted)" counted "$way bfs: warp instructions"
}

if command -v g++ >/dev/null 2>&1; then
	host() { g++ -std=c++17 -O1 -w -rdynamic -I ../../driver/cudart/host -o "$tmp/$1-host" "$tmp/$1.cc" "${2:-$LIB}" -pthread; }
	for f in api faults; do cp $f.cu "$tmp/$f.cc" && host $f; done
	sh ../../samples/launches.sh ../../samples/bfs.cu >"$tmp/bfs.cc" && host bfs
	cp faults.cu "$tmp/faults12.cc" && host faults12 "${LIB%13}12"
	try_fault "CUDA 12" race cudaSuccess 1 "race: written by lane 31 of warp 0" -- --module faults.ptx -- "$tmp/faults12-host"
	check "$(grep -c -i version "$tmp/err")" 0 "CUDA 12: the loader is content"
	cat >"$tmp/pointer12.cc" <<'END'
#include <cstdio>
#include <cuda_runtime.h>
int main() { // CUDA 12's structure is shorter: what is behind it stays
	struct { cudaMemoryType type; int device; void *pointers[2]; long behind; } a = { cudaMemoryTypeHost, 5, { 0, 0 }, 77 };
	void *p;
	cudaMalloc(&p, 4);
	cudaError_t e = cudaPointerGetAttributes((cudaPointerAttributes *)&a, p);
	printf("%d %d %d %ld\n", e, a.type, a.device, a.behind);
}
END
	host pointer12 "${LIB%13}12"
	check "$(run -- "$tmp/pointer12-host")" "0 2 0 77" "CUDA 12: attributes of a pointer"
	try_api g++ --module api.ptx -- "$tmp/api-host"
	try_faults g++ --module faults.ptx -- "$tmp/faults-host"
	"$B/bin/ptxccc" -o "$tmp/bfs.ptx" ../../samples/bfs.ptx
	try_sample g++ --module ../../samples/bfs.ptx -- "$tmp/bfs-host"
	before=$insts
	try_sample "g++ transformed" --module "$tmp/bfs.ptx" -- "$tmp/bfs-host"
	check "$([ "$insts" != "$before" ] && echo other)" other "g++ transformed bfs: other code ran"
	if [ "${B##*/}" = build ]; then
		CCC_NVCC='' sh ../../samples/demo.sh >"$tmp/out" 2>"$tmp/err"
		check "$? $(grep -c 'ok$' "$tmp/out") $(sed -n 's/^estimated gain: 1\..*/gain/p' "$tmp/out")" "0 2 gain" "the demo without a toolkit"
	fi
	# shellcheck disable=SC2086
	run --lines=ptx --counts="$tmp/counts" --module "$tmp/bfs.ptx" -- "$tmp/bfs-host" $small >/dev/null 2>"$tmp/err"
	check "$(awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' "$tmp/err")" "$insts" "g++: instructions by line are all"
	says "$tmp/err" "  $tmp/bfs.ptx:" "g++: lines of the module"
	# shellcheck disable=SC2086
	machine_code() { # PTXAS: warp instructions of the sample, by its listing or by rules
		run --ptxas="$1" --counts="$tmp/counts" --module "$tmp/bfs.ptx" -- "$tmp/bfs-host" $small >/dev/null 2>"$tmp/err"
		awk -F '\t' 'NR > 1 { n += $2 } END { print n + 0 }' "$tmp/counts"
	}
	check "$(machine_code "$tmp/no-ptxas")" "$insts" "g++: no ptxas, rules count"
	says "$tmp/err" "ptxrun: warning: cannot run '$tmp/no-ptxas': " "g++: there is no ptxas"
	mkdir "$tmp/tools"
	printf '#!/bin/sh\necho "$LD_PRELOAD $@" >"%s/asked"\n' "$tmp" >"$tmp/tools/ptxas"
	printf '#!/bin/sh\ncat "%s/../simt/listing.txt"\n' "$PWD" >"$tmp/tools/nvdisasm"
	chmod +x "$tmp/tools/ptxas" "$tmp/tools/nvdisasm"
	check "$(machine_code "$tmp/tools/ptxas")" "$insts" "g++: functions that are not in the listing, rules count"
	check "$(wc -l <"$tmp/err")" 0 "g++: a listing: no messages"
	says "$tmp/asked" " -arch=sm_90 -lineinfo " "g++: ptxas is asked for the device, without the emulator's libraries"
	run --no-unwritten --module faults.ptx -- "$tmp/faults-host" unwritten >/dev/null 2>"$tmp/err"
	check "$? $(wc -l <"$tmp/err")" "0 0" "g++ unwritten, which is let pass"
	run --module "$tmp/none.ptx" -- "$tmp/bfs-host" >/dev/null 2>"$tmp/err"
	check $? 2 "a module that is not there"
	run --module faults.ptx -- "$tmp/api-host" >"$tmp/out" 2>"$tmp/err"
	says "$tmp/err" "cannot run kernel 'add(int const*, int*, int, int)'" "a kernel that is not in the module"
else
	skipped=$((skipped + 6))
fi

# Linked device code, from the PTX of its parts; one of them may have none.
try_parts() {
	part="$nvcc -rdc=true -O1 -lineinfo -dc parts.cu"
	# shellcheck disable=SC2086
	{
		build first.o $part -arch=sm_80 &
		build second.o $part -gencode arch=compute_80,code=compute_80 -DSECOND
		wait
		build elf.o $part -gencode arch=compute_80,code=sm_80 -DSECOND
		build parts $nvcc -arch=sm_80 "$tmp/first.o" "$tmp/second.o" &
		build half $nvcc -arch=sm_80 "$tmp/elf.o" "$tmp/first.o"
		wait
	}
	run --lines --seeds 1 -- "$tmp/parts" >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c '^ok' "$tmp/out") $(grep -c '^FAIL' "$tmp/out")" "0 7 0" "parts"
	# All except addresses of local variables, which belong to no line.
	grep 'linked.ptx:[0-9]' "$tmp/err" | grep -v '%SP, ' >"$tmp/lines"
	check "$(grep -c 'parts.cu:[1-9]' "$tmp/lines") $(grep -c '^the second says 700' "$tmp/out")" "$(wc -l <"$tmp/lines") 1" \
		"parts: CUDA lines, texts of printf"
	check "$([ "$(wc -l <"$tmp/lines")" -gt 50 ]; echo $?)" 0 "parts: lines"
	run -- "$tmp/half" >"$tmp/out" 2>"$tmp/err"
	says "$tmp/err" "1 of the 2 parts that the device code of 'half' was linked from have no PTX" "a part without PTX"
	says "$tmp/err" "neither the module nor the emulator has '_Z5twicei'" "a part without PTX: what is missing"
}

# The runtime in its default place: linked into the program, or into one of its libraries. And in places where the loader does not
# search for ours first.
try_static() {
	plainest=${plain% -cudart shared}
	# shellcheck disable=SC2086
	{
		build api-static $plainest api.cu &
		build faults-static $plainest -lineinfo faults.cu
		CCC_FLAGS='--ccc-sms=1 --ccc-grid-blocks=3' CCC_NVCC=$nvcc build bfs-static "$B/bin/cccnvcc" -O1 -arch=compute_80 ../../samples/bfs.cu
		wait
		build libinside.so $plainest -shared -Xcompiler -fPIC -Dmain=inside faults.cu
		build rpath $plain faults.cu -Xlinker "--disable-new-dtags,-rpath,$(dirname "$include")/lib64"
	}
	check "$(readelf -d "$tmp/api-static" "$tmp/faults-static" "$tmp/bfs-static" | grep -c libcudart)" 0 "static: no library is needed"
	try_api static -- "$tmp/api-static"
	try_faults static -- "$tmp/faults-static"
	try_sample static -- "$tmp/bfs-static"
	echo 'extern "C++" int inside(int, char **); int main(int n, char **v) { return inside(n, v); }' >"$tmp/outside.cc"
	build outside g++ "$tmp/outside.cc" -L "$tmp" -linside "-Wl,-rpath,$tmp"
	try_fault "a library with a runtime" race cudaSuccess 1 "race: written by lane 31 of warp 0" -- -- "$tmp/outside"
	cat >"$tmp/later.cc" <<'END'
#include <dlfcn.h>
int main(int n, char **v) {
	void *library = dlopen(v[1], RTLD_NOW), *f = library ? dlsym(library, "_Z6insideiPPc") : nullptr;
	return f ? ((int (*)(int, char **))f)(n - 1, v + 1) : 9;
}
END
	build later g++ "$tmp/later.cc" -ldl
	try_fault "a runtime in a library that comes later" race cudaSuccess 1 "race: written by lane 31 of warp 0" -- \
		-- "$tmp/later" "$tmp/libinside.so"
	try_fault "an RPATH to a runtime" race cudaSuccess 1 "race: written by lane 31 of warp 0" -- -- "$tmp/rpath"
	cp "$tmp/faults-static" "$tmp/stripped" && strip "$tmp/stripped"
	run -- "$tmp/stripped" race >"$tmp/out" 2>"$tmp/err"
	check "$? $(wc -l <"$tmp/err")" "2 1" "a stripped program: exit status, one message"
	says "$tmp/err" "'$tmp/stripped' contains the CUDA runtime, but no symbols" "a stripped program"
}

# ---- with a toolkit ----------------------------------------------------------------------------------------------------------
. ../cuda.sh
if [ -n "$nvcc" ]; then
	include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
	cc -I "$include" -o "$tmp/abi-toolkit" abi.c && "$tmp/abi-toolkit" >"$tmp/want"
	mkdir "$tmp/ours" && cp ../../driver/cudart/host/cuda_runtime.h "$tmp/ours/cuda_runtime_api.h"
	cc -I "$tmp/ours" -o "$tmp/abi-ours" abi.c && "$tmp/abi-ours" >"$tmp/got"
	check "$(diff "$tmp/want" "$tmp/got" && wc -l <"$tmp/got")" "$(wc -l <"$tmp/want")" "layouts and numbers"
	for real in "$include"/../lib64/libcudart.so.13 "$include"/../targets/*/lib/libcudart.so.13; do
		[ -f "$real" ] || continue
		symbols() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort; }
		symbols "$real" >"$tmp/want"
		symbols "$LIB" >"$tmp/got"
		check "$(comm -23 "$tmp/want" "$tmp/got")" "" "symbols that NVIDIA's library has"
		check "$(nm -D --defined-only "$LIB" | grep -c -v -i cuda)" 0 "symbols that it has not"
		break
	done
	plain="$nvcc -diag-suppress 20199 -O1 -gencode arch=compute_80,code=compute_80 -cudart shared"
	build() { # NAME OPTIONS, in the background
		name=$1
		shift
		"$@" -o "$tmp/$name" >"$tmp/$name.log" 2>&1 || echo "FAIL cudart: $name: $(head -3 "$tmp/$name.log")"
	}
	# shellcheck disable=SC2086
	{
		build api $plain --no-compress api.cu &
		build faults $plain --compress-mode=speed -lineinfo faults.cu
		wait
		build groups $plain -std=c++17 groups.cu &
		build graphs $plain -std=c++17 graphs.cu
		build textures $plain -std=c++17 -lineinfo textures.cu
		build synthetic $plain -std=c++17 ../../samples/synthetic.cu &
		build rdc $plain -rdc=true -arch=sm_80 -lineinfo faults.cu &
		build elf $nvcc -gencode arch=compute_80,code=sm_80 -cudart shared faults.cu
		wait
	}
	try_api nvcc -- "$tmp/api"
	says "$tmp/err" "'cudaIpcGetMemHandle' is not supported by the emulator" "a call that is not supported"
	try_faults nvcc -- "$tmp/faults"
	run -- "$tmp/faults" race >"$tmp/out" 2>"$tmp/err"
	says "$tmp/err" "CUDA line $PWD/faults.cu:14" "the CUDA line of a fault"
	says "$tmp/err" "found in launch 1 of kernel 'race(int*)'" "a kernel's name as in the source"
	# Two modules have a kernel of one name; one of them has several races.
	cat >"$tmp/one.cu" <<'END'
static __global__ void same(int *p) { p[threadIdx.x] = 1; }
void one(int *p) { same<<<1, 32>>>(p); }
END
	cat >"$tmp/two.cu" <<'END'
void one(int *);
static __global__ void same(int *p) { p[threadIdx.x / 2] = threadIdx.x; p[threadIdx.x / 3] = threadIdx.x; p[threadIdx.x / 4] = threadIdx.x; }
static __global__ void other(int *p) { p[threadIdx.x] = 1; }
int main() { int *p; cudaMalloc(&p, 4096); one(p); same<<<1, 32>>>(p); same<<<1, 32>>>(p); other<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
END
	build modules $plain "$tmp/one.cu" "$tmp/two.cu"
	run --counts --counts="$tmp/counts" -- "$tmp/modules" >"$tmp/out" 2>"$tmp/err"
	check "$(cut -f 1,20 "$tmp/counts" | sed 1d | tr '\t\n' ' ;')" "1 same(int*) (module 1);2 same(int*) (module 2);1 other(int*);" "a row for each module"
	check "$(grep -c '  same(int\*) (module [12])$' "$tmp/err")" 2 "a row for each module, in the table"
	says "$tmp/err" "to see the CUDA lines of races, compile with -lineinfo" "many races without lines"
	says "$tmp/err" "--suppress=FILE (man ptxrun)" "many races"
	run --html="$tmp/page" -- "$tmp/modules" >"$tmp/out" 2>"$tmp/err"
	says "$tmp/page" "; 32.0 of 32 lanes active. " "a page without lines has all active lanes"
	says "$tmp/page" "<p>Of 100.0 % of them no line is known" "a page without lines"
	build modules $plain -lineinfo "$tmp/one.cu" "$tmp/two.cu"
	run -- "$tmp/modules" >"$tmp/out" 2>"$tmp/err"
	check "$(grep -c 'compile with -lineinfo' "$tmp/err") $(grep -c 'suppress=FILE' "$tmp/err")" "0 1" "many races with lines"
	run -- "$tmp/faults" race >"$tmp/out" 2>"$tmp/err"
	check "$(grep -c 'suppress=FILE' "$tmp/err")" 0 "one race"
	run --lines=cuda --sort=lost -- "$tmp/faults" say >"$tmp/out" 2>"$tmp/err"
	says "$tmp/err" "$PWD/faults.cu:18" "numbers by CUDA line"
	run --html="$tmp/page" -- "$tmp/faults" say >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c "<h2>$PWD/faults.cu</h2>" "$tmp/page") $(grep -c '<tr class="cost"><td>18</td>' "$tmp/page")" "0 1 1" "a page of CUDA lines"
	run --lines --counts="$tmp/counts" --seeds 1 -- "$tmp/api" >"$tmp/out" 2>"$tmp/err"
	check "$(awk '/%/ { n += $1 } END { print n }' "$tmp/err")" "$(awk -F'\t' 'NR > 1 { n += $2 } END { print n }' "$tmp/counts")" \
		"lines add up to all launches"
	run --seeds 5 -- "$tmp/groups" >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c 'ok$' "$tmp/out") $(sed 's/[0-9]* launch[es]*/N launches/' "$tmp/err")" \
		"0 1 ptxrun: checked: N launches, and again under 5 random schedules: no faults (outputs are not compared)" "cooperative groups"
	run -- "$RUN" -- "$tmp/groups" >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c 'ok$' "$tmp/out") $(head -1 "$tmp/err")" \
		"2 1 ptxrun: warning: another ptxrun runs this one and sees none of the launches of '$tmp/groups': leave out one of the two" "ptxrun in ptxrun"
	run --quiet --seeds 1 -- "$tmp/graphs" >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c '^FAIL' "$tmp/out") $(wc -l <"$tmp/err")" "0 0 0" "CUDA graphs: $(grep -m 2 '^FAIL' "$tmp/out")"
	passed=$((passed + $(grep -c '^ok' "$tmp/out")))
	check "$([ "$(grep -c '^ok' "$tmp/out")" -gt 100 ] && echo many)" many "$way api: its tests run"
	run -- "$tmp/textures" >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c '^FAIL' "$tmp/out") $(wc -l <"$tmp/err")" "0 0 0" "textures: $(grep -m 2 '^FAIL' "$tmp/out")"
	passed=$((passed + $(grep -c '^ok' "$tmp/out")))
	check "$([ "$(grep -c '^ok' "$tmp/out")" -gt 100 ] && echo many)" many "$way api: its tests run"
	run -- "$tmp/textures" gone >"$tmp/out" 2>"$tmp/err"
	says "$tmp/err" "no texture or surface object is 0x3039" "a texture that is none"
	run --exit-status=program -- "$tmp/faults" race >"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c 'error: race' "$tmp/err")" "0 1" "--exit-status=program"
	try_fault "--keep-going" beyond cudaSuccess 1 "out of bounds" -- --keep-going -- "$tmp/faults"
	echo "race race faults.cu:14" >"$tmp/known"
	(cd "$tmp" && run --suppress known -- ./faults race) >"$tmp/out" 2>"$tmp/err"
	check "$? $(wc -l <"$tmp/err")" "0 0" "--suppress"
	CCC_NVCC=$nvcc build promise "$B/bin/cccnvcc" --ccc-markers-only -O1 -arch=compute_80 -cudart shared -lineinfo promise.cu
	(cd "$tmp" && run -- ./promise) >"$tmp/out" 2>"$tmp/err"
	check "$? $(cat "$tmp/out") $(grep -c 'error: ' "$tmp/err")" "1 ok 1" "a broken promise"
	says "$tmp/err" "broken promise: iteration 2 of the loop annotated at promise.cu:6 reads what iteration 1 wrote at line" "a broken promise"
	says "$tmp/err" "CUDA line $PWD/promise.cu:10" "a broken promise"
	(cd "$tmp" && run --no-promises -- ./promise) >"$tmp/out" 2>"$tmp/err"
	check "$? $(cat "$tmp/out") $(wc -l <"$tmp/err")" "0 ok 0" "--no-promises"
	echo "promise chain promise.cu:10" >"$tmp/known"
	(cd "$tmp" && run --suppress known -- ./promise) >"$tmp/out" 2>"$tmp/err"
	check "$? $(cat "$tmp/out") $(cat "$tmp/err")" \
		"0 ok ptxrun: checked: 1 launch: memory accesses of 1 annotated loop: independent, except for suppressed reports" "--suppress a broken promise"
	CCC_NVCC=$nvcc build promise "$B/bin/cccnvcc" --ccc-check-promise -O1 -arch=sm_80 -cudart shared promise.cu
	(cd "$tmp" && run --no-promises -- ./promise) >"$tmp/out" 2>"$tmp/err"
	check "$? $(cat "$tmp/out") $(grep -c 'promise.cu:10: two iterations of the loop at promise.cu:6 access the same address' "$tmp/err")" "0 ok 1" "--ccc-check-promise"
	says "$tmp/err" "accesses in annotated loops checked, promises are broken" "--ccc-check-promise"
	# A shell starts background commands with SIGINT ignored, and these tests may run in the background.
	cat >"$tmp/interrupt.py" <<'END'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
def worked(): # seconds of processor time that its children have had
    sum = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            of = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()
        except OSError: # it has ended
            continue
        if of[1] == str(p.pid):
            sum += int(of[11]) + int(of[12])
    return sum / os.sysconf("SC_CLK_TCK")
while p.poll() is None and worked() < 3:
    time.sleep(0.05)
p.send_signal(signal.SIGINT)
try:
    sys.exit(p.wait(300))
except subprocess.TimeoutExpired:
    p.kill()
END
	if command -v python3 >/dev/null 2>&1; then
		ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers python3 "$tmp/interrupt.py" "$RUN" --counts -- "$tmp/synthetic" --items 800000 --length 20000 2>"$tmp/err"
		check "$? $(grep -c '^ptxrun: interrupted in .*, at block' "$tmp/err") $(grep -c '^  *1  *[1-9].*synthetic' "$tmp/err")" "130 1 1" "an interrupt"
	fi
	try_fault "linked device code" race cudaSuccess 1 "race: written by lane 31 of warp 0" -- -- "$tmp/rdc"
	says "$tmp/err" "CUDA line $PWD/faults.cu:14" "linked device code: the CUDA line"
	try_parts
	try_fault "no PTX" race cudaErrorNoKernelImageForDevice 0 "it has no PTX: build with" -- -- "$tmp/elf"
	try_fault "older device" race cudaErrorNoKernelImageForDevice 0 "newer architectures only" -- --arch=sm_75 -- "$tmp/faults"
	try_static
	if [ -n "${LONG:-}" ]; then
		# shellcheck disable=SC2086
		build thrust ${plain% -cudart shared} -std=c++17 thrust.cu
		run --seeds 2 -- "$tmp/thrust" >"$tmp/out" 2>"$tmp/err"
		check "$? $(grep -c 'ok$' "$tmp/out") $(sed "s/:.*//" "$tmp/err")" "0 3 ptxrun" "Thrust" # one line: what was checked
	fi
else
	skipped=$((skipped + 9))
fi
run -- true >"$tmp/out" 2>"$tmp/err"
check $? 2 "a program without the runtime: exit status"
says "$tmp/err" "the program did not use the CUDA runtime" "a program without the runtime"
run -- sh -c "exit 7" >"$tmp/out" 2>"$tmp/err"
check "$? $(cat "$tmp/err")" "7 " "the program's own exit status, and nothing about the runtime"
mkdir "$tmp/signal"
TMPDIR=$tmp/signal run -- sh -c "echo \$\$ \$PPID >'$tmp/pid'; exec sleep 100" 2>/dev/null &
until [ -s "$tmp/pid" ]; do sleep 0.1; done
read -r child parent <"$tmp/pid"
kill -TERM "$parent"
wait $!
check $? 143 "SIGTERM: exit status"
check "$(kill -0 "$child" 2>/dev/null && echo runs)" "" "SIGTERM: the program ends"
check "$(ls "$tmp/signal")" "" "SIGTERM: the report is removed"
echo "cudart: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
