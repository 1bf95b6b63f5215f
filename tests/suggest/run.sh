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
# The estimates of the cost model are masked: tests/cost/suggest.txt has them. What tests/cost/suggest_NAME.txt has is not,
# because the model decides what is suggested for that program.
mask=$PWD/../estimates.sed
masked() { sed -E -f "$mask"; }

# ---- what is said, and that the text stays as it is ------------------------------------------------------------------------------
for ptx in *.ptx; do
	name=${ptx%.ptx}
	"$PTXCCC" --suggest "$ptx" -o "$tmp/out.ptx" >"$tmp/said" 2>&1
	check $? 0 "$name: exit status"
	if [ -e ../cost/suggest_$name.txt ]; then want=../cost/suggest_$name.txt; else want=$name.txt; fi
	if [ $want = $name.txt ]; then masked <"$tmp/said"; else cat "$tmp/said"; fi >"$tmp/$name.txt"
	[ "${1:-}" != -b ] || cp "$tmp/$name.txt" $want
	check "$(diff $want "$tmp/$name.txt")" "" "$want"
	check "$(cmp "$ptx" "$tmp/out.ptx" 2>&1)" "" "$name: not changed"
done
"$PTXCCC" --suggest bfs.ptx 2>"$tmp/said" >"$tmp/out.ptx"
masked <"$tmp/said" >"$tmp/bfs.txt"
check "$(diff bfs.txt "$tmp/bfs.txt"; cmp bfs.ptx "$tmp/out.ptx" 2>&1)" "" "to standard output"

sed "s|/src/waits.cu|$PWD/waits.cu|" waits.ptx >"$tmp/waits.ptx"
check "$("$PTXCCC" --suggest "$tmp/waits.ptx" -o "$tmp/out.ptx" 2>&1 | grep -c "over the statement at 18:4 's = sqrtf(grind<64>(s, 40));', and")" 1 "the text of a statement"

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
# The profile of the branch in line 49 of md.cu, whose annotation was in line 48: 2 of 32 lanes take the path, or all.
profile() { # LANES
	printf 'cccprof 1\ncut if "/src/md.cu":48:1 forces 0000000000000001\niterations 3200 100\nlanes %d:100\nend\n' "$1" >"$tmp/p.cccprof"
	"$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" md.ptx -o "$tmp/out.ptx" >"$tmp/said" 2>&1
	masked <"$tmp/said" | sed -n -E 's/^ .* (none|N.NNx)  .*/\1/p; s/^ *why: //p' | tr '\n' ';'
}
check "$(profile 2)" "N.NNx;6.25 % of the lanes come, 2.0 of a warp together;" "few lanes"
check "$(profile 32 | sed 's/^.*;\(.*;\)$/\1/')" "100.00 % of the lanes come, 32.0 of a warp together;" "all lanes"
check "$(profile 32 | cut -d';' -f1)" none "all lanes: nothing gains"

# Lanes leave an inner loop one by one: they run the code of its exit six times in an iteration of the outer loop.
printf 'cccprof 1\ncut if "/src/leaves.cu":13:1 march 0000000000000001\niterations 3200 100\nentries 320 10\nlanes 1:300 3:300\nend\n' >"$tmp/p.cccprof"
check "$("$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" leaves.ptx -o "$tmp/out.ptx" 2>&1 | masked | sed -n '/leaves.cu:13/,/plan/{ s/,.*//; s/^.* \(N.NNx\|none\) .*/\1/p; /plan/p; }' | tr -d '\n')" \
	"N.NNx         plan: policy(stack)" "code of a loop's exit"

# The record of an inner loop has either annotation, in the line above the loop or two lines above it.
for kind in for-var while; do
	printf 'cccprof 1\ncut %s "/src/spmv.cu":26:1 k 0000000000000001\niterations 3200 100\nlanes 32:100\ntrips 32000 12800\nend\n' $kind >"$tmp/p.cccprof"
	check "$("$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" spmv.ptx -o "$tmp/out.ptx" 2>&1 | sed -n 's/^ *why: //p')" \
		"100.00 % of the lanes come, 32.0 of a warp together, 10.0 iterations a lane, 128.0 of the longest lane of a warp" "a loop's profile: $kind"
done

