#!/bin/sh
# SPDX-License-Identifier: MIT
# lanes.sh [NAME...]: the table of README.md: how many lanes of a warp are on in the samples'
# kernels, as written and annotated, and how many warp instructions are issued. Counted by ptxrun:
# no GPU is needed, but nvcc is. All kernels of a program, all launches.
set -eu
cd "$(dirname "$0")/.."
bin=build/bin out=build/lanes
. tests/cuda.sh
mkdir -p $out

# Small enough for minutes, so large that each thread goes through its loop often.
table="
assign --walks 16384 --blocks 2
bfs --scale 14 --reps 1 --blocks 8
crosssections --particles 16384 --blocks 2
delay --photons 512 --steps 60
distribute --rays 65536 --blocks 2
dqg --points 4096 --blocks 2
emies --observers 1024 --blocks 2
ff --points 131072 --blocks 2
hash --pairs 65536 --blocks 2
iefa --numbers 131072 --blocks 2
mandelbrot --size 512 --depth 1000
md --particles 8192 --blocks 2
montecarlo --particles 65536 --one-in 32
ode --systems 8192 --blocks 2
predict --particles 16384 --threads 512
primes --count 32768
remap --hits 16384
rt --rays 32768 --blocks 2
spmv --rows 65536 --blocks 2
sssp --vertices 8192 --blocks 2
strings --strings 65536 --blocks 2
synthetic --items 65536 --length 20 --lanes 4
unify --items 65536 --steps 40 --blocks 2
"
build() { # COMPILER NAME PROGRAM
	"$1" -std=c++17 -arch=compute_80 -cudart shared -diag-suppress 20199 \
		"samples/$2.cu" -o "$out/$3"
}
count() { # PROGRAM OPTIONS: warp instructions, thread instructions
	name=$1
	shift
	"$bin/ptxrun" --no-races --counts="$out/counts" -- "$out/$name" "$@" >/dev/null
	awk -F '\t' 'NR > 1 { w += $2; t += $3 } END { print w, t }' "$out/counts"
}
row() { # NAME OPTIONS
	name=$1
	shift
	build "$nvcc" "$name" "$name-written"
	CCC_FLAGS='--ccc-sms=1 --ccc-grid-blocks=3' CCC_NVCC=$nvcc \
		build $bin/cccnvcc "$name" "$name"
	echo "$(count "$name-written" "$@") $(count "$name" "$@")" |
		awk -v name="$name" -v options="$*" '{
			printf "| `%s` | %.0f %% | %.0f %% | %.2f | `%s` |\n", name,
				100 * $2 / $1 / 32, 100 * $4 / $3 / 32, $3 / $1, options }'
}
echo "| sample | lanes on, as written | annotated | warp instructions | run with |"
echo "| --- | --: | --: | --: | --- |"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(echo "$table" | awk '{ print $1 }')
for wanted; do
	# shellcheck disable=SC2046
	row $(echo "$table" | grep "^$wanted ")
done
