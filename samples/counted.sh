# SPDX-License-Identifier: MIT
# counted.sh: common part of the scripts that count the samples' instructions. They set bin and out, the folders of programs, and source it.
# shellcheck shell=sh disable=SC2154

# Small enough to run in minutes, but large enough that each thread runs many iterations of its loop.
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
shaders --hits 16384
spmv --rows 65536 --blocks 2
sssp --vertices 8192 --blocks 2
strings --strings 65536 --blocks 2
synthetic --items 65536 --length 20 --lanes 4
unify --items 65536 --steps 40 --blocks 2
"
count() { # PROGRAM OPTIONS: warp instructions, thread instructions
	name=$1
	shift
	"$bin/ptxrun" --no-races --counts="$out/counts" -- "$out/$name" "$@" >/dev/null
	awk -F '\t' 'NR > 1 { w += $2; t += $3 } END { print w, t }' "$out/counts"
}
rows() { # [NAME...]: a row of each, or of all
	# shellcheck disable=SC2046
	[ $# -gt 0 ] || set -- $(echo "$table" | awk '{ print $1 }')
	for wanted; do
		# shellcheck disable=SC2046
		row $(echo "$table" | grep "^$wanted ")
	done
}
