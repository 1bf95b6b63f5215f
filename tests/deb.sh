#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh: installs the Debian package in a folder that dpkg treats as the root, runs the programs, and removes the package
# without a trace. Needs dpkg-deb, and root or fakeroot to chown.
set -u
cd "$(dirname "$0")/.." || exit 2
part=deb
. tests/t.sh
[ "$(id -u)" = 0 ] && command -v dpkg-deb >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || skip_all
root=$tmp/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers" "$root/tmp"
: >"$root/var/lib/dpkg/status"
packager() { dpkg --root="$root" --force-depends --force-script-chrootless --log=/dev/null "$@"; }
made() { ${MAKE:-make} -s deb DEB="$tmp/out" && [ "$(ls "$tmp/out" | wc -l)" = 1 ] && deb=$(echo "$tmp"/out/*.deb) && dpkg-deb -I "$deb"; }
fields() {
	[ "$(dpkg-deb -f "$deb" Package)" = ptxccc ] && dpkg-deb -f "$deb" Version | grep "^$(sed -n 's/^VERSION = //p' Makefile)" &&
		dpkg-deb -f "$deb" Depends | grep libc6 && dpkg-deb -c "$deb" >"$tmp/list" && ! grep -v ' root/root ' "$tmp/list" && ! grep ' \./usr/local' "$tmp/list"
}
installed() { packager -i "$deb" && grep -q '^Status: install ok installed' "$root/var/lib/dpkg/status"; }
whole() { (cd "$root" && sed 's/^/&/' var/lib/dpkg/info/ptxccc.md5sums | md5sum --quiet -c -); }
runs() {
	"$root/usr/bin/ptxccc" --report -o "$tmp/o.ptx" samples/bfs.ptx && "$root/usr/bin/ptxrun" --check "$tmp/o.ptx" | grep '1 of 1 kernels can run' &&
		"$root/usr/bin/cccnvcc" --ccc-version | grep -q ptxccc && gzip -dc "$root/usr/share/man/man7/ptxccc-annotations.7.gz" | grep -q reduction
}
# A program that is not linked with the sanitizers must load their libraries first.
sanitizers=
case ${B:-build} in */san) sanitizers=$(cc -print-file-name=libasan.so) ;; esac
emulates() {
	cc -std=c11 -D_DEFAULT_SOURCE -o "$tmp/driver" tests/libcuda/driver.c -ldl && ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$sanitizers "$root/usr/bin/ptxrun" -- "$tmp/driver" tests/libcuda/kernels.ptx >"$tmp/said" &&
		grep -q '^ok' "$tmp/said"
}
same() { ${MAKE:-make} -s deb DEB="$tmp/twice" && cmp "$deb" "$tmp"/twice/*.deb; }
again() { packager -i "$deb"; } # as an upgrade does
removed() { packager -P ptxccc && find "$root" -path "$root/var" -prune -o ! -type d -print | tee "$tmp/left" && [ ! -s "$tmp/left" ] && [ ! -e "$root/usr/share/doc/ptxccc" ]; }
t "make deb" made
[ $failed = 0 ] || finish
t "the same again" same
t fields fields
t install installed
t "as packed" whole
t programs runs
t "a program of the driver interface" emulates
t "install again" again
t remove removed
finish
