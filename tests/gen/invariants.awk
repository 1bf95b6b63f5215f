# SPDX-License-Identifier: MIT
# invariants.awk TEMPLATE...: the invariants of docs/proofs/ that the lines of templates cite (template.h), one citation per line:
# invariant, place, line.
{
	code = $0
	if (!match(code, /(^|[ \t])# [CDPRTWX][0-9]+(, [CDPRTWX][0-9]+)*(:| #|$)/))
		next
	cited = substr(code, RSTART, RLENGTH)
	code = substr(code, 1, RSTART - 1)
	gsub(/[ \t]+/, " ", code)
	gsub(/^ | $/, "", code)
	gsub(/[^CDPRTWX0-9]+/, " ", cited)
	n = split(cited, id, " ")
	file = FILENAME
	sub(/.*\//, "", file)
	for (i = 1; i <= n; i++)
		print id[i], file ":" FNR, code
}
