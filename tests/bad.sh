#!/bin/sh
# SPDX-License-Identifier: MIT
# bad.sh: invalid input of every kind gives an error with its position, exit status 1 or 2, and no output file.
set -u
cd "$(dirname "$0")/.." || exit 2
ptxccc=${PTXCCC:-$PWD/build/bin/ptxccc} bin=${BIN:-$PWD/build/bin}
tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL bad $1: $2"; }

# bad NAME STATUS [PATTERN]: runs on $tmp/in.ptx; wants the status, a message (matching the pattern), and no output.
bad() {
	rm -f "$tmp/out.ptx"
	timeout 300 "$ptxccc" -o "$tmp/out.ptx" "$tmp/in.ptx" >"$tmp/stdout" 2>"$tmp/err"
	status=$?
	if [ $status != "$2" ]; then fail "$1" "exit status $status, not $2"
	elif [ -e "$tmp/out.ptx" ]; then fail "$1" "an output file was left"
	elif ! grep -q "${3:-in.ptx:[0-9]*:[0-9]*: error: }" "$tmp/err"; then fail "$1" "message: $(head -1 "$tmp/err")"
	else ok; fi
}

head='.version 8.0
.target sm_90
.address_size 64
'
body() { printf '%s.visible .entry k(.param .u64 k_0)\n{\n\t.reg .b32 %%r<4>;\n\t.reg .pred %%p<2>;\n%s\n}\n' "$head" "$1"; }

printf 'int k();\n' >"$tmp/x.cu"
if "$ptxccc" -o "$tmp/out.ptx" "$tmp/x.cu" 2>"$tmp/err"; then fail cuda "accepted"
elif grep -q "CUDA source is compiled by cccnvcc, which runs ptxccc: '$tmp/x.cu'" "$tmp/err"; then ok
else fail cuda "message: $(head -1 "$tmp/err")"; fi

position='in.ptx:[0-9]*:[0-9]*: error: '
: >"$tmp/in.ptx";                                       bad empty 1
printf '\0\1\2\177ELF\377' >"$tmp/in.ptx";              bad binary 1
head -c 4096 /dev/urandom >"$tmp/in.ptx";               bad random 1
body '	ret; /* never closed' >"$tmp/in.ptx";           bad comment 1 "$position.*comment"
printf '%s.file 1 "never closed\n' "$head" >"$tmp/in.ptx"; bad string 1 "$position.*string"
printf '%s.visible .entry k()\n{\n\tret;\n' "$head" >"$tmp/in.ptx"; bad brace 1 "$position"
body '	.frobnicate 3;' >"$tmp/in.ptx";                 bad directive 1 "in.ptx:8:[0-9]*: error: .*frobnicate"
printf '%s.frobnicate 3;\n' "$head" >"$tmp/in.ptx";     bad module-directive 1 "in.ptx:4:[0-9]*: error: .*frobnicate"
body 'L:	ret;
L:	ret;' >"$tmp/in.ptx";                               bad label-twice 1 "in.ptx:9:[0-9]*: error: .*'L'"
body '	bra L;' >"$tmp/in.ptx";                         bad no-label 1 "in.ptx:8:[0-9]*: error: .*'L'"
body '	mov.u32 %r7, 1;' >"$tmp/in.ptx";                bad undeclared 1 "in.ptx:8:[0-9]*: error: .*'%r7'"
body '	mov.u32 %r1, 99999999999999999999;' >"$tmp/in.ptx"; bad number 1 "in.ptx:8:[0-9]*: error: "
body '	.local .b8 x[99999999999999999999];' >"$tmp/in.ptx"; bad size 1 "in.ptx:8:[0-9]*: error: "
body '	// begin inline asm
	// .ccc begin for 1 "k.cu":1
	// end inline asm
	ret;' >"$tmp/in.ptx";                                bad begin-without-end 1 "k.cu:1:.*error: "
body '	// begin inline asm
	// .ccc end for 1
	// end inline asm
	ret;' >"$tmp/in.ptx";                                bad end-without-begin 1 "in.ptx:8:[0-9]*: error: "
body '	// begin inline asm
	// .ccc begin nonsense
	// end inline asm
	ret;' >"$tmp/in.ptx";                                bad marker 1 "in.ptx:[0-9]*:[0-9]*: error: "
{ printf '%s.visible .entry k()\n{\n' "$head"; awk 'BEGIN { for (i = 0; i < 100000; i++) print "{" }'; } >"$tmp/in.ptx"
bad nested-braces 1
{ printf '%s.visible .entry k()\n{\n' "$head"; awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "x" }'; } >"$tmp/in.ptx"
bad long-line 1

