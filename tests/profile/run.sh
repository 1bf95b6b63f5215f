#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-b]: profiles. The emulator's counts for cuts.ptx (cuts.cu) follow from its data, under any schedule; the file
# equals cuts.cccprof (-b rewrites it). merge, show and overlap; invalid profiles are reported, and their valid parts are
# used.
set -u
cd "$(dirname "$0")" || exit 2
BIN=${BIN:-$PWD/../../build/bin}
passed=0 failed=0
# A program that is not linked with the sanitizers must load their libraries first.
sanitizers=
case $BIN in */san/*) sanitizers=$(cc -print-file-name=libasan.so) ;; esac
emulated() { ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers "$BIN/ptxrun" --quiet --no-unwritten "$@"; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
check() { # GOT WANT NAME
	if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL profile $3: '$1' instead of '$2'"; fi
}
run() {
	kernel=$1
	shift
	"$BIN/ptxrun" cuts.ptx "$kernel" --block 96 --grid 2 --arg buf:4000:index --arg buf:8000 --arg s32:${few:-1000} --quiet \
		--profile="$tmp/${few:+few-}$kernel.cccprof" "$@" >"$tmp/out" 2>&1
	check "$? $(grep -v '^block [0-9]*, 1, 1$' "$tmp/out")" "0 " "$kernel $*"
}
# Lanes that reached each profile point, then iterations, and trip counts of inner loops: these do not depend on the schedule.
sums() {
	awk '$1 == "cut" { if (n) print n, lanes, trips; n = 0; lanes = 0; trips = 0 }
		$1 == "iterations" { n = $2 }
		$1 == "lanes" { for (i = 2; i <= NF; i++) { split($i, p, ":"); lanes += p[1] * p[2] } }
		$1 == "trips" { trips = $2 }
		END { if (n) print n, lanes, trips }' "$1"
}

# Counts for auto's model. The number of compared atomic operations depends on the order of the blocks, because only those
# after another block's are compared; of these, the tenths that hit the same cache line.
seen() {
	awk '$1 == "atomics" { print $1, $2, $3, int($5 / $4 * 10); next } $1 != "sectors"' "$1"
}
# Executions of the blocks of each region, by all lanes.
blocks() { awk '$1 == "block" { printf "%s:%s ", $2, $3 } $1 == "end" { printf ";" }' "$1"; }

# 0 to 999: a fifth has remainder 2, their remainders by 7 add up to 2997, a third is a multiple of 3.
for schedule in ipdom "random --seed=1" "random --seed=2" "random --seed=3"; do
	# shellcheck disable=SC2086
	run loops --sched=$schedule
	check "$(sums "$tmp/loops.cccprof" | tr '\n' ';')" "1000 200 0;1000 200 0;1000 1000 2997;" "loops, $schedule"
	# the remainders by 4 of all numbers; for those with remainder 2, the remainders by 3, and by 7 as a factor; bit 4 is set in every other one
	# shellcheck disable=SC2086
	run deep --sched=$schedule
	check "$(sums "$tmp/deep.cccprof" | tr '\n' ';')$(blocks "$tmp/deep.cccprof")" "1000 1000 0;1000 200 0;1:1500 ;1:201 2:601 3:100 ;" "deep, $schedule"
	# shellcheck disable=SC2086
	run arms --sched=$schedule
	check "$(sums "$tmp/arms.cccprof" | tr '\n' ';')" "192 96 0;1000 334 0;1000 666 0;" "arms, $schedule"
	# 24 of 32 numbers pass the guard in the common code; each of the path's 200 has one addition, and one in seven has no other
	# shellcheck disable=SC2086
	run adds --sched=$schedule
	check "$(sums "$tmp/adds.cccprof" | tr '\n' ';')$(awk '$1 == "atomics" { print $2, $3 }' "$tmp/adds.cccprof" | tr '\n' ';')" "1000 1000 0;1000 200 0;1000 744;200 371;" "adds, $schedule"
done
run loops
run arms
run deep
run adds
check "$(grep '^block' "$tmp/deep.cccprof" | tr '\n' ';')" "block 1 1500 96 3500 3 3 0;block 1 201 64 335 2 2 0;block 2 601 274 4325 12 12 15;block 3 100 32 100 1 1 0;" "blocks of cuts"
check "$(grep -c '^trips 2997 192 6$' "$tmp/loops.cccprof")" 1 "the longest of each warp"
# Lanes that leave a loop apart (apart.cu): of those that entered together, the longest has 91 iterations. Some lanes of `ends` end in
# the loop: their iterations are not counted.
each_longest() { # KERNEL N SCHEDULE: trip counts of the longest lanes, and of all lanes
	"$BIN/ptxrun" apart.ptx "$1" --block 96 --grid 2 --arg buf:3840:mod:97:6 --arg buf:3840 --arg s32:"$2" --quiet --threads=1 \
		--sched=$3 --profile="$tmp/apart.counts" >"$tmp/out" 2>&1
	cat "$tmp/out"
	awk '$1 == "lanes" { entries = 0; for (i = 2; i <= NF; i++) { split($i, p, ":"); entries += p[2] } }
		$1 == "trips" { print $3 / entries, $2 }
		$1 == "block" { print $4 / entries, $3 }' "$tmp/apart.counts" | paste -sd ' '
}
for schedule in ipdom "random --seed=1" "random --seed=2" "random --seed=3"; do
	check "$(each_longest again 960 "$schedule")" "91 174720 91 174720 91 83447" "lanes that leave apart, again, $schedule"
	check "$(each_longest meets 384 "$schedule")" "91 34944" "lanes that leave apart, meets, $schedule"
	check "$(each_longest ends 960 "$schedule" | cut -d' ' -f 2)" 3731 "lanes that end in a loop, $schedule"
done
# Several launches, one after the other: the longest lane of each; a lane's execution is compared with its previous one.
run loops --block 32
run deep --block 32
few=20
run loops
run deep
unset few
check "$(grep -h -e ^launches -e ^trips -e ^again "$tmp/loops.cccprof" "$tmp/few-loops.cccprof" "$tmp/deep.cccprof" | tr '\n' ';')" \
	"launches 2 1;launches 2 1;launches 2 1;trips 5994 384 12;launches 1 1;launches 1 1;launches 1 1;trips 57 6 6;launches 2 1;launches 2 1;again 144;" "launches"
(cd "$tmp" && "$BIN/ptxccc" profile merge loops.cccprof arms.cccprof deep.cccprof adds.cccprof few-loops.cccprof few-deep.cccprof -o both.cccprof)
[ "${1:-}" != -b ] || cp "$tmp/both.cccprof" cuts.cccprof
check "$(diff cuts.cccprof "$tmp/both.cccprof")" "" "cuts.cccprof"
seen cuts.cccprof >"$tmp/seen"

# ---- advice -------------------------------------------------------------------------------------------------------------------
for all in 0 1; do
	"$BIN/ptxrun" advice.ptx advice --block 96 --grid 2 --arg buf:8000:rand --arg buf:8000 --arg s32:2000 --arg s32:$all --quiet \
		--advice >"$tmp/advice" 2>&1
	[ "${1:-}" != -b ] || cp "$tmp/advice" advice-$all.txt
	check "$(diff advice-$all.txt "$tmp/advice")" "" "advice-$all.txt"
done
# The annotations and their reasons are those of --suggest with a profile of the same launch.
"$BIN/ptxrun" advice.ptx advice --block 96 --grid 2 --arg buf:8000:rand --arg buf:8000 --arg s32:2000 --arg s32:1 --quiet --profile="$tmp/advice.counts"
"$BIN/ptxccc" --suggest --profile-use="$tmp/advice.counts" advice.ptx 2>&1 >/dev/null | grep -E '^ {9}(plan|to confirm|to do: .#)' >"$tmp/suggested"
check "$(grep -E '^ {9}(plan|to confirm|to do: .#)' "$tmp/advice" | diff "$tmp/suggested" -; wc -l <"$tmp/suggested")" 3 "advice is that of --suggest"
gain() { # KERNEL [OPTION...]: the gains of its sites
	kernel=$1
	shift
	"$BIN/ptxrun" parts.ptx "$kernel" --block 128 --grid 2 --arg s32:8000 --arg buf:32000 "$@" --quiet --advice 2>&1 |
		sed -n 's/^ .*% *\([0-9.]*x\|none\)  .*/\1/p' | paste -sd ' '
}
check "$(gain alike)" 1.44x "advice: paths of one length"
check "$(gain unlike)" "1.94x 1.90x" "advice: paths of different lengths"
check "$(gain steps)" 2.37x "advice: a loop of steps"
check "$(gain exchanges)" 1.10x "advice: exchanges with used results"
check "$(gain adds)" 1.31x "advice: additions with unused results"
# A bound that is loaded again in an iteration that stores is assumed to be constant.
check "$("$BIN/ptxrun" ../suggest/labels.ptx _Z6labelsPKiS0_Pii --block 128 --grid 2 --arg buf:4004:mod:100:3 --arg buf:400:mod:1000:4 \
	--arg buf:4000:rand:5 --arg s32:1000 --quiet --no-races --advice 2>&1 | grep -c 'to do: .#pragma ccc for var. over it')" 1 \
	"advice: a bound that is loaded again"
