# SPDX-License-Identifier: MIT
# same.awk ONE TWO: prints first line, last line and name of the kernels and functions of the second module that have the same text in
# the first one; none if functions or anything outside of kernels differs.
FNR == 1 { n++ }
match($0, /\.(entry|func)[ \t]/) {
	name = substr($0, RSTART)
	inner[name] = name ~ /^\.func/
	first[name] = last[name] = FNR
}
{ text[n, name] = text[n, name] $0 "\n" }
name { last[name] = FNR }
/^}/ { name = "" }
END {
	different = text[1, ""] != text[2, ""]
	for (name in first)
		if (inner[name] && text[1, name] != text[2, name])
			different = 1
	for (name in first)
		if (!different && text[1, name] == text[2, name]) {
			print first[name], last[name], kernel(name)
		}
}
function kernel(line) {
	gsub(/[^A-Za-z0-9_$ \t]/, " ", line)
	return line " "
}
