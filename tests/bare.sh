#!/bin/sh
# SPDX-License-Identifier: MIT
# bare.sh: the README's two commands on a simulated bare machine: PATH has only the programs of Debian's required packages,
# git and make, and a stand-in for apt-get that records each request and provides exactly the requested packages. Builds
# without optimisation and runs a selection of the tests. fresh.sh uses a real bare system. Needs a Debian machine that has
# the hidden programs.
set -u
cd "$(dirname "$0")/.." || exit 2
part=bare
. tests/t.sh
for tool in dpkg-query git gcc g++ flex bison ld; do
	command -v $tool >/dev/null 2>&1 || skip_all
done
git ls-files -co --exclude-standard >"$tmp/files" 2>/dev/null || skip_all

# ---- the machine -------------------------------------------------------------------------------
fresh() { # a PATH with nothing installed
	rm -rf "$tmp/path" "$tmp/lists" "$tmp/libc" "$tmp/asked"
	mkdir "$tmp/path"
	: >"$tmp/asked"
	required=$(dpkg-query -W -f '${Package}\t${Essential}\t${Priority}\n' |
		awk -F '\t' '$2 == "yes" || $3 == "required" { print $1 }')
	# shellcheck disable=SC2086
	programs=$(dpkg -L $required git make 2>/dev/null | grep '^\(/usr\)\?/s\?bin/[^/]*$' | grep -v /apt)
	for f in $programs /usr/bin/awk; do
		[ ! -x "$f" ] || ln -sf "$f" "$tmp/path/"
	done
	cp "$tmp/apt-get" "$tmp/path/"
	[ "$(id -u)" = 0 ] || cp "$tmp/sudo" "$tmp/path/"
}
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$tmp/sudo" # of a user who is not root
# Lists of packages come with `update`. A compiler without the C library's headers compiles nothing.
cat >"$tmp/apt-get" <<'E2'
#!/bin/sh
give() { for tool; do ln -sf "$(PATH=$REAL command -v $tool)" "$TOP/path/$tool" || exit 100; done; }
compiler() {
	for tool; do
		real=$(PATH=$REAL command -v $tool)
		printf '#!/bin/sh\n[ -e "%s/libc" ] || exit 1\nexec %s "$@"\n' "$TOP" "$real" >"$TOP/path/$tool"
		chmod +x "$TOP/path/$tool"
	done
}
case $1 in
update) : >"$TOP/lists" ;;
install)
	[ ! -e "$TOP/refuses" ] && [ -e "$TOP/lists" ] || exit 100
	shift
	for package; do
		case $package in
		-*) continue ;;
		gcc) compiler cc gcc && give cpp as ld ar nm ranlib objcopy objdump readelf size strip ;;
		g++) compiler c++ g++ ;;
		binutils) give as ld ar nm ranlib objcopy objdump readelf size strip ;;
		flex | bison) give m4 $package ;;
		libc6-dev) : >"$TOP/libc" ;;
		*) echo "E: Unable to locate package $package" >&2; exit 100 ;;
		esac
		echo "$package" >>"$TOP/asked"
	done
	;;
esac
E2
chmod +x "$tmp/apt-get" "$tmp/sudo"
mkdir "$tmp/tree" && tar -cf - -T "$tmp/files" | tar -xf - -C "$tmp/tree"

# [VARIABLE=VALUE...] COMMAND...: on that machine, with the CUDA toolkit, if there is one in its
# usual place, and without.
with_toolkit() {
	(cd "$tmp/tree" && env -i PATH="$tmp/path" REAL="$PATH" TOP="$tmp" HOME="$tmp" "$@")
}
on_it() { with_toolkit CCC_NVCC= "$@"; }
asked() { sort "$tmp/asked" | tr '\n' ' ' | grep -x "$* "; }