# If one lane continues alone, the branch gains nothing; each iteration of the loop needs the one before.
check "$(gain rows --arg s32:-1)" "2.31x 1.06x" "advice: rows"
check "$(gain rows --arg s32:67)" "none none" "advice: a row that is longer than all others"
# Iterations that need the one before cannot be collected: their lanes wait.
"$BIN/ptxrun" parts.ptx carried --block 128 --grid 2 --arg s32:800 --arg buf:32000 --quiet --advice >"$tmp/said" 2>&1
check "$(grep -c 'to do: .#pragma ccc if' "$tmp/said") $(grep -c 'to do: .#pragma ccc predict threshold(16)' "$tmp/said")" "0 1" "advice: only a prediction is legal"
# With the source, a prediction goes before a whole statement, not before its first code.
sed "s|/src/parts.cu|$PWD/parts.cu|" parts.ptx >"$tmp/parts.ptx"
check "$("$BIN/ptxrun" "$tmp/parts.ptx" carried --block 128 --grid 2 --arg s32:800 --arg buf:32000 --quiet --advice 2>&1 |
	sed -n "s/.*threshold(16)' \\(.*\\), and.*/\\1/p")" "over line 92" "advice: the statement of a prediction"
# The lines of a source that is newer than the program are not those of its code.
cp parts.cu "$tmp/parts.cu"
sed "s|/src/parts.cu|$tmp/parts.cu|" parts.ptx >"$tmp/older.ptx"
edited() { # DAY OF SOURCE
	touch -d 2026-01-02 "$tmp/older.ptx"
	touch -d "2026-01-0$1" "$tmp/parts.cu"
	"$BIN/ptxrun" "$tmp/older.ptx" carried --block 128 --grid 2 --arg s32:800 --arg buf:32000 --quiet --advice >"$tmp/said" 2>&1
	grep -c 'why not: its source is newer than the program, so its lines may have changed: build the program again' "$tmp/said"
	grep -c 'to do: .#pragma' "$tmp/said"
}
check "$(edited 1 | paste -sd ' ') $(edited 3 | paste -sd ' ')" "0 1 1 0" "advice: a source that is newer than its code"
# The lines of faults are those of the file, not of the text that counts.
check "$("$BIN/ptxrun" parts.ptx exchanges --block 128 --grid 2 --arg s32:8000 --arg buf:32000 --quiet --advice 2>&1 >/dev/null)" \
	"$("$BIN/ptxrun" parts.ptx exchanges --block 128 --grid 2 --arg s32:8000 --arg buf:32000 --quiet 2>&1)" "advice: positions of races"

