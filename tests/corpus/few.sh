#!/bin/sh
# SPDX-License-Identifier: MIT
# few.sh: run.sh on the hand-written PTX and, if there is nvcc, on the PTX of a few CUDA sources.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
. tests/cuda.sh
if [ -n "$nvcc" ]; then
	FEW=1 sh tests/corpus/make-corpus.sh "$B/corpus" >/dev/null
	CORPUS=$B/corpus
	export CORPUS
fi
exec sh tests/corpus/run.sh
