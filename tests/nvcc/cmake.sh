#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake.sh [GENERATOR ...]: samples/cmake, built with Ninja and Makefiles, for single targets (ccc_target) and as a whole
# (-DCMAKE_CUDA_COMPILER=cccnvcc). Exactly the requested kernels are transformed, for every architecture, in PTX and machine
# code; exactly the affected files are rebuilt. The folders of the installation and of the project have unusual names. Needs
# CMake and nvcc, no GPU; with a GPU, the program runs.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} part=cmake fatbin=$(readlink -m "${B:-build}")/tests/fatbin_main
. tests/t.sh
. tests/cuda.sh
if [ -z "$nvcc" ] || ! command -v cmake >/dev/null 2>&1; then
	skip_all
fi
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH CUDACXX CUDAARCHS
export CCC_FLAGS=--ccc-choose=first # whatever is expected to gain
if nvidia-smi -L >/dev/null 2>&1; then gpu=true; else gpu=false; fi

inst="$tmp/it is (here) + there" # nvcc takes no apostrophe and no comma in -I, Ninja no ampersand in dependencies
source="$tmp/a b/source"
install_it() {
	${MAKE:-make} -s install PREFIX="$tmp/inst" >/dev/null && mv "$tmp/inst" "$inst" && mkdir -p "$tmp/a b" && cp -R samples/cmake "$source"
}
t install install_it

# ---- build results -------------------------------------------------------------------------------------------------------
# The buffer of a transformed loop is a shared variable; the kernels have no other.
ptx() { "$fatbin" -ptx "$1" | grep -c 'shared .*ccc[0-9]*_tasks'; }
code() { "$fatbin" -elf "$1" | grep -o '\.nv\.shared\.[A-Za-z0-9_]*' | sort | uniq -c | awk '{ print $2 }' | sed 's/\.nv\.shared\.//' | grep -v '^reserved' | tr '\n' ' '; }
kernels() { # kernels EXPECTED: the transformed kernels of the linked program and library
	got="$(code "$build/example")$(code "$build/libprimes.so")"
	[ "$got" = "$1" ] || { echo "transformed: $got, not $1"; return 1; }
}
embedded() { # embedded SQUARES PRIMES CUBES: how often each is transformed in the embedded PTX
	set -- "$*" "$(ptx "$build/libsquares.a")" "$(ptx "$build/libprimes.so")" "$(ptx "$(find "$build" -name main.cu.o)")"
	[ "$1" = "$2 $3 $4" ] || { echo "$2 $3 $4, not $1"; return 1; }
}
runs() { "$build/example"; }

# ---- dependencies -------------------------------------------------------------------------------------------------------
make_it() { cmake --build "$build" -j 2; }
objects() { find "$build" -name '*.cu.o' -exec stat -c '%n %y' {} + | sort; }
rebuilt() { # rebuilt EXPECTED: the objects that the next build rebuilds
	objects >"$tmp/before"
	make_it || return 1
	objects | diff "$tmp/before" - | sed -n 's|^> .*/\([a-z]*\)\.cu\.o .*|\1|p' | sort >"$tmp/new"
	[ "$(echo $(cat "$tmp/new"))" = "$1" ] || { echo "built again: $(cat "$tmp/new"), not $1"; return 1; }
}
changed_program() { touch "$inst/bin/ptxccc" && rebuilt "$1"; }
changed_header() { # changes the number of threads in a header's annotation, which the buffer's size shows
	sed 's/#pragma ccc for$/#pragma ccc for threads(64) policy(stack)/' "$source/count.cuh" >"$source/new" && mv "$source/new" "$source/count.cuh" &&
		rebuilt "first squares" && "$fatbin" -ptx "$build/libsquares.a" | grep -q 'ccc1_tasks\[256\]' && kernels "$1"
}

