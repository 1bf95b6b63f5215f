#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh: `make release`: its files and their checksums; the Debian package and the wheel have the same programs, which run
# where they are unpacked; the source archive is built without flex and bison. Changes that are not committed are refused. Needs
# git, python3, dpkg-deb and sha256sum.
set -u
cd "$(dirname "$0")/.." || exit 2
part=release tree=$PWD
. tests/t.sh
case ${B:-build} in *san) skip_all ;; esac
for tool in git python3 dpkg-deb sha256sum; do command -v $tool >/dev/null 2>&1 || skip_all; done
git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all
version=$(sed -n 's/^VERSION = //p' Makefile)
refused() { # before anything is built
	git clone -q "$tree" "$tmp/clone" && echo >>"$tmp/clone/README.md" && ! ${MAKE:-make} -s -C "$tmp/clone" release 2>"$tmp/said" && grep 'git diff HEAD' "$tmp/said" && [ ! -e "$tmp/clone/build" ]
}
made() {
	git diff --quiet HEAD -- || { echo "changes that are not committed"; return 77; }
	${MAKE:-make} -s release RELEASE="$tmp/out" && (cd "$tmp/out" && ls | sed "s/$version[^-_]*/V/; s/V\([-_]\).*\./V\1.../" && ls | wc -l | grep -x 4)
}
checksums() { (cd "$tmp/out" && sha256sum -c SHA256SUMS && [ "$(cut -c 67- SHA256SUMS | sort)" = "$(ls | grep -v SHA256SUMS | sort)" ]); }
runs() { # runs PREFIX
	"$1/bin/ptxccc" --choose=first --report -o "$tmp/o.ptx" samples/bfs.ptx && "$1/bin/ptxrun" --check "$tmp/o.ptx" | grep '1 of 1 kernels can run' &&
		"$1/bin/ptxccc-run" true && CCC_PTXAS=/bin/true "$1/lib/ptxccc/bin/ptxas" --version | grep '^ccc-ptxas '
}
deb() { dpkg-deb -x "$tmp"/out/*.deb "$tmp/deb" && runs "$tmp/deb/usr"; }
wheel() { python3 -m zipfile -e "$tmp"/out/*.whl "$tmp/wheel" && for f in bin/ptxccc bin/ptxrun lib/libptxccc.so.0 lib/ptxrun/libptxrun.so; do cmp "$tmp/deb/usr/$f" "$(find "$tmp/wheel" -path "*/${f#bin/}" -type f | head -1)" || return 1; done; }
source() { # with a flex and a bison that fail
	mkdir "$tmp/bin" && printf '#!/bin/sh\nexit 9\n' >"$tmp/bin/flex" && cp "$tmp/bin/flex" "$tmp/bin/bison" && chmod +x "$tmp"/bin/* && tar -xzf "$tmp/out/ptxccc-$version.tar.gz" -C "$tmp" && cd "$tmp/ptxccc-$version" &&
		PATH=$tmp/bin:$PATH ${MAKE:-make} -s -j2 CFLAGS=-O0 build/bin/ptxccc && build/bin/ptxccc --choose=first samples/bfs.ptx >"$tmp/from" && cmp "$tmp/from" "$tmp/o.ptx"
}
t "uncommitted changes" refused
t "make release" made
[ -e "$tmp/out/SHA256SUMS" ] || finish
t checksums checksums
t "Debian package" deb
t wheel wheel
t "source archive" source
finish
