#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the emulator's warp execution efficiency with a GPU's: the same launches on ptxrun and under Nsight Compute
# (smsp__thread_inst_executed / smsp__inst_executed / 32). Covers the synthetic kernel of ccc_basic.cu for every L and k;
# samples/bfs.cu, base and annotated; and at small size, where a GPU has as few blocks as the emulator, each kernel of the
# programs of ccc-programs.sh, of the samples (as compiled by nvcc, and transformed), of programs of tests/gpu, and of
# bench/unseen. The emulator counts by rules and, if ptxas and nvdisasm are available, by machine code (--ptxas), which is then used for the
# comparison. Prints a table in Markdown; exit status 1 if any two values differ by more than 3 percentage points.
#
#	bench/simt-efficiency.sh              everything
#	                        --programs    only the programs, the samples and the tests
#	bench/simt-efficiency.sh --build      runs ptxrun only: copy build/simt-efficiency to a GPU machine
#	                        --no-build    runs existing programs on the GPU
#
# Environment: PROGRAMS, SAMPLES, UNSEEN (all; " " for none), TESTS (17 of tests/gpu), SMS (multiprocessors of the GPU, from
# which samples compute their number of blocks: 132), B (build), CCCNVCC (build/bin/cccnvcc), NVCC (nvcc), ARCH (sm_90), NCU (ncu).
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
CCCNVCC=${CCCNVCC:-$B/bin/cccnvcc} NVCC=${NVCC:-nvcc} ARCH=${ARCH:-sm_90} NCU=${NCU:-ncu}
PROGRAMS=${PROGRAMS:-bfs spmv sssp rt emies dqg ff hash iefa specrec md kato brdist tdr walk search sets paths wait tasks itdelay predict coalesced}
# Small sizes of the samples; for bfs see below.
options="
assign		--walks 20000 --blocks 4
crosssections	--particles 3000 --blocks 4
delay		--photons 1500 --steps 50
distribute	--rays 10000 --blocks 4
dqg		--points 1000 --blocks 4
emies		--observers 1000 --blocks 4
ff		--points 30000 --blocks 4
hash		--pairs 15000 --blocks 4
iefa		--numbers 30000 --blocks 4
mandelbrot	--size 128 --depth 200
md		--particles 1000 --blocks 4
montecarlo	--particles 15000 --one-in 8
ode		--systems 3000 --blocks 4
predict		--particles 4000 --threads 1024
primes		--count 30000
remap		--hits 10000 --rounds 8
rt		--rays 10000 --blocks 4
shaders		--hits 10000 --rounds 8
spmv		--rows 15000 --blocks 4
sssp		--vertices 3000 --blocks 4
strings		--strings 15000 --blocks 4
synthetic	--items 30000 --length 20 --lanes 4
unify		--items 15000 --steps 50 --blocks 4
"
SAMPLES=${SAMPLES:-$(echo "$options" | awk '{ print $1 }')}
TESTS=${TESTS:-assign bound branches delay expand flow grouped kept lanes nested queues rows several sums switches unify whiles}
UNSEEN=${UNSEEN-$(ls bench/unseen/*.cu | sed 's|.*/||; s|\.cu$||')}
export GPU_TEST_SMALL=1 UNSEEN_SCALE=0.01
build=yes run=yes kernels=yes
for arg; do
	case $arg in
	--build) run= ;;
	--no-build) build= ;;
	--programs) kernels= ;;
	*) sed -n '/^# [A-Z][a-z]/,/^$/{ /^$/q; s/^# \{0,1\}//p; }' "$0" >&2; exit 2 ;;
	esac
done
out=build/simt-efficiency
# 62 items per thread: as many as for 2^24 items on an H200, as in ccc-basic.sh --ncu. R-MAT, 64 k vertices, 1 M edges.
GRID=8 N=127100
BFS="--scale 16 --blocks 32 --threads 256 --reps 1"

# How the emulator counts: an option, or "rules".
ways=rules
if command -v ptxas >/dev/null && command -v nvdisasm >/dev/null; then ways="rules --ptxas"; fi

