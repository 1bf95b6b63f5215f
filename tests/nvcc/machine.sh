#!/bin/sh
# SPDX-License-Identifier: MIT
# machine.sh: the emulator's rules for branches agree with ptxas (simt/sass/README.md). In
# small kernels, ptxrun counts a branch where ptxas emits one, and none where ptxas predicates; the number of BSSY
# instructions is as stated in each case ("any": unspecified). Instructions that ptxas expands are counted as approximately
# that many, including atomic operations. ARCHS: architectures (sm_90). Needs ptxas.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
. tests/cuda.sh
if ! command -v ptxas >/dev/null; then
	echo "machine: 0 passed, 0 failed, 1 skipped"
	exit 0
fi
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0

# repeat N TEXT: TEXT, N times, with # replaced by the number of the repetition.
repeat() {
	n=0
	while [ $n -lt "$1" ]; do
		printf '%s\n' "$2" | sed "s/#/$n/g"
		n=$((n + 1))
	done
}

kernel() {
	cat <<-END
	.version 8.0
	.target $arch
	.address_size 64
	.shared .align 16 .b8 s[4096];
	.visible .entry k(.param .u64 o, .param .u32 n)
	{
	.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<9>; .reg .f64 %fd<9>;
	ld.param.u64 %rd1, [o]; ld.param.u32 %r9, [n]; cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 32; add.s64 %rd3, %rd1, %rd2; mov.u32 %r8, s;
	ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [%rd3+4]; ld.global.u32 %r4, [%rd3+8]; ld.global.f64 %fd1, [%rd3+16];
	setp.lt.u32 %p1, %r2, 100; setp.lt.u32 %p3, %r9, 100;
	$1
	st.global.u32 [%rd3+4], %r3; st.global.f64 [%rd3+16], %fd1;
	ret;
	}
	END
}

# An instruction's low 12 bits are its opcode (0x947 BRA, 0x945 BSSY), the next four its guard (7: always).
# try NAME BSSY BODY: BODY for each architecture.
try() {
	for arch in ${ARCHS:-sm_90}; do
		kernel "$3" >"$dir/k.ptx"
		if ! ptxas -arch=$arch -o "$dir/k.cubin" "$dir/k.ptx"; then
			echo "FAIL $1: ptxas"
			failed=$((failed + 1))
			continue
		fi
		"$B/tests/fatbin_main" -code "$dir/k.cubin" >"$dir/code"
		branches=$(grep -c '^............[^7]947 ' "$dir/code")
		bssy=$(grep -c '^.............945 ' "$dir/code")
		"$B/bin/ptxrun" "$dir/k.ptx" k --block 32 --arg buf:4096 --arg u32:7 --quiet --counts --limit 100000 >"$dir/counts" 2>&1
		counted=$(sed -n 's/^branches: \([0-9]*\),.*/\1/p' "$dir/counts")
		if [ $((branches > 0)) = $((counted > 0)) ] && { [ "$2" = any ] || [ "$bssy" = "$2" ]; }; then
			passed=$((passed + 1))
		else
			echo "FAIL $1, $arch: $branches branches and $bssy BSSY, instead of $2; $counted branches in ptxrun"
			failed=$((failed + 1))
		fi
	done
}

