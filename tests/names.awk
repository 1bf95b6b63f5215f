# SPDX-License-Identifier: MIT
# names.awk SOURCES FILE.md...: the names of source files in documents that are not in the list SOURCES. A name without a folder
# must be a file of the document's folder, or of exactly one folder. Names with capitals are placeholders.
BEGIN {
	split("ptx.lex.h ptx.tab.h cupti.h name.tpl x.h ptxccc/ptxccc.h", words, " ") # generated, external, examples, installed
	for (i in words) ignored[words[i]] = 1
}
FILENAME == ARGV[1] { is_path[$0] = 1; base = $0; sub(/.*\//, "", base); count[base]++; next }
FNR == 1 { dir = FILENAME; if (!sub(/[^\/]*$/, "", dir)) dir = "" }
{
	line = $0
	while (match(line, /[A-Za-z0-9_.\/<>*{},@-]*[a-z0-9_]\.(c|h|tpl)([^a-z0-9A-Z_.*]|$)/)) {
		name = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		sub(/[^a-z]$/, "", name)
		if (name ~ /[A-Z<>*{},@]/ || name in ignored) continue
		path = dir name
		while (sub(/[^\/]+\/\.\.\//, "", path)) { }
		if (path in is_path || name in is_path || (name !~ /\// && count[name] == 1)) names++
		else print FILENAME ":" FNR ": " name " is " (name ~ /\// ? "no file" : count[name] + 0 " files")
	}
}
END { if (names < 100) print "only " names + 0 " names of files were found" }
