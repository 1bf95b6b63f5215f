#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: generates scatter.ptx from scatter.cu, and scatter.off.ptx without its annotations. Needs nvcc; the tests need only the results.
set -eu
cd "$(dirname "$0")"
make() { # OPTION PTX
	${CCCNVCC:-../../build/bin/cccnvcc} --ccc-$1 -lineinfo -arch=sm_80 -diag-suppress 20199 -ptx scatter.cu -o tmp.ptx
	sed "s|\"$PWD/|\"/src/|; s|\"scatter.cu\"|\"/src/scatter.cu\"|" tmp.ptx >"$2"
	echo '// SPDX-License-Identifier: MIT' >>"$2"
}
make markers-only scatter.ptx
make off scatter.off.ptx
rm tmp.ptx
