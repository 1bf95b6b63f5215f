#!/bin/sh
# SPDX-License-Identifier: MIT
# messages.sh [-v] [PATTERN]: messages for CUDA programmers refer to the CUDA source. Needs nvcc, no GPU.
part=messages
. "$(dirname "$0")/frame.sh"
unset CCC_PTXCCC

cat >m.cu <<'E2'
__device__ __noinline__ int deep(int n) { return n < 2 ? n : deep(n - 1) + deep(n / 2); }
template <int K> __global__ void copies(int n, int *p)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (p[i] & 1) {
			p[i] = n / p[i];
			if (K)
				p[i] = deep(p[i]);
		}
	}
}
template __global__ void copies<0>(int, int *);
template __global__ void copies<1>(int, int *);
template __global__ void copies<2>(int, int *);













static __device__ void waits(float *p)
{
	p[0] += 1;
	__syncthreads();
}
__global__ void inlined(int n, float *p)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if
		if (p[i] > 1)
			waits(p + i);
	}
}
E2
cat >want <<'E2'
m.cu:6: warning: path left unchanged: a call in the path to 'deep', which recurses (in 2 copies: 'copies<1>', 'copies<2>') [-Wccc-call]
  m.cu:10:5: note: here
     10 | 				p[i] = deep(p[i]);
        | 				^
  note: after a recursive call ptxas assumes that lanes have reconverged when they have not, and votes go wrong; write a loop instead
m.cu:39: warning: path left unchanged: a block barrier in the path [-Wccc-barrier]
  m.cu:33:2: note: here
     33 | 	__syncthreads();
        | 	^
  m.cu:41:4: note: inlined here
     41 | 			waits(p + i);
        | 			^
E2
compile() { "$cccnvcc" -arch=sm_90 -ptx m.cu -o o.ptx "$@" 2>err; }
places() { compile && grep -v '^  note: \(a task\|let\|it looks\)' err | diff want -; }
with_lines() { places && cp err first && compile -lineinfo && diff first err; }
verbose_ptx() { ! grep -q 'note: in the PTX' err && compile --ccc-verbose && [ "$(grep -c 'note: in the PTX here' err)" -ge 2 ]; }
# Labels are numbered by block, and a .loc before a marker starts a block: labels that are no branch targets do not count.
numbers() {
	awk 'NR == FNR { if (/bra/) to[$NF] = 1; next } !/^[$]ccc.*:$/ || (substr($0, 1, length($0) - 1) ";") in to' "$1" "$1" |
		sed 's/ccc\([0-9]*_[a-z]\)[0-9]*/ccc\1/g'
}
stripped() { # requested or not, the lines change nothing: the result equals ptxccc's for PTX without any
	sed '/pragma ccc if/{n;s/best/p[i]/}; s/best = best/p[i] = p[i]/; /__syncthreads/d; s/deep(p/(p/' m.cu >good.cu &&
		for f in good.cu a.cu; do
			"$cccnvcc" "$D" -arch=sm_90 --ccc-strict --ccc-choose=first -ptx "$f" -o o.ptx && ! grep -q '[.]loc\|[.]file\|debug' o.ptx &&
				"$cccnvcc" "$D" -arch=sm_90 --ccc-markers-only -ptx "$f" -o m.ptx && grep -q '^$ccc__' m.ptx && "$BIN/ptxccc" --choose=first m.ptx -o c.ptx &&
				numbers c.ptx >c.text && numbers o.ptx | diff -B c.text - || return 1
		done
}
lines_stay() { "$cccnvcc" -arch=sm_90 -lineinfo -ptx good.cu -o o.ptx && grep -q '[.]loc' o.ptx; }
colored() {
	"$cccnvcc" -arch=sm_90 --ccc-markers-only -ptx m.cu -o m.ptx && "$BIN/ptxccc" --color -o c.ptx m.ptx 2>err && grep -q "$(printf '\033\\[1;35mwarning: \033\\[0m')" err &&
		"$BIN/ptxccc" --color=auto -o c.ptx m.ptx 2>err && ! grep -q "$(printf '\033')" err
}
before_else() {
	printf '__global__ void k(int n, int *p) {\n#pragma ccc for\n\tfor (int i = 0; i < n; i++)\n\t\tif (p[i]) p[i] /= 3;\n#pragma ccc if\n\t\telse p[i] = 7;\n}\n' >else.cu
	! "$cccnvcc" -ptx else.cu -o o.ptx 2>err && grep -q "^else.cu:5:[0-9]*: error: '#pragma ccc if' is before 'else'; for the else statement write '#pragma ccc path' after 'else'" err
}
host() { # in host code: a warning, also with --ccc-strict, which the options for warnings change
	cat >host.cu <<'E3'
static int on_host(int n, int *p)
{
	#pragma ccc for
	for (int i = 0; i < n; i++)
		p[i] /= 3;
	return n;
}
int main() { int p[1]; return on_host(1, p); }
E3
	"$cccnvcc" -arch=sm_90 --ccc-strict -c host.cu -o o.o 2>err && grep -q "^host.cu:3:[0-9]*: warning: '#pragma ccc for' in a host function has no effect" err &&
		"$cccnvcc" -arch=sm_90 --ccc-Wno-ccc-host -c host.cu -o o.o 2>err && ! [ -s err ] &&
		! "$cccnvcc" -arch=sm_90 --ccc-Werror=ccc-host -c host.cu -o o.o 2>err
}
forced() { # the pragma that the note prints transforms the loop; clauses stay
	cat >force.cu <<'E3'
__global__ void arm(int n, int *p, int *q)
{
	int s = 0;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc if reduction(+: s)
		if (p[i] & 1)
			s += p[i] / 3;
	}
	q[threadIdx.x] = s;
}
__global__ void cases(int n, int *p)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		#pragma ccc switch policy(auto) paths(2)
		switch (p[i]) {
		case 0: p[i] = n / 7 + i; break;
		case 1: p[i] = n / 5 - i; break;
		default: p[i]++;
		}
	}
}
__global__ void rows(int n, const int *row, const float *v, float *out)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += 32) {
		const int end = row[i + 1];
		float s = 0;
		#pragma ccc for var reduction(max: s)
		for (int j = row[i]; j < end; j++)
			s = fmaxf(s, v[j]);
		out[i] = s;
	}
}
E3
	CCC_FLAGS='--ccc-choose=best --ccc-report' "$cccnvcc" -arch=sm_90 -ptx force.cu -o o.ptx 2>err && grep -q '^0 of 3 annotated' err || { cat err; return 1; }
	sed -n "s/^  note: to transform it anyway, write '\(.*\)' in line \([0-9]*\)\$/\2s,#.*,\1,/p" err >edits
	[ "$(wc -l <edits)" = 3 ] && grep -q 'policy.*reduction(+:s),$' edits && grep -q 'switch policy.*paths(2),$' edits && sed -i -f edits force.cu || { cat err; return 1; }
	CCC_FLAGS='--ccc-choose=best --ccc-report' "$cccnvcc" -arch=sm_90 -ptx force.cu -o o.ptx 2>err && grep -q '^3 of 3 annotated' err || { cat err force.cu; return 1; }
}
t host host
t places places
t verbose verbose_ptx
t with-lines with_lines
t stripped stripped
t lines-stay lines_stay
t colored colored
t before-else before_else
t forced forced
finish
