#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: makes the PTX of this folder's programs again, for the machines that have no nvcc.
set -eu
cd "$(dirname "$0")"
for f in api faults; do
	nvcc -O3 -arch=compute_80 -ptx -o $f.ptx $f.cu
done
