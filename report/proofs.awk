# SPDX-License-Identifier: MIT
# proofs.awk PAGE...: the invariants of docs/proofs/ as rows PROOF("C5", "collect.md", "text") for report/explain.c.

function quoted(s) { gsub(/["\\]/, "\\\\&", s); return "\"" s "\"" }

/^\*\*[A-Z][0-9]+\. / { name = substr($1, 3); sub(/\.$/, "", name); text = ""; open = 1; $0 = substr($0, index($0, " ") + 1) }
open {
	closed = index($0, "**")
	text = text (text == "" ? "" : " ") (closed ? substr($0, 1, closed - 1) : $0)
	if (closed) {
		gsub(/`/, "", text)
		page = FILENAME
		sub(/.*\//, "", page)
		printf "PROOF(%s, %s, %s)\n", quoted(name), quoted(page), quoted(text)
		open = 0
	}
}
