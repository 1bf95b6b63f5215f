#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: the emulator computes correct results:
# - Three modules with results from an H200, bit for bit: ops.ptx, 774 instructions and modifiers on 256 triples of words;
#   features.ptx, described in features.cu, also under random schedules; halves.ptx, 62 half-precision instructions on 1024
#   quadruples.
# - Packed small integers (simd.cu), compiled by nvcc for sm_75 to ordinary instructions, and for sm_90: the same memory.
# - Kernels that check themselves (checked.txt: module, kernel, number of checks): no wrong result, and that many checks.
# - The output of printf in a kernel. Blocks that cancel others (cancel.ptx).
# - Small kernels that each break a rule, with the expected messages ("// EXPECT: text", "// EXPECT: nothing", "// ARGS:
#   options").
set -u
cd "$(dirname "$0")" || exit 2
PTXRUN=$(cd ../.. && readlink -m "${B:-build}")/bin/ptxrun
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0
check() {
	if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $3: $1 instead of $2"; fi
}
while read -r module kernel want; do
	seeds=10
	[ $module != ops.ptx ] || seeds=0 # activemask and elect may differ there
	[ $module = halves.ptx ] && words="--grid 4 --arg buf:16384:file:halves.bin" || words="--arg buf:6144:file:words.bin"
	got=$($PTXRUN "$module" "$kernel" --block 256 $words --arg buf:204800 --seeds $seeds 2>&1 | sed -n 's/^arg 2.*: //p;/error/p')
	check "$got" "$want" "$module $kernel"
done <h200.txt
for k in 0 1 2; do
	for arch in 75 90; do
		got=$($PTXRUN simd-$arch.ptx ops$k --block 256 --arg buf:6144:file:words.bin --arg buf:204800 --seeds 2 2>&1 | sed -n 's/^arg 2.*: //p;/error/p')
		check "$got" "$(sed -n "s/^ops$k //p" simd.txt)" "simd-$arch.ptx ops$k"
	done
done
while read -r module kernel looks; do
	got=$($PTXRUN "$module" "$kernel" --block 96 --arg buf:8 --dump 2 --seeds 10 2>&1 | sed -n 's/^  0/0/p;/error/p')
	check "$got" "00000000 $(printf '%08x' "$looks")" "$module $kernel"
done <checked.txt
check "$($PTXRUN system.ptx numbers --block 1 --arg f64:0 --quiet 2>&1)" "$(cat system.txt)" "printf of numbers"
check "$($PTXRUN system.ptx as_it_stands --block 1 --quiet 2>&1)" "%.*d|%zu|7
44 4464 44 4464" "printf of what it does not know"
check "$($PTXRUN system.ptx by_lane --block 7 --quiet 2>&1)" "$(cat by_lane.txt)" "printf by lanes"
check "$($PTXRUN --check check.ptx 2>&1; echo "status $?")" "$(cat check.txt)" "--check of a module"
check "$($PTXRUN --check check.ptx good 2>&1; echo "status $?")" "check.ptx: 1 of 1 kernels can run
status 0" "--check of a kernel"
check "$($PTXRUN --check check.ptx none 2>&1; echo "status $?")" "check.ptx: error: no kernel 'none'; the module has
  good
  names
  names_too
  points
