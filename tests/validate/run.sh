#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [FILE.ptx...]: the validator on correct and incorrect texts:
#	1  it accepts correct texts: the kernels of tests/golden and tests/diff, and N random ones (N=60, from SEED=1)
#	2  it detects faults: validate_main applies each edit of `faults` to each file of `some` under each policy, where it changes the text
#	3  it follows lanes for at most the number of steps in `steps`
#	4  it rejects loops transformed because of a promise if the annotation makes none and the code does not imply it
#	5  it detects each edit of `endless`
#	6  it accepts melded arms, and detects each inverted guard and each exchanged pair of selected operands in them
#	7  it accepts task loops and draws of iterations, and detects each edit of their lines (grid_edits.awk, draw_edits.awk), except those
#	   that change no result (grid_same, draw_same); ptxccc makes no loop whose text is wrong; unknown code is refused (task_modules.ptx)
# Prints the number of detected faults; less than 95 % is a failure.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxccc=${PTXCCC:-$(readlink -m "$B")/bin/ptxccc}
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 shown=0 tried=0

# Counts a failure if the text of any loop is rejected.
right() {
	"$ptxccc" --validate -dv "$@" -o "$temp/out.ptx" >"$temp/log" 2>&1
	shown=$((shown + $(grep -c '^validate: .*: yes$' "$temp/log")))
	tried=$((tried + $(grep -c '^validate: .*: tried, ' "$temp/log")))
	if grep -E 'the transformed text is wrong|text has a fault|cannot be validated' "$temp/log" >"$temp/why"; then
		echo "FAIL validate: $*: $(head -n 1 "$temp/why")"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}
files=$*
[ -n "$files" ] || files="tests/golden/*.ptx tests/diff/*.ptx"
for f in $files; do
	right "$f"
	right --policy=queue "$f"
	right --policy='queue(2)' "$f"
	right --policy=ahead "$f"
	right --policy='ahead(8)' "$f"
