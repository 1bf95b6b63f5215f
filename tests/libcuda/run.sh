#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: programs of the CUDA driver API on the emulator. driver.c tests each part of it: without a toolkit, by dlopen and
# cuGetProcAddress; with one, compiled with its cuda.h and linked with -lcuda. Then NVRTC's sample, also with each of ptxrun's
# options for programs, and the Python libraries that are installed.
set -u
cd "$(dirname "$0")" || exit 2
B=$(cd ../.. && readlink -m "${B:-build}")
RUN=$B/bin/ptxrun LIB=$B/lib/ptxrun/libcuda.so.1
part=libcuda
. ../t.sh
sanitizers=
case $B in */san) sanitizers=$(cc -print-file-name=libasan.so) ;; esac
run() { ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers "$RUN" "$@"; }

calls() { # PROGRAM: all parts are ok, and each missing function is reported once
	run -- "$1" kernels.ptx >"$tmp/out" 2>"$tmp/err"
	status=$?
	grep '^FAIL' "$tmp/out"
	cat "$tmp/err"
	[ $status = 0 ] && [ "$(grep -c '^ok' "$tmp/out")" -gt 100 ] && [ "$(grep -c "'cuIpcGetMemHandle' is not supported" "$tmp/err")" = 1 ] &&
		grep -q 'is machine code only (a cubin)' "$tmp/err" && grep -q 'module[0-9]*.ptx:1:1: error: ' "$tmp/err"
}
fault() { # PROGRAM FAULT WHAT-IT-SEES STATUS MESSAGE [OPTIONS]
	program=$1 what=$2 seen=$3 want=$4 message=$5
	shift 5
	run "$@" -- "$program" kernels.ptx "$what" >"$tmp/out" 2>"$tmp/err"
	status=$?
	cat "$tmp/out" "$tmp/err"
	[ $status = "$want" ] && [ "$(cat "$tmp/out")" = "$seen" ] && { [ -z "$message" ] || grep -q -e "$message" "$tmp/err"; }
}
programs() { # NAME PROGRAM
	t "$1: calls" calls "$2"
	t "$1: out of bounds" fault "$2" beyond "CUDA_ERROR_ILLEGAL_ADDRESS CUDA_ERROR_ILLEGAL_ADDRESS" 1 "out of bounds.*cuMemAlloc number 1"
	t "$1: trap" fault "$2" traps "CUDA_ERROR_LAUNCH_FAILED CUDA_ERROR_LAUNCH_FAILED" 1 "found in launch 1 of kernel 'traps'"
	t "$1: race" fault "$2" race "CUDA_SUCCESS CUDA_SUCCESS" 1 "race: written by lane"
	t "$1: unwritten" fault "$2" unwritten "CUDA_SUCCESS CUDA_SUCCESS" 1 "uninitialised read"
	t "$1: --keep-going" fault "$2" beyond "CUDA_SUCCESS CUDA_SUCCESS" 1 "faults found" --keep-going
	t "$1: --no-races" fault "$2" race "CUDA_SUCCESS CUDA_SUCCESS" 0 "" --no-races
}

cc -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -o "$tmp/driver" driver.c -ldl || exit 1
programs "by dlopen" "$tmp/driver"
unversioned() { # called like the toolkit's stub, which may be on the loader's path
	sed 's/"libcuda.so.1"/"libcuda.so"/' driver.c >"$tmp/plain.c" && cc -std=c11 -D_DEFAULT_SOURCE -I. -o "$tmp/plain" "$tmp/plain.c" -ldl &&
		run -- "$tmp/plain" kernels.ptx
}
t "libcuda.so" unversioned
exports() { # all exports of NVIDIA's library, according to the stub, and of others only nvJitLink's
	nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort >"$tmp/want"
	nm -D --defined-only "$LIB" | awk '$2 != "A" { print $3 }' | sort >"$tmp/got"
	comm -23 "$tmp/want" "$tmp/got" >"$tmp/missing"
	comm -13 "$tmp/want" "$tmp/got" | grep -v '^ptxrun_nvJitLink' >"$tmp/more"
	cat "$tmp/missing" "$tmp/more"
	[ ! -s "$tmp/missing" ] && [ ! -s "$tmp/more" ]
}