# ---- merge, show, overlap --------------------------------------------------------------------------------------------------
p() { "$BIN/ptxccc" profile "$@"; }
check "$(p merge "$tmp" | sums /dev/stdin | head -1)" "4040 808 0" "merge of a folder"
check "$(p merge --weight=3 cuts.cccprof | sums /dev/stdin | sed -n 6p)" "3000 1998 0" "merge --weight"
cat cuts.cccprof cuts.cccprof >"$tmp/twice"
check "$(p merge "$tmp/twice" | sums /dev/stdin | sed -n 6p)" "2000 1332 0" "concatenated files"
check "$(p merge --weight=2 cuts.cccprof | cksum)" "$(p merge "$tmp/twice" | cksum)" "twice is twice"
check "$(p overlap cuts.cccprof "$tmp/twice")" "overlap: 100.00 %" "overlap of one profile"
check "$(p overlap "$tmp/loops.cccprof" "$tmp/arms.cccprof")" "overlap: 0.00 %" "overlap of different code"
check "$(p merge --weight=3 cuts.cccprof | grep -c -x -e 'launches 9 1' -e 'again 432' -e 'block 1 1221 390 2037 2 18 813' -e 'block 2 3636 1662 26106 12 90 13386')" 8 "merge --weight of blocks"
check "$(grep -c -x -e 'entries 192 6' -e 'entries 448 14' cuts.cccprof)" 9 "lanes that reached the loops"
# Launches that were counted on another number of multiprocessors, or on an unknown one: version 7.
sed 's/^cccprof .*/cccprof 7/; s/^\(launches [0-9]*\) .*/\1/' cuts.cccprof >"$tmp/seventh"
sed 's/^\(launches [0-9]*\) .*/\1 132/' cuts.cccprof >"$tmp/on132"
launches() { p merge "$@" | sed -n 's/^launches [0-9]*//p' | sort -u; }
check "$(p merge "$tmp/seventh" | cmp - "$tmp/seventh" && p merge "$tmp/on132" | cmp - "$tmp/on132" && echo same)" same "profiles of versions 7 and 10"
check "$(launches "$tmp/on132" cuts.cccprof) $(launches --weight=3 cuts.cccprof "$tmp/on132")$(launches "$tmp/seventh" cuts.cccprof)$(launches cuts.cccprof "$tmp/seventh")" " 132  132" "multiprocessors of several profiles"
# A profile of an older ptxccc has no counts of blocks, entries or launches; neither does a merged profile that contains it.
grep -v -e ^block -e ^entries -e ^launches -e ^threads -e ^again -e ^whole -e ^atomics -e ^sectors "$tmp/seventh" | sed 's/^cccprof 7/cccprof 1/; /^trips/s/ [0-9]*$//' >"$tmp/older"
check "$(p merge "$tmp/older" | cmp - "$tmp/older" && echo same)" same "an older profile"
check "$(p merge "$tmp/older" cuts.cccprof | grep -c -e '^block' -e '^entries' -e '^launches' -e '^threads' -e '^again' -e '^trips .* .* .*' -e '^cccprof 7')" 1 "an older profile, and a newer one"
check "$(p merge "$tmp/older" cuts.cccprof | grep -e ^atomics -e ^sectors | cksum)" "$(grep -e ^atomics -e ^sectors cuts.cccprof | cksum)" "memory records are kept"
grep -v -e ^launches -e ^threads -e ^again -e ^whole -e ^atomics -e ^sectors "$tmp/seventh" | sed 's/^cccprof 7/cccprof 3/; /^trips/s/ [0-9]*$//; /^block/s/ [0-9]* [0-9]*$//' >"$tmp/third"
check "$(p merge "$tmp/third" | cmp - "$tmp/third" && echo same)" same "a profile of version 3"
grep -v -e ^threads -e ^whole -e ^atomics -e ^sectors "$tmp/seventh" | sed 's/^cccprof 7/cccprof 4/' >"$tmp/fourth"
check "$(p merge "$tmp/fourth" | cmp - "$tmp/fourth" && echo same)" same "a profile of version 4"
grep -v -e ^threads -e ^whole "$tmp/seventh" | sed 's/^cccprof 7/cccprof 5/' >"$tmp/fifth"
check "$(p merge "$tmp/fifth" | cmp - "$tmp/fifth" && echo same)" same "a profile of version 5"
sed 's/^threads 96/threads 200/' cuts.cccprof >"$tmp/larger"
check "$(p merge --weight=3 "$tmp/larger" cuts.cccprof | grep ^threads | sort -u)" "threads 200" "the largest block of several profiles"
check "$(p merge "$tmp/fifth" cuts.cccprof | grep -c -e ^threads -e ^launches)" "$(grep -c ^launches cuts.cccprof)" "the largest block is unknown with an older profile"
# Blocks that did not count: version 8.
sed 's/^threads 96/threads 96\nsampling 3/; s/^cccprof 7/cccprof 8/' "$tmp/seventh" >"$tmp/sampled"
check "$(p merge "$tmp/sampled" | cmp - "$tmp/sampled" && echo same)" same "a profile of version 8"
check "$(p merge --weight=3 "$tmp/sampled" cuts.cccprof | grep ^sampling | sort -u)" "sampling 3" "the sampling of several profiles"
check "$(sed 's/^sampling 3/sampling 17/' "$tmp/sampled" | p show - 2>&1 >/dev/null | sed 's/.*line [0-9]*/line/')" "line: the sampling is at most 16" "a wrong sampling"
check "$(p merge --weight=3 cuts.cccprof | grep -c -x -e 'atomics 3000 2232 2016 1008' -e 'sectors 3000 375 375')" 2 "merge --weight of memory"
# Iterations that lanes ran apart: version 9.
sed 's/^trips .*/&\napart 7/; s/^cccprof 7/cccprof 9/' "$tmp/seventh" >"$tmp/apart"
check "$(p merge "$tmp/apart" | cmp - "$tmp/apart" && echo same)" same "a profile of version 9"
check "$(p merge --weight=3 "$tmp/apart" cuts.cccprof "$tmp/apart" | grep ^apart | sort -u)" "apart 42" "iterations apart of several profiles"
check "$(p merge --weight=3 cuts.cccprof | grep -c -x 'whole 18153 678')" 1 "merge --weight of whole executions"
# On a GPU the lanes of a warp may leave in several groups, and each adds its longest lane.
printf 'cccprof 6\ncut for-var "a.cu":1:0 k 1\niterations 64 2\nlaunches 1\nlanes 32:2\ntrips 400 90 10\nagain 0\nblock 1 464 95 4000 11 11 0\nend\n' >"$tmp/groups"
check "$(p merge "$tmp/groups" | grep -e ^trips -e ^block | tr '\n' ' ')" "trips 400 20 10 block 1 464 22 4000 11 11 0 " "a warp has no longer lane than the launch"
sed '/^iterations/s/.*/iterations 0 0/; /^lanes/d' "$tmp/older" >"$tmp/idle"
check "$(p merge "$tmp/idle" cuts.cccprof | grep -c '^block')" 4 "a profile of a run that reached nothing"
check "$(p show cuts.cccprof | sed -n 3p)" \
	"          2020  100.00%  100.00%     31.08      3.00   48.5%  cuts.cu:20: for-var in loops" "show"
check "$(p show cuts.cccprof | grep -A 2 'if in deep' | tail -2)" "                                              1.01    9.8%    its block 1, at most 2
                                              3.00    6.8%    its block 2, at most 12" "show of blocks"
check "$(p show cuts.cccprof | grep -A 2 'for in adds' | tail -2)" "                                              0.74            its atomic operations, 50.0 % in one line
                                              0.12            sectors that it loads, 100.0 % from L2" "show of memory"
# The record of the memory rate belongs to no region, and is summed.
gives() { # BYTES CYCLES: the profile with this memory rate
	printf 'cccprof 7\nmemory %s %s\n' "$1" "$2"
	sed 1d "$tmp/seventh"
}
gives 4814304000 261360000 >"$tmp/gpu"
check "$(p merge "$tmp/gpu" | cmp - "$tmp/gpu" && echo same)" same "a profile of version 7"
check "$(p merge "$tmp/gpu" --weight=2 "$tmp/gpu" cuts.cccprof | sed -n 1,2p)" "cccprof 7
memory 14442912000 784080000" "merge of memory rates"
check "$(p show "$tmp/gpu" | tail -1)" "memory gives a multiprocessor 18.4 bytes a cycle" "show of memory rates"
# ---- errors ----------------------------------------------------------------------------------------------------------------
wrong() { # TEXT MESSAGE NAME
	printf '%b' "$1" >"$tmp/bad"
	check "$(p show "$tmp/bad" 2>&1 >/dev/null)" "ptxccc: $tmp/bad: $2" "$3"
	p show "$tmp/bad" >/dev/null 2>&1
	check $? 1 "$3: exit status"
}
wrong '' "it is no profile: its first line is not 'cccprof 1'" "an empty file"
wrong 'hello\n' "it is no profile: its first line is not 'cccprof 1'" "another file"
wrong 'cccprof 11\n' "line 1: its version is none of 1 to 10: another ptxccc made it" "a later version"
wrong 'cccprof 4\ncut if "a.cu":1:1 k 0\nblock 1 1 1 1 1 1\nend\n' "line 3: a number is missing" "a block with five numbers"
wrong 'cccprof 5\ncut if "a.cu":1:1 k 0\natomics 1 1 1\nend\n' "line 3: a number is missing" "atomic operations without those of one line"
wrong 'cccprof 3\ncut if "a.cu":1:1 k 0\nblock 2 1 1 1 1\nend\n' "line 3: a cut's blocks have numbers from 1 to 16, in order" "a block without one before it"
wrong 'cccprof 10\ncut if "a.cu":1:1 k 0\nlaunches 1 1 1\nend\n' "line 3: there is more in the line than there should be" "launches on two numbers of multiprocessors"
wrong 'cccprof 2\ncut if "a.cu":1:1 k 0\nchoice stack\nend\n' "line 3: a choice has a policy and a version" "a choice without a version"
wrong 'cccprof 6\nmemory 1\n' "line 2: a number is missing" "memory without cycles"
wrong 'cccprof 6\nmemory 1 0\n' "line 2: memory gives some bytes in some cycles" "memory in no time"
wrong 'cccprof 6\nmemory 0 1\n' "line 2: memory gives some bytes in some cycles" "memory that gives nothing"
wrong 'cccprof 1\nlanes 1:2\n' "line 2: no record, which 'cut' begins, is open" "no record"
wrong 'cccprof 1\ncut if a.cu:1:1 k 0\n' "line 2: a file's name in quotes is missing" "no quotes"
wrong 'cccprof 1\ncut if "a.cu":1:1 k 0\nlanes 33:1\n' "line 3: a warp has 1 to 32 lanes" "33 lanes"
wrong 'cccprof 1\ncut if "a.cu":1:1 k 0\ntrips 99999999999999999999 1\n' "line 3: the number is too large" "a large number"
wrong 'cccprof 1\ncut if "a.cu":1:1 k 0 x\n' "line 2: there is more in the line than there should be" "more"
check "$( (head -c 300 cuts.cccprof; cat cuts.cccprof) >"$tmp/killed"; p merge "$tmp/killed" 2>&1 | tail -1)" end "a run that was killed while it wrote"
check "$(p show "$tmp/none" 2>&1; echo $?)" "ptxccc: cannot read '$tmp/none': No such file or directory
2" "no file"
mkdir "$tmp/empty"
check "$(p show "$tmp/empty" 2>&1 | head -1)" "ptxccc: cannot read '$tmp/empty': no file in it ends in '.cccprof'" "an empty folder"