done
# In two of the additional seeds, a path updates without a reduction what another one reduces into; in the third, lanes expand an inner loop
# in a path with a warpwide reduction.
first=${SEED:-1} seeds=
[ $# != 0 ] || seeds="$(seq "$first" $((first + ${N:-60} - 1))) 2000189 2000919 6240100152"
for i in $seeds; do
	"$B/tests/fuzz_diff" -p "$i" >"$temp/$i.ptx" 2>"$temp/err" && right "$temp/$i.ptx" && rm -f "$temp/$i.ptx"
done
[ $# != 0 ] || [ "$tried" -gt 0 ] || { echo "FAIL validate: nothing was tried"; failed=$((failed + 1)); }
[ "$shown" -gt 0 ] || { echo "FAIL validate: nothing was shown to be right"; failed=$((failed + 1)); }
# Kernels that were wrongly rejected: a branch to the next statement, in lockstep; with look-ahead, two consecutive paths that are
# both selected; a count of a value that each iteration recomputes; selection of a path without a branch; a path with one statement twice;
# braces with equal statements before and after a path; more values than are tracked, where lanes read their own slots;
# a branch to the next statement, followed by an equal one; a task whose text may be omitted; bits of lanes, read for
# the second path; a register with two definitions, computed from one that is live into the loop; a live-out of a path that the next
# path computes by an equal statement; a count of one of two results of a statement, the other of which a path changes;
# equal braces that all lanes run, before a path and around it; braces that only active lanes complete; a count of a result
# of a statement that reads another one's result, both loop-invariant.
if [ $# = 0 ]; then
	for i in 1050360044:stack 1720200704:ahead 1720240653:ahead 1760160606:ahead 1710140135:stack 2151404081:auto '6700026911:queue(5)' 6740045398:auto 6750150644:auto 6902239135:stack 6901050823:expand 6911173681:queue 6911213441:ahead 6911209202:auto 6902268851:converge 6920010555:stack 6951170381:ahead; do
		"$B/tests/fuzz_diff" -p "${i%:*}" >"$temp/${i%:*}.ptx" && right --policy="${i#*:}" "$temp/${i%:*}.ptx"
	done
fi

while read -r most policy name; do
	[ $# = 0 ] && [ "$most" != '#' ] || continue
	"$ptxccc" --policy="$policy" "tests/golden/$name.ptx" -o "$temp/out.ptx" 2>/dev/null
	"$B/tests/validate_main" -s "tests/golden/$name.ptx" "$temp/out.ptx" >"$temp/log"
	took=$(tail -n 1 "$temp/log")
	if [ "$took" -gt 0 ] && [ "$took" -le "$most" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL validate: $name, policy $policy: $took steps, at most $most"
		failed=$((failed + 1))
	fi
done <tests/validate/steps

# Kernels transformed as if 'independent' replaced 'proven': the validator rejects those of apart.ptx, apart_stored.ptx and
# apart_unknown.ptx, as ptxccc does, but not those of apart_index.ptx and apart_local.ptx.
if [ $# = 0 ]; then
	for f in apart apart_index apart_local apart_stored apart_unknown; do
		sed 's/ proven$/ independent/' "tests/golden/$f.ptx" >"$temp/promised.ptx"
		all=$(grep -c ' for [0-9]* .* independent$' "$temp/promised.ptx")
		"$ptxccc" --choose=first --list "$temp/promised.ptx" >"$temp/log" 2>&1
		transformed=$(grep -c '^  transformed' "$temp/log")
		"$ptxccc" --choose=first "$temp/promised.ptx" -o "$temp/out.ptx" 2>"$temp/log"
		sed 's/ independent$/ proven/' "$temp/out.ptx" >"$temp/bad.ptx"
		"$B/tests/validate_main" "tests/golden/$f.ptx" "$temp/bad.ptx" >"$temp/log"
		refused=$(grep -c 'nothing is promised' "$temp/log") want=$all
		case $f in apart_index | apart_local) want=0 ;; esac
		if [ "$all" -gt 0 ] && [ "$transformed" = "$all" ] && [ "$refused" = "$want" ]; then
			passed=$((passed + 1))
		else
			echo "FAIL validate: $f.ptx: $refused of $transformed loops refused, not $want of $all"
			failed=$((failed + 1))
		fi
	done
fi

# The same for other files, each with the clause that replaces the promise. The validator accepts the first kernel of each, and rejects the
# second one, which in scratch.ptx reads thread-local memory that a path may have overwritten; in release.ptx a path's atomic operation is a
# fence; in acquire.ptx and called_fence.ptx a path orders the reads of later iterations, which nothing but 'independent' permits.
for t in scratch:proven release:proven acquire:proven acquire: called_fence:proven called_fence:; do
	[ $# = 0 ] || continue
	f=${t%:*} clause=${t#*:}
	"$ptxccc" --choose=first "tests/validate/$f.ptx" -o "$temp/out.ptx" 2>"$temp/log"
	for g in "tests/validate/$f.ptx" "$temp/out.ptx"; do
		sed "s/ independent\$/${clause:+ $clause}/; s/ scratch\$//" "$g" >"$temp/proven_${g##*/}"
	done
	"$B/tests/validate_main" "$temp/proven_$f.ptx" "$temp/proven_out.ptx" >"$temp/log"
	line=$(sed -n 's/^line \([0-9]*\): nothing is promised.*/\1/p' "$temp/log")
	if [ "$(grep -c . "$temp/log")" = 1 ] && [ "${line:-0}" -gt "$(sed -n '/^.visible .entry/=' "$temp/out.ptx" | tail -n 1)" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL validate: $t: $(cat "$temp/log")"
		failed=$((failed + 1))
	fi
done

# The text of a loop with a fault: edits by sed, each of one line.
some="tests/golden/text_kept.ptx tests/golden/grid_stride.ptx tests/golden/sums.ptx tests/golden/hand_braces.ptx tests/golden/hand_paths.ptx tests/golden/value_kinds.ptx tests/golden/two_ways_out.ptx tests/golden/rest.ptx tests/diff/switch_table.ptx"
seeded=0 found=0
others="tests/golden/hand_rows.ptx tests/golden/text_expand.ptx tests/golden/assign.ptx tests/golden/text_grouped.ptx tests/golden/text_steps.ptx tests/golden/unify.ptx tests/golden/text_warpwide.ptx tests/diff/over_at_once.ptx"
for policy in stack queue 'queue(2)' 'queue(3)' converge wait majority live cycle ahead 'ahead(8)' auto; do
	these=$some
	case $policy in
	ahead*) these="$some tests/golden/proven.ptx tests/golden/hand_later.ptx tests/golden/text_retreat.ptx" ;;
	auto) these=$others ;;
	esac
	for f in $these; do
		"$ptxccc" --validate -dv --policy="$policy" "$f" -o "$temp/good.ptx" >"$temp/log" 2>&1
		grep -q -E '^validate: .*: (yes|tried, .*)$' "$temp/log" && ! grep -q '^validate: .*: not known' "$temp/log" || continue
		"$B/tests/validate_main" "$f" "$temp/good.ptx" >"$temp/log" || { echo "FAIL validate: $f, policy $policy: the text as it is"; failed=$((failed + 1)); }
		grep -v '^#' tests/validate/faults | while read -r edit; do
			line=${edit#0,/}
			[ "$(sed -n "/${line%%/*}/{p;q}" "$temp/good.ptx")" ] || continue # else sed would edit every line
			sed "$edit" "$temp/good.ptx" >"$temp/bad.ptx"
			cmp -s "$temp/good.ptx" "$temp/bad.ptx" && continue
			"$B/tests/validate_main" "$f" "$temp/bad.ptx" >"$temp/log" 2>&1
			case $? in 0) echo "missed $f $policy: $edit" ;; 1) echo found ;; esac # 2: it is no PTX any more
		done >"$temp/faults"
		grep missed "$temp/faults"
		seeded=$((seeded + $(wc -l <"$temp/faults"))) found=$((found + $(grep -c '^found' "$temp/faults")))
	done
done
# Edits, each of which must be detected.
while read -r policy name edit; do
	[ $# = 0 ] && [ "$policy" != '#' ] || continue
	f=tests/golden/$name.ptx
	[ -f "$f" ] || f=tests/diff/$name.ptx
	"$ptxccc" --choose=first --policy="$policy" "$f" -o "$temp/good.ptx" 2>/dev/null
	sed "$edit" "$temp/good.ptx" >"$temp/bad.ptx"
	"$B/tests/validate_main" "$f" "$temp/bad.ptx" >"$temp/log" 2>&1
	if [ $? = 1 ] && ! cmp -s "$temp/good.ptx" "$temp/bad.ptx"; then
		passed=$((passed + 1))
	else
		echo "FAIL validate: missed $name $policy: $edit"
		failed=$((failed + 1))
	fi
done <tests/validate/endless

# Melded arms. An edit is a line of the text, and what is done to it.
for f in tests/golden/arms.ptx tests/golden/arm_shapes.ptx tests/golden/hand_arms.ptx tests/golden/rounding_arms.ptx tests/trial/meld_guards.ptx tests/trial/meld_vectors.ptx; do
	[ $# = 0 ] || continue
	"$ptxccc" "$f" -o "$temp/good.ptx" 2>/dev/null
	if "$B/tests/validate_main" -m "$f" "$temp/good.ptx" >"$temp/log" && [ "$(cat "$temp/log")" -gt 0 ]; then
		passed=$((passed + 1))
	else
		echo "FAIL validate: arms of $f: $(cat "$temp/log")"
		failed=$((failed + 1))
	fi
	awk '/%ccc/ && /^\t@%/ { print NR "s/@%/@!%/" } /%ccc/ && /^\t@!%/ { print NR "s/@!%/@%/" }
		/selp.*%ccc[0-9]*_then;/ { print NR "s/, \\([^,]*\\), \\([^,]*\\), /, \\2, \\1, /" }' "$temp/good.ptx" >"$temp/edits"
	while read -r edit; do
		sed "$edit" "$temp/good.ptx" >"$temp/bad.ptx"
		"$B/tests/validate_main" -m "$f" "$temp/bad.ptx" >"$temp/log" 2>&1
		if [ $? = 1 ]; then
			passed=$((passed + 1))
		else
			echo "FAIL validate: missed in arms of $f: $edit: $(sed -n "${edit%%s*}p" "$temp/good.ptx")"
			failed=$((failed + 1))
		fi
	done <"$temp/edits"
done

# Task loops and draws. In grid_same and draw_same a line has an edit and, after a tab, the line that it is for. launch_control: only
# kernels that use it.
awk '/^\.visible \.entry (waits|meets|rows|converges)\(/ { off = 1 } !off; /^}/ { off = 0 }' tests/golden/launch_control_100.ptx >"$temp/launch_control.ptx"
for t in grid:tests/golden/tasks.ptx grid:tests/golden/task_calls.ptx "grid:$temp/launch_control.ptx" draw:tests/golden/assign.ptx; do
	[ $# = 0 ] || continue
	kind=${t%%:*} f=${t#*:}
	if [ "$kind" = grid ]; then
		flag='-g'
		"$B/tests/validate_main" -l "$f" >"$temp/good.ptx"
	else
		flag='-s'
		"$ptxccc" --choose=first "$f" -o "$temp/good.ptx" 2>/dev/null
	fi
	if "$B/tests/validate_main" $flag "$f" "$temp/good.ptx" >"$temp/log" && [ "$(cat "$temp/log")" -gt 0 ]; then # no line says "tried"
		passed=$((passed + 1))
	else
		echo "FAIL validate: $kind in $f: $(cat "$temp/log")"
		failed=$((failed + 1))
	fi
	awk -f "tests/validate/${kind}_edits.awk" "$temp/good.ptx" | while read -r edit; do
		sed "$edit" "$temp/good.ptx" >"$temp/bad.ptx"
		cmp -s "$temp/good.ptx" "$temp/bad.ptx" && continue
		"$B/tests/validate_main" $flag "$f" "$temp/bad.ptx" >"$temp/log" 2>&1
		case $? in
		0) printf '%s\t' "${edit#"${edit%%[ds]*}"}" && sed -n "${edit%%[ds]*}{s/^\t*//;s/ccc[0-9]*_/ccc_/g;p}" "$temp/good.ptx" ;;
		1) echo found ;;
		2) echo 'found by the parser' ;;
		esac
	done >"$temp/faults"
	n=$(grep -c '^found' "$temp/faults")
	passed=$((passed + n))
	echo "validate: $kind in $f: $n faults found, $(grep -c '^found by' "$temp/faults") of them by the parser"
	[ "$n" -gt 100 ] || { echo "FAIL validate: $kind in $f: $n faults"; failed=$((failed + 1)); }
	grep -v '^found' "$temp/faults" | grep -v -x -F -f "tests/validate/${kind}_same" >"$temp/missed"
	sed "s|^|FAIL validate: missed $kind in $f: |" "$temp/missed"
	failed=$((failed + $(wc -l <"$temp/missed")))
done
# Counts a test with its name.
holds() {
	name=$1 && shift
	if "$@"; then passed=$((passed + 1)); else echo "FAIL validate: $name" && failed=$((failed + 1)); fi
}
if [ $# = 0 ]; then
	"$B/tests/validate_main" -l tests/validate/task_modules.ptx >"$temp/good.ptx"
	"$B/tests/validate_main" -g tests/validate/task_modules.ptx "$temp/good.ptx" >"$temp/log"
	holds 'task loops with unknown code' [ "$(grep -c 'a function without a body, or unknown' "$temp/log") $(tail -n 1 "$temp/log")" = '2 3' ]
	"$ptxccc" --choose=first -dv tests/golden/task_text.ptx -o "$temp/out.ptx" >"$temp/log" 2>&1
	holds 'task loops in -dv' [ "$(grep -c '^validate: task loop of .*: yes$' "$temp/log")" = 2 ]
	line=$(sed -n '/sub\.u32.*%^x,/=' transform/rewrite/grid.tpl)
	"$ptxccc" --choose=first -dv --omit-line="grid.tpl:$line" tests/golden/task_text.ptx -o "$temp/out.ptx" >"$temp/log" 2>&1
	holds 'a wrong task loop is reported' [ "$(grep -c 'the text of its task loop is wrong, at its line [0-9]*: .*please report it' "$temp/log")" = 2 ]
	holds 'a wrong task loop is not written' [ "$(grep -c 'ccc[0-9]*_next' "$temp/out.ptx")" = 0 ]
fi

# A predicate constant is true if it is not 0: the text remains correct.
if [ $# = 0 ]; then
	"$ptxccc" --choose=first tests/golden/text_expand.ptx -o "$temp/good.ptx" 2>/dev/null
	sed 's/\(mov\.pred.*\), -1;/\1, -2;/' "$temp/good.ptx" >"$temp/bad.ptx"
	if "$B/tests/validate_main" tests/golden/text_expand.ptx "$temp/bad.ptx" >"$temp/log" 2>&1 && ! cmp -s "$temp/good.ptx" "$temp/bad.ptx"; then
		passed=$((passed + 1))
	else
		echo "FAIL validate: mov.pred of -2: $(cat "$temp/log")"
		failed=$((failed + 1))
	fi
fi

echo "validate: $found of $seeded seeded faults found, $shown loops shown to be right, $tried tried"
if [ $((20 * found)) -ge $((19 * seeded)) ] && [ "$seeded" -gt 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
echo "validate: $passed passed, $failed failed"
[ $failed = 0 ]
