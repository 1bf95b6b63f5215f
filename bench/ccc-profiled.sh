#!/bin/sh
# SPDX-License-Identifier: MIT
# How well policy(auto) selects with a profile: each program with divergent loops (ccc_*.cu) is built with counters, runs one
# of its data sets, is built with the profile, and runs that data set again. Prints a table in Markdown that includes the
# selected plans; exit status 1 if a result is wrong.
#
#	bench/ccc-profiled.sh
#	                      --plans    also runs each legal plan: the table has the best of POLICIES, and its ratio to the selected one
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native), REPS (5), JOBS (of the builds: number of processors), SETS ("bfs:2
# ...", programs and their number of data sets), COUNT (arguments of the counting runs: none, which means the same data;
# --quick: smaller size), POLICIES (all candidates of auto). Builds between runs: needs nvcc and a GPU.
cd "$(dirname "$0")/.." || exit 2
modes=plans
. bench/common.sh
POLICIES=${POLICIES:-stack queue queue(2) queue(4) queue(8) expand ahead(8) ahead flatten wait}
SETS=${SETS:-bfs:3 sssp:3 spmv:3 dqg:2 emies:3 ff:2 hash:1 iefa:5 rt:3 md:3}
COUNT=${COUNT:-}
out=build/bench/profiled
mkdir -p $out || exit 2
each() { # COMMAND: with $1, a program, and $2, a set of data, for all of them, several at a time
	for s in $SETS; do
		for k in $(seq "${s#*:}"); do
			echo "${s%:*} $k"
		done
	done | xargs -P "${JOBS:-$(nproc)}" -L 1 sh -e -c "$1" sh
}
# A program built with a policy that no annotation takes is not a plan.
plans() {
	for s in $SETS; do
		for policy in $POLICIES; do
			echo "${s%:*} $policy"
		done
	done | xargs -P "${JOBS:-$(nproc)}" -L 1 sh -c '"$CCCNVCC" --ccc-policy="$2" --ccc-report $FLAGS \
		-o "$out/$1.$2" "bench/ccc_$1.cu" 2>"$out/$1.$2.log"' sh || exit 2
	for s in $SETS; do
		for policy in $POLICIES; do
			grep -q '^  transformed' "$out/${s%:*}.$policy.log" || continue
			"$out/${s%:*}.$policy" --reps "${REPS:-5}" >"$out/row" || exit 1
			sed "s/^/| $policy /" "$out/row"
		done
	done
}
# The best plan of each row, from rows of plans and the rows by profile: speedups over the original in the same process.
best() {
	awk -F ' *[|] *' '
	BEGIN {
		print "| program | data | by profile | gains | best plan | gains | by profile/best |"
		print "| --- | --- | --- | --: | --- | --: | --: |"
	}
	{ row = $3 " | " $4; gain = $5 / $6 }
	NR == FNR { if (gain > most[row]) { most[row] = gain; plan[row] = $2 } next }
	{
		if (most[row] < 1) { most[row] = 1; plan[row] = "left" }
		printf "| %s | %s | %.2fx | %s | %.2fx | %.3f |\n", row, $2, gain, plan[row], most[row], gain / most[row]
	}' "$out/plans" "$out/rows"
}
export FLAGS COUNT out
for s in $SETS; do
	echo "${s%:*}"
done | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -c '"$CCCNVCC" $FLAGS --ccc-profile-generate --ccc-profile-sampling=0 \
	-o "$out/{}.counts" "bench/ccc_{}.cu" 2>"$out/{}.log"' || exit 2
each 'rm -f "$out/$1.$2.cccprof"
	CCC_PROFILE_FILE=$out/$1.$2.cccprof "$out/$1.counts" $COUNT --reps 1 --data $2 >/dev/null
	"$CCCNVCC" $FLAGS --ccc-report --ccc-profile-use="$out/$1.$2.cccprof" -o "$out/$1.$2" "bench/ccc_$1.cu" 2>"$out/$1.$2.log"' || exit 2
echo "| policy | program | data | base ms | ccc ms | by hand ms | ccc/base | by hand/base | ccc/by hand | results | one task a thread ms |"
echo "| --- | --- | --- | --: | --: | --: | --: | --: | --: | --- | --: |"
status=0
: >"$out/rows"
for s in $SETS; do
	for k in $(seq "${s#*:}"); do
		program=$out/${s%:*}.$k
		"$program" --reps "${REPS:-5}" --data "$k" >"$out/row" || status=1
		policy=$(sed -n 's/.*transformed, policy //p' "$program.log" | sort -u | paste -sd ' ')
		sed "s/^/| ${policy:-left} /" "$out/row" | tee -a "$out/rows"
	done
done
if [ "${mode:-}" ]; then
	plans >"$out/plans" || status=1
	echo
	best
fi
exit $status
