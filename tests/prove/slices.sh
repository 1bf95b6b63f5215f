#!/bin/sh
# SPDX-License-Identifier: MIT
# slices.sh [FILE.ptx...]: proves that recomputed values are correct. For every value of the registers in the loop, what
# helpers recompute before a path equals the owner's registers there, and an owner slice computes the path's live-outs: a
# question for each transformed path (slices.py). Helpers of expanded inner loops get the values at the start of their
# iteration (rows.py). Look-ahead copies select the iterations that reach a path, and the lanes that execute them have the
# same registers (looks.py). Each recomputed value of the plan is covered. Mutations of the code (a different number, bit or
# register) are detected. Without files: kernels of tests/golden and tests/diff, and the samples as compiled by nvcc for
# sm_80, which are skipped without nvcc.
# shellcheck disable=SC2046
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxccc=${PTXCCC:-$(readlink -m "$B")/bin/ptxccc} passed=0 failed=0 skipped=0
sh tests/need.sh z3 python3 >/dev/null 2>&1 || {
	echo "slices: 0 passed, 0 failed, 1 skipped: no z3 or no python3"
	exit 0
}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
. tests/cuda.sh
fail() { echo "FAIL slices $1: $2"; failed=$((failed + 1)); }
# Writes a line for each question: the expected answer, the subject, and the answer.
ask() { # SCRIPTS IN OUT
	for script in $1; do
		python3 "tests/prove/$script.py" "$2" "$3" || return
	done >"$tmp/q.smt2" 2>"$tmp/err" && z3 rlimit=60000000 "$tmp/q.smt2" | paste -d ' ' - - >"$tmp/answers"
}
# Numbers of values that are queried (values), or that the plan recomputes (planned): by helpers, for tasks and rows; by owners.
# Then the number of code sequences that distribute rows.
values() {
	awk '/^unsat/ { label = $2; sub(/w$/, "", label) } /^unsat.*_want of/ { owner[label] = $4 } /^unsat.*_run of/ { task[label] = $4 }
		/^unsat [$]ccc[0-9]*w? row of/ { task[label] = $5 }
		/^unsat.* row of/ { rows += !row[$2]++ } END { for (i in task) t += task[i]; for (i in owner) o += owner[i]; print t + 0, o + 0, rows + 0 }' "$tmp/answers"
}
planned() { # POLICY FILE
	"$ptxccc" "$1" --dump=plan "$2" 2>/dev/null | awk '/computed before the path: [a-z]/ { t++ } /owner slice:/ { o++ } END { printf "%d %d ", t, o }'
	grep '_window:$' "$tmp/out.ptx" | sort -u | wc -l
}
# Each edit mutates the code that a question is about, wherever it occurs, and prints the label of the question. Numbers are
# incremented, and additions become subtractions.
edit() { # NAME
	awk -v name="$1" -v asked="$tmp/asked" '
		function more(pattern, before, after) { # increments the number in the match, without its first `before` and last `after` characters
			if (match($0, pattern))
				$0 = substr($0, 1, RSTART + before - 1) substr($0, RSTART + before, RLENGTH - before - after) + 1 substr($0, RSTART + RLENGTH - after)
		}
		function other() { # changes a number, an operation or a sign; false if there is none
			if (/, -?[0-9]+;/) more(", -?[0-9]+;", 2, 1)
			else if (!sub(/\tadd[.]/, "\tsub.") && !sub(/\tcvt[.]s64[.]s32/, "\tcvt.u64.u32")) return 0
			return 1
		}
		function edited(label) { print label >"/dev/stderr"; on = 0 }
		BEGIN { while ((getline line <asked) > 0) is[line] = 1 }
		/^[$].*:$/ { at = substr($0, 1, length - 1); on = 1; question = at }
		/^[$].*_(next|window|laps?|lap[0-9]):$/ { question = at; sub(/_[a-z0-9]*$/, "", question) }
		/\tbra/ { on = 0 }
		{ ours = /^\t[a-z].*\t%ccc[0-9]+(p[0-9]+)?(b[0-9]+)?[$]/ && !/%ccc[0-9]+(p[0-9]+)?_/ }
		name == "run" && on && is[at] && at ~ /_run$/ && ours && other() { edited(at) }
		name == "want" && on && is[at] && at ~ /_want$/ && /^\t[a-z].*\t%[^c]/ && !/\tmov[.]b/ && other() { edited(at) }
		name == "row" && on && is[question " row"] && at ~ /_(next|window)$/ && ours && /, [0-9]+;/ { more(", [0-9]+;", 2, 1); edited(question " row") }
		# the step of a row, which is multiplied by the iteration number
		name == "step" && on && is[question " row"] && at ~ /_(next|window)$/ && /\tmad.*_(lane|bit|try), [0-9]+,/ { more(", [0-9]+,", 2, 1); edited(question " row") }
		name == "lap" && /_lap[0-9]:$/ { lap = 1 }
		name == "lap" && lap && is[question " laps"] && ours && /\tadd.*, [0-9]+;/ { more(", [0-9]+;", 2, 1); edited(question " laps"); lap = 0 }
		name == "note" && !done && /or[.]b32.*_(noted|bits), .*, 0x1;/ { sub(/0x1;/, "0x2;"); done = 1; edited("look") } # the bit of another iteration
		name == "from" && !done && /[.](s16|s32|s64) .*ccc[0-9]*f[$]/ { sub(/f[$]/, "u$"); done = 1; edited("counts") } # reads the counter of the look-ahead instead
		name == "number" && /and[.]b32.*_noted, .*_noted, .*_bit;/ { run = 1 } # in the code of a selected iteration
		/\tbra[.]uni/ { run = 0 }
		name == "number" && run && !done && !/_want|_noted/ && /, [0-9]+;/ { more(", [0-9]+;", 2, 1); done = 1; edited("path") }
		{ print }' "$tmp/out.ptx" >"$tmp/bad.ptx" 2>"$tmp/edited"
}
proven() { # SCRIPTS POLICY FILE EDIT...
	scripts=$1 policy=$2 f=$3
	shift 3
	"$ptxccc" "$policy" "$f" -o "$tmp/out.ptx" 2>"$tmp/err" || { fail "$f" "$(head -n 1 "$tmp/err")"; return; }
	ask "$scripts" "$f" "$tmp/out.ptx" || { fail "$f, $scripts" "$(tail -n 1 "$tmp/err")"; return; }
	bad=$(awk '$1 != $NF' "$tmp/answers" | sort | uniq -c)
	[ -z "$bad" ] || { fail "$f, $scripts" "$bad"; return; }
	passed=$((passed + $(wc -l <"$tmp/answers")))
	case $scripts in
	*slices*) [ "$(values)" = "$(planned "$policy" "$f")" ] || fail "$f" "$(values) values are asked about of $(planned "$policy" "$f")" ;;
	esac
	sed -n 's/^unsat \(.*\) of .*/\1/p' "$tmp/answers" | sort -u >"$tmp/asked"
	for name; do
		edit "$name"
		[ -s "$tmp/edited" ] || continue
		echo "$name" >>"$tmp.edits"
		ask "$scripts" "$f" "$tmp/bad.ptx"
		grep "^unsat.* sat$" "$tmp/answers" >"$tmp/found"
		while read -r question; do
			if grep -q -F "$question of " "$tmp/found"; then passed=$((passed + 1)); else fail "$f" "edit '$name' of $question is not noticed"; fi
		done <"$tmp/edited"
	done
}
kernels() { # SCRIPTS POLICY "EDIT..." FILE...
	scripts=$1 policy=$2 edits=$3
	shift 3
	# shellcheck disable=SC2086
	for f; do proven "$scripts" "$policy" "$f" $edits; done
}
# A register that the loop carries, and that helpers recompute: if one of its definitions in the input, before the loop or in it, were another
# function, or the register that it reads changed after it, the question would notice.
another() { # FILE EDIT...
	f=$1
	shift
	"$ptxccc" --policy=stack "$f" -o "$tmp/out.ptx" 2>/dev/null
	for e; do
		sed "$e" "$f" >"$tmp/in.ptx"
		ask slices "$tmp/in.ptx" "$tmp/out.ptx"
		if ! cmp -s "$f" "$tmp/in.ptx" && grep -q '^unsat.*_run of .* sat$' "$tmp/answers"; then passed=$((passed + 1)); else fail "$f" "edit '$e' is not noticed"; fi
	done
}
golden() { for n; do echo "tests/golden/$n.ptx"; done; }
different() { for n; do echo "tests/diff/$n.ptx"; done; }
samples() { for n; do echo "$tmp/$n.ptx"; done; }
build() { # compiles every sample with nvcc
	for f in samples/*.cu; do
		CCC_NVCC=$nvcc "$B/bin/cccnvcc" --ccc-markers-only -O3 -arch=sm_80 -ptx "$f" -o "$tmp/$(basename "$f" .cu).ptx" || return
	done
}
of_kernels() {
	kernels "slices rows" --policy=stack "run want" \
		$(golden coalesced continue_before grid_stride carried carried_100 hand_kept hand_step hand_texts hazards joined loops_in_loops rest sums switch while) \
		$(different jump_order kept left_over liveout maybe several)
	another tests/golden/while.ptx "s/\(shr.*%rd15, %rd19, \)32;/\133;/" "s/\(shr.*%rd18, %rd19, \)32;/\133;/" \
		"s/mov.u32 .*%r34, 0;/& add.s64 %rd19, %rd19, %rd8;/" "s/shr.*%rd18, .*/& add.s64 %rd19, %rd19, %rd8;/"
	kernels "slices rows" --policy=expand "run want row step lap" $(golden expand_fetch hand_rows joined text_expand) $(different expand_top)
	kernels looks --policy=ahead "note from number" $(golden hand_sums text_ahead)
	kernels looks --policy=ahead "" $(golden text_kept unify unify_late unify_late_100 unrolled value_kinds) $(different bound unify)
}
of_samples() {
	build >"$tmp/log" 2>&1 || { fail samples "$(tail -n 3 "$tmp/log")"; return; }
	kernels "slices rows" --policy=stack "run want row step lap" $(cd samples && for f in *.cu; do samples "${f%.cu}"; done)
	kernels "slices rows" --policy=expand "row step lap" $(samples dqg sssp)
	kernels looks --policy=ahead "note from" $(samples md montecarlo primes rt synthetic unify)
}
of_files() {
	kernels "slices rows" --policy=stack "run want row step lap" "$@"
	kernels rows --policy=expand "row step lap" "$@"
	kernels looks --policy=ahead "note from number" "$@"
}
# Runs a function in its own subshell and folder, so that two can run at the same time.
part() { # FUNCTION [FILE...]
	(
		all=$tmp tmp=$tmp/$1
		mkdir "$tmp"
		"$@"
		echo "$passed $failed" >"$all/$1.count"
	)
}

if [ $# -gt 0 ]; then
	part of_files "$@"
else
	part of_kernels &
	if [ -n "$nvcc" ]; then part of_samples; else skipped=1; fi
	wait
	for name in run want row step lap note from number; do
		cat "$tmp"/*.edits | grep -q -x "$name" || fail "edit '$name'" "nothing is edited: is the text another one?"
	done
	echo "0 $failed" >"$tmp/edits.count"
fi
passed=$(cat "$tmp"/*.count | awk '{ n += $1 } END { print n }') failed=$(cat "$tmp"/*.count | awk '{ n += $2 } END { print n }')
echo "slices: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 10 ]
