#!/bin/sh
# SPDX-License-Identifier: MIT
# contention.sh: the issue slots of atomic operations that retry, are combined for the warp, or are guarded (simt/sass/README.md,
# "Atomic operations"), and fair scheduling of resident blocks. Each row gives the cost of an operation in a kernel of 32 lanes:
# warp and thread instructions, computed by hand.
set -u
cd "$(dirname "$0")/../.." || exit 2
part=contention
. tests/t.sh
PTXRUN=$(readlink -m "${B:-build}")/bin/ptxrun

# kernel BODY: %r7 is an address in shared memory, %rd3 one in global memory, private to each lane; %r8 and %rd1 are the same in all lanes.
kernel() {
	cat <<-END
	.version 8.6
	.target sm_90
	.address_size 64
	.shared .align 16 .b8 s[4096];
	.visible .entry k(.param .u64 o, .param .u32 n)
	{
	.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;
	ld.param.u64 %rd1, [o]; ld.param.u32 %r9, [n]; cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 32; add.s64 %rd3, %rd1, %rd2; mov.u32 %r8, s;
	shl.b32 %r2, %r1, 3; add.u32 %r7, %r8, %r2; setp.lt.u32 %p1, %r1, 10; setp.lt.u32 %p2, %r9, 100;
	and.b32 %r3, %r2, 56; add.u32 %r4, %r8, %r3; cvt.u64.u32 %rd4, %r1; cvta.shared.u64 %rd5, s; cvt.u64.u32 %rd6, %r2;
	add.u64 %rd5, %rd5, %rd6; and.b32 %r5, %r1, 30; shl.b32 %r5, %r5, 1; add.u32 %r5, %r8, %r5; shr.u32 %r6, %r1, 1; and.b32 %r10, %r1, 1;
	shl.b32 %r10, %r10, 1; add.u32 %r10, %r5, %r10; mov.b16 %h1, 0; mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0d3FF0000000000000;
	st.shared.u64 [%r7], %rd4; bar.sync 0;
	$1
	ret;
	}
	END
}
counts() {
	kernel "$1" >"$tmp/k.ptx"
	"$PTXRUN" "$tmp/k.ptx" k --block 32 --arg buf:4096 --arg u32:7 --quiet --counts --no-unwritten |
		sed -n 's/^warp instructions: //p; s/^thread instructions: //p' | tr '\n' ' '
}
none=$(counts "")
# adds WARP THREAD BODY
adds() {
	# shellcheck disable=SC2046,SC2086
	set -- "$1" "$2" "$3" $none $(counts "$3")
	echo "adds $(($6 - $4)) $(($7 - $5)) instead of $1 $2"
	[ "$(($6 - $4)) $(($7 - $5))" = "$1 $2" ]
}

