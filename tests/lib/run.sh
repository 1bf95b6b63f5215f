#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: libptxccc. The libraries have no writable data and export only ptxccc_*, call no function that prints or ends the
# process, and produce the same results as ptxccc: for every golden test, from eight threads at once, and when any one
# allocation fails. `make lib-tests` builds the programs.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} CC=${CC:-cc} CXX=${CXX:-c++}
top=$PWD part=lib
. tests/t.sh
. tests/cuda.sh
case $B in
*san*) sanitized=-fsanitize=address,undefined ;;
*) sanitized= ;;
esac

counted() { # counted COMMAND...: a program that prints its own count
	"$@" >"$tmp/log" 2>&1
	status=$?
	p=$(sed -n '$s/.*\b\([0-9][0-9]*\) passed.*/\1/p' "$tmp/log")
	f=$(sed -n '$s/.*\b\([0-9][0-9]*\) failed.*/\1/p' "$tmp/log")
	if [ -z "$p" ] || { [ $status != 0 ] && [ "${f:-0}" = 0 ]; }; then f=$((${f:-0} + 1)); fi
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	[ "${f:-0}" = 0 ] || head -20 "$tmp/log"
}

# ---- what the libraries are made of -------------------------------------------------------------------------------------
header() { sed -n 's/^PTXCCC_API .*\(ptxccc_[a-z_]*\)(.*/\1/p' lib/ptxccc.h | sort; }
exported() { nm -D --defined-only "$B/lib/libptxccc.so" | sed 's/.* //' | sort; }
global() { nm -g --defined-only "$B/lib/libptxccc.a" | sed -n 's/.* [A-Z] //p' | sort; }
same_names() { header >"$tmp/a" && [ -s "$tmp/a" ] && "$1" | grep -v '^__\(asan\|odr_asan\)' | diff "$tmp/a" -; }
calls_none() { nm -u "$B/lib/libptxccc.a" >"$tmp/called" && grep -q -w malloc "$tmp/called" && ! grep -wE 'exit|_exit|abort|__assert_fail|stderr|[fsdv]*printf|f?puts|f?putc|putchar|f?write|f?open' "$tmp/called"; }
# The only variable is thread-local: the current heap.
no_globals() { size -A "$B/obj/libptxccc.o" >"$tmp/sizes" && grep -q '^\.text' "$tmp/sizes" && awk '/^\.(data|bss|tdata)/ && !/^\.data\.rel\.ro/ && $2 { print; bad = 1 } END { exit bad }' "$tmp/sizes"; }
soname() { objdump -p "$B/lib/libptxccc.so" | grep -q 'SONAME *libptxccc\.so\.0$'; }
t exported same_names exported
t global same_names global
[ -n "$sanitized" ] || t calls-nothing-that-prints-or-ends calls_none
[ -n "$sanitized" ] || t no-globals no_globals
t soname soname

