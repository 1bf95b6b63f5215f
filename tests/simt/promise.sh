#!/bin/sh
# SPDX-License-Identifier: MIT
# promise.sh: the checks that iterations of annotated loops are independent. One loop, and one loop in a loop, with each kind of
# annotation and with clauses; each case either is reported, with both lines, or is not. Each thread has 64 private words.
#
# The emulator checks the kernel; and with g++, a program runs it with instrumented code (ptxccc --check-promise), under several
# schedules, and must report the same.
set -u
cd "$(dirname "$0")" || exit 2
. ../cuda.sh
B=$(cd ../.. && readlink -m "${B:-build}")
PTXRUN=$B/bin/ptxrun
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0 entries=

head='.version 8.3
.target sm_80
.address_size 64 .global .align 8 .b8 __ccc_profile[64]; .func f(.reg .b64 %a) { .reg .b32 %r; ld.global.u32 %r, [%a]; st.global.u32 [%a+4], %r; ret; }
.file 1 "promise.cu"
.visible .entry k(.param .u64 a)
{
	.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
	.shared .align 4 .b8 s[4096];
	ld.param.u64 %rd1, [a];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 256;
	add.s64 %rd1, %rd1, %rd2;
	shl.b32 %r9, %r1, 2; mov.u32 %r8, s; add.u32 %r9, %r9, %r8;
	mov.u32 %r7, 5;'
marker() { printf '\t// begin inline asm\n\t// .ccc %s\n\t// end inline asm\n' "$1"; }

# %r2: iteration 1 to 10; %rd3: its element
flat() { # FOR IF PATH REST
	echo "$head"
	echo '	mov.u32 %r2, 1;'
	marker "begin ${1%% *} 0 \"promise.cu\":3${1#"${1%% *}"}"
	echo '$loop:'
	marker 'begin iteration 0'
	echo '	.loc 1 4 3
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	and.b32 %r3, %r2, 3;
	setp.eq.u32 %p1, %r3, 3;
	@%p1 bra $rest;'
	[ "$2" = none ] || marker "begin ${2%% *} 1 \"promise.cu\":5${2#"${2%% *}"}"
	printf '\t.loc 1 6 3\n\t%s\n' "$3"
	[ "$2" = none ] || marker "end ${2%% *} 1"
	printf '$rest:\n\t.loc 1 7 3\n\t%s\n' "${4:-}"
	echo '	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, 11;
	@%p2 bra $loop;'
	marker "end ${1%% *} 0"
	printf '	ret;\n}\n'
}
# %r2: iteration 1 to 4; %r4: inner iteration 1 to 10; %rd3: its element in a row of 12
nested() { # FOR LOOP BODY
	echo "$head"
	case $1 in grid*) marker "begin grid 0 \"promise.cu\":3${1#grid}" ;; esac
	echo '	mov.u32 %r2, 1;'
	case $1 in grid*) ;; *) marker "begin ${1%% *} 0 \"promise.cu\":3${1#"${1%% *}"}" ;; esac
	echo '$loop:'
	case $1 in grid*) ;; *) marker 'begin iteration 0' ;; esac
	echo '	mov.u32 %r4, 1;'
	marker "begin ${2%% *} 1 \"promise.cu\":5${2#"${2%% *}"}"
	echo '$inner:'
	marker 'begin iteration 1'
	printf '	.loc 1 6 3
	mad.lo.u32 %%r5, %%r2, 12, %%r4;
	mul.wide.u32 %%rd2, %%r5, 4;
	add.s64 %%rd3, %%rd1, %%rd2;
	%s
	add.u32 %%r4, %%r4, 1;
	setp.lt.u32 %%p1, %%r4, 11;
	@%%p1 bra $inner;
' "$3"
	marker "end ${2%% *} 1"
	echo '	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, 5;
	@%p2 bra $loop;'
	case $1 in grid*) ;; *) marker "end ${1%% *} 0" ;; esac
	printf '	ret;\n}\n'
}

