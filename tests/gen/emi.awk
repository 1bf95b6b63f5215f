# SPDX-License-Identifier: MIT
# emi.awk: edits of a PTX text that change nothing of what its kernels do. See emi.sh.
#
#	awk -v seed=N -f emi.awk FILE.ptx
#
# cut   in front of a path stands another one, which no lane takes
# wrap  statements of an annotated loop that compute alone become a path of all lanes
# swap  two such statements that name no register of one another change places

BEGIN { srand(seed) }

# Does the statement compute alone, from registers into one?
function computes(line) {
	return line ~ /^\t(add|sub|mul|mad|and|or|xor|shl|shr|min|max|selp|cvt|mov|neg|not|abs|setp|fma)[.]/ &&
		line !~ /[{}\[|]|\.cc|addc|subc|madc|clock|globaltimer|@/
}
function target(line,   word) {
	word = line
	sub(/^\t[a-z0-9._]+[ \t]+/, "", word)
	sub(/[,; \t].*/, "", word)
	return word
}
function names(line, register) {
	gsub(/[^%A-Za-z0-9_$.]/, " ", line)
	return index(" " line " ", " " register " ") > 0
}
function swaps(a, b) {
	return computes(a) && computes(b) && !names(b, target(a)) && !names(a, target(b))
}

function marker(what, kind) {
	print "\t// begin inline asm"
	print "\t// .ccc " what " " kind " " 9000 + number " \"emi.cu\":" number
	print "\t// end inline asm"
}
# A path that all lanes take (or none), around a statement.
function path(line, all) {
	number++
	print "\t{\n\t.reg .pred %emi_p;\n\t.reg .b32 %emi_r;"
	print "\tmov.u32 %emi_r, %ntid.x;\n\tsetp.eq.u32 %emi_p, %emi_r, 0;"
	print "\t@" (all ? "" : "!") "%emi_p bra $EMI_" number ";"
	marker("begin", "if")
	if (all)
		print line
	for (k = 0; k < 20; k++)
		print "\tmad.lo.u32 %emi_r, %emi_r, %emi_r, " k ";"
	marker("end", "if")
	print "$EMI_" number ":\n\t}"
}

{ text[NR] = $0 }

END {
	for (i = 1; i <= NR; i++) {
		if (text[i] ~ /\.ccc begin (for|for-var)? /)
			inside = 1
		if (text[i] ~ /\.ccc end (for|for-var)? /)
			inside = 0
		if (text[i] ~ /begin inline asm/ && text[i + 1] ~ /\.ccc begin if/ && rand() < 0.5) {
			path("", 0)
			print text[i]
		} else if (inside && swaps(text[i], text[i + 1]) && rand() < 0.5) {
			print text[i + 1]
			print text[i]
			i++
		} else if (inside && computes(text[i]) && rand() < 0.05) {
			# the branch leads past it where the block has no threads
			path(text[i], 1)
		} else {
			print text[i]
		}
	}
}
