#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures pool.cu on a GPU: each thread has one item, and few threads run a long loop. Prints the best time of ten launches in
# milliseconds for the plain kernel, with remap, with a task loop, and for code by hand. Exit status 1 if results differ.
#
#	bench/pool.sh        environment: CCCNVCC (build/bin/cccnvcc), NVCC, ARCH (native), LAUNCH ("build/bin/ptxrun --"), SCALE (1)
cd "$(dirname "$0")/.." || exit 2
cccnvcc=${CCCNVCC:-build/bin/cccnvcc} out=$(mktemp -d) status=0
trap 'rm -rf "$out"' EXIT
flags="-O3 -arch=${ARCH:-native} bench/pool.cu"
${NVCC:-nvcc} $flags -o "$out/plain" && "$cccnvcc" --ccc-choose=always -DREMAP $flags -o "$out/remap" &&
	"$cccnvcc" --ccc-choose=always -DGRID $flags -o "$out/grid" || exit 1
echo "| items | lanes of 1,024 | steps | plain ms | remap | task loop | by hand |"
echo "| --: | --: | --: | --: | --: | --: | --: |"
while read -r n part steps; do
	n=$((n / ${SCALE:-1}))
	for way in plain remap grid hand; do
		program=$way kernel=plain
		[ $way != hand ] || program=plain kernel=hand
		${LAUNCH:-} "$out/$program" "$n" "$part" "$steps" $kernel || echo failed
	done >"$out/lines"
	[ "$(cut -d ' ' -f 1 "$out/lines" | sort -u | wc -l)" = 1 ] || { echo "results differ" >&2; status=1; }
	awk -v head="| $n | $part | $steps" '{ printf "%s | %.4f", NR == 1 ? head : "", $2 } END { print " |" }' "$out/lines"
done <<'END'
16000000 128 40
16000000 32 200
16000000 512 40
4000000 16 400
END
exit $status
