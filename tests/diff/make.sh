#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: generates the PTX of the kernels of tests/gpu, with markers and untransformed, for tests/diff/run.sh. Needs nvcc.
set -eu
cd "$(dirname "$0")/../.."
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} ARCH=${ARCH:-sm_80}
LAUNCH='--grid 2 --shared 8192 --arg s32:800 --arg s32:3 --arg buf:3600:rand:3 --arg buf:7200:rand:4 --arg buf:7200:real64:5'
LAUNCH="$LAUNCH --arg buf:14400:real:6 --arg buf:3600 --arg buf:3600 --arg buf:8192 --arg buf:256"
for f in ${FILES:-tests/gpu/*.cu}; do
	case $(sed -n 1p "$f") in *PART.*) continue ;; esac
	out=tests/diff/$(basename "$f" .cu).ptx
	"$CCCNVCC" --ccc-markers-only -ptx -std=c++17 -O3 -arch="$ARCH" -Wno-deprecated-gpu-targets -diag-suppress 20199,177 \
		-include tests/diff/kernels.cuh "$f" -o "$out.new"
	{
		grep -h -E '^// (XFAIL|NEVER):' "$out" 2>/dev/null || :
		echo "// LAUNCH: * $LAUNCH"
		echo "// Made from $f by tests/diff/make.sh"
		cat "$out.new"
	} >"$out.all"
	rm "$out.new"
	mv "$out.all" "$out"
done