# A valid line of 1 MB.
body "	mov.u32 %r1, $(awk 'BEGIN { for (i = 0; i < 300000; i++) printf "1 + "; print "1;" }')" >"$tmp/in.ptx"
if timeout 300 "$ptxccc" -o "$tmp/out.ptx" "$tmp/in.ptx" 2>"$tmp/err" && cmp -s "$tmp/in.ptx" "$tmp/out.ptx"; then ok
else fail long-right-line "$(head -1 "$tmp/err" | cut -c1-200)"; fi

# Balanced nesting, deeper than any compiler writes: accepted or refused with a message, never a crash.
{ printf '%s.visible .entry k()\n{\n' "$head"; awk 'BEGIN { for (i = 0; i < 100000; i++) print "{"; for (i = 0; i < 100000; i++) print "}"; print "ret; }" }'; } >"$tmp/in.ptx"
timeout 300 "$ptxccc" -o "$tmp/out.ptx" "$tmp/in.ptx" 2>"$tmp/err"
case $? in 0) ok ;; 1) grep -q "$position" "$tmp/err" && ok || fail deep-nesting "no message" ;; *) fail deep-nesting "crash" ;; esac
rm -f "$tmp/out.ptx"

# Truncated at every byte: an error with a position or, if the rest is a whole module, a copy of it.
small='.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 g[8] = {1, 2};
.visible .entry k(.param .u64 k_0)
{
	.reg .b32 %r<4>;
	.reg .pred %p<2>;
	ld.param.u32 %r1, [k_0];
	// begin inline asm
	// .ccc begin for 1 "k.cu":1
	// end inline asm
L:	add.s32 %r1, %r1, 0x10; /* c */
	setp.lt.s32 %p1, %r1, 7;
	@%p1 bra L;
	// begin inline asm
	// .ccc end for 1
	// end inline asm
	ret;
}
'
size=$(printf '%s' "$small" | wc -c) cut=0 why=
while [ $cut -lt "$size" ]; do
	printf '%s' "$small" | head -c $cut >"$tmp/in.ptx"
	rm -f "$tmp/out.ptx"
	timeout 300 "$ptxccc" -o "$tmp/out.ptx" "$tmp/in.ptx" 2>"$tmp/err"
	case $? in
	0) cmp -s "$tmp/in.ptx" "$tmp/out.ptx" || why="$why $cut:differs" ;;
	1) { [ ! -e "$tmp/out.ptx" ] && grep -q ' error: ' "$tmp/err"; } || why="$why $cut:message" ;;
	*) why="$why $cut:status" ;;
	esac
	cut=$((cut + 1))
done
if [ -z "$why" ]; then ok; else fail cut-at-every-byte "at$why"; fi

# Input and output that cannot be opened.
rm -f "$tmp/in.ptx";                                    bad no-file 2 "in.ptx"
mkdir "$tmp/in.ptx";                                    bad folder 2 "in.ptx"
rmdir "$tmp/in.ptx"
body '	ret;' >"$tmp/in.ptx"
echo old >"$tmp/old.ptx"
if "$ptxccc" -o "$tmp/none/out.ptx" "$tmp/in.ptx" 2>"$tmp/err"; then fail no-folder "no error"
else [ $? = 2 ] && grep -q 'none/out.ptx' "$tmp/err" && ok || fail no-folder "$(cat "$tmp/err")"; fi
if [ -w /dev/full ]; then
	"$ptxccc" -o /dev/full "$tmp/in.ptx" 2>"$tmp/err"
	[ $? = 2 ] && ok || fail full-device "no error"
	"$ptxccc" "$tmp/in.ptx" >/dev/full 2>"$tmp/err"
	[ $? = 2 ] && ok || fail full-stdout "no error"
