#!/bin/sh
# SPDX-License-Identifier: MIT
# options.sh: ptxrun's options that select kernels and reports: kernels by name, --keep-going, --suppress, interrupts, the
# progress line.
set -u
cd "$(dirname "$0")/../.." || exit 2
part=options
. tests/t.sh
PTXRUN=$(readlink -m "${B:-build}")/bin/ptxrun
blocks=tests/simt/blocks.ptx
out=$tmp/out err=$tmp/err
run() { "$PTXRUN" "$@" >"$out" 2>"$err"; }
is() { # STATUS COMMAND...: checks the exit status
	want=$1
	shift
	"$@"
	got=$?
	cat "$err"
	[ $got = "$want" ]
}

# ---- kernels by name --------------------------------------------------------------------------------------------------------
cat >"$tmp/names.ptx" <<'END'
.version 8.3
.target sm_80
.address_size 64
.visible .entry _ZN5graph5visitILi4EEEvPi() { ret; }
.visible .entry _ZN5graph5visitILi8EEEvPi() { ret; }
.visible .entry _Z5scaleif() { ret; }
.visible .entry _Z9scale_allif() { ret; }
END
names() { is "$1" run "$tmp/names.ptx" "$2" --block 1; }
t "by the name in the PTX" names 0 _ZN5graph5visitILi4EEEvPi
t "by the name in the source" names 0 'graph::visit<4>'
cat >"$tmp/lambdas.ptx" <<'END'
.version 8.3
.target sm_80
.address_size 64
.visible .entry _Z4eachIZ4mainEUliE_EviT_() { ret; }
.visible .entry _Z4eachIZ4mainEUliE0_EviT_() { ret; }
.visible .entry _Z4eachIZN2ns3runEPiEUliE_EviT_() { ret; }
.visible .entry _Z3runI17__nv_dl_wrapper_tI11__nv_dl_tagIPFivEXadL_Z4mainEELj1EEJPiEEEvT_i() { ret; }
.visible .entry _Z3oneIZN2ns1SIiE1fEPS1_EUlS2_E_EvT_() { ret; }
END
lambdas() { is 2 run "$tmp/lambdas.ptx" nothing && [ "$(sed -n 's/^  [^ ]*  //p' "$err")" = 'each<main::lambda#1>
each<main::lambda#2>
each<ns::run::lambda#1>
run<__nv_dl_wrapper_t<__nv_dl_tag<int()*, &main, 1>, int*>>
one<ns::S<int>::f::lambda#1>' ]; }
t "kernels of lambdas" lambdas
t "one of them" is 0 run "$tmp/lambdas.ptx" 'each<main::lambda#2>' --block 1
t "a whole name takes precedence over a prefix" names 0 scale
t "by the only name with this prefix" names 0 scale_
t "by a prefix of the name in the PTX" names 0 _Z9
t "by one of two" names 2 graph::visit
t "which are listed" grep -q '_ZN5graph5visitILi8EEEvPi  graph::visit<8>' "$err"
t "and no others" [ "$(wc -l <"$err")" = 3 ]
t "by none" names 2 nothing
t "all are listed" [ "$(wc -l <"$err")" = 5 ]

# ---- what is no kernel of a module -----------------------------------------------------------------------------------------
cat >"$tmp/params.ptx" <<'END'
.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_0, .param .u32 k_1, .param .f32 k_2, .param .align 4 .b8 k_3[12]) { ret; }
END
t "too few arguments" is 2 run "$tmp/params.ptx" k --arg u32:1
t "the parameters are listed" [ "$(sed -n 's/^  parameter //p' "$err")" = "1, k_0: --arg buf:BYTES or u64:VALUE
2, k_1: --arg u32:VALUE
3, k_2: --arg f32:VALUE
4, k_3: --arg u32:VALUE ... (12 bytes in parts)" ]
t "no kernel" is 2 run "$tmp/params.ptx"
t "is named" grep -q "no kernel is named of '$tmp/params.ptx'" "$err"
t "nothing" is 2 run
t "to run" grep -q "name a module and a kernel, or a program after '--'" "$err"
t "CUDA source" is 2 run "$tmp/k.cu" k
t "is compiled first" grep -q "'$tmp/k.cu' is CUDA source; compile it, and run the program: cccnvcc -o prog $tmp/k.cu && ptxrun -- ./prog" "$err"
t "an executable" is 2 run "$PTXRUN"
t "is run after --" grep -q "'$PTXRUN' is a program; run it with: ptxrun -- $PTXRUN" "$err"
echo '#!/bin/sh' >"$tmp/script"
named() { (cd "$tmp" && is 2 run script argument --unknown) && grep -q "run it with: ptxrun -- ./script" "$err"; }
t "a script, with arguments of its own" named

# ---- --keep-going -----------------------------------------------------------------------------------------------------------
words() { od -An -v -tu4 -w4 "$tmp/2" | tr -d ' ' | sort -n | uniq -c | tr -s ' \n' ' '; }
stops() { is 1 run $blocks stops --grid 9 --arg buf:4096:index --arg buf:1152 --save "$tmp/" "$@" && [ "$(grep -c error: "$err")" = 1 ]; }
t "a fault ends the launch" stops
t "later blocks do not run" [ "$(words)" = " 128 0 160 7 " ]
t "--keep-going: it ends its block" stops --keep-going
t "the other blocks run" [ "$(words)" = " 32 0 256 7 " ]
t "they also run under a random schedule" stops --keep-going --sched=random --seed=3
t "all except one" [ "$(words)" = " 32 0 256 7 " ]
t "--limit ends the launch nevertheless" is 1 run $blocks apart --grid 9 --arg buf:4096 --arg buf:4096 --limit 1000 --keep-going
t "schedules after one that fails" is 1 run $blocks stops --grid 9 --arg buf:4096:index --arg buf:4096 --keep-going --seeds 3
t "are run" [ "$(grep -c -e '--seed=' "$err")" = 3 ]

# ---- what was checked -------------------------------------------------------------------------------------------------------
checked() { is 0 run "$tmp/names.ptx" scale_ --block 1 "$@" && cat "$err"; }
t "random schedules are counted" grep -qx 'ptxrun: checked: 1 launch, and again under 3 random schedules: equal memory, no faults' <<END
$(checked --seeds 3)
END
t "nothing is said of one schedule" [ -z "$(checked)" ]
t "nor with --quiet" [ -z "$(checked --seeds 3 --quiet)" ]
# Each schedule starts with the variables' initial values and without what was reported before.
cat >"$tmp/variable.ptx" <<'END'
.version 8.3
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry k(.param .u64 k_out) {
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [k_out];
	atom.global.add.u32 %r1, [counter], 1;
	st.global.u32 [%rd1], %r1;
	ret;
}
END
sed 's/counter\]/%rd1]/; /^\.global/d' "$tmp/variable.ptx" >"$tmp/buffer.ptx"
for f in variable buffer; do
	t "schedules start with $f" is 0 run "$tmp/$f.ptx" k --block 1 --block 1 --arg buf:4 --seeds 3
done
# A loop whose promise was checked counts if it was executed.
cat >"$tmp/guarded.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64

.visible .entry k(.param .u64 a, .param .u32 n)
{
	.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	setp.eq.u32 %p3, %r1, 0;
	@%p3 bra $end;
	mov.u32 %r2, 1;
	// begin inline asm
	// .ccc begin for 0 "promise.cu":3
	// end inline asm
$loop:
	// begin inline asm
	// .ccc begin iteration 0
	// end inline asm
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, 11;
	@%p2 bra $loop;
	// begin inline asm
	// .ccc end for 0
	// end inline asm
$end:
	ret;
}
END
promised() { is 0 run "$tmp/guarded.ptx" k --block 32 --arg buf:4096 --arg s32:"$1" --seeds 1 >&2 && sed -n 's/.*equal memory, no faults//p' "$err"; }
t "an executed loop" [ "$(promised 1)" = "; memory accesses of 1 annotated loop: independent" ]
t "a loop that was not executed" [ "$(promised 0)" = "" ]

# ---- reconvergence --------------------------------------------------------------------------------------------------------------
run tests/simt/breaks.ptx k --block 32 --arg buf:4096 --quiet --lines=ptx
t "lanes that leave a loop in an arm do not keep the others apart" [ "$(awk '/add.u32 %r2, %r2, 1;/ { print $1, $3 }' "$out")" = "10 96.9%" ]
t "and meet them after the loop" [ "$(awk '/mul.wide.u32 %rd2/ { print $1, $3 }' "$out")" = "1 100.0%" ]
# exits KERNEL: the executions of each red with their active lanes; a red is six instructions
exits() {
	run tests/simt/exits.ptx $1 --block 32 --arg buf:4096 --quiet --lines=ptx
	awk '/red.global/ { printf "%d %s ", $1 / 6, $3 }' "$out"
}
t "lanes that leave both loops do not keep others from waiting after the inner one" [ "$(exits nested)" = "40 61.2% 10 97.2% 1 100.0% " ]
t "lanes wait for each other where exits of a loop to different loops meet" [ "$(exits levels)" = "30 58.3% 30 33.3% 10 100.0% 1 100.0% " ]
t "lanes that continue in different places wait at the end of the iteration" [ "$(exits latches)" = "10 100.0% 10 50.0% 10 50.0% 1 100.0% " ]
t "lanes wait at the last exit of a loop for others past whose exits it is" [ "$(exits last)" = "7 77.2% 1 67.8% 1 100.0% " ]

# ---- launches that are small for a task loop --------------------------------------------------------------------------------
# G is 3 in the first text. In the second one, it is 2 for each multiprocessor; in the third, it depends on the block's size too.
tasks() { "$(dirname "$PTXRUN")/ptxccc" --policy=stack "$@" tests/golden/tasks.ptx 2>/dev/null; }
tasks --sms=3 --grid-blocks=1 >"$tmp/fixed.ptx"
tasks --grid-blocks=2 >"$tmp/two.ptx"
tasks >"$tmp/resident.ptx"
few() { # FILE BLOCKS OPTION...: prints the tasks, and the threads that stay, if the launch has few tasks for them
	file=$1 blocks=$2
	shift 2
	run "$file" one_task --grid "$blocks" --block "${block:-128}" --arg u32:4000 --arg buf:65536:index --arg buf:65536 --counts "$@"
	sed -n "s/^ptxrun: note: 'one_task' has \([0-9]*\) tasks for the \([0-9]*\) threads that stay in its task loop on [0-9]* multiprocessors*: .*/\1 \2/p" "$err"
}
t "few tasks" [ "$(few "$tmp/fixed.ptx" 11)" = "1408 384" ]
t "enough tasks" [ -z "$(few "$tmp/fixed.ptx" 12)" ]
t "fewer tasks than threads that could stay" [ "$(few "$tmp/fixed.ptx" 2)" = "256 256" ]
t "few for a block of partial warps" [ "$(block=50 few "$tmp/fixed.ptx" 11)" = "550 150" ]
t "few for one multiprocessor" [ "$(few "$tmp/two.ptx" 7)" = "896 256" ]
t "enough for it" [ -z "$(few "$tmp/two.ptx" 8)" ]
t "its number is named" grep -q -x "ptxrun: note: 'one_task' has a task loop and ran on 1 multiprocessor: its counts are for launches N times as large on a GPU with N (--sms N)" "$err"
t "a number was given" [ -z "$(few "$tmp/two.ptx" 8 --sms 1; grep 'has a task loop' "$err")" ]
t "few for three" [ "$(few "$tmp/two.ptx" 23 --sms 3)" = "2944 768" ]
t "enough for them" [ -z "$(few "$tmp/two.ptx" 24 --sms 3)" ]
t "no more than the target's largest GPU has" [ "$(few "$tmp/two.ptx" 300 --sms 1000)" = "38400 $((108 * 2 * 128))" ]
t "few for resident blocks" [ "$(few "$tmp/resident.ptx" 20)" = "2560 $(sed -n "s|^.*ccc: of the launch's blocks the first min(\([0-9]*\), \([0-9]*\) / warps of a block) \* multiprocessors (at most 108) .*|\1 \2|p" "$tmp/resident.ptx" | awk 'NR == 1 { n = int($2 / 4); print 128 * (n < $1 ? n : $1) }')" ]
t "a policy that collects no tasks" [ -z "$(tasks --sms=3 --grid-blocks=1 --policy=wait >"$tmp/wait.ptx"; few "$tmp/wait.ptx" 11)" ]
t "it has a task loop" grep -q -x "ptxrun: note: 'one_task' has a task loop and ran on 1 multiprocessor: .*" "$err"
t "the original" [ -z "$(few tests/golden/tasks.ptx 11; grep note: "$err")" ]

# ---- --suppress ---------------------------------------------------------------------------------------------------------------
same() { # STATUS LINE
	printf '# a comment\n\n%s\n' "$2" >"$tmp/known"
	is "$1" run $blocks same --grid 9 --arg buf:4096 --arg buf:4096 --suppress "$tmp/known" --quiet
}
line=$(run $blocks same --grid 9 --arg buf:4096 --arg buf:4096; sed -n 's/^tests.simt.blocks.ptx:\([0-9]*\):.*/\1/p' "$err")
t "a race, by kind" same 0 race
t "by kernel" same 0 "race s?me"
t "by line" same 0 "* * blocks.ptx:$line"
t "by the path" same 0 "race * tests/*.ptx:$line # known"
t "not another kind" same 1 unwritten
t "not another kernel" same 1 "race sam"
t "not another line" same 1 "race * blocks.ptx:1$line"
t "a word that is not known" same 2 "rase"
t "an invalid line is reported with its number" grep -q "$tmp/known:3: not 'race'" "$err"
t "a file that is not there" is 2 run $blocks same --suppress "$tmp/none"
printf '*\n' >"$tmp/known"
t "an error that stops the kernel is reported" is 1 run $blocks stops --grid 9 --arg buf:4096 --arg buf:4096 --suppress "$tmp/known"

# ---- an interrupt, and the line on a terminal -----------------------------------------------------------------------------------
# A shell starts background commands, as all tests may be, with SIGINT ignored: it is set to its default.
if command -v python3 >/dev/null 2>&1; then
	cat >"$tmp/long.py" <<'END'
import os, pty, re, signal, subprocess, sys, time
command = sys.argv[2:] + ["--grid", "60000", "--block", "256", "--arg", "buf:61440000", "--arg", "buf:61440000", "--counts"]
master, slave = pty.openpty()
terminal = sys.argv[1] == "terminal"
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave if terminal else subprocess.PIPE)
time.sleep(6 if terminal else 2)
p.send_signal(signal.SIGINT)
out = p.communicate()
text = (os.read(master, 1 << 16) if terminal else out[1]).decode()
print(p.returncode, repr(text), out[0].decode())
assert p.returncode == 130
assert re.search(r"ptxrun: interrupted in apart, at block [1-9]\d* of 60000: numbers are of what ran", text)
assert bool(re.search(r"\r\x1b\[Kptxrun: apart: block [1-9]\d* of 60000", text)) == terminal
assert re.search(r"warp instructions: [1-9]", out[0].decode())
END
	for n in 1 3; do t "an interrupt, by $n threads" python3 "$tmp/long.py" pipe "$PTXRUN" $blocks apart --threads $n; done
	t "a line on the terminal" python3 "$tmp/long.py" terminal "$PTXRUN" $blocks apart
else
	skipped=$((skipped + 3))
fi
finish
