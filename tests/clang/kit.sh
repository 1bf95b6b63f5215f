# SPDX-License-Identifier: MIT
# kit.sh: a CUDA toolkit for clang; sourced, with $nvcc (tests/cuda.sh) and $tmp set. Sets clang, to CLANG or clang++, and
# clang_options; clang is empty if clang is not installed or compiles no CUDA, and clang_why says why.
#
# clang 21 and older support CUDA up to 12: texture references and fatbinary's --image have left CUDA 13. A folder with links to
# the toolkit, an empty header for the former, and a script that translates the latter, does for programs without textures.
# shellcheck shell=sh disable=SC2034,SC2154
clang=$(command -v "${CLANG:-clang++}") || clang=
clang_why="no clang++"
clang_kit() {
	kit=$tmp/kit
	cuda_top=$(cd "$(dirname "$nvcc")/.." && pwd) || return
	mkdir -p "$kit/bin" "$kit/empty" && ln -s "$cuda_top/include" "$cuda_top/nvvm" "$kit/" && ln -s "$cuda_top/bin/ptxas" "$kit/bin/" || return
	: >"$kit/empty/texture_fetch_functions.h"
	cat >"$kit/bin/fatbinary" <<-E2
		#!/bin/sh
		for a; do
			shift
			case \$a in
			--image=profile=sm_*) v=\${a#*sm_} kind=elf ;;
			--image=profile=compute_*) v=\${a#*compute_} kind=ptx ;;
			*) v= ;;
			esac
			[ -z "\$v" ] || a=--image3=kind=\$kind,sm=\${v%%,*},file=\${a#*,file=}
			set -- "\$@" "\$a"
		done
		exec "$cuda_top/bin/fatbinary" "\$@"
	E2
	chmod +x "$kit/bin/fatbinary"
	[ ! -d "$cuda_top/lib64" ] || ln -s "$cuda_top/lib64" "$kit/lib64"
	[ -d "$cuda_top/lib64" ] || ln -s "$cuda_top/lib" "$kit/lib64"
	clang_options="--cuda-path=$kit -isystem $kit/include -isystem $kit/empty -D__CLANG_CUDA_TEXTURE_INTRINSICS_H__ --cuda-gpu-arch=sm_80 -std=c++17 -Wno-unknown-cuda-version -L$kit/lib64 -lcudart"
	printf '#include <cuda_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >"$tmp/probe.cu"
	# shellcheck disable=SC2086
	"$clang" -O2 "$tmp/probe.cu" -o "$tmp/probe" $clang_options >"$tmp/probe.log" 2>&1
}
if [ -n "$clang" ] && [ -n "$nvcc" ]; then
	clang_kit || { clang= clang_why="$(head -1 "$tmp/probe.log")"; }
elif [ -n "$clang" ]; then
	clang= clang_why="no CUDA toolkit"
fi
