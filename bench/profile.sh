#!/bin/sh
# SPDX-License-Identifier: MIT
# profile.sh: the cost of counting on a GPU, and whether a program writes its profile there. Runs samples without annotations;
# with markers, which keep nvcc from unrolling annotated loops; and with counters in every 8th block, every 64th, and all.
# Prints a table in Markdown: for each the sum of the times that it prints, the minimum of REPS alternating runs, and the
# ratios of the other versions. Then the counts, and the similarity of the profiles of every 8th block and of all blocks.
#
#	bench/profile.sh [NAME...]
#
# Environment: CCCNVCC (build/bin/cccnvcc), ARCH (native), REPS (3), JOBS (number of processors). Needs nvcc and a GPU.
cd "$(dirname "$0")/.." || exit 2
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} ARCH=${ARCH:-native} REPS=${REPS:-3}
PTXCCC=$(dirname "$CCCNVCC")/ptxccc out=build/bench/profile
[ $# -gt 0 ] || set -- $(for f in samples/*.cu; do basename "$f" .cu; done)
mkdir -p $out || exit 2
build="\"$CCCNVCC\" -O3 -std=c++17 -arch=$ARCH -Wno-deprecated-gpu-targets -diag-suppress 20199"
counts="$build --ccc-profile-generate"
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh -c "$build --ccc-off samples/{}.cu -o $out/{}.off &&
	$build --ccc-markers-only samples/{}.cu -o $out/{}.markers && $counts samples/{}.cu -o $out/{}.8th && $counts --ccc-profile-sampling=6 samples/{}.cu -o $out/{}.64th &&
	$counts --ccc-profile-sampling=0 samples/{}.cu -o $out/{}.all" || exit 1
status=0
echo "| sample | ms | with markers | counting every 8th block | every 64th | all |"
echo "| --- | --: | --: | --: | --: | --: |"
for name; do
	: >$out/times
	rm -f $out/$name.*.cccprof
	for rep in $(seq "$REPS"); do
		for way in off markers 8th 64th all; do
			CCC_PROFILE_FILE=$out/$name.$way.cccprof $out/$name.$way >$out/printed || { echo "$name.$way: wrong" >&2; status=1; }
			awk -v way=$way '/(ok|WRONG)$/ { for (i = NF; i; i--) if ($i ~ /^[0-9]+\.[0-9]+$/) { sum += $i; break } }
				END { print way, sum }' $out/printed >>$out/times
		done
	done
	awk -v name="$name" '!($1 in t) || $2 < t[$1] { t[$1] = $2 }
		END { printf "| `%s` | %.3f | %.2f | %.2f | %.2f | %.2f |\n", name, t["off"],
			t["markers"] / t["off"], t["8th"] / t["off"], t["64th"] / t["off"], t["all"] / t["off"] }' $out/times || status=1
done
for name; do
	echo
	"$PTXCCC" profile show $out/$name.all.cccprof || status=1
	"$PTXCCC" profile overlap $out/$name.8th.cccprof $out/$name.all.cccprof || status=1
done
exit $status
