#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the emulator's results with a GPU's. Runs kernels on ptxrun and on a GPU, original and transformed by ptxccc, and
# compares all buffers bit for bit: COUNT (200) random kernels of tests/gen, those of tests/diff (samples, goldens,
# tests/gpu), and the modules of tests/simt. Prints a table in Markdown and the differences; exit status 1 if there are any.
#
#	bench/simt-h200.sh              everything
#	bench/simt-h200.sh --build      runs ptxrun only: copy build/simt-h200 to a GPU machine, which needs no compiler
#	                  --no-build    runs existing programs on the GPU
#
# Environment: B (build), COUNT, SEED (1) the first random kernel, JOBS (4) processes on the GPU.
cd "$(dirname "$0")/.." || exit 2
B=${B:-build} COUNT=${COUNT:-200} SEED=${SEED:-1} JOBS=${JOBS:-4}
build=yes run=yes
for arg; do
	case $arg in
	--build) run= ;;
	--no-build) build= ;;
	*) sed -n '/^# [A-Z][a-z]/,/^$/{ /^$/q; s/^# \{0,1\}//p; }' "$0" >&2; exit 2 ;;
	esac
done
out=build/simt-h200

# ---- on the emulator ---------------------------------------------------------------------------------------------------------
# launch MODULE KERNEL OPTIONS...: runs out/plain/MODULE and out/ccc/MODULE, and writes a line for each to out/list (its form:
# see simt_h200.c). OPTIONS are ptxrun's --grid, --block, --shared, --arg.
launch() {
	module=$1 kernel=$2 grid=1 block=32 shared=0 args=
	shift 2
	for v in plain ccc; do
		[ -f $out/$v/$module ] || continue
		"$B/bin/ptxrun" $out/$v/$module "$kernel" "$@" --limit 100000000 >$out/got.$v 2>$out/err ||
			{ echo "ptxrun $out/$v/$module $kernel $*: $(head -n 1 $out/err)" >&2; exit 2; }
	done
	[ ! -f $out/ccc/$module ] || cmp -s $out/got.plain $out/got.ccc ||
		{ echo "other memory when transformed: ptxrun $out/ccc/$module $kernel $*" >&2; exit 2; }
	while [ $# -gt 0 ]; do
		case $1 in
		--grid) grid=$2 ;;
		--block) block=$2 ;;
		--shared) shared=$2 ;;
		--arg) args="$args $2" ;;
		esac
		shift 2
	done
	hashes=$(printf '%s\n' $args | awk '
		NR == FNR { hash[substr($2, 1, length($2) - 1)] = $NF; next }
		{ printf "%s%s", (FNR > 1 ? "," : ""), (FNR in hash ? hash[FNR] : "-") }' $out/got.plain -)
	for v in plain ccc; do
		[ ! -f $out/$v/$module ] || echo "$out/$v/$module $kernel $grid $block $shared $hashes$args" >>$out/list.$v
	done
}

# module FILE NAME SHAPE...: all launch lines of FILE, in each of the shapes GRIDxBLOCK ("" is the line's own grid).
module() {
	file=$1 name=$2
	shift 2
	ptx=$(sed -n 's|^// PTX: ||p' "$file")
	cp "${ptx:-$file}" $out/plain/"$name"
	"$B/bin/ptxccc" "${ptx:-$file}" -o $out/ccc/"$name" 2>$out/err || { cat $out/err >&2; exit 2; }
	sed -n 's|^// LAUNCH: ||p' "$file" | while read -r kernels options; do
		[ "$kernels" != '*' ] || kernels=$(sed -n 's/.*\.entry \([A-Za-z0-9_$]*\).*/\1/p' "${ptx:-$file}")
		for kernel in $kernels; do
			case $options in *--block*) launch "$name" "$kernel" $options; continue ;; esac
			most=$(awk -v k="$kernel" '/\.entry/ { on = index($0, k "(") } on && /^\.maxntid/ { print $2 + 0 }' "${ptx:-$file}")
			for shape; do
				[ "${shape#*x}" -le "${most:-1024}" ] || continue
				case $shape in
				x*) launch "$name" "$kernel" $options --block ${shape#x} ;;
				*) launch "$name" "$kernel" $options --grid ${shape%x*} --block ${shape#*x} ;;
				esac
			done
		done
	done || exit 2
}

