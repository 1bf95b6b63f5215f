#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: kernels written to break single techniques (expand.cu, remap.cu, ...), under every policy; run by hand, not in make
# check.
#
#	tests/trial/run.sh [NAME...]    on the emulator: each kernel, original and transformed, on blocks of several shapes
#	STEP=build ..., STEP=run ...    programs for a GPU, in OUT (build/trial), for each policy; to be run on a GPU machine
#
# Environment: POLICIES; SEEDS (2) random schedules; SHAPES; ARCH (sm_80 on the emulator, otherwise sm_90); JOBS; CCCFLAGS
# additional flags for cccnvcc; KEEP keeps the transformed texts in OUT. Prints a line for each wrong kernel and the outcome
# of the annotations. Needs nvcc. A run is accepted if it prints "trial: N passed, 0 failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} OUT=${OUT:-build/trial} JOBS=${JOBS:-2} SEEDS=${SEEDS:-2}
SHAPES=${SHAPES:-1 31 33 100 4,5,3}
POLICIES=${POLICIES:-first always stack queue queue(3) ahead wait majority live cycle flatten converge retreat plain}
export B OUT SEEDS SHAPES POLICIES
. tests/cuda.sh

# Prints the options of ptxccc for a policy.
options() {
	case $1 in
	first | always) echo "--choose=$1" ;;
	retreat) echo "--choose=first --retreat=1" ;;
	plain) echo "--policy=stack --no-compress --no-costliest" ;;
	*) echo "--choose=first --policy=$1" ;;
	esac
}