# ---- what is missing ---------------------------------------------------------------------------
# All targets wait until the tools exist, and the message says what to type.
objects=$(sed -n 's|\(.*\)\.c$|build/obj/\1.o|p' "$tmp/files")
waits() {
	: >"$tmp/refuses"
	# shellcheck disable=SC2086
	on_it make -k all tests $objects >"$tmp/out" 2>&1
	status=$?
	rm "$tmp/refuses"
	cat "$tmp/out"
	[ $status = 2 ] && ! grep -q 'No such file\|not found' "$tmp/out" &&
		[ "$(grep -c 'apt-get install gcc libc6-dev binutils flex bison$' "$tmp/out")" = 1 ]
}
no_headers() {
	fresh && on_it apt-get update && on_it apt-get install gcc && : >"$tmp/asked" &&
		on_it sh tests/need.sh cc && asked gcc libc6-dev
}
other_compiler() { # with an option
	: >"$tmp/refuses"
	on_it sh tests/need.sh 'clang -m64' 'ccache gcc-13' >"$tmp/out" 2>&1
	status=$?
	rm "$tmp/refuses"
	[ $status = 1 ] && grep -q 'apt-get install clang libc6-dev ccache gcc-13$' "$tmp/out"
}

# ---- the two commands --------------------------------------------------------------------------
demo() {
	on_it make -j2 CFLAGS=-O0 demo >"$tmp/out" && grep 'estimated gain: 1\.' "$tmp/out" &&
		asked binutils bison flex g++ gcc libc6-dev
}
check() { # check TARGET PARTS
	on_it make -j2 CFLAGS=-O0 "$1" PARTS="$2" >"$tmp/out" 2>&1
	status=$?
	grep -A 5 -e '^FAIL' -e error: -e '\*\*\*' "$tmp/out"
	[ $status = 0 ] && tail -1 "$tmp/out" | grep '^[1-9][0-9]* passed, 0 failed'
}
# The toolkit only in its usual place: not on PATH and, if a mount namespace is available,
# unknown to the loader.
off_path() {
	hidden='mount --bind /dev/null /etc/ld.so.cache &&'
	unshare -m sh -c "$hidden true" 2>/dev/null || hidden=
	command="$hidden make CFLAGS=-O0 check-rest PARTS=nvrtc"
	with_toolkit ${hidden:+unshare -m} sh -c "$command" >"$tmp/out" 2>&1
	grep -A 5 -e '^FAIL' -e error: -e '\*\*\*' "$tmp/out"
	grep '^nvrtc: [4-9] passed, 0 failed' "$tmp/out"
}
# A compressed fat binary, and a library for it that cannot be loaded.
no_library() {
	mkdir "$tmp/lib" && : >"$tmp/lib/libzstd.so.1"
	{
		printf '\120\355\125\272\1\0\20\0\110\0\0\0\0\0\0\0' # the container: 72 bytes behind this
		printf '\1\0\1\1\100\0\0\0\10\0\0\0\0\0\0\0' # PTX: a header of 64 bytes, then 8
		head -c 24 /dev/zero
		printf '\0\200' # Zstandard
		head -c 14 /dev/zero
		printf '\10' # 8 bytes when decompressed
		head -c 15 /dev/zero
	} >"$tmp/k.fatbin"
	on_it build/tests/fatbin_main -ptx "$tmp/k.fatbin"
	[ $? = 2 ] || return 1
	on_it LD_LIBRARY_PATH="$tmp/lib" build/tests/fatbin_main -ptx "$tmp/k.fatbin"
	[ $? = 77 ]
}

fresh
t "all waits for the tools" waits
t "headers are missing" no_headers
t "other compilers" other_compiler
fresh
t "make demo" demo
t "make check" check check 'tests/run.sh|analysis|docs|arrows'
t "make check-rest" check check-rest 'cudart'
if [ -f /usr/local/cuda/include/nvrtc.h ]; then
	t "toolkit not on PATH" off_path
else
	skipped=$((skipped + 1))
fi
t "no library to decompress" no_library
finish
