#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh [NAME...]: regenerates the PTX of the listings, with markers and line numbers and untransformed (a line "// NVCC: ..." adds
# options of nvcc). The counts in docs/measurements/papers.md depend on the compiler's version, so run this by hand, then run.sh -b. Needs nvcc.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- *.cu
for source; do
	name=$(basename "$source" .cu)
	options=$(sed -n 's|^// NVCC: ||p' "$name.cu")
	# shellcheck disable=SC2086
	../../build/bin/cccnvcc --ccc-markers-only -lineinfo -rdc=false -ptx -arch=compute_80 -diag-suppress 177 $options "$name.cu" -o tmp.ptx
	sed "s|$PWD/||" tmp.ptx >"$name.ptx"
done
rm -f tmp.ptx
