#!/bin/sh
# SPDX-License-Identifier: MIT
# pages.sh: the pages of ptxrun --html, ptxccc --report=FILE.html and --explain in a headless browser, where tests/report/probe.js
# measures what a reader sees. Needs chromium, but not nvcc; tests/nvcc/report.sh checks the page of a build.
set -u
cd "$(dirname "$0")/.." || exit 2
part=pages
. tests/t.sh
bin=${BIN:-$PWD/build/bin}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no browser"; skip_all; }

# Writes the probe's measurements of $tmp/PAGE.html to $tmp/facts.
probe() { # probe PAGE [OPTION OF THE BROWSER]...
	page=$1
	shift
	{ sed '/^<\/body>$/,$d' "$tmp/$page.html" && echo '<script>' && cat tests/report/probe.js && echo '</script></body></html>'; } >"$tmp/probed.html"
	HOME=$tmp timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --window-size=1100,900 "$@" \
		--dump-dom "file://$tmp/probed.html" >"$tmp/dom" 2>"$tmp/err"
	sed -n '/<pre id="probe">/,/<\/pre>/p' "$tmp/dom" | sed '1d;$d;s/&lt;/</g;s/&gt;/>/g;s/&nbsp;/\xc2\xa0/g;s/&amp;/\&/g' >"$tmp/facts"
	[ -s "$tmp/facts" ] || { tail -5 "$tmp/err"; return 1; }
}
fact() { sed -n "s/^$1 //p" "$tmp/facts"; }

# ---- lines: a source that has all that a page could stumble on --------------------------------------------------------------
lines() {
	mkdir "$tmp/lines" && cp tests/simt/lines.ptx "$tmp/lines" && sed '8,$d' tests/simt/lines.cu >"$tmp/lines/lines.cu" &&
		printf '{ // </pre><script>document.title = "bad"</script> &lt; "quoted" %s\n' "$(head -c 600 /dev/zero | tr '\0' x)" >>"$tmp/lines/lines.cu" &&
		sed -n '9,$p' tests/simt/lines.cu >>"$tmp/lines/lines.cu" &&
		(cd "$tmp/lines" && "$bin/ptxrun" lines.ptx _Z1kPi --arg buf:1024 --quiet --html=../lines.html &&
			"$bin/ptxrun" lines.ptx _Z1kPi --arg buf:1024 --quiet --lines=cuda >table) && probe lines
}
# Per line, the numbers of the table by line and by inlining place; bars are proportional to their numbers, and short ones have another colour.
bars() {
	sed -n 's/^ *\([0-9][0-9]*\)  *[0-9.]*%  *\([0-9.]*\)% .*  lines.cu:\([0-9]*\) .*/\3 \1 \2/p' "$tmp/lines/table" | awk '
		{ w[$1] += $2; t[$1] += $2 * $3 * 0.32; all += $2 }
		END { for (n in w) printf "%d %.1f %.0f %.1f %.0f %s\n", n, 100 * w[n] / all, 100 * w[n] / all, t[n] / w[n], 100 * t[n] / w[n] / 32, t[n] / w[n] < 16 ? "few" : "many" }' |
		sort -n >"$tmp/want"
	fact cost >"$tmp/got"
	[ "$(wc -l <"$tmp/want")" = 7 ] && cat "$tmp/want" "$tmp/got" && awk '
		NR == FNR { want[FNR] = $0; n = FNR; next }
		{ split(want[FNR], w); for (k = 1; k < 6; k++) { d = w[k] - $k; if (d > 1 || d < -1) exit bad = 1 } if (w[6] != $6 || w[1] != $1) exit bad = 1 }
		END { exit bad || FNR != n }' "$tmp/want" "$tmp/got"
}
# Each line of the source equals that of the file.
source_of() { # source_of FILE
	awk '{ print NR ":" $0 }' "$1" >"$tmp/numbered" && fact source >"$tmp/got" && [ -s "$tmp/got" ] && ! grep -vxFf "$tmp/numbered" "$tmp/got"
}
whole() { [ "$(fact source | wc -l)" = 14 ] && source_of "$tmp/lines/lines.cu"; }
inert() { [ "$(fact scripts)" = "${2:-1} $1" ] || { fact scripts; return 1; }; }
# In a narrow window and on a dark screen as well, nothing is cut off and nothing is too pale to read.
seen() { [ "$(fact wide) $(fact broken) $(fact pale) $(fact dark)" = "false 0 0 $1" ] || { grep -e '^wide' -e '^broken' -e '^pale' -e '^dark' "$tmp/facts"; return 1; }; }
narrow() { probe "$1" --window-size=520,900 && seen false; }
dark() { probe "$1" --blink-settings=preferredColorScheme=0 && seen true; }

# ---- a report: sites behind their lines, what was left apart from what was done ------------------------------------------------
report() { # report PTX FILE
	"$bin/ptxccc" --choose=first --report="$tmp/$2.html" -o "$tmp/o.ptx" "$1" 2>/dev/null && probe "$2"
}
sites() { # sites SITES DONE
	fact listed | cut -d ' ' -f 1,2 | sort >"$tmp/want"
	fact site | cut -d ' ' -f 1,2 | sort >"$tmp/got"
	diff "$tmp/want" "$tmp/got" && [ "$(wc -l <"$tmp/got")" = "$1" ] && [ "$(grep -c ' done$' "$tmp/got")" = "$2" ] &&
		! fact site | grep -v ' true true$' && [ "$(fact listed | cut -d ' ' -f 2- | sort -u | wc -l)" = "$(fact listed | cut -d ' ' -f 2 | sort -u | wc -l)" ]
}

# ---- --explain: each region is marked on both sides, and only while it is pointed at or clicked ------------------------------
explain() { "$bin/ptxccc" --choose=first --explain="$tmp/explain.html" -o "$tmp/o.ptx" samples/bfs.ptx 2>/dev/null && probe explain && inert 'ptxccc: samples/bfs.ptx' 2; }
lit() {
	fact lit >"$tmp/got" && [ "$(wc -l <"$tmp/got")" = 5 ] && [ "$(cut -d ' ' -f 1 "$tmp/got" | tr '\n' ' ')" = 'loop branch path post label ' ] &&
		awk '!($2 > 0 && $3 > 0 && $4 == "true" && $5 == ($1 != "label")) { print; bad = 1 } $1 == "branch" && $2 != 1 { bad = 1 } END { exit bad }' "$tmp/got" &&
		[ "$(fact dim | sort -u)" = 0 ] || { cat "$tmp/got"; return 1; }
}

t "lines" lines
t "lines: bars" bars
t "lines: the source" whole
t "lines: markup in the source" inert _Z1kPi
t "lines: all is seen" seen false
t "lines: a narrow window" narrow lines
t "lines: a dark screen" dark lines
t "report" report samples/bfs.ptx bfs
t "report: sites" sites 1 1
t "report: the source" source_of samples/bfs.cu
t "report: all is seen" seen false
t "report: a narrow window" narrow bfs
t "report: a dark screen" dark bfs
t "report of sites left unchanged" report tests/golden/hand_kept.ptx kept
t "report of sites left unchanged: sites" sites 7 1
t "report of sites left unchanged: all is visible" seen false
t "explain" explain
t "explain: highlighting" lit
t "explain: all is seen" seen false
t "explain: a narrow window" narrow explain
t "explain: a dark screen" dark explain
finish