status 2" "--check of a kernel that is not there"
# Each block number of 42 once, under all schedules; and some blocks were cancelled: fewer than 42 started.
cancel="cancel.ptx k --grid 7,3,2 --block 64 --arg buf:172 --dump 43 --limit 1000000"
got=$($PTXRUN $cancel --arg u32:0 --seeds 20 2>&1)
check "$(echo "$got" | tr -s ' ' '\n' | grep -c -x 00000001) $(echo "$got" | grep -c error)" "42 0" "cancel.ptx: each block once"
started=$($PTXRUN $cancel --arg u32:1 2>&1 | tr -s ' ' '\n' | grep -x '[0-9a-f]\{8\}' | tail -1)
check "$((0x$started > 0 && 0x$started < 42))" 1 "cancel.ptx: $started blocks of 42 started"
# The same by a protocol without barriers. Each of its lines is needed.
by_threads() { # MODULE: in how many words of 42 each of the 64 threads has added 1, and whether there was an error
	got=$($PTXRUN "$1" by_threads --grid 7,3,2 --block 64 --arg buf:172 --dump 42 --limit 400000 --arg u32:0 --seeds 5 2>&1)
	echo "$(echo "$got" | tr -s ' ' '\n' | grep -c -x 00000040) $(echo "$got" | grep -c error)"
}
check "$(by_threads cancel.ptx)" "42 0" "cancel.ptx by_threads"
grep -n NEEDED cancel.ptx | sed -n 's/\([0-9]*\):.*;.*/\1/p' >"$dir/needed"
check "$(wc -l <"$dir/needed")" 10 "lines of cancel.ptx by_threads"
while read -r line; do
	sed "${line}d" cancel.ptx >"$dir/without.ptx"
	[ "$(by_threads "$dir/without.ptx")" != "42 0" ]
	check $? 0 "cancel.ptx by_threads without line $line"
done <"$dir/needed"
for f in rule-*.ptx; do
	out=$($PTXRUN "$f" k --quiet --limit 100000 $(sed -n 's|^// ARGS: ||p' "$f") 2>&1)
	sed -n 's|^// EXPECT: ||p' "$f" >"$dir/want"
	[ -s "$dir/want" ] || check "no EXPECT" "one" "$f"
	while read -r want; do
		if [ "$want" = nothing ]; then check "$out" "" "$f"; continue; fi
		case $out in *"$want"*) check 1 1 "$f" ;; *) check "$out" "$want" "$f" ;; esac
	done <"$dir/want"
done
# The line table, by line of the PTX and of the CUDA source that it was compiled from.
for of in both ptx cuda; do
	[ $of = both ] && option=--lines || option=--lines=$of
	$PTXRUN lines.ptx _Z1kPi --arg buf:1024 --quiet "$option" --sort lost >"$dir/got" 2>&1
	cmp -s lines-$of.txt "$dir/got"
	check $? 0 "lines-$of.txt: $(diff lines-$of.txt "$dir/got" | head -5)"
done
# The same as an HTML page, without the parts that all pages share; by line of the PTX if there are no others.
$PTXRUN lines.ptx _Z1kPi --arg buf:1024 --quiet --html="$dir/page" >"$dir/got" 2>&1
check "$? $(wc -c <"$dir/got")" "0 0" "--html"
sed '1,/<\/style>/d' "$dir/page" >"$dir/got"
cmp -s lines.html "$dir/got"
check $? 0 "lines.html: $(diff lines.html "$dir/got" | head -5)"
grep -v '[.]loc' lines.ptx >"$dir/plain.ptx"
$PTXRUN "$dir/plain.ptx" _Z1kPi --arg buf:1024 --quiet --html="$dir/page" --lines=cuda --sort lost >"$dir/got"
check "$? $(grep -c '<h2>.*plain.ptx</h2>' "$dir/page") $(grep -c 'plain.ptx:' "$dir/got")" "0 1 21" "--html without CUDA lines, and a table"
sed 's/[.]loc.1 9 2/.loc 1 0 0/' lines.ptx >"$dir/zero.ptx"
$PTXRUN "$dir/zero.ptx" _Z1kPi --arg buf:1024 --quiet --html="$dir/page" --lines=cuda >"$dir/got"
check "$(grep -c '<h2>.*zero.ptx</h2>' "$dir/page") $(grep -c 'cu:0' "$dir/got")" "1 0" "--html of code without lines"
$PTXRUN lines.ptx _Z1kPi --arg buf:1024 --quiet --html=/nowhere/page >"$dir/got" 2>&1
check "$? $(cat "$dir/got")" "2 ptxrun: cannot write '/nowhere/page': No such file or directory" "--html to a path that cannot be written"
echo "simt: $passed passed, $failed failed"
[ $failed = 0 ]
