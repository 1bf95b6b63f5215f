#!/bin/sh
# SPDX-License-Identifier: MIT
# The samples without their annotations, on a GPU: compiled by nvcc, and by `--ccc-auto` with a profile of the same data,
# which an instrumented program writes there; also the annotated samples, each with its profile. Prints a table in
# Markdown: for each the sum of the times that it prints, the minimum of REPS alternating runs. Exit status 1 if a result is
# wrong.
#
#	bench/auto.sh [NAME...]
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native), REPS (3), JOBS (number of processors). Builds between runs: needs
# nvcc and a GPU.
cd "$(dirname "$0")/.." || exit 2
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} NVCC=${NVCC:-nvcc} ARCH=${ARCH:-native} REPS=${REPS:-3}
out=build/bench/auto
FLAGS="-O3 -std=c++17 -arch=$ARCH -Wno-deprecated-gpu-targets -diag-suppress 20199"
[ $# -gt 0 ] || set -- $(for f in samples/*.cu; do basename "$f" .cu; done)
mkdir -p $out && cp samples/sample.cuh $out || exit 2
status=0
each() { # COMMAND NAME...: the command for all names, several at a time; {} is the name
	command=$1
	shift
	printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -e -c "$command" || exit 2
}
build="\"$CCCNVCC\" $FLAGS"
for name; do
	grep -v '#pragma ccc' "samples/$name.cu" >"$out/$name.cu"
	cp "samples/$name.cu" "$out/$name.ccc.cu"
done
counts="--ccc-profile-generate --ccc-profile-sampling=0"
each "$NVCC $FLAGS $out/{}.cu -o $out/{}.plain
	$build --ccc-auto $counts $out/{}.cu -o $out/{}.auto-counts
	$build $counts $out/{}.ccc.cu -o $out/{}.ccc-counts" "$@" 2>$out/built.log
for name; do
	for way in auto ccc; do
		rm -f "$out/$name.$way.cccprof"
		CCC_PROFILE_FILE=$out/$name.$way.cccprof "$out/$name.$way-counts" >/dev/null || { echo "$name.$way-counts: wrong" >&2; status=1; }
		[ -s "$out/$name.$way.cccprof" ] || echo 'cccprof 1' >"$out/$name.$way.cccprof"
	done
done
each "$build --ccc-auto --ccc-no-timed --ccc-profile-use=$out/{}.auto.cccprof --ccc-report=$out/{}.auto.txt $out/{}.cu -o $out/{}.auto 2>$out/{}.auto.log
	$build --ccc-profile-use=$out/{}.ccc.cccprof --ccc-report=$out/{}.ccc.txt $out/{}.ccc.cu -o $out/{}.ccc 2>$out/{}.ccc.log" "$@"

policies() { # REPORT: what was taken, and what was expected of it
	[ -s "$1" ] || { echo 'none | '; return; }
	awk '/transformed, policy/ { p = p sep $NF; sep = ", " } /^  expected:/ { e = e more $2; more = ", " }
		END { printf "%s | %s\n", p ? p : "none", e }' "$1"
}
echo "| sample | as written, ms | --ccc-auto takes | expects | ms | gain | annotated takes | expects | ms | gain |"
echo "| --- | --: | --- | --- | --: | --: | --- | --- | --: | --: |"
for name; do
	: >"$out/times"
	for rep in $(seq "$REPS"); do
		for way in plain auto ccc; do
			"$out/$name.$way" >"$out/printed" || { echo "$name.$way: wrong" >&2; status=1; }
			awk -v way=$way '/(ok|WRONG)$/ { for (i = NF; i; i--) if ($i ~ /^[0-9]+\.[0-9]+$/) { sum += $i; break } }
				END { print way, sum }' "$out/printed" >>"$out/times"
		done
	done
	awk -v name="$name" -v auto="$(policies $out/$name.auto.txt)" -v ccc="$(policies $out/$name.ccc.txt)" '
		!($1 in t) || $2 < t[$1] { t[$1] = $2 }
		END { printf "| `%s` | %.3f | %s | %.3f | %.2fx | %s | %.3f | %.2fx |\n", name, t["plain"], auto, t["auto"],
			t["plain"] / t["auto"], ccc, t["ccc"], t["plain"] / t["ccc"] }' "$out/times" || status=1
done
exit $status
