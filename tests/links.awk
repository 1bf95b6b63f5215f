# SPDX-License-Identifier: MIT
# links.awk FILE.md...: the links of documents that name no file of the list, with an anchor that is no heading of it. Other files and
# folders are for the caller: "? FILE:LINE TARGET PATH". Headings become anchors as on GitHub.
function anchor(s) {
	gsub(/`|\*|\[|\]\([^)]*\)/, "", s)
	s = tolower(s)
	gsub(/[^a-z0-9 _-]/, "", s)
	gsub(/ /, "-", s)
	return s
}
FNR == 1 { code = 0; files[FILENAME] = 1 }
/^```/ { code = !code }
code || /^    / { next }
/^#+ / { s = $0; sub(/^#+ +/, "", s); anchors[FILENAME "#" anchor(s)] = 1 }
{
	line = $0
	gsub(/`[^`]*`/, "", line)
	while (match(line, /\]\([^) ]*\)/)) {
		to = substr(line, RSTART + 2, RLENGTH - 3)
		line = substr(line, RSTART + RLENGTH)
		if (to !~ /^https?:/) { n++; from[n] = FILENAME; where[n] = FILENAME ":" FNR; target[n] = to }
	}
}
END {
	for (i = 1; i <= n; i++) {
		split(target[i] "#", part, "#")
		path = from[i]
		if (part[1] != "") {
			if (!sub(/[^\/]*$/, "", path)) path = ""
			path = path part[1]
			while (sub(/[^\/]+\/\.\.\//, "", path)) { }
		}
		if (!(path in files)) print "? " where[i] " " target[i] " " path
		else if (part[2] != "" && !((path "#" part[2]) in anchors)) print where[i] " " target[i]
	}
	if (n < 100) print "only " n + 0 " links were found"
}
