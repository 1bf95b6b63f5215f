#!/bin/sh
# SPDX-License-Identifier: MIT
# faults.sh: the emulator's checks find the faults that they are made for. Inserts one fault at a time into the transformed
# text of a few kernels. Each must be found within SEEDS (50) random schedules: by a check, by different memory at the end, or
# because no loop is entered. Prints a table. Omitted lines are not tested here, but in tests/gen/mutants.sh. A fault that a
# kernel cannot show (any outcome is correct) has no row for it.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} SEEDS=${SEEDS:-50}
PTXCCC=$B/bin/ptxccc PTXRUN=$B/bin/ptxrun
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# name | sed script | kernels that cannot show it, or "only" and those that can
faults() {
	cat <<'END'
mask of all lanes|s/activemask\.b32 \(.*_mask\);/mov.u32 \1, -1;/|
drain dropped|s/setp\.lt\.s32 \(	*%ccc[0-9]*_mine\),.*/mov.pred \1, 0;/|
drain by one lane too many|s/setp\.lt\.s32 \(	*%ccc[0-9]*_mine\),/setp.le.s32 \1,/|
all lanes push|s/^	@%ccc[0-9]*_want st\.shared/	st.shared/|
no lane's own slot|s/^	and\.b32 \(	%ccc[0-9]*_slot, %ccc[0-9]*_votes\), %ccc[0-9]*_lt/	and.b32 \1, 0/|
path on the owner's registers|s/%ccc[0-9]*\$\(rd*[0-9]*\)/%\1/g|
popped by lanes with a task too|s/^	@!%ccc[0-9]*_want ld\.shared/	ld.shared/|
in not voted|s/^	vote\.sync\.any\.pred 	\(%ccc[0-9]*_more\), \(%ccc[0-9]*_in\),.*/	mov.pred 	\1, \2;/|k_halves
way out of the contrary|s/^	not\.pred 	\(%ccc[0-9]*_mine\), \(.*\)/	mov.pred 	\1, \2/|only break_leaves_negated
latch of the contrary|s/^	@!\(%p[0-9]* bra[ 	]*\$ccc\)/	@\1/|only apart_break_negated
predicates of a word lost|s/^	or\.b32 	%ccc[0-9]*_bits,.*//|only seventy
words of predicates in one row|s/\(%ccc[0-9]*_at4+\)768\(\], %ccc[0-9]*_bits\)/\1640\2/|only seventy
END
}
# file and kernel; the last ones are for the rows that name them
kernels='memory _Z9k_atomics4Args
memory _Z13k_read_behind4Args
lanes _Z8k_halves4Args
loops _Z11k_long_body4Args
latches break_leaves_negated
latches apart_break_negated
predicates seventy'
special='break_leaves_negated apart_break_negated seventy'

# Can the kernel show the fault?
shows() {
	case $which in
	only*) case "${which#only} " in *" $short "*) return 0 ;; *) return 1 ;; esac ;;
	*) case " $which $special " in *" $short "*) return 1 ;; *) return 0 ;; esac ;;
	esac
}

# Does a launch enter a loop? If the block is not fixed, one whose warp is not full.
enters() {
	case $options in *--block*) more= ;; *) more='--block 31' ;; esac
	$PTXRUN "$dir/bad.ptx" "$kernel" $options $more --quiet --lines=ptx 2>/dev/null |
		grep -q '  vote\.sync\.ballot'
}

# Runs a mutant; prints what found it, nothing if nothing did. The second launch has one item for the last lanes, the third no task.
hunt() {
	case $options in *--block*) block= ;; *) block='--block 100' ;; esac
	for items in '800 3' '65 1' '265 0'; do
		more=$(echo "$options" | sed "s/32:800/32:${items% *}/;s/s32:3 /s32:${items#* } /")
		$PTXRUN "$ptx" "$kernel" $more $block >"$dir/want" 2>"$dir/err" && [ -s "$dir/want" ] || { echo broken; return; }
		$PTXRUN "$dir/bad.ptx" "$kernel" $more $block --limit 1000000 --seeds "$SEEDS" >"$dir/got" 2>"$dir/err"
		case $? in
		0) cmp -s "$dir/want" "$dir/got" || { echo "memory|ipdom"; return; } ;;
		1)
			found=$(sed -n 's/^[^ ]*: error: \([a-z ]*\):.*/\1/p;s/^ptxrun: error: .*/memory/p' "$dir/err" | head -1)
			seed=$(sed -n 's/.*--seed=\([0-9]*\).*/seed \1/p' "$dir/err" | head -1)
			echo "$found|${seed:-ipdom}"
			return ;;
		*) return ;;
		esac
	done
	enters || echo "never entered|ipdom"
}

passed=0 failed=0
echo "$kernels" | while read -r file kernel; do
	ptx=tests/diff/$file.ptx
	$PTXCCC --choose=first "$ptx" -o "$dir/$file.ptx" 2>/dev/null
	options=$(sed -n "s#^// LAUNCH: \(\*\|$kernel\) ##p" "$ptx" | head -1)
	short=$(echo "$kernel" | sed 's/_Z[0-9]*\(k_[a-z_]*\)[0-9]*Args/\1/')
	faults | while IFS='|' read -r name script which; do
		sed "$script" "$dir/$file.ptx" >"$dir/bad.ptx"
		shows || continue
		cmp -s "$dir/$file.ptx" "$dir/bad.ptx" && continue
		result=$(hunt)
		printf '%-34s %-16s %-26s %s\n' "$name" "$short" "$(echo "${result:-NOT FOUND}" | cut -d'|' -f1)" "$(echo "$result" | cut -d'|' -f2)"
	done
done >"$dir/table"
cat "$dir/table"
failed=$(grep -c -e 'NOT FOUND' -e broken "$dir/table")
passed=$(($(wc -l <"$dir/table") - failed))
echo "faults: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
