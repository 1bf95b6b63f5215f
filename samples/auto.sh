#!/bin/sh
# SPDX-License-Identifier: MIT
# auto.sh [NAME...]: what --ccc-auto makes of the samples without their annotations. Each is built to
# count, run, and built by what it counted; then warp instructions of all its kernels, as nvcc makes
# them and so. Counted by ptxrun: no GPU is needed, but nvcc is.
set -eu
cd "$(dirname "$0")/.."
bin=build/bin out=build/auto
. tests/cuda.sh
. samples/counted.sh
mkdir -p $out

build() { # COMPILER NAME PROGRAM OPTIONS
	compiler=$1 name=$2 program=$3
	shift 3
	"$compiler" -std=c++17 -arch=compute_80 -cudart shared "$@" "$out/$name.cu" -o "$out/$program"
}
auto() { CCC_NVCC=$nvcc build "$bin/cccnvcc" "$@" --ccc-auto --ccc-no-timed; }
row() { # NAME OPTIONS
	name=$1
	shift
	grep -v '#pragma ccc' "samples/$name.cu" >"$out/$name.cu"
	cp samples/sample.cuh $out
	build "$nvcc" "$name" "$name-plain"
	auto "$name" "$name-counts" --ccc-profile-generate --ccc-profile-sampling=0
	rm -f "$out/$name.cccprof"
	CCC_PROFILE_FILE=$out/$name.cccprof "$bin/ptxrun" --no-races --counts="$out/counts" -- \
		"$out/$name-counts" "$@" >/dev/null
	[ -s "$out/$name.cccprof" ] || echo 'cccprof 1' >"$out/$name.cccprof"
	auto "$name" "$name-auto" "--ccc-profile-use=$out/$name.cccprof" "--ccc-report=$out/$name.report.txt" 2>"$out/$name.told"
	taken=$(sed -n 's/.*transformed, policy //p; s/^  melded: .*/distribute/p' "$out/$name.report.txt" 2>/dev/null | sort | uniq -c | awk '{ printf "%s%s", sep, $2; sep = ", " }')
	echo "$(count "$name-plain" "$@") $(count "$name-auto" "$@")" |
		awk -v name="$name" -v taken="${taken:-none}" -v options="$*" '{
			printf "| `%s` | %s | %.0f %% | %.0f %% | %.2f | `%s` |\n", name, taken,
				100 * $2 / $1 / 32, 100 * $4 / $3 / 32, $3 / $1, options }'
}
echo "| sample | policy taken | active lanes, as written | with --ccc-auto | warp instructions | run with |"
echo "| --- | --- | --: | --: | --: | --- |"
rows "$@"
