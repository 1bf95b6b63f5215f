#!/bin/sh
# basic.sh [-v] [PATTERN]: cccnvcc in the modes of nvcc that builds use, on one annotated and one plain file. Needs nvcc, no GPU.
#
# A stand-in for ptxccc (CCC_PTXCCC) adds a variable `ccc_was_here` to the PTX, so that what reaches the object file can be seen
# whatever the transformation does. All temporary files go to a folder of their own, which must be empty in the end.
# Prints a line for each failure (-v: for each test) and the closing count.
set -u
verbose=false
[ "${1:-}" = -v ] && { verbose=true; shift; }
pattern=${1:-}
cd "$(dirname "$0")/../.." || exit 2
BIN=${BIN:-$PWD/build/bin}
cccnvcc=$BIN/cccnvcc
top=$(mktemp -d) || exit 2
trap 'rm -rf "$top"' EXIT INT TERM
passed=0 failed=0 skipped=0

if ! "$cccnvcc" --version >/dev/null 2>&1; then
	echo "nvcc: 0 passed, 0 failed, 1 skipped"
	exit 0
fi
# The nvcc that cccnvcc runs, for comparison.
nvcc=${CCC_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH

cd "$top" || exit 2
mkdir tmp work bin
TMPDIR=$top/tmp
export TMPDIR
cat >stand-in <<'E2'
#!/bin/sh
# ptxccc for this test: adds a variable. With STAND_IN=N it fails with status N, with STAND_IN=kill by a signal.
out= last=
for a; do
	[ "$last" = -o ] && out=$a
	last=$a
	case $a in --*|-W*) echo "$a" >>"$ARGS" ;; esac
done
case ${STAND_IN:-} in
kill) kill -SEGV $$ ;;
slow) sleep 5 ;;
?*) echo "stand-in fails" >&2; exit "$STAND_IN" ;;
esac
echo "report of $(basename "$out")" >&2
echo "x.cu:1: warning: something [-Wccc-something]" >&2
{ cat "$last"; echo '.visible .global .align 4 .u32 ccc_was_here;'; } >"$out.new" && mv "$out.new" "$out"
E2
chmod +x stand-in
CCC_PTXCCC=$top/stand-in ARGS=$top/args
export CCC_PTXCCC ARGS

cat >work/a.cu <<'E2'
#include <cstdio>
__global__ void annotated(int n, int *p)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc if
		if (p[i] & 1)
			p[i] /= 3;
	}
}
#ifndef NO_MAIN
int main() { return FULL "x"[0] == 'h' ? 0 : 1; }
#endif
E2
sed '/#pragma ccc/d' work/a.cu >work/plain.cu
D='-DFULL="h"'
cd work || exit 2

