#!/bin/sh
# SPDX-License-Identifier: MIT
# site.sh: `make docs` builds the documentation's site, with its search, and refuses broken links. Needs mkdocs (docs/site.sh).
set -u
cd "$(dirname "$0")/.." || exit 2
part=site
. tests/t.sh

builds() {
	sh docs/site.sh "$tmp/docs"
	status=$?
	[ $status = 0 ] || return $status
	[ -s "$tmp/docs/site/docs/guide/first-kernel.html" ] && grep -q 'Your first kernel' "$tmp/docs/site/search/search_index.json"
}
# A copy of the pages with one more link.
refuses() { # refuses LINK
	rm -rf "$tmp/tree" && mkdir "$tmp/tree" && cp -r README.md HACKING.md CONTRIBUTING.md CHANGELOG.md LICENSE action.yml docs samples python bench .github "$tmp/tree" && cp --parents simt/sass/README.md "$tmp/tree" &&
		echo "[here]($1)" >>"$tmp/tree/README.md" &&
		! PATH="$tmp/docs/venv/bin:$PATH" sh "$tmp/tree/docs/site.sh" "$tmp/again" 2>"$tmp/err" && grep -F -e "$1" "$tmp/err"
}
t "make docs" builds
[ "$failed$skipped" = 00 ] || finish
t "a broken link" refuses docs/nowhere.md
anchors() { # mkdocs before 1.6 does not check them; tests/docs.sh does
	PATH="$tmp/docs/venv/bin:$PATH" mkdocs --version | grep -v 'version 1\.[0-5]\.' || return 77
	refuses docs/design.md#nowhere
}
t "a broken anchor" anchors
finish
