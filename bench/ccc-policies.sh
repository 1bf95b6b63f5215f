#!/bin/sh
# SPDX-License-Identifier: MIT
# The synthetic kernel under every policy, compared with hand-written models. Prints tables in Markdown; exit status 1 if a
# result is wrong.
#
#	bench/ccc-policies.sh
#	                  --build      builds the program only: copy build/bench to a GPU machine without a compiler
#	                  --no-build   runs existing programs
#	                  --quick      2^26 items
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native; sm_90 without a GPU).
cd "$(dirname "$0")/.." || exit 2
. bench/common.sh
if [ "$quick" ]; then log2n=26; else log2n=30; fi
out=build/bench
if [ -n "$build" ]; then
	mkdir -p $out || exit 2
	"$CCCNVCC" $FLAGS -o $out/ccc_policies bench/ccc_policies.cu || exit 2
fi
[ -z "$run" ] || exec $out/ccc_policies --log2n $log2n
