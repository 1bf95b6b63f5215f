#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh: `make install` installs programs that run, manuals that can be formatted, documents with valid links, and
# completion; `make uninstall` removes all of it.
set -u
cd "$(dirname "$0")/.." || exit 2
part=install
. tests/t.sh
B=${B:-build}
case $B in */san) sanitized=SAN=1 ;; *) sanitized= ;; esac
to=$tmp/inst
install_it() { ${MAKE:-make} -s $sanitized install PREFIX="$1" ${2:+DESTDIR="$2"} && [ -x "${2:-}$1/bin/cccnvcc" ]; }
runs() {
	cmp samples/bfs.ptx "$to/share/doc/ptxccc/samples/bfs.ptx" && "$to/bin/ptxccc" --report -o "$tmp/o.ptx" samples/bfs.ptx &&
		"$to/bin/ptxrun" --check "$tmp/o.ptx" | grep '1 of 1 kernels can run' && "$to/bin/cccnvcc" --ccc-version && "$to/bin/ccc-tune" --version && [ -f "$to/lib/ptxccc/libccc-events.so" ] &&
		printf '#!/bin/sh\necho that of NVIDIA\n' >"$tmp/ptxas" && chmod +x "$tmp/ptxas" && CCC_PTXAS=$tmp/ptxas "$to/lib/ptxccc/bin/ptxas" --version | grep -q '^ccc-ptxas ' &&
		"$to/bin/ptxccc-run" sh -c 'echo "$LD_PRELOAD"' | grep -q libptxccc-run.so
}
emulates() { # a program of the driver interface: ptxrun finds its libraries
	[ -z "$sanitized" ] || { echo "the sanitizers' libraries would have to be there first"; return 77; }
	cc -std=c11 -D_DEFAULT_SOURCE -o "$tmp/driver" tests/libcuda/driver.c -ldl && "$to/bin/ptxrun" -- "$tmp/driver" tests/libcuda/kernels.ptx >"$tmp/said" && grep -q '^ok' "$tmp/said"
}
version() {
	want="ptxccc $(sed -n 's/^VERSION = //p' Makefile)"
	commit=$([ ! -e .git ] || git rev-parse --short=10 HEAD 2>/dev/null)
	"$to/bin/ptxccc" --version >"$tmp/version" && cat "$tmp/version" && grep -q -x "$want${commit:+ ($commit)}" "$tmp/version" &&
		[ "$("$to/bin/cccnvcc" --ccc-version)" = "$(cat "$tmp/version")" ]
}
manuals() {
	command -v mandoc >/dev/null 2>&1 || { echo "no mandoc"; return 77; }
	find "$to/share/man" -type f >"$tmp/pages" && [ "$(wc -l <"$tmp/pages")" = 8 ] || return 1
	while read -r page; do mandoc -Tlint -Werror "$page" || return 1; done <"$tmp/pages"
}
# [text](file): every link that is not a URL
links() {
	n=0
	(cd "$to/share/doc/ptxccc" && find . -name '*.md') >"$tmp/documents"
	while read -r doc; do
		for link in $(sed '/^```/,/^```/d' "$to/share/doc/ptxccc/$doc" | grep -o '](\([^)#]*\)[)#]' | sed 's/^](//; s/[)#]$//' | grep -v '^https*:\|^$'); do
			n=$((n + 1))
			[ -e "$to/share/doc/ptxccc/$(dirname "$doc")/$link" ] || { echo "$doc: no $link"; return 1; }
		done
	done <"$tmp/documents"
	[ $n -gt 20 ]
}
completion() {
	bash=$to/share/bash-completion/completions
	[ -s "$to/share/zsh/site-functions/_ptxccc" ] && grep -q cccnvcc "$bash/cccnvcc" && cmp "$bash/ptxrun" "$bash/ptxccc"
}
alone() { # without Python, and with a compiler elsewhere that programs must not use
	mkdir "$tmp/no" "$tmp/other" && for p in python python3 pip; do printf '#!/bin/sh\nexit 9\n' >"$tmp/no/$p" && chmod +x "$tmp/no/$p"; done && : >"$tmp/other/libptxccc.so.0" || return
	PATH=$tmp/no:$PATH install_it "$tmp/alone" >"$tmp/said" && grep '^not installed: the Python package' "$tmp/said" || return
	mv "$tmp/alone" "$tmp/moved" && LD_LIBRARY_PATH=$tmp/other "$tmp/moved/bin/ptxccc" --choose=first -o "$tmp/o.ptx" samples/bfs.ptx && LD_LIBRARY_PATH=$tmp/other "$tmp/moved/lib/ptxccc/bin/ptxas" --version | grep '^ccc-ptxas ' &&
		LD_LIBRARY_PATH=$tmp/other "$tmp/moved/bin/ptxccc-run" true
}
staged() { install_it /usr "$tmp/stage" && grep -q '^prefix=/usr$' "$tmp/stage/usr/lib/pkgconfig/ptxccc.pc" && ! grep -rq "$tmp" "$tmp/stage"; }
gone() {
	${MAKE:-make} -s $sanitized uninstall PREFIX="$to" && ${MAKE:-make} -s $sanitized uninstall PREFIX=/usr DESTDIR="$tmp/stage" && find "$to" "$tmp/stage" ! -type d >"$tmp/left" && cat "$tmp/left" && [ ! -s "$tmp/left" ]
}
t install install_it "$to"
t programs runs
t "a program of the driver interface" emulates
t version version
t manuals manuals
t links links
t completion completion
t "without Python, and moved" alone
t "into a package's folder" staged
t uninstall gone
finish
