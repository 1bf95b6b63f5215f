#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: regenerates the PTX of this folder's programs, for machines without nvcc.
set -eu
cd "$(dirname "$0")"
for f in api faults; do
	nvcc -O3 -arch=compute_80 -ptx -o $f.ptx $f.cu
done
