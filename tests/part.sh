#!/bin/sh
# SPDX-License-Identifier: MIT
# part.sh RESULTS COMMAND: runs a part of the tests for check.sh. Prints its output in one piece and appends its numbers
# (passed, failed, skipped) to RESULTS. The last line of a part must be "part: N passed, N failed[, N skipped]".
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
sh -c "$2" >"$log" 2>&1
status=$?
number() { tail -n 1 "$log" | sed -n "s/.*\\b\\([0-9][0-9]*\\) $1.*/\\1/p"; }
p=$(number passed) f=$(number failed) s=$(number skipped)
# A part without a count, one that counts nothing, or with a bad end that it does not count, is one failure.
[ $((${p:-0} + ${f:-0} + ${s:-0})) != 0 ] || p=
if [ -z "$p" ] || { [ $status != 0 ] && [ "${f:-0}" = 0 ]; }; then
	echo "FAIL $2: exit status $status" >>"$log"
	f=$((${f:-0} + 1))
fi
exec 9>>"$1"
flock 9
cat "$log"
echo "${p:-0} ${f:-0} ${s:-0}" >&9