# ---- for compilers ---------------------------------------------------------------------------------------------------------
use() { "$BIN/ptxccc" --report --profile-use="$@" -o "$tmp/out.ptx" 2>&1; }
use cuts.cccprof cuts.ptx >"$tmp/said"
for want in "  profile: 20.00 % of the lanes come, 6.2 of a warp together" \
	"  profile: 20.00 % of the lanes come, 6.2 of a warp together, 0.0 % of its sectors from L2" \
	"  profile: 33.40 % of the lanes come, 10.4 of a warp together, 0.0 % of its sectors from L2" \
	"  profile: 20.00 % of the lanes come, 6.2 of a warp together, 42.3 % of its atomic operations in one line"; do
	check "$(grep -c -x -F "$want" "$tmp/said" | sed 's/[1-9]/some/')" some "the report says '$want'"
done
"$BIN/ptxccc" --report --profile-use=cuts.cccprof --profile-use="$tmp/twice" --report=json cuts.ptx -o "$tmp/out.ptx" >"$tmp/json" 2>"$tmp/err"
check "$(grep -c '"profile": "20.00 %' "$tmp/json" | sed 's/[1-9]/some/')" some "the report as JSON"
check "$(grep -c ccc-profile "$tmp/err")" 0 "a profile of this code"
# The counts of a path's blocks give its length: 1 and 3 iterations differ from 8 and 64.
slots() { sed -n '/"function": "deep"/s/.*"policy": "stack", "slots_before": \([0-9.]*\), "slots": \([0-9.]*\), .*/\1 \2/p' "$tmp/json"; }
was=$("$BIN/ptxccc" --report=json --profile-use="$tmp/older" cuts.ptx -o "$tmp/out.ptx" >"$tmp/json" 2>/dev/null; slots)
now=$("$BIN/ptxccc" --report=json --profile-use=cuts.cccprof cuts.ptx -o "$tmp/out.ptx" >"$tmp/json" 2>/dev/null; slots)
check "$(echo "$was $now" | awk '{ print ($1 > 2 * $3 && $2 > 2.2 * $4 && $4 > 0) ? "shorter" : $0 }')" shorter "expected length of a path with counts"
# The largest block of the launches: auto selects the smallest size that is enough, of 128, 256, 512 and 1024 threads, if none is given.
sized() { # KERNEL BLOCK...: the size of the plan
	k=$1
	shift
	"$BIN/ptxrun" --profile="$tmp/sized.cccprof" ../golden/block_size.ptx "$k" --grid 2 $(printf ' --block %s' "$@") --arg s32:2500 --arg buf:8192:real64:3 --arg buf:20000 --arg buf:10000 >/dev/null 2>&1
	"$BIN/ptxccc" --report --profile-use="$tmp/sized.cccprof" ../golden/block_size.ptx -o "$tmp/out.ptx" 2>&1 |
		awk -v k="kernel $k," 'index($0, " kernel ") { on = index($0, k) } on && /shared memory:|left unchanged: its tasks take/ { print /left/ ? "left" : $11; exit }'
}
check "$(sized chosen 64) $(sized chosen 129) $(sized chosen 16,16) $(sized chosen 300) $(sized chosen 64 257) $(sized chosen 544)" "128 256 256 512 512 left" "a plan for the largest block"
check "$(sized bounded 64)" left "a plan for given launch bounds"
# Collected lanes vary as those of one warp do, from execution to execution, and not as all lanes of all launches do.
differ() { # SQUARES CHANGES: the expected slots of `stack`
	sed "s/^block 2 1212 554 8702 12 30 4462$/block 2 1212 300 $1 12 30 $2/" cuts.cccprof >"$tmp/differ"
	"$BIN/ptxccc" --report=json --profile-use="$tmp/differ" cuts.ptx -o "$tmp/out.ptx" >"$tmp/json" 2>/dev/null
	slots | cut -d' ' -f2
}
check "$(differ 8702 0)" "$(differ 48702 0)" "lanes of different launches"
check "$(echo "$(differ 8702 0) $(differ 8702 4462)" | awk '{ print ($1 > 0 && $2 > $1) }')" 1 "lanes whose executions differ"
# Memory traffic: every plan pays for atomic operations in one cache line, and for L2 sectors.
memory() { # FUNCTION EDIT...: issue slots of the original, and with `stack`
	function=$1
	shift
	for edit; do
		sed "$edit" cuts.cccprof >"$tmp/memory"
		"$BIN/ptxccc" --report=json --profile-use="$tmp/memory" cuts.ptx -o "$tmp/out.ptx" 2>/dev/null |
			sed -n '/"function": "'"$function"'"/s/.*"policy": "stack", "slots_before": \([0-9.]*\), "slots": \([0-9.]*\), .*/\1 \2/p'
	done | paste -sd ' '
}
check "$(memory adds 's/^\(atomics .*\) [0-9]*$/\1 0/' /^atomics/d | awk '{ print ($1 > 0 && $1 == $3 && $2 == $4) }')" 1 "atomic operations without collisions"
check "$(memory adds /^atomics/d '/^atomics 1000/d; s/^atomics 200 .*/atomics 200 200 100 50/' \
	'/^atomics 1000/d; s/^atomics 200 .*/atomics 400 400 100 50/' '/^atomics 200/d; s/^atomics 1000 .*/atomics 1000 200 50 25/' |
	awk '{ print ($3 > 1.2 * $1 && $4 > 1.2 * $2 && $3 == $5 && $4 == $6 && $3 == $7 && $4 == $8) }')" 1 "atomic operations, half of them in one line"
