#!/bin/sh
# SPDX-License-Identifier: MIT
# python.sh: the Python package, from the tree and installed by pip; if a Python has Numba, Numba kernels on the emulator.
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

tree() { PYTHONPATH=$PWD/python python3 python/tests/test_ptxccc.py; }
installed() {
	python3 -c 'import setuptools, pip, wheel' 2>/dev/null || { echo "no setuptools, no wheel"; return 77; }
	cp -R python "$tmp/python" && python3 -m pip install -q --no-deps --no-build-isolation --no-index --target "$tmp/site" "$tmp/python" || return
	[ -s "$tmp/site/ptxccc/libptxccc.so.0" ] && (unset PTXCCC_LIBRARY && PYTHONPATH=$tmp/site python3 python/tests/test_ptxccc.py)
}
numba() { # numba PYTHON
	[ -n "$nvcc" ] && "$1" -c 'from numba import cuda' 2>/dev/null || { echo "no numba"; return 77; }
	PYTHONPATH=$PWD/python "$1" python/tests/test_numba.py >"$tmp/out" 2>&1
	status=$?
	cat "$tmp/out"
	! grep -q skipped= "$tmp/out" || [ $status != 0 ] || status=77
	return $status
}
t "tree" tree
t "installed" installed
for python in python3 ${PYTHONS:-}; do t "numba of $python" numba "$python"; done
finish
