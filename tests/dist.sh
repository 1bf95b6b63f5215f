#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh: `make dist`: the source archive of the current commit has its files and the generated parser, with which neither flex nor
# bison is asked for. Needs git.
set -u
cd "$(dirname "$0")/.." || exit 2
part=dist B=${B:-build}
. tests/t.sh
git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all
version=$(git show HEAD:Makefile | sed -n 's/^VERSION = //p')
tree=$tmp/ptxccc-$version
made() { ${MAKE:-make} -s dist DIST="$tmp/out" && tar -xzf "$tmp/out/ptxccc-$version.tar.gz" -C "$tmp"; }
files() { (cd "$tree" && find . ! -type d | sed 's|^./||' | grep -v '^generated/' | sort) >"$tmp/has" && git ls-tree -r --name-only HEAD | LC_ALL=C sort >"$tmp/want" && LC_ALL=C sort "$tmp/has" | diff "$tmp/want" - && [ "$(ls "$tree/generated" | wc -l)" = 4 ]; }
same() { ${MAKE:-make} -s dist DIST="$tmp/again" && cmp "$tmp/out/ptxccc-$version.tar.gz" "$tmp/again/ptxccc-$version.tar.gz"; }
no_tools() { # with flex and bison that fail
	mkdir -p "$tmp/bin" && printf '#!/bin/sh\nexit 9\n' >"$tmp/bin/flex" && cp "$tmp/bin/flex" "$tmp/bin/bison" && chmod +x "$tmp"/bin/* &&
		(cd "$tree" && PATH=$tmp/bin:$PATH ${MAKE:-make} -s B=out out/gen/ptx.tab.c out/gen/ptx.lex.c out/obj/parser/decl.o) &&
		for f in ptx.tab.c ptx.tab.h ptx.lex.c ptx.lex.h; do cmp "$tree/out/gen/$f" "$B/gen/$f" || return 1; done
}
t "make dist" made
[ $failed = 0 ] || finish
t "its files" files
t "the same again" same
t "without flex and bison" no_tools
finish
