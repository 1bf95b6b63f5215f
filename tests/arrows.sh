#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh: includes go one way only, down the table of docs/design.md 2: each folder may include those named behind it; and so do
# those between the rooms of simt/.
set -u
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0
allow() {
	folder=$1
	shift
	bad=$(grep -n '^#include "' "$folder"/*.c "$folder"/*.h "$folder"/*.y "$folder"/*.l 2>/dev/null |
		grep -v "\"$folder/" | grep -v -E "\"($(echo "$@" | tr ' ' '|'))/" | grep -v -E '"(ptx\.(tab|lex)\.h|[a-z]+\.tpl\.h|commit\.h)"')
	ls "$folder"/*.[cl] >/dev/null 2>&1 || bad="$folder: no source"
	if [ -z "$bad" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL arrows: $bad"; fi
}
allow base none
allow lexer base parser
allow parser base lexer
allow analysis base parser
allow profile base parser analysis
allow validate base parser analysis
# The rooms of transform/, from the bottom: each may include those in front of it.
below=
for room in text plan legality task cost emit expand collect wait output rewrite pipeline instrument; do
	allow transform/$room base parser analysis profile validate $below
	below="$below transform/$room"
done
allow suggest base parser analysis profile $below
allow report base
allow annotate base report
allow simt base parser analysis profile
allow lib base parser profile transform/[a-z]+ suggest annotate report
allow tune base annotate report
allow driver base parser analysis profile transform/[a-z]+ suggest annotate report simt lib
allow driver/rt base parser analysis profile simt driver/cudart/host
allow driver/cudart base driver/rt
allow driver/libcuda base driver/rt
allow driver/preload none
# Inside simt/ the rooms of docs/design.md 7: a file may include headers of its own room and of those above it in the table.
bad=$({ sed -n '/^| room | files/,/^$/p' docs/design.md; grep '^#include "simt/' simt/*.c simt/*.h; ls simt/*.c simt/*.h; } | awk '
!NF { next }
/^\|/ { split($0, cell, "|"); n = split(cell[3], word, /[^a-z]+/); for (k = 1; k <= n; k++) if (word[k] != "") room[word[k]] = NR; next }
{ split($0, part, /[\/.:"]/); from = part[2] }
from == "simt" { next }
!(from in room) { print $0 ": in no room"; next }
/#include/ { to = $0; gsub(/.*"simt\/|\..*/, "", to); if (to != "simt" && to !~ /^decoders/ && !(room[to] <= room[from])) print $0 }')
if [ -z "$bad" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL arrows: $bad"; fi
echo "arrows: $passed passed, $failed failed"
[ $failed = 0 ]
