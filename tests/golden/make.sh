#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: regenerates the golden tests' PTX from src/*.cu, with markers and untransformed (a first line "// OPTIONS: ..."
# adds options of nvcc). The expectations depend on the compiler's version, so run this by hand, then run.sh -b, and review
# the result. Needs nvcc.
set -eu
cd "$(dirname "$0")"
for source in src/*.cu; do
	name=$(basename "$source" .cu)
	options=$(sed -n '1s|^// OPTIONS: ||p' "$source")
	for arch in 80 100; do
		out=$name.ptx
		[ $arch = 100 ] && out=${name}_100.ptx
		# shellcheck disable=SC2086
		../../build/bin/cccnvcc --ccc-markers-only -rdc=false -ptx -arch=compute_$arch -diag-suppress 177 $options "$source" -o tmp.ptx
		run=$(sed -n '1{/^\/\/ RUN:/p;}' "$out" 2>/dev/null || true)
		{ echo "${run:-// RUN: --dump=plan --report}"; sed "s|$PWD/||" tmp.ptx; } >tmp.new
		mv tmp.new "$out"
	done
done
rm -f tmp.ptx
