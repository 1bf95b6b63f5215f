#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b]: the output of `ptxccc --suggest` for programs without annotations (NAME.txt; -b rewrites it). It does not
# change the code and uses a profile. If there is nvcc, also cccnvcc --ccc-suggest.
set -u
cd "$(dirname "$0")" || exit 2
BIN=${BIN:-$PWD/../../build/bin}
PTXCCC=${PTXCCC:-$BIN/ptxccc}
passed=0 failed=0 skipped=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
check() { # GOT WANT NAME
	if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL suggest $3: '$1' instead of '$2'"; fi
}

# ---- what is said, and that the text stays as it is ------------------------------------------------------------------------------
for ptx in *.ptx; do
	name=${ptx%.ptx}
	"$PTXCCC" --suggest "$ptx" -o "$tmp/out.ptx" >"$tmp/$name.txt" 2>&1
	check $? 0 "$name: exit status"
	[ "${1:-}" != -b ] || cp "$tmp/$name.txt" "$name.txt"
	check "$(diff "$name.txt" "$tmp/$name.txt")" "" "$name.txt"
	check "$(cmp "$ptx" "$tmp/out.ptx" 2>&1)" "" "$name: not changed"
done
"$PTXCCC" --suggest bfs.ptx 2>"$tmp/bfs.txt" >"$tmp/out.ptx"
check "$(diff bfs.txt "$tmp/bfs.txt"; cmp bfs.ptx "$tmp/out.ptx" 2>&1)" "" "to standard output"

# ---- bad input -------------------------------------------------------------------------------------------------------------------
echo 'no PTX' >"$tmp/bad.ptx"
"$PTXCCC" --suggest "$tmp/bad.ptx" -o "$tmp/out" >"$tmp/said" 2>&1
check "$? $(grep -c 'error:' "$tmp/said") $(grep -c 'efficiency' "$tmp/said")" "1 1 0" "no PTX"
"$PTXCCC" --suggest=much bfs.ptx -o "$tmp/out" >"$tmp/said" 2>&1
check $? 2 "a value"
head -60 bfs.ptx >"$tmp/cut.ptx"
"$PTXCCC" --suggest "$tmp/cut.ptx" -o "$tmp/out" >"$tmp/said" 2>&1
check $? 1 "a text that ends in a kernel"

# ---- annotated functions are passed over, and transformed as without --suggest ---------------------------------------------------
annotated=../golden/grid_stride.ptx
"$PTXCCC" $annotated -o "$tmp/want.ptx" 2>/dev/null
"$PTXCCC" --suggest $annotated -o "$tmp/out.ptx" 2>"$tmp/said"
check "$(cmp "$tmp/want.ptx" "$tmp/out.ptx" 2>&1)$(grep -c 'significant share' "$tmp/said")" 1 "an annotated function"

# ---- by a profile ----------------------------------------------------------------------------------------------------------------
# Of the branch in line 49 of md.cu, whose annotation stood in line 48: 2 of 32 lanes want the path, or all.
profile() { # LANES
	printf 'cccprof 1\ncut if "/src/md.cu":48:1 forces 0000000000000001\niterations 3200 100\nlanes %d:100\nend\n' "$1" >"$tmp/p.cccprof"
	"$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" md.ptx -o "$tmp/out.ptx" >"$tmp/said" 2>&1
	sed -n -E 's/^ .* (none|[0-9.]+x)  .*/\1/p; s/^ *why: //p' "$tmp/said" | tr '\n' ';'
}
check "$(profile 2)" "1.94x;6.25 % of the lanes come, 2.0 of a warp together;" "few lanes"
check "$(profile 32 | sed 's/^.*;\(.*;\)$/\1/')" "100.00 % of the lanes come, 32.0 of a warp together;" "all lanes"
check "$(profile 32 | cut -d';' -f1)" none "all lanes: nothing gains"

# An inner loop's record is one of either annotation, in the line above the loop or two above it.
for kind in for-var while; do
	printf 'cccprof 1\ncut %s "/src/spmv.cu":26:1 k 0000000000000001\niterations 3200 100\nlanes 32:100\ntrips 32000 12800\nend\n' $kind >"$tmp/p.cccprof"
	check "$("$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" spmv.ptx -o "$tmp/out.ptx" 2>&1 | sed -n 's/^ *why: //p')" \
		"100.00 % of the lanes come, 32.0 of a warp together, 10.0 iterations a lane, 128.0 of the warp's longest" "a loop's profile: $kind"
done

