#!/bin/sh
# SPDX-License-Identifier: MIT
# matrix.sh [-v] [PATTERN]: cccnvcc as a drop-in replacement for nvcc. Each command below runs three times, each in its own
# folder: with nvcc, with cccnvcc, and with the nvcc of a farm. Needs nvcc, no GPU. FEW=1: only the rows with a star. OPTIONS:
# additional options.
#
# Compared with nvcc: exit status, standard output, standard error, and the files created; for plain.cu and dependency files
# also the contents (of objects the section .nv_fatbin, because the rest differs between runs; not of OptiX IR, which contains
# the folder's name). The results of a.cu, which has annotations, must contain a variable that a stand-in for ptxccc adds to
# the PTX: in machine code, embedded PTX, or both. TMPDIR must be empty at the end. Prints a line for each failure (-v: for
# each test), and the total.
set -u
verbose=false
[ "${1:-}" = -v ] && { verbose=true; shift; }
pattern=${1:-}
cd "$(dirname "$0")/../.." || exit 2
BIN=${BIN:-$PWD/build/bin}
fatbin=${BIN%/bin}/tests/fatbin_main
top=$(mktemp -d) || exit 2
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH
export CCC_FLAGS=--ccc-choose=first # independently of the expected gain

. tests/cuda.sh
if [ -z "$nvcc" ] || ! "$nvcc" --version >/dev/null 2>&1; then
	echo "matrix: 0 passed, 0 failed, 1 skipped"
	exit 0
fi
cd "$top" || exit 2
XDG_CACHE_HOME=$top/cache
export XDG_CACHE_HOME
"$BIN/cccnvcc" --ccc-farm farm || exit 2
toolkit=$("$nvcc" --dryrun -c x.cu 2>&1 | sed -n 's/^#\$ _HERE_=\(.*\)\/bin$/\1/p')

# ---- the sources ------------------------------------------------------------------------------------------------------------
mkdir native
cat >stand-in <<'E2'
#!/bin/sh
# ptxccc -o OUT [OPTIONS] IN: adds a variable.
for in; do :; done
{ cat "$in"; echo '.visible .global .align 4 .u32 ccc_was_here;'; } >"$2.$$" && mv "$2.$$" "$2"
E2
chmod +x stand-in
CCC_PTXCCC=$top/stand-in
export CCC_PTXCCC
cat >native/a.cu <<'E2'
#include "a header.h"
#ifdef UNKNOWN
__global__ void wrong(int *p) { *p = UNKNOWN; }
#endif
#ifdef ASM
__global__ void assembled() { asm volatile("what is this;"); }
#endif
__global__ void annotated(int n, int *p)
{
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc if
		if (p[i] & 1)
			p[i] = divided(p[i]) + __LINE__;
	}
}
E2
printf '#pragma once\nstatic __device__ __host__ int divided(int i) { int unused; return i / 3; }\n' >'native/a header.h'
cat >native/plain.cu <<'E2'
__device__ int twice(int i) { return 2 * i; }
__global__ void plain(int n, int *p) { if (n < 7) p[n] = twice(n); }
#ifdef HOST_ERROR
int host() { return HOST_ERROR; }
#endif
E2
printf '#include <cstdio>\nint main() { return puts("the program ran") < 0; }\n' >native/main.cpp
cp native/a.cu native/b.cpp
mkdir 'native/it'\''s a "folder" & more' native/out
cp native/a.cu 'native/it'\''s a "folder" & more/a b,c.cu'
cp native/a.cu "native/it's.cu"
cp native/a*.h 'native/it'\''s a "folder" & more/'
printf -- '-c -DVALUE="1 2"\na.cu plain.cu\n' >native/options.rsp
sed 's/#pragma ccc for/#CCC for const/; s/#pragma ccc if/# CCC if/' native/a.cu >native/paper.cu
for w in native prefix farmed; do # names of one length: they stand in binary files
	[ -d $w ] || cp -r native $w
	mkdir $w.tmp
	(cd $w && find . -type f | sort) >$w.before
done

