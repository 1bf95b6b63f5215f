#!/bin/sh
# run.sh: the first 600 random kernels (tests/gen/gen.h), as they are and transformed, and whether
# enough launches entered the transformed loops. `make fuzz-diff N=... SEED=...` runs more.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) N=${N:-200} ;; *) N=${N:-600} ;; esac
timeout 100 "$B/tests/fuzz_diff" -n "$N" -s 1 2>&1