t "a word per lane: BSSY, 5, BSYNC" adds 7 224 "red.shared.add.f32 [%r7], %f1;"
t "4 lanes per word: 4 iterations with 32, 24, 16, 8" adds 25 464 "red.shared.add.f32 [%r4], %f1;"
t "32 lanes per word" adds 193 2704 "red.shared.add.f32 [%r8], %f1;"
t "doubles: 6" adds 29 544 "red.shared.add.f64 [%r4], %fd1;"
t "64 bits: 7" adds 33 624 "red.shared.add.u64 [%r4], %rd4;"
t "a minimum that changes nothing: 4" adds 6 192 "red.shared.min.u64 [%r7], %rd4;"
t "maxima, a quarter too low: 4 of 8" adds 29 480 "red.shared.max.u64 [%r4], %rd4;"
t "pairs of halves" adds 25 464 "red.shared.add.noftz.f16x2 [%r4], %r1;"
t "halves, two per word: 5 once, 6, and 6 again" adds 20 512 "red.shared.add.noftz.f16 [%r10], %h1;"
t "a compare-and-swap of 16 bits: 5 and 8" adds 15 480 "atom.shared.cas.b16 %h2, [%r4], %h1, %h1;"
t "by a generic address: 9 around it" adds 16 512 "red.add.f32 [%rd5], %f1;"
t "which is one of global memory: 4" adds 4 128 "red.add.f32 [%rd3], %f1;"
t "floats in global memory" adds 1 32 "red.global.add.f32 [%rd1], %f1;"
t "words" adds 1 32 "atom.shared.add.u32 %r20, [%r7], 1;"
t "one counter: 11" adds 12 384 "atom.shared.add.u32 %r20, [%r8], 1; add.u32 %r20, %r20, %r20;"
t "the same in global memory" adds 12 384 "atom.global.add.u32 %r20, [%rd1], 1; add.u32 %r20, %r20, %r20;"
t "by 4" adds 13 416 "atom.global.add.u32 %r20, [%rd1], 4; add.u32 %r20, %r20, %r20;"
t "the result is unused" adds 6 192 "atom.global.add.u32 %r20, [%rd1], 1;"
t "in shared memory one instruction" adds 1 32 "atom.shared.add.u32 %r20, [%r8], 1;"
t "sums" adds 7 224 "red.global.add.u32 [%rd1], %r1;"
t "prefix sums, by shuffles" adds 27 864 "atom.global.add.u32 %r20, [%rd1], %r1; add.u32 %r20, %r20, %r20;"
t "maxima" adds 7 224 "red.shared.max.s32 [%r8], %r1;"
t "exchange" adds 1 32 "atom.global.exch.b32 %r20, [%rd1], %r1;"
t "a guard: BSSY, BRA, one for 10 lanes, two at the BSYNC" adds 5 106 "@%p1 red.global.add.f32 [%rd3], %f1;"
t "a uniform guard: BRA" adds 2 64 "@%p2 red.global.add.f32 [%rd3], %f1;"
t "a uniform guard that is false" adds 1 32 "@!%p2 red.global.add.f32 [%rd3], %f1;"
t "a guard over a loop shares its BSYNC" adds 9 146 "@%p1 red.shared.add.f32 [%r7], %f1;"
t "10 lanes in 8 words: 2 iterations, three arrive at the BSYNC" adds 15 156 "@%p1 red.shared.add.f32 [%r4], %f1;"
t "a used result: a separate BSSY and BSYNC" adds 12 198 "@%p1 atom.shared.add.f32 %f2, [%r7], %f1; add.f32 %f2, %f2, %f2;"
t "an if whose end is the loop's" adds 10 178 "@!%p1 bra l; red.shared.add.f32 [%r7], %f1; l: add.u32 %r20, %r8, %r8;"
t "10 lanes in 8 words, in an if" adds 16 188 "@!%p1 bra l; red.shared.add.f32 [%r4], %f1; l: add.u32 %r20, %r8, %r8;"

# ---- concurrent blocks ------------------------------------------------------------------------------------------------------
# Each block counts the tickets that it takes out of 200,000.
cat >"$tmp/take.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 next, .param .u64 took)
{
	.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [next]; ld.param.u64 %rd2, [took];
	mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; mov.u32 %r2, 0;
l:	atom.global.add.u32 %r3, [%rd1], 1;
	setp.ge.u32 %p1, %r3, 200000; @%p1 bra e;
	add.u32 %r2, %r2, 1; bra l;
e:	st.global.u32 [%rd4], %r2; ret;
}
.visible .entry flag(.param .u64 at)
{
	.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [at];
	mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra l;
	st.release.gpu.global.u32 [%rd1], %r1; ret;
l:	ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra l;
	ret;
}
END
shares() {
	"$PTXRUN" "$tmp/take.ptx" k --grid 4 --block 1 --arg buf:4 --arg buf:16 --dump 4 >"$tmp/out" 2>&1 || return
	for n in $(sed -n '/^arg 2/,$s/^  //p' "$tmp/out"); do
		if [ $((0x$n)) -lt 48000 ] || [ $((0x$n)) -gt 52000 ]; then
			echo "0x$n"
			return 1
		fi
	done
}
t "blocks share a counter's tickets" shares
t "a block may wait for a later one" "$PTXRUN" "$tmp/take.ptx" flag --grid 2 --block 1 --arg buf:4 --limit 100000 --quiet
finish