# ---- the table --------------------------------------------------------------------------------------------------------------
# name | what must be marked, FILE:both, :ptx (embedded), :elf or :text | the command, in which `nvcc` is the compiler
#
# `nvcc` suppresses the warnings that nvcc alone would give about annotations; `bare` is the compiler without options.
table() {
	cat <<'E2'
* object | a.o:both | nvcc -c a.cu plain.cu
  default architecture | a.o:both | bare -diag-suppress 20199 -c a.cu plain.cu
* -dc | a.o:both | nvcc -dc a.cu plain.cu
  -dw | a.o:both | nvcc -dw a.cu plain.cu
* -ptx | a.ptx:text | nvcc -ptx a.cu plain.cu
  -cubin | a.cubin:elf | nvcc -cubin a.cu plain.cu
  -fatbin | a.fatbin:both | nvcc -fatbin a.cu plain.cu
  --cuda | | nvcc --cuda a.cu plain.cu
  --cuda, then gcc | x:both | nvcc --cuda -o a.cpp.ii a.cu && gcc -x c++ -c a.cpp.ii -o a.o && nvcc a.o main.cpp -o x && ./x
  -shared | lib.so:both | nvcc -shared -Xcompiler -fPIC a.cu plain.cu -o lib.so
* --run | a.out:both | nvcc --run a.cu plain.cu main.cpp
  -optix-ir | | nvcc -optix-ir plain.cu
  -E | | nvcc -E a.cu
  -M | | nvcc -M a.cu
  -MM | | nvcc -MM a.cu plain.cu
* -MD | a.o:both | nvcc -MD -c a.cu plain.cu
  -MD -MF | a.o:both | nvcc -MD -MP -MT target -MF dep.d -c a.cu -o a.o
  -MMD | a.ptx:text | nvcc -MMD -ptx a.cu
  -gencode | a.o:both | nvcc --threads 2 -gencode arch=compute_80,code=sm_80 -gencode 'arch=compute_90,code=[sm_90,compute_90]' -c a.cu plain.cu
  one PTX, two cubins | a.o:elf | nvcc -gencode 'arch=compute_80,code=[sm_80,sm_86]' -c a.cu plain.cu
  all-major | a.o:both | nvcc --threads 0 -arch=all-major -c a.cu
  native | a.o:both | bare -diag-suppress 20199 -arch=native -c a.cu plain.cu
  sm_90a | a.o:both | bare -diag-suppress 20199 -arch=sm_90a -c a.cu plain.cu
  -G | | nvcc -G -c plain.cu -o g.o && nvcc -G -cubin plain.cu -o g.cubin && "$fatbin" -code g.cubin >plain.d
  -g -O2 | a.o:both | nvcc -g -O2 -c a.cu plain.cu
  -dlto | | nvcc -dlto -c plain.cu
* -lineinfo | a.ptx:text | nvcc -lineinfo -ptx a.cu plain.cu
  -src-in-ptx | a.ptx:text | nvcc -lineinfo -src-in-ptx -ptx a.cu plain.cu
  -split-compile | a.o:both | nvcc -split-compile=2 -c a.cu plain.cu
  -fdevice-time-trace | a.o:both | nvcc -fdevice-time-trace trace -c a.cu
  -time | a.o:both | nvcc -time times -c a.cu
  -maxrregcount | a.o:both | nvcc -maxrregcount=32 -use_fast_math -std=c++20 -c a.cu plain.cu
  -res-usage | | nvcc -res-usage -c plain.cu
  warnings of ptxas | | nvcc -Xptxas -v,-warn-spills -c plain.cu
  warnings of gcc | a.o:both | nvcc -Xcompiler -Wall,-Wextra -c a.cu plain.cu
  -Werror | | nvcc -Werror all-warnings -c a.cu
  --threads | a.o:both | nvcc --threads 2 -c a.cu plain.cu
* six jobs at once | a1.o:both a6.o:both | for i in 1 2 3 4 5 6; do nvcc -c a.cu -o a$i.o 2>m$i & done; wait; cat m? >&2; rm m?
  --keep | a.o:both a.ptx:text | nvcc --keep -c a.cu plain.cu
  --keep --keep-dir | a.o:both | nvcc --keep --keep-dir out -c a.cu
  -objtemp | a.o:both | nvcc -objtemp -c a.cu plain.cu
  --options-file | a.o:both | nvcc --options-file options.rsp
  -optf, -arch within | a.o:both | echo -arch=sm_80 -lineinfo >o && bare -diag-suppress 20199 -optf o -c a.cu
  -ccbin | a.o:both | nvcc -ccbin "$(command -v gcc)" -c a.cu plain.cu
  NVCC_PREPEND_FLAGS | a.ptx:text | export NVCC_PREPEND_FLAGS=-lineinfo; nvcc -ptx a.cu plain.cu
  NVCC_APPEND_FLAGS | a.ptx:text | export NVCC_APPEND_FLAGS='-lineinfo -DX="a b"'; nvcc -ptx a.cu plain.cu
* -x cu | b.o:both | nvcc -x cu -c b.cpp
  odd names | out/o o.o:both | nvcc "-Iit's a \"folder\" & more" -c "it's.cu" -o "out/o o.o"
  odd folder | o.ptx:text | cd "it's a \"folder\" & more" && nvcc -ptx "a b,c.cu" -o ../o.ptx
  odd macros | a.ptx:text | nvcc '-DA="a b"' "-DB='\$'" -D 'C=(1 + 2)' '-DD=a;b' -ptx a.cu plain.cu
  macros of two lines | a.ptx:text | nvcc "-DA=$(printf '1\n2')" -D "B=$(printf '\n')" -ptx a.cu plain.cu
  a name of two lines | o.ptx:text | ln -s a.cu "$(printf 'n\nl.cu')"; nvcc -ptx n*l.cu -o o.ptx; nvcc -c n*l.cu; rm n*l.cu
  output's folder | a.ptx:text | nvcc -ptx -odir out a.cu && mv out/a.ptx .
  to a pipe | o.ptx:text | nvcc -ptx a.cu -o - >o.ptx
  from a pipe | | nvcc -x cu -ptx - <plain.cu
  long options | o.ptx:text | nvcc --ptx --output-file o.ptx --define-macro X=1 --include-path . a.cu
  host file | | nvcc -c main.cpp
  link | x:both | nvcc -c a.cu plain.cu main.cpp && nvcc a.o plain.o main.o -o x && ./x
* -dlink | x:elf | nvcc -dc a.cu plain.cu && nvcc -dlink a.o plain.o -o d.o && nvcc main.cpp d.o a.o plain.o -o x && ./x
  -lib | l.a:both | nvcc -lib a.cu plain.cu -o l.a && nvcc main.cpp l.a -o x && ./x
  .ptx input | | nvcc -ptx plain.cu && nvcc -cubin plain.ptx && nvcc -fatbin plain.ptx
  .cubin input | | nvcc -cubin plain.cu && nvcc -fatbin plain.cubin
* --version | | bare --version
  --list-gpu-arch | | bare --list-gpu-arch; bare --list-gpu-code
  no arguments | | bare
  --dryrun | | nvcc --dryrun -c a.cu
* -v | | nvcc -v -c plain.cu
  error in the front end | | nvcc -DUNKNOWN=unknown -c a.cu
  the same with --threads | | nvcc --threads 2 -DUNKNOWN=unknown -c a.cu plain.cu
* error in the front end, -ptx | | nvcc -DUNKNOWN=unknown -ptx a.cu
  error in ptxas | | nvcc -DASM -c a.cu
  error in gcc | | nvcc -DHOST_ERROR=unknown -c plain.cu
  error in the linker | | nvcc -c plain.cu && nvcc plain.o -o x
  #error | | echo '#error "no"' >e.cu; nvcc -c e.cu; rm e.cu
  missing header | | echo '#include "none.h"' >e.cu; nvcc -c e.cu; rm e.cu
  missing source | | nvcc -c none.cu
  missing folder | | nvcc -c plain.cu -o none/o.o
  unknown option | | nvcc --unknown -c a.cu
  wrong architecture | | bare -arch=sm_1 -c a.cu
E2
}

