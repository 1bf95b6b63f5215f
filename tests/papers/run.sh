#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b] [NAME...]: the papers' listings as programs, and what the papers say about them (docs/measurements/papers.md). Each kernel of
# tests/papers/*.ptx runs on the emulator, original and transformed, the latter also under two random schedules: the memory must be
# the same, and the counts must fit the checks and the column "here" of docs/measurements/papers.md, which -b updates.
#
# Lines of NAME.cu, or of NAME.ptx if there is no NAME.cu:
#	// LAUNCH: KERNEL options of ptxrun
#	// OPTIONS: options of ptxccc
#	// CHECK: KERNEL condition       in awk's language, about its counts
#	// SAYS: text                    ptxccc's messages contain it
#	... // [A]                       a line whose counts the conditions use
#
# Counts: context, whole (bytes of a task, and without compression), warps, lanes (warp instructions, percentage of active lanes), warps_A, lanes_A (the same
# of line A); before_warps and so on are those of the original; KERNEL_warps those of a kernel further up.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
PTXCCC=${PTXCCC:-$B/bin/ptxccc} PTXRUN=$B/bin/ptxrun page=docs/measurements/papers.md
bless=false passed=0 failed=0
[ "${1:-}" != -b ] || { bless=true; shift; }
[ $# -gt 0 ] || set -- tests/papers/*.ptx
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
ok() { # WHAT STATUS [DETAILS]
	[ "$2" != 0 ] || { passed=$((passed + 1)); return; }
	failed=$((failed + 1))
	echo "FAIL papers $1"
	[ -z "${3:-}" ] || head -20 "$3" | cut -c 1-200 | sed 's/^/	/'
}
counts() { # PREFIX COUNTS LABELS: assignments
	awk -v p="$1" -v labels="$3" 'FILENAME == labels { label[$1] = $2; next }
		/^warp instructions:/ { print p "warps=" $3 ";" }
		/^warp execution/ { print p "lanes=" $4 ";" }
		/% / && match($0, /[^ ]*:[0-9]+( inlined| |$)/) {
			place = substr($0, RSTART, RLENGTH)
			sub(/ .*/, "", place)
			sub(/.*\//, "", place)
			if (!(place in label)) next
			n[label[place]] += $1
			lost[label[place]] += $5
		}
		END {
			for (i in label) { w[label[i]] }
			for (a in w) printf "%swarps_%s=%d; %slanes_%s=%.2f;\n", p, a, n[a], p, a, n[a] ? 100 - 100 * lost[a] / 32 / n[a] : 0
		}' "$3" "$2"
}
launch() { # NAME KERNEL OPTIONS
	name=$1 kernel=$2
	shift 2
	dir=$tmp/$name
	"$PTXRUN" "$dir/in.ptx" "$kernel" "$@" --counts --lines=cuda >"$dir/before" 2>"$dir/err" || { ok "$name $kernel: the original" 1 "$dir/err"; return; }
	"$PTXRUN" "$dir/out.ptx" "$kernel" "$@" --seeds 2 --counts --lines=cuda >"$dir/after" 2>"$dir/err"
	ok "$name $kernel" $? "$dir/err"
	grep '^arg' "$dir/before" >"$dir/want"
	grep '^arg' "$dir/after" >"$dir/got"
	diff "$dir/want" "$dir/got" >"$dir/diff"
	ok "$name $kernel: other memory" $? "$dir/diff"
	{
		counts before_ "$dir/before" "$dir/labels"
		counts "" "$dir/after" "$dir/labels"
		awk -v k="\"name\": \"$kernel\"" 'index($0, k) && /"transformed": true/ {
			if (match($0, /"context_bytes": [0-9]+/)) c += substr($0, RSTART + 17, RLENGTH - 17)
			if (match($0, /"uncompressed_bytes": [0-9]+/)) u += substr($0, RSTART + 22, RLENGTH - 22)
		} END { print "context=" c + 0 "; whole=" u + 0 ";" }' "$dir/report"
	} >"$dir/here"
	sed "s/\([a-z]*_*[a-zA-Z_0-9]*=\)/${kernel}_\1/g" "$dir/here" >>"$dir/all"
	sed -n "s|^// CHECK: $kernel ||p" "$dir/text" | while read -r condition; do
		awk "BEGIN { $(cat "$dir/all" "$dir/here"); exit !($condition) }" || echo "$condition"
	done >"$dir/wrong"
	if [ -s "$dir/wrong" ]; then tr '\n' ' ' <"$dir/here" >>"$dir/wrong"; fi
	! [ -s "$dir/wrong" ]
	ok "$name $kernel: the counts" $? "$dir/wrong"
	row "$name" "$kernel" "$(grep -q "^// CHECK: $kernel " "$dir/text" && echo 1 || echo 0)"
}
# The row of docs/measurements/papers.md that links NAME and names KERNEL contains the counts. A kernel with a check has a row.
row() { # NAME KERNEL CHECKED
	awk -v key="\`$2\`" -v link="papers/$1." -v bless=$bless -v out="$tmp/page" -v checked="$3" "BEGIN { $(cat "$tmp/$1/here") "'
		FS = OFS = "|" }
	function near(got, want, by) { return got - want <= by && want - got <= by }
	index($0, key) && index($0, link) {
		rows++
		if (match($4, /[0-9]+ to [0-9]+ %, [0-9.]+/)) {
			split(substr($4, RSTART, RLENGTH), w, " ")
			if (!near(w[1], before_lanes, 3.5) || !near(w[3], lanes, 3.5) ||
				!near(w[5], warps / before_warps, 0.035)) bad = 1
			text = sprintf("%.0f to %.0f %%, %.2f", before_lanes, lanes, warps / before_warps)
			sub(/[0-9]+ to [0-9]+ %, [0-9.]+/, text, $4)
		} else bad = 1
		if (context && match($4, /[0-9]+ bytes/)) {
			if (substr($4, RSTART, RLENGTH) + 0 != context) bad = 1
			sub(/[0-9]+ bytes/, context " bytes", $4)
		}
	}
	{ print >out }
	END {
		printf "%s: %d bytes, %.0f to %.0f %%, %.2f\n", key, context, before_lanes, lanes, warps / before_warps
		exit rows > 1 || rows < checked || (bad && bless != "true")
	}' "$page" >"$tmp/row"
	ok "$1 $2: the row of $page" $? "$tmp/row"
	if $bless; then cp "$tmp/page" "$page"; cat "$tmp/row"; fi
}

