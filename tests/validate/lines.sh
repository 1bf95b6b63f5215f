#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh [SEEDS...]: how many of the lines of each template does the validator miss? Each line is left out once in each of some texts that
# it has shown to be right: kernels of the tests, and random ones (SEEDS, 1 to 24 without). What is not PTX any more, and what the
# validator refuses, is found; some that are missed do no harm in these texts (a branch to what comes next). Lines that no test can notice (CANNOT) are not tried.
# A line counts if it is found in every text that has it. Prints the share per template; fewer than 95 % of the lines of one is a failure.
# TEMPLATES: those of them that match; LINES: lines that match, such as 21[0-9].
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxccc=${PTXCCC:-$PWD/$B/bin/ptxccc}
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT INT TERM
files="tests/golden/grid_stride.ptx tests/golden/hand_braces.ptx tests/golden/hand_paths.ptx tests/golden/value_kinds.ptx
	tests/golden/two_ways_out.ptx tests/golden/refuse_loop.ptx tests/diff/lanes.ptx"
for seed in ${*:-$(seq 1 24)}; do
	"$B/tests/fuzz_diff" -p "$seed" >"$temp/seed$seed.ptx" 2>/dev/null && files="$files $temp/seed$seed.ptx"
done

# The policies whose text a template is.
policies() {
	case $1 in
	ccc.tpl) echo 'stack queue' ;;
	bound.tpl) echo 'converge wait wait(5) majority live cycle cycle(3,1)' ;;
	esac
}

# The texts: "NUMBER FILE POLICY", of which each loop is shown to be right.
texts() {
	n=0
	for policy in $(policies "$1"); do
		for f in $files; do
			"$ptxccc" --validate -dv --policy="$policy" "$f" -o "$temp/$n.ptx" >"$temp/log" 2>&1
			grep -q '^validate: .*: yes$' "$temp/log" || continue
			! grep -q '^validate: .*: not known' "$temp/log" || continue
			echo "$n $f $policy"
			n=$((n + 1))
		done
	done >"$temp/texts"
}

bad=0
for tpl in ccc.tpl bound.tpl; do
	echo "$tpl" | grep -q -E "${TEMPLATES:-.}" || continue
	texts $tpl
	found=0 lines=0 tried=0
	for line in $("$B/tests/fuzz_diff" -l | sed -n "s/^$tpl:\([0-9]*\) .*/\1/p" | grep -x -E "${LINES:-.*}"); do
		sed -n "${line}p" transform/$tpl | grep -q 'CANNOT:' && continue
		missed= had=0
		while read -r k f policy; do
			"$ptxccc" --validate -dv --omit-line=$tpl:"$line" --policy="$policy" "$f" -o "$temp/out.ptx" >"$temp/log" 2>&1
			cmp -s "$temp/$k.ptx" "$temp/out.ptx" && continue
			had=$((had + 1))
			grep -q -e '^validate: .*: no, ' -e '^verify: ' -e 'ccc-bug' "$temp/log" || missed="$missed ${f##*/}($policy)"
		done <"$temp/texts"
		[ $had -gt 0 ] || continue
		lines=$((lines + 1)) tried=$((tried + had))
		if [ "$missed" ]; then echo "missed $tpl:$line: $(sed -n "${line}s/^[	 ]*//p" transform/$tpl):$missed"
		else found=$((found + 1)); fi
	done
	echo "lines: $found of $lines lines of $tpl found in each text that has them ($tried texts tried)"
	[ $((20 * found)) -ge $((19 * lines)) ] && [ "$lines" -gt 0 ] || bad=1
done
exit $bad