# ---- the comparison -----------------------------------------------------------------------------------------------------------
run() { # run FOLDER COMPILER COMMAND
	(
		compiler=$2
		bare() { "$compiler" "$@"; }
		nvcc() { "$compiler" -arch=sm_90 -diag-suppress 20199 ${OPTIONS:-} "$@"; }
		TMPDIR=$top/$1.tmp
		export TMPDIR
		cd "$1" && eval "$3"
	) >"$1.out" 2>"$1.err" </dev/null
	echo $? >"$1.rc"
	(cd "$1" && find . -type f | sort) | comm -13 "$1.before" - >"$1.files"
}

# Permitted differences: names of temporaries, the folder, the hook in displayed commands, times, PTX lines (cicc gets an option for .loc).
plain_text() { # plain_text FOLDER FILE
	LC_ALL=C sed "s/ --ccc-choose=first//g; s/[.]ptx, line [0-9]*; fatal/.ptx, line N; fatal/; s,$top/farm\\b,$toolkit,g; s,$XDG_CACHE_HOME/ptxccc/farm-[0-9-]*,$toolkit,g; s,$top/$1\\b,$top/native,g; s,/cccnvcc-[A-Za-z0-9]\{6\}/,/,g; s/tmpxft_[0-9a-f]*_[0-9a-f]*/tmpxft/g
		s,'[^']*/ccc-annotate' --hook.* -- ,,; s/Compile time = .*//; /\\.orig\\.ptx\$/d" "$2"
}

