#!/bin/sh
# SPDX-License-Identifier: MIT
# lanes.sh [NAME...]: the table of README.md: active lanes per warp in the samples' kernels,
# original and annotated, and the number of issued warp instructions. Counted by ptxrun:
# no GPU is needed, but nvcc is. All kernels of a program, all launches.
set -eu
cd "$(dirname "$0")/.."
bin=build/bin out=build/lanes
. tests/cuda.sh
. samples/counted.sh
mkdir -p $out

build() { # COMPILER NAME PROGRAM
	"$1" -std=c++17 -arch=compute_80 -cudart shared -diag-suppress 20199 \
		"samples/$2.cu" -o "$out/$3"
}
row() { # NAME OPTIONS
	name=$1
	shift
	build "$nvcc" "$name" "$name-written"
	CCC_FLAGS='--ccc-sms=1 --ccc-grid-blocks=3' CCC_NVCC=$nvcc \
		build $bin/cccnvcc "$name" "$name"
	echo "$(count "$name-written" "$@") $(count "$name" "$@")" |
		awk -v name="$name" -v options="$*" '{
			printf "| `%s` | %.0f %% | %.0f %% | %.2f | `%s` |\n", name,
				100 * $2 / $1 / 32, 100 * $4 / $3 / 32, $3 / $1, options }'
}
echo "| sample | active lanes, as written | annotated | warp instructions | run with |"
echo "| --- | --: | --: | --: | --- |"
rows "$@"
