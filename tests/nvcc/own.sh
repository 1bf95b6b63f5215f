#!/bin/sh
# SPDX-License-Identifier: MIT
# own.sh [-v] [PATTERN]: the options, warnings and errors that cccnvcc adds to nvcc's (which matrix.sh tests). FARM=1: through
# the nvcc of a farm. Needs nvcc, no GPU.
part=own
. "$(dirname "$0")/frame.sh"

# ---- files kept ---------------------------------------------------------------------------------------------------------
keep() {
	mkdir -p kept && rm -f kept/* && ccc --keep --keep-dir kept -c a.cu -o o.o && here kept/a.ptx && ! here kept/a.orig.ptx &&
		[ "$(ls kept | grep -c 'ccc')" = 0 ]
}
lineinfo() { ccc -lineinfo -ptx a.cu -o o.ptx && here o.ptx && grep -q '\.file.*a\.cu"' o.ptx && ! grep -q 'tmpxft\|\.ii' o.ptx; }
# Output that is not a file, or whose name looks like an option: kept files are named after the source.
keep_stdout() { ccc --keep -ptx a.cu -o - >o.ptx && here o.ptx && ! here a.compute_90.orig.ptx && [ ! -e -.orig.ptx ]; }
keep_null() { ls /dev >1 && ccc --keep -ptx a.cu -o /dev/null && ccc --ccc-keep -ptx a.cu -o /dev/null && here a.compute_90.ptx && ls /dev | diff 1 -; }
keep_beside() { mkdir -p kept && rm -f kept/* && ccc --keep --keep-dir kept -ptx a.cu -o - >o.ptx && here o.ptx && ! here kept/a.compute_90.orig.ptx; }
keep_hyphen() { "$cccnvcc" -arch=sm_80 "$D" --keep -ptx a.cu --output-file=-x.ptx && here ./-x.ptx && ! here ./-x.orig.ptx && ccc --ccc-keep -ptx ../work/-y.cu -o - >o.ptx && here ./-y.compute_90.ptx; }
named_ii() { ccc -ptx a.cu -o x.ii && here x.ii && ccc -ptx a.cu -o -g && here ./-g; }
cp a.cu ./-y.cu
t keep-stdout keep_stdout
t keep-null keep_null
t keep-beside keep_beside
t keep-hyphen keep_hyphen
t output-named-ii named_ii
rm -f a.*.* ./-*
t keep keep
t lineinfo lineinfo

# ---- the same as nvcc ---------------------------------------------------------------------------------------------------
unannotated() { ccc -c plain.cu -o c.o && [ ! -e "$ARGS" ]; }
printf '__global__ void k(int *p) {\n\tint unused;\n#pragma ccc for\n\tfor (;;) { *p = nothing; }\n}\n' >error.cu
sed 's/nothing/1/; s/;;/int i = 0; i < 9; i++/' error.cu >warning.cu
printf '__global__ void k(int *p, int n) {\n#pragma ccc for\n\tfor (int i = 0; i < p[3]; i++)\n#pragma ccc if\n\t\tif (p[i] = n) { int unused; p[i] = 1u - 2.5; }\n}\n' >warning2.cu
t unannotated unannotated
t user-error same_as_nvcc -c error.cu -o o.o
t user-error-ptx same_as_nvcc -diag-suppress 20199 -ptx error.cu -o o.ptx
# Warnings about a line that is split by the marker code: same line, column and text.
warning_place() { # warning_place SOURCE
	"$nvcc" -diag-suppress 20199 -ptx "$1" -o n.ptx 2>n.err && "$cccnvcc" --ccc-markers-only -ptx "$1" -o c.ptx 2>c.err && [ -s n.err ] && diff n.err c.err
}
sed 's/$/\r/' warning2.cu >warning3.cu
t user-warning-crlf warning_place warning3.cu
t user-warning-parted warning_place warning2.cu
t user-warning warning_place warning.cu
# Text that is easily misread: messages, lines and names equal nvcc's, and there are two annotations, with LF and with CRLF, as
# pragmas and in the CCC paper's spelling (which nvcc alone does not accept: its own messages are those for the pragmas).
cat >odd.cu <<'E2'
// schön \
#pragma ccc nonsense
static const char *raw = R"x(
#pragma ccc nonsense
#CCC nonsense )"
)x", *text = "/*";
/*
#pragma ccc nonsense
#CCC nonsense
*/
#define SAY(x) #x
__global__ void k(int n, int *p)
<%
%:pragma ccc for
	for (int i = 0; i < n; i++) <%
#pragma \
	ccc /* a comment
	on */ if
		if (p<:i:> && '"') {
			int größe;
			static_assert(__LINE__ == 21, SAY(#pragma ccc nonsense));
			p[i] /= 3;
		}
	%>
#line 100 "other.cu"
	int unused;
	static_assert(__LINE__ == 101, __FILE__);
#line 21 "odd.cu"
%>
static int host(int x) { return raw[x] + text[0]; }
E2
odd_text() { # odd_text SOURCE: compared with nvcc on odd.cu
	cp odd.cu pragmas.cu && "$nvcc" -diag-suppress 20199 -MD -MF n.d -lineinfo -ptx odd.cu -o o.ptx 2>n.err && mv o.ptx n.ptx &&
		{ [ "$1" = odd.cu ] || cp "$1" odd.cu; } && "$cccnvcc" --ccc-markers-only -MD -MF c.d -lineinfo -ptx odd.cu -o o.ptx 2>c.err
	r=$?
	cp pragmas.cu odd.cu
	[ $r = 0 ] && grep -q '^odd.cu(20): warning' n.err && grep -q '^other.cu(100): warning' n.err && diff n.err c.err && sed "s,${cccnvcc%/nvcc}/,$real/,g" c.d | diff n.d - && [ "$(grep -c "ccc begin [fi][of]" o.ptx)" = 2 ] &&
		grep '^	*\.file' n.ptx | sed 's/",.*/"/' >n.files && grep '^	*\.file' o.ptx | sed 's/",.*/"/' | diff n.files -
}
real=$("$nvcc" --dryrun -c x.cu 2>&1 | sed -n 's/^#\$ _HERE_=//p')
sed 's/$/\r/' odd.cu >crlf.cu
sed '14s/pragma ccc/CCC/; 16,18d; 15a #CCC if\n\n' odd.cu >ccc.cu
sed 's/$/\r/' ccc.cu >ccc-crlf.cu
t odd-text odd_text odd.cu
t odd-text-crlf odd_text crlf.cu
t odd-text-paper odd_text ccc.cu
t odd-text-paper-crlf odd_text ccc-crlf.cu

# ---- errors -------------------------------------------------------------------------------------------------------------
bypass() { # bypass OPTION...: one warning, an untransformed result; --ccc-strict: an error
	ccc "$@" -c a.cu -o o.o 2>err && [ ! -e "$ARGS" ] && [ "$(grep -c 'annotations ignored' err)" = 1 ] && ! grep -q 20199 err &&
		! ccc --ccc-strict "$@" -c a.cu -o s.o 2>err && grep -q 'error: annotations ignored' err
}
bypass_levels() { # for each level, as -W... specifies
	(unset CCC_PTXCCC
	ccc --ccc-strict --ccc-Wno-bypass -G -c a.cu -o o.o 2>err && [ ! -s err ] &&
		ccc --ccc-Werror=annotation --ccc-Wno-ccc-loop -G -c a.cu -o o.o 2>err && grep -q 'warning: annotations ignored.*\[-Wbypass\]' err &&
		for how in --ccc-Werror --ccc-Werror=bypass '--ccc-Wno-bypass --ccc-Werror=bypass'; do
			# shellcheck disable=SC2086
			! ccc $how -G -c a.cu -o s.o 2>err && grep -q 'error: annotations ignored.*\[-Werror=bypass\]' err || return 1
		done)
}
misspelt() {
	sed 's/ccc for/ccc fro/' a.cu >fro.cu && rm -f o.o
	status 1 ccc -c fro.cu -o o.o 2>err && grep -q "^fro.cu:4:[0-9]*: error: unknown annotation 'fro'; did you mean 'for'?" err && [ ! -e o.o ]
}
moved() { # moved by the preprocessor: an error; not moved: none
	cat >moved.cu <<-'E2'
	#include <ccc.h>
	#define TWICE(...) for (int t = 0; t < n; t++) { __VA_ARGS__ }
	#define LOOP(i) _Pragma("ccc for") for (int i = 0; i < n; i++)
	template <class F> __device__ void call(F f) { f(); }
	__global__ void k(int n, int *p) {
		TWICE(
			CCC_FOR()
			for (int i = 0; i < n; i++) {
				_Pragma("ccc if")
				if (p[i]) p[i] /= n + t;
			}
			LOOP(j) {
				p[j] /= n;
			}
		)
		call([&] {
			TWICE(p[3]++;
			)
			#pragma ccc for
			TWICE(p[4]++;
			)
			#pragma ccc for
			for (int i = 0; i < n; i++)
				#pragma ccc if
				if (p[i]) p[i] /= n;
		});
	}
	E2
	ccc --ccc-markers-only -ptx moved.cu -o o.ptx && [ "$(grep -c 'ccc begin [fi][of]' o.ptx)" = 6 ] &&
		sed 's/CCC_FOR()/#pragma ccc for/; s/_Pragma("ccc if")/#pragma ccc if/' moved.cu >moved2.cu && rm o.ptx &&
		status 1 ccc -ptx moved2.cu -o o.ptx 2>err && [ ! -e o.ptx ] && [ "$(grep -c ': error: ' err)" = 2 ] &&
		grep -q "^moved2.cu:7:[0-9]*: error: an annotation in a macro's arguments" err && grep -q '^moved2.cu:9:[0-9]*: error' err
}
renumbered() { # after an annotation, #line jumps back in the file and to the lines of another file: no error
	cat >back.cu <<-'E2'
	#define WRAP(...) __VA_ARGS__
	template <class F> __device__ void call(F f) { f(); }
	__global__ void k(int n, int *p) {
		call([&] {
	#line 40
	#pragma ccc for
	#line 7
			for (int i = 0; i < n; i++) p[i]++;
		});
	#line 4 "grammar.y"
	#pragma ccc for
	#line 2 "grammar.y"
		for (int i = 0; i < n; i++) p[i]++;
	}
	E2
	printf 'f(\n#define A\n#define B\n#define C\n)\n' >grammar.y
	ccc --ccc-markers-only -ptx back.cu -o o.ptx && [ "$(grep -c 'ccc begin for' o.ptx)" = 2 ]
}
goto_in() {
	printf '__global__ void k(int n, int *p) {\n\tint i = 0;\n\tif (n == 7) goto in;\n#pragma ccc for\n\tfor (; i < n; i++) {\nin:\n\t\tp[i] = 1;\n\t}\n}\n' >goto.cu
	ccc -ptx goto.cu -o o.ptx 2>err && ! here o.ptx && grep -q 'goto.cu: warning: the file does not compile with its annotations' err &&
		rm o.ptx && ! ccc --ccc-strict -ptx goto.cu -o o.ptx 2>err && [ ! -e o.ptx ] &&
		! ccc --ccc-Werror=annotation -ptx goto.cu -o o.ptx 2>err && [ ! -e o.ptx ] &&
		ccc --ccc-Wno-annotation -ptx goto.cu -o o.ptx 2>err && [ ! -s err ]
}
guards_kept() { (CCC_PTXCCC= && ccc --ccc-strict --ccc-report=r3 -keep-device-functions -c a.cu -o o.o) && grep -q 'transformed, policy' r3; }
t debug bypass -G
t debug-levels bypass_levels
t lto bypass -dlto
t ofast bypass -Ofc=max
t optix bypass -optix-ir
t misspelt misspelt
t moved-by-macro moved
t moved-renumbered renumbered
t goto-into-loop goto_in
t guards-kept guards_kept

# ---- exit and failures --------------------------------------------------------------------------------------------------
fails() { rm -f o.ptx; STAND_IN=$1; export STAND_IN; status "$2" ccc -ptx a.cu -o o.ptx; r=$?; unset STAND_IN; [ $r = 0 ] && [ ! -e o.ptx ]; }
missing() { rm -f o.ptx; (CCC_PTXCCC=$top/nothing; status 127 ccc -ptx a.cu -o o.ptx) && [ ! -e o.ptx ]; }
closed() { ccc --ccc-report=r4 -c a.cu -o o.o 2>&- && both o.o && grep '^report of' r4; } # no standard error: a pipe may take its number
sigpipe() { # a broken pipe ends the hook's replacement, as usual
	printf '#!/bin/sh\ngrep SigIgn /proc/self/status\n' >cicc && chmod +x cicc && echo 'const char *text = "#pragma ccc for";' >text.ii &&
		"$BIN/ccc-annotate" --hook -- ./cicc text.ii -o x >with && ./cicc | diff - with
}
broken_pipe() { # the PTX has no reader: ends as nvcc does, without a message
	("$nvcc" -arch=sm_90 "$D" -ptx a.cu -o - 2>err; echo $? >n) | true
	(ccc -ptx a.cu -o - 2>err; echo $? >c) | true
	diff n c && grep -v '^report of\|^x.cu:1: warning' err
	[ $? = 1 ]
}
t broken-pipe broken_pipe
[ ! -e /proc/self/status ] || t sigpipe sigpipe
t closed-streams closed
t ptxccc-fails fails 3 3
t ptxccc-crashes fails kill 139
t ptxccc-missing missing

# ---- own options --------------------------------------------------------------------------------------------------------
option() { ccc --ccc-strict --ccc-policy=queue --ccc-threads=64 --ccc-Wno-x -ptx a.cu -o o.ptx && [ "$(echo $(grep -v -e --verify-ptxas -e --annotations -e --excerpts -e --strip-lines -e --choose "$ARGS"))" = "--strict --policy=queue --threads=64 -Wno-x" ]; }
flags() { CCC_FLAGS='--ccc-strict --ccc-threads=32' ccc -ptx a.cu -o o.ptx && grep -q -- --strict "$ARGS" && grep -q -- --threads=32 "$ARGS"; }
off() { ccc --ccc-off -ptx a.cu -o o.ptx && ! here o.ptx && CCC_FLAGS=--ccc-off ccc -ptx a.cu -o o.ptx && ! here o.ptx; }
report() { rm -f r; ccc --ccc-report=r -ptx a.cu -o o.ptx 2>err && ccc -ptx a.cu -o o.ptx --ccc-report=r && [ "$(cat r)" = "report of o.ptx
report of o.ptx" ] && [ "$(cat err)" = 'x.cu:1: warning: something [-Wccc-something]' ]; }
keep_all() { rm -f a.*.ptx; ccc --ccc-keep -c a.cu -o o.o && here a.compute_90.ptx && ! here a.compute_90.orig.ptx && [ -s a.compute_90.ccc.ii ]; }
markers() { ccc --ccc-markers-only -ptx a.cu -o o.ptx && grep -q '\.ccc begin' o.ptx && ! here o.ptx; }
verbose_shows() { says stand-in ccc --ccc-verbose -ptx a.cu -o o.ptx; }
help() { says '--ccc-report' "$cccnvcc" --ccc-help && says '--ccc-report' "$cccnvcc" --help && says '--generate-code' "$cccnvcc" --help; }
bad_option() { status 2 "$cccnvcc" --ccc-foo -c a.cu && says "unknown option '--ccc-foo' (" "$cccnvcc" --ccc-foo -c a.cu &&
	says "unknown option '--ccc-reprot=r.html'; did you mean '--ccc-report'?" "$cccnvcc" --ccc-reprot=r.html -c a.cu; }
bad_values() { says 'the policies are' "$cccnvcc" --ccc-policy=x && says 'not a number' "$cccnvcc" --ccc-threads=x &&
	for n in '' 0 00 1025 01025 99999999999999999999; do says 'not a number from 1 to 1024' "$cccnvcc" --ccc-threads=$n -c plain.cu -o c.o || return 1; done
	ccc --ccc-threads=000064 -ptx a.cu -o o.ptx && grep -qx -e --threads=64 "$ARGS"
}
bad_warning() { (unset CCC_PTXCCC; status 2 ccc --ccc-Wfoo -c plain.cu -o c.o && says "'--ccc-Wfoo': there is no such warning" "$cccnvcc" --ccc-Wfoo && status 0 ccc --ccc-Wno-ccc-loop -c plain.cu -o c.o); }
theirs() { # in a farm, both work
	if [ -n "${FARM:-}" ]; then ccc --cicc-prefix=env -ptx a.cu -o o.ptx && here o.ptx; else theirs_only; fi
}
theirs_only() { says 'another --cicc-prefix' ccc --cicc-prefix= -ptx a.cu -o o.ptx; }
ptx_input() { ccc --ccc-markers-only -ptx a.cu -o in.ptx && says "'in.ptx' has annotations" ccc -cubin in.ptx -o o.cubin; }
paper() {
	sed 's/#pragma ccc for/# CCC for const/; s/#pragma ccc if/#CCC if/' a.cu >paper.cu
	ccc -ptx paper.cu -o o.ptx && grep -q '\.ccc begin for 0 "paper.cu":4' o.ptx && ccc -c paper.cu -o o.o && both o.o &&
		(cd .. && ccc -M work/paper.cu >deps && grep -q 'work/paper.cu' deps)
}
stdin_text() { # the user's file named "<stdin>"
	cat >names.cu <<-'E2'
	#include "names.h"
	#include <cstdio>
	__global__ void k(int n, int *p) {
	#CCC for
		for (int i = 0; i < n; i++)
	#CCC if
			if (p[i]) p[i] /= n;
	}
	static const char raw[] = R"(
	# 1 "<stdin>"
	)";
	int main() { puts("<stdin>"); puts(raw); puts(__FILE__); puts(in_header()); }
	E2
	echo 'inline const char *in_header() { return __FILE__ "<stdin>"; }' >names.h
	ccc --ccc-markers-only names.cu -o o && ./o | diff - names.out
}
printf '<stdin>\n\n# 1 "<stdin>"\n\nnames.cu\nnames.h<stdin>\n' >names.out
paper_named() { # sources that only -x cu or an option file identifies
	cp paper.cu paper.c && cp paper.cu paper.inc && printf '%s\n' -DNO_MAIN '-x cu "paper.c"' >opts && echo paper.cu >opts2 &&
		echo '-optf opts' >opts3 && echo '-x cu' >opts4 &&
		for args in '-x cu paper.c' '--x=cu paper.inc' '-optf opts' '--options-file=opts2' '-optf opts3'; do
			# shellcheck disable=SC2086
			rm -f o.ptx && ccc $args -ptx -o o.ptx && here o.ptx || return 1
		done
	for flags in '-x cu' '-optf opts4'; do
		rm -f o.ptx && NVCC_APPEND_FLAGS=$flags ccc -ptx paper.c -o o.ptx && here o.ptx &&
			rm -f o.ptx && NVCC_PREPEND_FLAGS=$flags ccc -ptx paper.c -o o.ptx && here o.ptx || return 1
	done
}
header() {
	printf '#include <ccc.h>\n#define B 64\n__global__ void k(int n, int *p) {\n\tCCC_FOR(threads(B))\n\tfor (int i = 0; i < n; i++) CCC_IF() if (p[i]) p[i] /= 3; }\n' >macro.cu
	ccc --ccc-markers-only -ptx macro.cu -o o.ptx && grep -q '\.ccc begin for 0 "macro.cu":4 threads(64)' o.ptx && ccc --ccc-off -Xcompiler -Wall -c macro.cu -o o.o 2>err && [ ! -s err ]
}
real() { (CCC_PTXCCC= && ccc --ccc-report=r2 a.cu -o o 2>err && ./o && grep -q 'transformed, policy' r2 && [ ! -s err ]); }
one_hyphen() { ccc -ccc-strict -ccc-threads=64 -ptx a.cu -o o.ptx && grep -qx -e --threads=64 "$ARGS" && grep -qx -e --strict "$ARGS" && CCC_FLAGS=-ccc-off ccc -ptx a.cu -o o.ptx && ! here o.ptx; }
launcher() { # before nvcc, by name and by path; a farm needs no launcher
	[ -z "${FARM:-}" ] || return 77
	(PATH=$(dirname "$(command -v "$nvcc")"):$PATH && "$cccnvcc" nvcc -arch=sm_90 "$D" -ptx a.cu -o o.ptx && here o.ptx) &&
		"$cccnvcc" --ccc-strict "$(command -v "$nvcc")" -arch=sm_90 "$D" -ptx a.cu -o o.ptx && here o.ptx && grep -qx -e --strict "$ARGS" &&
		"$cccnvcc" "$cccnvcc" -arch=sm_90 "$D" -ptx a.cu -o o.ptx && here o.ptx && says "no program 'no/nvcc'" "$cccnvcc" no/nvcc -c a.cu
}
cmake_launcher() {
	[ -z "${FARM:-}" ] && command -v cmake >/dev/null || return 77
	mkdir -p project && cp a.cu project/ && cat >project/CMakeLists.txt <<-'E2' || return 1
	cmake_minimum_required(VERSION 3.19)
	project(launched LANGUAGES CUDA)
	add_executable(x a.cu)
	target_compile_definitions(x PRIVATE FULL="h")
	E2
	cmake -S project -B project/b -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_COMPILER_LAUNCHER="$cccnvcc" -DCMAKE_CUDA_ARCHITECTURES=90 &&
		cmake --build project/b && project/b/x && embedded project/b/x
}
nvcc_warnings() { # nvcc's own options
	(unset CCC_PTXCCC
	sed 's/p\[i\] \/= 3;/{ p[i] \/= 3; __syncthreads(); }/' a.cu >warns.cu
	ccc -ptx warns.cu -o o.ptx 2>err && grep -q 'warning: path left' err && ccc -w -ptx warns.cu -o o.ptx 2>err && [ ! -s err ] && rm o.ptx &&
		! ccc -Werror all-warnings -ptx warns.cu -o o.ptx 2>err && grep -q 'error: path left.*\[-Werror=ccc-barrier\]' err && [ ! -e o.ptx ] &&
		! ccc -w --ccc-strict -ptx warns.cu -o o.ptx 2>err && grep -q 'error: path left' err && ccc -w -G -ptx a.cu -o o.ptx 2>err && ! grep -q ccc err)
}
disabled() {
	CCC_DISABLE=1 ccc -ptx a.cu -o o.ptx && ! here o.ptx && CCC_DISABLE=0 ccc -ptx a.cu -o o.ptx && here o.ptx &&
		(CCC_DISABLE=1; export CCC_DISABLE; "$nvcc" -arch=sm_90 "$D" --cicc-prefix="'$BIN/ccc-annotate' --hook --" -ptx a.cu -o o.ptx && ! here o.ptx)
}
report_name() { for n in json text; do status 2 "$cccnvcc" --ccc-report=$n -c a.cu && [ ! -e $n ] && says "names a file, not a format" "$cccnvcc" --ccc-report=$n || return 1; done; }
slip() { sed 's/ccc for/cc for/' a.cu >slip.cu && status 1 ccc -diag-suppress 20199 -ptx slip.cu -o o.ptx && says "slip.cu:4:10: error: unknown pragma 'cc'; did you mean '#pragma ccc for'?" ccc -ptx slip.cu; }
t one-hyphen one_hyphen
t launcher launcher
t cmake-launcher cmake_launcher
t nvcc-warnings nvcc_warnings
t disabled disabled
t report-name report_name
t slip slip
t options option
t flags flags
t off off
t report report
t ccc-keep keep_all
t markers-only markers
t verbose verbose_shows
t help help
t unknown-option bad_option
t bad-values bad_values
t bad-warning bad_warning
t other-prefix theirs
t ptx-input ptx_input
t paper-spelling paper
t paper-stdin stdin_text
t paper-names paper_named
t header header
t real-ptxccc real

finish
