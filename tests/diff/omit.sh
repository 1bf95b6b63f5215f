#!/bin/sh
# SPDX-License-Identifier: MIT
# omit.sh [TEMPLATE:LINE...]: mutation test of recursion.tpl and cancel.tpl, which random kernels do not reach. Each line that
# emits text is omitted once, without the validator: ptxccc must fail, or a kernel must end with other memory or with a fault. A line
# marked CANNOT must not be noticed. With the validator, no line of cancel.tpl may be missing.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
passed=0 failed=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
# The module and its launches for a template.
module() { case $1 in recursion.tpl) echo tests/diff/recursion.ptx ;; *) echo tests/golden/launch_control_100.ptx ;; esac; }
# Without dynamic shared memory, an access beyond the stores is a fault.
launches() { # TEMPLATE
	case $1 in
	recursion.tpl)
		launch=$(sed -n 's|^// LAUNCH: [*] ||p' tests/diff/recursion.ptx | sed 's/--shared [0-9]*//')
		for name in fibonacci divergent queens memory backtrack; do
			echo "$(sed -n "s/.*\.entry \(_Z[0-9]*k_$name[A-Za-z0-9]*\).*/\1/p" tests/diff/recursion.ptx) $launch --block 33 --block 100 --block 4,5,3"
		done ;;
	*) sed -n '/LAUNCH: .* --grid \(2,3,4\|23\)$/s,^// LAUNCH: \(.*\),\1 --block 33 --block 96 --block 4|5|3,p' tests/diff/launch_control.launch | tr '|' , ;;
	esac
}
# Whether the text in the file fails, or computes something else under some schedule.
noticed() { # FILE TEMPLATE
	k=0
	launches "$2" >"$tmp/launches"
	while read -r launch; do
		k=$((k + 1))
		# shellcheck disable=SC2086
		[ -s "$tmp/$2.$k" ] || "$B/bin/ptxrun" "$(module "$2")" $launch --limit 500000 >"$tmp/$2.$k" 2>/dev/null
		# shellcheck disable=SC2086
		"$B/bin/ptxrun" "$1" $launch --limit 500000 --seeds 3 >"$tmp/got" 2>/dev/null </dev/null || return 0
		cmp -s "$tmp/$2.$k" "$tmp/got" || return 0
	done <"$tmp/launches"
	return 1
}
transform() { # TEMPLATE OUTPUT [OPTION...]
	ptx=$(module "$1") out=$2
	shift 2
	"$B/bin/ptxccc" --choose=first "$@" --verify -Werror=ccc-bug "$ptx" -o "$out" >/dev/null 2>&1
}
# Whether the output has code of the template: without some lines the kernels get another form of task loop.
uses() { case $1 in cancel.tpl) grep -q try_cancel "$tmp/out.ptx" ;; esac; }
lines() { # TEMPLATE
	awk -v name="$1" '/^===/ { on = 1; next } on && NF && $1 !~ /^#(if|else|end|declare|$)/ && !/^\t\.(pred|b32)/ { print name ":" NR }' transform/*/"$1"
}
for tpl in recursion.tpl cancel.tpl; do
	transform $tpl "$tmp/whole.ptx"
	if noticed "$tmp/whole.ptx" $tpl; then echo "FAIL omit: the whole text of $tpl has a fault"; failed=$((failed + 1)); fi
done
[ $# -gt 0 ] || set -- $(lines recursion.tpl) $(lines cancel.tpl)
for line; do
	tpl=${line%:*}
	text=$(sed -n "${line#*:}p" transform/*/"$tpl")
	transform "$tpl" "$tmp/out.ptx" --no-validate --omit-line="$line" && uses "$tpl" && ! noticed "$tmp/out.ptx" "$tpl"
	found=$?
	case $text in *CANNOT*) want=0 ;; *) want=1 ;; esac
	if [ $found = $want ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL omit: $line: $text"; fi
	case $line$text in
	recursion* | *done_20grid* | *#iteration* | *ret\;*) continue ;; # nothing depends on them
	esac
	if transform "$tpl" "$tmp/out.ptx" --omit-line="$line" && uses "$tpl"; then failed=$((failed + 1)) && echo "FAIL omit: the validator accepts the text without $line: $text"; else passed=$((passed + 1)); fi
done
echo "omit: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
