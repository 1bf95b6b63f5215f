#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b] [FILE.ptx ...]: golden tests of the analyses (default: all of this folder). Prints a line for each test, and the
# total.
#
#	NAME.ptx            facts in its comments, whose correctness and completeness tests/unit/facts.c checks
#	NAME.WHAT.out       output of ptxccc --dump=WHAT NAME.ptx
#	NAME.WHAT.dot       the same with --dot
#	wrong/NAME.ptx      facts that the checker must reject
# -b blesses: rewrites facts and dumps. Review the result.
set -u
cd "$(dirname "$0")" || exit 2
B=${B:-build}
case $B in /*) ;; *) B=../../$B ;; esac
facts=${FACTS:-$B/tests/facts} ptxccc=${PTXCCC:-$B/bin/ptxccc}
bless=false
[ "${1:-}" = -b ] && { bless=true; shift; }
all=false
[ $# -gt 0 ] || { all=true; set -- *.ptx; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0

# result NAME STATUS: counts a test and prints its line; the reason is in $tmp/why.
result() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $1"
	else
		failed=$((failed + 1))
		echo "FAIL $1"
		sed 's/^/	/' "$tmp/why" | head -20
	fi
}

# dump FILE GOLDEN: what the golden's name says, to standard output.
dump() {
	what=${2%.*} what=${what##*.} dot=
	case $2 in *.dot) dot=--dot ;; esac
	"$ptxccc" "--dump=$what" $dot "$1"
}

for file in "$@"; do
	file=${file##*/} name=${file%.ptx}
	if $bless; then
		"$facts" -b "$file" >"$tmp/new" && cp "$tmp/new" "$file"
	fi
	"$facts" "$file" >"$tmp/why" 2>&1
	result "$name" $?
	for golden in "$name".*.out "$name".*.dot; do
		[ -e "$golden" ] || continue
		dump "$file" "$golden" >"$tmp/dump" 2>"$tmp/why"
		$bless && cp "$tmp/dump" "$golden"
		diff -u "$golden" "$tmp/dump" >>"$tmp/why" 2>&1
		result "$golden" $?
	done
done
if $all; then
	for file in wrong/*.ptx; do
		"$facts" "$file" >"$tmp/out" 2>&1 && status=1 || status=0
		grep -q "^$file:[0-9]*: \(missing\|wrong\) '" "$tmp/out" || status=1
		echo "the checker finds nothing wrong" >"$tmp/why"
		result "${file%.ptx}" "$status"
	done
fi
echo "analysis: $passed passed, $failed failed"
[ $failed = 0 ]