same() { # same FOLDER rc|out|err|files
	plain_text native native.$2 >want
	plain_text "$1" "$1.$2" >got
	diff want got
}

same_contents() { # same_contents FOLDER FILE
	case $2 in
	*/plain*.o | */plain*.obj | */plain)
		objcopy -O binary -j .nv_fatbin "native/$2" want && objcopy -O binary -j .nv_fatbin "$1/$2" got ;;
	*/plain.ptx | */plain.cubin | */plain.fatbin | *.d)
		plain_text native "native/$2" >want && plain_text "$1" "$1/$2" >got ;;
	*) return 0 ;;
	esac
	cmp want got
}

marked() { # marked FILE:KIND
	file=${1%:*}
	case $1 in
	*:text) grep -q ccc_was_here "$file" ;;
	*:elf | *:both) "$fatbin" -elf "$file" >"$top/dump" && grep -q ccc_was_here "$top/dump" ;;
	esac && case $1 in
	*:ptx | *:both) "$fatbin" -ptx "$file" >"$top/dump" && grep -q ccc_was_here "$top/dump" ;;
	esac
}

check() { # check FOLDER MARKS; status 77: a file that cannot be read here
	for what in rc out err files; do
		same "$1" $what || { echo "($what)"; return 1; }
	done
	while read -r file; do
		same_contents "$1" "$file" || { echo "($file)"; return 1; }
	done <native.files
	marks=$2
	while [ -n "$marks" ]; do # FILE:KIND FILE:KIND; names may have blanks
		kind=${marks#*:}
		kind=${kind%% *}
		one=${marks%%:*}:$kind
		marked "$1/$one"
		case $? in
		0) ;;
		77) return 77 ;;
		*) echo "not marked: $one"; return 1 ;;
		esac
		marks=${marks#"$one"}
		marks=${marks# }
	done
	left=$(ls -A "$1.tmp")
	[ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

clean() {
	while read -r file; do rm -f "$1/$file"; done <"$1.files"
	rm -rf "${top:?}/$1.tmp/"*
}

row() { # row NAME MARKS COMMAND
	run native "$nvcc" "$3" &
	run prefix "$BIN/cccnvcc" "$3" &
	run farmed "$top/farm/bin/nvcc" "$3" &
	wait
	if [ -n "$2" ] && [ "$(cat native.rc)" != 0 ]; then # an older nvcc that cannot do this
		skipped=$((skipped + 1))
		echo "SKIP matrix $1: nvcc: $(head -1 native.err)"
		set --
	fi
	for w in ${1:+prefix farmed}; do
		check $w "$2" >log 2>&1
		case $? in
		0)
			passed=$((passed + 1))
			$verbose && echo "ok matrix $w $1"
			;;
		77)
			skipped=$((skipped + 1))
			echo "SKIP matrix $w $1: $(tail -1 log)"
			;;
		*)
			failed=$((failed + 1))
			echo "FAIL matrix $w $1"
			head -20 log | sed 's/^/	/'
			;;
		esac
	done
	clean native
	clean prefix
	clean farmed
}

trim() { # sets $trimmed
	trimmed=${1#"${1%%[! ]*}"}
	trimmed=${trimmed%"${trimmed##*[! ]}"}
}

table >rows
while IFS='|' read -r name marks command <&3; do
	case $name in
	\**) ;;
	*) [ -z "${FEW:-}" ] || continue ;;
	esac
	trim "${name#[* ]}"
	name=$trimmed
	case $name in
	*"$pattern"*) ;;
	*) continue ;;
	esac
	trim "$marks"
	row "$name" "$trimmed" "$command"
done 3<rows

echo "matrix: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