build() {
	rm -rf $out
	mkdir -p $out/plain $out/ccc || exit 2
	make -s B="$B" "$B/bin/ptxccc" "$B/bin/ptxrun" "$B/tests/fuzz_diff" "$B/bench/simt_h200" || exit 2
	cp "$B/bench/simt_h200" $out
	seed=$SEED
	while [ $seed -lt $((SEED + COUNT)) ]; do
		"$B/tests/fuzz_diff" -p $seed >$out/random.ptx
		module $out/random.ptx random-$seed.ptx 8x32 2x96 2x100 1x256
		seed=$((seed + 1))
	done
	for f in tests/diff/*.ptx tests/diff/*.launch; do
		module "$f" "diff-$(basename "${f%.*}").ptx" x32 x96 x100 x224
	done
	cp tests/simt/words.bin tests/simt/halves.bin $out
	for m in ops features halves; do
		[ $m = halves ] && words="--grid 4 --arg buf:16384:file:$out/halves.bin" || words="--arg buf:6144:file:$out/words.bin"
		cp tests/simt/$m.ptx $out/plain/simt-$m.ptx
		sed -n "s/^$m.ptx \([^ ]*\) .*/\1/p" tests/simt/h200.txt | while read -r kernel; do
			launch simt-$m.ptx "$kernel" --block 256 $words --arg buf:204800
		done || exit 2
	done
	for m in simd-75 simd-90; do
		cp tests/simt/$m.ptx $out/plain/simt-$m.ptx
		for kernel in ops0 ops1 ops2; do
			launch simt-$m.ptx $kernel --block 256 --arg buf:6144:file:$out/words.bin --arg buf:204800
		done
	done
	while read -r module kernel looks; do
		[ "$kernel" != counts ] || continue # it prints, and the results are read from the output
		cp "tests/simt/$module" "$out/plain/simt-$module"
		launch "simt-$module" "$kernel" --block 96 --arg buf:8
	done <tests/simt/checked.txt
}

# ---- on the GPU ----------------------------------------------------------------------------------------------------------------
# Runs the list from part K to its end, in several processes, because a launch may leave the GPU unusable for its process.
part() {
	part=$out/part.$1 results=$out/results.$1
	: >$results
	while ran=$(wc -l <$results); [ "$ran" -lt "$(wc -l <$part)" ]; do
		timeout 600 $out/simt_h200 --from $((ran + 1)) --keep $out/differs/part$1- $part >>$results
		rc=$?
		[ $rc != 2 ] || exit 2
		[ "$(wc -l <$results)" -gt "$ran" ] || sed -n "$((ran + 1))s/^\([^ ]*\) \([^ ]*\) .*/fails $((ran + 1)) \1 \2: exit code $rc/p" $part >>$results
	done
}

run() {
	rm -rf $out/differs $out/part.* $out/results.*
	mkdir $out/differs || exit 2
	awk -v jobs=$JOBS -v to=$out/part. '$1 != last { k = (k + 1) % jobs; last = $1 } { print >(to k) }' $out/list.plain $out/list.ccc
	pids=
	for p in $out/part.*; do
		part ${p##*.} &
		pids="$pids $!"
	done
	for p in $pids; do
		wait $p || exit 2
	done
	cat $out/results.* | awk '
	{ split($3, path, "/"); n = split("random diff simt", groups, " ")
	  group = path[4]; sub(/-.*/, "", group)
	  at = group " " path[3]
	  kernels[at] += !((path[3] " " path[4] " " $4) in seen); seen[path[3] " " path[4] " " $4] = 1
	  count[at, $1]++; total[$1]++ }
	$1 != "equal" { bad = 1; print }
	END {
		if (bad) print ""
		print "| kernels | | kernels | launches | equal | differ | fail |"
		print "| --- | --- | --: | --: | --: | --: | --: |"
		for (i = 1; i <= n; i++)
			for (v = 1; v <= 2; v++) {
				at = groups[i] (v == 1 ? " plain" : " ccc")
				if (at in kernels)
					printf "| %s | %s | %d | %d | %d | %d | %d |\n", groups[i], v == 1 ? "as they are" : "transformed", kernels[at],
						count[at, "equal"] + count[at, "differs"] + count[at, "fails"],
						count[at, "equal"], count[at, "differs"], count[at, "fails"]
			}
		printf "\n%d launches, %d equal, %d differ, %d fail\n", NR, total["equal"], total["differs"], total["fails"]
		exit bad || !NR
	}'
}

[ -z "$build" ] || build
[ -z "$run" ] || run
