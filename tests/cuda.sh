# SPDX-License-Identifier: MIT
# cuda.sh: finds the CUDA toolkit; sourced by scripts that use it. Sets nvcc: to CCC_NVCC (empty: none), else to the one on PATH,
# else to the one in /usr/local/cuda; empty if there is none, or no g++, which nvcc needs. Programs next to it, such as ptxas,
# are found even if they are not on PATH.
# shellcheck shell=sh disable=SC2034
nvcc=$(command -v "${CCC_NVCC-nvcc}" || command -v "${CCC_NVCC-/usr/local/cuda/bin/nvcc}") || nvcc=
[ -z "$nvcc" ] || PATH=$PATH:$(dirname "$(readlink -f "$nvcc")")
command -v g++ >/dev/null 2>&1 || nvcc=