# What a task loop gains depends on the size of the launch, in proportion to the multiprocessors that counted.
sized() { # TASKS LAUNCHES OPTION...: the gain of the rare branch, what to do without one, and for what launches that is
	printf 'cccprof 10\ncut if "/src/tasks.cu":15:1 tasks 7b0a3451dab2e5e0\niterations %d %d\nentries %d %d\nlaunches %s\nthreads 128\nlanes 3:%d\nend\n' \
		$1 $(($1 / 32)) $1 $(($1 / 32)) "$2" $(($1 / 32)) >"$tmp/p.cccprof"
	shift 2
	"$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" "$@" tasks.ptx -o "$tmp/out.ptx" 2>&1 |
		sed -n 's/^.* \([0-9.]*x\|none\)  .*:15: branch.*/\1/p; s/^ *to do: .* size: \(count.*\)/\1/p; /^counted/p' | tr '\n' ';'
}
scaled='counted on 1 multiprocessor: for launches 108 times as large on the target;'
gain=$(sized 691200 '1 108')
check "$(sized 6400 '1 1');$(sized 102400 '1 16')" "$gain$scaled;${gain}counted on 16 multiprocessors: for launches 6.75 times as large on the target;" "a launch in proportion to the GPU"
check "$(sized 691200 1);$(sized 6400 '1 1' --sms=1);$(sized 691200 '1 1' --sms=108);${gain%.*}" "$gain;$gain;$gain;2" "for a GPU that the user gives"
check "$(sized 32000 1);$(sized 1024 '1 1')" "none;count one of 663552 tasks or more;;none;count one of 6144 tasks or more;$scaled" "a launch that is too small"
check "$(sized 32000 '1 1' --sms=108);$(sized 32000 '1 108')" "none;count one of 663552 tasks or more;;none;count one of 663552 tasks or more;" "one that is too small for the GPU that the user gives"

# ---- with the statements of the source -------------------------------------------------------------------------------------------
# stated WHAT IF-ROW: the output for md.ptx with the loop in line 46, that `if`, the kernel, and its loop
stated() {
	{ cat md.ptx; printf '\n//.statements\n//.statements-of /src/md.cu\n//.statement l ll-- 46 2 46 40 46 41 52 3 0 0 0 0 0 0 0 0\n//.statement %s\n' "$2"
	printf '//.statement k ll-- 55 1 56 1 56 1 59 2 0 0 0 0 0 0 0 0\n//.statement l ll-- 57 2 57 50 58 3 58 40 0 0 0 0 0 0 0 0\n'; } >"$tmp/stated.ptx"
	"$PTXCCC" "--suggest$1" "$tmp/stated.ptx" -o "$tmp/out.ptx" 2>&1 | sed -n -E 's/^ *[0-9.]+% .*(x|none|unclear)  (.*): branch.*/\2/p; s/^ *to do: (.*)/\1/p; s/^ *(why not: .*)/\1/p; /^[a-z]/p'
}
check "$(stated '' 'i ll-- 49 3 49 21 50 4 50 30 0 0 0 0 0 0 0 0' | tr '\n' ';')" \
	"/src/md.cu:49, inlined at /src/md.cu:58;'#pragma ccc if' over it, and '#pragma ccc for' over the loop around it, line 46;" "a statement"
check "$(stated '' 'i ss-- 48 9 49 21 50 4 50 30 0 0 0 0 0 0 0 0' | tail -1)" \
	"'#pragma ccc if' before column 9 of line 48, on a separate line, and '#pragma ccc for' over the loop around it, line 46" "a condition of two lines, behind other code"
check "$(stated '' 'i llsl 48 3 49 21 49 22 49 40 50 9 51 30 0 0 0 0' | tail -1)" \
	"'#pragma ccc path' before column 9 of line 50, on a separate line, and '#pragma ccc for' over the loop around it, line 46" "behind else"
check "$(stated '' 'i ll-l 48 3 49 21 49 22 49 40 0 0 0 0 50 4 51 30' | tail -1)" \
	"'#pragma ccc path' and '{' over line 50, '}' under line 51, and '#pragma ccc for' over the loop around it, line 46" "behind a guard"
