# SPDX-License-Identifier: MIT
# emi.awk: edits of a PTX text that do not change the results of its kernels. See emi.sh.
#
#	awk -v seed=N -f emi.awk FILE.ptx
#
# cut   another path, which no lane takes, precedes a path
# wrap  side-effect-free statements of an annotated loop become a path of all lanes
# swap  two such statements without common registers are exchanged

BEGIN { srand(seed) }

# Whether the statement only computes, from registers into one register.
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
# A path that all lanes take (or none), around a statement. Its registers are declared at the function's head: a loop with labels
# inside braces, or declarations outside of such, would be left unchanged.
function path(line, all,   p, r) {
	number++
	p = "%emi_p" number
	r = "%emi_r" number
	print "\tmov.u32 " r ", %ntid.x;\n\tsetp.eq.u32 " p ", " r ", 0;"
	print "\t@" (all ? "" : "!") p " bra $EMI_" number ";"
	marker("begin", "if")
	if (all)
		print line
	for (k = 0; k < 20; k++)
		print "\tmad.lo.u32 " r ", " r ", " r ", " k ";"
	marker("end", "if")
	print "$EMI_" number ":"
}

{ text[NR] = $0 }

END {
	for (i = 1; i <= NR; i++) {
		if (text[i] ~ /\.(entry|func) /)
			head = 2
		if (head == 2 && text[i] ~ /\{/) # behind the parameters
			head = 1
		if (head == 1 && text[i] ~ /^[ \t]*\.reg /) {
			print "\t.reg .pred %emi_p<" NR ">;\n\t.reg .b32 %emi_r<" NR ">;"
			head = 0
		}
		if (text[i] ~ /\.ccc begin (for|for-var)? /)
			inside = 1
		if (text[i] ~ /\.ccc end (for|for-var)? /)
			inside = 0
		if (text[i] ~ /begin inline asm/ && text[i + 1] ~ /\.ccc begin if/ && !head && rand() < 0.5) {
			path("", 0)
			print text[i]
		} else if (inside && swaps(text[i], text[i + 1]) && rand() < 0.5) {
			print text[i + 1]
			print text[i]
			i++
		} else if (inside && !head && computes(text[i]) && rand() < 0.05) {
			# the branch skips it if the block has no threads
			path(text[i], 1)
		} else {
			print text[i]
		}
	}
}
