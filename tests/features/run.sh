#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [NAME...]: programs with CUDA features around annotated loops, run by hand; needs nvcc, no GPU. Each NAME.cu is built in three
# ways and runs on the emulator; its output must equal that of nvcc's build:
#
#	annotated, in a namespace for each policy (features.cuh), also with SEEDS (3) random schedules
#	without annotations, with --ccc-auto and the profile that its own instrumented build wrote
#	the same with --ccc-choose=always
#
# If the source has no annotation, cccnvcc's code must equal nvcc's. A file with MODE lines is only built, by both compilers for each. Each NAME.ptx
# is transformed for each policy, and its kernel leaves the same memory under random schedules (LAUNCH lines as in tests/diff/run.sh).
#
#	// FLAGS: options of nvcc
#	// CCC: options of cccnvcc
#	// RUN: options of ptxrun
#	// LEAST: N		at least N loops of the annotated build are transformed
#	// GPU			the emulator cannot run it: it is only built here, and runs with STEP=run
#	// MODE: options of nvcc
#	// REFUSED: KIND	policy stack leaves this PTX as it is, byte for byte, with a warning of that kind; without the line it transforms it
#
# STEP=build builds the programs in OUT, with the static runtime, for a GPU; STEP=run runs and compares them there. ARCH (sm_90); KEEP=1: keeps files.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 2
B=${B:-$PWD/build} ARCH=${ARCH:-sm_90} STEP=${STEP:-all} SEEDS=${SEEDS:-3} part=features
. tests/t.sh
. tests/cuda.sh
[ $STEP != run ] || nvcc=none
[ -n "$nvcc" ] || skip_all
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH
out=${OUT:-$tmp}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cudart=shared
[ $STEP != build ] || cudart=static

