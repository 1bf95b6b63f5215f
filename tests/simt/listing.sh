#!/bin/sh
# SPDX-License-Identifier: MIT
# listing.sh: ptxrun --ptxas counts instructions as in a listing of machine code. Tested with stand-ins for ptxas and
# nvdisasm, the latter of which prints listing.txt; with the toolkit, if there is one; and the message if there is none.
set -u
cd "$(dirname "$0")/../.." || exit 2
part=listing
. tests/t.sh
PTXRUN=$(readlink -m "${B:-build}")/bin/ptxrun
out=$tmp/out err=$tmp/err
data=real
# run OPTIONS...: the kernel, on two warps; warp and thread instructions are in $got.
run() {
	"$PTXRUN" tests/simt/listing.ptx k --block 64 --arg buf:256:$data --arg u32:50 --quiet --counts "$@" >"$out" 2>"$err"
	status=$?
	got=$(sed -n 's/^\(warp\|thread\) instructions: //p' "$out" | tr '\n' ' ')
	[ $status = 0 ]
}
counts() { # WARP THREAD OPTIONS...
	want="$1 $2 "
	shift 2
	run "$@"
	echo "$got, not $want"
	cat "$err"
	[ "$got" = "$want" ]
}
says() { # TEXT OPTIONS...: the message, and counting by rules
	text=$1
	shift
	run "$@"
	cat "$err"
	[ "$got" = "$rules" ] && grep -q -F -e "$text" "$err"
}
line() { # N WARP: WARP warp instructions are counted on line N of the PTX
	run --ptxas="$tmp/tools/ptxas" --lines=ptx
	awk -v line=":$1," -v n="$2" '{ at = $0; sub(/.*listing\.ptx:/, ":", at); sub(/  .*/, ",", at) } at == line { print; found = $1 == n } END { exit !found }' "$out"
}

