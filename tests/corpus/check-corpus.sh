#!/bin/sh
# check-corpus.sh PARSE SAME-CODE FILE.ptx...: is the view lossless? Three tiers for every file:
#	1  it parses                               (bytes in = bytes out is the edit list's test)
#	2  the view, printed, parses to an equal view
#	3  ptxas makes the same code of the original and of the printed view
# PARSE is the program of tests/unit/parse_main.c, SAME-CODE that of same-code.c. Files that ptxas refuses in the original
# (old targets) and, without ptxas, all are skipped in tier 3, and counted.
set -u
parse=$1 same=$2
shift 2
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
ok=0 skipped=0 failed=0
for f in "$@"; do
	if ! "$parse" -r "$f"; then
		echo "FAIL $f: view"
		failed=$((failed + 1))
		continue
	fi
	arch=$(sed -n 's/^[[:space:]]*\.target[[:space:]]*\(sm_[0-9a-z]*\).*/\1/p' "$f" | head -n 1)
	case $arch in sm_[1-6][0-9] | sm_70 | '') arch=sm_80 ;; esac
	flags="-arch=$arch"
	[ "$(sed -n 's/.*\.version[[:space:]]*\([0-9]\).*/\1/p' "$f" | head -n 1)" -gt 3 ] && flags="$flags -c"
	grep -q '^\.target.*debug' "$f" && flags="$flags -g"
	# shellcheck disable=SC2086
	if ! command -v ptxas >/dev/null || ! ptxas $flags -o "$temp/a" "$f" >"$temp/log" 2>&1; then
		skipped=$((skipped + 1))
		continue
	fi
	"$parse" -p "$f" >"$temp/x.ptx"
	# shellcheck disable=SC2086
	if ptxas $flags -o "$temp/b" "$temp/x.ptx" >"$temp/log" 2>&1 && "$same" "$temp/a" "$temp/b"; then
		ok=$((ok + 1))
	else
		echo "FAIL $f: code"
		head -n 3 "$temp/log"
		failed=$((failed + 1))
	fi
done
echo "$ok lossless, $skipped without tier 3, $failed failed"
[ "$failed" = 0 ]
