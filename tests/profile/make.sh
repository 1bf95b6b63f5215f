#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: makes cuts.ptx of cuts.cu, and advice.ptx and parts.ptx. Needs nvcc; tests need only what it makes.
set -eu
cd "$(dirname "$0")"
${CCCNVCC:-../../build/bin/cccnvcc} --ccc-markers-only -lineinfo -arch=sm_75 -ptx cuts.cu -o cuts.tmp.ptx
# The folder that it was made in is nobody's business; and labels are for fat binaries.
sed "s|\"$PWD/|\"/src/|; /^\$ccc__/d" cuts.tmp.ptx >cuts.ptx
echo '// SPDX-License-Identifier: MIT' >>cuts.ptx
for name in advice parts; do
	${CCCNVCC:-../../build/bin/cccnvcc} --ccc-off -lineinfo -arch=sm_75 -ptx $name.cu -o cuts.tmp.ptx
	sed "s|\"$PWD/|\"/src/|" cuts.tmp.ptx >$name.ptx
	echo '// SPDX-License-Identifier: MIT' >>$name.ptx
done
rm cuts.tmp.ptx
