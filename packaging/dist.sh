#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh FOLDER: puts a source archive of the current commit into FOLDER, with the parser and the scanner that bison and flex
# generate, so that building it needs neither. B and VERSION come from the Makefile. It is the same for the same commit.
set -eu
cd "$(dirname "$0")/.."
to=${1:?} name=ptxccc-${VERSION:?}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM
git archive --prefix="$name/" HEAD | tar -xf - -C "$stage"
mkdir "$stage/$name/generated"
cp "${B:?}"/gen/ptx.tab.[ch] "$B"/gen/ptx.lex.[ch] "$stage/$name/generated"
mkdir -p "$to"
tar -cf - -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$(git log -1 --format=%cI)" "$name" | gzip -9n >"$to/$name.tar.gz"
