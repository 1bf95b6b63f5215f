#!/bin/sh
# SPDX-License-Identifier: MIT
# make-corpus.sh OUTDIR: compiles src/*.cu to PTX in many ways, for run.sh (CORPUS=OUTDIR). By default each architecture and
# each mode occurs, but not every combination. FULL=1: every combination (about 300 modules, half an hour). FEW=1: the quick
# combinations that `make check` uses. Combinations that nvcc rejects, because the architecture lacks a feature, are omitted
# and counted. Needs nvcc.
set -u
out=${1:?usage: make-corpus.sh OUTDIR}
here=$(dirname "$0")
mkdir -p "$out"
made=0 refused=0

compile() { # source architecture mode
	name=$(basename "$1" .cu)
	case $3 in
	O3) flags= ;;
	G) flags=-G ;;
	lineinfo) flags=-lineinfo ;;
	rdc) flags=-rdc=true ;;
	fast) flags="-use_fast_math -lineinfo -src-in-ptx" ;;
	esac
	to=$out/$name-sm_$2-$3.ptx
	[ -s "$to" ] && made=$((made + 1)) && return
	# shellcheck disable=SC2086
	if nvcc -std=c++17 -w $flags -arch=sm_"$2" -ptx -o "$to" "$1" 2>"$out/log"; then
		made=$((made + 1))
	else
		rm -f "$to"
		refused=$((refused + 1))
	fi
}

k=0
for source in "$here"/src/*.cu; do
	for arch in 75 80 90 90a 100a 120; do
		for mode in O3 G lineinfo rdc fast; do
			k=$((k + 1))
			[ "${FULL:-}" ] || [ $((k % 6)) = 1 ] || continue
			case ${FEW:-}$source in 1*/calls.cu | 1*/launch.cu | 1*/groups.cu | [!1]*) ;; *) continue ;; esac
			compile "$source" $arch $mode
		done
	done
	k=$((k + 1)) # so that the next source gets other pairs
done
rm -f "$out/log"
echo "$made modules in $out, $refused refused by nvcc"