load='ld.global.u32 %r6, [%rd3];' store='st.global.u32 [%rd3], %r6;' double='add.u32 %r6, %r6, %r6;'
more="$load mad.lo.u32 %r6, %r6, 3, 1; $store"
own="$load $double $store"
chain='ld.global.u32 %r6, [%rd3+-4]; mad.lo.u32 %r6, %r6, 3, 1;
	st.global.u32 [%rd3], %r6;'
anti='ld.global.u32 %r6, [%rd3+4]; mad.lo.u32 %r6, %r6, 3, 1;
	st.global.u32 [%rd3], %r6;'
one='mad.lo.u32 %r6, %r2, 3, 1; st.global.u32 [%rd1], %r6;'
row='ld.global.u32 %r6, [%rd3+-48]; mad.lo.u32 %r6, %r6, 3, 1; st.global.u32 [%rd3], %r6;'
scratch='st.shared.u32 [%r9], %r2; ld.shared.u32 %r6, [%r9]; st.global.u32 [%rd3], %r6;'
mark='ld.global.u32 %r6, [%rd1]; setp.eq.u32 %p4, %r6, 1; @%p4 st.global.u32 [%rd1], %r7;'
across='ld.global.u32 %r6, [%rd3+256]; mad.lo.u32 %r6, %r6, 3, 1;
	st.global.u32 [%rd3], %r6;'
sum='atom.global.add.u32 %r6, [%rd1], %r2;'
bytes='st.global.u8 [%rd1], %r2; add.s64 %rd1, %rd1, 1;'

# ---- instrumented code -----------------------------------------------------------------------------------------------------
program=
case $B in */san) ;; *)
	command -v g++ >/dev/null 2>&1 && program=$dir/program
	cat >"$dir/program.cu" <<'END'
#include <cstdio>
#include <cstdlib>
extern "C" __global__ void k(unsigned *a) {}
int main(int, char **argument) // launches, blocks
{
	unsigned *a;
	cudaMallocManaged(&a, 8704);
	for (int i = 0; i < 8704 / 4; i++)
		a[i] = 0x01010101;
	for (int i = 0; i < atoi(argument[1]); i++) {
		k<<<atoi(argument[2]), 33>>>(a);
		cudaDeviceSynchronize();
	}
	unsigned sum = 0;
	for (int i = 0; i < 8704 / 4; i++)
		sum = sum * 31 + a[i];
	printf("%08x\n", sum);
	return 3;
}
END
	[ -z "$program" ] || { sh ../../samples/launches.sh "$dir/program.cu" >"$dir/program.cc" &&
		g++ -std=c++17 -O1 -w -rdynamic -DCCC_PROFILE_GLOBAL -include "$B/include/ptxccc/ccc_profile.h" -I "$B/include/ptxccc" \
			-I ../../driver/cudart/host -o "$program" "$dir/program.cc" "$B/lib/ptxrun/libcudart.so.13" -pthread; } || exit 2 ;;