# ---- the frame ----------------------------------------------------------------------------------------------------------
# t NAME COMMAND...: the test passes if the command does.
t() {
	name=$1
	shift
	case $name in *"$pattern"*) ;; *) return ;; esac
	rm -f "$ARGS"
	if "$@" >"$top/log" 2>&1; then
		passed=$((passed + 1))
		$verbose && echo "ok nvcc $name"
	else
		failed=$((failed + 1))
		echo "FAIL nvcc $name"
		head -20 "$top/log" | sed 's/^/	/'
	fi
	left=$(ls -A "$TMPDIR")
	[ -z "$left" ] || { failed=$((failed + 1)); echo "FAIL nvcc $name: left behind: $left"; rm -rf "${TMPDIR:?}"/*; }
}
ccc() { "$cccnvcc" -arch=sm_90 "$D" "$@"; }
here() { grep -aq ccc_was_here "$1"; }
embedded() { cuobjdump -ptx "$1" | grep -q ccc_was_here; }
in_elf() { cuobjdump -elf "$1" | grep -q ccc_was_here; }
both() { embedded "$1" && in_elf "$1"; }
status() { # status WANTED COMMAND...
	wanted=$1
	shift
	"$@"
	got=$?
	[ $got = "$wanted" ] || { echo "status $got, not $wanted"; return 1; }
}
same_as_nvcc() { # same messages and status as nvcc
	"$nvcc" "$@" >"$top/n.out" 2>"$top/n.err"
	n=$?
	"$cccnvcc" "$@" >"$top/c.out" 2>"$top/c.err"
	c=$?
	[ $n = $c ] && cmp "$top/n.out" "$top/c.out" && diff "$top/n.err" "$top/c.err"
}
says() { # says TEXT COMMAND...: whatever the status
	text=$1
	shift
	"$@" >"$top/said" 2>&1
	grep -qF -- "$text" "$top/said" || { cat "$top/said"; return 1; }
}

# ---- outputs ------------------------------------------------------------------------------------------------------------
object() { ccc -c a.cu -o o.o && both o.o; }
ptx() { ccc -ptx a.cu -o o.ptx && here o.ptx && [ "$(grep -c '\.ccc begin' o.ptx)" = 2 ]; }
cubin() { ccc -cubin a.cu -o o.cubin && in_elf o.cubin; }
fatbin() { ccc -fatbin a.cu -o o.fatbin && both o.fatbin; }
executable() { ccc a.cu -o o && both o && ./o; }
several() {
	"$cccnvcc" "$D" --threads 2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_100,code='[sm_100,compute_100]' -c a.cu -o o.o &&
		[ "$(cuobjdump -elf o.o | grep -c 'ccc_was_here.*')" -ge 2 ] && embedded o.o
}
separate() { ccc -rdc=true -DNO_MAIN -c a.cu -o o.o && ccc -rdc=true -Dannotated=plain -c plain.cu -o p.o && ccc -dlink p.o o.o -o d.o && in_elf o.o; }
lineinfo() { ccc -lineinfo -ptx a.cu -o o.ptx && here o.ptx && grep -q '\.file.*a\.cu"' o.ptx && ! grep -q 'tmpxft\|\.ii' o.ptx; }
keep() {
	mkdir -p kept && rm -f kept/* && ccc --keep --keep-dir kept -c a.cu -o o.o && here kept/a.ptx && ! here kept/a.orig.ptx &&
		[ "$(ls kept | grep -c 'ccc')" = 0 ]
}
t object object
t ptx ptx
t cubin cubin
t fatbin fatbin
t executable executable
t several-architectures several
t separate-compilation separate
t lineinfo lineinfo
t keep keep

# ---- names --------------------------------------------------------------------------------------------------------------
odd_names() { # nvcc itself takes no $ and no double quote in a source's name
	mkdir -p "it's a & b,c" && cp a.cu "it's a & b,c/a b'.cu" &&
		ccc '-DX="a b"' "-DY='\$'" -I"it's a & b,c" -c "it's a & b,c/a b'.cu" -o "it's a & b,c/o o.o" && both "it's a & b,c/o o.o"
}
odd_folder="it's a \$HOME \"b\" & c,d
e"
odd_place() { # installed in a folder with an odd name, called by a link from another one
	mkdir -p "$odd_folder/bin" && cp "$cccnvcc" "$BIN/ccc-annotate" "$odd_folder/bin/" && ln -sf "../work/$odd_folder/bin/cccnvcc" ../bin/link &&
		../bin/link "$D" -ptx a.cu -o o.ptx "--ccc-report=$odd_folder/r 'r" && here o.ptx && grep -q '^report of' "$odd_folder/r 'r"
}
on_path() { (PATH=$BIN:$PATH && cccnvcc "$D" -ptx a.cu -o o.ptx) && here o.ptx; }
t names odd_names
t place odd_place
t on-path on_path

# ---- the same as nvcc ---------------------------------------------------------------------------------------------------
unannotated() {
	"$nvcc" -arch=sm_90 "$D" -c plain.cu -o n.o && ccc -c plain.cu -o c.o && [ ! -e "$ARGS" ] &&
		objcopy -O binary -j .nv_fatbin n.o n.bin && objcopy -O binary -j .nv_fatbin c.o c.bin && cmp n.bin c.bin
}
printf '__global__ void k(int *p) {\n\tint unused;\n#pragma ccc for\n\tfor (;;) { *p = nothing; }\n}\n' >error.cu
sed 's/nothing/1/; s/;;/int i = 0; i < 9; i++/' error.cu >warning.cu
printf '__global__ void k(int *p) {\n#pragma ccc for\n\tfor (int i = 0; i < p[3]; i++)\n#pragma ccc if\n\t\tif (p[i]) { int unused; p[i] = 1u - 2.5; }\n}\n' >warning2.cu
t unannotated unannotated
t user-error same_as_nvcc -c error.cu -o o.o
t user-error-ptx same_as_nvcc -diag-suppress 20199 -ptx error.cu -o o.ptx
# A warning about code behind a guard on the same line: same line, column and text but for what stands before the guard.
warning_place() {
	"$nvcc" -diag-suppress 20199 -ptx warning.cu -o n.ptx 2>n.err
	"$cccnvcc" --ccc-markers-only -ptx warning.cu -o c.ptx 2>c.err
	diff n.err c.err && "$nvcc" -diag-suppress 20199 -ptx warning2.cu -o n.ptx 2>n.err
	"$cccnvcc" --ccc-markers-only -ptx warning2.cu -o c.ptx 2>c.err
	sed 's/^  *if (p\[i\])/           /' n.err >n2.err
	sed 's/^   *//' n2.err >n.err
	sed 's/^   *//' c.err | diff n.err -
}
t user-warning warning_place
t no-arguments same_as_nvcc
t version same_as_nvcc --version
t missing-file same_as_nvcc -c missing.cu
t make-dependencies same_as_nvcc -M -DFULL= a.cu
t preprocessed same_as_nvcc -E -DFULL= a.cu

