# SPDX-License-Identifier: MIT
# cuda.sh: where the CUDA toolkit is; scripts that use it source this file. Sets nvcc, empty where
# there is none: CCC_NVCC (empty: none), else the one on PATH, else the one in /usr/local/cuda. The
# programs beside it, such as ptxas, are found, whether on PATH or not. Where there is no g++, which
# nvcc runs, nvcc is empty too.
# shellcheck shell=sh disable=SC2034
nvcc=$(command -v "${CCC_NVCC-nvcc}" || command -v "${CCC_NVCC-/usr/local/cuda/bin/nvcc}") || nvcc=
[ -z "$nvcc" ] || PATH=$PATH:$(dirname "$(readlink -f "$nvcc")")
command -v g++ >/dev/null 2>&1 || nvcc=