esac
instrument() { "$B/bin/ptxccc" --check-promise"${entries:+=$entries}" "$@" "$dir/k.ptx" -o "$dir/checks.ptx" 2>"$dir/said"; }
run() { # LAUNCHES BLOCKS OPTIONS: $dir/found, $dir/memory
	launches=$1 blocks=$2
	shift 2
	timeout 100 "$PTXRUN" --no-promises --no-races --no-unwritten --module "$dir/checks.ptx" "$@" -- "$program" "$launches" "$blocks" >"$dir/memory" 2>"$dir/found"
}
# The verdict for a loop at a line of promise.cu: "broken" with the lines, or "whole".
verdict() {
	case $(cat "$dir/found") in
	*" does not hold"*"promises are broken"*) sed -n "s/^ccc: \(.*\): two iterations of the loop at \([^ ]*\) .*\('.*'\).*/broken \1 \2 \3/p" "$dir/found" | head -1 ;;
	"ccc: "*" accesses in annotated loops checked, no broken promise found") echo whole ;;
	'') echo none ;; # no loop promises anything
	*) cat "$dir/found" ;;
	esac
}
# Races between lanes are found among those that enter the loop together, which random schedules prevent.
agree() { # NAME WANT
	[ "$program" ] || { skipped=$((skipped + 1)); return; }
	case $2 in *" one of lane "*) schedules=ipdom ;; *) schedules='ipdom random random' ;; esac
	instrument
	seed=0
	for schedule in $schedules; do
		seed=$((seed + 1))
		run 1 1 --sched=$schedule --seed=$seed
		case $?,$2,$(verdict; cat "$dir/said") in
		3,none,whole) passed=$((passed + 1)) ;;
		3,none,none*"nothing is checked: no loop"*) passed=$((passed + 1)) ;;
		3,*"annotated at promise.cu:3"*,"broken "*" promise.cu:3 "* | 3,*"annotated at promise.cu:5"*,"broken "*" promise.cu:5 "* | 3,"$promise 2","broken "*) passed=$((passed + 1)) ;;
		*) failed=$((failed + 1)); echo "FAIL promise: instrumented, $1, $schedule $seed: $(cat "$dir/said" "$dir/found") instead of '$2'" ;;
		esac
	done
}

# ---- cases -----------------------------------------------------------------------------------------------------------------
# arguments: the text; "none", or parts of the only message
check() { # NAME WANT
	[ "${options:-}" ] || agree "$1" "$2"
	out=$($PTXRUN "$dir/k.ptx" k --block 33 --arg buf:8704:fill:1 --quiet --limit 100000 ${options:-} 2>&1)
	status=$?
	case $2,$status,$(echo "$out" | grep -c 'error: ') in
	none,0,0) passed=$((passed + 1)) ; return ;;
	none,*) ;;
	*,1,[1-9]*) case $out in *"$2"*) passed=$((passed + 1)); return ;; esac ;;
	esac
	failed=$((failed + 1))
	echo "FAIL promise: $1: status $status, '$out' instead of '$2'"
}
loop() { # WANT FOR IF PATH [REST]
	flat "$2" "$3" "$4" "${5:-}" >"$dir/k.ptx"
	check "$2, $3: $4 ${5:-}" "$1"
}
inner() { # WANT FOR LOOP BODY
	nested "$2" "$3" "$4" >"$dir/k.ptx"
	check "$2, $3: $4" "$1"
}
promise='error: broken promise: iteration'

# dependences, with the lines of both accesses
loop "$promise 2 of the loop annotated at promise.cu:3 reads what iteration 1 wrote at line 34, CUDA line promise.cu:6" for if "$chain"
case $out in *"k.ptx:33:"*"CUDA line promise.cu:6
"*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)); echo "FAIL promise: no position: $out" ;; esac
loop "$promise 2 of the loop annotated at promise.cu:3 writes what iteration 1 read at line 33, CUDA line promise.cu:6" for if "$anti"
loop "$promise 2 of the loop annotated at promise.cu:3 writes what iteration 1 wrote at" for if "$one"
loop "$promise 2 of the loop annotated at promise.cu:3 writes what iteration 1" for if "$scratch"
loop "$promise 3 of the loop annotated at promise.cu:3 reads what iteration 2 wrote at line 33, CUDA line promise.cu:6" for if "$one" 'ld.global.u32 %r6, [%rd1];'
loop none for if "$own"
loop none for if "$own" "$own"
loop none for if "$bytes"
loop none for if "$mark"
loop none for if "$sum"
loop "$promise 2 of the loop annotated at promise.cu:3 writes what iteration 1 read at" for if "$sum" 'ld.global.u32 %r6, [%rd1];'
loop none for if "ld.global.u32 %r6, [%rd1]; $sum"
loop none for if 'st.global.u32 [%rd1], %r7;'
loop none for if "$(echo "$chain" | sed 's/ld.global/&.nc/')"
loop "of the loop annotated at promise.cu:3 writes what one of lane 0 read at line 33, CUDA line promise.cu:6" for if "$across"
loop none for if 'ld.global.u32 %r6, [%rd3+256];' "bar.sync 0; $store bar.sync 0;"
loop none for if "${across%st.*}"
loop none 'for proven' if "$across"
options=--no-promises loop none for if "$chain"
options=--no-races loop "$promise 2" for if "$chain"