# emulate NAME VARIANT OPTIONS...: ptxrun's counts, as a line of out/emulator: name, variant, warp and thread instructions for each way.
emulate() {
	name=$1 variant=$2 line=
	shift 2
	for way in $ways; do
		"$B/bin/ptxrun" --quiet --no-races --counts ${way#rules} "$@" >$out/counts || exit 2
		line="$line $(sed -n 's/^warp instructions: //p; s/^thread instructions: //p' $out/counts | tr '\n' ' ')"
	done
	echo "$name $variant" $line >>$out/emulator
}

# count COMMAND...: the same for a whole program: a table of its kernels in out/counts, numbers for all ways in out/numbers.
count() {
	: >$out/numbers
	for way in $ways; do
		"$B/bin/ptxrun" --no-races --sms "${SMS:-132}" --counts=$out/counts ${way#rules} -- "$@" >$out/text 2>&1 || { cat $out/text >&2; exit 2; }
		awk -F '\t' 'NR > 1 { print $2, $3 }' $out/counts | paste -d ' ' $out/numbers - >$out/more
		mv $out/more $out/numbers
	done
}

# emulate_program NAME VARIANT COMMAND...: the same for a whole program with one kernel.
emulate_program() {
	name=$1 variant=$2
	shift 2
	count "$@"
	echo "$name $variant" $(sed -n 1p $out/numbers) >>$out/emulator
}

# The name of a kernel as both write it: "void k<(bool)1>(Args)" and "void k<true>(Args)" are "k<1>".
names() {
	sed 's/\<true\>/1/g; s/\<false\>/0/g; s/([A-Za-z_: ]*)\([0-9]\)/\1/g; s/^void //; s/(.*//; s/ //g'
}

# program NAME PROGRAM [ARGUMENT]...: its counts by the emulator, a line of out/emulator.programs for each kernel, and a line of
# out/programs for the GPU.
program() {
	name=$1
	shift
	echo "$name $*" >>$out/programs
	count "$@"
	awk -F '\t' 'NR > 1 { print $NF }' $out/counts | names | sed "s/^/$name /" | paste -d ' ' - $out/numbers >>$out/emulator.programs
}

FLAGS="-O3 -std=c++17 -arch=$ARCH -Wno-deprecated-gpu-targets"
build_programs() {
	for p in $PROGRAMS; do
		"$CCCNVCC" $FLAGS -o $out/ccc_$p bench/ccc_$p.cu || exit 2
		program $p $out/ccc_$p --small --reps 1
	done
	for p in $SAMPLES; do
		"$CCCNVCC" $FLAGS -o $out/$p.ccc samples/$p.cu || exit 2
		"$NVCC" -diag-suppress 20199 $FLAGS -o $out/$p.base samples/$p.cu || exit 2
		for v in base ccc; do
			program "sample:$p,$v" $out/$p.$v $(echo "$options" | awk -v p=$p '$1 == p { $1 = ""; print }')
		done
	done
	[ -z "${TESTS# }" ] || ONLY=$(echo $TESTS | tr ' ' ,) OUT=$PWD/$out/tests STEP=build sh tests/gpu/run.sh "$CCCNVCC" $ARCH >$out/text || exit 2
	for p in ${TESTS# }; do
		program "test:$p" $out/tests/$p
	done
	for p in $UNSEEN; do
		"$NVCC" $FLAGS -o $out/$p.unseen bench/unseen/$p.cu || exit 2
		for data in a b; do
			program "unseen:$p,$data" $out/$p.unseen $data 1
		done
	done
}

build() {
	rm -rf $out
	mkdir -p $out || exit 2
	make -s B="$B" all "$B/bench/simt_h200" || exit 2
	cp "$B/bench/simt_h200" $out
	build_programs
	[ -n "$kernels" ] || return 0
	FLAGS="$FLAGS -cudart shared"
	"$CCCNVCC" $FLAGS -ptx -o $out/basic.ptx bench/ccc_basic.cu || exit 2
	"$CCCNVCC" $FLAGS -o $out/bfs_ccc samples/bfs.cu || exit 2
	"$NVCC" -diag-suppress 20199 $FLAGS -o $out/bfs_base samples/bfs.cu || exit 2
	for L in 5 20 50 100; do
		for k in 1 4 8 16 24 31; do
			for v in 6k_base 5k_ccc; do
				kernel=_Z${v}ILi${L}ELb0EEvjjffPj
				set -- u32:$N u32:$k f32:0.97 f32:0.05 buf:4
				echo $out/basic.ptx $kernel $GRID 256 0 - "$@" >>$out/list
				emulate "$L/$k" ${v#*k_} $out/basic.ptx $kernel --grid $GRID --block 256 $(printf -- ' --arg %s' "$@")
			done
		done
	done
	for v in base ccc; do
		emulate_program bfs $v $out/bfs_$v $BFS
	done
}

# profile NAME COMMAND...: ncu's counts, one line per kernel, in the order of the launches: warp and thread instructions.
profile() {
	name=$1
	shift
	"$NCU" --csv --clock-control none --print-units base --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum "$@" >$out/ncu.$name ||
		{ cat $out/ncu.$name >&2; exit 2; }
	awk -F '","' '
	{ value = $NF; gsub(/[",]/, "", value) }
	/","smsp__inst_executed.sum","/ { warp[n++] = value }
	/","smsp__thread_inst_executed.sum","/ { thread[m++] = value }
	END { for (i = 0; i < n; i++) print warp[i], thread[i] }' $out/ncu.$name
}

# Efficiencies that differ by more than 3 points, from columns name, variant, and warp and thread instructions of both.
table() {
	awk -v head="$1" '
	BEGIN {
		print "| " head " | | GPU | by rules | difference | warp instructions, by rules / GPU | by machine code | difference | warp instructions, by machine code / GPU |"
		print "| --- | --- | --: | --: | --: | --: | --: | --: | --: |"
	}
	(NF != 6 && NF != 8) || !$3 || !$(NF - 1) { print "no numbers for " $1 " " $2; bad = 1; next }
	{
		w = $(NF - 1); g = $NF / w / .32; n++
		printf "| %s | %s | %.1f %% |", $1, $2, g
		for (k = 1; 2 * k + 2 < NF - 1; k++) {
			e = $(2 * k + 2) / $(2 * k + 1) / .32; d = e - g; apart = d < 0 ? -d : d
			if (apart > worst[k]) worst[k] = apart
			within[k] += apart <= 1
			ways = k > ways ? k : ways
			printf " %.1f %% | %+.1f | %.2f |", e, d, $(2 * k + 1) / w
		}
		print ""
		if (apart > 3) bad = 1
	}
	END {
		print ""
		for (k = 1; k <= ways; k++)
			printf "By %s %d of %d are within 1 percentage point; the largest difference is %.1f.\n", k == 1 ? "rules" : "machine code", within[k], n, worst[k]
		print ""
		exit bad
	}'
}

# The kernels of the programs on the GPU, summed over all launches, next to the emulator's.
run_programs() {
	while read -r p command; do
		profile $p $command >$out/numbers </dev/null
		awk -F '","' '/","smsp__inst_executed.sum","/ { print $5 }' $out/ncu.$p | names | paste -d ' ' - $out/numbers |
			awk -v p=$p '{ w[$1] += $2; t[$1] += $3 } END { for (k in w) print p, k, w[k], t[k] }'
	done <$out/programs >$out/gpu.programs
	awk 'NR == FNR { gpu[$1 " " $2] = $3 " " $4; next } { print $0, gpu[$1 " " $2] }' $out/gpu.programs $out/emulator.programs | table program
}

run_kernels() {
	{
		profile list $out/simt_h200 $out/list
		for v in base ccc; do
			profile bfs_$v $out/bfs_$v $BFS | awk '{ w += $1; t += $2 } END { print w, t }'
		done
	} >$out/gpu
	paste -d ' ' $out/emulator $out/gpu | table L/k
}

[ -z "$build" ] || build
[ -n "$run" ] || exit 0
status=0
[ -z "$kernels" ] || run_kernels || status=1
run_programs || status=1
exit $status
