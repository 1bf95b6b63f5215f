# SPDX-License-Identifier: MIT
# Converts NAME.tpl to NAME.tpl.h, with a ROW (template.h: Tpl_row) for each line, so that no line is parsed while text is written.
# An invalid directive, or one without its end, fails the build.

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }
function quoted(s) { gsub(/["\\]/, "\\\\&", s); gsub(/\t/, "\\t", s); return "\"" s "\"" }
function wrong(i, what) { print FILENAME ":" i ": " what >"/dev/stderr"; bad = 1 }

# Formats code: a tab, the leading words, a blank and a tab, the rest.
function code(s,    word, text) {
	text = "\t"
	if (s ~ /^(@|\.reg[ \t])/) {
		match(s, /^[^ \t]+/)
		text = text substr(s, 1, RLENGTH) " "
		s = trim(substr(s, RLENGTH + 1))
	}
	match(s, /^[^ \t]+/)
	word = substr(s, 1, RLENGTH)
	s = trim(substr(s, RLENGTH + 1))
	return text word (s != "" ? " \t" s : "")
}

{ line[NR] = $0 }

END {
	for (i = 1; i <= NR; i++) {
		s = line[i]
		marks[i] = index(s, "# CANNOT") ? quoted(substr(s, index(s, "# CANNOT"))) : "NULL"
		cites[i] = match(s, /(^|[ \t])# [CDPRTWX][0-9]+(, [CDPRTWX][0-9]+)*(:| #|$)/) ? substr(s, RSTART, RLENGTH) : ""
		gsub(/^[ \t]*# |:$| #$/, "", cites[i])
		if (match(s, /(^|[ \t])#( |$)/))
			s = substr(s, 1, RSTART - (substr(s, RSTART, 1) == "#"))
		text[i] = trim(s)
		indented[i] = s ~ /^[ \t]/
		split(text[i], w)
		word[i] = w[1]
		argument[i] = trim(substr(text[i], length(w[1]) + 1))
		if (word[i] == "#declare")
			declared[argument[i]] = 1
	}
	for (i = 1; i <= NR; i++) {
		kind[i] = "NONE"; value[i] = "\"\""
		if (word[i] == "===") {
			kind[i] = "SECTION"; split(argument[i], w); value[i] = quoted(w[1])
			registers = w[1] in declared
			if (n)
				wrong(i, "'" word[open[n]] "' without #end")
		} else if (word[i] == "#if" || word[i] == "#each") {
			kind[i] = word[i] == "#if" ? "IF" : "EACH"; value[i] = quoted(argument[i])
			open[++n] = i
		} else if (word[i] == "#else" || word[i] == "#end") {
			if (!n || (word[i] == "#else" && word[open[n]] != "#if"))
				wrong(i, word[i] " without #if")
			kind[i] = word[i] == "#else" ? "ELSE" : "END"
			to[open[n]] = i
			if (word[i] == "#else")
				open[n] = i
			else
				n--
		} else if (word[i] == "#declare") {
			kind[i] = "DECLARE"; value[i] = quoted(argument[i])
		} else if (word[i] ~ /^#./) {
			kind[i] = "PIECE"; value[i] = quoted(substr(word[i], 2))
		} else if (text[i] != "" && registers) {
			kind[i] = "DECLARED"; value[i] = quoted(text[i])
		} else if (text[i] != "") {
			kind[i] = "TEXT"
			value[i] = quoted(indented[i] && text[i] !~ /^[{}]/ ? code(text[i]) : (indented[i] ? "\t" : "") text[i])
			sub(/"$/, "\\n\"", value[i])
		}
	}
	if (n)
		wrong(open[n], "'" word[open[n]] "' without #end")
	for (i = 1; i <= NR; i++)
		printf "ROW(%s, %d, %s, %s, %s)\n", kind[i], to[i] ? to[i] - 1 : 0, value[i], marks[i], quoted(cites[i])
	exit bad
}
