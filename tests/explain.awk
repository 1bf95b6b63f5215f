# SPDX-License-Identifier: MIT
# explain.awk TEMPLATE... PAGE: checks the rows of a page of ptxccc --explain; see tests/explain.sh. -v in_file, out_file: the texts;
# copies, by: the minimum numbers of copies and of lines from templates.

function wrong(what) { if (++bad <= 10) print what ": " $0 }
function unescape(s) {
	gsub(/&#60;/, "<", s); gsub(/&#62;/, ">", s); gsub(/&#34;/, "\"", s); gsub(/&#38;/, "\\&", s)
	return s
}
function attribute(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "" }
# The opcode of a line, without the modifiers and the branches that a copy may change; a label is "label".
function opcode(s,    w) {
	sub(/^[ \t]*\{?[ \t]*/, "", s)
	if (s ~ /^\$/ && s ~ /:/)
		return "label"
	sub(/^@[^ \t]*[ \t]+/, "", s)
	split(s, w, /[ \t;]/)
	return w[1]
}
function alike(copy, original) {
	gsub(/\.(uni|rn)/, "", copy)
	gsub(/\.(uni|rn)/, "", original)
	return copy == original || (original ~ /^(ret|exit)$/ && copy == "bra")
}

BEGIN {
	while ((getline line < in_file) > 0) input[++nin] = line
	while ((getline line < out_file) > 0) output[++nout] = line
}
FILENAME ~ /\.tpl$/ { name = FILENAME; sub(/.*\//, "", name); template[name ":" FNR] = $0; next }
/<th colspan="2">Input/ { side = "in" }
/<th colspan="2">Output/ { side = "out" }
/ data-l="/ {
	number = $0
	sub(/.*"><td>/, "", number)
	sub(/<.*/, "", number)
	text = $0
	sub(/.*<td><pre>/, "", text)
	sub(/<\/pre>.*/, "", text)
	text = unescape(text)
	line = attribute("data-l")
	if (side == "in") {
		if (text != input[number] || line != number)
			wrong("not that line of the input")
		next
	}
	if (text != output[number])
		wrong("not that line of the output")
	source = $0
	sub(/.*<td class="by">/, "", source)
	gsub(/<[^>]*>/, "", source)
	if (source ~ /^line /) {
		ncopies++
		if (source != "line " line || !alike(opcode(text), opcode(input[line])))
			wrong("not a copy of '" input[line] "'")
	} else if (source != "") {
		nby++
		split(source, w, " ")
		cited = source
		sub(/^[^ ]* ?/, "", cited)
		at = template[w[1]]
		first = opcode(at)
		if (first !~ /</ && opcode(text) != first)
			wrong("not by '" at "'")
		if (cited != "" && index(at, "# " cited) == 0)
			wrong("'" at "' cites other invariants")
	} else if (line > 0 && text != input[line])
		wrong("not unchanged: '" input[line] "'")
}
END {
	if (ncopies < copies || nby < by || !nout || !nin) {
		print "only " ncopies + 0 " copies, " nby + 0 " lines by templates"
		bad++
	}
	exit bad > 0
}
