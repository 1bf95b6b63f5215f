#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with divergent loops: original, annotated and hand-written versions, each program in one process. Prints a table in
# Markdown; exit status 1 if a result is wrong.
#
#	bench/ccc-programs.sh
#	                  --build      builds the programs only: copy build/bench to a GPU machine without a compiler
#	                  --no-build   runs existing programs
#	                  --quick      less work
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native; sm_90 without a GPU), PROGRAMS (all), REPS (7).
cd "$(dirname "$0")/.." || exit 2
PROGRAMS=${PROGRAMS:-bfs spmv sssp rt emies dqg ff hash iefa specrec md kato brdist tdr walk search sets paths wait tasks}
. bench/common.sh
out=build/bench
if [ -n "$build" ]; then
	mkdir -p $out || exit 2
	for p in $PROGRAMS; do
		"$CCCNVCC" $FLAGS -o $out/ccc_$p bench/ccc_$p.cu || exit 2
	done
fi
[ -n "$run" ] || exit 0
echo "| program | data | base ms | ccc ms | by hand ms | ccc/base | by hand/base | ccc/by hand | results | one task a thread ms |"
echo "| --- | --- | --: | --: | --: | --: | --: | --: | --- | --: |"
status=0
for p in $PROGRAMS; do
	$out/ccc_$p --reps "${REPS:-7}" $quick || status=$?
done
exit $status
