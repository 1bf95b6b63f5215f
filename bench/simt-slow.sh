#!/bin/sh
# SPDX-License-Identifier: MIT
# Which operands take the slow paths of divisions, reciprocals and roots? Times them on a GPU, and compares with what `ptxrun --ptxas`
# counts by (simt/sass/slow_paths.c): a table in Markdown. Exit code 1 if they differ.
#
#	bench/simt-slow.sh              all of it
#	bench/simt-slow.sh --build      builds the program and stops: build/bench/simt_slow goes to a GPU machine
#	                  --no-build    runs what is there on the GPU
#
# Environment: B (build).
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
. bench/common.sh
[ -z "$build" ] || make -s B="$B" "$B/bench/simt_slow" || exit 2
[ -z "$run" ] || exec "$B/bench/simt_slow"