check "$(memory loops 's/^sectors 6051 .*/sectors 6051 3000 0/' 's/^sectors 6051 .*/sectors 6051 3000 3000/' 's/^sectors 6051 .*/sectors 12102 6000 6000/' /^sectors/d |
	awk '{ print ($3 > 1.2 * $1 && $4 > 1.2 * $2 && $3 == $5 && $7 > 0) }')" 1 "sectors of the second cache"
# A launch takes as long as its longest lane, which `expand` distributes over the warp; plans that all do so differ by the rest.
joined=../golden/choose_joined.ptx
longest() { # TRIPS: the selected policy, and the expected speedup
	sed "/^#/d; s/@LONGEST@/$1/" longest.in >"$tmp/longest"
	use "$tmp/longest" $joined | sed -n 's/.*transformed, policy //p; s/.*expected: \([^ ]*\) .*/\1/p' | paste -sd ' '
}
for trips in 12 3000 300000; do longest $trips; done >"$tmp/three"
check "$(cut -d' ' -f 1-3 "$tmp/three" | uniq -c | sed 's/^ *//')" "3 queue(4) with expand" "the longest lane of a launch: the plan"
check "$(sed 's/.* \(.*\)x/\1/' "$tmp/three" | paste -sd ' ' | awk '{ print ($1 > 1 && $2 > 2 * $1 && $3 > 2 * $2) }')" 1 "the longest lane of a launch: the gain"
# Renamed registers and labels are the same code; a different constant is not.
sed 's/%r\([0-9]\)/%r9\1/g; s/%r<\([0-9]*\)>/%r<999>/; s/\$L__BB/$L__XX/g' cuts.ptx >"$tmp/renamed.ptx"
check "$(use cuts.cccprof "$tmp/renamed.ptx" | grep -c 'profile-stale')" 0 "renamed registers"
sed '/begin if 3/,/end if 3/s/-1431655765/-1431655767/' cuts.ptx >"$tmp/changed.ptx"
check "$(cmp -s cuts.ptx "$tmp/changed.ptx"; echo $?)" 1 "a change of the code"
use cuts.cccprof "$tmp/changed.ptx" >"$tmp/said"
check "$(grep 'stale' "$tmp/said")" \
	"cuts.cu:34: warning: the profile is of other code: its counts are not used here [-Wccc-profile-stale]" "a stale record"
grep -v 34: cuts.cccprof >"$tmp/without"
two=$tmp/two.ptx # without the kernels deep and adds
awk '/entry (deep|adds)/ { skip = 1 } !skip; /^}/ { skip = 0 }' cuts.ptx >"$two"
check "$(use "$tmp/loops.cccprof" cuts.ptx | grep -c profile-)" 0 "missing records are not reported"
check "$(use "$tmp/loops.cccprof" -Wccc-profile-missing "$two" | grep 'missing')" \
	"cuts.cu:34: warning: the profile has nothing about this annotation [-Wccc-profile-missing]
cuts.cu:39: warning: the profile has nothing about this annotation (in 2 copies) [-Wccc-profile-missing]" "missing records, told"
"$BIN/ptxccc" "$two" -o "$tmp/plain.ptx" 2>/dev/null
use "$tmp/out" "$two" >"$tmp/said"
check "$? $(grep -c 'cannot use all of the profile .*ccc-profile-stale' "$tmp/said")" "0 1" "a foreign file"
check "$(cmp "$tmp/plain.ptx" "$tmp/out.ptx" && echo same)" same "a foreign file changes nothing"
check "$(use "$tmp/none" cuts.ptx | head -1)" "ptxccc: cannot read '$tmp/none': No such file or directory" "no file to use"

. ./moved.sh

# Two arms of a loop fill the same sectors. Collected, they run one after the other: the memory traffic decides.
options() { # FILE: issue slots of the original loop, and with stack and wait(8)
	"$BIN/ptxccc" --report=json --profile-use="$1" -o "$tmp/out.ptx" cuts.ptx 2>/dev/null | sed -n '/"function": "arms"/p' |
		grep -o '"policy": "[^"]*", "slots_before": [0-9.]*, "slots": [0-9.]*' |
		sed -n 's/^"policy": "stack", "slots_before": \([^,]*\), "slots": /\1 /p; s/^"policy": "wait(8)", .*"slots": //p' | paste -sd ' '
}
known=$(options cuts.cccprof)
check "$(echo "$known" | awk '{ print (NF == 3 && $1 > 0 && $2 < 1.3 * $1) }')" 1 "split sectors with an unknown memory rate"
check "$(echo "$known $(options "$tmp/gpu")" | awk '{ print ($4 <= $1 && $5 < $2) }')" 1 "an H200 has a higher memory rate than assumed"
gives 8 1 >"$tmp/slow"
check "$(echo "$known $(options "$tmp/slow")" | awk '{ print ($4 >= $1 && $5 > 1.1 * $2) }')" 1 "split sectors with slower memory"
gives 1 1 >"$tmp/slow"
check "$(echo "$known $(options "$tmp/slow")" | awk '{ print ($4 > 2 * $1 && $5 > 1.3 * $4 && $6 == $4) }')" 1 "memory that is slower than the loop"

# ---- choices ----------------------------------------------------------------------------------------------------------------
# The second loop, for which `auto` has no plan, gets the policy of a record with its path, and the report says so.
version=$("$BIN/ptxccc" --version | sed 's/^ptxccc \([^ ]*\).*/\1/')
"$BIN/ptxccc" --retreat=never --report=json "$two" -o "$tmp/out.ptx" >"$tmp/json" 2>/dev/null
key=$(sed -n '/"function": "arms"/s/.*"key": "\(cut if .*\)\\u000a", .*/\1/p' "$tmp/json" | sed 's/\\"/"/g')
check "$(sed -n '/"function": "arms"/s/.*"options": //p' "$tmp/json" | grep -o '"policy": "[^"]*"' | tr '\n' ' ')" \
	'"policy": "stack" "policy": "queue(1)" "policy": "queue(2)" "policy": "queue(4)" "policy": "queue(8)" "policy": "wait(8)" "policy": "wait(16)" "policy": "wait(24)" ' "the options of a site"
check "$(sed -n '/"function": "arms"/s/.*"options": //p' "$tmp/json" |
	grep -o '"policy": "stack", "slots_before": [1-9][0-9.]*, "slots": [1-9][0-9.]*, "expected": [0-9.]*, "least": [0-9.]*, "most": [0-9.]*, "measured": false' |
	sed 's/[^0-9.]\+/ /g' | awk '{ e = $1 / $2; print (e - $3 < 0.006 && $3 - e < 0.006 && $4 <= $3 && $3 <= $5) }')" 1 "what is expected of one"