# ---- single targets and the whole project -------------------------------------------------------------------------------
configure() { rm -rf "$build" && cmake -S "$source" -B "$build" -G "$generator" "$@"; }
[ $# -gt 0 ] || set -- Ninja "Unix Makefiles"
for generator; do
	if [ "$generator" = Ninja ] && ! command -v ninja >/dev/null 2>&1; then
		skipped=$((skipped + 1))
		continue
	fi
	cp samples/cmake/count.cuh "$source/"
	build="$tmp/a b/targets $generator"
	t "$generator: configure" configure "-DCMAKE_PREFIX_PATH=$inst" "-DCMAKE_CUDA_COMPILER=$nvcc"
	t "$generator: build" make_it
	t "$generator: transformed code" kernels "_Z7squaresiPKjPj _Z6primesiPKjPj "
	t "$generator: transformed PTX" embedded 2 2 0
	t "$generator: report" test "$(grep -c '^1 of 1 annotated loops transformed' "$build/report.txt")" = 2
	$gpu && t "$generator: run" runs
	t "$generator: nothing changed" rebuilt ""
	t "$generator: ptxccc changed" changed_program "first primes squares"
	t "$generator: header changed" changed_header "_Z7squaresiPKjPj _Z6primesiPKjPj "

	cp samples/cmake/count.cuh "$source/"
	build="$tmp/a b/whole $generator"
	t "$generator, whole: configure" configure "-DCMAKE_CUDA_COMPILER=$inst/bin/cccnvcc"
	t "$generator, whole: build" make_it
	t "$generator, whole: transformed code" kernels "_Z5cubesiPKjPj _Z7squaresiPKjPj _Z6primesiPKjPj "
	t "$generator, whole: transformed PTX" embedded 2 2 2
	$gpu && t "$generator, whole: run" runs
	t "$generator, whole: nothing changed" rebuilt ""
	t "$generator, whole: header changed" changed_header "_Z5cubesiPKjPj _Z7squaresiPKjPj _Z6primesiPKjPj "
done

# ---- errors in a project that uses the built ptxccc ---------------------------------------------------------------------
mkdir "$tmp/args" && : >"$tmp/args/x.cu" && cat >"$tmp/args/CMakeLists.txt" <<'E2'
cmake_minimum_required(VERSION 3.19)
project(args LANGUAGES CXX CUDA)
find_package(CCC ${WANTED} REQUIRED)
add_library(x x.cu)
ccc_target(x ${ARGS})
E2
args() { # args ARGUMENTS VERSION [TEXT]: accepted; with TEXT, an error that says so
	cmake -S "$tmp/args" -B "$tmp/args/build" "-DCCC_DIR=$(readlink -m "$B")/lib/cmake/CCC" "-DCMAKE_CUDA_COMPILER=$nvcc" -DCMAKE_CUDA_ARCHITECTURES=90 \
		"-DARGS=$1" "-DWANTED=$2" >"$tmp/said" 2>&1
	status=$?
	cat "$tmp/said"
	if [ $# = 2 ]; then [ $status = 0 ]; else [ $status != 0 ] && tr -s ' \n' ' ' <"$tmp/said" | grep -qF -- "$3"; fi
}
t "all arguments" args "POLICY;stack;THREADS;1024;STRICT;REPORT" 0.2
t "wrong policy" args "POLICY;best" 0.2 "POLICY 'best': the policies are auto, stack, queue, expand, converge, ahead, wait, majority, live, cycle and flatten"
t "wrong number" args "THREADS;1025" 0.2 "THREADS '1025': a number from 1 to 1024"
t "wrong word" args "STRICKT" 0.2 "unknown argument 'STRICKT'"
t "version too new" args "" 0.9 'compatible with requested version "0.9"'
t "another series" args "" 1.0 'compatible with requested version "1.0"'

# ---- called in another folder than the target's: one that CMake has finished, and one that it still processes ---------------
mkdir -p "$tmp/folders/sub" && cp tests/annotate/returns.cu "$tmp/folders/sub/below.cu" && cp tests/annotate/returns.cu "$tmp/folders/above.cu" &&
	cat >"$tmp/folders/CMakeLists.txt" <<'E2' && cat >"$tmp/folders/sub/CMakeLists.txt" <<'E2b'
cmake_minimum_required(VERSION 3.19)
project(folders LANGUAGES CXX CUDA)
find_package(CCC REQUIRED)
add_library(above STATIC)
add_subdirectory(sub)
ccc_target(below)
target_sources(above PRIVATE above.cu)
E2
add_library(below STATIC below.cu)
ccc_target(above)
E2b
folders() {
	build=$tmp/folders/build
	cmake -S "$tmp/folders" -B "$build" "-DCMAKE_PREFIX_PATH=$inst" "-DCMAKE_CUDA_COMPILER=$nvcc" -DCMAKE_CUDA_ARCHITECTURES=90 && make_it &&
		rebuilt "" && changed_program "above below"
}
t "other folders" folders

# ---- names: nvcc passes them to sh, so a name that is quoted wrongly would run a command ----------------------------------
# The compiler records its arguments and runs nothing; nvcc itself runs CMake's configure-time requests.
cat >"$tmp/fake" <<'E2'
#!/bin/sh
case $* in
*x.cu.o*) ;;
*) exec "$REAL" "$@" ;;
esac
last=
for a; do
	[ "$last" != -o ] || : >"$a"
	last=$a
	case $a in
	*--ccc-*) printf '%s\n' "$a" ;;
	esac