check "$(stated '' 'i mm-- 49 3 49 21 50 4 50 30 0 0 0 0 0 0 0 0' | tail -1)" "why not: it is in a macro; write the annotation in the macro (ccc.h)" "in a macro"
check "$(stated '' 'i ll-- 48 3 48 21 49 4 50 30 0 0 0 0 0 0 0 0' | sed -n 's/condition:.*/condition/; 2p')" "why not: no 'if' tests its condition" "no condition"
fixes() { stated =fixes "$1" | sed -n -E 's/^fix [0-9.]+ /fix N /p; s/^none$/none/p' | tr '\t' ' '; } # IF-ROW
check "$(fixes 'i ll-- 49 3 49 21 50 4 50 30 0 0 0 0 0 0 0 0')" "fix N 2 head 1 0 if" "fixes: a statement"
check "$(fixes 'i llsl 48 3 49 21 49 22 49 40 50 9 51 30 0 0 0 0')" "fix N 2 other 1 0 path" "fixes: behind else"
check "$(fixes 'i ll-l 48 3 49 21 49 22 49 40 0 0 0 0 50 4 51 30')" "fix N 2 rest 1 0 path" "fixes: after a guard"
check "$(fixes 'i mm-- 49 3 49 21 50 4 50 30 0 0 0 0 0 0 0 0')" none "fixes: in a macro"
check "$(fixes 'i ll-- 48 3 48 21 49 4 50 30 0 0 0 0 0 0 0 0')" none "fixes: no statement"
check "$("$PTXCCC" --suggest=fixes md.ptx -o "$tmp/out.ptx" 2>&1)" "" "fixes: statements are not known"
{ sed '/^	\.loc/d' md.ptx; printf '\n//.statements\n//.statements-of /src/md.cu\n'; } >"$tmp/lost.ptx" # cccnvcc's temporary file
"$PTXCCC" --suggest "$tmp/lost.ptx" -o "$tmp/out.ptx" >"$tmp/said" 2>&1
check "$(grep -c 'lost\.ptx' "$tmp/said") $(sed -n 's/^.*none  //p; s/^ *why not: //p' "$tmp/said" | tr '\n' ';')" "0 branch in forces (no source line);its source line is not known;" "no line"
check "$(stated '' 'i ll-- 49' | tail -1 | sed 's/condition:.*/condition/')" "why not: no 'if' tests its condition" "a row that cannot be read"
# Code that no statement belongs to has a row only if it would gain: here not, because all lanes take it. Counts have the line of
# its statement (cccnvcc), or of its code (ptxrun, which knows no statements).
stated '' 'i ll-- 48 3 48 21 49 4 50 30 0 0 0 0 0 0 0 0' >/dev/null
for line in 57 49; do
	for lanes in 2 32; do
		printf 'cccprof 1\ncut if "/src/md.cu":%d:5 _Z6forcesiPK6float4PKiP5Force 0000000000000001\niterations 3200 100\nlanes %d:100\nend\n' $line $lanes >"$tmp/p.cccprof"
		"$PTXCCC" --suggest --profile-use="$tmp/p.cccprof" "$tmp/stated.ptx" -o "$tmp/out.ptx" 2>&1 | grep -c 'why not: no .if. tests'
	done
done >"$tmp/rows"
check "$(tr '\n' ' ' <"$tmp/rows")" "1 0 1 0 " "a row for code that cannot be annotated"

