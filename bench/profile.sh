#!/bin/sh
# SPDX-License-Identifier: MIT
# profile.sh: what counting costs on a GPU, and whether a program writes its profile there: bfs as it is, and with counters of every
# 8th block and of all. CCCNVCC and ARCH as in the other scripts.
set -u
cd "$(dirname "$0")/.." || exit 2
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} ARCH=${ARCH:-sm_90}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
for sample in bfs primes synthetic; do
	"$CCCNVCC" --ccc-off -O3 -arch=$ARCH samples/$sample.cu -o "$tmp/off" 2>/dev/null
	"$CCCNVCC" --ccc-profile-generate -O3 -arch=$ARCH samples/$sample.cu -o "$tmp/eighth" || exit 1
	"$CCCNVCC" --ccc-profile-generate --ccc-profile-sampling=0 -O3 -arch=$ARCH samples/$sample.cu -o "$tmp/all" || exit 1
	for way in off eighth all; do
		echo "== $sample, $way"
		(cd "$tmp" && CCC_PROFILE_FILE="$tmp/$sample-$way.cccprof" ./$way)
	done
	"$(dirname "$CCCNVCC")/ptxccc" profile show "$tmp/$sample-all.cccprof"
	"$(dirname "$CCCNVCC")/ptxccc" profile overlap "$tmp/$sample-eighth.cccprof" "$tmp/$sample-all.cccprof"
done