done >>"$GOT"
E2
chmod +x "$tmp/fake"
REAL=$nvcc GOT=$tmp/got
export REAL GOT
mkdir "$tmp/names" && : >"$tmp/names/x.cu" && cat >"$tmp/names/CMakeLists.txt" <<'E2'
cmake_minimum_required(VERSION 3.19)
project(names LANGUAGES CXX CUDA)
find_package(CCC REQUIRED)
file(READ "$ENV{NAME}" name)
add_library(x STATIC x.cu)
ccc_target(x REPORT "${name}" STRICT)
if(TWICE)
	ccc_target(x THREADS 64)
endif()
E2
names() { # names [OPTION...]: configures; the report's name is in $tmp/name
	NAME=$tmp/name cmake -S "$tmp/names" -B "$tmp/names/b" -G "$generator" "-DCCC_DIR=$(readlink -m "$B")/lib/cmake/CCC" "-DCMAKE_CUDA_COMPILER=$tmp/fake" \
		-DCMAKE_CUDA_ARCHITECTURES=90 "$@" >"$tmp/said" 2>&1
	status=$?
	cat "$tmp/said"
	return $status
}
named() { # named NAME: it reaches the hook unchanged
	rm -rf "$GOT" "$tmp/names/b"
	printf %s "$1" >"$tmp/name"
	names && NAME=$tmp/name cmake --build "$tmp/names/b" || return
	cat "$GOT"
	printf '%s\n' --hook "--ccc-report=$tmp/names/b/$1" --ccc-strict -- >"$tmp/want"
	(cd "$tmp/names" && eval "printf '%s\n' $(cat "$GOT")") | grep -v -e ccc-annotate -e --ccc-id= | diff "$tmp/want" -
}
refused() { printf "$1" >"$tmp/name" && ! names && tr -s ' \n' ' ' <"$tmp/said" | grep -qF 'CMake cannot hand on a name'; }
twice() { printf r >"$tmp/name" && ! names -DTWICE=1 && grep -q 'called before for this target' "$tmp/said"; }
sum_of_programs() { # a new ptxccc: CMake runs again and the command line changes
	cp -R "$inst" "$tmp/inst2" && inst2=$tmp/inst2 && rm -rf "$tmp/names/b" "$GOT" && printf r >"$tmp/name" && names "-DCCC_DIR=$inst2/lib/cmake/CCC" &&
		NAME=$tmp/name cmake --build "$tmp/names/b" && mv "$GOT" "$tmp/before" && echo >>"$inst2/bin/ptxccc" && NAME=$tmp/name cmake --build "$tmp/names/b" &&
		grep -o 'ccc-id=[0-9a-f]* ' "$GOT" && ! cmp "$GOT" "$tmp/before"
	status=$?
	rm -rf "$tmp/inst2"
	return $status
}
for generator in Ninja "Unix Makefiles"; do
	if [ "$generator" = Ninja ] && ! command -v ninja >/dev/null 2>&1; then
		skipped=$((skipped + 1))
		continue
	fi
	t "$generator: odd name" named "a > b>c, it's \"d\" \$e & (f) | \`g\` #h %i <j *k?"
	t "$generator: angle bracket at the end" named ">"
	t "$generator: sum of the programs" sum_of_programs
	rm -rf "$tmp/names/b"
done
t "semicolon" refused 'a;b'
t "square bracket" refused 'a]b'
t "backslash" refused 'a\\b'
t "line break" refused 'a\nb'
t "generator expression" refused 'a$<b'
t "called twice" twice

finish