# ---- what they do -------------------------------------------------------------------------------------------------------
counted "$B/tests/lib_api"
counted "$B/tests/lib_assemble"
same() { # same FILE OPTION...: as the command line
	"$top/$B/bin/ptxccc" "$@" >"$tmp/1.out" 2>"$tmp/1.err"
	one=$?
	"$top/$B/tests/lib_through" "$@" >"$tmp/2.out" 2>"$tmp/2.err"
	[ $? = $one ] && [ $one -le 2 ] && cmp "$tmp/1.out" "$tmp/2.out" && diff "$tmp/1.err" "$tmp/2.err"
}
goldens() ( # in a shell of its own
	cd tests/golden || exit 1
	n=0
	for file in *.ptx; do
		args=$(sed -n '1s|^// RUN:||p' "$file")
		args=$(echo "$args" | sed 's/--dump=plan\|--dot//g') # what the plan leads to
		case $args in *--dump* | *--list* | *--keep*) continue ;; esac
		n=$((n + 1))
		# shellcheck disable=SC2086
		same $args "$file" || { echo "$file differs"; exit 1; }
	done
	[ $n -gt 60 ]
)
t goldens goldens
errors() { for file in tests/fuzz/corpus/parse/*; do same "$file" || { echo "$file differs"; return 1; }; done; }
t wrong-input errors
t bad-options same --threads=0 tests/golden/grid_stride.ptx
printf '.version 7.0\n.target sm_70\n.visible .entry k() { mov.u32 %%r1, ((((1)))); "unterminated\n' >"$tmp/bad.ptx"
counted "$B/tests/lib_memory" tests/golden/grid_stride.ptx tests/golden/hand_refuse.ptx tests/golden/calls.ptx "$tmp/bad.ptx" \
	samples/primes.cu tests/annotate/kernels.cu

# Source text before the preprocessor: nvcc's output for it has the markers that cccnvcc inserts into the same source.
raw() {
	"$B/tests/lib_through" tests/lib/raw.cu >"$tmp/raw.cu" && diff -U1 tests/lib/raw.cu "$tmp/raw.cu" | sed 1,2d | diff tests/lib/raw.diff -
}
unchanged() {
	printf '#pragma once\n// none\n' >"$tmp/none.cu" && [ "$("$B/tests/lib_through" "$tmp/none.cu")" = "$(cat "$tmp/none.cu")" ]
}
markers() { # markers SOURCE
	"$B/tests/lib_through" "$1" >"$tmp/m.cu" &&
		nvcc -w -std=c++17 -arch=compute_90 -I "$(dirname "$1")" -I "$B/include/ptxccc" -ptx "$tmp/m.cu" -o "$tmp/m.ptx" &&
		"$B/bin/cccnvcc" --ccc-markers-only -std=c++17 -arch=compute_90 -ptx "$1" -o "$tmp/c.ptx" &&
		sed -n 's/^[[:blank:]]*\(\/\/ \.ccc .*\)/\1/p' "$tmp/c.ptx" >"$tmp/c.marks" && [ -s "$tmp/c.marks" ] &&
		sed -n 's/^[[:blank:]]*\(\/\/ \.ccc .*\)/\1/p' "$tmp/m.ptx" | diff "$tmp/c.marks" -
}
misplaced() {
	printf '\n\nCCC_IF(threads(7))\nfor (;;);\n' >"$tmp/bad.cu"
	! "$B/tests/lib_through" "$tmp/bad.cu" 2>"$tmp/err" && grep -q "bad.cu:3: error: '#pragma ccc if' must be directly before an if" "$tmp/err"
}
# The time per annotation does not depend on their number, whether they are on separate lines, on one line, or before one statement.
many() {
	awk -v n=50000 'BEGIN {
		print "void k(int n) {"
		for (i = 0; i < n; i++) print "#pragma ccc for\nfor (;;) ;"
		for (i = 0; i < n; i++) printf "_Pragma(\"ccc for\") for (;;) ; "
		for (i = 0; i < n; i++) print "\n#pragma ccc path"
		print "k(n);\n}"
	}' >"$tmp/many.cu" && timeout 300 "$B/tests/lib_through" "$tmp/many.cu" >"$tmp/many.out" && [ "$(grep -c 'if (::__ccc_' "$tmp/many.out")" = 300000 ]
}
t raw raw
t nothing-annotated unchanged
t raw-misplaced misplaced
t many-annotations many
if [ -n "$nvcc" ]; then
	for source in tests/lib/raw.cu samples/primes.cu samples/bfs.cu; do t "markers-$(basename $source)" markers $source; done
else
	skipped=$((skipped + 3))
fi

# ---- threads ------------------------------------------------------------------------------------------------------------
echo 'int main(void) { return 0; }' >"$tmp/t.c"
if $CC -fsanitize=thread -o "$tmp/t" "$tmp/t.c" 2>/dev/null && "$tmp/t"; then
	if ${MAKE:-make} TSAN=1 build/tsan/tests/lib_threads >"$tmp/log" 2>&1; then
		counted build/tsan/tests/lib_threads tests/golden/*.ptx samples/*.cu
	else
		failed=$((failed + 1))
		tail -20 "$tmp/log"
	fi
else
	skipped=$((skipped + 1))
	counted "$B/tests/lib_threads" tests/golden/*.ptx samples/*.cu
fi

# ---- for its users ------------------------------------------------------------------------------------------------------
c99() { $CC -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c lib/ptxccc.h; }
cxx98() { $CXX -std=c++98 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ lib/ptxccc.h; }
installed() { # installed, found by pkg-config, linked both ways, from C++
	${MAKE:-make} -s install ${sanitized:+SAN=1} PREFIX="$tmp/to here" >/dev/null || return 1
	cmp LICENSE "$tmp/to here/share/doc/ptxccc/LICENSE" || return 1
	PKG_CONFIG_PATH="$tmp/to here/lib/pkgconfig"
	export PKG_CONFIG_PATH
	[ "$(pkg-config --modversion ptxccc)" = "$("$B/bin/ptxccc" --version | sed 's/^[^ ]* //; s/ .*//')" ] || return 1
	eval "set -- $(pkg-config --cflags ptxccc) -x c++ tests/lib/api.c -x none $(pkg-config --libs ptxccc)"
	$CXX $sanitized -o "$tmp/shared" "$@" && LD_LIBRARY_PATH="$tmp/to here/lib" "$tmp/shared" | grep -q ' 0 failed' &&
		LD_LIBRARY_PATH="$tmp/to here/lib" ldd "$tmp/shared" | grep -q "libptxccc.so.0 => $tmp/to here" || return 1
	$CXX $sanitized -I "$tmp/to here/include" -x c++ tests/lib/api.c -x none "$tmp/to here/lib/libptxccc.a" -o "$tmp/static" &&
		"$tmp/static" | grep -q ' 0 failed' && ! ldd "$tmp/static" | grep -q ptxccc || return 1
	${MAKE:-make} -s uninstall PREFIX="$tmp/to here" >/dev/null && [ -z "$(find "$tmp/to here" -type f)" ]
}
t c99 c99
if command -v $CXX >/dev/null 2>&1; then t c++98 cxx98; else skipped=$((skipped + 1)); fi
if command -v $CXX >/dev/null 2>&1 && command -v pkg-config >/dev/null 2>&1; then
	t installed installed
else
	skipped=$((skipped + 1))
fi

finish
