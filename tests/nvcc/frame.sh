# SPDX-License-Identifier: MIT
# frame.sh: common part of own.sh, surroundings.sh and others. The script that sources it sets $part, its name, and ends with
# `finish`.
#
# A stand-in for ptxccc (CCC_PTXCCC) adds a variable `ccc_was_here` to the PTX, which shows what reaches the object file,
# independently of the transformation. All temporary files go to a separate folder, which must be empty at the end.
# Prints a line for each failure (-v: for each test), and the total.
set -u
verbose=false
[ "${1:-}" = -v ] && { verbose=true; shift; }
pattern=${1:-}
cd "$(dirname "$0")/../.." || exit 2
tree=$PWD # the source tree
BIN=${BIN:-$PWD/build/bin}
cccnvcc=$BIN/cccnvcc fatbin=${BIN%/bin}/tests/fatbin_main
top=$(mktemp -d) || exit 2
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# The nvcc that cccnvcc runs, for comparison.
. tests/cuda.sh
if [ -z "$nvcc" ] || ! "$nvcc" --version >/dev/null 2>&1; then
	echo "$part: 0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH
export CCC_FLAGS=--ccc-choose=first # whatever is expected to gain

cd "$top" || exit 2
mkdir tmp work bin cache
XDG_CACHE_HOME=$top/cache
export XDG_CACHE_HOME
if [ -n "${FARM:-}" ]; then
	"$cccnvcc" --ccc-farm farm || exit 2
	cccnvcc=$top/farm/bin/nvcc
fi
TMPDIR=$top/tmp
export TMPDIR
cat >stand-in <<'E2'
#!/bin/sh
# ptxccc for this test: adds a variable. With STAND_IN=N it fails with status N, with STAND_IN=kill by a signal.
out= last= report=/dev/null
for a; do
	case $a in --report-to=*) report=${a#*=} ;; esac
	[ "$last" = -o ] && out=$a
	last=$a
	case $a in --*|-W*) echo "$a" >>"$ARGS" ;; esac
done
case ${STAND_IN:-} in
kill) kill -SEGV $$ ;;
slow) : >"$ARGS.slow"; sleep 60 ;;
?*) echo "stand-in fails" >&2; exit "$STAND_IN" ;;
esac
echo "report of $(basename "$out")" >"$report"
echo "x.cu:1: warning: something [-Wccc-something]" >&2
{ cat "$last"; echo '.visible .global .align 4 .u32 ccc_was_here;'; } >"$out.$$" && mv "$out.$$" "$out"
E2
chmod +x stand-in
CCC_PTXCCC=$top/stand-in ARGS=$top/args
export CCC_PTXCCC ARGS

cat >work/a.cu <<'E2'
#include <cstdio>
__global__ void annotated(int n, int *p)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc if
		if (p[i] & 1)
			p[i] /= 3;
	}
}
#ifndef NO_MAIN
int main() { return FULL "x"[0] == 'h' ? 0 : 1; }
#endif
E2
sed '/#pragma ccc/d' work/a.cu >work/plain.cu
D='-DFULL="h"'
cd work || exit 2

# ---- the frame ----------------------------------------------------------------------------------------------------------
# t NAME COMMAND...: the test passes if the command does; status 77: it cannot be done here.
t() {
	name=$1
	shift
	case $name in *"$pattern"*) ;; *) return ;; esac
	rm -f "$ARGS"
	"$@" >"$top/log" 2>&1
	case $? in
	0)
		passed=$((passed + 1))
		$verbose && echo "ok $part $name"
		;;
	77)
		skipped=$((skipped + 1))
		echo "SKIP $part $name: $(tail -1 "$top/log")"
		;;
	*)
		failed=$((failed + 1))
		echo "FAIL $part $name"
		head -20 "$top/log" | sed 's/^/	/'
		;;
	esac
	left=$(ls -A "$TMPDIR")
	[ -z "$left" ] || { failed=$((failed + 1)); echo "FAIL $part $name: left behind: $left"; rm -rf "${TMPDIR:?}"/*; }
}
ccc() { "$cccnvcc" -arch=sm_90 "$D" "$@"; }
here() { grep -aq ccc_was_here "$1"; }
embedded() { "$fatbin" -ptx "$1" >"$top/dump" && grep -q ccc_was_here "$top/dump"; }
in_elf() { "$fatbin" -elf "$1" >"$top/dump" && grep -q ccc_was_here "$top/dump"; }
both() { embedded "$1" && in_elf "$1"; }
status() { # status WANTED COMMAND...
	wanted=$1
	shift
	"$@"
	got=$?
	[ $got = "$wanted" ] || { echo "status $got, not $wanted"; return 1; }
}
same_as_nvcc() { # same messages and status as nvcc; STRIP: sed's command for permitted differences
	"$nvcc" "$@" >"$top/n.out" 2>"$top/n.err"
	n=$?
	"$cccnvcc" "$@" >"$top/c.out" 2>"$top/c.err"
	c=$?
	sed -i "${STRIP:-}" "$top/n.err" "$top/c.err"
	[ $n = $c ] && cmp "$top/n.out" "$top/c.out" && diff "$top/n.err" "$top/c.err"
}
says() { # says TEXT COMMAND...: whatever the status
	text=$1
	shift
	"$@" >"$top/said" 2>&1
	grep -qF -- "$text" "$top/said" || { cat "$top/said"; return 1; }
}
finish() {
	echo "$part: $passed passed, $failed failed, $skipped skipped"
	[ $failed = 0 ]
}
