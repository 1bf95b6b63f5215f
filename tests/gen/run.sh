#!/bin/sh
# run.sh: the first 300 random kernels (tests/gen/gen.h), as they are and transformed. `make fuzz-diff N=... SEED=...` runs more.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
timeout 100 "$B/tests/fuzz_diff" -n "${N:-300}" -s 1 2>&1