# ---- stand-ins -----------------------------------------------------------------------------------------------------------------
mkdir "$tmp/tools" "$tmp/bad" "$tmp/half"
cat >"$tmp/tools/ptxas" <<'END'
#!/bin/sh
echo "$@" >"${0%/*}/asked"
END
cat >"$tmp/tools/nvdisasm" <<END
#!/bin/sh
cat "$PWD/tests/simt/listing.txt"
END
printf '#!/bin/sh\necho "ptxas fatal: no" >&2\nexit 1\n' >"$tmp/bad/ptxas"
printf '#!/bin/sh\n' >"$tmp/half/ptxas"
printf '#!/bin/sh\necho nothing\n' >"$tmp/half/nvdisasm"
chmod +x "$tmp"/*/*

t "rules count without the option" run
rules=$got
t "the listing counts" counts 458 5336 --ptxas="$tmp/tools/ptxas"
t "ptxas is asked for the PTX's architecture, and for lines" grep -q -e '-arch=sm_80 -lineinfo ' "$tmp/tools/asked"
t "a division counts as the instructions for ordinary values" line 29 160
data=zero
t "by zero, the slow path and its routine count as well" line 29 180
data=real
t "a predicated instruction counts with all lanes" line 36 18
t "a hoisted instruction counts at its new place" line 19 4
t "the same memory" eval '
	"$PTXRUN" tests/simt/listing.ptx k --block 64 --arg buf:256:real --arg u32:50 >"$tmp/a"
	"$PTXRUN" tests/simt/listing.ptx k --block 64 --arg buf:256:real --arg u32:50 --ptxas="$tmp/tools/ptxas" >"$tmp/b"
	cmp "$tmp/a" "$tmp/b"'

# ---- an unrolled loop ----------------------------------------------------------------------------------------------------------
# Lanes with 0 to 7 iterations. In each of the two warps, the loop of four runs once, for lanes with 4 or more; then two iterations for those
# with 2, 3, 6, 7; then one for those with an odd number. Each has as many loads as iterations, the second two copies before them.
mkdir "$tmp/unrolled"
cp "$tmp/tools/ptxas" "$tmp/unrolled"
printf '#!/bin/sh\ncat "%s/tests/simt/unrolled.txt"\n' "$PWD" >"$tmp/unrolled/nvdisasm"
chmod +x "$tmp/unrolled/nvdisasm"
of_unrolled() { # LINE WARP LANES: WARP warp instructions are counted on that line of the PTX, with that share of active lanes
	"$PTXRUN" tests/simt/unrolled.ptx k --block 64 --arg buf:2048:real --quiet --counts --lines=ptx --ptxas="$tmp/unrolled/ptxas" >"$out" 2>&1
	grep "unrolled.ptx:$1 " "$out"
	grep -q "^ *$2 .* $3  .*unrolled.ptx:$1 " "$out"
}
t "an unrolled loop counts its executions, and the remainder" of_unrolled 25 18 50.0%
t "the loop counter is updated once in each part" of_unrolled 30 8 50.0%

# ---- an added latch ------------------------------------------------------------------------------------------------------------
# Two ways to the next iteration: machine code has a block for both, with a BSYNC, so all lanes of a warp begin each of the ten iterations
# together. The red are five instructions each; ten of the first are before the loop.
listing_of() { # NAME: stand-ins in $tmp/NAME that print NAME.txt
	mkdir "$tmp/$1"
	cp "$tmp/tools/ptxas" "$tmp/$1"
	printf '#!/bin/sh\ncat "%s/tests/simt/%s.txt"\n' "$PWD" "$1" >"$tmp/$1/nvdisasm"
	chmod +x "$tmp/$1/nvdisasm"
}
listing_of latches
added_latch() {
	"$PTXRUN" tests/simt/exits.ptx latches --block 32 --arg buf:4096 --quiet --lines=ptx --ptxas="$tmp/latches/ptxas" >"$out" 2>&1
	grep "red.global" "$out"
	[ "$(awk '/red.global/ && ++n <= 2 { print $1, $3 }' "$out" | tr '\n' ' ')" = "60 100.0% 50 50.0% " ]
}
t "lanes reconverge in a block that ptxas adds at the end of a loop" added_latch

# ---- waits before a wait ------------------------------------------------------------------------------------------------------
# All lanes begin each of the ten iterations together: six instructions of the first red are in the loop, seven before it. Lane 31 leaves
# in the eighth.
listing_of arms
waits_before() {
	"$PTXRUN" tests/simt/exits.ptx arms --block 32 --arg buf:4096 --quiet --lines=ptx --ptxas="$tmp/arms/ptxas" >"$out" 2>&1
	grep "red.global" "$out"
	[ "$(awk '/ptx:153/ { print $1, $3 }' "$out")" = "67 99.4%" ]
}
t "lanes wait behind waits of fewer lanes" waits_before

# ---- no toolkit ----------------------------------------------------------------------------------------------------------------
t "no ptxas: a warning" says "warning: cannot run '$tmp/none'" --ptxas="$tmp/none"
mkdir "$tmp/alone"
cp "$tmp/tools/ptxas" "$tmp/alone"
printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$tmp/alone" "$PTXRUN" >"$tmp/alone/ptxrun"
chmod +x "$tmp/alone/ptxrun"
alone() { # TEXT: the message if ptxas is the only program on PATH
	(PTXRUN=$tmp/alone/ptxrun says "$1" --ptxas="$tmp/alone/ptxas")
}
t "no nvdisasm: a warning with its packages" alone "cannot run 'nvdisasm': No such file or directory (it is in the toolkit's package cuda-nvdisasm, and in pip's nvidia-cuda-nvdisasm)"
t "ptxas fails: its message" says "ptxas' failed: ptxas fatal: no" --ptxas="$tmp/bad/ptxas"
mkdir "$tmp/lines"
cp "$tmp/half/ptxas" "$tmp/lines"
printf '#!/bin/sh\ngrep -v -F //## "%s/tests/simt/listing.txt"\n' "$PWD" >"$tmp/lines/nvdisasm"
chmod +x "$tmp/lines/nvdisasm"
t "a listing without lines: rules count" eval 'run --ptxas="$tmp/lines/ptxas" && [ "$got" = "$rules" ]'
t "a listing without functions" says "lists no function" --ptxas="$tmp/half/ptxas"

# ---- the installed toolkit -----------------------------------------------------------------------------------------------------
toolkit() {
	for tool in ptxas nvdisasm; do
		command -v $tool >/dev/null || { echo "there is no $tool"; return 77; }
	done
	run --ptxas
	cat "$err"
	echo "$got"
	[ ! -s "$err" ] && [ "${got%% *}" -gt 400 ] && [ "${got%% *}" -lt 520 ]
}
t "the installed ptxas and nvdisasm" toolkit
finish
