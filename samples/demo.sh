#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh: the output of `make demo`: the annotated BFS compiled by cccnvcc, its transformed loops, and runs of both programs, original and
# transformed. Without a GPU they run unchanged on the emulator; without a CUDA toolkit either, the host code is
# compiled by g++, and the kernel is the PTX next to the sample. CCC_NVCC names another nvcc; empty: none.
set -eu
cd "$(dirname "$0")/.."
bin=build/bin
out=build/demo
mkdir -p $out
sh tests/need.sh g++ # nvcc runs it, too
. tests/cuda.sh
show() { echo "\$ $*"; "$@"; }

# On the emulator: NAME OPTIONS PROGRAM. The counts of its kernel go to $out/NAME.counts.
emulate() {
	name=$1
	shift
	echo "(On the emulator: ms and Medges/s below are measured on this CPU, not on a GPU.)"
	show $bin/ptxrun --counts=$out/"$name".counts "$@" --scale 16 --reps 1
}
compare() {
	echo
	echo "             warp instructions   thread instructions   active lanes"
	for name in written collected; do
		awk -F '\t' -v name=$name 'NR == 2 { printf "%-12s %17d %21d %8.1f %%\n", name, $2, $3, 100 * $3 / (32 * $2) }' $out/$name.counts
	done
	awk -F '\t' 'FNR == 2 { n[++k] = $2 } END { printf "estimated gain: %.2fx\n", n[1] / n[2] }' $out/written.counts $out/collected.counts
	echo "(Estimated from issue slots, the ratio of warp instructions; memory and occupancy are not included.)"
}

if [ -z "$nvcc" ]; then
	echo "No CUDA toolkit here: starting from samples/bfs.ptx, which nvcc made of the annotated samples/bfs.cu."
	show $bin/ptxccc --report -o $out/bfs.ptx samples/bfs.ptx
	echo "\$ sh samples/launches.sh samples/bfs.cu >$out/bfs.cc"
	sh samples/launches.sh samples/bfs.cu >$out/bfs.cc
	show g++ -std=c++17 -O2 -rdynamic -I driver/cudart/host -o $out/bfs-host $out/bfs.cc build/lib/ptxrun/libcudart.so.13 -pthread
	emulate written --module samples/bfs.ptx -- $out/bfs-host
	emulate collected --module $out/bfs.ptx -- $out/bfs-host
	compare
	exit 0
fi

if command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1; then
	CCC_NVCC=$nvcc show $bin/cccnvcc -O3 -arch=native --ccc-report samples/bfs.cu -o $out/bfs
	show "$nvcc" -diag-suppress 20199 -O3 -arch=native samples/bfs.cu -o $out/bfs-plain
	show $out/bfs-plain --scale 18
	show $out/bfs --scale 18
else
	echo "No GPU here: both programs run on the emulator."
	CCC_NVCC=$nvcc show $bin/cccnvcc -O3 -arch=sm_80 --ccc-report samples/bfs.cu -o $out/bfs
	show "$nvcc" -diag-suppress 20199 -O3 -arch=sm_80 samples/bfs.cu -o $out/bfs-plain
	emulate written -- $out/bfs-plain
	emulate collected -- $out/bfs
	compare
fi