mad='mad.lo.u32 %r3, %r3, %r4, %r1;'
load="ld.global.u32 %r4, [%rd1+1#48]; $mad"
red='red.global.add.u32 [%rd3], %r4;'
try "8 integer" 0 "@%p1 bra b; $(repeat 8 "$mad") b:"
try "9 integer" 1 "@%p1 bra b; $(repeat 9 "$mad") b:"
try "8 double" 0 "@%p1 bra b; $(repeat 8 'fma.rn.f64 %fd1, %fd1, %fd1, %fd1;') b:"
try "9 double" 1 "@%p1 bra b; $(repeat 9 'fma.rn.f64 %fd1, %fd1, %fd1, %fd1;') b:"
try "8 stores" 0 "@%p1 bra b; $(repeat 8 'st.global.u32 [%rd3+1#48], %r4;') b:"
try "9 stores" any "@%p1 bra b; $(repeat 9 'st.global.u32 [%rd3+1#48], %r4;') b:"
try "8 stores to shared memory" 0 "@%p1 bra b; $(repeat 8 'st.shared.u32 [%r8+1#0], %r4;') b:"
try "a load of shared memory, 7" 0 "@%p1 bra b; ld.shared.u32 %r4, [%r8]; $(repeat 7 "$mad") b:"
try "a load of shared memory, 8" 1 "@%p1 bra b; ld.shared.u32 %r4, [%r8]; $(repeat 8 "$mad") b:"
try "9 loads, 9 integer" 0 "@%p1 bra b; $(repeat 9 "$load") b:"
try "11 loads, 11 integer" 1 "@%p1 bra b; $(repeat 11 "$load") b:"
try "a load by a generic address, 19" 0 "@%p1 bra b; ld.u32 %r4, [%rd3+20000]; $(repeat 19 "$mad") b:"
try "a load by a generic address, 20" 1 "@%p1 bra b; ld.u32 %r4, [%rd3+20000]; $(repeat 20 "$mad") b:"
try "an atomic operation" 1 "@%p1 bra b; $red b:"
try "a fence" 1 "@%p1 bra b; membar.gl; b:"
try "a vote" any "@%p1 bra b; vote.sync.ballot.b32 %r3, %p3, -1; b:"
try "a barrier of the warp" any "@%p1 bra b; bar.warp.sync -1; b:"
try "a guard inside" 0 "@%p1 bra b; setp.lt.u32 %p2, %r3, %r4; @%p2 $mad b:"
try "6, uniform" 0 "@%p3 bra b; $(repeat 6 "$mad") b:"
try "7, uniform" 0 "@%p3 bra b; $(repeat 7 "$mad") b:"
try "an atomic operation, uniform" 0 "@%p3 bra b; $red b:"
try "an atomic operation with a guard" 1 "@%p1 $red"
try "one in shared memory" 1 "@%p1 atom.shared.add.u32 %r3, [%r8], %r4;"
try "one with a uniform guard" 0 "@%p3 $red"
own='shl.b32 %r7, %r1, 3; add.u32 %r7, %r7, %r8;'
try "one that is a loop with its guard" 1 "$own @%p1 red.shared.add.f32 [%r7], %r4; bar.sync 0;"
try "one that is a loop whose result is used" 2 "$own @%p1 atom.shared.add.f32 %r3, [%r7], %r4;"
try "one that is a loop at the end of an if" 1 "$own @%p1 bra b; red.shared.add.f32 [%r7], %r4; b: bar.sync 0;"
try "7, else 8" 0 "@%p1 bra a; $(repeat 7 "$mad") bra.uni b; a: $(repeat 8 "$mad") b:"
try "8, else 8" 1 "@%p1 bra a; $(repeat 8 "$mad") bra.uni b; a: $(repeat 8 "$mad") b:"
try "7, else 9" 1 "@%p1 bra a; $(repeat 7 "$mad") bra.uni b; a: $(repeat 9 "$mad") b:"
try "an if inside" 1 "@%p1 bra b; $mad setp.lt.u32 %p2, %r3, %r4; @%p2 bra a; $mad a: $mad b:"
try "two ifs, one end" 1 "@%p1 bra b; $red setp.lt.u32 %p2, %r3, %r4; @%p2 bra b; $red b:"
try "two ifs, two ends" 2 "@%p1 bra b; $red setp.lt.u32 %p2, %r3, %r4; @%p2 bra a; $red a: $red b:"
try "a loop" 1 "l: $red add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r4; @%p2 bra l;"
try "a loop with two ends that meet" 1 \
	"l: $red add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, %r1; @%p2 bra b; setp.lt.u32 %p4, %r3, %r4; @%p4 bra l; b:"
try "an if in a loop" 2 "l: add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, 9; @%p2 bra b; $red b: setp.lt.u32 %p4, %r3, %r4; @%p4 bra l;"
try "a break in an arm" 2 \
	"l: add.u32 %r3, %r3, 1; @%p1 bra a; $red bra.uni b; a: $red setp.eq.u32 %p2, %r3, 9; @%p2 bra e; $red b: setp.lt.u32 %p4, %r3, %r4; @%p4 bra l; e:"
try "a loop in a loop, one of whose exits leaves both" 2 \
	"q: $red i: add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, %r1; @%p2 bra h; setp.lt.u32 %p4, %r3, %r4; @%p4 bra i; bra.uni e; h: $red setp.lt.u32 %p5, %r3, %r2; @%p5 bra q; e:"
try "two ways to the next iteration" 2 \
	"l: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r4; @%p1 bra a; $red @%p2 bra l; bra.uni e; a: $(repeat 9 "$mad") @%p2 bra l; e:"
try "a last exit with code, and one past it" 2 \
	"l: $red add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, %r1; @%p2 bra e; setp.lt.u32 %p4, %r3, %r4; @%p4 bra l; $red e:"
try "an if in a uniform loop" 1 "l: add.u32 %r9, %r9, 1; @%p1 bra b; $red b: setp.lt.u32 %p4, %r9, 99; @%p4 bra l;"
try "return" 0 "@%p1 bra b; $(repeat 6 "$mad") st.global.u32 [%rd3], %r3; ret; b:"
# lengths BODY: the instructions before the first EXIT that all lanes reach, and those that ptxrun counts.
lengths() {
	kernel "$1" >"$dir/k.ptx"
	ptxas -arch=$arch -o "$dir/k.cubin" "$dir/k.ptx" && "$B/tests/fatbin_main" -code "$dir/k.cubin" >"$dir/code" || return 1
	echo "$(sed '/^............794d /,$d' "$dir/code" | grep -c .)" \
		"$("$B/bin/ptxrun" "$dir/k.ptx" k --block 32 --arg buf:4096:rand:1 --arg u32:7 --quiet --counts --no-unwritten | sed -n 's/^warp instructions: //p')"
}

