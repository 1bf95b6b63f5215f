#!/bin/sh
# SPDX-License-Identifier: MIT
# house.sh: lines of C have at most 100 columns, files of C at most 500 lines, structs at most 25 members (HACKING.md, "House
# style"). Tabs are 8 wide. Lines with message strings may be longer.
set -u
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0
product="base lexer parser analysis profile transform validate suggest annotate report simt lib driver tune"
# shellcheck disable=SC2086
for f in $(find $product bench tests -name '*.[ch]'); do
	bad=$(expand "$f" | awk -v f="$f" 'length > 100 && !/"/ { print "wider than 100 columns: " f ":" NR }')
	[ "$(wc -l <"$f")" -le 500 ] || bad="$bad longer than 500 lines: $f"
	if [ -z "$bad" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL house: $bad"; fi
done

# Structs that may be larger: they mirror the CUDA runtime's binary interface.
larger="cudaDeviceProp Properties"

# large_structs FILE...: "name members file" of each struct with more than 25 members. The members of nested anonymous structs
# and unions count as well.
large_structs() {
	awk '
	# The line without comments, strings and character constants.
	function code(s,  out, c) {
		for (out = ""; s != ""; ) {
			if (comment) {
				if (!match(s, /\*\//))
					return out
				comment = 0
			} else {
				if (!match(s, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)+\047|\/\*/))
					return out s
				out = out substr(s, 1, RSTART - 1)
				comment = substr(s, RSTART, 2) == "/*"
			}
			s = substr(s, RSTART + RLENGTH)
		}
		return out
	}
	function end_of_declaration(  k) {
		if (text ~ /[^ \t]/)
			for (k = 1; k <= depth; k++)
				members[k] += 1 + commas
		if (closed > 25) {
			if (name == "" && match(text, /[A-Za-z_0-9]+/))
				name = substr(text, RSTART, RLENGTH)
			print name, closed, FILENAME
		}
		closed = 0
	}
	FNR == 1 { depth = comment = directive = closed = commas = parens = 0; text = "" }
	directive || /^[ \t]*#/ { directive = /\\$/; next }
	{
		s = code($0) " "
		while (match(s, /[{};,()]/)) {
			c = substr(s, RSTART, 1)
			text = text substr(s, 1, RSTART - 1)
			s = substr(s, RSTART + 1)
			if (c == "(" || c == ")") {
				parens += c == "(" ? 1 : parens ? -1 : 0
				text = text c
				continue
			}
			if (c == ",") {
				commas += !parens
				continue
			}
			if (c == "{") {
				depth++
				members[depth] = 0
				is_struct[depth] = match(text, /(^|[^A-Za-z_0-9])struct[ \t]*[A-Za-z_0-9]*[ \t]*$/)
				tag[depth] = substr(text, RSTART)
				gsub(/^.*struct|[ \t]/, "", tag[depth])
			} else if (c == "}" && depth) {
				closed = is_struct[depth] ? members[depth] : 0
				name = tag[depth--]
			} else {
				end_of_declaration()
			}
			text = ""
			commas = parens = 0
		}
		text = text s
	}' "$@"
}
# shellcheck disable=SC2046,SC2086
found=$(large_structs $(find $product -name '*.[ch]'))
bad=$(printf '%s\n' "$found" | awk -v larger="$(echo $larger)" '
	BEGIN { n = split(larger, list, " "); for (k = 1; k <= n; k++) may[list[k]] = 1 }
	NF { over[$1] = 1; if (!($1 in may)) print "more than 25 members: struct " $1 " (" $2 "), " $3 }
	END { for (k = 1; k <= n; k++) if (!(list[k] in over)) print "at most 25 members, so no exception: struct " list[k] }')
if [ -z "$bad" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL house: $bad"; fi
echo "house: $passed passed, $failed failed"
[ $failed = 0 ]
