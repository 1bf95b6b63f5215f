#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh: the commands of docs/guide/ work as they are written. The fenced `sh` blocks of a page are one script, which runs in an
# empty folder with ~/ptxccc as this tree. A `text` block directly after one is output: each of its lines must occur in
# what the script printed up to there, except for numbers and folders. Then the commands of the README's table that name prog.cu or
# in.ptx. Needs nvcc. Also the sizes of the README and the first page.
set -u
cd "$(dirname "$0")/.." || exit 2
part=guide
. tests/t.sh
. tests/cuda.sh
B=${B:-build} here=$PWD

short() { # short FILE LINES WORDS
	[ "$(wc -l <"$1")" -le "$2" ] && [ "$(wc -w <"$1")" -le "$3" ] || { wc -lw "$1"; return 1; }
}
# The script of a page; at the end of each block it says so. Lines of text blocks go to the file `want`, after the number of the block.
script() { # script PAGE
	awk -v root="$PWD" -v want="$tmp/want" '
		/^```sh$/ { sh = 1; n++; after = 0; next }
		/^```text$/ && after { text = 1; next }
		/^```$/ { if (sh) { print "echo END-OF-BLOCK-" n; after = 1 } sh = text = 0; next }
		sh { gsub(/~\/ptxccc/, root); print; next }
		text { print n "\t" $0 >want; next }
		{ after = 0 }' "$1"
}
mask() { sed 's| /[^ :]*/| |g; s/[0-9][0-9.]*/N/g; s/  */ /g'; }
runs() { # runs PAGE
	rm -rf "$tmp/page" && mkdir "$tmp/page" && : >"$tmp/want" && script "$1" >"$tmp/script" && [ -s "$tmp/script" ] || return 1
	(cd "$tmp/page" && PATH=$(dirname "$nvcc"):$PATH timeout 600 bash -e "$tmp/script") >"$tmp/said" 2>&1 || { tail -20 "$tmp/said"; return 1; }
	while IFS=$(printf '\t') read -r block line; do
		sed "/^END-OF-BLOCK-$block\$/q" "$tmp/said" | mask | grep -q -F -e "$(echo "$line" | mask)" ||
			{ echo "block $block of $1 did not print: $line"; return 1; }
	done <"$tmp/want"
}
# The README's commands, with a small program. The table's commands contain no vertical bars.
readme() {
	grep -o '^| [^|]* | `[^`]*\(prog\.cu\|in\.ptx\)[^`]*`' README.md | sed 's/^[^`]*`//; s/`$//' >"$tmp/commands"
	[ "$(wc -l <"$tmp/commands")" -ge 3 ] || return 1
	rm -rf "$tmp/page" && mkdir "$tmp/page" && sed 's/1u << 22/4096/' samples/primes.cu >"$tmp/page/prog.cu" && cp samples/bfs.ptx "$tmp/page/in.ptx"
	while IFS= read -r command; do
		(cd "$tmp/page" && PATH=$here/$B/bin:$(dirname "$nvcc"):$PATH timeout 300 sh -e -c "$command") </dev/null || { echo "$command"; return 1; }
	done <"$tmp/commands"
	[ -s "$tmp/page/lines.html" ] && [ -s "$tmp/page/out.ptx" ]
}
# The test itself: a command that fails, and output that is not printed, are noticed.
notices() {
	printf '```sh\nfalse\n```\n' >"$tmp/fails.md" && ! runs "$tmp/fails.md" &&
		printf '```sh\necho one 1\n```\n```text\ntwo 2\n```\n' >"$tmp/lies.md" && ! runs "$tmp/lies.md" &&
		printf '```sh\necho one 1\n```\n```text\none 2\n```\n' >"$tmp/right.md" && runs "$tmp/right.md"
}

t "README.md is short" short README.md 120 1000
t "the first page is short" short docs/guide/first-kernel.md 60 600
[ -n "$nvcc" ] || { skipped=$((skipped + 9)); echo "guide: no nvcc"; finish; }
t "faults are noticed" notices
t "the README's commands" readme
for page in docs/guide/*.md; do
	grep -q '^```sh$' "$page" || { failed=$((failed + 1)); echo "FAIL guide $page: no commands"; continue; }
	t "$page" runs "$page"
done
finish