# ---- what a profile selects of candidates that exclude each other ----------------------------------------------------------------
# All candidates of nests.ptx are counted in one run; its arguments decide which of them gains. The statements of nests.cu follow.
{ cat nests.ptx; printf '\n//.statements\n//.statements-of /src/nests.cu\n'; sed 's|^|//.statement |' <<'END'; } >"$tmp/nests.ptx"
l ll-- 6 2 6 34 8 3 9 31 0 0 0 0 0 0 0 0
l ll-- 8 3 8 31 9 4 9 31 0 0 0 0 0 0 0 0
k ll-- 13 1 14 1 14 1 26 2 0 0 0 0 0 0 0 0
l ls-- 16 2 16 89 16 90 25 3 0 0 0 0 0 0 0 0
i ll-- 18 3 18 20 19 4 19 22 0 0 0 0 0 0 0 0
l ll-- 21 3 21 31 22 4 23 22 0 0 0 0 0 0 0 0
i ll-- 22 4 22 49 23 5 23 22 0 0 0 0 0 0 0 0
k ll-- 28 1 29 1 29 1 48 2 0 0 0 0 0 0 0 0
l ls-- 32 2 32 29 32 30 46 3 0 0 0 0 0 0 0 0
i ls-- 33 3 33 19 33 20 43 4 0 0 0 0 0 0 0 0
i lss- 34 4 34 24 34 25 38 5 38 11 42 5 0 0 0 0
l ll-- 36 5 36 34 37 6 37 35 0 0 0 0 0 0 0 0
l ll-- 40 5 40 34 41 6 41 39 0 0 0 0 0 0 0 0
i ll-- 44 3 44 56 45 4 45 28 0 0 0 0 0 0 0 0
k ll-- 50 1 51 1 51 1 59 2 0 0 0 0 0 0 0 0
i ll-l 53 2 53 13 54 3 54 10 0 0 0 0 56 2 58 17
l ll-- 56 2 56 32 57 3 57 29 0 0 0 0 0 0 0 0
k ll-- 61 1 62 1 62 1 75 2 0 0 0 0 0 0 0 0
i ll-l 64 2 64 13 65 3 65 10 0 0 0 0 67 2 74 17
l ls-- 67 2 67 32 67 33 73 3 0 0 0 0 0 0 0 0
i ls-l 68 3 68 28 68 29 71 4 0 0 0 0 72 3 72 29
END
"$PTXCCC" --suggest=layers "$tmp/nests.ptx" -o /dev/null 2>"$tmp/layers.ptx"
check "$("$PTXCCC" --suggest=fixes "$tmp/nests.ptx" -o /dev/null 2>&1 | sed -n -E 's/^fix [0-9.]+ ([0-9]+).*/\1/p' | grep -c -x -e 5 -e 7)" 1 "fixes: one of two candidates in nested loops"
selected() { # KERNEL OPTION...: the lines of the transformed sites
	kernel=$1
	shift
	rm -f "$tmp/p.cccprof"
	"$BIN/ptxrun" "$tmp/layers.ptx" "$kernel" --quiet "$@" --profile="$tmp/p.cccprof" >"$tmp/said" 2>&1 || cat "$tmp/said"
	"$PTXCCC" --auto --report --report-to="$tmp/report" --profile-use="$tmp/p.cccprof" "$tmp/nests.ptx" -o /dev/null
	grep -B1 '^  transformed\|^  melded' "$tmp/report" | sed -n -E 's/^[^ ]*:([0-9]+): kernel.*(arms|path).*/\1 \2/p'
}
nest() { # FIRST SECOND
	selected _Z4nestiiiPKiS0_Pf --grid=2 --block=64 --arg u32:2048 --arg "u32:$1" --arg "u32:$2" --arg buf:8192:mod:20:1 --arg buf:8256:mod:20:2 --arg buf:8192
}
arms() { # SOME RARE
	selected _Z4armsiiiPKiS0_Pf --block=64 --arg u32:128 --arg "u32:$1" --arg "u32:$2" --arg buf:512:mod:20:1 --arg buf:32768:mod:20:2 --arg buf:256
}
check "$(nest 20 1)" "22 path" "the outer candidate loses, the inner one gains"
check "$(nest 1 0)" "18 path" "the inner candidate loses, the outer one gains"
check "$(nest 1 1)" "22 path" "both gain, the inner one more"
check "$(arms 20 0)" "34 arms" "melded arms"
check "$(arms 1 1)" "44 path" "lanes that wait gain more than melded arms"
selected _Z4walkiPKiPi --grid=2 --block=64 --arg u32:128 --arg buf:512:mod:20:1 --arg buf:512 --save="$tmp/buffer"
check "$(sed -n '/^cut for-var/,/^end/s/^\(trips [0-9]*\) .*/\1/p' "$tmp/p.cccprof")" "trips $(od -An -v -td4 "$tmp"/buffer2* | tr -s ' ' '\n' | awk '{ n += $1 } END { print n }')" "trip counts outside of an annotated loop"
selected _Z5leaveiPKiPi --block=32 --arg u32:32 --arg buf:128:mod:40:1 --arg buf:128
check "$(sed -n '/^cut for-var/,/^end/s/^trips [0-9]* \([0-9]*\) \1$/same/p' "$tmp/p.cccprof")" same "a loop that is left in two ways"
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
	check "$(sed "s|$tmp||g" said | masked | diff - "$work/rt.txt")" "" "cccnvcc: messages"
	cp "$work/../../samples/rt.cu" rt.cu # annotated: the same is said, and the build goes on as it would
	"$BIN/cccnvcc" -std=c++17 -arch=sm_80 -ptx rt.cu -o want.ptx 2>/dev/null
	"$BIN/cccnvcc" --ccc-suggest -std=c++17 -arch=sm_80 -ptx rt.cu -o got.ptx 2>said
	check "$? $(cmp want.ptx got.ptx 2>&1)" "0 " "cccnvcc: an annotated source"
	check "$(grep -c 'rt.cu:41.*branch in render' said)" 1 "cccnvcc: messages for an annotated source"
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
