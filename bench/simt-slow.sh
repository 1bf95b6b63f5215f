#!/bin/sh
# SPDX-License-Identifier: MIT
# Determines by timing on a GPU which operands take the slow paths of divisions, reciprocals and square roots, and compares
# with the rules of `ptxrun --ptxas` (simt/sass/slow_paths.c). Prints a table in Markdown; exit status 1 if they differ.
#
#	bench/simt-slow.sh              everything
#	bench/simt-slow.sh --build      builds the program only: copy build/bench/simt_slow to a GPU machine
#	                  --no-build    runs the existing program on the GPU
#
# Environment: B (build).
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
. bench/common.sh
[ -z "$build" ] || make -s B="$B" "$B/bench/simt_slow" || exit 2
[ -z "$run" ] || exec "$B/bench/simt_slow"
