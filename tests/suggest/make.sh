#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: generates the PTX files in this folder from its programs, and from samples without their annotations and with loops
# kept from being unrolled, as cccnvcc --ccc-suggest compiles them. Needs nvcc; the tests need only the results.
set -eu
cd "$(dirname "$0")"
CCCNVCC=${CCCNVCC:-../../build/bin/cccnvcc}
here=$PWD
trap 'rm -rf "$here/tmp"' EXIT
mkdir tmp
cp ../../samples/sample.cuh tmp/
for sample in bfs rt md hash spmv; do
	sed -E '/#pragma ccc/s/.*//; s/^(	*)for \(/\1_Pragma("unroll 1") for (/' ../../samples/$sample.cu >tmp/$sample.cu
done
for source in again best exits labels leaves nests uniform small tasks unclear waits; do
	cp $source.cu tmp/
done
cd tmp
for source in *.cu; do
	name=${source%.cu}
	"../$CCCNVCC" --ccc-off -std=c++17 -lineinfo -arch=sm_80 -ptx "$source" -o "$name.ptx"
	{
		sed "s|\"$PWD/|\"/src/|; s|\"/[^\"]*/include/|\"/cuda/|; s|\"/[^\"]*/targets/[^\"]*/include/|\"/cuda/|" "$name.ptx"
		echo '// SPDX-License-Identifier: MIT'
	} >"../$name.ptx"
done