chosen() { # CHOICE [VERSION [KEY]]
	printf 'cccprof 2\n%s\nchoice %s %s\nend\n' "${3:-$key}" "$1" "${2:-$version}"
}
choose() { # the same; prints the statements of the report and the messages about the loop
	chosen "$@" >"$tmp/choice"
	use "$tmp/choice" "$two" >"$tmp/said"
	sed -n 's/^  \(transformed\)/\1/p; s/^  \(chosen\)/\1/p' "$tmp/said" | sort -u | tr '\n' ';'
}
for policy in stack queue "queue(4)" converge "wait(8)"; do
	check "$(choose "$policy")" "chosen by the profile: $policy;transformed, policy $policy;" "choice $policy"
	check "$(grep -c 'ccc-profile' "$tmp/said")" 0 "choice $policy: no message"
done
"$BIN/ptxccc" --policy='queue(4)' "$two" -o "$tmp/by_option.ptx" 2>/dev/null
choose 'queue(4)' >/dev/null
check "$(sed -n '/entry arms/,$p' "$tmp/by_option.ptx" | cksum)" "$(sed -n '/entry arms/,$p' "$tmp/out.ptx" | sed 's/ccc1/ccc2/g' | cksum)" "the same as with the option"
choose leave >/dev/null
check "$(grep -c 'loop left unchanged: chosen by the profile' "$tmp/said") $(cmp "$tmp/plain.ptx" "$tmp/out.ptx" && echo same)" "1 same" "choice leave"
# A policy that the kind of an annotation implies is not named: 'leave' applies. One that a clause names is.
predicted=$tmp/predicted.ptx
sed 's/ policy(dgi)//' ../golden/predict_expand.ptx >"$predicted"
implied=$("$BIN/ptxccc" --report=json "$predicted" -o "$tmp/out.ptx" 2>/dev/null | sed -n '/"function": "other"/s/.*"key": "\(cut predict .*\)\\u000a", .*/\1/p' | sed 's/\\"/"/g')
chosen leave "$version" "$implied" >"$tmp/choice"
check "$("$BIN/ptxccc" --report "$predicted" -o "$tmp/out.ptx" 2>&1 | grep -c 'transformed, policy wait(32)') $(use "$tmp/choice" "$predicted" | grep -c 'loop left unchanged: chosen by the profile')" "1 1" "choice leave of a prediction"
# Another threshold applies, too, and is listed for ccc-tune; another policy does not.
for n in 8 24; do
	chosen "wait($n)" "$version" "$implied" >"$tmp/choice"
	use "$tmp/choice" "$predicted" >"$tmp/said"
	check "$(sed -n 's/^  \(transformed\)/\1/p; s/^  \(chosen\)/\1/p' "$tmp/said" | tr '\n' ';')$(grep -c 'ccc-profile' "$tmp/said")" \
		"transformed, policy wait($n);chosen by the profile: wait($n);0" "choice wait($n) of a prediction"
