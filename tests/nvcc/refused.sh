#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh [-v] [PATTERN]: an annotation without effect costs nothing: the code equals nvcc's for the source without it.
# Needs nvcc, no GPU.
part=refused
. "$(dirname "$0")/frame.sh"
stand_in=$CCC_PTXCCC
unset CCC_PTXCCC

# Loops that nvcc unrolls if they are not annotated.
cat >refused.cu <<'E2'
__global__ void barrier(int n, int *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (p[i]) { p[i] /= n; __syncthreads(); p[i + 1] = 2; }
	}
}
__global__ void no_path(int n, float *p) {
	float s = 0;
	#pragma ccc for
	for (int i = 0; i < n; i++)
		s += p[i] / 3;
	p[n] = s;
}
constexpr __device__ int bits(unsigned x) {
	int n = 0;
	#pragma ccc for
	for (int i = 0; i < 32; i++)
		if (x >> i & 1) n++;
	return n;
}
__global__ void in_constexpr(int n, int *p) { p[threadIdx.x] = bits(n); }
E2
# The last two: copies of one annotation, one of them refused.
{
	cat <<'E2'
__global__ void good(int n, int *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (p[i] & 1) { for (int k = 0; k < n; k++) p[i] = p[i] / 3 + k; }
	}
}
E2
	cat refused.cu
	cat <<'E2'
template <int K> __global__ void copies(int n, int *p) {
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (p[i] & 1) { for (int k = 0; k < n; k++) p[i] = p[i] / 3 + k; if (K) __syncthreads(); }
	}
}
template __global__ void copies<0>(int, int *);
template __global__ void copies<1>(int, int *);
E2
} >mixed.cu

