#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: the first 600 random kernels (tests/gen/gen.h), as they are and transformed, and whether
# enough launches entered the transformed loops. `make fuzz-diff N=... SEED=...` runs more. Before that,
# shrink.sh on a text whose fault needs two lines.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in *san*) N=${N:-200} ;; *) N=${N:-600} ;; esac
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
bad=0
seq 40 >"$tmp/text"
sh tests/gen/shrink.sh "$tmp/text" awk '/^(7|31)$/ { n++ } END { exit n != 2 }' >/dev/null
[ "$(cat "$tmp/text.small")" = "7
31" ] || { echo "FAIL gen shrink.sh"; bad=1; }
timeout 2000 "$B/tests/fuzz_diff" -n "$N" -s 1 2>&1 && [ $bad = 0 ]
