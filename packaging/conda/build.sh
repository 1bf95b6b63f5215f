#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh: what conda-build runs in a copy of the source (SRC_DIR), with its compilers in CC and CFLAGS, to fill PREFIX.
set -eu
cd "${SRC_DIR:-$(dirname "$0")/../..}"
make -j"${CPU_COUNT:-1}" install PREFIX="${PREFIX:?}"