# several INSTRUCTION: with 32-bit words %r2 and %r4, or a double. A difference of six allows for the call that ordinary values skip.
several() {
	for arch in ${ARCHS:-sm_90}; do
		case $1 in *64*) use='mov.b64 %rd4, %fd1; mov.b64 %rd5, %fd1;' end='mov.b64 %fd1, %rd6;' ;; *) use= end= ;; esac
		# shellcheck disable=SC2046
		set -- "$1" $(lengths "$use mov.u64 %rd6, %rd4; mov.u32 %r3, %r2; $end") $(lengths "$use $1 $end")
		ptxas=$(($4 - $2)) counted=$(($5 - $3)) off=$(($4 - $2 - $5 + $3))
		if [ "$counted" -gt 1 ] && [ "${off#-}" -le 6 ]; then
			passed=$((passed + 1))
		else
			echo "FAIL $1, $arch: $ptxas instructions, $counted in ptxrun"
			failed=$((failed + 1))
		fi
	done
}

several 'div.u32 %r3, %r2, %r4;'
several 'div.s32 %r3, %r2, %r4;'
several 'rem.u32 %r3, %r2, %r4;'
several 'div.rn.f32 %r3, %r2, %r4;'
several 'sqrt.rn.f32 %r3, %r2;'
several 'rsqrt.approx.f32 %r3, %r2;'
several 'ex2.approx.f32 %r3, %r2;'
several 'mul.lo.u64 %rd6, %rd4, %rd5;'
several 'min.s64 %rd6, %rd4, %rd1;'
# atomic LEAST INSTRUCTION: with a lane's own word, %r7, or one shared by all, %r8 and %rd1. ptxrun must count at least LEAST, and as
# many as ptxas emits, within 4 for the instructions that prepare the operands.
atomic() {
	for arch in ${ARCHS:-sm_90}; do
		place="$own st.shared.u64 [%r7], 0x7fffffffffffffff; mov.b64 %rd4, %fd1; bar.sync 0;" end='add.u32 %r3, %r3, %r7; mov.b64 %fd1, %rd4;'
		# shellcheck disable=SC2046
		set -- "$1" "$2" $(lengths "$place $end") $(lengths "$place $2 $end")
		ptxas=$(($5 - $3)) counted=$(($6 - $4)) off=$(($5 - $3 - $6 + $4))
		if [ $counted -ge "$1" ] && [ "${off#-}" -le 4 ]; then
			passed=$((passed + 1))
		else
			echo "FAIL $2, $arch: $ptxas instructions, $counted in ptxrun"
			failed=$((failed + 1))
		fi
	done
}

# later INSTRUCTION: the same, but not for sm_75, which does not have the instruction in this form.
later() {
	all=${ARCHS:-sm_90}
	ARCHS=$(echo "$all" | tr ' ' '\n' | grep -v sm_75)
	atomic "$@"
	ARCHS=$all
}

atomic 7 'red.shared.add.f32 [%r7], %r2;'
atomic 8 'red.shared.add.f64 [%r7], %fd1;'
atomic 9 'red.shared.add.u64 [%r7], %rd4;'
atomic 9 'atom.shared.xor.b64 %rd4, [%r7], %rd4;'
atomic 10 'red.shared.min.s64 [%r7], %rd4;'
atomic 1 'red.shared.min.s32 [%r7], %r2;'
atomic 1 'atom.shared.exch.b64 %rd4, [%r7], %rd4;'
atomic 11 'atom.shared.add.u32 %r3, [%r8], 1;'
atomic 11 'atom.global.add.u32 %r3, [%rd1], 1;'
atomic 12 'atom.global.add.u32 %r3, [%rd1], %r9;'
atomic 26 'atom.global.add.u32 %r3, [%rd1], %r2;'
atomic 6 'red.global.add.u32 [%rd1], 1;'
later 1 'red.shared.add.u32 [%r8], 1;'
later 7 'red.global.add.u32 [%rd1], %r2;'
later 7 'red.shared.max.u32 [%r8], %r2;'
atomic 1 'atom.global.max.u32 %r3, [%rd1], %r2;'
atomic 19 'atom.global.add.u64 %rd4, [%rd1], 1;'
atomic 12 'red.global.add.u64 [%rd1], 1;'
atomic 1 'red.global.add.u64 [%rd1], %rd4;'
echo "machine: $passed passed, $failed failed"
[ $failed = 0 ]
