#!/bin/sh
# SPDX-License-Identifier: MIT
# need.sh TOOL...: checks that the tools exist, and that a compiler finds the C library's headers. Installs what is missing
# with apt-get if that is possible without a password (as root or by sudo); otherwise prints the exact command and fails.
set -u

# reads COMPILER LANGUAGE HEADER
reads() {
	# shellcheck disable=SC2086
	echo "#include <$3>" | $1 -E -x "$2" - >/dev/null 2>&1
}

works() {
	command -v "${1%% *}" >/dev/null 2>&1 || return
	case $1 in
	*++*) reads "$1" c++ cstdio ;;
	*cc* | *clang*) reads "$1" c stdio.h ;;
	esac
}

# packages TOOL: a tool may be a command with options, "ccache gcc -m64".
packages() {
	for word in $1; do
		case $word in
		-*) ;;
		cc | gcc) echo gcc libc6-dev ;;
		c++ | g++) echo g++ ;;
		*cc* | *clang*) echo "$word" libc6-dev ;;
		ar | ld | objcopy | objdump | strip) echo binutils ;;
		dpkg-deb) echo dpkg ;;
		*) echo "$word" ;;
		esac
	done
}

missing=
for tool in "$@"; do
	works "$tool" && continue
	for p in $(packages "$tool"); do
		case "$missing " in *" $p "*) ;; *) missing="$missing $p" ;; esac
	done
done
[ -z "$missing" ] && exit 0

sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
if command -v apt-get >/dev/null 2>&1 && { [ -z "$sudo" ] || $sudo true 2>/dev/null; }; then
	echo "installing$missing" >&2
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	install() { $sudo apt-get install -y -q $missing; }
	{ install || { $sudo apt-get update -q && install; }; } >&2 && exit 0
fi
echo "missing:$missing. Type:  sudo apt-get install$missing" >&2
exit 1
