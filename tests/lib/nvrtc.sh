#!/bin/sh
# SPDX-License-Identifier: MIT
# nvrtc.sh: builds samples/nvrtc with NVRTC and libptxccc and runs it; without a GPU, up to the transformed PTX, which ptxas
# must accept. Needs the CUDA toolkit with NVRTC.
set -u
cd "$(dirname "$0")/../.." || exit 2
CXX=${CXX:-c++} part=nvrtc
. tests/t.sh
. tests/cuda.sh
cuda=$(readlink -f "$nvcc") && cuda=${cuda%/bin/nvcc}
if [ ! -f "$cuda/include/nvrtc.h" ] || ! command -v "$CXX" >/dev/null 2>&1; then
	skip_all
fi
[ -f build/lib/libptxccc.a ] || env -u MAKEFLAGS -u SAN make -s lib >/dev/null
# A library to start with if there is no driver.
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
	stub=$(find "$cuda/" -name libcuda.so -path '*stubs*' | head -1)
	ln -s "$stub" "$tmp/libcuda.so.1"
	LD_LIBRARY_PATH=$tmp${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
fi

builds() { ${MAKE:-make} -s -C samples/nvrtc OUT="$tmp/nvrtc" CUDA="$cuda"; }
transforms() { "$tmp/nvrtc" --compile-only >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/out" ] && grep -q '^1 of 1 annotated loops transformed' "$tmp/err"; }
assembles() { # the last of the three texts, and NVRTC's own
	"$tmp/nvrtc" --compile-only --show 2>/dev/null | awk -v out="$tmp/ptx" '/^\.version/ { n++ } n { print >(out n) }'
	ptxas -arch=sm_90 -o /dev/null "$tmp/ptx1" && ptxas -arch=sm_90 -o /dev/null "$tmp/ptx2" &&
		grep -q 'begin for 0 "pairs.cu":' "$tmp/ptx1" && ! grep -q vote.sync "$tmp/ptx1" && grep -q vote.sync "$tmp/ptx2"
}
runs() { "$tmp/nvrtc" >"$tmp/out" && grep ', ok$' "$tmp/out"; }
t builds builds
t transforms transforms
t assembles assembles
if nvidia-smi -L >/dev/null 2>&1; then
	t runs runs
	cat "$tmp/out"
else
	skipped=$((skipped + 1))
fi
# NVRTC's messages name the original lines.
cat >"$tmp/lines.cpp" <<'E2'
#include <cstdio>
#include <cstring>
#include <string>
#include <nvrtc.h>
#include <ptxccc/ptxccc.h>

// NVRTC's messages for the text, annotated by c or, without c, as it is.
static std::string said(ptxccc *c, const char *text, const char *header)
{
	nvrtcProgram p;
	size_t n;
	const char *name = "h.h", *no_pragmas = "-diag-suppress=161";
	std::string h = header;
	if (c && ptxccc_annotate(c, name, header, strlen(header)) == PTXCCC_OK)
		h = ptxccc_text(c, nullptr);
	const char *in = h.c_str();
	if (c && ptxccc_annotate(c, "k.cu", text, strlen(text)) == PTXCCC_OK)
		text = ptxccc_text(c, nullptr);
	nvrtcCreateProgram(&p, text, "k.cu", 1, &in, &name);
	nvrtcCompileProgram(p, 1, &no_pragmas);
	nvrtcGetProgramLogSize(p, &n);
	std::string log(n, '\0');
	nvrtcGetProgramLog(p, &log[0]);
	nvrtcDestroyProgram(&p);
	return log;
}

int main()
{
	static const char text[] = "#include \"h.h\"\n#include \"h.h\"\n__global__ void k(int n, int *p)\n{\n\t#pragma ccc for\n"
		"\tfor (int i = 0; i < n; i++)\n\t\t#pragma ccc if\n\t\tif (p[i])\n\t\t\tp[i] = in_header(p, n);\n\tint unused;\n%s}\n";
	static const char header[] = "#ifndef H\n#define H\n__device__ int in_header(int *p, int n)\n{\n"
		"\t_Pragma(\"ccc for\")\n\tfor (int i = 0; i < n; i++)\n\t\tp[i]++;\n\tint in_header;\n\treturn 1;\n}\n#endif\n";
	int bad = 0;
	for (const char *more : { "", "\tp[0] = nothing;\n" }) {
		char whole[1000];
		snprintf(whole, sizeof whole, text, more);
		ptxccc *c = ptxccc_new(nullptr, nullptr);
		const std::string plain = said(nullptr, whole, header), annotated = said(c, whole, header);
		ptxccc_free(c);
		if (plain != annotated || plain.find("k.cu(10)") == std::string::npos || plain.find("h.h(8)") == std::string::npos)
			bad = 1, printf("plain: %s\nannotated: %s\n", plain.c_str(), annotated.c_str());
	}
	return bad;
}
E2
same_messages() {
	set --
	for dir in "$cuda/lib64" "$cuda/lib" "$cuda"/targets/*/lib; do
		[ -d "$dir" ] && set -- "$@" "-L$dir" "-Wl,--disable-new-dtags,-rpath,$dir"
	done
	"$CXX" -std=c++17 -I"$cuda/include" -Ibuild/include -o "$tmp/lines" "$tmp/lines.cpp" build/lib/libptxccc.a "$@" -lnvrtc && "$tmp/lines"
}
t same-messages same_messages

finish
