#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b]: the estimates of the cost model in suggestions and by profiles (-b rewrites suggest.txt and profile.txt). The other
# files of this folder are expectations of tests/run.sh. No expectation outside this folder depends on the model's constants.
set -u
cd "$(dirname "$0")" || exit 2
part=cost
. ../t.sh
bless=false
[ "${1:-}" != -b ] || bless=true
BIN=${BIN:-$PWD/../../build/bin}

suggest() {
	for ptx in ../suggest/*.ptx; do
		basename "$ptx"
		"$BIN/ptxccc" --suggest "$ptx" -o "$tmp/out.ptx" 2>&1 | grep -E '^ .*(none|unclear|x)  /|^ *expected:'
	done
}
# report FUNCTION EDIT [INPUT]: the options of a loop of cuts.ptx by its profile, after sed's edit
report() {
	sed "$2" ../profile/cuts.cccprof >"$tmp/p.cccprof"
	echo "$1, $2"
	"$BIN/ptxccc" --report=json --profile-use="$tmp/p.cccprof" ../profile/cuts.ptx -o "$tmp/out.ptx" 2>/dev/null |
		sed -n '/"function": "'"$1"'"/p' | grep -o '"policy": "[^"]*", "slots_before": [0-9.]*, "slots": [0-9.]*' | sed 's/"//g; s/^/	/'
}
# longest TRIPS: the estimate for a launch with one long lane
longest() {
	sed "/^#/d; s/@LONGEST@/$1/" ../profile/longest.in >"$tmp/p.cccprof"
	echo "choose_joined.ptx, longest lane $1"
	"$BIN/ptxccc" --report --profile-use="$tmp/p.cccprof" ../golden/choose_joined.ptx -o "$tmp/out.ptx" 2>&1 | grep -E '^  (transformed|expected)'
}
# tasks TRIPS: the same for a task loop: 64 times the counted tasks, 32 a thread. The longest lane is one of all tasks of the launch.
tasks() {
	"$BIN/ptxrun" --profile="$tmp/r.cccprof" lookup.ptx _Z6lookupPK5uint4PKfPfii --grid 8 --block 128 --arg buf:16384:rand:3 --arg buf:65536:real:5 --arg buf:4096 \
		--arg s32:1024 --arg s32:5 >"$tmp/log" 2>&1 || cat "$tmp/log"
	"$BIN/ptxccc" profile merge --weight=64 "$tmp/r.cccprof" | awk -v longest="$1" '/^launches/ { $2 = $3 = 1 } /^trips/ { $4 = longest } 1' >"$tmp/p.cccprof"
	echo "lookup.ptx, 65536 tasks, longest lane $1"
	"$BIN/ptxccc" --auto --fp=relaxed --policy=flatten --choose=always --report --profile-use="$tmp/p.cccprof" lookup.ptx -o "$tmp/out.ptx" 2>&1 | grep '^  expected.*by the profile'
}
# skew TRIPS: the estimate for an inner loop that stores and reloads its bound. TRIPS is the sum over 22 warps of the trip count of
# the longest lane; the mean is 30
skew() {
	"$BIN/ptxrun" --profile="$tmp/r.cccprof" ../golden/bound_reload.ptx _Z6storesPKiS0_Pii --grid 5 --block 32 --arg buf:2804:mod:60:3 --arg buf:4096:mod:512:4 \
		--arg buf:179200 --arg s32:700 >"$tmp/log" 2>&1 || cat "$tmp/log"
	sed "s/^trips \([0-9]*\) [0-9]* .*/trips \1 $1 200/" "$tmp/r.cccprof" >"$tmp/p.cccprof"
	echo "bound_reload.ptx, $(grep '^trips' "$tmp/p.cccprof")"
	"$BIN/ptxccc" --policy=expand --report --profile-use="$tmp/p.cccprof" ../golden/bound_reload.ptx -o "$tmp/out.ptx" 2>&1 |
		grep 'by the profile'
}
# drift KERNEL: the estimate if the lanes of a warp run each iteration in three groups. The trip counts of `stride` are equal, so its
# lanes drifted apart, and groups meet under a policy; those of `walk` depend on memory.
drift() {
	"$BIN/ptxrun" --profile="$tmp/r.cccprof" drift.ptx "$1" --grid 4 --block 64 --arg s32:4096 --arg buf:16384:mod:1000:3 --arg buf:16384 >"$tmp/log" 2>&1 || cat "$tmp/log"
	awk '/^iterations/ { $3 *= 3 } 1' "$tmp/r.cccprof" >"$tmp/p.cccprof"
	echo "drift.ptx, $1, $(grep -m 1 '^iterations' "$tmp/p.cccprof")"
	"$BIN/ptxccc" --report --profile-use="$tmp/p.cccprof" drift.ptx -o "$tmp/out.ptx" 2>&1 | grep '^  .*by the profile'
}
# rows ENTRIES: the estimate for a collected inner loop if 64 lanes have 4096 rows in that number of executions of the outer loop by
# lanes. With one row each, the longest lane ends alone, as in the original.
rows() {
	"$BIN/ptxrun" --profile="$tmp/r.cccprof" ../golden/while.ptx _Z7collatzPKjPji --grid 1 --block 64 --arg buf:16384:mod:1000:3 --arg buf:16384 --arg s32:4096 >"$tmp/log" 2>&1 || cat "$tmp/log"
	sed "s/^entries .*/entries $1 $(($1 / 32))/" "$tmp/r.cccprof" >"$tmp/p.cccprof"
	echo "while.ptx, $(grep -m 1 '^entries' "$tmp/p.cccprof")"
	"$BIN/ptxccc" --policy=stack --report --profile-use="$tmp/p.cccprof" ../golden/while.ptx -o "$tmp/out.ptx" 2>&1 | grep '^  .*by the profile'
}
# rare N: the estimate for a collected inner loop with a long arm that N of 1,000 iterations execute. If more lanes run together, more
# rounds execute the arm. The emulator counts gains of 0.81, 0.93, 1.13, 1.73 and 1.86 for the five values below.
rare() { arm rare_arm.ptx _Z4walkPKiPfii 4096 60 "$1"; }
# rare_row N: the same for an expanded inner loop: 1.54, 1.22, 1.18, 1.80 and 1.96
rare_row() { arm rare_row.ptx _Z4rowsPKiPjii 512 1000 "$1"; }
# The estimate of an expanded inner loop with three sums, most of whose lanes leave it early, is what the emulator counts, within 15 %: lanes
# that run iterations of several rows add up their sums in as many instructions as an iteration has, and the last lanes of the original loop
# seldom execute the arm: N in 1000 iterations do.
summed() {
	for share in 4 50 200 500 1000; do
		set -- rare_sums.ptx _Z4sumsPKiPKyPfPiii --grid 2 --block 128 --arg buf:8192:mod:32:3 --arg buf:16384:rand:5 --arg buf:8192 --arg buf:8192 --arg s32:2048 \
			--arg "s32:$share"
		"$BIN/ptxrun" --profile="$tmp/p.cccprof" "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
		echo "$share $(counted "$@") $(estimated expand "$@")"
	done >"$tmp/summed"
	awk '$2 / $4 > 1.15 * $3 || $3 > 1.15 * $2 / $4 || NF != 4 { print; bad = 1 } END { exit bad || NR != 5 }' "$tmp/summed"
}
arm() { # FILE KERNEL TASKS LENGTHS N
	"$BIN/ptxrun" --profile="$tmp/p.cccprof" "$1" "$2" --grid 1 --block 64 --arg "buf:$((4 * $3)):mod:$4:3" --arg "buf:$((4 * $3))" --arg "s32:$3" --arg "s32:$5" >"$tmp/log" 2>&1 ||
		cat "$tmp/log"
	echo "$1, $5 in 1000"
	"$BIN/ptxccc" --report --profile-use="$tmp/p.cccprof" "$1" -o "$tmp/out.ptx" 2>&1 | grep '^  .*by the profile'
}
# The path of `adds`: 200 of 1000 lanes are 6.25 per warp. Half of their atomic operations in one line cost 768 slots each.
profile() {
	drift _Z6strideiPKiPi
	drift _Z4walkiPKiPi
	report deep ''
	report adds '/^atomics 1000/d; s/^atomics 200 .*/atomics 200 200 100 50/'
	for memory in '' 's/^cccprof 10/cccprof 10\nmemory 8 1/' 's/^cccprof 10/cccprof 10\nmemory 1 1/'; do
		report arms "$memory"
	done
	report loops 's/^sectors 6051 .*/sectors 6051 3000 0/'
	report loops 's/^sectors 6051 .*/sectors 6051 3000 3000/'
	for trips in 12 3000 300000; do longest $trips; done
	for trips in 69 6900 69000; do tasks $trips; done
	for trips in 700 1400 5000; do skew $trips; done
	for entries in 64 512 4096; do rows $entries; done
	for share in 0 3 30 300 1000; do rare $share; done
	for share in 0 3 30 300 1000; do rare_row $share; done
}
same() { # same NAME: the output of the function NAME is that of NAME.txt
	"$1" >"$tmp/$1.txt"
	! $bless || cp "$tmp/$1.txt" "$1.txt"
	[ "$(wc -l <"$tmp/$1.txt")" -gt 20 ] && diff -u "$1.txt" "$tmp/$1.txt"
}
# With policy(auto), an annotation that implies a policy is not carried out at an expected loss.
implied() {
	sed 's/predict 14 "src.delay.cu":88$/& policy(auto)/' ../golden/delay.ptx >"$tmp/auto.ptx"
	outcome() { "$BIN/ptxccc" --report "$@" -o "$tmp/out.ptx" 2>&1 | sed -n '/kernel inner,/{n;s/^ *//;s/ policy .*//p;}'; }
	[ "$(outcome ../golden/delay.ptx)" = transformed, ] && [ "$(outcome --choose=always "$tmp/auto.ptx")" = transformed, ] &&
		[ "$(outcome "$tmp/auto.ptx")" = "left unchanged: the expected gain is too small:" ]
}
# An `assign` that names no policy is left unchanged if a profile has equal trip counts: the emulator counts a gain of 0.57, as expected.
# outcome N: the longest trip count of a warp is N tenths of the mean.
assigned() {
	outcome() {
		awk -v ratio="$1" '/^trips/ { $3 = int($2 / 32 * ratio / 10); $4 = 1000 } 1' "$tmp/r.cccprof" >"$tmp/p.cccprof"
		"$BIN/ptxccc" --report --profile-use="$tmp/p.cccprof" ../golden/assign.ptx -o "$tmp/out.ptx" 2>&1 | sed -n '/kernel flat/{n;s/^ *//;s/[,:] .*//p;}'
	}
	"$BIN/ptxrun" --profile="$tmp/r.cccprof" ../golden/assign.ptx _Z4flatiPKiPi --grid 4 --block 64 --arg s32:4096 --arg buf:16384:mod:100:3 \
		--arg buf:16384 >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	[ "$(outcome 10)" = "left unchanged" ] && [ "$(outcome 80)" = transformed ]
}
# The estimates of `ahead` and `stack` are those that the emulator counts, within 25 %, and it counts more for the one that is expected
# to be worth less. Lanes need the path by chance, in loops of 64, 16 and 6 iterations, or some need it always and others never.
selected() {
	for launch in "64 2 0" "64 16 0" "16 4 0" "6 16 0" "64 8 1"; do
		set -- $launch
		set -- pick.ptx _Z4pickPKjPfiji --grid 2 --block 128 --arg "buf:$((1024 * $1)):rand:3" --arg "buf:$((1024 * $1))" --arg "s32:$((256 * $1))" \
			--arg "u32:$(($2 << 27))" --arg "s32:$3"
		"$BIN/ptxrun" --profile="$tmp/p.cccprof" "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
		echo "$launch $(counted "$@") $(estimated 'ahead(32)' "$@") $(estimated stack "$@")"
	done >"$tmp/selected"
	awk 'function off(x, y) { return x > 1.25 * y || y > 1.25 * x }
		{ ahead = $4 / $6; stack = $4 / $8; if (off($5, ahead) || off($7, stack) || (stack > 1.05 * ahead && $5 >= $7)) { print; bad = 1 } }
		END { exit bad || NR != 5 }' "$tmp/selected"
}
# The estimates of `flatten` and `flatten(4)` for a loop whose lanes have 1, 2, 4, ... iterations are those that the
# emulator counts, within 20 %: the lanes that have left the loop need no rounds. One lane has up to 2^N iterations.
left() {
	for most in 2 4 6; do
		set -- boxes.ptx _Z5boxesPK5uint4PKjPKfPfiii --grid 4 --block 128 --arg buf:8192:rand:3 --arg buf:2048:rand:9 --arg buf:16384:real:5 \
			--arg buf:2048 --arg s32:512 --arg s32:5 --arg "s32:$most"
		"$BIN/ptxrun" --profile="$tmp/p.cccprof" "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
		echo "$most $(counted "$@") $(estimated flatten "$@") $(estimated 'flatten(4)' "$@")"
	done >"$tmp/left"
	awk 'function off(x, y) { return x > 1.2 * y || y > 1.2 * x }
		{ if (off($3, $2 / $4) || off($5, $2 / $6)) { print; bad = 1 } }
		END { exit bad || NR != 3 }' "$tmp/left"
}
# A profile of the program without annotations has the blocks of a prediction's path that one of the annotated program has, though other
# candidates have markers in it. So the estimates are the same. They are what the emulator counts, within 25 %, and the advised number of
# lanes is the one with the best estimate.
predicted() {
	set -- _Z7scatterPfPiiji --grid 2 --block 128 --arg buf:1024 --arg buf:1024 --arg s32:200 --arg u32:171798691 --arg s32:256
	"$BIN/ptxrun" --quiet --profile="$tmp/plain.cccprof" scatter.off.ptx "$@" >"$tmp/log" 2>&1 &&
		"$BIN/ptxrun" --quiet --profile="$tmp/marked.cccprof" scatter.ptx "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	before=$(counted scatter.off.ptx "$@")
	for n in 4 8 12 16 24; do
		sed "s/threshold(16)/threshold($n)/" scatter.ptx >"$tmp/n.ptx"
		for profile in plain marked; do
			"$BIN/ptxccc" --report --profile-use="$tmp/$profile.cccprof" "$tmp/n.ptx" -o "$tmp/out.ptx" 2>&1 |
				sed -n 's/^  expected: [0-9.]*x (\([0-9]*\) issue slots an iteration instead of \([0-9]*\); by the profile)/\1 \2/p'
		done | tr '\n' ' '
		echo "$n $before $(counted "$tmp/out.ptx" "$@")"
	done >"$tmp/predicted"
	advised=$("$BIN/ptxccc" --suggest --profile-use="$tmp/plain.cccprof" scatter.off.ptx -o "$tmp/out.ptx" 2>&1 | sed -n 's/.*predict threshold(\([0-9]*\)).*/\1/p')
	awk -v advised="$advised" 'function off(x, y, most) { return x > most * y || y > most * x }
		{ estimate = $2 / $1; if (NF != 7 || off($3, $1, 1.02) || off($4, $2, 1.02) || off(estimate, $6 / $7, 1.25)) bad = 1
		  if (estimate > best) { best = estimate; n = $5 } print }
		END { print "advised: " advised; exit bad || NR != 5 || n != advised }' "$tmp/predicted"
}
# An iteration of `lookup` over leaves begins in the middle of the loop over nodes: both have one header, and are one loop to ptxas, at the end of
# whose iterations lanes wait for each other. So flattening gains nothing. With the candidates' markers, too, it is one loop: its iterations by
# warps are those of the longest lanes. The estimate is what the emulator counts, within 25 %.
merged() {
	set -- lookup.ptx _Z6lookupPK5uint4PKfPfii --grid 8 --block 128 --arg buf:16384:rand:3 --arg buf:65536:real:5 --arg buf:4096 --arg s32:1024 --arg s32:5
	"$BIN/ptxrun" --profile="$tmp/p.cccprof" "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
	grep -q '^trips 25712 1516 ' "$tmp/p.cccprof" && ! grep ^apart "$tmp/p.cccprof" || return 1
	set -- "$(counted "$@")" $(estimated 'flatten --auto --fp=relaxed' "$@")
	echo "$*" | awk '$2 > 1.25 * $1 / $3 || $1 / $3 > 1.25 * $2 || NF != 3 { print; exit 1 }'
}
# What a profile expects at 0.8x to 1x is tried if launches are timed, unless another loop of the kernel is transformed, or no lane would wait.
# outcome FIRST SECOND [--timed]: how many loops are transformed if FIRST and SECOND of 32 lanes need their paths.
tried() {
	outcome() {
		"$BIN/ptxrun" --profile="$tmp/p.cccprof" trials.ptx _Z6trialsPKjPfijj --grid 2 --block 128 --arg buf:6144:rand:3 --arg buf:12288 --arg s32:1536 \
			--arg "u32:$(($1 << 27))" --arg "u32:$(($2 << 27))" >"$tmp/log" 2>&1 || cat "$tmp/log"
		"$BIN/ptxccc" --auto ${3:-} --fp=relaxed --report --profile-use="$tmp/p.cccprof" trials.ptx -o "$tmp/out.ptx" 2>&1 |
			awk '/^  expected:/ { x = x $2 " " } /and another site of the kernel is transformed/ { x = x "alone " } /loops found/ { print x $1 }'
	}
	[ "$(outcome 16 16)" = 0 ] && [ "$(outcome 16 16 --timed)" = "0.98x alone 1" ] && [ "$(outcome 2 16)" = "1.71x 1" ] &&
		[ "$(outcome 2 16 --timed)" = "1.71x alone 1" ] && [ "$(outcome 2 2 --timed)" = "1.71x 1.71x 2" ] && [ "$(outcome 31 31 --timed)" = 0 ]
}
counted() { "$BIN/ptxrun" --counts "$@" 2>&1 | sed -n 's/^warp instructions: //p'; }
estimated() { # POLICY FILE KERNEL LAUNCH: expected speedup, and counted instructions
	printf '%s ' "$("$BIN/ptxccc" --policy=$1 --choose=always --report --profile-use="$tmp/p.cccprof" "$2" -o "$tmp/out.ptx" 2>&1 |
		sed -n 's/^  expected: \([0-9.]*\)x.*/\1/p')"
	shift 2
	counted "$tmp/out.ptx" "$@"
}
t "an implied policy" implied
t "assigned iterations" assigned
t "look-ahead or a stack" selected
t "flattening while lanes leave" left
t "sums of expanded rows" summed
t "predictions by both profiles" predicted
t "expected losses with timed launches" tried
t "flattening a loop that is two in the source" merged
t suggestions same suggest
t "estimates by a profile" same profile
finish
