#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh [SEEDS...]: the share of template lines whose omission the validator detects. Each line is omitted in some texts
# that the validator has accepted: test kernels, and random ones (SEEDS, default 1 to 24). An omission is detected if the text
# is no longer valid PTX or if the validator rejects it. An undetected omission counts if it does harm: it changes the program
# (unused labels and branches to the next statement do not), and the emulator notices on blocks of some sizes and under random
# schedules. Lines that no test can notice (CANNOT) are not tried. A line counts as detected if it is detected in every text
# where it matters. Prints the share for each template; less than 95 % for one is a failure. TEMPLATES: only matching
# templates; LINES: only matching lines, such as 21[0-9].
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxccc=${PTXCCC:-$(readlink -m "$B")/bin/ptxccc}
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
files="tests/diff/lanes.ptx tests/diff/several.ptx tests/diff/queues.ptx tests/diff/expand.ptx tests/diff/expand_top.ptx tests/diff/over_at_once.ptx"
for seed in ${*:-$(seq 1 24)}; do
	"$B/tests/fuzz_diff" -p "$seed" >"$temp/seed$seed.ptx" 2>/dev/null && files="$files $temp/seed$seed.ptx"
done

# The policies that use a template.
policies() {
	case $1 in
	collect.tpl) echo 'stack queue queue(2)' ;;
	wait.tpl) echo 'converge wait wait(5) majority live cycle cycle(3,1) ahead ahead(3)' ;;
	expand.tpl | rows.tpl) echo auto ;;
	esac
}

# The validator's required verdict for each loop of such a text.
verdict() {
	case $1 in
	collect.tpl | wait.tpl) echo yes ;;
	*) echo '(yes|tried, .*)' ;;
	esac
}

# Removes labels without uses, and branches to the next statement.
plain() { # FILE
	awk '{ line[NR] = $0 }
	/^\t.*bra/ { to = $NF; sub(/;/, "", to); named[to]++ }
	function next_is(i, to,    k) {
		for (k = i + 1; k <= NR; k++) {
			if (line[k] == to ":") return 1
			if (line[k] !~ /^\$.*:$/ && line[k] !~ /^[\t ]*[{}]?$/) return 0
		}
		return 0
	}
	END { for (i = 1; i <= NR; i++) {
		to = line[i]; sub(/.*[\t ]/, "", to); sub(/;/, "", to)
		if (line[i] ~ /^\tbra/ && next_is(i, to)) continue
		if (line[i] ~ /^\$.*:$/ && !(substr(line[i], 1, length(line[i]) - 1) in named)) continue
		if (line[i] ~ /^[\t ]*$/) continue
		print line[i]
	} }' "$1"
}

# Whether the emulator notices that the text computes something else than the input.
noticed() { # INPUT TEXT
	launch=$(sed -n 's|^// LAUNCH: [^ ]* ||p' "$1" | head -n 1)
	for kernel in $(sed -n 's/.*\.entry \([A-Za-z0-9_$]*\).*/\1/p' "$1" | sort -u); do
		for block in 32 40 96; do
			# shellcheck disable=SC2086
			"$B/bin/ptxrun" "$1" "$kernel" $launch --block $block --limit 20000000 >"$temp/want" 2>/dev/null || continue
			# shellcheck disable=SC2086
			"$B/bin/ptxrun" "$2" "$kernel" $launch --block $block --limit 20000000 --seeds 5 >"$temp/got" 2>/dev/null || return 0
			cmp -s "$temp/want" "$temp/got" || return 0
		done
	done
	return 1
}

# The texts: "NUMBER FILE POLICY"; each loop in them is proven correct.
texts() {
	n=0
	for policy in $(policies "$1"); do
		for f in $files; do
			"$ptxccc" --validate -dv --policy="$policy" "$f" -o "$temp/$n.ptx" >"$temp/log" 2>&1
			grep -q '^validate: ' "$temp/log" || continue
			! grep '^validate: ' "$temp/log" | grep -v -q -E ": $(verdict "$1")\$" || continue
			echo "$n $f $policy"
			n=$((n + 1))
		done
	done >"$temp/texts"
}

bad=0
for tpl in collect.tpl wait.tpl expand.tpl rows.tpl; do
	echo "$tpl" | grep -q -E "${TEMPLATES:-.}" || continue
	texts $tpl
	found=0 lines=0 tried=0
	for line in $("$B/tests/fuzz_diff" -l | sed -n "s/^$tpl:\([0-9]*\) .*/\1/p" | grep -x -E "${LINES:-.*}"); do
		sed -n "${line}p" transform/*/"$tpl" | grep -q 'CANNOT:' && continue
		missed= had=0
		while read -r k f policy; do
			"$ptxccc" --validate -dv --omit-line=$tpl:"$line" --policy="$policy" "$f" -o "$temp/out.ptx" >"$temp/log" 2>&1
			cmp -s "$temp/$k.ptx" "$temp/out.ptx" && continue
			had=$((had + 1))
			grep -q -e '^validate: .*: no, ' -e '^verify: ' -e 'ccc-bug' "$temp/log" && continue
			plain "$temp/$k.ptx" >"$temp/a" && plain "$temp/out.ptx" >"$temp/b"
			! cmp -s "$temp/a" "$temp/b" && noticed "$f" "$temp/out.ptx" && missed="$missed ${f##*/}($policy)"
		done <"$temp/texts"
		[ $had -gt 0 ] || continue
		lines=$((lines + 1)) tried=$((tried + had))
		if [ "$missed" ]; then echo "missed $tpl:$line: $(sed -n "${line}s/^[	 ]*//p" transform/*/"$tpl"):$missed"
		else found=$((found + 1)); fi
	done
	echo "lines: $found of $lines lines of $tpl found in each text that has them ($tried texts tried)"
	[ $((20 * found)) -ge $((19 * lines)) ] && [ "$lines" -gt 0 ] || bad=1
done
exit $bad