# kinds and clauses
for if in 'if policy(stack)' 'if policy(auto)' path none unify 'if independent'; do
	loop "$promise 2" for "$if" "$chain"
done
loop "$promise 2" 'for policy(queue)' if "$chain"
loop "$promise 2" 'for policy(wait)' 'if policy(stack)' "$chain"
loop "$promise 2" assign if "$chain"
loop "$promise 2" assign none "$chain"
loop none 'for proven' if "$chain"
loop none for 'if proven' "$chain"
for policy in converge wait majority live 'cycle(1,1)' flatten ahead; do
	loop none "for policy($policy)" if "$chain"
	loop none for "if policy($policy)" "$chain"
done
loop none 'for policy(converge)' none "$chain"
loop none for delay "$chain"
loop none for predict "$chain"
loop "$promise 2" for 'delay policy(stack)' "$chain"

# in a loop whose lanes run in lockstep, only a path changes its place
barrier='bar.sync 0;'
loop none for if "$own" "$scratch $barrier"
loop none for if "$own" "$barrier $scratch"
loop "$promise 2" for if "$chain" "$barrier"
loop "$promise 2" for if 'ld.shared.u32 %r6, [%r9];' "$barrier st.shared.u32 [%r9], %r2;"

# nested loops
inner "$promise 2 of the loop annotated at promise.cu:5 reads what iteration 1 wrote at" for for-var "$chain"
inner "$promise 2 of the loop annotated at promise.cu:3 reads what an earlier one wrote at" for for-var "$row"
inner none for for-var "$own"
inner none for while "$chain"
inner "$promise 2 of the loop annotated at promise.cu:3 reads what iteration 1 wrote at" for while "$row"
inner none 'for proven' for-var "$chain"
inner none 'for policy(flatten)' for-var "$chain"
inner none for 'for-var policy(flatten)' "$row"
inner "$promise 2 of the loop annotated at promise.cu:5" 'for policy(wait)' 'for-var policy(expand)' "$chain"
inner none assign for-var "$chain"
inner "$promise 2 of the loop annotated at promise.cu:3" assign for-var "$row"
inner "$promise 2 of the loop annotated at promise.cu:5" grid for-var "$chain"
inner none grid for-var "$row"
inner none 'grid proven' for-var "$chain"
inner none grid while "$chain"

