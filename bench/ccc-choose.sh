#!/bin/sh
# SPDX-License-Identifier: MIT
# How well policy(auto) selects: programs with divergent loops (ccc_*.cu) under each applicable policy and under auto. Prints
# a table in Markdown of base time divided by time; exit status 1 if a result is wrong. Annotations that name a policy keep
# it.
#
#	bench/ccc-choose.sh
#	                  --build      builds the programs only
#	                  --no-build   runs existing programs
#	                  --quick      less work
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native; sm_90 without a GPU), PROGRAMS, POLICIES (all), REPS (5), JOBS (of
# the build: number of processors).
cd "$(dirname "$0")/.." || exit 2
PROGRAMS=${PROGRAMS:-bfs sssp spmv rt emies dqg ff specrec md kato}
POLICIES=${POLICIES:-auto stack queue queue(4) queue(8) expand ahead(8) ahead flatten converge wait}
. bench/common.sh
out=build/bench/choose
export FLAGS
if [ -n "$build" ]; then
	mkdir -p $out || exit 2
	for p in $PROGRAMS; do
		for policy in $POLICIES; do
			echo "$p $policy"
		done
	done | xargs -P "${JOBS:-$(nproc)}" -L 1 sh -c '"$CCCNVCC" --ccc-policy="$2" --ccc-report $FLAGS \
		-o "$0/$1.$2" "bench/ccc_$1.cu" 2>"$0/$1.$2.log"' $out || exit 2
fi
[ -n "$run" ] || exit 0
echo "| policy | program | data | base ms | ccc ms | by hand ms | ccc/base | by hand/base | ccc/by hand | results |"
echo "| --- | --- | --- | --: | --: | --: | --: | --: | --: | --- |"
status=0
for p in $PROGRAMS; do
	for policy in $POLICIES; do
		# omits the row of a policy that no site of the program takes
		grep -q '^  transformed' "$out/$p.$policy.log" || [ "$policy" = auto ] || continue
		"$out/$p.$policy" --reps "${REPS:-5}" $quick >"$out/rows" || status=$?
		sed "s/^/| $policy /" "$out/rows"
	done
done
exit $status
