#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh: `ptxccc --auto`. What is not transformed stays byte for byte; what is transformed leaves the same memory on the
# emulator (tests/diff/run.sh with AUTO does the same for its kernels, fuzz_diff -u for random ones); a profile of all
# candidates is found again. The input is nvcc's PTX of unannotated programs.
set -u
cd "$(dirname "$0")" || exit 2
BIN=${BIN:-$PWD/../../build/bin}
PTXCCC=${PTXCCC:-$BIN/ptxccc}
passed=0 failed=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
check() { # GOT WANT NAME
	if [ "$1" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL auto $3: '$1' instead of '$2'"; fi
}
auto() { # INPUT OPTIONS: writes $tmp/out.ptx
	input=$1
	shift
	"$PTXCCC" --auto --report --report-to="$tmp/report" "$@" "$input" -o "$tmp/out.ptx" 2>"$tmp/said"
}
transformed() { grep -c '^  transformed\|^  melded' "$tmp/report"; }
# The text of a function, from its name to the closing brace.
function() { awk -v name="$2" 'index($0, "." "entry " name "(") || index($0, "." "visible .entry " name "(") { on = 1 } on; on && /^}/ { exit }' "$1"; }

# ---- what stays ------------------------------------------------------------------------------------------------------------------
changed=0
for ptx in ../suggest/*.ptx; do
	auto "$ptx"
	check "$? $(cat "$tmp/said")" "0 " "$ptx: nothing is said"
	[ "$(transformed)" -gt 0 ] || check "$(cmp "$ptx" "$tmp/out.ptx" 2>&1)" "" "$ptx: nothing is transformed"
	check "$("$PTXCCC" --auto "$ptx" 2>&1 | cmp - "$tmp/out.ptx" 2>&1)" "" "$ptx: the same without a report"
	auto "$ptx" --choose=always
	check "$? $(cat "$tmp/said")" "0 " "$ptx: nothing is said about what is transformed"
	[ "$(transformed)" -eq 0 ] || changed=$((changed + 1))
	for kernel in $(sed -n 's/.*[.]entry \([a-z_]*\)(.*/\1/p' "$ptx"); do
		! grep -q "kernel $kernel" "$tmp/report" || grep -A1 "kernel $kernel" "$tmp/report" | grep -q '^  transformed\|^  melded' ||
			check "$(function "$ptx" "$kernel" | sum)" "$(function "$tmp/out.ptx" "$kernel" | sum)" "$ptx: $kernel, which is not transformed"
	done
	cp "$tmp/out.ptx" "$tmp/first.ptx"
	auto "$tmp/first.ptx" --choose=always
	check "$(cmp "$tmp/first.ptx" "$tmp/out.ptx" 2>&1)" "" "$ptx: a second run changes nothing"
done
check "$changed" "$(($(ls ../suggest/*.ptx | wc -l) - 2))" "files with a transformed kernel: all but small.ptx and, for its rounding, leaves.ptx"

# Without an estimate that is certain, and without a profile, a site is left. A site of the report names its function and line.
auto ../suggest/md.ptx
check "$(sed -n 1p "$tmp/report")" "/src/md.cu:49: kernel forces, path /src/md.cu:49" "a site's source line"
check "$(cmp ../suggest/md.ptx "$tmp/out.ptx" 2>&1)" "" "an uncertain gain"
check "$(tail -2 "$tmp/report")" "  remedy: unclear without a profile: count it by 'ptxrun --profile=FILE -- PROGRAM' or 'ptxccc-run --profile'
0 of 1 branches and loops found transformed" "what an uncertain gain needs"
sed '/^[ \t]*[.]loc/d; /^[ \t]*[.]file/d' ../suggest/md.ptx >"$tmp/plain.ptx"
auto "$tmp/plain.ptx" --choose=always
line=$(sed -n 's/.*plain.ptx:\([0-9]*\): kernel forces, .*/\1/p' "$tmp/report")
check "$(sed -n "${line}p" "$tmp/plain.ptx" | grep -c '^	@%p.*bra')" 1 "without .loc: the branch's line in the PTX"
check "$("$PTXCCC" --auto --list "$tmp/plain.ptx" | grep -c 'kernel forces')" 1 "--list"

# What is not proven needs a promise, and names the annotation; where lanes wait, it needs none. No annotation is counted as one.
remedy() { awk -v kernel="kernel $1," 'index($0, kernel) { on = 1 } on && sub(/^  remedy: /, "") { print; exit }' "$tmp/report"; }
auto ../profile/parts.ptx
check "$(remedy exchanges)" "it needs the promise that no memory that it writes is used later in the iteration, or by another iteration; annotate it with '#pragma ccc if', and the loop around it, line 46, with '#pragma ccc for' (1.05x expected)" "what needs a promise"
check "$(remedy carried)" "lanes could wait for each other, which needs no promise: annotate it with '#pragma ccc predict threshold(16)' (1.19x expected)" "what needs no promise"
check "$(grep -c '^  remedy: none: it is expected to lose' "$tmp/report") $(grep -c '^  remedy: none: it has no plan' "$tmp/report") $(grep annotated "$tmp/report")" "2 1 " "what has no remedy"
# An estimate is certain if it expects no loss however many lanes need the path: a long path in a loop that looks ahead.
strip() { sed '/^[ \t]*\/\/ [.]ccc /d' "$1"; }
strip ../diff/montecarlo.ptx >"$tmp/certain.ptx"
auto "$tmp/certain.ptx"
check "$(transformed) $(grep -c '^  expected: 1[.][5-9].*; 1[.].*x to .*by how many lanes' "$tmp/report")" "1 1" "a certain gain"

# Annotated functions are transformed as without --auto, others in the same module, too.
annotated=../golden/along_width.ptx
"$PTXCCC" $annotated -o "$tmp/want.ptx" 2>"$tmp/want"
auto $annotated
check "$(cmp "$tmp/want.ptx" "$tmp/out.ptx" 2>&1)$(cmp "$tmp/want" "$tmp/said" 2>&1)" "" "an annotated function"
check "$(cmp $annotated "$tmp/out.ptx" >/dev/null; echo $?)" 1 "an annotated function is transformed"

# ---- by a profile ----------------------------------------------------------------------------------------------------------------
# ptxrun --profile counts the candidates of a module without annotations. A path that few lanes take gains by look-ahead. The profile
# also serves the same PTX by another name. The transformed kernel leaves the same memory.
ran() { "$BIN/ptxrun" "$@" $launch 2>&1; }
strip ../cost/pick.ptx >"$tmp/pick.ptx"
launch="pick --grid 2 --block 128 --arg buf:65536:rand:3 --arg buf:65536 --arg s32:16384 --arg u32:268435456 --arg s32:0"
picked=$launch
ran "$tmp/pick.ptx" --profile="$tmp/p.cccprof" >"$tmp/want"
auto "$tmp/pick.ptx"
check "$(transformed)" 0 "without a profile"
auto "$tmp/pick.ptx" --profile-use="$tmp/p.cccprof"
check "$(transformed) $(grep -c '2[.]..x .*by the profile' "$tmp/report")" "1 1" "with a profile"
ran "$tmp/pick.ptx" >"$tmp/want"
ran "$tmp/out.ptx" --seeds 3 | sed "/^ptxrun: checked: /d" >"$tmp/got"
check "$(grep -q "^arg 2: buf:" "$tmp/want" || echo no memory; cmp "$tmp/want" "$tmp/got" 2>&1)" "" "with a profile: the same memory"
cp "$tmp/out.ptx" "$tmp/known.ptx"
cp "$tmp/pick.ptx" "$tmp/renamed.ptx"
auto "$tmp/renamed.ptx" --profile-use="$tmp/p.cccprof"
check "$(sed 's/renamed/pick/' "$tmp/out.ptx" | cmp - "$tmp/known.ptx" 2>&1)" "" "a profile of the same PTX by another name"
sed -E 's/^(cut .*":)[0-9]+:/\19:/' "$tmp/p.cccprof" >"$tmp/moved.cccprof"
auto "$tmp/pick.ptx" --profile-use="$tmp/moved.cccprof"
check "$(transformed) $(remedy pick)" "0 the profile's counts of this function are for other lines, and none is used: make the profile anew" "a profile of other lines"

# Lanes that leave a loop in different iterations run its exit's code apart, until the loop brings them together (../suggest/exits.cu).
# The expected gain, 3.3, is near that in warp instructions: they are at most 0.36 of the original's.
launch="search --grid 8 --block 128 --arg buf:4096:rand:3 --arg buf:4096 --arg s32:1000 --arg s32:64"
instructions() { sed -n 's/^warp instructions: //p' "$1"; }
ran ../suggest/exits.ptx --counts --profile="$tmp/p.cccprof" >"$tmp/apart"
check "$(grep -A3 '^cut for ' "$tmp/p.cccprof" | sed 1d | tr '\n' ';') $(grep -c '^block 1 11002 ' "$tmp/p.cccprof")" "iterations 6708 939;entries 1000 32;exits 969 463; 1" "counts of a loop's exits, and of the loop in their code"
auto ../suggest/exits.ptx --profile-use="$tmp/p.cccprof"
check "$(transformed) $(grep -c 'policy converge' "$tmp/report") $(grep -c '^  expected: 3[.][23].x .*by the profile' "$tmp/report")" "1 1 1" "a loop's exits"
check "$(sed -n 's/^  profile: //p' "$tmp/report")" "lanes leave it in different iterations: 2.1 of a warp together execute the code of an exit" "what was counted at a loop's exits"
ran "$tmp/out.ptx" --counts >"$tmp/got"
check "$(grep ^arg "$tmp/apart" | tr '\n' ' ')$([ "$(($(instructions "$tmp/got") * 100))" -lt "$(($(instructions "$tmp/apart") * 36))" ] && echo fewer)" "$(grep ^arg "$tmp/got" | tr '\n' ' ')fewer" "a loop's exits: the same memory, fewer instructions"
ran "$tmp/out.ptx" --seeds 3 >"$tmp/got"
check "$(grep -c '^ptxrun: checked: .*equal memory' "$tmp/got")" 1 "a loop's exits: any schedule"
# Where all lanes leave in one iteration, nothing is gained.
launch="search --grid 8 --block 128 --arg buf:4096 --arg buf:4096 --arg s32:1000 --arg s32:64"
ran ../suggest/exits.ptx --profile="$tmp/p.cccprof" >"$tmp/apart"
auto ../suggest/exits.ptx --profile-use="$tmp/p.cccprof"
check "$(transformed) $(grep -c "gain is too small: policy 'converge' would take" "$tmp/report")" "0 1" "a loop that all lanes leave together"

# If a different lane is busy in each of four iterations, look-ahead runs the path about as often. The emulator counts 0.83.
strip ../diff/kept.ptx >"$tmp/kept.ptx"
launch="k_kinds $(sed -n 's|^// LAUNCH: [*] ||p' ../diff/kept.ptx | head -1) --block 96"
ran "$tmp/kept.ptx" --profile="$tmp/p.cccprof" >"$tmp/log"
auto "$tmp/kept.ptx" --profile-use="$tmp/p.cccprof"
check "$(transformed) $(grep -c "policy 'ahead(32)' would take" "$tmp/report")" "0 1" "look-ahead in short loops, by the busiest lane"

# Lanes that have left the loop do not load by an address that may depend on the iteration.
launch="k_to_it $(sed -n 's|^// LAUNCH: [*] ||p' ../diff/kept.ptx | head -1) --block 96"
auto param_register.ptx --choose=always
check "$(transformed) $(grep -c 'policy ahead' "$tmp/report") $(cat "$tmp/said")" "1 1 " "a parameter by a register"
ran param_register.ptx >"$tmp/wanted"
ran "$tmp/out.ptx" --seeds 3 | sed "/^ptxrun: checked: /d" >"$tmp/got"
check "$(grep -q "^arg 8: buf:" "$tmp/wanted" || echo no memory; cmp "$tmp/wanted" "$tmp/got" 2>&1)" "" "a parameter by a register: the same memory"
launch=$picked

# Code that counts all candidates leaves the same memory. A program finds its counts by the variable.
"$PTXCCC" --auto --profile-generate "$tmp/pick.ptx" -o "$tmp/counts.ptx" 2>"$tmp/said"
check "$? $(cat "$tmp/said")" "0 " "--profile-generate"
check "$(grep -c '^[.]visible [.]global [.]align 8 [.]u64 __ccc_profile\[8\] = {' "$tmp/counts.ptx")" 1 "the variable of a profile"
ran "$tmp/counts.ptx" >"$tmp/got"
check "$(cmp "$tmp/want" "$tmp/got" 2>&1)" "" "code that counts: the same memory"

# ---- rounding --------------------------------------------------------------------------------------------------------------------
# Where it is unknown what ptxas contracts, equal machine code of the text with explicit products proves it. The stand-in for ptxas
# makes the same code of all texts, or copies the text.
cat >"$tmp/ptxas" <<'END'
#!/bin/sh
for a; do
	case $last in -o) out=$a ;; esac
	case $a in /*) [ "$last" = -o ] || in=$a ;; esac
	last=$a
done
[ -n "${COPY:-}" ] && cat "$in" >"$out" || echo code >"$out"
echo "ptxas info    : Compiling entry function 'trials' for 'sm_80'" >&2
echo "ptxas info    : Used 16 registers" >&2
END
chmod +x "$tmp/ptxas"
launch="trials --grid 2 --block 64 --arg buf:512:rand --arg buf:512 --arg s32:16 --arg f32:6e-8"
ran trials.ptx --profile="$tmp/t.cccprof" >"$tmp/want"
auto trials.ptx --profile-use="$tmp/t.cccprof"
check "$(transformed) $(grep -c 'whether ptxas fuses' "$tmp/report")" "0 1" "unknown rounding, without an assembler"
COPY=1 auto trials.ptx --profile-use="$tmp/t.cccprof" --verify-ptxas="$tmp/ptxas"
check "$(transformed) $(grep -c 'whether ptxas fuses' "$tmp/report")" "0 1" "unknown rounding, other machine code"
auto trials.ptx --profile-use="$tmp/t.cccprof" --verify-ptxas="$tmp/ptxas"
check "$(transformed) $(grep -c 'policy flatten' "$tmp/report") $(cat "$tmp/said")" "1 1 " "rounding that the machine code proves"
check "$(grep -c 'fma[.]rn[.]f32' "$tmp/out.ptx" | sed 's/[1-9].*/some/')" some "explicit products"
# A site that is selected and then refused gets the remedy of its promise, not the notes for annotations.
auto dropped.ptx --timed --verify-ptxas="$tmp/ptxas"
check "$(transformed) $(remedy render)" "0 it needs the promise that its iterations are independent, and its bound does not change while it runs; annotate it with '#pragma ccc for var', and the kernel with '#pragma ccc grid' (1.29x expected)" "what a refused site needs"
# A site that is left for another one names that one, and why it was left if it was. Sites of one statement count once.
auto left.ptx --timed --verify-ptxas="$tmp/ptxas"
check "$(sed -n '/left.cu:15: kernel/{ n; p; }' "$tmp/report")" \
	"  left unchanged: another site in the same loops, line 13, was expected to save more, and is left unchanged: the value computed at /src/left.cu:17 is computed in it and used after it" \
	"a site that is left for a refused one"
check "$(grep -c ': kernel left' "$tmp/report") $(tail -1 "$tmp/report")" "4 0 of 3 branches and loops found transformed" "statements are counted, not sites"
auto ../suggest/best.ptx --choose=always
check "$(grep -c '^  left unchanged: another site in the same loops, line 12, is expected to save more' "$tmp/report") $(transformed)" "1 1" "a site that is left for a transformed one"

echo "auto: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