# ---- what cannot be done ------------------------------------------------------------------------------------------------
bypass() { # bypass OPTION...: one warning, an untransformed result; --ccc-strict: an error
	ccc "$@" -c a.cu -o o.o 2>err && [ ! -e "$ARGS" ] && [ "$(grep -c 'annotations ignored' err)" = 1 ] && ! grep -q 20199 err &&
		! ccc --ccc-strict "$@" -c a.cu -o s.o 2>err && grep -q 'error: annotations ignored' err
}
misspelt() {
	sed 's/ccc for/ccc fro/' a.cu >fro.cu && rm -f o.o
	status 1 ccc -c fro.cu -o o.o 2>err && grep -q "^fro.cu:4: error: unknown annotation 'fro'; did you mean 'for'?" err && [ ! -e o.o ]
}
goto_in() {
	printf '__global__ void k(int n, int *p) {\n\tint i = 0;\n\tif (n == 7) goto in;\n#pragma ccc for\n\tfor (; i < n; i++) {\nin:\n\t\tp[i] = 1;\n\t}\n}\n' >goto.cu
	ccc -ptx goto.cu -o o.ptx 2>err && ! here o.ptx && grep -q 'goto.cu: warning: the annotations do not compile' err &&
		rm o.ptx && ! ccc --ccc-strict -ptx goto.cu -o o.ptx 2>err && [ ! -e o.ptx ]
}
t debug bypass -G
t lto bypass -dlto
t ofast bypass -Ofc=max
t optix bypass -optix-ir
t misspelt misspelt
t goto-into-loop goto_in

