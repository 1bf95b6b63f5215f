# SPDX-License-Identifier: MIT
# Makes a large PTX module from a small one by repeating its functions, each copy with different names.
#	awk -v bytes=N -f bigmodule.awk small.ptx >big.ptx
# Works on PTX as nvcc writes it: a function starts in column 0 and ends where its braces close, a prototype with ";" in column
# 0. The text between functions (variables, extern functions) is written once, before them.

function is_start(line) { return line ~ /^(\.(visible|weak|extern) +)*\.(entry|func)/ }
# The function's name: the last word before "(" or the end of the line, after a return value in parentheses.
function name_in(line,    s) {
	s = line
	sub(/^[^(]*\.func +\([^)]*\) */, ".func ", s)
	sub(/[ \t]*\(.*$/, "", s)
	sub(/^.*[ \t]/, "", s)
	return s
}

{ line[NR] = $0 }
is_start($0) && $0 !~ /\.extern/ { renamed[name_in($0)] = 1 }

# Appends \001 to every word that is, or begins with, the name of a function of the module.
function mark(s,    out, word, base) {
	out = ""
	while (match(s, /[A-Za-z_$][A-Za-z0-9_$]*/)) {
		word = substr(s, RSTART, RLENGTH)
		base = word
		sub(/_param_[0-9]+$/, "", base)
		out = out substr(s, 1, RSTART + RLENGTH - 1) (base in renamed ? "\001" : "")
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}

END {
	body = ""
	for (i = 1; i <= NR; ++i) {
		if (!is_start(line[i]) || line[i] ~ /\.extern/) {
			print line[i]
			written += length(line[i]) + 1
			continue
		}
		for (opened = closed = 0; i <= NR; ++i) {
			body = body mark(line[i]) "\n"
			opened += gsub(/{/, "{", line[i])
			closed += gsub(/}/, "}", line[i])
			if ((opened && opened == closed) || (!opened && line[i] ~ /^;/))
				break
		}
	}
	for (n = 1; written < bytes; ++n) {
		copy = body
		gsub(/\001/, "_" n, copy)
		printf "%s", copy
		written += length(copy)
	}
}
