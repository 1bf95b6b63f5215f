#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: generates cuts.ptx from cuts.cu, apart.ptx from apart.cu, plain.ptx from plain.cu (also without annotations), below.ptx, rest.ptx, guard.ptx,
# advice.ptx and parts.ptx.
# Needs nvcc; the tests need only the results.
set -eu
cd "$(dirname "$0")"
# Removes the name of the build folder, and labels that only fat binaries need.
make() { # OPTION NAME PTX; KEEP: with the labels, which begin blocks
	${CCCNVCC:-../../build/bin/cccnvcc} --ccc-$1 -lineinfo -arch=sm_75 -diag-suppress 20199 -ptx $2.cu -o cuts.tmp.ptx
	sed "s|\"$PWD/|\"/src/|; s|\"/.*/include/|\"/include/|; ${KEEP:-/^\$ccc__/d}" cuts.tmp.ptx >$3.ptx
	echo '// SPDX-License-Identifier: MIT' >>$3.ptx
}
for name in cuts apart plain; do
	make markers-only $name $name
done
for name in below rest guard; do
	KEEP='s/^//' make markers-only $name $name
done
make off plain plain.off
for name in advice parts; do
	make off $name $name
done
rm cuts.tmp.ptx
