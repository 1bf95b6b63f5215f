#!/bin/sh
# SPDX-License-Identifier: MIT
# python.sh: the Python package, from the tree and installed by pip; if a Python has Numba, Numba kernels on the emulator; for each of
# the makers that install() hooks and that a Python has, a kernel on the emulator.
# PYTHONS: additional interpreters, such as a virtual environment's. Needs python3; missing packages are skipped.
set -u
cd "$(dirname "$0")/.." || exit 2
part=python
. tests/t.sh
B=${B:-build}
case $B in *san) skip_all ;; esac # the sanitizers' libraries would have to be there first
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip_all
PTXCCC_LIBRARY=$(readlink -m "$B")/lib/libptxccc.so.0 PTXRUN=$(readlink -m "$B")/bin/ptxrun PYTHONDONTWRITEBYTECODE=1
export PTXCCC_LIBRARY PTXRUN PYTHONDONTWRITEBYTECODE
. tests/cuda.sh
[ -z "$nvcc" ] || export CUDA_HOME="$(dirname "$(dirname "$(readlink -f "$nvcc")")")"

tree() { PYTHONPATH=$PWD/python python3 "python/tests/$1"; }
installed() {
	python3 -c 'import setuptools, pip, wheel' 2>/dev/null || { echo "no setuptools, no wheel"; return 77; }
	cp -R python "$tmp/python" && python3 -m pip install -q --no-deps --no-build-isolation --no-index --target "$tmp/site" "$tmp/python" || return
	[ -s "$tmp/site/ptxccc/libptxccc.so.0" ] && (unset PTXCCC_LIBRARY && PYTHONPATH=$tmp/site python3 python/tests/test_ptxccc.py &&
		PYTHONPATH=$tmp/site python3 python/tests/test_hooks.py)
}
numba() { # numba PYTHON
	[ -n "$nvcc" ] && "$1" -c 'from numba import cuda' 2>/dev/null || { echo "no numba"; return 77; }
	PYTHONPATH=$PWD/python "$1" python/tests/test_numba.py >"$tmp/out" 2>&1
	status=$?
	cat "$tmp/out"
	! grep -q skipped= "$tmp/out" || [ $status != 0 ] || status=77
	return $status
}
maker() { # maker PYTHON MAKER ORDER
	export CUPY_CACHE_DIR="$tmp/$3/cupy" NUMBA_CACHE_DIR="$tmp/$3/numba" WARP_CACHE_PATH="$tmp/$3/warp"
	PYTHONPATH=$PWD/python CCC_FLAGS='' "$PTXRUN" --counts -- "$1" -W ignore python/tests/makers.py "$2" "$3" >"$tmp/out" 2>"$tmp/err"
	status=$?
	cat "$tmp/err" "$tmp/out"
	# The emulator's table has the kernel twice, with different numbers of instructions.
	[ $status = 0 ] || return $status
	[ "$(awk '$NF != "kernel" && /search/ { print $2 / $1 }' "$tmp/err" | sort -u | wc -l)" -ge 2 ]
}
t "tree" tree test_ptxccc.py
t "hooks" tree test_hooks.py
t "installed" installed
for python in python3 ${PYTHONS:-}; do
	t "numba of $python" numba "$python"
	for maker in cuda.core numba-cuda numba-cuda-mlir CuPy Warp; do
		for order in before after; do t "$maker of $python, imported $order" maker "$python" $maker $order; done
	done
done
finish