fi
# A full disk, simulated by the file size limit; the old output does not change.
body "	ret; // $(awk 'BEGIN { for (i = 0; i < 4000; i++) printf "0123456789abcdef" }')" >"$tmp/in.ptx"
(trap '' XFSZ; ulimit -f 8; exec "$ptxccc" -o "$tmp/old.ptx" "$tmp/in.ptx" 2>"$tmp/err")
if [ $? = 2 ] && [ "$(cat "$tmp/old.ptx")" = old ] && [ "$(ls "$tmp" | grep -c 'old')" = 1 ]; then ok
else fail full-disk "the old file did not stay, or a temporary did"; fi
# A damaged executable: no shell may interpret its header as commands, in which '>' redirects to a file named \001. A script
# without '#!' is run by a shell.
mkdir "$tmp/damaged" "$tmp/empty"
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0\n' >"$tmp/damaged/program"
echo 'echo "ran $1"' >"$tmp/damaged/script"
chmod +x "$tmp/damaged/program" "$tmp/damaged/script"
PATH=$tmp/damaged:$PATH
for command in "ptxrun -- program" "ptxrun -- $tmp/damaged/program" "ccc-annotate --nvcc -- program" "ccc-annotate --hook -- program"; do
	# shellcheck disable=SC2086
	(cd "$tmp/empty" && "$bin"/$command >"$tmp/stdout" 2>"$tmp/err")
	status=$?
	if [ $status != 2 ] && [ $status != 127 ]; then fail "damaged: $command" "exit status $status"
	elif [ -n "$(ls -A "$tmp/empty")" ]; then fail "damaged: $command" "a file was made"; rm -f "$tmp/empty"/*
	elif ! grep -q "cannot run '.*program': Exec format error" "$tmp/err"; then fail "damaged: $command" "message: $(head -1 "$tmp/err")"
	else ok; fi
done
"$bin/ptxrun" -- script argument >"$tmp/stdout" 2>"$tmp/err"
[ "$(cat "$tmp/stdout")" = "ran argument" ] && ok || fail script "$(cat "$tmp/err")"
# If no file can replace the old one, the old one itself is written: other names of the file, links without a target yet,
# names of maximal length, a folder of another user.
body '	ret;' >"$tmp/in.ptx"
written() { # written NAME OUT FILE...: the output is in each file, and no other file is left, by $run if set
	name=$1
	${run:-"$ptxccc"} -o "$2" "$tmp/in.ptx" 2>"$tmp/err" || { fail "$name" "$(head -1 "$tmp/err" | cut -c 1-200)"; return; }
	shift 2
	for f; do cmp -s "$tmp/in.ptx" "$f" || { fail "$name" "$f is not the output"; return; }; done
	left=$(find "$tmp" -name '*.??????')
	if [ -z "$left" ]; then ok; else fail "$name" "left behind: $left"; fi
}
mkdir "$tmp/w"
echo old >"$tmp/w/a" && ln "$tmp/w/a" "$tmp/w/b"
written hard-link "$tmp/w/a" "$tmp/w/a" "$tmp/w/b"
ln -s target "$tmp/w/link"
written dangling-link "$tmp/w/link" "$tmp/w/target"
long=$tmp/w/$(awk 'BEGIN { for (i = 0; i < 255; i++) printf "n" }')
written long-name "$long" "$long"
written long-name-again "$long" "$long"
as_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/bin/ptxccc" "$@"; else "$ptxccc" "$@"; fi; }
mkdir "$tmp/bin" "$tmp/lib" && cp "$ptxccc" "$tmp/bin" && cp "${ptxccc%/*}/../lib/libptxccc.so.0" "$tmp/lib" && chmod 755 "$tmp" && echo longer than what it becomes >"$tmp/w/free" && chmod 666 "$tmp/w/free" && chmod 644 "$tmp/in.ptx" &&
	chmod 555 "$tmp/w" && awk 'BEGIN { for (i = 0; i < 999; i++) print "old" }' >>"$tmp/w/free"
run=as_user
written folder-of-others "$tmp/w/free" "$tmp/w/free"
chmod 755 "$tmp/w"
(trap '' XFSZ; ulimit -f 0; exec "$ptxccc" -o "$tmp/w/link2" "$tmp/in.ptx" 2>"$tmp/err")
if [ $? = 2 ] && [ ! -e "$tmp/w/link2" ]; then ok; else fail full-disk-new "no error, or half a file"; fi
ln -s nothing "$tmp/w/link3"
(trap '' XFSZ; ulimit -f 0; exec "$ptxccc" -o "$tmp/w/link3" "$tmp/in.ptx" 2>"$tmp/err")
if [ $? = 2 ] && [ -L "$tmp/w/link3" ] && [ ! -e "$tmp/w/nothing" ]; then ok; else fail full-disk-link "no error, or half a file"; fi
if [ "$(id -u)" != 0 ]; then
	chmod a-r "$tmp/in.ptx";                            bad unreadable 2 "in.ptx"
	chmod a+r "$tmp/in.ptx"
	mkdir "$tmp/closed" && chmod a-w "$tmp/closed"
	"$ptxccc" -o "$tmp/closed/out.ptx" "$tmp/in.ptx" 2>"$tmp/err"
	[ $? = 2 ] && ok || fail closed-folder "no error"
else
	skipped=$((skipped + 2))
fi

# A report that cannot be written: status 2, and the output does not change. Warnings that cannot be written are no error.
input=$PWD/tests/golden/hazards.ptx
full= # without it: only closed streams
[ -w /dev/full ] && full=/dev/full
unsaid() { # unsaid NAME REDIRECTION ARGUMENT...: runs the program so; wants status 2, and the old output
	name=$1 where=$2
	shift 2
	echo old >"$tmp/old.ptx"
	rm -f "$tmp/new.ptx"
	for out in "$tmp/old.ptx" "$tmp/new.ptx"; do
		eval '"$ptxccc" -o "$out" "$@" '"$where"
		status=$?
		[ $status = 2 ] || { fail "$name" "exit status $status"; return; }
	done
	if [ "$(cat "$tmp/old.ptx")" = old ] && [ ! -e "$tmp/new.ptx" ]; then ok; else fail "$name" "there is an output"; fi
}
for to in ${full:+2>$full} '2>&-'; do
	unsaid "report $to" "$to" --report "$input"
	eval '"$ptxccc" -o "$tmp/new.ptx" "$input" '"$to"
	if [ $? = 0 ] && [ -s "$tmp/new.ptx" ]; then ok; else fail "warnings $to" "an error"; fi
done
for to in ${full:+>$full} '>&-'; do
	unsaid "list $to" "$to 2>/dev/null" --list "$input"
	unsaid "json $to" "$to 2>/dev/null" --report=json "$input"
	for program in ptxccc ptxrun ccc-annotate; do
		for args in --help --version; do
			eval '"$bin/$program" "$args" '"$to"' 2>"$tmp/err"'
			if [ $? = 2 ] && grep -q "^$program: cannot write '<stdout>'" "$tmp/err"; then ok; else fail "$program $args $to" "$(cat "$tmp/err")"; fi
		done
	done
done

# '--' ends the options.
(
	cd "$tmp" || exit 2
	cp "$input" ./-x.ptx
	echo 'int x;' >-x.ii
	"$ptxccc" --report -o dashed.ptx -- -x.ptx 2>err || exit 1
	"$bin/ccc-annotate" -o dashed.ii -- -x.ii || exit 1
	"$ptxccc" -o plain.ptx "$input" 2>err && cmp -s plain.ptx dashed.ptx && cmp -s ./-x.ii dashed.ii
)
if [ $? = 0 ]; then ok; else fail dashes "$(head -1 "$tmp/err")"; fi
"$ptxccc" -- --help >"$tmp/stdout" 2>"$tmp/err"
if [ $? = 2 ] && grep -q "cannot read '--help'" "$tmp/err"; then ok; else fail dashes-help "$(head -1 "$tmp/err")"; fi

# ptxrun: options or files that cannot be used, read or written: status 2, and a message with its own name.
printf '%s.visible .entry k(.param .u64 p)\n{\n\t.reg .b64 %%r;\n\tld.param.u64 %%r, [p];\n\tst.global.u32 [%%r], 7;\n\tret;\n}\n' "$head" >"$tmp/k.ptx"
runs() { # runs REDIRECTION ARGUMENT...
	where=$1
	shift
	eval 'timeout 300 "$bin/ptxrun" "$tmp/k.ptx" k "$@" '"$where"' 2>"$tmp/err" </dev/null'
	status=$?
	if [ $status = 2 ] && grep -q '^ptxrun: ' "$tmp/err"; then ok; else fail "ptxrun $*" "exit status $status: $(head -1 "$tmp/err")"; fi
}
for value in -1 0 x '' 1, ,1 1x1 1,0 1,2,3,4 2147483648 1,65536 4294967297 99999999999999999999; do
	runs '>/dev/null' --arg buf:64 --grid "$value"
	runs '>/dev/null' --arg buf:64 --block "$value"
done
for value in -1 x '' 16777217 4294967296 99999999999999999999; do runs '>/dev/null' --arg buf:64 --shared "$value"; done
for option in --seed --seeds --limit --dump; do
	for value in -1 x '' 1x 18446744073709551616; do runs '>/dev/null' --arg buf:64 $option "$value"; done
done
for value in buf: buf:-1 buf:x buf:64: buf:64:nonsense buf:64:indexes buf:64:zero:1 buf:64:rand:x buf:64:mod:3:4:5 buf:18446744073709551616 \
	buf:99999999999999 buf:18446744073709551615 buf:64:file:"$tmp" u8:256 u8:-1 s8:128 s8:-129 u32:4294967296 b32:-2147483649 \
	u64:18446744073709551616 s64:-9223372036854775809 f32:x u33:1 u32: :1 ''; do
	runs '>/dev/null' --arg "$value"
done
runs '>/dev/null' --arg buf:64 --block 4194304,2097152,2097152
runs '>/dev/null' --arg buf:64 --cooperative --grid 2147483647,65535
runs '>/dev/null' --arg buf:64 --save
runs '>/dev/null' --arg buf:64 --save "$tmp/none/x"
[ -z "$full" ] || runs '>/dev/full' --arg buf:64
runs '>&-' --arg buf:64
for value in s8:-128 u64:18446744073709551615 b32:-1 b32:0xffffffff buf:64:fill:-1 buf:64:mod:3:4; do
	"$bin/ptxrun" "$tmp/k.ptx" k --arg "$value" >/dev/null 2>"$tmp/err"
	if [ $? = 2 ]; then fail "ptxrun --arg $value" "$(head -1 "$tmp/err")"; else ok; fi
done

# Wrong command lines: status 2 and a message.
for args in '' '--nonsense x.ptx' '-o' '--threads=0 x.ptx' '--policy=none x.ptx' '--policy=queue(33) x.ptx' '--policy=queue(2 x.ptx' '--policy=stack(0) x.ptx' '--dump=none x.ptx' '-Wnonsense x.ptx' 'a.ptx b.ptx' \
	'--stop-after=none x.ptx' '-dz x.ptx' '--omit-line=collect.tpl:0 x.ptx' '--omit-line=x x.ptx'; do
	# shellcheck disable=SC2086
	"$ptxccc" $args >"$tmp/stdout" 2>"$tmp/err" </dev/null
	status=$?
	[ $status = 2 ] && [ -s "$tmp/err" ] && ok || fail "usage '$args'" "exit status $status"
done

# An invalid text is never written: here, a label of the template is omitted that is a branch target.
golden=tests/golden/grid_stride.ptx line=collect.tpl:$(grep -n '^$~plain:' transform/collect/collect.tpl | cut -d: -f1)
if "$ptxccc" --choose=first --omit-line="$line" -o "$tmp/out.ptx" $golden 2>"$tmp/err" && cmp -s $golden "$tmp/out.ptx" &&
	grep -q "warning: .*\[-Wccc-bug\]" "$tmp/err" && grep -q "_plain' is not declared" "$tmp/err"; then ok
else fail omit-line "$(head -1 "$tmp/err")"; fi
rm -f "$tmp/out.ptx"
"$ptxccc" --choose=first -Werror=ccc-bug --omit-line="$line" -o "$tmp/out.ptx" $golden 2>"$tmp/err"
[ $? = 1 ] && [ ! -e "$tmp/out.ptx" ] && ok || fail omit-line-error "$(head -1 "$tmp/err")"

# Steps: before the text is written, the output is the input; the output of -d follows its step.
stops() { # stops STEP LETTERS PATTERN...: the output of -d matches all patterns
	"$ptxccc" --choose=first --stop-after="$1" -d"$2" -o "$tmp/out.ptx" $golden 2>"$tmp/err" || { fail "stop-after=$1" "no success"; return; }
	case $1 in region | plan) cmp -s $golden "$tmp/out.ptx" ;; *) grep -q 'vote\.sync' "$tmp/out.ptx" ;; esac && ok || fail "stop-after=$1" "output"
	shift 2
	for pattern; do grep -q "$pattern" "$tmp/err" && ok || fail "stop-after" "-d does not show '$pattern'"; done
}
stops region r '^site 1: .*grid_stride'
stops plan rp '^site 1: ' '^loop .*grid_stride.*: collect'
stops write w 'vote\.sync\.ballot'
stops verify pw '^loop ' 'vote\.sync\.ballot'
stops region p
grep -q '^loop ' "$tmp/err" && fail stop-after "a plan behind the region" || ok
echo "bad: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
