#!/bin/sh
# SPDX-License-Identifier: MIT
# site.sh [FOLDER]: builds the documentation as a static site with search, in FOLDER/site (build/docs). `make docs` runs it.
# A broken link or anchor is an error (anchors: from mkdocs 1.6 on). Takes mkdocs from PATH, or else from PyPI, into a virtual
# environment in FOLDER. Exit status 77: there is no mkdocs. The pages keep the places that they have in the tree, so that their links work in both.
set -eu
cd "$(dirname "$0")/.."
to=${1:-build/docs}
mkdir -p "$to"
mkdocs=$(command -v mkdocs || :)
[ -n "$mkdocs" ] || mkdocs=$to/venv/bin/mkdocs
[ -x "$mkdocs" ] || { rm -rf "$to/venv" && python3 -m venv "$to/venv" && "$to/venv/bin/pip" -q install mkdocs; } || {
	echo "site.sh: no mkdocs: apt-get install mkdocs, or python3-venv and access to PyPI" >&2
	exit 77
}

rm -rf "$to/pages" "$to/site"
linked() { grep -o -h '](\([^)#]*\)[)#]' "$1" | sed 's/^](//; s/[)#]$//' | grep -v '^https*:' | sed "s|^|$(dirname "$1")/|"; }
pages="README.md HACKING.md CONTRIBUTING.md CHANGELOG.md simt/sass/README.md samples/README.md python/README.md bench/README.md
$(find docs -name '*.md')"
for page in $pages; do
	mkdir -p "$to/pages/$(dirname "$page")"
	# Python's Markdown needs an empty line before a list, also after code.
	awk '/^(- |[0-9]+\. )/ && last != "" && (last ~ /^     / || last !~ /^(- |[0-9]+\. |  )/) { print "" } { print; last = $0 }' "$page" >"$to/pages/$page"
done
# The files, other than pages, that pages link.
for page in $pages; do linked "$page"; done | sort -u | while read -r file; do
	[ -f "$file" ] || continue
	file=$(realpath --relative-to=. "$file")
	case $file in *.md) continue ;; esac
	mkdir -p "$to/pages/$(dirname "$file")" && cp "$file" "$to/pages/$file"
done
nav=
if command -v mandoc >/dev/null; then
	for manual in docs/*.[1-9]; do
		name=${manual#docs/}
		{ printf '# %s\n\n' "${name%.*}(${name##*.})" && mandoc -T html -O fragment "$manual" | grep -v '^$'; } >"$to/pages/$manual.md"
		nav="$nav      - ${name%.*}(${name##*.}): $manual.md\\n"
	done
fi
cp docs/site.css "$to/pages"
sed "s|^ *# manual pages\$|$nav|" docs/mkdocs.yml >"$to/mkdocs.yml"
if "$mkdocs" --version | grep -q 'version 1\.[0-5]\.'; then # these do not know all of it
	sed -i '/^validation:$/d; /^  [a-z_]*links: /d; /^  omitted_files: /d; /^  anchors: /d' "$to/mkdocs.yml"
fi
case $mkdocs in /*) ;; *) mkdocs=$PWD/$mkdocs ;; esac
(cd "$to" && NO_MKDOCS_2_WARNING=1 "$mkdocs" build --strict) >"$to/log" 2>&1 || { grep -v '^INFO' "$to/log" >&2; exit 1; }
echo "$to/site/index.html"
