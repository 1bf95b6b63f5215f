#!/bin/sh
# demo.sh: what `make demo` shows: the annotated BFS through cccnvcc, what was transformed, and the run where there is a GPU.
# Without a CUDA toolkit it starts from the PTX checked in beside the sample.
set -eu
cd "$(dirname "$0")/.."
bin=build/bin
out=build/demo
mkdir -p $out
nvcc=${CCC_NVCC:-$(command -v nvcc || true)}
[ -n "$nvcc" ] || { [ -x /usr/local/cuda/bin/nvcc ] && nvcc=/usr/local/cuda/bin/nvcc; } || true

if [ -z "$nvcc" ]; then
	echo "No CUDA toolkit here: starting from samples/bfs.ptx, which nvcc made of the annotated samples/bfs.cu."
	echo "\$ ptxccc --report -o $out/bfs.ptx samples/bfs.ptx"
	$bin/ptxccc --report -o $out/bfs.ptx samples/bfs.ptx
	echo "The transformed module is $out/bfs.ptx."
	exit 0
fi
if command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1; then arch=native gpu=true; else arch=sm_80 gpu=false; fi
echo "\$ cccnvcc -O3 -arch=$arch --ccc-report samples/bfs.cu -o $out/bfs"
CCC_NVCC=$nvcc $bin/cccnvcc -O3 -arch=$arch --ccc-report samples/bfs.cu -o $out/bfs
if $gpu; then
	"$nvcc" -diag-suppress 20199 -O3 -arch=$arch samples/bfs.cu -o $out/bfs-plain
	for program in bfs-plain bfs; do
		echo "\$ $out/$program --scale 18"
		$out/$program --scale 18
	done
else
	echo "No GPU here: $out/bfs is built, and runs where there is one."
fi