# ---- ends ---------------------------------------------------------------------------------------------------------------
fails() { rm -f o.ptx; STAND_IN=$1; export STAND_IN; status "$2" ccc -ptx a.cu -o o.ptx; r=$?; unset STAND_IN; [ $r = 0 ] && [ ! -e o.ptx ]; }
missing() { rm -f o.ptx; (CCC_PTXCCC=$top/nothing; status 127 ccc -ptx a.cu -o o.ptx) && [ ! -e o.ptx ]; }
killed() { # told to end while ptxccc runs: nvcc and the hook end too
	STAND_IN=slow
	export STAND_IN
	timeout -s TERM 2 "$cccnvcc" "$D" -c a.cu -o o.o
	r=$?
	unset STAND_IN
	sleep 1
	ls "$TMPDIR"
	[ $r = 124 ] && ! ls "$TMPDIR" | grep ccc
	r=$?
	rm -rf "${TMPDIR:?}"/* # nvcc, killed, leaves its own
	return $r
}
self() { ln -sf "$cccnvcc" ../bin/nvcc && (PATH=$top/bin:$PATH && "$cccnvcc" "$D" -ptx a.cu -o o.ptx) && here o.ptx; }
loop() {
	rm -f ../bin/nvcc
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$cccnvcc" >../bin/nvcc && chmod +x ../bin/nvcc
	(PATH=$top/bin:$PATH && says 'leads back to cccnvcc' "$cccnvcc" -c a.cu)
	r=$?
	rm -f ../bin/nvcc
	return $r
}
no_nvcc() { (CCC_NVCC=/nowhere/nvcc says "there is no program '/nowhere/nvcc'" "$cccnvcc" -c a.cu); }
t ptxccc-fails fails 3 3
t ptxccc-crashes fails kill 139
t ptxccc-missing missing
t killed killed
t nvcc-is-cccnvcc self
t nvcc-runs-cccnvcc loop
t no-nvcc no_nvcc

# ---- own options --------------------------------------------------------------------------------------------------------
option() { ccc --ccc-strict --ccc-policy=queue --ccc-threads=64 --ccc-Wno-x -ptx a.cu -o o.ptx && [ "$(echo $(cat "$ARGS"))" = "--strict --policy=queue --threads=64 -Wno-x" ]; }
flags() { CCC_FLAGS='--ccc-strict --ccc-threads=32' ccc -ptx a.cu -o o.ptx && grep -q -- --strict "$ARGS" && grep -q -- --threads=32 "$ARGS"; }
off() { ccc --ccc-off -ptx a.cu -o o.ptx && ! here o.ptx && CCC_FLAGS=--ccc-off ccc -ptx a.cu -o o.ptx && ! here o.ptx; }
report() { rm -f r; ccc --ccc-report=r -ptx a.cu -o o.ptx 2>err && ccc -ptx a.cu -o o.ptx --ccc-report=r && [ "$(cat r)" = "report of o.ptx
report of o.ptx" ] && [ "$(cat err)" = 'x.cu:1: warning: something [-Wccc-something]' ]; }
keep_all() { rm -f a.*.ptx; ccc --ccc-keep -c a.cu -o o.o && here a.compute_90.ptx && ! here a.compute_90.orig.ptx && [ -s a.compute_90.ccc.ii ]; }
markers() { ccc --ccc-markers-only -ptx a.cu -o o.ptx && grep -q '\.ccc begin' o.ptx && ! here o.ptx; }
pipe() { "$cccnvcc" "$D" -arch=compute_90 -ptx a.cu -o - >o.ptx && here o.ptx; }
verbose_shows() { says stand-in ccc --ccc-verbose -ptx a.cu -o o.ptx; }
help() { says '--ccc-report' "$cccnvcc" --ccc-help && says '--ccc-report' "$cccnvcc" --help && says '--generate-code' "$cccnvcc" --help; }
bad_option() { status 2 "$cccnvcc" --ccc-foo -c a.cu && says "unknown option '--ccc-foo'" "$cccnvcc" --ccc-foo -c a.cu; }
bad_values() { says 'the policies are' "$cccnvcc" --ccc-policy=x && says 'not a number' "$cccnvcc" --ccc-threads=x; }
theirs() { says 'another --cicc-prefix' ccc --cicc-prefix= -ptx a.cu -o o.ptx; }
ptx_input() { ccc --ccc-markers-only -ptx a.cu -o in.ptx && says "'in.ptx' has annotations" ccc -cubin in.ptx -o o.cubin; }
paper() {
	sed 's/#pragma ccc for/# CCC for const/; s/#pragma ccc if/#CCC if/' a.cu >paper.cu
	ccc -ptx paper.cu -o o.ptx && grep -q '\.ccc begin for 0 "paper.cu":4' o.ptx && ccc -c paper.cu -o o.o && both o.o &&
		(cd .. && ccc -M work/paper.cu >deps && grep -q 'work/paper.cu' deps)
}
header() {
	printf '#include <ccc.h>\n#define B 64\n__global__ void k(int n, int *p) {\n\tCCC_FOR(threads(B))\n\tfor (int i = 0; i < n; i++) CCC_IF() if (p[i]) p[i] /= 3; }\n' >macro.cu
	ccc --ccc-markers-only -ptx macro.cu -o o.ptx && grep -q '\.ccc begin for 0 "macro.cu":4 threads(64)' o.ptx && ccc --ccc-off -Xcompiler -Wall -c macro.cu -o o.o 2>err && [ ! -s err ]
}
real() { [ -x "$BIN/ptxccc" ] && (CCC_PTXCCC= && ccc --ccc-report=r2 a.cu -o o 2>err && ./o && grep -q 'transformed, policy' r2 && [ ! -s err ]); }
t options option
t flags flags
t off off
t report report
t ccc-keep keep_all
t markers-only markers
t to-a-pipe pipe
t verbose verbose_shows
t help help
t unknown-option bad_option
t bad-values bad_values
t other-prefix theirs
t ptx-input ptx_input
t paper-spelling paper
t header header
t real-ptxccc real

# ---- side by side -------------------------------------------------------------------------------------------------------
parallel() {
	for i in 1 2 3 4; do
		"$cccnvcc" "$D" -ptx a.cu -o o$i.ptx --ccc-report=all &
	done
	wait
	for i in 1 2 3 4; do here o$i.ptx || return 1; done
	[ "$(grep -c '^report of o[1-4].ptx$' all)" = 4 ]
}
t parallel parallel

echo "nvcc: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
