#!/bin/sh
# SPDX-License-Identifier: MIT
# promise.sh: the check that iterations of annotated loops are independent. One loop, and one loop in a loop, with each kind of
# annotation and with clauses; each case either is reported, with both lines, or is not. Each thread has 64 private words.
set -u
cd "$(dirname "$0")" || exit 2
PTXRUN=$(cd ../.. && readlink -m "${B:-build}")/bin/ptxrun
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0

head='.version 8.3
.target sm_80
.address_size 64
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
	printf '$rest:\n\t.loc 1 7 3\n\t%s\n' "$4"
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

# arguments: the text; "none", or parts of the only message
check() { # NAME WANT
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
echo "promise: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