for file; do
	name=$(basename "$file" .ptx) text=tests/papers/$(basename "$file" .ptx).cu
	name=$(basename "$name" .cu) text=tests/papers/$name.cu
	dir=$tmp/$name
	mkdir "$dir"
	cp "tests/papers/$name.ptx" "$dir/in.ptx"
	[ -f "$text" ] || text=tests/papers/$name.ptx
	cp "$text" "$dir/text"
	: >"$dir/all"
	awk -v f="$(basename "$text")" 'match($0, /\/\/ \[[A-Za-z]+\]/) { print f ":" NR, substr($0, RSTART + 4, RLENGTH - 5) }' "$text" >"$dir/labels"
	awk -F '[ :]' -v lines="$(awk '/^\t[.]loc/ { print $3 }' "$dir/in.ptx" | tr '\n' ' ')" '!index(" " lines, " " $2 " ")' "$dir/labels" >"$dir/wrong"
	! [ -s "$dir/wrong" ]
	ok "$name: the PTX is older than the source" $? "$dir/wrong"
	# shellcheck disable=SC2046
	"$PTXCCC" --choose=first --validate -Werror=ccc-bug --report=json $(sed -n 's|^// OPTIONS: ||p' "$text") "$dir/in.ptx" \
		-o "$dir/out.ptx" >"$dir/report" 2>"$dir/err"
	ok "$name: ptxccc" $? "$dir/err"
	sed -n 's|^// SAYS: ||p' "$text" | while read -r says; do grep -q -F -e "$says" "$dir/err" || echo "$says"; done >"$dir/wrong"
	if [ -s "$dir/wrong" ]; then echo "instead of:" | cat - "$dir/err" >>"$dir/wrong"; fi
	! [ -s "$dir/wrong" ]
	ok "$name: the messages" $? "$dir/wrong"
	sed -n 's|^// LAUNCH: ||p' "$text" >"$dir/launches"
	while read -r kernel options; do
		# shellcheck disable=SC2086
		launch "$name" "$kernel" $options
	done <"$dir/launches"
done
echo "papers: $passed passed, $failed failed"
[ $failed = 0 ]
