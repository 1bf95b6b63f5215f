#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b] [FILE ...]: tests of the annotation front end (default: all here).
#
#	x.ii    input of ccc-annotate: x.diff (diff -U1 of input and output), with x.err if it warns; or only x.err, exit status 1
#	x.cu    input of cccnvcc --ccc-markers-only: x.marks, the markers of each function, which must be the same for both
#	        PTX printers of nvcc (below sm_100, and from sm_100); needs nvcc
# -b blesses: rewrites the expectations. Prints a line for each failure, and the total.
set -u
cd "$(dirname "$0")" || exit 2
BIN=${BIN:-$PWD/../../build/bin}
bless=false
[ "${1:-}" = -b ] && { bless=true; shift; }
[ $# -gt 0 ] || set -- *.ii *.cu
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# expect KIND: compares $tmp/KIND with $base.KIND, which is absent when nothing is expected.
expect() {
	if $bless; then
		if [ -s "$tmp/$1" ]; then cp "$tmp/$1" "$base.$1"; else rm -f "$base.$1"; fi
	elif [ -e "$base.$1" ]; then
		diff -u "$base.$1" "$tmp/$1" >>"$tmp/why" || ok=false
	elif [ -s "$tmp/$1" ]; then
		{ echo "unexpected .$1:"; cat "$tmp/$1"; } >>"$tmp/why"
		ok=false
	fi
}

why() { echo "$*" >>"$tmp/why"; ok=false; }

rewriter() {
	rm -f "$tmp/out"
	"$BIN/ccc-annotate" -o "$tmp/out" "$base.ii" 2>"$tmp/err"
	status=$?
	: >"$tmp/diff"
	if grep -q ' error: ' "$tmp/err"; then
		[ $status = 1 ] || why "exit status $status, not 1"
		[ ! -e "$tmp/out" ] || why "an output file in spite of errors"
	else
		[ $status = 0 ] || why "exit status $status, not 0"
		diff -U1 "$base.ii" "$tmp/out" | sed 1,2d >"$tmp/diff"
	fi
	expect diff
	expect err
}

# Prints each function's name, its begin markers in the order of their numbers, and those that have end markers.
marks() {
	awk '
	function out(i) {
		if (fn) print fn
		for (i = 0; i < 1000; i++) if (i in begin) print "\t" begin[i] (i in end ? "" : "  NO END")
		for (i in end) if (!(i in begin)) print "\tNO BEGIN " i
		split("", begin); split("", end); fn = ""
	}
	/^\.visible \.entry|^\.visible \.func|^\.func|^\.entry/ { out(); sub(/\(.*/, ""); sub(/.* /, ""); fn = $0 }
	/\/\/ \.ccc / {
		if (before !~ /^[ \t]*\/\/ begin inline asm$/) print "marker not alone: " $0
		expect = 1
	}
	expect == 2 && !/^[ \t]*\/\/ end inline asm$/ { print "marker not closed: " $0 }
	{ expect = expect == 1 ? 2 : 0; before = $0 }
	/\/\/ \.ccc begin / { sub(/.*\.ccc begin /, ""); begin[$2] = $0 }
	/\/\/ \.ccc end / { end[$5] = 1 }
	END { out() }' "$1"
}

compiled() {
	for sm in 90 100; do
		"$BIN/cccnvcc" --ccc-markers-only --ccc-strict --ccc-Wno-ccc-host -std=c++17 -arch=sm_$sm -lineinfo -ptx "$base.cu" -o "$tmp/$sm.ptx" \
			>"$tmp/err" 2>&1 || why "sm_$sm: exit status $?"
		[ -s "$tmp/err" ] && why "sm_$sm: $(cat "$tmp/err")"
		[ -e "$tmp/$sm.ptx" ] || continue
		grep '\.file' "$tmp/$sm.ptx" | grep 'tmpxft\|\.ii"' >>"$tmp/why" && why "sm_$sm: a temporary's name in .file"
		marks "$tmp/$sm.ptx" >"$tmp/$sm.marks"
		cp "$tmp/$sm.marks" "$tmp/marks"
		if $bless && [ $sm = 100 ]; then cmp -s "$tmp/90.marks" "$tmp/100.marks" || why "the printers differ"; fi
		expect marks
		"$BIN/ptxccc" --list "$tmp/$sm.ptx" 2>&1 | grep 'Wunpaired\|Wmarker' >>"$tmp/why" && why "sm_$sm: markers do not match"
	done
}

. ../cuda.sh
for file in "$@"; do
	file=${file##*/} base=${file%.*} ok=true
	: >"$tmp/why"
	case $file in
	*.ii) rewriter ;;
	*) if [ -n "$nvcc" ]; then compiled; else skipped=$((skipped + 1)); continue; fi ;;
	esac
	if $ok; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL annotate/$file"
		sed 's/^/	/' "$tmp/why" | head -40
	fi
done
echo "annotate: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
