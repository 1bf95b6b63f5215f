#!/bin/sh
# SPDX-License-Identifier: MIT
# The speedup of the basic form of CCC on a GPU. Prints tables in Markdown; exit status 1 if a result is wrong.
#
#	bench/ccc-basic.sh              the CCC paper's synthetic kernel (section 6.3): base, annotated, hand-written model
#	bench/ccc-basic.sh --ncu        its warp execution efficiency before and after, by Nsight Compute
#	bench/ccc-basic.sh --bfs        samples/bfs.cu, plain and annotated: R-MAT (4 M vertices, 64 M edges) and a grid
#	bench/ccc-basic.sh --build      builds the programs only: copy build/bench to a GPU machine without a compiler
#	                  --no-build    runs existing programs
#	                  --quick       smaller inputs
#
# Environment: CCCNVCC (build/bin/cccnvcc), NVCC (nvcc), ARCH (native; sm_90 without a GPU), NCU (ncu).
cd "$(dirname "$0")/.." || exit 2
mode=synth modes="ncu bfs"
. bench/common.sh
log2n=30 scale=22 edges=67108864 side=1408
[ -z "$quick" ] || log2n=26 scale=18 edges=4194304 side=512

out=build/bench
if [ -n "$build" ]; then
	mkdir -p $out || exit 2
	"$CCCNVCC" $FLAGS -o $out/ccc_basic bench/ccc_basic.cu || exit 2
	"$CCCNVCC" $FLAGS -o $out/bfs_ccc samples/bfs.cu || exit 2
	"$NVCC" -diag-suppress 20199 $FLAGS -o $out/bfs_base samples/bfs.cu || exit 2
fi
[ -n "$run" ] || exit 0

# Joins the lines of bfs_base and bfs_ccc that have the same number of threads.
bfs_table() {
	awk '
	FNR == 1 { file++ }
	/^(grid|R-MAT)/ && file == 1 { print "\n" $0 "\n"
		print "| threads | blocks | levels | base ms | ccc ms | ccc/base | result |"
		print "| --: | --: | --: | --: | --: | --: | --- |" }
	$1 ~ /^[0-9]+$/ && file == 1 { base[$1] = $4; result[$1] = $6 }
	$1 ~ /^[0-9]+$/ && file == 2 {
		printf "| %d | %d | %d | %.3f | %.3f | %.2fx | %s |\n", $1, $2, $3, base[$1], $4, base[$1] / $4,
			result[$1] == "ok" && $6 == "ok" ? "ok" : "WRONG" }
	' "$@"
}

case $mode in
synth)
	exec $out/ccc_basic --log2n $log2n ;;
bfs)
	rc=0
	for graph in "--scale $scale --edges $edges" "--grid $side"; do
		for v in base ccc; do
			$out/bfs_$v $graph --threads 32,96,100,256,1024 --reps 5 >$out/bfs_$v.txt || rc=1
		done
		bfs_table $out/bfs_base.txt $out/bfs_ccc.txt
	done
	exit $rc ;;
ncu)
	# One line per kernel, in the order of the launches: for each policy, L and k base, ccc, model.
	metric=smsp__thread_inst_executed_per_inst_executed.ratio
	"$NCU" --csv --metrics $metric $out/ccc_basic --once --log2n 24 >$out/ncu.csv || { cat $out/ncu.csv >&2; exit 2; }
	echo "Warp execution efficiency: $metric / 32"
	echo
	echo "| L | k | base | stack | model | queue | model |"
	echo "| --: | --: | --: | --: | --: | --: | --: |"
	awk -F '","' -v metric=$metric '
	BEGIN { nl = split("5 20 50 100", L, " "); nk = split("1 4 8 16 24 31", K, " ") }
	index($0, metric) {
		gsub(/"/, "", $NF)
		e[n++] = $NF / 32 * 100
	}
	END {
		q = 3 * nl * nk
		if (n != 2 * q) { print "ncu gave " n + 0 " kernels, not " 2 * q; exit 2 }
		for (i = 0; i < nl * nk; ++i)
			printf "| %s | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", L[int(i / nk) + 1], K[i % nk + 1],
				e[3 * i], e[3 * i + 1], e[3 * i + 2], e[q + 3 * i + 1], e[q + 3 * i + 2]
	}' $out/ncu.csv ;;
esac