# ---- what a profile selects of candidates that exclude each other ----------------------------------------------------------------
# All candidates of nests.ptx are counted in one run; its arguments decide which of them gains.
"$PTXCCC" --suggest=layers nests.ptx -o /dev/null 2>"$tmp/layers.ptx"
selected() { # KERNEL LINES OPTION...: the first selected annotation in these lines
	kernel=$1 lines=$2
	shift 2
	rm -f "$tmp/p.cccprof"
	"$BIN/ptxrun" "$tmp/layers.ptx" "$kernel" --quiet "$@" --profile="$tmp/p.cccprof" >"$tmp/said" 2>&1 || cat "$tmp/said"
	"$PTXCCC" --suggest=places --profile-use="$tmp/p.cccprof" nests.ptx -o /dev/null 2>&1 | grep -E "^[a-z-]+ $lines "
}
nest() { # FIRST SECOND
	selected _Z4nestiiiPKiS0_Pf '(18|22)' --grid=2 --block=64 --arg u32:2048 --arg "u32:$1" --arg "u32:$2" --arg buf:8192:mod:20:1 --arg buf:8256:mod:20:2 --arg buf:8192
}
arms() { # SOME RARE
	selected _Z4armsiiiPKiS0_Pf '(34|44)' --block=64 --arg u32:128 --arg "u32:$1" --arg "u32:$2" --arg buf:512:mod:20:1 --arg buf:32768:mod:20:2 --arg buf:256
}
check "$(nest 20 1)" "if 22 22 21 /src/nests.cu" "the outer candidate loses, the inner one gains"
check "$(nest 1 0)" "if 18 18 16 /src/nests.cu" "the inner candidate loses, the outer one gains"
check "$(nest 1 1)" "if 22 22 21 /src/nests.cu" "both gain, the inner one more"
check "$(arms 20 0)" "distribute 34 36 0 /src/nests.cu" "melded arms"
check "$(arms 1 1)" "if 44 45 32 /src/nests.cu" "lanes that wait gain more than melded arms"
selected _Z4walkiPKiPi 0 --grid=2 --block=64 --arg u32:128 --arg buf:512:mod:20:1 --arg buf:512 --save="$tmp/buffer"
check "$(sed -n '/^cut for-var/,/^end/s/^\(trips [0-9]*\) .*/\1/p' "$tmp/p.cccprof")" "trips $(od -An -v -td4 "$tmp"/buffer2* | tr -s ' ' '\n' | awk '{ n += $1 } END { print n }')" "trip counts outside of an annotated loop"
check "$("$PTXCCC" --suggest=layers -Wno-all ../golden/grid_stride.ptx -o /dev/null 2>&1)" "" "no candidates, no layers"

# ---- by cccnvcc ------------------------------------------------------------------------------------------------------------------
if command -v nvcc >/dev/null 2>&1; then
	work=$PWD
	mkdir "$tmp/src" && cp ../../samples/sample.cuh "$tmp/src/"
	sed -E '/#pragma ccc/s/.*//' ../../samples/rt.cu >"$tmp/src/rt.cu"
	cd "$tmp/src" || exit 2
	"$BIN/cccnvcc" -std=c++17 -arch=sm_80 -ptx rt.cu -o want.ptx 2>/dev/null
	"$BIN/cccnvcc" --ccc-suggest -std=c++17 -arch=sm_80 -ptx rt.cu -o got.ptx 2>said
	check "$? $(cmp want.ptx got.ptx 2>&1)" "0 " "cccnvcc: the build is as without it"
	check "$(sed "s|$tmp||g" said | diff - "$work/rt.txt")" "" "cccnvcc: what it says"
	cp "$work/../../samples/rt.cu" rt.cu # annotated: the same is said, and the build goes on as it would
	"$BIN/cccnvcc" -std=c++17 -arch=sm_80 -ptx rt.cu -o want.ptx 2>/dev/null
	"$BIN/cccnvcc" --ccc-suggest -std=c++17 -arch=sm_80 -ptx rt.cu -o got.ptx 2>said
	check "$? $(cmp want.ptx got.ptx 2>&1)" "0 " "cccnvcc: an annotated source"
	check "$(grep -c 'rt.cu:41.*branch in render' said)" 1 "cccnvcc: what it says of an annotated source"
	check "$(find . -name '*.ccc*')" "" "cccnvcc: files left"
	echo 'int main() { return x; }' >wrong.cu
	"$BIN/cccnvcc" --ccc-suggest -arch=sm_80 -c wrong.cu 2>said
	check "$? $(grep -c 'error:' said)" "$(nvcc -arch=sm_80 -c wrong.cu >/dev/null 2>&1; echo $?) 1" "cccnvcc: an error"
	echo '__global__ void k(int *p) { *p = y; }' >wrong.cu
	"$BIN/cccnvcc" --ccc-suggest -arch=sm_80 -c wrong.cu 2>said
	check "$(grep -c 'identifier "y" is undefined' said)" 1 "cccnvcc: an error in a kernel is said once"
	"$BIN/cccnvcc" --ccc-suggest=3 -c wrong.cu >said 2>&1
	check $? 2 "cccnvcc: a value"
else
	skipped=$((skipped + 9))
fi
echo "suggest: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
