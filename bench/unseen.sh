#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of bench/unseen, without annotations, on a GPU: compiled by nvcc, by `cccnvcc --ccc-auto`, and by the latter with
# a profile of the same data set. Prints a table in Markdown: the median time of the plain program, that time divided by the
# others' ("same" if the device code is nvcc's), and the policies of the profiled program or the first reason for none. Exit
# status 1 if a program fails or checksums differ.
#
#	bench/unseen.sh [NAME...]       default: the programs of SET
#
# Environment: SET (open) or held-out, all: see bench/unseen/README.md; ROUNDS (5) of alternating runs, REPEAT (5) launches in a
# run, WORK (build/bench/unseen), CCCNVCC (build/bin/cccnvcc), NVCC (nvcc), ARCH (native; sm_90 without a GPU), JOBS (number of
# processors), TIMED=1: with timed launches (ways.sh), LAUNCH: a command before each program, for example "build/bin/ptxrun --"
# with UNSEEN_SCALE=0.001.
#
# STEP (all) does a part, for a GPU machine that has no nvcc; WORK travels between the machines:
#	build     nvcc: the plain, the automatic and the counting programs (*.counts, which only the next step needs)
#	profile   GPU: runs the counting programs; writes NAME.a.cccprof and NAME.b.cccprof
#	rebuild   nvcc: the programs with these profiles
#	run       GPU: the table
cd "$(dirname "$0")/.." || exit 2
SOURCES=bench/unseen WORK=${WORK:-build/bench/unseen}
. bench/ways.sh

held_out=$(sed -n 's/^    held-out://p' bench/unseen/README.md)
if [ $# = 0 ]; then
	for file in bench/unseen/*.cu; do
		name=$(basename "$file" .cu)
		case "${SET:-open} $(echo $held_out | grep -c -w -e "$name")" in
		all\ ? | open\ 0 | held-out\ 1) set -- "$@" "$name" ;;
		open\ 1 | held-out\ 0) ;;
		*) echo "unseen.sh: SET is open, held-out or all" >&2; exit 2 ;;
		esac
	done
fi
for name; do
	[ -f "bench/unseen/$name.cu" ] || { echo "unseen.sh: no program bench/unseen/$name.cu" >&2; exit 2; }
done
build() {
	each 'compile "$out.plain" "$NVCC" && compile "$out.auto" "$CCCNVCC" $auto && same "$out.auto" "$out.plain" &&
		compile "$out.counts" "$CCCNVCC" --ccc-auto --ccc-profile-generate --ccc-profile-sampling=0' "$@"
}
profile() {
	for name; do
		for data in a b; do
			count "$WORK/$name.counts" $data "$WORK/$name.$data.cccprof"
		done
	done
}
rebuild() {
	each 'for data in a b; do
		[ -s "$out.$data.cccprof" ] || { echo "unseen.sh: no $out.$data.cccprof" >&2; exit 1; }
		rm -f "$out.$data.txt"
		compile "$out.$data" "$CCCNVCC" $auto --ccc-profile-use="$out.$data.cccprof" --ccc-report="$out.$data.txt" &&
			same "$out.$data" "$out.plain" || exit 1
	done' "$@"
}
run() {
	gpu
	echo "| program | data | plain ms | plain/auto | plain/profiled | policy or reason |"
	echo "| --- | --- | --: | --: | --: | --- |"
	for name; do
		for data in a b; do
			row=$(ratios "$name" $data auto $data) || status=1
			echo "| $name | $data | $(echo "$row" | sed 's/ / | /g') | $(choice "$WORK/$name.$data") |"
		done
	done
}
case $STEP in
build | profile | rebuild | run) $STEP "$@" ;;
all) build "$@" && profile "$@" && rebuild "$@" && run "$@" ;;
*) echo "unseen.sh: STEP is build, profile, rebuild, run or all" >&2; exit 2 ;;
esac
exit $status
