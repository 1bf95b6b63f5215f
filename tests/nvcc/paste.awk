# SPDX-License-Identifier: MIT
# paste.awk: applies the N-th advice of cccnvcc --ccc-suggest as literally as a programmer would.
#
#	awk -v only=N -f paste.awk ADVICE >PLAN         lines FILE LINE COLUMN over|under TEXT; N 0: prints the number of advices
#	awk -v of=FILE -f paste.awk PLAN FILE           the file with these lines inserted; column 0: above or below the line
function number_after(s, word) { return match(s, word " [0-9]+") ? substr(s, RSTART + length(word) + 1) + 0 : 0 }
function quoted(s) { sub(/^[^']*'/, "", s); sub(/'.*/, "", s); return s }
function plan(s, file, line) {
	if (s ~ /over it/)
		print file, line, 0, "over", quoted(s)
	else
		print (s ~ / of [^ ]+[.][a-z]+$/ ? substr(s, match(s, /[^ ]+$/)) : file), number_after(s, "line"), number_after(s, "column"), "over", quoted(s)
}
of == "" && /^ *[0-9.]+% / {
	site = $0
	sub(/^.*(x|unclear|none)  /, "", site)
	sub(/[,:] .*/, "", site)
	file = line = site
	sub(/:[0-9]+$/, "", file)
	sub(/^.*:/, "", line)
}
of == "" && /^ *to do: '#pragma/ && ++n == only {
	cut = index($0, ", and '#pragma")
	inner = substr($0, 1, cut - 1)
	if (match(inner, / and '\{' over line [0-9]+, '\}' under line [0-9]+/)) {
		block = substr(inner, RSTART)
		print file, number_after(block, "over line"), 0, "over", quoted(inner)
		print file, number_after(block, "over line"), 0, "over", "{"
		print file, number_after(block, "under line"), 0, "under", "}"
	} else
		plan(inner, file, line)
	outer = substr($0, cut + 6)
	sub(/over the loop around it, /, "", outer)
	plan(outer, file, 0)
}
of != "" && FNR == NR {
	if ($1 != of) next
	text = $0
	sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "", text)
	if ($3) { column[$2] = $3; inside[$2] = text }
	else put[$2 $4] = put[$2 $4] text "\n"
	next
}
of != "" {
	printf "%s", put[FNR "over"]
	if (FNR in column)
		print substr($0, 1, column[FNR] - 1) "\n" inside[FNR] "\n" substr($0, column[FNR])
	else
		print
	printf "%s", put[FNR "under"]
}
END { if (of == "" && !only) print n + 0 }
