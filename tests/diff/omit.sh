#!/bin/sh
# SPDX-License-Identifier: MIT
# omit.sh [LINE...]: mutation test of recursion.tpl, which random kernels do not reach. Each line that emits text is omitted once:
# ptxccc must fail, or a kernel of tests/diff/recursion.ptx must end with other memory or with a fault. A line marked CANNOT must not
# be noticed.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptx=tests/diff/recursion.ptx tpl=transform/rewrite/recursion.tpl
passed=0 failed=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
# Without dynamic shared memory, an access beyond the stores is a fault.
launch=$(sed -n 's|^// LAUNCH: [*] ||p' "$ptx" | sed 's/--shared [0-9]*//')
options="--limit 500000 --block 33 --block 100 --block 4,5,3"
# Whether the text in the file fails, or computes something else under some schedule.
noticed() { # FILE
	for k in fibonacci divergent queens memory backtrack; do
		entry=$(sed -n "s/.*\.entry \(_Z[0-9]*k_$k[A-Za-z0-9]*\).*/\1/p" "$ptx")
		# shellcheck disable=SC2086
		[ -s "$tmp/$k" ] || "$B/bin/ptxrun" "$ptx" "$entry" $launch $options >"$tmp/$k" 2>/dev/null
		# shellcheck disable=SC2086
		"$B/bin/ptxrun" "$1" "$entry" $launch $options --seeds 3 >"$tmp/got" 2>/dev/null || return 0
		cmp -s "$tmp/$k" "$tmp/got" || return 0
	done
	return 1
}
"$B/bin/ptxccc" "$ptx" -o "$tmp/whole.ptx" 2>/dev/null
if noticed "$tmp/whole.ptx"; then echo "FAIL omit: the whole text has a fault"; failed=1; fi
[ $# -gt 0 ] || set -- $(awk '/^===/ { on = 1; next } on && NF && $1 !~ /^#(if|else|end|declare|$)/ && !/^\t\.(pred|b32)/ { print NR }' "$tpl")
for line; do
	text=$(sed -n "${line}p" "$tpl")
	"$B/bin/ptxccc" --omit-line="recursion.tpl:$line" --verify -Werror=ccc-bug "$ptx" -o "$tmp/out.ptx" >/dev/null 2>&1 && ! noticed "$tmp/out.ptx"
	found=$?
	case $text in *CANNOT*) want=0 ;; *) want=1 ;; esac
	if [ $found = $want ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL omit: recursion.tpl:$line: $text"; fi
done
echo "omit: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
