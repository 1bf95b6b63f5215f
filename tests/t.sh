# SPDX-License-Identifier: MIT
# t.sh: common part of the scripts of single tests, which set part, their name in messages, and source this file. Creates a
# folder $tmp, which is removed when the script ends.
# shellcheck shell=sh disable=SC2154,SC2034
passed=0 failed=0 skipped=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
exec </dev/null # nvcc fails where standard input is closed

t() { # t NAME COMMAND...: the test passes if the command does; status 77: it cannot be done here
	name=$1
	shift
	"$@" >"$tmp/log" 2>&1
	case $? in
	0) passed=$((passed + 1)) ;;
	77)
		skipped=$((skipped + 1))
		echo "SKIP $part $name: $(tail -1 "$tmp/log")"
		;;
	*)
		failed=$((failed + 1))
		echo "FAIL $part $name"
		tail -30 "$tmp/log" | cut -c 1-200 | sed 's/^/	/'
		;;
	esac
}
finish() {
	echo "$part: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}
skip_all() {
	skipped=1
	finish
}
