#!/bin/sh
# SPDX-License-Identifier: MIT
# stage.sh ROOT PREFIX: installs into ROOT, without debugging information, what `make install` installs. Common part of the packages.
set -eu
cd "$(dirname "$0")/.."
root=$(readlink -m "${1:?}") prefix=${2?}
to=$root$prefix
${MAKE:-make} -s install DESTDIR="$root" PREFIX="$prefix"
command -v strip >/dev/null 2>&1 || exit 0
for file in "$to"/bin/*; do
	case $(head -c 4 "$file" | tr -d '\0') in
	*ELF) strip "$file" ;;
	esac
done
strip --strip-unneeded "$to"/lib/libptxccc.so.0 "$to"/lib/ptxrun/lib*.so* "$to"/lib/ptxccc/lib*.so
strip --strip-debug "$to"/lib/libptxccc.a
# cccnvcc contains a checksum of its programs, which stripping has changed.
id=$(cat annotate/cccnvcc.sh "$to/bin/ptxccc" "$to/bin/ccc-annotate" "$to/lib/libptxccc.so.0" | cksum | tr ' ' -)
sed "s/@ID@/$id/" annotate/cccnvcc.sh >"$to/bin/cccnvcc"