flags() { sed -n "s|^// FLAGS: ||p" "$f"; }
ccc() { "$B/bin/cccnvcc" $(sed -n "s|^// CCC: ||p" "$f") --ccc-Werror=ccc-bug "$@"; }
build() { # build NAME COMPILER OPTION...
	o=$1
	shift
	"$@" -arch="$ARCH" -std=c++17 -O3 -cudart $cudart -diag-suppress 20199,177,550 -Wno-deprecated-gpu-targets $(flags) "$f" -o "$out/$o" 2>"$out/$o.err" ||
		{ cat "$out/$o.err"; return 1; }
}
plain() { build $n.plain "$nvcc" -DONLY_PLAIN; }
annotated() {
	build $n.ccc ccc --ccc-report="$out/$n.json" || return 1
	least=$(sed -n 's|^// LEAST: ||p' "$f")
	made=$(grep -c '"transformed": true' "$out/$n.json")
	[ "$made" -ge "${least:-1}" ] || { echo "$made loops transformed, not $least"; return 1; }
}
counting() { build $n.counting ccc --ccc-auto --ccc-profile-generate --ccc-profile-sampling=0 -DONLY_PLAIN; }
counted() { rm -f "$out/$n.cccprof"; CCC_PROFILE_FILE=$out/$n.cccprof run counting && [ -s "$out/$n.cccprof" ]; }
auto() { # auto NAME OPTION...
	o=$1
	shift
	build $n.$o ccc --ccc-auto --ccc-profile-use="$out/$n.cccprof" --ccc-report="$out/$n.$o.json" -DONLY_PLAIN "$@"
}
same_code() {
	"$nvcc" -cubin -arch="$ARCH" -std=c++17 -O3 $(flags) -DONLY_PLAIN "$f" -o "$tmp/a.cubin" 2>/dev/null && ccc -cubin -arch="$ARCH" -std=c++17 -O3 $(flags) -DONLY_PLAIN "$f" -o "$tmp/b.cubin" 2>/dev/null &&
		cmp "$tmp/a.cubin" "$tmp/b.cubin"
}
run() { # run KIND: the output equals that of the plain program
	if [ $STEP = run ]; then
		CCC_PROFILE_FILE=$out/$n.counted timeout 120 "$out/$n.$1" >"$out/$n.$1.out" 2>&1
	else
		seeds=
		[ "$1" != ccc ] || seeds="--seeds $SEEDS"
		(cd "$out" && timeout 900 "$B/bin/ptxrun" $seeds $(sed -n "s|^// RUN: ||p" "$f") -- "./$n.$1") >"$out/$n.$1.out" 2>"$out/$n.$1.fault"
	fi || { grep -v '^[a-z_0-9]* [0-9] [0-9a-f]*$' "$out/$n.$1.out" | head -20; head -40 "$out/$n.$1.fault"; return 1; }
	[ "$(tail -1 "$out/$n.$1.out")" = ok ] && cmp "$out/$n.plain.out" "$out/$n.$1.out"
}
file() {
	gpu=false
	! grep -q '^// GPU' "$f" || gpu=true
	if [ $STEP != run ]; then
		t "$n plain" plain
		t "$n annotated" annotated
		t "$n same code" same_code
	fi
	if [ $STEP = all ] && ! $gpu; then
		t "$n plain runs" run plain
		t "$n annotated runs" run ccc
		t "$n counting" counting
		t "$n counted" counted
		t "$n auto" auto auto
		t "$n auto runs" run auto
		t "$n always" auto always --ccc-choose=always
		t "$n always runs" run always
	elif [ $STEP = run ]; then
		for kind in plain ccc counting auto always; do [ ! -x "$out/$n.$kind" ] || t "$n $kind runs" run $kind; done
	fi
	[ $STEP = build ] || [ "${KEEP:-}" ] || rm -f "$out/$n".*
}
mode() { # mode OPTION...: nvcc's build and cccnvcc's have the same output
	general="-arch=$ARCH -std=c++17 -O3"
	case "$*" in *-arch* | *-gencode*) general=${general#-arch=* } ;; esac
	case "$*" in *-std=*) general=$(echo "$general" | sed 's/-std=[^ ]*//') ;; esac
	general="$general -cudart shared -diag-suppress 20199,177,550 -Wno-deprecated-gpu-targets"
	"$nvcc" $general "$@" -DONLY_PLAIN "$f" -o "$out/$n.plain" && ccc $general "$@" "$f" -o "$out/$n.ccc" && run plain && run ccc
}
policy() { # policy NAME: ptxccc transforms the file, and its kernel leaves the same memory
	a=$out/$n.$1.ptx
	"$B/bin/ptxccc" --choose=first --policy="$1" --validate --verify -Werror=ccc-bug --report=json "$f" -o "$a" >"$out/$n.json" 2>"$out/$n.err" || { cat "$out/$n.err"; return 1; }
	refused=$(sed -n 's|^// REFUSED: ||p' "$f")
	if [ "$1" = stack ] && [ "$refused" ]; then
		cmp "$f" "$a" && grep -q "\[-W$refused\]" "$out/$n.err" || { cat "$out/$n.err"; return 1; }
	elif [ "$1" = stack ]; then
		grep -q '"transformed": true' "$out/$n.json" || { cat "$out/$n.err"; return 1; }
	fi
	launch=$(sed -n 's|^// LAUNCH: ||p' "$f")
	blocks=
	case $launch in *--block*) ;; *) blocks="--block 1 --block 33 --block 96 --block 100" ;; esac
	"$B/bin/ptxrun" "$f" $launch $blocks --limit 10000000 >"$out/$n.want" && "$B/bin/ptxrun" "$a" $launch $blocks --limit 10000000 --seeds "$SEEDS" >"$out/$n.got" && cmp "$out/$n.want" "$out/$n.got"
}
[ $# != 0 ] || set -- "$here"/*.cu "$here"/*.ptx
for f; do
	case $f in *.cu | *.ptx) ;; *) f=$f.cu ;; esac
	case $f in */*) ;; *) f=$here/$f ;; esac
	n=$(basename "${f%.*}")
	case $f in
	*.ptx)
		[ $STEP = all ] || continue
		for p in stack queue 'queue(4)' ahead wait converge majority live cycle; do t "$n $p" policy "$p"; done
		rm -f "$out/$n".*
		;;
	*)
		if grep -q '^// MODE: ' "$f"; then
			[ $STEP = all ] || continue
			sed -n 's|^// MODE: ||p' "$f" >"$tmp/modes"
			while read -r options <&3; do t "$n $options" mode $options; done 3<"$tmp/modes"
		else
			file
		fi
		;;
	esac
done
finish
