#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [FILE.ptx...]: parsing loses nothing. Default: ptx/*.ptx and the folder $CORPUS, which make-corpus.sh fills. Three
# tiers for every file:
#	1  ptxccc reproduces the same bytes (files without annotations)
#	2  the view, printed and parsed, is an equal view
#	3  ptxas generates the same code from the original and the printed view
# Skipped in tier 3, and counted: all files if there is no ptxas, and files whose original ptxas rejects.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxccc=${PTXCCC:-$(readlink -m "$B")/bin/ptxccc} parse=$B/tests/parse_main same=$B/tests/same_code_main
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 skipped=0 failed=0
. tests/cuda.sh
[ $# -gt 0 ] || set -- tests/corpus/ptx/*.ptx ${CORPUS:+"$CORPUS"/*.ptx}

# assemble FILE OUT: for the file's own target, or for sm_80 if ptxas no longer supports that.
assemble() {
	arch=$(sed -n 's/.*\.target[[:space:]]*\(sm_[0-9a-z]*\).*/\1/p' "$1" | head -n 1)
	case $arch in sm_[1-6][0-9] | sm_70 | '') arch=sm_80 ;; esac
	flags="-arch=$arch"
	[ "$(sed -n 's/.*\.version[[:space:]]*\([0-9]*\)\..*/\1/p' "$1" | head -n 1)" -gt 3 ] && flags="$flags -c"
	grep -q '^\.target.*debug' "$1" && flags="$flags -g"
	# shellcheck disable=SC2086
	ptxas $flags -o "$2" "$1" >"$temp/log" 2>&1
}

fail() {
	echo "FAIL corpus $1"
	head -n 5 "$temp/log"
	failed=$((failed + 1))
}

for f in "$@"; do
	if ! grep -q '^[[:space:]]*// \.ccc begin' "$f"; then
		if ! "$ptxccc" -o "$temp/out" "$f" >"$temp/log" 2>&1 || ! cmp "$f" "$temp/out" >>"$temp/log" 2>&1; then
			fail "$f: bytes"
			continue
		fi
	fi
	if ! "$parse" -r "$f" >"$temp/log" 2>&1; then
		fail "$f: view"
		continue
	fi
	if ! command -v ptxas >/dev/null || ! assemble "$f" "$temp/a"; then
		skipped=$((skipped + 1))
		continue
	fi
	"$parse" -p "$f" >"$temp/x.ptx"
	if assemble "$temp/x.ptx" "$temp/b" && "$same" "$temp/a" "$temp/b" >"$temp/log"; then
		passed=$((passed + 1))
	else
		fail "$f: code"
	fi
done
echo "corpus: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
