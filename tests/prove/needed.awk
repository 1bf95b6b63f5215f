# SPDX-License-Identifier: MIT
# needed.awk: checks that each line of the templates is needed by a lemma (see run.sh).
#
#	awk -f needed.awk -v needed=FILE [-v table=1] spared TEMPLATE...       needed: lines of TEMPLATE LINE LEMMA...
#
# `spared` has a row for each section with lines that no lemma needs: TEMPLATE SECTION NUMBER REASON. NUMBER must be exactly the number
# of those lines, so a line that is added to a template needs a lemma or a reason. Barriers and fences are not counted, since no lemma
# is about the order of accesses of different lanes. With table=1, prints for each section how many of its lines are needed, and by which lemmas.

BEGIN {
	while ((getline l < needed) > 0) {
		n = split(l, f, " ")
		for (i = 3; i <= n; i++) by[f[1], f[2]] = by[f[1], f[2]] " " f[i]
	}
}
FNR == NR {
	if (!/^#/ && NF) spared[$1, $2] = $3
	next
}
FNR == 1 {
	n = split(FILENAME, f, "/")
	file = f[n]
	section = ""
}
/^=== / {
	section = $2
	if (!((file, section) in all)) order[++norder] = file SUBSEP section
	all[file, section] += 0
	next
}
{
	sub(/[ \t]*#.*/, "")
}
section != "" && /;/ && $1 !~ /^(bar(rier)?[.](warp[.])?sync|membar)/ && ($1 ~ /^@/ || $1 ~ /^[a-z]/) {
	all[file, section]++
	if (!((file, FNR) in by)) { left[file, section]++; which[file, section] = which[file, section] " " FNR; next }
	for (i = split(by[file, FNR], f, " "); i > 0; i--)
		if (!((file, section, f[i]) in named)) {
			named[file, section, f[i]] = 1
			names[file, section] = names[file, section] " " f[i]
		}
}
END {
	for (i = 1; i <= norder; i++) {
		split(order[i], f, SUBSEP)
		k = f[1] SUBSEP f[2]
		if (table && all[k]) printf "%s %s: %d of %d:%s\n", f[1], f[2], all[k] - left[k], all[k], names[k]
		else if (!table && left[k] + 0 != spared[k] + 0)
			printf "FAIL prove %s, section %s: no lemma needs %d of its lines, not %d:%s\n", f[1], f[2], left[k], spared[k], which[k]
		delete spared[k]
	}
	for (k in spared) { split(k, f, SUBSEP); printf "FAIL prove spared: %s has no section %s\n", f[1], f[2] }
}
