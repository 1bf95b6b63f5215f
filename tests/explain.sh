#!/bin/sh
# SPDX-License-Identifier: MIT
# explain.sh: the page of ptxccc --explain=FILE.html: structure, escaped names, sites that were left unchanged, and whether each row
# shows a line of the input or the output and names its true source. tests/explain.awk reads the rows. tests/pages.sh shows the page
# to a browser.
set -u
cd "$(dirname "$0")/.." || exit 2
part=explain
. tests/t.sh
ptxccc=${PTXCCC:-$PWD/build/bin/ptxccc}

explain() { # explain FILE OPTION...: the page and the result, which is the same as without the page
	file=$1
	shift
	rm -f "$tmp"/p.html "$tmp"/out.ptx
	"$ptxccc" "$@" --explain="$tmp/p.html" "$file" -o "$tmp/out.ptx" 2>/dev/null && "$ptxccc" "$@" "$file" -o "$tmp/want.ptx" 2>/dev/null &&
		cmp "$tmp/want.ptx" "$tmp/out.ptx" && [ -s "$tmp/p.html" ]
}
count() { # count N PATTERN: lines of the page
	[ "$(grep -c -e "$2" "$tmp/p.html")" = "$1" ] || { echo "$2: not $1 but $(grep -c -e "$2" "$tmp/p.html")"; return 1; }
}
# Each row has the text of its line of the file. A copy has the opcode of the line that it names; a line of a template has that of the
# template's line. There are at least COPIES copies and BY lines from templates.
rows() { # rows FILE COPIES BY OPTION...
	file=$1 copies=$2 by=$3
	shift 3
	explain "$file" "$@" && awk -v in_file="$file" -v out_file="$tmp/out.ptx" -v copies="$copies" -v by="$by" \
		-f tests/explain.awk transform/*/*.tpl "$tmp/p.html"
}

texts() { sed -n "/<th colspan=\"2\">$1/,/<\/table>/s/.*<td><pre>\(.*\)<\/pre>.*/\1/p" "$tmp/p.html"; } # texts SIDE: its lines
site() { # a transformed loop: its regions, its plan, its output
	explain samples/bfs.ptx --choose=first && count 1 '<section class="function">' && count 1 '<div class="told done">' && count 0 'told left' &&
		count 1 '<button class="role loop" ' && count 1 '<button class="role branch" ' && count 1 '<button class="role path" ' &&
		count 1 '<button class="role post-dominator" ' && count 1 'The plan in detail' && grep -q 'is saved: ' "$tmp/p.html" &&
		grep -q '^<tr class="label new " .*<pre>$ccc1_vote:</pre>' "$tmp/p.html" &&
		grep -q '<abbr title="0 &#60;= top &#60; size at every vote[^"]* (docs/proofs/collect.md)">C5</abbr>' "$tmp/p.html"
}
# The part that is highlighted with the path: the lines between its markers.
path_lines() {
	number=$(sed -n 's/.*<button class="role path" data-show="r\([0-9]*\)".*/\1/p' "$tmp/p.html")
	sed -n '/<th colspan="2">Input/,/<\/table>/p' "$tmp/p.html" | grep -E " data-r=\"([0-9 ]* )?$number( [0-9 ]*)?\"" |
		sed 's/.* data-l="\([0-9]*\)".*/\1/' >"$tmp/got"
	first=$(grep -n 'ccc begin if' samples/bfs.ptx | cut -d: -f1) last=$(grep -n 'ccc end if' samples/bfs.ptx | cut -d: -f1)
	[ "$(grep -c . "$tmp/got")" -gt 10 ] && [ "$(head -1 "$tmp/got")" = $((first - 1)) ] &&
		[ "$(tail -1 "$tmp/got")" -lt "$last" ] && [ "$(tail -1 "$tmp/got")" -gt $((last - 5)) ]
}
refused() { # refused: the reason, the remedy, and the original on both sides
	explain tests/golden/grid_stride.ptx && cmp -s tests/golden/grid_stride.ptx "$tmp/out.ptx" && count 1 '<div class="told left">' &&
		grep -q 'left unchanged: the expected gain is too small' "$tmp/p.html" && grep -q 'What to do:</b> to transform it anyway, write .*policy(ahead(32))' "$tmp/p.html" &&
		grep -q '<code>ahead(32)</code></td><td>[0-9]*</td><td>[0-9]*</td><td>[0-9.]*&times;' "$tmp/p.html" && count 1 'role path' && count 0 'class="[a-z ]*new ' &&
		texts Input >"$tmp/in" && texts Output >"$tmp/got" && [ "$(wc -l <"$tmp/in")" -gt 30 ] && cmp "$tmp/in" "$tmp/got"
}
none() { # no site, no function
	sed '/ccc \(begin\|end\)/d' tests/golden/grid_stride.ptx >"$tmp/none.ptx" && explain "$tmp/none.ptx" && count 0 '<section' &&
		grep -q 'No function has an annotation' "$tmp/p.html"
}
again() { # no result of an earlier run remains
	"$ptxccc" --choose=first samples/bfs.ptx -o "$tmp/done.ptx" 2>/dev/null && explain "$tmp/done.ptx" && grep -q 'No function has an annotation' "$tmp/p.html"
}
functions() { # functions, each with its outcome: left unchanged and transformed
	explain tests/golden/hand_kept.ptx --choose=first && count 7 '<section class="function">' && count 7 '<h2><code>' && count 1 'told done' &&
		count 6 'told left' && [ "$(sed -n 's/^<h2><code>\(.*\)<.code>.*/\1/p' "$tmp/p.html")" = \
		"$(sed -n 's/.*\.entry \([a-z_0-9]*\)(.*/\1/p' tests/golden/hand_kept.ptx)" ]
}
odd_names() { # odd names of files and in comments of the text
	sed -e 's|"samples/bfs.cu"|"a=20b=22=3Cc=3E=25=26=5C.cu"|' -e 's|^\(.*setp.*;\)|\1 // <b>\&amp; "</pre><script>|' samples/bfs.ptx \
		>"$tmp/<i>&odd.ptx" && explain "$tmp/<i>&odd.ptx" --choose=first && grep -qF 'annotated at a b&#34;&#60;c&#62;%&#38;\.cu:' "$tmp/p.html" &&
		grep -qF '&#60;i&#62;&#38;odd.ptx</h1>' "$tmp/p.html" && grep -qF '// &#60;b&#62;&#38;amp; &#34;&#60;/pre&#62;&#60;script&#62;' "$tmp/p.html" &&
		count 1 '<script' && count 0 '<b>&amp' && count 0 '<i>'
}
like_ours() { # comments that resemble those that record sources while text is written: they are kept, and name nothing
	sed 's|setp.*;|& /*@ccc S999999999@*/ /*@ccc T */ /*@ccc */|' samples/bfs.ptx >"$tmp/like.ptx" && explain "$tmp/like.ptx" --choose=first &&
		[ "$(grep -c '/[*]@ccc S999999999@[*]/ /[*]@ccc T [*]/' "$tmp/out.ptx")" -ge "$(grep -c '@ccc S' "$tmp/like.ptx")" ] &&
		awk -v in_file="$tmp/like.ptx" -v out_file="$tmp/out.ptx" -v copies=0 -v by=0 -f tests/explain.awk "$tmp/p.html"
}
self_contained() { explain samples/bfs.ptx && ! grep -qE '(src|href)=|@import|url\(|https?:' "$tmp/p.html"; }
valid() { # valid FILE OPTION...: python's parser finds the elements nested and closed, and each data-show has a target
	command -v python3 >/dev/null 2>&1 || { echo "no python3"; return 77; }
	explain "$@" && python3 tests/explain.py "$tmp/p.html"
}
usage() { # usage OPTION...: no page, exit status 2
	rm -f "$tmp/p.html"
	(cd "$tmp" && "$ptxccc" "$@" -o o.ptx "$OLDPWD/samples/bfs.ptx" 2>err)
	[ $? = 2 ] && [ ! -e "$tmp/p.html" ] && [ ! -e "$tmp/html" ] && grep -q "ptxccc: .*$word" "$tmp/err"
}
unwritten() { # no file is written if the page cannot be
	rm -f "$tmp/o.ptx"
	"$ptxccc" --explain="$tmp/no/p.html" samples/bfs.ptx -o "$tmp/o.ptx" 2>"$tmp/err"
	[ $? = 2 ] && [ ! -e "$tmp/o.ptx" ] && grep -q "cannot write '.*/no/p.html'" "$tmp/err"
}

t "a transformed loop" site
t "the path's lines" path_lines
t "a loop left unchanged" refused
t "no annotation" none
t "transformed before" again
t "several functions" functions
t "odd names" odd_names
t "comments like ours" like_ours
t "self-contained" self_contained
t "rows: stack" rows samples/bfs.ptx 40 60 --policy=stack
t "rows: queue" rows samples/bfs.ptx 40 60 "--policy=queue(4)" --choose=always --occupancy=ignore
t "rows: wait" rows samples/bfs.ptx 40 40 "--policy=wait(16)"
t "rows: ahead" rows tests/golden/text_ahead.ptx 20 40 --choose=first
t "rows: a task loop" rows tests/golden/task_text.ptx 10 60 --choose=first
t "rows: melded arms" rows tests/golden/arms.ptx 0 0 --choose=first
t "rows: a remapped branch" rows tests/golden/remap.ptx 0 0 --choose=first
t "valid" valid samples/bfs.ptx --choose=first
t "valid: several functions" valid tests/golden/hand_kept.ptx
t "valid: no annotation" valid "$tmp/none.ptx"
word=p.txt t "not a page" usage --explain=p.txt
word=html t "no file" usage --explain=html
word=p.html t "nothing transformed" usage --explain=p.html --profile-generate
word=p.html t "a dump" usage --explain=p.html --dump=cfg
t "a file that cannot be written" unwritten
finish
