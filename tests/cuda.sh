# SPDX-License-Identifier: MIT
# cuda.sh: finds the CUDA toolkit; sourced by scripts that use it. Sets nvcc: to CCC_NVCC (empty: none), else to the one on PATH,
# else to the one in /usr/local/cuda; empty if there is none, or no g++, which nvcc needs. It is the program in the toolkit's folder
# where the one on PATH is a script or a link. Programs next to it, such as ptxas, are found even if they are not on PATH.
# shellcheck shell=sh disable=SC2034
nvcc=$(command -v "${CCC_NVCC-nvcc}" || command -v "${CCC_NVCC-/usr/local/cuda/bin/nvcc}") || nvcc=
if [ -n "$nvcc" ]; then
	cuda_bin=$("$nvcc" --dryrun -c absent.cu 2>&1 </dev/null | sed -n 's/^#\$ _HERE_=//p')
	[ ! -x "$cuda_bin/nvcc" ] || nvcc=$(readlink -f "$cuda_bin/nvcc")
	PATH=$PATH:$(dirname "$nvcc")
fi
command -v g++ >/dev/null 2>&1 || nvcc=