# ---- more instrumented code ------------------------------------------------------------------------------------------------
# found WANT LAUNCHES BLOCKS OPTIONS: what the program with the last text says, under several schedules; $dir/found
found() {
	want=$1
	shift
	for seed in 1 2 3; do
		run "$@" --sched="$([ $seed = 1 ] && echo ipdom || echo random)" --seed=$seed
		# shellcheck disable=SC2254
		case $?,$(cat "$dir/found") in
		3,$want) passed=$((passed + 1)) ;;
		*) failed=$((failed + 1)); echo "FAIL promise: instrumented, schedule $seed: $(cat "$dir/found") instead of '$want'" ;;
		esac
	done
}
scenario() { # NAME: the text of a kernel that uses much of the template
	case $1 in
	full) flat for if "$more" "$more" ;;
	pair) flat for if "$chain" 'ld.global.u32 %r6, [%rd3+-4];' ;;
	lanes) flat for if "$across" ;;
	own) flat for if "$own" "$own" ;;
	many) flat for if "$(k=0; while [ $((k += 1)) -lt 70 ]; do echo "	mad.lo.u32 %r6, %r2, 3, $k; st.global.u32 [%rd1], %r6;"; done)" ;;
	header) flat for if 'st.global.u32 [%rd1], %r2;' | sed 's/^\$loop:/& ld.global.u32 %r6, [%rd1]; setp.eq.u32 %p4, %r2, 1; @%p4 call f, (%rd1);/' ;;
	generic) flat for if "$lone mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; @!%p3 ld.u32 %r6, [%rd4]; @%p4 st.u32 [%rd4], %r2;" ;;
	races) flat for if "$only $base add.u32 %r6, %r1, %r2; @%p4 st.global.u32 [%rd5], %r6;" ;;
	once) flat for if "$only @%p4 ld.global.u32 %r6, [%rd1]; @!%p4 $sum" ;;
	marked) flat for if "$only @%p4 st.global.u32 [%rd1], %r7; @%p4 $sum @!%p4 ld.global.u32 %r6, [%rd1];" ;;
	raised) flat for if 'ld.global.u32 %r6, [%rd1];' "$one" ;;
	twice) flat for if "$one" "mad.lo.u32 %r6, %r2, 5, 2; st.global.u32 [%rd1], %r6;" ;;
	# all lanes read, then the one whose site is the first writes
	first) flat for if "$base $lone @%p4 ld.global.u32 %r6, [%rd5]; @%p4 ld.global.u32 %r6, [%rd5];" '@%p5 ld.global.u32 %r6, [%rd5]; @%p4 st.global.u32 [%rd5], %r2;' ;;
	atomics) flat for if "ld.global.u32 %r6, [%rd1]; $sum atom.global.cas.b32 %r6, [%rd1+8], 77, 5; ld.global.u32 %r6, [%rd1+8];" ;;
	swap) flat for if 'atom.global.cas.b32 %r6, [%rd1+8], 16843009, 5; ld.global.u32 %r6, [%rd1+8];' ;;
	shared) flat for if "$own" "$scratch $barrier" ;;
	moved) flat for if 'ld.shared.u32 %r6, [%r9];' "$barrier st.shared.u32 [%r9], %r2;" ;;
	wide) flat for if 'ld.global.v2.u64 {%rd4, %rd5}, [%rd1+16]; st.global.v2.u64 [%rd1+16], {%rd5, %rd2}; st.shared.u64 [s+8], %rd2;' ;;
	bytes) flat for if "$bytes ld.u8 %r6, [%rd1+8];" ;;
	local) flat for if '.local .align 4 .b8 l[64]; mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4; st.u32 [%rd4], %r2; ld.u32 %r6, [%rd4];' ;;
	call) flat for if '@%p2 call f, (%rd3);' ;;
	inner) nested for for-var "$row" ;;
	esac >"$dir/k.ptx"
}
only='setp.eq.u32 %p4, %r2, 1;' lone='setp.eq.u32 %p3, %r1, 1; setp.eq.u32 %p5, %r2, 1; setp.eq.and.u32 %p4, %r2, 1, %p3;' base='mul.wide.u32 %rd4, %r1, 256; sub.s64 %rd5, %rd1, %rd4;'
names='full pair own many header generic races once marked raised twice lanes first atomics swap shared moved wide bytes local call inner'
if [ "$program" ]; then
	not="' does not hold"
	scenario pair
	instrument
	found 'ccc: promise.cu:6: two iterations of the loop at promise.cu:3 access the same address, and one writes: the promise of '"'#pragma ccc for$not
