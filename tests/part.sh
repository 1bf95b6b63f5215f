#!/bin/sh
# SPDX-License-Identifier: MIT
# part.sh RESULTS COMMAND: runs one part of the tests for check.sh. Its output appears in one piece, and one line is appended to
# RESULTS: passed, failed, skipped, processor seconds, command. Causes of skipped tests go to RESULTS.skips: number, tab, cause.
# Names of failed tests, with the last line that each printed, go to RESULTS.fails.
# A part ends with the line "part: N passed, N failed[, N skipped]".
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.times"' EXIT
trap 'exit 1' HUP INT TERM
sh -c "$2" >"$log" 2>&1
status=$?
times >"$log.times" # its second line is that of children: minutes and seconds, user and system
seconds=$(tail -1 "$log.times" | awk '{ gsub(/[ms]/, " "); printf "%.0f", $1 * 60 + $2 + $3 * 60 + $4 }')
number() { tail -n 1 "$log" | sed -n "s/.*\\b\\([0-9][0-9]*\\) $1.*/\\1/p"; }
p=$(number passed) f=$(number failed) s=$(number skipped)
# A part counts as one failure if it has no count, counts nothing, or fails without counting a failure.
[ $((${p:-0} + ${f:-0} + ${s:-0})) != 0 ] || p=
if [ -z "$p" ] || { [ $status != 0 ] && [ "${f:-0}" = 0 ]; }; then
	echo "FAIL $2: exit status $status" >>"$log"
	f=$((${f:-0} + 1))
fi
# Skipped tests with their own reason, one by one; the others are skipped for the reason that the part prints, or for its default reason.
causes() {
	sed -n 's/^SKIP .*: \(.*\)/1	\1/p' "$log"
	rest=$((${s:-0} - $(grep -c '^SKIP .*: ' "$log")))
	cause=$(grep -x 'no [a-z0-9+_.-]*' "$log" | head -1)
	[ $rest -le 0 ] || printf '%d\t%s\n' $rest "${cause:-$(tail -n 1 "$log" | sed 's/:.*//'): other}"
}
failures() {
	awk 'function end() { if (name) print name (said ? ": " said : "") }
		/^FAIL / { end(); name = substr($0, 6); said = ""; next }
		/^\t/ { said = substr($0, 2, 150); next }
		{ end(); name = "" }
		END { end() }' "$log"
}
exec 9>>"$1"
flock 9
cat "$log"
[ "${f:-0}" = 0 ] || failures >>"$1.fails"
[ "${s:-0}" = 0 ] || causes >>"$1.skips"
[ -z "${JUNIT:-}" ] || sh tests/junit.sh "$2" "$log" "${p:-0} ${f:-0} ${s:-0} ${seconds:-0}" >>"$JUNIT.parts"
echo "${p:-0} ${f:-0} ${s:-0} ${seconds:-0} $2" >&9