# Runs each kernel of a module with LAUNCH lines, under each policy that gives a new text.
one() { # PTX
	ptx=$1 name=$(basename "$1" .ptx)
	dir=$OUT/$name
	mkdir -p "$dir"
	rm -f "$dir"/*.ptx.sum
	more=$(sed -n 's|^// OPTIONS: ||p' "$ptx")
	sed -n 's|^// LAUNCH: ||p' "$ptx" | while read -r kernel options; do
		[ "$kernel" != '*' ] || kernel=$(sed -n 's/.*\.entry \([A-Za-z0-9_$]*\).*/\1/p' "$ptx")
		for k in $kernel; do echo "$k $options"; done
	done >"$dir/launches"
	for policy in $POLICIES; do
		text=$dir/$policy.ptx
		# shellcheck disable=SC2046,SC2086
		if ! "$B/bin/ptxccc" $(options "$policy") $more --verify --report=json "$ptx" -o "$text" >"$dir/$policy.json" 2>"$dir/$policy.err" ||
			grep -q ccc-bug "$dir/$policy.err"; then
			echo "fail $name $policy: $(grep -m 1 -E 'error|ccc-bug' "$dir/$policy.err" || echo crash)"
		fi
		[ -s "$text" ] || continue
		sum=$(grep -v '^//' "$text" | cksum)
		grep -q -x -s -F "$sum" "$dir/sums.ptx.sum" && continue
		echo "$sum" >>"$dir/sums.ptx.sum"
		while read -r k options; do
			blocks=
			most=$(awk -v k="$k" '/\.entry/ { on = index($0, k "(") } on && /^\.maxntid|^\.reqntid/ { print $2 + 0; exit }' "$ptx")
			case $options in *--block*) ;; *) for s in $SHAPES; do
				[ $(($(echo "$s" | tr , '*'))) -gt "${most:-1024}" ] || blocks="$blocks --block $s"
			done ;; esac
			why=
			# shellcheck disable=SC2086
			if ! [ -s "$dir/$k.want" ] && ! timeout 300 "$B/bin/ptxrun" "$ptx" "$k" $options $blocks --limit 20000000 >"$dir/$k.want" 2>"$dir/$k.err"; then
				[ "$policy" != first ] || echo "fail $name $k, the original: $(sed -n 1p "$dir/$k.err")"
				rm -f "$dir/$k.want"
				continue
			fi
			if ! timeout 600 "$B/bin/ptxrun" "$text" "$k" $options $blocks --limit 20000000 --seeds "$SEEDS" >"$dir/got" 2>"$dir/err"; then
				why=$(sed -n '1p;/^ptxrun:/p' "$dir/err" | head -3 | tr '\n' ' ')
				why=${why:-ended after 600 s}
			elif ! cmp -s "$dir/$k.want" "$dir/got"; then
				why="other memory: $(diff "$dir/$k.want" "$dir/got" | sed -n 2p)"
			fi
			echo "${why:+fail }${why:-pass} $name $policy $k"
		done <"$dir/launches"
	done
	rm -f "$dir"/*.want
	[ -n "${KEEP:-}" ] || rm -f "$dir"/*.ptx
}

# Builds a program for a GPU.
build() { # CU POLICY
	name=$(basename "$1" .cu) policy=$2
	flags=$({ options "$policy"; sed -n 's|^// OPTIONS: ||p' "$1"; } | sed 's/--/--ccc-/g')
	# shellcheck disable=SC2086
	"$B/bin/cccnvcc" $flags ${CCCFLAGS:-} -std=c++17 -O3 -arch="${ARCH:-sm_90}" -Wno-deprecated-gpu-targets -diag-suppress 20199,177,128,550 \
		"$1" -o "$OUT/$name.$policy" >"$OUT/$name.$policy.log" 2>&1 && echo "pass $name $policy builds" || echo "fail $name $policy does not build"
}

run() { # CU POLICY
	p=$OUT/$(basename "$1" .cu).$2
	timeout 300 "$p" >"$p.out" 2>&1 && echo "pass $p" || echo "fail $p: $(grep -m 1 WRONG "$p.out" || tail -n 1 "$p.out")"
}
case ${1:-} in
--one) one "$2"; exit ;;
--build) build "$2" "$3"; exit ;;
--run) run "$2" "$3"; exit ;;
esac

mkdir -p "$OUT"
files=
for f in tests/trial/*.cu tests/trial/*.ptx; do
	[ -f "$f" ] || continue
	case " $* " in "  " | *" $(basename "$f" | sed 's/\.[a-z]*$//') "*) files="$files $f" ;; esac
done
LAUNCH='--shared 8192 --arg s32:800 --arg s32:3 --arg buf:12000:rand:3 --arg buf:24000:rand:4 --arg buf:24000:real64:5'
LAUNCH="$LAUNCH --arg buf:48000:real:6 --arg buf:12000 --arg buf:12000 --arg buf:12000 --arg buf:256"
case ${STEP:-} in
build | run)
	for f in $files; do
		case $f in *.cu) ;; *) continue ;; esac
		for policy in $POLICIES; do echo "$f $policy"; done
	done | xargs -P "$JOBS" -L 1 sh tests/trial/run.sh "--$STEP" >"$OUT/results" ;;
*)
	list=
	for f in $files; do
		case $f in *.cu)
			out=$OUT/$(basename "$f" .cu).ptx
			if [ ! -s "$out" ] || [ "$f" -nt "$out" ]; then
				[ -n "$nvcc" ] || continue
				"$B/bin/cccnvcc" --ccc-markers-only -ptx -std=c++17 -O3 -arch="${ARCH:-sm_80}" -Wno-deprecated-gpu-targets -diag-suppress 20199,177,128,550 \
					-include tests/diff/kernels.cuh "$f" -o "$out.new" || { echo "fail $f does not compile"; continue; }
				grid=$(sed -n 's|^// GRID: ||p' "$f")
				{ echo "// LAUNCH: * --grid ${grid:-2} $LAUNCH"; sed -n 's|^// OPTIONS: |&|p' "$f"; cat "$out.new"; } >"$out"
				rm -f "$out.new"
			fi
			list="$list $out" ;;
		*) list="$list $f" ;;
		esac
	done
	printf '%s\n' $list | xargs -P "$JOBS" -I{} sh tests/trial/run.sh --one {} >"$OUT/results" ;;
esac
grep '^fail' "$OUT/results" | sed 's/^fail/FAIL/'
failed=$(grep -c '^fail' "$OUT/results")
echo "trial: $(grep -c '^pass' "$OUT/results") passed, $failed failed"
[ "$failed" = 0 ]