# ---- with a toolkit ----------------------------------------------------------------------------------------------------------
. ../cuda.sh
toolkit=
[ -z "$nvcc" ] || toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
stub=
for at in "$toolkit"/lib64/stubs "$toolkit"/targets/*/lib/stubs; do [ -f "$at/libcuda.so" ] && stub=$at; done
if [ -n "$stub" ]; then
	t "linked: build" cc -std=c11 -DTOOLKIT -I "$toolkit/include" -o "$tmp/linked" driver.c -L "$stub" -lcuda
	programs "linked" "$tmp/linked"
	grep -q "CUDA_VERSION 13000" "$toolkit/include/cuda.h" && t "exports" exports "$stub/libcuda.so"
else
	skipped=$((skipped + 8))
fi

# NVRTC's sample: two modules, a kernel in each.
sample() { # OPTIONS: prints the program's output; ptxrun's messages are in $tmp/err
	run "$@" -- "$tmp/nvrtc" --count 4096 >"$tmp/out" 2>"$tmp/err"
	status=$?
	cat "$tmp/out" "$tmp/err"
	[ $status = 0 ] && grep -q '^22 pairs of primes.*, ok$' "$tmp/out"
}
table() { sample --counts && grep -q '^  *5 .* pairs (module 1)$' "$tmp/err" && grep -q '^  *5 .* pairs (module 2)$' "$tmp/err"; }
lines() { sample --lines=cuda && grep -q 'pairs.cu:3[0-9]' "$tmp/err"; }
same() { # under threads: the same numbers
	sample --counts && grep ' pairs (module [12])$' "$tmp/err" >"$tmp/one" && sample --threads=2 --counts && grep ' pairs (module [12])$' "$tmp/err" | cmp - "$tmp/one"
}
profiled() { sample --profile="$tmp/p.prof" && [ -s "$tmp/p.prof" ]; }
mixed() { # both interfaces in one process have one device, and one context
	cat >"$tmp/mixed.cc" <<'END_'
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cstdio>
int main() {
	int *p, x = 5, y = 0;
	cudaMalloc((void **)&p, 4);                   // no cuInit, no context: the runtime makes one
	CUresult e = cuMemcpyHtoD((CUdeviceptr)p, &x, 4);
	cudaError_t f = cudaMemcpy(&y, p, 4, cudaMemcpyDeviceToHost);
	cuMemAlloc(NULL, 4);
	CUresult (*find)(CUdeviceptr *, size_t *, CUdeviceptr) = nullptr;
	cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", (void **)&find, 12000, 0, nullptr);
	size_t n = 0;
	if (find)
		find(nullptr, &n, (CUdeviceptr)p);
	printf("%d %d %d %d %zu\n", e, f, y, cudaGetLastError(), n); // the driver's errors are not the runtime's
}
END_
	g++ -I "$toolkit/include" -o "$tmp/mixed" "$tmp/mixed.cc" -L "$stub" -lcuda -L "$toolkit/lib64" "$1" && run -- "$tmp/mixed" >"$tmp/out" &&
		cat "$tmp/out" && [ "$(cat "$tmp/out")" = "0 0 5 0 4" ]
}
if [ -n "$stub" ] && [ -f "$toolkit/include/nvrtc.h" ] && [ -z "$sanitizers" ]; then
	t "NVRTC: build" make -s -C ../../samples/nvrtc CUDA="$toolkit" OUT="$tmp/nvrtc"
	t "NVRTC: counts" table
	t "NVRTC: lines" lines
	t "NVRTC: threads" same
	t "NVRTC: a profile" profiled
	t "NVRTC: seeds" sample --seeds=1
else
	skipped=$((skipped + 6))
fi
if [ -n "$stub" ]; then
	t "runtime and driver" mixed -lcudart
	t "static runtime and driver" mixed "-l:libcudart_static.a"
else
	skipped=$((skipped + 2))
fi

# ---- Python ------------------------------------------------------------------------------------------------------------------
[ -z "$toolkit" ] || export CUDA_HOME="$toolkit"
python() { # PYTHON NAME WHAT-PTXRUN-SAYS
	[ -z "$sanitizers" ] && "$1" -c "import $2" 2>/dev/null || { echo "no $2"; return 77; }
	[ -n "$toolkit" ] || return 77
	PYTHONPATH=$PWD/../../python PTXCCC_LIBRARY=$B/lib/libptxccc.so.0 PYTHONDONTWRITEBYTECODE=1 \
		CUPY_CACHE_DIR=$tmp/cupy NUMBA_CACHE_DIR=$tmp/numba run --counts -- "$1" -W ignore "run_$2.py" >"$tmp/out" 2>"$tmp/err"
	status=$?
	cat "$tmp/out" "$tmp/err"
	[ $status = 0 ] && [ "$(tail -1 "$tmp/out")" = ok ] && grep -q "$3" "$tmp/err"
}
for python in python3 ${PYTHONS:-}; do
	t "CuPy of $python" python "$python" cupy ' RawKernel_add$'
	t "Numba of $python" python "$python" numba '__main__::add$'
done
finish
