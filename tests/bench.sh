#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh: benchmark programs at small size on the emulator. Original, annotated and hand-written kernels give the same
# results, and every annotated loop is transformed. A program of bench/decisions gives the same results under all of its plans.
# Needs nvcc.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
passed=0 failed=0 skipped=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
. tests/cuda.sh
sanitizers=
case $B in */san) sanitizers=$(cc -print-file-name=libasan.so) ;; esac

for program in ccc_policies ccc_bfs ccc_spmv ccc_sssp ccc_rt ccc_emies ccc_dqg ccc_ff ccc_specrec ccc_md ccc_kato ccc_hash ccc_iefa ccc_itdelay ccc_predict ccc_brdist ccc_tdr ccc_walk ccc_search ccc_sets ccc_paths ccc_wait ccc_coalesced; do
	if [ -z "$nvcc" ]; then
		skipped=$((skipped + 1))
		continue
	fi
	rm -f "$tmp/counts"
	CCC_NVCC=$nvcc "$B/bin/cccnvcc" --ccc-choose=always --ccc-report -O3 -std=c++17 -arch=sm_90 -cudart shared -o "$tmp/$program" "bench/$program.cu" >"$tmp/log" 2>&1
	if ! grep -q -E '^([1-9][0-9]*) of \1 annotated (loops transformed|branches melded|branches remapped)' "$tmp/log"; then
		failed=$((failed + 1))
		echo "FAIL bench $program: $(tail -n 1 "$tmp/log")"
	elif ! ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers "$B/bin/ptxrun" --counts="$tmp/counts" -- "$tmp/$program" --small >"$tmp/out" 2>&1; then
		failed=$((failed + 1))
		echo "FAIL bench $program: $(tail -n 3 "$tmp/out")"
	elif ! awk 'NR > 1 { n += $2 } END { exit n < 1000 }' "$tmp/counts"; then
		failed=$((failed + 1))
		echo "FAIL bench $program: no kernel ran"
	else
		passed=$((passed + 1))
	fi
done
if [ -z "$nvcc" ]; then
	skipped=$((skipped + 1))
elif ! CCC_NVCC=$nvcc NVCC=$nvcc CCCNVCC=$B/bin/cccnvcc LAUNCH="env ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers $B/bin/ptxrun --" \
	UNSEEN_SCALE=0.001 ARCH=sm_90 ROUNDS=1 REPEAT=1 WORK=$tmp/decisions bench/decisions.sh calls >"$tmp/out" 2>"$tmp/log" ||
	[ "$(grep -c '^| calls | [ab] | [0-9.]* | .* | 1: [0-9]' "$tmp/out")" != 2 ]; then
	failed=$((failed + 1))
	echo "FAIL bench decisions: $(cat "$tmp/log" "$tmp/out" | tail -n 3)"
else
	passed=$((passed + 1))
fi
echo "bench: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
