#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b] [FILE.ptx ...]: golden tests of ptxccc (default: all of tests/golden).
#
# The first lines of a test say how to run it; the expectations are in files next to it:
#	// RUN: --report            arguments, after --choose=first --validate and before the name of the file; golden
#	                            tests check the generated code, so they do not depend on the expected speedup
#	// EXIT: 1                  exit status (default: 0)
#	// XFAIL: reason            a known failure: the test must fail
#	test.diff                   diff -U1 of input and output of a transformation; all else must be identical
#	test.out                    standard output if it is not PTX (--dump, --list)
#	test.err                    standard error
# Predictions of the cost model are masked in them (tests/estimates.sed). The tests of the model have their expectations in
# tests/cost instead, without the mask. To make a test one of them, create an empty tests/cost/test.err, and bless.
# -b blesses: rewrites the expectations. Prints a line for each failure, and the total.
set -u
cd "$(dirname "$0")/golden" || exit 2
ptxccc=${PTXCCC:-../../build/bin/ptxccc}
bless=false
[ "${1:-}" = -b ] && { bless=true; shift; }
[ $# -gt 0 ] || set -- *.ptx
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0

# expect KIND: compares $tmp/KIND with the test's expectation, which is absent when nothing is expected.
expect() {
	if $bless; then
		if [ -s "$tmp/$1" ]; then cp "$tmp/$1" "$want.$1"; else rm -f "$want.$1"; fi
	elif [ -e "$want.$1" ]; then
		diff -u "$want.$1" "$tmp/$1" >>"$tmp/why" || ok=false
	elif [ -s "$tmp/$1" ]; then
		{ echo "unexpected .$1:"; cat "$tmp/$1"; } >>"$tmp/why"
		ok=false
	fi
}

for file in "$@"; do
	file=${file##*/} base=${file%.ptx} ok=true
	: >"$tmp/why"
	args=$(sed -n '1s|^// RUN:||p' "$file")
	exit=$(sed -n 's|^// EXIT: *||p' "$file" | head -1)
	xfail=$(sed -n 's|^// XFAIL: *||p' "$file" | head -1)
	# shellcheck disable=SC2086
	"$ptxccc" --choose=first --validate $args "$file" >"$tmp/stdout" 2>"$tmp/err"
	status=$?
	[ "$status" = "${exit:-0}" ] || { echo "exit status $status, not ${exit:-0}" >>"$tmp/why"; ok=false; }
	: >"$tmp/diff"
	: >"$tmp/out"
	case $args in
	*--dump* | *--list*) cp "$tmp/stdout" "$tmp/out" ;;
	*) [ "$status" = 0 ] && diff -U1 "$file" "$tmp/stdout" | sed 1,2d >"$tmp/diff" ;;
	esac
	want=$base
	case $(echo ../cost/"$base".*) in
	*'*') sed -E -i -f ../estimates.sed "$tmp/diff" "$tmp/out" "$tmp/err" ;;
	*) want=../cost/$base ;;
	esac
	expect diff
	expect out
	expect err
	[ -n "$xfail" ] && { if $ok; then ok=false; echo "passes, but is marked XFAIL" >"$tmp/why"; else ok=true; fi; }
	if $ok; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL golden/$file"
		sed 's/^/	/' "$tmp/why" | head -40
	fi
done
echo "golden: $passed passed, $failed failed"
[ $failed = 0 ]
