#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh: a large program with Thrust and CUB (programs/orders.cu). Built with nvcc and, unchanged, with cccnvcc, it has
# the same device code and the same output. With an annotation in the only kernel that it defines, this kernel is transformed and
# the output is the same. Runs on the GPU; without one on the emulator, with fewer orders (CUB's merge sort loads
# uninitialised values that it does not use, hence --no-unwritten). Needs nvcc; takes minutes, because CUB compiles slowly.
#
# STEP=build or STEP=run does only that (to run on a different machine); OUT (a temporary folder) is for the programs.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} STEP=${STEP:-all} part=programs
. tests/t.sh
out=${OUT:-$tmp}
mkdir -p "$out"
. tests/cuda.sh
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH
export CCC_FLAGS=--ccc-choose=first # whatever is expected to gain

compile() { # compile NAME COMPILER OPTION...
	name=$1
	shift
	"$@" -std=c++17 -O2 -arch=sm_90 --extended-lambda -c tests/nvcc/programs/orders.cu -o "$out/$name.o" &&
		"$1" -arch=sm_90 -cudart "$cudart" "$out/$name.o" -o "$out/$name"
}
same_code() {
	for name in plain ccc; do objcopy -O binary -j .nv_fatbin "$out/$name.o" "$tmp/$name.fatbin"; done
	[ -s "$tmp/plain.fatbin" ] && cmp "$tmp/plain.fatbin" "$tmp/ccc.fatbin"
}
one_kernel() {
	"$B/tests/fatbin_main" -ptx "$out/annotated.o" >"$tmp/ptx" &&
		[ "$(grep -c 'shared .*ccc[0-9]*_tasks' "$tmp/ptx")" = 1 ]
}
run() { # run NAME: the same output as the first program
	if $gpu; then "$out/$1" >"$tmp/$1.out"; else "$B/bin/ptxrun" --no-unwritten -- "$out/$1" 5000 >"$tmp/$1.out"; fi &&
		[ "$(tail -1 "$tmp/$1.out")" = ok ] && cmp "$tmp/plain.out" "$tmp/$1.out"
}

if nvidia-smi -L >/dev/null 2>&1; then gpu=true; else gpu=false; fi
cudart=shared # the emulator's takes its place
[ $STEP = all ] || cudart=static
if [ $STEP != run ]; then
	if [ -z "$nvcc" ]; then
		skip_all
	fi
	t "plain builds" compile plain "$nvcc"
	t "ccc builds" compile ccc "$B/bin/cccnvcc"
	t "annotated builds" compile annotated "$B/bin/cccnvcc" --ccc-strict -DANNOTATED
	t "same code" same_code
	t "one kernel transformed" one_kernel
fi
if [ $STEP != build ]; then
	for program in plain ccc annotated; do t "$program runs" run $program; done
	! $gpu || sed 's/^/	/' "$tmp/annotated.out"
fi
finish