plain() { "$nvcc" -arch=sm_90 -diag-suppress 20199 "$@"; }
same_ptx() { # same_ptx OPTION...
	plain "$@" -ptx refused.cu -o n.ptx && ccc "$@" -ptx refused.cu -o c.ptx && cmp n.ptx c.ptx
}
same_code() { # the section of an object that holds device code
	plain "$@" -c refused.cu -o o.o && "$fatbin" -ptx o.o >n.d && "$fatbin" -code o.o >>n.d && ccc "$@" -c refused.cu -o o.o &&
		"$fatbin" -ptx o.o >c.d && "$fatbin" -code o.o >>c.d && [ -s n.d ] && cmp n.d c.d
}
piped() { plain -ptx refused.cu -o n.ptx && ccc -ptx refused.cu -o - >c.ptx && cmp n.ptx c.ptx; }
messages() { # each message once, and none from the second compilation
	ccc --ccc-report=report -ptx refused.cu -o c.ptx 2>err && [ "$(grep -c 'warning:' err)" = 3 ] && ! grep -q 20199 err &&
		[ "$(tail -n 1 report)" = '0 of 3 annotated loops transformed' ] && [ "$(grep -c 'left unchanged' report)" = 3 ]
}
strict() { ! ccc --ccc-strict -ptx refused.cu -o s.ptx && [ ! -e s.ptx ]; }
kept() { # the PTX that the messages refer to, and the result
	mkdir -p kept && rm -f kept/* && ccc --ccc-choose=first --ccc-keep --keep --keep-dir kept -c refused.cu -o o.o && grep -q 'ccc begin' kept/refused.orig.ptx &&
		grep -q __ccc_g kept/refused.ccc.ii && plain -ptx refused.cu -o n.ptx && cmp n.ptx kept/refused.ptx
}
dependencies() { plain -MD -MF n.dep -c refused.cu -o o.o && ccc -MD -MF c.dep -c refused.cu -o o.o && diff n.dep c.dep; }

body() { # body NAME FILE: a kernel of PTX, labels by their order
	sed -n "/entry _Z[0-9]*$1/,/^}/p" "$2" | sed 's/\$L__BB[0-9]*_/$L_/g; s/info_string[0-9]*/info_string/'
}
same_body() { for f in n.ptx c.ptx; do body "$1" $f >$f.body; done && [ -s n.ptx.body ] && diff n.ptx.body c.ptx.body; }
mixed() { # mixed OPTION...: refused functions equal nvcc's; the others are transformed
	plain "$@" -ptx mixed.cu -o n.ptx && ccc "$@" --ccc-choose=first --ccc-report -ptx mixed.cu -o c.ptx 2>err && same_body barrier && same_body no_path &&
		same_body in_constexpr && ! same_body good && [ "$(grep -c 'transformed, policy' err)" = 2 ] && [ "$(grep -c 'left unchanged: ' err)" = 8 ] &&
		grep -qx '2 of 6 annotated loops transformed' err && [ "$(grep -o 'ccc done for [0-9]*' c.ptx | sort -u | wc -l)" = 2 ] && ! ls | grep '\.cccx'
}
mixed_kept() {
	rm -f kept/* && ccc --ccc-choose=first --ccc-keep --keep --keep-dir kept -c mixed.cu -o o.o && "$BIN/ptxccc" --choose=first -Wno-ccc-barrier kept/mixed.again.orig.ptx | cmp - kept/mixed.ptx &&
		[ "$(grep -c 'ccc begin for' kept/mixed.orig.ptx)" = 6 ] && grep -q __ccc_g kept/mixed.again.ccc.ii
}
worse() { # a second compilation that transforms less is discarded
	cat >ptxccc <<-'E2'
	#!/bin/sh
	for in; do case $in in --annotations=*) to=${in#*=} ;; esac; done
	echo 'annotation 0 1 1 x.cu:1
	annotation 4 1 0 x.cu:2' >"$to"
	grep -q 'ccc begin for 4' "$in" && echo 'site 0 stack k' >>"$to"
	{ cat "$in"; echo '.visible .global .align 4 .u32 ccc_was_here;'; } >"$2.$$" && mv "$2.$$" "$2"
	E2
	chmod +x ptxccc && CCC_PTXCCC=$PWD/ptxccc ccc -ptx mixed.cu -o c.ptx && grep -q 'ccc begin for 4' c.ptx &&
		sed -i 's/&& echo.*/; echo "site 0 stack k" >>"$to"/' ptxccc && CCC_PTXCCC=$PWD/ptxccc ccc -ptx mixed.cu -o c.ptx && ! grep -q 'ccc begin for 4' c.ptx && here c.ptx
}
only_if() { # nothing is compiled again if nothing was refused
	says_no_more() { [ "$(ccc --ccc-verbose "$@" -ptx a.cu -o c.ptx 2>&1 | grep -c '^cccnvcc:.*cicc')" = 1 ]; }
	says_no_more && CCC_PTXCCC=$stand_in says_no_more
}
values() { # messages and reports identify a value by the line that computes it, and its register only with --ccc-verbose
	cat >values.cu <<-'E3'
	__global__ void sum(const float *a, float *out, int n) {
		float s = 0;
		#pragma ccc assign
		for (int i = threadIdx.x; i < n; i += 32)
			s = s * a[i] + 1;
		out[threadIdx.x] = s;
	}
	E3
	ccc --ccc-report -ptx values.cu -o c.ptx >values.txt 2>&1
	[ "$(grep -c 'the value computed at values.cu:5 is carried from one' values.txt)" = 2 ] && ! grep -q '%f' values.txt &&
		ccc --ccc-verbose -ptx values.cu -o c.ptx 2>&1 | grep -q 'fma.rn.f32.*%f'
}
carets() { # errors in annotations show the line and the wrong word
	printf '__global__ void k(int *a, int n) {\n\t#pragma ccc for tresholds(3)\n\tfor (int i = 0; i < n; i++) a[i] = 0;\n}\n' >carets.cu
	ccc -ptx carets.cu -o c.ptx >carets.txt 2>&1
	grep -q '^carets.cu:2:18: error: unknown clause' carets.txt && grep -q '^      2 | .#pragma ccc for tresholds(3)$' carets.txt &&
		grep -q '^        | .                \^$' carets.txt
}
t values values
t carets carets
t ptx same_ptx
t ptx-lineinfo same_ptx -lineinfo
t ptx-g-host same_ptx -g -O2
t ptx-registers same_ptx -maxrregcount=32 -use_fast_math
t code same_code
t code-gencode same_code -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]
t code-rdc same_code -rdc=true
t piped piped
t messages messages
t strict strict
t kept kept
t dependencies dependencies
t mixed mixed
t mixed-lineinfo mixed -lineinfo
t mixed-kept mixed_kept
t worse worse
t only-if-refused only_if
finish
