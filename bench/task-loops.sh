#!/bin/sh
# SPDX-License-Identifier: MIT
# The speedup of a task loop on a GPU, and how it depends on the number of resident blocks: samples/mandelbrot.cu, plain and
# annotated, with 1, 2, 4, 8 and 16 blocks per multiprocessor and with ptxccc's choice. Prints a table in Markdown; exit
# status 1 if a result is wrong.
#
#	bench/task-loops.sh             builds and measures
#	                  --build       builds the programs only: copy build/bench to a GPU machine without a compiler
#	                  --no-build    runs existing programs
#	                  --quick       smaller inputs
#
# Environment: CCCNVCC (build/bin/cccnvcc), NVCC (nvcc), ARCH (native; sm_90 without a GPU).
cd "$(dirname "$0")/.." || exit 2
. bench/common.sh
sizes='8192 16384' depths='200 2000 20000'
[ -z "$quick" ] || sizes=2048 depths='200 2000'

out=build/bench
ways='base auto 1 2 4 8 16'
if [ -n "$build" ]; then
	mkdir -p $out || exit 2
	for way in $ways; do
		case $way in
		base) "$NVCC" -diag-suppress 20199 $FLAGS -o $out/tasks_base samples/mandelbrot.cu || exit 2 ;;
		auto) "$CCCNVCC" --ccc-report $FLAGS -o $out/tasks_auto samples/mandelbrot.cu || exit 2 ;;
		*) "$CCCNVCC" --ccc-grid-blocks=$way $FLAGS -o $out/tasks_$way samples/mandelbrot.cu || exit 2 ;;
		esac
	done
fi
[ -n "$run" ] || exit 0

echo "| pixels | steps | $(echo "$ways" | sed 's/ / | /g') | auto/base |"
echo "$ways" | awk '{ printf "| --: | --: |"; for (i = 0; i <= NF; i++) printf " --: |"; print "" }'
rc=0
for size in $sizes; do
	for depth in $depths; do
		row="| $size^2 | $depth |" base=
		for way in $ways; do
			said=$($out/tasks_$way --size "$size" --depth "$depth") || rc=1
			ms=$(echo "$said" | sed -n 's/.*: \([0-9.]*\) ms.*/\1/p')
			[ -n "$ms" ] || rc=1
			row="$row ${ms:-failed} |"
			case $way in base) base=$ms ;; auto) auto=$ms ;; esac
		done
		echo "$row $(awk "BEGIN { printf \"%.2fx\", ${base:-0} / (${auto:-1}) }") |"
	done
done
exit $rc
