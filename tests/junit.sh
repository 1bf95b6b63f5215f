#!/bin/sh
# SPDX-License-Identifier: MIT
# junit.sh COMMAND LOG "PASSED FAILED SKIPPED SECONDS": prints a part's results as a JUnit test suite for part.sh. Tests that
# failed or were skipped are named as in the log; the others have numbers, because parts do not name them.
LC_ALL=C awk -v command="$1" -v numbers="$3" '
function text(s) {
	gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s); gsub(/[\001-\010\013-\037\177-\377]/, "?", s)
	return s
}
function close_test() { if (open) print open; open = "" }
function begin_test(name) { close_test(); printf "  <testcase classname=\"%s\" name=\"%s\"", text(command), text(name) }
BEGIN {
	split(numbers, n)
	printf " <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%d\">\n", text(command), n[1] + n[2] + n[3], n[2], n[3], n[4]
	for (i = 1; i <= n[1]; i++) { begin_test("passed " i); print "/>" }
}
/^FAIL / && failed < n[2] { begin_test(substr($0, 6)); failed++; print "><failure>"; open = "  </failure></testcase>"; next }
/^SKIP / && skipped < n[3] { begin_test(substr($0, 6)); skipped++; print "><skipped/></testcase>"; next }
open && /^\t/ { print text($0); next }
{ close_test() }
END {
	close_test()
	while (failed < n[2]) { begin_test("failed " ++failed); print "><failure/></testcase>" }
	while (skipped < n[3]) { begin_test("skipped " ++skipped); print "><skipped/></testcase>" }
	print " </testsuite>"
}' "$2"
