#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: ccc-tune: its search, output and termination, with stand-ins for build and program in a folder with a space in its
# name; then, if there is nvcc, a program with two loops on the emulator.
set -u
cd "$(dirname "$0")/../.." || exit 2
part=tune
. tests/t.sh
tree=$PWD BIN=${BIN:-$PWD/build/bin}
. tests/cuda.sh
case $BIN in */san/*) san=1 ;; *) san= ;; esac
[ ! "$san" ] || ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 && export ASAN_OPTIONS
unset CCC_FLAGS
mkdir "$tmp/a folder" && cd "$tmp/a folder" || exit 2
cp "$tree"/tests/tune/*.sh .
mv program.sh "the program"
chmod +x "the program"
costs() { # for the first loop, then for the second: auto, leave (as the original), stack, queue(4), queue(8), ahead(32)
	rm -rf costs builds runs built waiting values.txt ccc-tune.* ./*.cccprof
	for line in 10 20; do
		for policy in auto leave stack 'queue(4)' 'queue(8)' 'ahead(32)'; do
			echo "$line $policy $1"
			[ $policy != leave ] || echo "$line original $1"
			shift
		done
		echo "$line flatten 300"
	done >costs
}
usual() { costs 100 200 101 90 95 120 100 80 100 110 70 60; }
tune() { # OPTIONS...; $status
	"$BIN/ccc-tune" --build='sh build.sh' --timer=events --runs=1 --warmup=0 "$@" -- "./the program" 'one argument' >out 2>err
	status=$?
}
last() { tail -1 out; }
builds() { wc -l <builds; }
chosen() { sed -n 's/^choice //p' "${1:-ccc-tune.cccprof}" | cut -d' ' -f1 | tr '\n' ' '; }
is() { [ "$1" = "$2" ] || { echo "'$1' instead of '$2'"; cat out err; return 1; }; }

finds() { # finds the best plan of each loop, and both together: three policies, then other numbers of the best of them
	usual; tune
	is "$status $(last) $(chosen)" "0 --ccc-profile-use=ccc-tune.cccprof queue(4) ahead(32) " && [ "$(cat built)" = "10 queue(4)
20 ahead(32)" ] && grep -q '^all together: 150 ns, 1.333x of auto, 1.87x of the original (noise 0.00 %); add' out && grep -q '^ *flatten  *400  *0.500x' out && grep -q '^k.cu:10: kernel_10 (ns)$' out &&
		grep -qx '  \* queue(4)  *190  *1.053x  (1.58x of leave; 1.40x expected)' out && "$BIN/ptxccc" profile show ccc-tune.cccprof | grep -q 'kernel_20: ahead(32), by ptxccc'
}
top() { usual; tune --top=1; is "$status $(chosen)" "0 queue(8) queue(8) "; }
excluded() { # nested loops: choices that exclude each other are not combined; such a build fails
	usual; NEST=1 tune
	is "$status $(chosen) $(grep -c 'inside the annotated loop' err out ccc-tune.json | tr '\n' ' ')" "0 auto ahead(32)  err:0 out:0 ccc-tune.json:0 " && grep -q '"plan": "queue(4) auto"' ccc-tune.json && ! grep -q '"plan": "queue(4) ahead(32)"' ccc-tune.json &&
		grep -qx '    not with the others: nested annotations exclude each other' out
}
no_makefile() {
	"$BIN/ccc-tune" -- "./the program" >out 2>err
	is "$? $(cat err)" "2 ccc-tune: no makefile here for 'make -B': say how the program is built, --build=CMD" || return
	echo 'all:; exit 5' >Makefile
	"$BIN/ccc-tune" -- "./the program" >out 2>err
	is "$? $(grep -c "'make -B' failed" err)" "2 1" && rm Makefile
}
resumed() { # known results are not measured again
	usual; tune
	n=$(wc -l <runs)
	cp out first
	tune
	is "$status $(wc -l <runs)" "0 $n" && cmp out first && is "$(($(builds) > n + 4))" 0 && tune --export=md && is "$status $(wc -l <runs) $(last)" "0 $n --ccc-profile-use=ccc-tune.cccprof"
}
anew() { # starts anew for different code, and with an invalid cache
	usual; tune
	n=$(wc -l <runs)
	OTHER=1 tune
	is "$status $(wc -l <runs)" "0 $((2 * n))" && grep -q 'is begun anew' err || return
	head -c 700 ccc-tune.json >cut && mv cut ccc-tune.json
	OTHER=1 tune
	is "$status $(wc -l <runs)" "0 $((3 * n))"
}
interrupted() { # by ^C while the program runs; the processes that it started end, too
	usual
	mkdir -p "$tmp/tmp"
	TMPDIR=$tmp/tmp SLOW='queue(4)' "$BIN/ccc-tune" --build='sh build.sh' --timer=events --runs=1 --warmup=0 -- "./the program" 'one argument' >out 2>err &
	pid=$!
	i=0
	while [ ! -f waiting ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
	kill -TERM $pid # a shell's background jobs ignore SIGINT
	wait $pid
	status=$?
	is "$status $(tail -1 err)" "143 ccc-tune: interrupted: the measurements are in 'ccc-tune.json'; run the same command to continue" && grep -q '"plan": "original"' ccc-tune.json &&
		! grep -q 'queue(4)", "tried"' ccc-tune.json && [ ! -f ccc-tune.cccprof ] && [ -z "$(ls "$tmp/tmp")" ] || return
	n=$(wc -l <runs)
	tune
	is "$status $(chosen)" "0 queue(4) ahead(32) " && [ "$(wc -l <runs)" -lt $((n + 12)) ] && ! grep -q '^ccc-tune: the original' err
}
not_built() {
	usual; FAIL='queue(4)' tune
	is "$status $(chosen)" "0 queue(8) ahead(32) " && grep -q "queue(4) .*not built: 'sh build.sh' failed with status 1: k.cu:10: no, not queue(4)" out || return
	usual; FAIL=all tune
	is "$status $(tail -1 err)" "2 ccc-tune: 'sh build.sh' failed with status 1: k.cu:10: no, not "
}
original() { # what results are compared with is measured, or nothing is said of gains
	usual; tune
	is "$(head -1 out)" "original (--ccc-off): 280 ns" && grep -q '1.333x of auto, 1.87x of the original' out || return
	costs 100 200 101 90 95 120 100 80 100 110 70 60; sed -i 's/original .*/original 60/' costs; tune # the loops lose
	is "$status" 0 && grep -q '^all together: 150 ns, 1.333x of auto, 0.80x of the original' out || return
	for wrong in FAIL=original CRASH=original DEAF=1; do
		usual; (export "$wrong"; tune; exit $status)
		is "$?" 2 && grep -q '^ccc-tune: nothing is tuned: the original: the build with --ccc-off was not measured: ' err && [ ! -s out ] || return
	done
	is "$(grep -c 'although CCC_FLAGS has .--ccc-off.' err)" 2
}
not_followed() { # the report proves that a plan is in the build
	usual; IGNORE='queue(4)' tune
	is "$status $(chosen)" "0 queue(8) ahead(32) " && grep -q 'plan not followed: k.cu:10 was compiled, but not with policy queue(4)' out || return
	usual; NOTHING=1 tune
	is "$status" 2 && grep -q 'the build compiled nothing with annotations' err
}
crashes() {
	usual; CRASH='queue(4)' tune
	is "$status $(chosen)" "0 queue(8) ahead(32) " && grep -q 'queue(4) .*failed: the program was ended by signal 11: error: it crashes' out && grep -q '^error: it crashes$' err || return
	CRASH='queue(4)' tune --export=json
	grep -q '"choice": "queue(4)", "tried": "failed", "why": "the program was ended by signal 11: error: it crashes"' out || return
	usual; CRASH=all tune
	is "$status $(tail -1 err)" "2 ccc-tune:   failed: the program was ended by signal 11: error: it crashes"
}
differs() { # a program that a policy makes print something else
	usual; WRONG='ahead(32)' tune
	is "$status $(chosen) $(last)" "3 queue(4) queue(8)  --ccc-profile-use=ccc-tune.cccprof" && grep -q "outputs differ: standard output differs from line 1 on: 'sum -1' instead of 'sum 3.25'$" out &&
		is "$(grep -c -e '--no-stdout.*--rtol.*--check' err)" 1 || return
	LONG=$(printf '%080d' 0) && export LONG
	usual; WRONG='ahead(32)' tune; unset LONG
	is "$status" 3 && grep -q "on: '...0\{20\}sum -1' instead of '...0\{20\}sum 3.25'$" out || return
	usual; WRONG=original tune
	is "$status" 3 && [ ! -f ccc-tune.cccprof ] && grep -q 'something else than what nvcc makes' err && grep -q -- '--no-stdout' err || return
	usual; CLOCK=1 tune
	is "$status" 2 && grep -q 'two runs of one build differ: standard output differs from line 2 on' err || return
	usual; CLOCK=1 tune --no-stdout
	is "$status" 0
}
files() {
	usual; WRONG='ahead(32)' tune --no-stdout
	is "$status $(chosen)" "0 queue(4) ahead(32) " || return
	usual; WRONG='ahead(32)' tune --no-stdout --output=values.txt
	is "$status $(chosen)" "3 queue(4) queue(8) " && grep -q "outputs differ: 'values.txt' differs from line 1 on: 'values -1' instead of 'values 3.25'$" out || return
	usual; tune --output=none.txt
	is "$status" 2 && grep -q "the program does not write 'none.txt'" err
}
tolerance() {
	usual; NEAR='ahead(32)' tune --output=values.txt
	is "$status" 3 || return
	usual; NEAR='ahead(32)' tune --output=values.txt --rtol=1e-6
	is "$status $(chosen)" "0 queue(4) ahead(32) " && grep -q 'may differ by 1e-06 of the larger one (--rtol)' out || return
	usual; NEAR='ahead(32)' tune --rtol=1e-9
	is "$status" 3
}
checked() {
	usual; WRONG='ahead(32)' CLOCK=1 tune --check='grep -q "sum 3.25"'
	is "$status $(chosen)" "3 queue(4) queue(8) " && grep -q "outputs differ: 'grep -q \"sum 3.25\"' says that it is wrong" out
}
auto_best() { # nothing is written: the build has the best choices
	costs 100 200 101 100 105 120 100 180 100 110 170 160; tune
	is "$status $(last)" "0 auto is already the best choice: 1.90x of the original (noise 0.00 %)" && [ ! -f ccc-tune.cccprof ] && [ "$(cat built)" = "10 auto
20 auto" ]
}
nothing() {
	costs 100 100 101 100 105 120 100 100 100 110 170 160; tune
	is "$status" 1 && [ ! -f ccc-tune.cccprof ] && last | grep -q '^nothing gained.*noise, 0.00 %$' && [ "$(cat built)" = "10 auto
20 auto" ] || return
	rm ccc-tune.json; CRASH='queue(8)' tune # the verdict is that of the others, and says so
	is "$status" 1 && last | grep -q '^nothing gained.*noise, 0.00 %; 2 of [0-9]* builds failed, and are not counted$' || return
	usual; LEFT=20 CRASH='queue(4)' tune # a loop that no policy can transform
	grep -q '^k.cu:20: kernel_20: nothing to try: it is a floating-point sum; say .reassociate.$' out && is "$(grep -c 'nothing to try' out)" 1
}
noise() { # two runs of the first build are 20 % apart
	costs 100 105 101 95 95 120 100 105 100 110 97 98; NOISE=1 tune
	is "$status" 1 && last | grep -q 'noise, 20.00 %'
}
together() { # plans that gain alone but lose together: the better one alone
	usual; echo "both queue(4) ahead(32) 300" | cat - costs >c && mv c costs; tune
	is "$status $(chosen)" "0 auto ahead(32) " && ! grep -q 'not with the others' out || return
	usual; echo "both queue(4) ahead(32) 0" | cat - costs >c && mv c costs; tune # together they fail
	is "$status $(chosen)" "0 auto ahead(32) " && grep -q '^    not with the others: failed: no kernel was seen' out
}
# advise COST...: as costs, for auto and leave of both loops, which are advised annotations at lines 10 and 20 of k.cu
advise() {
	costs "$1" "$2" 0 0 0 0 "$3" "$4" 0 0 0 0
	awk 'BEGIN { for (i = 1; i <= 24; i++) print i % 10 == 0 ? "for" : i % 10 == 1 ? "if" : "x" }' >k.cu
	tune --suggest --no-promises
}
left() { [ "$(cat built)" = "10 leave
20 leave" ] && [ ! -e ccc-tune.json ] && [ ! -e ccc-tune.cccprof ]; }
patched() { awk '/^@@/ { sub(/^[^+]*[+]/, ""); line = $0 + 0; next } line && /^[+]/ { printf "%d ", line } line && !/^-/ { line++ }' out; }
suggest() { # the patch has the annotations that gain; the program is left without them
	advise 100 200 70 100
	is "$status $(patched)" "0 10 12 22 24 " && left && grep -q '^measured against the sources without the advised annotations: 300 ns$' err && grep -q '^ *1.50x *1.500x  k.cu:11, kernel_10: in the patch$' err && grep -q '^k.cu:21: to confirm: nothing$' err &&
		grep -q '^all together: 1.765x (ns; less than 2.00 % does not count)$' err && grep -q '^promises: not checked$' err || return
	advise 100 200 95 100 # by 1.7 %
	is "$status $(patched)" "0 10 12 " && left && grep -q 'k.cu:21, kernel_20: no gain$' err || return
	advise 210 200 105 100
	is "$status $(patched)" "1 " && left && grep -q 'k.cu:11, kernel_10: no gain$' err
}
thresholds() { # of an annotation at which lanes wait, the best one is in the patch
	advise 100 200 70 100
	printf '20 wait(4) 90\n20 wait(8) 80\n20 wait(12) 90\n20 wait(16) 1\n20 wait(24) 75\n' >>costs
	PREDICT=20 tune --suggest --no-promises
	is "$status $(patched)" "0 10 12 22 24 " && grep -q '^+#pragma ccc predict threshold(16)$' out && grep -q '21, kernel_20: in the patch$' err || return
	sed -i 's/wait(8) 80/wait(8) 60/; s/wait(24) 75/wait(24) 50/' costs
	PREDICT=20 tune --suggest --no-promises
	is "$status $(patched)" "0 10 12 22 24 " && left && grep -q '^+#pragma ccc predict threshold(24)$' out && ! grep -q 'wait(16)' err &&
		grep -q '^ *1.50x *1.200x  k.cu:21, kernel_20: in the patch, as threshold(24)$' err || return
	sed -i 's/wait(4) 90/wait(4) 40/' costs # the least expected one, too
	PREDICT=20 tune --suggest --no-promises
	is "$status" 0 && grep -q '^+#pragma ccc predict threshold(4)$' out
}
numbers() { # of a policy that loses against leaving the loop, the next two by their expectation: wait(12), wait(8)
	usual
	printf '20 wait(4) 10\n20 wait(8) 60\n20 wait(12) 120\n20 wait(24) 150\n' >>costs
	PREDICT=20 tune
	is "$status $(chosen)" "0 queue(4) wait(8) " && ! grep -q 'wait(4)' out
}
suggest_nothing() {
	NO_FIXES=1 advise 100 200 70 100
	is "$status $(wc -c <out) $(last_err)" "1 0 no annotation to try" && ! grep -q '^expected\|^promises' err
}
last_err() { tail -1 err; }
suggest_wrong() { # advice with which the program fails or differs, and advice that is not followed
	WRONG=auto advise 100 200 70 100
	is "$status $(patched)" "1 " && left && grep -q "k.cu:11, kernel_10: outputs differ: standard output differs from line 1 on: 'sum -1' instead of 'sum 3.25'$" err && grep -q -- '--no-stdout' err || return
	WRONG=auto SUM=1 advise 100 200 70 100 # sums in another order: how to allow that
	is "$status $(patched)" "1 " && grep -q "k.cu:21, kernel_20: outputs differ: .*line 1 on: .*; 'reassociate' adds .*: to allow that, ccc-tune --suggest --rtol=1e-6$" err || return
	CRASH=auto advise 100 200 70 100
	is "$status $(patched)" "1 " && left && grep -q 'k.cu:21, kernel_20: failed: the program was ended by signal 11: error: it crashes$' err || return
	advise 100 200 70 100; echo 'both auto auto 0' | cat - costs >c && mv c costs; tune --suggest --no-promises
	is "$status $(patched)" "0 10 12 " && grep -q 'k.cu:21, kernel_20: not with the others: failed: no kernel was seen' err || return
	REFUSE=20 advise 100 200 70 100
	is "$status $(patched)" "0 10 12 " && left && grep -q 'k.cu:21, kernel_20: plan not followed: k.cu:20 was left unchanged: no gain$' err || return
	NOTHING=1 advise 100 200 70 100
	is "$status" 2 && grep -q 'the build compiled nothing with cccnvcc' err || return
	"$BIN/ccc-tune" --suggest --export=json -- true 2>err; is $? 2
}
budget() {
	usual; "$BIN/ccc-tune" --budget=3 --check='cat >/dev/null; sleep 1.6' --build='sh build.sh' --timer=events --runs=1 --warmup=0 -- "./the program" >out 2>err # over before the original
	is "$? $(tail -1 err)" "2 ccc-tune: nothing is tuned: the original: the build with --ccc-off was not measured within --budget" || return
	usual; SLOW=leave timeout 60 "$BIN/ccc-tune" --budget=1 --build='sh build.sh; sleep 0.4' --timer=events --runs=1 --warmup=0 -- "./the program" >out 2>err
	status=$?
	is $((status < 2)) 1 && grep -q 'not everything was tried within --budget' out
}
exports() {
	usual; tune --export=json
	is "$status" 0 && grep -q '"flag": "--ccc-profile-use=ccc-tune.cccprof"' out || return
	{ ! command -v python3 >/dev/null; } || python3 -c 'import json; j = json.load(open("out")); assert [x["chosen"] for x in j["sites"][1]["tried"] if x["choice"] == "ahead(32)"] == [True] and j["complete"]; json.load(open("ccc-tune.json"))' || return
	tune --export=md --to="a b.cccprof"
	is "$(last) $(chosen "a b.cccprof")" "--ccc-profile-use='a b.cccprof' queue(4) ahead(32) " && grep -q '^| `k.cu:20` | ahead(32) | 160 | 1.250 | chosen |$' out
}
usage() {
	for wrong in "--runs=0" "--top=x" "--budget=5d" "--rtol=2" "--export=xml" "--timer=sundial" "--what" "--cache=" "--no-stdout=1"; do
		tune $wrong
		is "$status $(wc -c <out)" "2 0" || return
	done
	"$BIN/ccc-tune" >out 2>err; is $? 2 && "$BIN/ccc-tune" -- >out 2>err; is $? 2 && "$BIN/ccc-tune" ./program >out 2>err; is $? 2 && "$BIN/ccc-tune" --runs >out 2>err; is $? 2 &&
		"$BIN/ccc-tune" --help | grep -q -e --budget && "$BIN/ccc-tune" --version | grep -q '^ccc-tune [0-9]'
}
nested() { # the emulator runs the program anyway
	"$BIN/ccc-tune" --suggest --build='sh build.sh' --timer=emulator -- "$BIN/ptxrun" --quiet -- "./the program" 'one argument' >out 2>err
	is "$? $(cat err)" "2 ccc-tune: the command runs 'ptxrun' itself, but without a GPU the program is run on the emulator anyway: name the program alone: ./the program one argument"
}
source=loops.cu edit=
real() { # COMMAND...
	[ -n "$nvcc" ] && [ ! "$san" ] || { echo "no nvcc"; return 77; }
	rm -rf real && mkdir real && sed "$edit" "$tree/tests/tune/$source" >real/$source && cd real || return
	CCC_NVCC=$nvcc "$BIN/ccc-tune" --build="'$BIN/cccnvcc' -O1 -arch=sm_75 $1 $source -o loops" --top=1 "$2" -- "${3:-./loops}" ${4:-} >../out 2>../err
	status=$?
	cp loops loops.tuned
	cd ..
	return 0
}
emulator() { # auto leaves both, as if they streamed from memory
	real '' --timer=emulator || return
	is "$status $(last) $(chosen real/ccc-tune.cccprof)" "0 --ccc-profile-use=ccc-tune.cccprof auto ahead(32) " && cat out && grep -q '(noise 0.00 %)' out || return
	(cd real && CCC_NVCC=$nvcc "$BIN/cccnvcc" -O1 -arch=sm_75 --ccc-report=r.json "$(tail -1 ../out)" loops.cu -o loops) 2>err &&
		[ "$(grep -o '"choice": "[^"]*"' real/r.json | tr '\n' ' ')" = '"choice": "ahead(32)" ' ] && ! grep -q 'profile-stale' err
}
gains() { awk -v text="$1" 'index($0, text) { n = $0; sub(/^.*measured against [^:]*: |^original[^:]*: /, "", n); print n + 0 }' "$2"; }
exits() { # an advised policy that the annotation names is measured against the program without it; a bare `for` against the original
	source=exits.cu
	real '' --suggest || return
	is "$status $(grep -c '^+[[:space:]]*#pragma ccc for policy(converge)$' out)" "0 1" && grep -q 'exits.cu:9, search: in the patch$' err && ! grep -q ' 1.000x ' err || return
	without=$(gains 'measured against' err)
	edit='s/^\tfor (int k/#pragma ccc for\n&/'
	real '' --timer=emulator || return
	is "$status $(gains 'original (--ccc-off): ' out)" "0 $without" && grep -q '^  \* auto: converge ' out && ! grep -q 'plan not followed' out && last | grep -q '^auto is already the best choice: .*x of the original'
}
small() { # a launch with few tasks for a task loop
	source=search.cu
	real '' --timer=emulator ./loops 512 || return
	grep -q "^not measurable here: 'search' has 512 tasks for the [0-9]* threads of its task loop; use a larger input" out && ! grep -q '^nothing gained' out || { cat out err; return 1; }
	real '' --timer=emulator ./loops 16384 && is "$status $(grep -c '^not measurable' out)" "0 0"
}
events() { # the library that times by events, on the emulator's runtime
	real '-cudart shared' --timer=events "$BIN/ptxrun" "-- ./loops" || return
	is $((status < 2)) 1 && grep -q 'auto: .* [0-9][0-9]*  *1.000x' out
}

t "finds the best" finds
t "nested loops" excluded
t "top" top
t "no makefile" no_makefile
t "resumed" resumed
t "begun anew" anew
t "interrupted" interrupted
t "a build that fails" not_built
t "the original" original
t "a plan that is not followed" not_followed
t "a program that crashes" crashes
t "outputs that differ" differs
t "files" files
t "tolerance" tolerance
t "check" checked
t "auto is best" auto_best
t "nothing gained" nothing
t "noise" noise
t "together" together
t "suggest" suggest
t "thresholds" thresholds
t "numbers of a policy that loses" numbers
t "no advice" suggest_nothing
t "advice that is wrong" suggest_wrong
t "budget" budget
t "exports" exports
t "usage" usage
t "ptxrun in the command" nested
t "on the emulator" emulator
t "events" events
t "a small launch" small
t "a loop without a path" exits
finish
