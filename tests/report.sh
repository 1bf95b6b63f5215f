#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh: the output of ptxccc --report in each format, and its destination. tests/report/*.json are the expectations (-b
# rewrites them); tests/report/check.py checks the other formats if there is python3 (and yaml for LLVM remarks).
# tests/nvcc/report.sh checks builds.
set -u
cd "$(dirname "$0")/.." || exit 2
part=report
. tests/t.sh
ptxccc=${PTXCCC:-$PWD/build/bin/ptxccc}
bless=false
[ "${1:-}" != -b ] || bless=true

json() { # json NAME FILE OPTIONS...: only the report on standard output
	want=$PWD/tests/report/$1.json
	(cd "$(dirname "$2")" && "$ptxccc" --choose=first --validate "--report=json" -o "$tmp/o.ptx" ${3:-} "$(basename "$2")") >"$tmp/$1.all" 2>"$tmp/err" || return
	sed -E -f tests/estimates.sed "$tmp/$1.all" >"$tmp/$1.json"
	! $bless || cp "$tmp/$1.json" "$want"
	diff -u "$want" "$tmp/$1.json" && ! grep -q '"sites"' "$tmp/err"
}
one_stream() { # JSON and the result may not share one stream
	"$ptxccc" --choose=first --report=json samples/bfs.ptx >"$tmp/out" 2>"$tmp/err"
	[ $? = 2 ] && [ ! -s "$tmp/out" ] && grep -q 'say -o FILE, or --report=FILE.json' "$tmp/err" || return 1
	"$ptxccc" --choose=first --report=json -o - samples/bfs.ptx >"$tmp/out" 2>"$tmp/err"
	[ $? = 2 ] && [ ! -s "$tmp/out" ] && "$ptxccc" --choose=first --report=json --list samples/bfs.ptx | grep -q '"transformed": true'
}
file() { # file ENDING: the report goes there, the result to standard output, warnings to standard error
	rm -f "$tmp"/r.*
	"$ptxccc" --choose=first --report="$tmp/r$1" tests/golden/hand_kept.ptx >"$tmp/out.ptx" 2>"$tmp/err" || return
	cmp "$tmp/want.ptx" "$tmp/out.ptx" && grep -q 'warning: path left unchanged' "$tmp/err" && ! grep -q '  transformed, policy' "$tmp/err" &&
		{ grep -q 'left unchanged' "$tmp/r$1" || [ "$1" = .json ]; }
}
read_it() { # read_it ENDING SITES DONE
	command -v python3 >/dev/null 2>&1 || { echo "no python3"; return 77; }
	[ "$1" != .opt.yaml ] || python3 -c 'import yaml' 2>/dev/null || { echo "no yaml for python3"; return 77; }
	[ "$(python3 tests/report/check.py "$tmp/r$1" | tee "$tmp/n")" = "$2 $3" ] || { cat "$tmp/n"; return 1; }
}
ending() { for s in report.xml .json '' yaml; do "$ptxccc" --choose=first --report="$s" samples/bfs.ptx -o "$tmp/o" 2>/dev/null; [ $? = 2 ] || return 1; done; }
copies() { # four unrolled copies of a path have one row
	"$ptxccc" --choose=first --report="$tmp/copies.html" -o "$tmp/o.ptx" tests/golden/unrolled.ptx 2>/dev/null && grep -q '(4 sites)' "$tmp/copies.html" &&
		[ "$(sed '/<h2>/,$d' "$tmp/copies.html" | grep -c 'src/unrolled.cu:27')" = 1 ]
}
odd_names() { # odd names of files, in each format
	sed 's|"samples/bfs.cu"|"a=20b=22=3Cc=3E=25=26=5C.cu"|' samples/bfs.ptx >"$tmp/odd.ptx" &&
		for end in .json .sarif .opt.yaml .html; do
			"$ptxccc" --choose=first --report="$tmp/r$end" -o "$tmp/o.ptx" "$tmp/odd.ptx" || return
			read_it $end 1 1
			status=$?
			[ $status = 0 ] || [ $status = 77 ] || return 1
		done && grep -qF 'a%20b%22%3Cc%3E%25&%5C.cu' "$tmp/r.sarif" && grep -qF 'a b&#34;&#60;c&#62;%&#38;\.cu' "$tmp/r.html"
}

"$ptxccc" --choose=first tests/golden/hand_kept.ptx >"$tmp/want.ptx" 2>/dev/null
t "json of paths" json hand_kept tests/golden/hand_kept.ptx
t "json of task loops" json task_text tests/golden/task_text.ptx --sms=3
t "json of branches" json arms tests/golden/arms.ptx
t "json beside the result" one_stream
for end in .txt .json .sarif .opt.yaml .html; do
	t "FILE$end" file $end
	[ $end = .txt ] || t "FILE$end is read" read_it $end 7 1
done
in_text() { # the paths that fit: the most expensive ones, or the first ones
	for say in "60 " "62 --no-costliest"; do
		"$ptxccc" --choose=first ${say#* } -o "$tmp/o.ptx" tests/golden/switch.ptx 2>"$tmp/err" || return
		[ "$(sed -n 's/^src.switch.cu:\([0-9]*\): warning: path .* paths leave 0 .*/\1/p' "$tmp/err")" = "${say%% *}" ] || return
	done
}
t "costliest first, or not" in_text
gain() { # the expected gain is in all formats, also for a loop that was left unchanged because of it
	for end in .txt .json .sarif .opt.yaml .html; do "$ptxccc" --report="$tmp/g$end" -o "$tmp/o.ptx" samples/bfs.ptx || return; done
	grep -q "^  expected: unclear, profile it: gains if at most [0-9]* of 32 lanes need it (assumed: [0-9]* issue slots an iteration instead of [0-9]*)$" "$tmp/g.txt" &&
		grep -q "\"gains_if\": \"at most [0-9]* of 32 lanes need it\"" "$tmp/g.json" &&
		grep -q '"slots_before": [0-9]*, "slots": [0-9]*, "expected_percent": 1[0-9][0-9], "expected_least_percent": 100' "$tmp/g.json" &&
		grep -q 'gain unclear without a profile' "$tmp/g.sarif" && grep -q '"expected_percent": 1' "$tmp/g.sarif" && grep -q "ExpectedPercent: '1[0-9][0-9]'" "$tmp/g.opt.yaml" &&
		grep -q '<br>expected: unclear, profile it: ' "$tmp/g.html" && "$ptxccc" --retreat=never --list --report=json tests/golden/hand_nor_expand.ptx >"$tmp/left.json" 2>/dev/null &&
		grep -q '"transformed": false.*"expected_percent": [0-9]*.*"diagnostic": "ccc-no-gain"' "$tmp/left.json"
}
t "other endings" ending
t "expected gain" gain
t "odd names" odd_names
t "copies" copies
finish
