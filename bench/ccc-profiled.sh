#!/bin/sh
# SPDX-License-Identifier: MIT
# Does policy(auto) choose well with a profile? Each program with divergent loops (ccc_*.cu) is built to count, runs one of its sets of
# data, is built with what it counted and runs that set again: a table in Markdown on standard output, with what was chosen. A wrong
# result is exit code 1.
#
#	bench/ccc-profiled.sh
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native), REPS (5), JOBS (of the builds: as many as there are processors), SETS ("bfs:2
# ...", programs and how many sets of data each has), COUNT (arguments of the runs that count: none, the data are the same; --quick: at a
# smaller size). Builds between runs: needs nvcc and a GPU.
cd "$(dirname "$0")/.." || exit 2
. bench/common.sh
SETS=${SETS:-bfs:2 sssp:2 spmv:2 dqg:2 emies:3 ff:2 hash:1 iefa:5 rt:3 md:3}
COUNT=${COUNT:-}
out=build/bench/profiled
mkdir -p $out || exit 2
each() { # COMMAND: with $1, a program, and $2, a set of data, for all of them, several at a time
	for s in $SETS; do
		for k in $(seq "${s#*:}"); do
			echo "${s%:*} $k"
		done
	done | xargs -P "${JOBS:-$(nproc)}" -L 1 sh -c "$1" sh
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
for s in $SETS; do
	for k in $(seq "${s#*:}"); do
		program=$out/${s%:*}.$k
		"$program" --reps "${REPS:-5}" --data "$k" >"$out/row" || status=1
		policy=$(sed -n 's/.*transformed, policy //p' "$program.log" | sort -u | paste -sd ' ')
		sed "s/^/| ${policy:-left} /" "$out/row"
	done
done
exit $status
