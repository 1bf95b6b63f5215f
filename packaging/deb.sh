#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh FOLDER: puts a Debian package of what `make install` installs into FOLDER. VERSION, HOMEPAGE and MAINTAINER come from the
# Makefile. Needs dpkg-deb; dpkg-shlibdeps, if available, finds the oldest C library that suffices. No maintainer scripts: nothing
# runs when the package is installed or removed. The version names the commit, except at the tag of the version. The package is
# the same for the same commit.
set -eu
cd "$(dirname "$0")/.."
to=${1:?}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM
arch=$(dpkg --print-architecture)
commit=$([ ! -e .git ] || git rev-parse --short=10 HEAD 2>/dev/null || true)
[ -z "$commit" ] || ! git tag --points-at HEAD | grep -qx "v${VERSION:?}" || commit=
version=${VERSION:?}${commit:++git.$commit}
[ ! -e .git ] || SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null)} && export SOURCE_DATE_EPOCH
root=$stage/root
mkdir -m 755 "$root"
umask 022

sh packaging/stage.sh "$root" /usr
find "$root/usr/share/man" -type f -exec gzip -9n {} +
mv "$root/usr/share/doc/ptxccc/CHANGELOG.md" "$stage/changelog"
gzip -9nc "$stage/changelog" >"$root/usr/share/doc/ptxccc/changelog.gz"
ln -s changelog.gz "$root/usr/share/doc/ptxccc/CHANGELOG.md.gz"
mv "$root/usr/share/doc/ptxccc/LICENSE" "$root/usr/share/doc/ptxccc/copyright"
ln -s copyright "$root/usr/share/doc/ptxccc/LICENSE"

depends=libc6
if command -v dpkg-shlibdeps >/dev/null 2>&1; then
	mkdir "$stage/debian" && echo 'Source: ptxccc' >"$stage/debian/control"
	depends=$(cd "$stage" && dpkg-shlibdeps -O "$root"/usr/bin/ptxccc "$root"/usr/bin/ptxrun "$root"/usr/lib/libptxccc.so.0 "$root"/usr/lib/ptxrun/libptxrun.so 2>/dev/null |
		sed -n 's/^shlibs:Depends=//p')
fi
mkdir -m 755 "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: ptxccc
Version: $version
Architecture: $arch
Maintainer: ${MAINTAINER:?}${HOMEPAGE:+
Homepage: $HOMEPAGE}
Depends: ${depends:-libc6}
Recommends: g++
Suggests: nvidia-cuda-toolkit
Section: devel
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Description: compiler for divergent CUDA kernels, and an emulator of GPUs
 cccnvcc compiles CUDA programs whose divergent loops are annotated (#pragma
 ccc), so that no lane of a warp waits for others: Collaborative Context
 Collection, on PTX. ptxrun runs CUDA programs on the CPU, and reports races,
 deadlocks, and the lines where lanes are lost. ccc-tune chooses how loops are
 compiled by measurement.
END
(cd "$root" && find usr -type f -exec md5sum {} +) >"$root/DEBIAN/md5sums"
mkdir -p "$to"
dpkg-deb --root-owner-group --build "$root" "$to/ptxccc_${version}_$arch.deb"