ccc: promise.cu:6 and promise.cu:7: two iterations of the loop at promise.cu:3 access the same address, and one writes: the promise of '#pragma ccc for$not
ccc: 858 accesses in annotated loops checked, promises are broken" 1 1
	# blocks and launches do not conflict
	flat for if "$own" "$own" >"$dir/k.ptx"
	instrument
	found '*no broken promise found' 4 5
	flat for if "$more" "$more" >"$dir/k.ptx"
	instrument
	found 'ccc: 4752 accesses in annotated loops checked, no broken promise found' 4 1
	# a full table
	entries=3 instrument
	found 'ccc: 4752 accesses in annotated loops checked, no broken promise found; not everything was checked
ccc: the table had no room for 94[0-9][0-9] records: build with --ccc-check-promise=N, where N is more than 3' 4 1
	scenario call
	instrument
	found 'ccc: promise.cu:6: not checked, in the loop at promise.cu:3: a call, a copy, or an address that is no register
ccc: 0 accesses in annotated loops checked, no broken promise found; not everything was checked' 1 1
	for name in first swap wide moved once marked many; do
		scenario $name
		instrument
		found "*two iterations of the loop at promise.cu:3 *promises are broken*" 1 1
	done
	for name in own races; do
		scenario $name
		instrument
		found "*no broken promise found" 1 1
	done
	sed -i 's/sm_80/sm_60/' "$dir/k.ptx"
	instrument
	case $(cat "$dir/said") in
	*"nothing is checked: "*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)); echo "FAIL promise: sm_60: $(cat "$dir/said")" ;;
	esac

	# ptxas accepts the text.
	for arch in ${nvcc:+75 90 120}; do
		for name in atomics shared wide bytes call inner; do
			scenario $name
			sed -i "s/sm_80/sm_$arch/; s/^.version.*/.version 9.0/" "$dir/k.ptx"
			instrument
			if ptxas -arch=sm_$arch "$dir/checks.ptx" -o "$dir/checks.cubin" 2>"$dir/said"; then passed=$((passed + 1)); else
				failed=$((failed + 1)); echo "FAIL promise: ptxas, sm_$arch, $name: $(cat "$dir/said")"; fi
		done
	done
	[ "$nvcc" ] || skipped=$((skipped + 1))

	# The program's memory is the same as without the code, where lanes do not race.
	for name in $names; do
		case $name in lanes | first | races) continue ;; esac
		scenario $name
		instrument
		run 2 1
		mv "$dir/memory" "$dir/instrumented"
		cp "$dir/k.ptx" "$dir/checks.ptx"
		run 2 1
		if [ -s "$dir/memory" ] && cmp -s "$dir/memory" "$dir/instrumented"; then passed=$((passed + 1)); else
			failed=$((failed + 1)); echo "FAIL promise: $name: memory $(cat "$dir/memory"), instrumented $(cat "$dir/instrumented")"; fi
	done

	# An omitted line of the template is noticed, or marked.
	says() { # NAME OPTIONS: what the program says about a text
		scenario $1
		[ $1 = full ] && entries=3 || entries=
		shift
		rm -f "$dir/checks.ptx"
		instrument "$@"
		run 2 1 --limit 1000000
		cat "$dir/found"
	}
	for name in $names; do
		says $name >"$dir/says-$name"
		says $name | cmp -s - "$dir/says-$name" || echo "FAIL promise: $name: what it says differs each time" >>"$dir/differ"
	done
	[ ! -e "$dir/differ" ] || { failed=$((failed + 1)); cat "$dir/differ"; }
	line=0
	while IFS= read -r text; do
		line=$((line + 1))
		case $text in *CANNOT* | '#'* | '==='* | '') continue ;; esac
		for name in $names; do
			says $name --omit-line=promise.tpl:$line 2>&1 | cmp -s - "$dir/says-$name" || continue 2
		done
		failed=$((failed + 1))
		echo "FAIL promise: promise.tpl:$line is not noticed: $text"
	done <../../transform/instrument/promise.tpl
	passed=$((passed + 1))
fi
echo "promise: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
