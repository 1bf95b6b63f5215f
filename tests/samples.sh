#!/bin/sh
# SPDX-License-Identifier: MIT
# samples.sh [NAME...]: runs each sample, original and transformed, on the emulator, at small size and under three schedules.
# The samples check their own results. With EMI=SEED, semantics-preserving edits (tests/gen/emi.awk) are applied to ptxccc's
# input. The report is checked, too: a kernel that is not transformed is a failure. Needs nvcc. With CLANG=clang++ the samples are
# built by that clang.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
passed=0 failed=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
. tests/cuda.sh

# Name, the transformed loops according to the report, options that make it small.
table="
assign		1 of 1 loops	--walks 2000 --blocks 1
bfs		1 of 1 loops	--scale 8 --threads 96 --reps 1 --blocks 2
crosssections	1 of 1 loops	--particles 300 --blocks 1
delay		1 of 1 loops	--photons 150 --steps 25
distribute	1 of 1 branches	--rays 1000 --blocks 1
dqg		1 of 1 loops	--points 100 --blocks 1
emies		1 of 1 loops	--observers 40 --blocks 1
ff		7 of 7 loops	--points 3000 --blocks 1
hash		1 of 1 loops	--pairs 1500 --blocks 1
iefa		1 of 1 loops	--numbers 3000 --blocks 1
mandelbrot	1 of 1 loops	--size 64 --depth 60
md		1 of 1 loops	--particles 300 --blocks 1
montecarlo	1 of 1 loops	--particles 1500 --one-in 8
ode		1 of 1 loops	--systems 300 --blocks 1
predict		1 of 1 loops	--particles 400 --threads 90
primes		1 of 1 loops	--count 3000
remap		1 of 1 branches	--hits 1000 --rounds 8
rt		1 of 1 loops	--rays 1000 --blocks 1
shaders		1 of 1 branches	--hits 1000 --rounds 8
spmv		1 of 1 loops	--rows 1500 --blocks 1
sssp		1 of 1 loops	--vertices 300 --blocks 1
strings		1 of 1 loops	--strings 1500 --blocks 1
synthetic	1 of 1 loops	--items 1500 --length 20 --lanes 4
unify		1 of 1 loops	--items 1500 --steps 20 --blocks 1
uts		1 of 1 functions	--trees 300
"
names=$(echo "$table" | awk 'NF { print $1 }')
row() { echo "$table" | awk -v name="$1" -v from="$2" -v to="$3" '$1 == name { for (i = from; i <= to && i <= NF; i++) printf "%s ", $i }'; }
check() { # GOT WANT NAME
	if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL samples $3: $1 instead of $2"; fi
}
# Shortens a report: "1 of 1 annotated loops transformed" becomes "1 of 1 loops".
transformed() { sed -n -E 's/^([0-9]+ of [1-9][0-9]*) annotated ([a-z]+) .*/\1 \2/p' "$1" | tr '\n' ' '; }
build() { # PROGRAM COMPILER OPTIONS
	program=$1
	shift
	"$@" -o "$tmp/$program" >"$tmp/$program.log" 2>&1 || echo "FAIL samples $program: $(head -3 "$tmp/$program.log")"
}
# A program that is not linked with the sanitizers must load their libraries first.
sanitizers=
case $B in */san) sanitizers=$(cc -print-file-name=libasan.so) ;; esac
try() { # NAME PROGRAM
	# shellcheck disable=SC2046
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers "$B/bin/ptxrun" --quiet --seeds 2 --counts="$tmp/counts" -- "$tmp/$2" $(row "$1" 6 99) \
		>"$tmp/out" 2>"$tmp/err"
	check "$? $(grep -c 'ok$' "$tmp/out")" "0 1" "$2"
	check "$(head -3 "$tmp/err")" "" "$2: faults"
	check "$(awk -F'\t' '{ n += $2 } END { print (n > 1000) }' "$tmp/counts")" 1 "$2: warp instructions"
}

if [ "${EMI:-}" ]; then
	# the input is the last argument
	printf '#!/bin/sh\nfor in; do :; done\nawk -v seed=%s -f "%s" "$in" >"$in.emi" && mv "$in.emi" "$in" && exec "%s" "$@"\n' \
		"$EMI" "$PWD/tests/gen/emi.awk" "$(realpath "$B/bin/ptxccc")" >"$tmp/ptxccc"
	chmod +x "$tmp/ptxccc"
	export CCC_PTXCCC="$tmp/ptxccc"
fi

skip() { echo "samples: $1"; echo "samples: 0 passed, 0 failed, 1 skipped"; exit 0; }
[ -n "$nvcc" ] || skip "no nvcc"
options="-O1 -cudart shared -diag-suppress 20199 -gencode arch=compute_80,code=compute_80"
ours="-O1 -cudart shared -arch=compute_80"
if [ "${CLANG:-}" ]; then
	. tests/clang/kit.sh
	[ -n "$clang" ] || skip "$clang_why"
	nvcc=$clang
	options="-O2 $clang_options"
	ours=$options
	# clang's functions are visible to other modules, which may pass addresses of thread-local memory
	table=$(echo "$table" | sed '/^shaders\t\|^uts\t/s/\t1 of 1/\t0 of 1/')
fi
check "$(for f in samples/*.cu; do basename "$f" .cu; done | tr '\n' ' ')" "$(echo "$names" | tr '\n' ' ')" "the table"
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $names
for f; do
	# shellcheck disable=SC2086
	build "$f" "$nvcc" "samples/$f.cu" $options &
	# shellcheck disable=SC2086
	CCC_FLAGS='--ccc-choose=always --ccc-sms=1 --ccc-grid-blocks=3' CCC_NVCC=$nvcc build "$f-ccc" "$B/bin/cccnvcc" --ccc-report "samples/$f.cu" $ours
	wait
	[ "${EMI:-}" ] || check "$(transformed "$tmp/$f-ccc.log")" "$(row "$f" 2 5)" "$f: what is transformed"
	try "$f" "$f"
	try "$f" "$f-ccc"
done
echo "samples: $passed passed, $failed failed"
[ $failed = 0 ]
