#!/bin/sh
# faults.sh: do the emulator's checks find what they are for? One fault at a time is put into the transformed text of a few
# kernels; each must be found, by a check or by other memory at the end, within SEEDS (50) random schedules. Prints the table.
# A fault that a kernel cannot show (the text has no such line, or any outcome is right) is left out of its row: "-".
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} SEEDS=${SEEDS:-50}
PTXCCC=$B/bin/ptxccc PTXRUN=$B/bin/ptxrun
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT INT TERM

# name | sed script | kernels that cannot show it
faults() {
	cat <<'END'
no bar.warp.sync in the vote|/_vote:/,/popc/s/^	bar\.warp\.sync.*//|
no bar.warp.sync behind the loop|/_leave:/,/bra/s/^	bar\.warp\.sync.*//|k_atomics k_halves k_long_body
mask of all lanes|s/activemask\.b32 \(.*_mask\);/mov.u32 \1, -1;/|
no test of the mask|/activemask/,/_plain/s/^	@%ccc[0-9]*_off bra.*//|
drain dropped|s/setp\.lt\.s32 \(	*%ccc[0-9]*_mine\),.*/mov.pred \1, 0;/|
drain by one lane too many|s/setp\.lt\.s32 \(	*%ccc[0-9]*_mine\),/setp.le.s32 \1,/|
all lanes push|s/^	@%ccc[0-9]*_want st\.shared/	st.shared/|
no lane's own slot|s/^	and\.b32 \(	%ccc[0-9]*_slot, %ccc[0-9]*_votes\), %ccc[0-9]*_lt/	and.b32 \1, 0/|
pushes not counted|s/^	add\.s32 	%ccc[0-9]*_top,.*//|
pops not counted|s/^	sub\.s32 	%ccc[0-9]*_top,.*//|k_read_behind
one buffer for all warps|s/^	mad\.lo\.u32 	%ccc[0-9]*_base, %ccc[0-9]*_n,.*//|
path on the owner's registers|s/%ccc[0-9]*\$\(rd*[0-9]*\)/%\1/g|
popped by lanes with a task too|s/^	@!%ccc[0-9]*_want ld\.shared/	ld.shared/|
parked lanes still in|s/^	mov\.pred 	%ccc[0-9]*_in, 0;//|
in not voted|s/^	vote\.sync\.any\.pred 	\(%ccc[0-9]*_more\), \(%ccc[0-9]*_in\),.*/	mov.pred 	\1, \2;/|
END
}
# file and kernel
kernels='memory _Z9k_atomics4Args
memory _Z13k_read_behind4Args
lanes _Z8k_halves4Args
loops _Z11k_long_body4Args'

# Runs a mutant; prints what found it, nothing if nothing did. The second launch has one item for the last lanes, the third no task.
hunt() {
	for items in '800 --arg s32:3' '65 --arg s32:1' '265 --arg s32:0'; do
		more=$(echo "$options" | sed "s/s32:800 --arg s32:3/s32:$items/")
		$PTXRUN "$ptx" "$kernel" $more --block 100 >"$dir/want" 2>"$dir/err" || { echo broken; return; }
		$PTXRUN "$dir/bad.ptx" "$kernel" $more --block 100 --limit 1000000 --seeds "$SEEDS" >"$dir/got" 2>"$dir/err"
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
}

passed=0 failed=0
echo "$kernels" | while read -r file kernel; do
	ptx=tests/diff/$file.ptx
	$PTXCCC "$ptx" -o "$dir/$file.ptx" 2>/dev/null
	options=$(sed -n 's|^// LAUNCH: \* ||p' "$ptx")
	short=$(echo "$kernel" | sed 's/_Z[0-9]*\(k_[a-z_]*\)[0-9]*Args/\1/')
	faults | while IFS='|' read -r name script cannot; do
		sed "$script" "$dir/$file.ptx" >"$dir/bad.ptx"
		case " $cannot " in *" $short "*) continue ;; esac
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
