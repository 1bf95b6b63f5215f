#!/bin/sh
# SPDX-License-Identifier: MIT
# The synthetic kernel under every policy beside models written by hand: tables in Markdown on standard output, a wrong result is
# exit code 1.
#
#	bench/ccc-policies.sh
#	                  --build      builds the program and stops: build/bench goes to a GPU machine without a compiler
#	                  --no-build   runs what is there
#	                  --quick      2^26 items
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native; sm_90 where there is no GPU).
cd "$(dirname "$0")/.." || exit 2
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc}
if [ -z "$ARCH" ]; then
	if nvidia-smi -L >/dev/null 2>&1; then ARCH=native; else ARCH=sm_90; fi
fi
build=yes run=yes log2n=30
for arg; do
	case $arg in
	--build) run= ;;
	--no-build) build= ;;
	--quick) log2n=26 ;;
	*) sed -n '/^# [A-Z][a-z]/,/^$/{ /^$/q; s/^# \{0,1\}//p; }' "$0" >&2; exit 2 ;;
	esac
done
out=build/bench
if [ -n "$build" ]; then
	mkdir -p $out || exit 2
	"$CCCNVCC" -O3 -std=c++17 -arch="$ARCH" -Wno-deprecated-gpu-targets -o $out/ccc_policies bench/ccc_policies.cu || exit 2
fi
[ -z "$run" ] || exec $out/ccc_policies --log2n $log2n