done
chosen stack "$version" "$implied" >"$tmp/choice"
use "$tmp/choice" "$predicted" >"$tmp/said"
check "$(grep -c 'transformed, policy wait(32)' "$tmp/said") $(grep -c "the profile's choice 'stack' is not followed: the annotation has another policy" "$tmp/said")" "1 1" "choice stack of a prediction"
check "$("$BIN/ptxccc" --report=json "$predicted" -o "$tmp/out.ptx" 2>/dev/null | sed -n '/"function": "other"/s/.*"options": \[\(.*\)\].*/\1/p' | grep -o 'wait([0-9]*)' | tr '\n' ' ')" "wait(4) wait(8) wait(12) wait(16) wait(24) " "thresholds of a prediction"
sed 's/policy(dgi)/policy(wait(32))/' ../golden/predict_expand.ptx >"$predicted"
check "$(use "$tmp/choice" "$predicted" | grep -c 'transformed, policy wait(32)')" 1 "choice leave where a policy is named"
# A kernel with `grid` has the key, the options and the choice of its task loop, even if that is not written.
of_task() { "$BIN/ptxccc" --report=json "$@" ../golden/tasks.ptx -o "$tmp/out.ptx" 2>/dev/null | sed -n '/"function": "one_task"/p'; }
task=$(of_task | sed 's/.*"key": "\(cut if .*\)\\u000a", .*/\1/; s/\\"/"/g')
for policy in leave stack; do
	chosen $policy "$version" "$task" >"$tmp/choice"
	of_task --profile-use="$tmp/choice" >"$tmp/json"
	check "$(grep -o '"transformed": [a-z]*\|"choice": "[^"]*"\|"key": "cut if' "$tmp/json" | tr '\n' ' ')$(grep -c '"policy": "wait(8)", "slots_before": [1-9]' "$tmp/json")" \
		"\"transformed\": $([ $policy = leave ] && echo false || echo true) \"key\": \"cut if \"choice\": \"$policy\" 1" "choice $policy of a kernel with grid"
done
# The report says that the counted launches are too small for a task loop, which the estimate does not take for real ones.
few() { # TASKS LAUNCHES OPTION...: the note of the report
	printf 'cccprof 10\n%s\niterations %d %d\nentries %d %d\nlaunches %s\nthreads 96\nlanes 6:%d\nend\n' "$task" $1 $(($1 / 32)) $1 $(($1 / 32)) "$2" $(($1 / 32)) >"$tmp/few"
	shift 2
	use "$tmp/few" --choose=always "$@" ../golden/tasks.ptx | sed -n 's/^  profile: 18.75 % of the lanes come, 6.0 of a warp together//p'
}
loses() { echo ", $1 tasks a launch: below about $2 collecting in a task loop loses on $3, so what is expected is for larger launches"; }
scaled=', counted on 1 multiprocessor: for launches 108 times as large on the target'
check "$(few 3200 1);$(few 3200000000 1)" "$(loses 3200 663552 '108 multiprocessors');" "few tasks"
check "$(few 3200 '1 1');$(few 6400 '1 1')" "$scaled$(loses 3200 6144 '1 multiprocessor');$scaled" "few tasks for the multiprocessor that counted"
check "$(few 6400 '1 16');$(few 663552 '1 108');$(few 6400 '1 132')" ", counted on 16 multiprocessors: for launches 6.75 times as large on the target$(loses 6400 98304 '16 multiprocessors');;$(loses 6400 811008 '132 multiprocessors')" "for those of a GPU"
check "$(few 6400 '1 1' --sms=108);$(few 6400 1 --sms=1)" "$(loses 6400 663552 '108 multiprocessors');" "for those that the user gives"
choose auto >/dev/null
check "$(cmp "$tmp/plain.ptx" "$tmp/out.ptx" && echo same)" same "choice auto"
{ chosen stack; chosen 'queue(2)'; } >"$tmp/two"
check "$(use "$tmp/two" "$two" | grep chosen)" "  chosen by the profile: queue(2)" "the last of two choices"
check "$(use "$tmp/two" --profile-use="$tmp/choice" "$two" | grep -c 'chosen')" 0 "the last of two files"
check "$(p merge cuts.cccprof "$tmp/two" | grep -c -x -F -e 'cccprof 10' -e "choice queue(2) $version" -e 'lanes 8:1 9:1 10:16 11:13')" "$(grep -c -x 'lanes 8:1 9:1 10:16 11:13' cuts.cccprof | awk '{ print 2 + $1 }')" "a choice in addition to counts"
check "$(p show "$tmp/two" | tail -1)" "             -        -        -         -         -       -  cuts.cu:39: if in arms: queue(2), by ptxccc $version" "show of a choice"
p merge cuts.cccprof "$tmp/two" >"$tmp/both"
use "$tmp/both" "$two" >"$tmp/said"
check "$(grep -c -e 'chosen by the profile: queue(2)' -e 'profile: 66.60 %' -e 'profile: 33.40 %' "$tmp/said")" 3 "counts in addition to a choice"
told() { grep -o "$1.*" "$tmp/said" | head -1; }
check "$(choose stack 0.0.1)" "chosen by the profile: stack;transformed, policy stack;" "an older version is followed"
check "$(told "the profile's choices")" "the profile's choices were measured with ptxccc 0.0.1, this is $version [-Wccc-profile-stale]" "an older version is reported"
check "$(choose stack "$version" "$(echo "$key" | sed 's/.$/0/')")$(told 'the profile belongs')" \
	"the profile belongs to different code: its choice is not used here [-Wccc-profile-stale]" "a choice for other code"
check "$(choose expand)$(told "the profile's choice")" \
	"the profile's choice 'expand' is not followed: policy 'expand' needs an inner loop whose trip count differs from lane to lane [-Wccc-profile-stale]" "what is not legal"
check "$(choose magic)$(told "the profile's choice")" \
	"the profile's choice 'magic' is not followed: this version has no such policy for loops [-Wccc-profile-stale]" "what there is not"
check "$(choose 'queue(4)+expand')$(told "the profile's choice")" \
	"the profile's choice 'queue(4)+expand' is not followed: no inner loop can be expanded in a path [-Wccc-profile-stale]" "nothing to expand"
"$BIN/ptxccc" --report=json "$joined" -o "$tmp/joined.ptx" >"$tmp/json" 2>/dev/null
chosen 'queue(1)+expand' "$version" "$(sed -n 's/.*"key": "\(cut if .*\)\\u000a", .*/\1/p' "$tmp/json" | sed 's/\\"/"/g')" >"$tmp/choice"
check "$(use "$tmp/choice" "$joined" | grep -c -e 'chosen by the profile: queue(1)+expand' -e 'transformed, policy queue with expand')" 2 "a policy for the path, one for the loop in it"
# An annotation's own policy stays.
sed 's/\(begin for 4 "cuts.cu":37\)/\1 policy(converge)/' "$two" >"$tmp/named.ptx"
chosen stack >"$tmp/choice"
check "$(cmp -s "$two" "$tmp/named.ptx"; echo $?) $(use "$tmp/choice" "$tmp/named.ptx" | grep -c 'policy converge')" "1 1" "a named policy"

# ---- instrumented code ------------------------------------------------------------------------------------------------------
# A program compiled by g++ runs it, with the kernels in a separate module; the counts must equal those of the emulator.
# generate ARCH OPTIONS: $tmp/counts.ptx. Kernels end by a return of some lanes, at the end of the text, or by an exit.
generate() {
	arch=$1
	shift
	sed "s/^\.target sm_75/.target $arch/; /^\.address_size/a .global .align 8 .b8 __ccc_profile[64];" cuts.ptx |
		awk 'BEGIN { split("\t@%p1 ret;\n\tret;||\t@!%p1 exit;\n\tret;", end, "|") } /^\tret;/ { print end[++n]; next } 1' >"$tmp/variable.ptx"
	"$BIN/ptxccc" --profile-generate "$@" "$tmp/variable.ptx" -o "$tmp/counts.ptx" 2>&1
}
host() { # NAME: $tmp/NAME, the program of NAME.cu
	sh ../../samples/launches.sh "$1.cu" >"$tmp/host.cc"
	g++ -std=c++17 -O1 -w -rdynamic -DMAIN -DCCC_PROFILE_GLOBAL -include "$include/ccc_profile.h" -I "$include" -I ../../driver/cudart/host \
		-o "$tmp/$1" "$tmp/host.cc" "$BIN/../lib/ptxrun/libcudart.so.13" -pthread
}
# run_counting OPTIONS: the output of a program; $tmp/counts.cccprof
run_counting() {
	rm -f "$tmp/counts.cccprof"
	CCC_PROFILE_FILE="$tmp/counts.cccprof" timeout 300 "$BIN/ptxrun" --quiet --no-unwritten "$@" 2>&1
}
program() { run_counting --limit 1000000 "$@" --module "$tmp/counts.ptx" -- "$tmp/cuts"; }

skipped=0
include=$BIN/../include/ptxccc
case $BIN in */san/*) san=1 ;; *) san= ;; esac
if command -v g++ >/dev/null 2>&1 && [ ! "$san" ]; then
	host cuts
	cp cuts.ptx "$tmp/counts.ptx"
	want=$(program | tail -1) # there is nothing to be read
	for arch in sm_75 sm_90; do
		check "$(generate $arch)" "" "instrumented code, $arch"
		check "$(program)" "$want" "$arch: the program's output is unchanged"
		p merge "$tmp/counts.cccprof" >"$tmp/sampled-0"
		check "$(seen "$tmp/sampled-0" | diff "$tmp/seen" -)" "" "$arch: its counts equal the emulator's"
		for seed in 1 2 3; do
			check "$(program --sched=random --seed=$seed)" "$want" "$arch: the program, schedule $seed"
			check "$(p merge "$tmp/counts.cccprof" | sums /dev/stdin)" "$(sums cuts.cccprof)" "$arch: sums, schedule $seed"
		done
	done
	generate sm_75 --profile-sampling=1 --profile-generate="$tmp/name-%m-%p.cccprof"
	program >/dev/null
	check "$(sums "$tmp/counts.cccprof" | cut -d' ' -f1 | sort | tr '\n' ' ')" "1052 1052 1052 1052 1052 520 520 520 520 96 " "one of two blocks"
	CCC_PROFILE_FILE='' "$BIN/ptxrun" --no-unwritten --module "$tmp/counts.ptx" -- "$tmp/cuts" >/dev/null 2>&1
	check "$(ls "$tmp" | grep -c '^name-[0-9]*-[0-9]*\.cccprof$')" 1 "the file given to the compiler"
	p merge "$tmp/counts.cccprof" >"$tmp/sampled-1"
	# An omitted line of the template is noticed, or marked.
	line=0
	while IFS= read -r text; do
		line=$((line + 1))
		case $text in *CANNOT* | '#'* | '==='* | '') continue ;; esac
		for counts in 0:sm_75 1:sm_90; do
			generate ${counts#*:} --profile-sampling=${counts%:*} --omit-line=profile.tpl:$line >"$tmp/said" 2>&1
			[ ! -s "$tmp/said" ] && [ "$(program)" = "$want" ] && p merge "$tmp/counts.cccprof" 2>&1 | cmp -s - "$tmp/sampled-${counts%:*}" || continue 2
		done
		check "profile.tpl:$line" noticed "left out"
	done <../../transform/instrument/profile.tpl
	passed=$((passed + 1))
else
	skipped=1
fi

# ---- blocks that do not count -----------------------------------------------------------------------------------------------
# They run the code that another module has under the same name, if everything that it names is the same here.
other=plain.off.ptx
bodies() { # TEXT OF THE OTHER MODULE: how many of the two functions run its bodies; $tmp/counts.ptx
	"$BIN/ptxccc" --profile-generate --profile-sampling=1 --plain="$1" "$tmp/annotated.ptx" -o "$tmp/counts.ptx" 2>"$tmp/said"
	grep -A1 '_plain:$' "$tmp/counts.ptx" | grep -c '^{'
}
sed '/^\.address_size/a .global .align 8 .b8 __ccc_profile[64];' plain.ptx >"$tmp/annotated.ptx"
stored() { "$BIN/ptxrun" "$1" plain --block 64 --grid 4 --shared 256 --arg buf:4000:"$2" --arg buf:4600 --arg s32:1000 "$3" 2>&1 | grep '^arg'; }
check "$(bodies $other) $(cat "$tmp/said")" "2 " "bodies of another module"
for data in rand index; do
	want=$(stored plain.ptx $data --sched=ipdom)
	for seed in 0 1 2; do
		check "$(stored "$tmp/counts.ptx" $data --seeds=$seed)" "$want" "same results, $data, $seed other schedules"
	done
done
differs() { # EDIT WANT NAME
	sed "$1" $other >"$tmp/differs.ptx"
	check "$(cmp -s $other "$tmp/differs.ptx"; echo $?) $(bodies "$tmp/differs.ptx")" "1 $2" "different module: $3"
	check "$(cat "$tmp/said"; stored "$tmp/counts.ptx" rand --sched=ipdom)" "$(stored plain.ptx rand --sched=ipdom)" "$3: same results, no messages"
}
differs 's/weights\[32\] = {3/weights[32] = {4/' 0 "a table has other values"
differs 's/\(\.shared .*sums\[\)128\]/\1256]/' 1 "shared memory of another size"
differs 's/sums/summs/' 1 "shared memory of another name"
differs '/\.entry plain/,/^)/s/\.u32/.s32/' 1 "other parameters"
differs 's/_Z5twicejj_param_1/_Z5twicejj_param_one/' 0 "a function with another head, which the kernel calls"
differs 's/^\.target sm_75/.target sm_70/' 0 "another architecture"
differs '/^\.extern \.shared/s/more/less/; s/, more;/, less;/' 1 "a variable that is not here"
cp "$tmp/annotated.ptx" "$tmp/shown.ptx"
sed '/\.entry plain/,/^{/s/^{/{\n\t.local .align 4 .b8 total[4];/' "$tmp/shown.ptx" >"$tmp/annotated.ptx"
differs '/\.entry plain/,/ret;/s/^\tret;/\t{ .reg .b64 a; mov.u64 a, total; }\n\tret;/' 1 "a variable that is hidden here"
cp "$tmp/shown.ptx" "$tmp/annotated.ptx"
echo 'int main() {}' >"$tmp/none.ptx"
check "$(bodies "$tmp/none.ptx") $(head -1 "$tmp/said")" "0 $tmp/annotated.ptx: warning: cannot read '$tmp/none.ptx', the PTX of the source without annotations [-Wccc-profile-stale]" "no PTX"
check "$("$BIN/ptxccc" --plain="$tmp/nothing" cuts.ptx 2>&1 | head -1)" "ptxccc: cannot read '$tmp/nothing': No such file or directory" "no such module"

# ---- programs, with a toolkit -----------------------------------------------------------------------------------------------
. ../cuda.sh
if [ -n "$nvcc" ]; then
	CCC_NVCC=$nvcc "$BIN/cccnvcc" --ccc-markers-only -DMAIN -lineinfo -cudart shared -arch=sm_75 cuts.cu -o "$tmp/cuts" 2>"$tmp/err"
	check "$? $(cat "$tmp/err")" "0 " "a program with markers"
	want=$(emulated -- "$tmp/cuts")
	check "$(emulated --seeds 1 --profile="$tmp/program.cccprof" -- "$tmp/cuts" 2>&1)" "$want" "a program's output is unchanged"
	check "$(sed "s|\"$PWD/|\"/src/|" "$tmp/program.cccprof" | diff cuts.cccprof -)" "" "a program's profile"
	emulated --advice -- "$tmp/cuts" >"$tmp/out" 2>"$tmp/err"
	check "$(cat "$tmp/out") $(grep -c "was not examined: it has annotations; build the program without them, and without '--ccc-markers-only'$" "$tmp/err")" "$want 4" "advice on an annotated program"
	check "$(emulated --advice --counts -- "$tmp/cuts" 2>&1 | grep -c 'to compare builds, run --counts alone')" 1 "counts beside advice"
	CCC_NVCC=$nvcc "$BIN/cccnvcc" --ccc-off -DMAIN -lineinfo -cudart shared -arch=sm_75 cuts.cu -o "$tmp/cuts" 2>"$tmp/err"
	emulated --advice -- "$tmp/cuts" >"$tmp/out" 2>"$tmp/err"
	check "$(cat "$tmp/out") $(grep -c "expected" "$tmp/err")" "$want 1" "a program's advice"
	CCC_NVCC=$nvcc "$BIN/cccnvcc" --ccc-profile-generate="$tmp/" --ccc-profile-sampling=0 -DMAIN -cudart shared -arch=sm_75 cuts.cu -o "$tmp/cuts" 2>"$tmp/err"
	check "$? $(cat "$tmp/err")" "0 " "an instrumented program"
	check "$(emulated -- "$tmp/cuts" 2>&1)" "$want" "an instrumented program's output is unchanged"
	bodies $other >/dev/null
	check "$(ptxas -arch=sm_75 "$tmp/counts.ptx" -o "$tmp/counts.cubin" 2>&1)" "" "ptxas takes bodies of another module"
	CCC_NVCC=$nvcc "$BIN/cccnvcc" --ccc-profile-generate -arch=sm_75 -ptx cuts.cu -o "$tmp/held.ptx" 2>"$tmp/err"
	check "$(grep -A1 '_plain:$' "$tmp/held.ptx" | grep -c '^{')" 4 "cccnvcc has the bodies without annotations"
	check "$(grep -c '^\.maxnreg 64$' "$tmp/held.ptx") $(cat "$tmp/err")" "4 " "instrumented kernels allow 32 warps"
	check "$(sed "s|\"$PWD/|\"/src/|" "$tmp"/ccc-*.cccprof | p merge - | seen - | diff "$tmp/seen" -)" "" "its profile"
	CCC_NVCC=$nvcc "$BIN/cccnvcc" --ccc-profile-use=cuts.cccprof --ccc-report -arch=sm_75 -ptx cuts.cu -o "$tmp/cuts.ptx" >"$tmp/said" 2>&1
	check "$? $(grep -c profile-stale "$tmp/said")" "0 0" "cccnvcc --ccc-profile-use"
	check "$(grep -c '  profile: 33.40 % of the lanes come' "$tmp/said")" 1 "cccnvcc's report"
	CCC_NVCC=$nvcc "$BIN/cccnvcc" --ccc-profile-use="$tmp/none" -arch=sm_75 -ptx cuts.cu -o "$tmp/cuts.ptx" >"$tmp/said" 2>&1
	check "$? $(cat "$tmp/said")" "2 cccnvcc: error: cannot open '$tmp/none': No such file or directory" "no file for cccnvcc"
else
	skipped=$((skipped + 1))
fi
echo "profile: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
