# SPDX-License-Identifier: MIT
# Sourced by benchmarks at the root of the tree: sets the programs and the architecture, from the environment or to defaults, and
# parses the common arguments. modes: arguments of the benchmark itself, without dashes; $mode receives the one given.
CCCNVCC=${CCCNVCC:-build/bin/cccnvcc} NVCC=${NVCC:-nvcc} NCU=${NCU:-ncu}
if [ -z "${ARCH:-}" ]; then
	if nvidia-smi -L >/dev/null 2>&1; then ARCH=native; else ARCH=sm_90; fi
fi
export CCCNVCC ARCH
FLAGS="-O3 -std=c++17 -arch=$ARCH -Wno-deprecated-gpu-targets"
build=yes run=yes quick=
for arg; do
	case $arg in
	--build) run= ;;
	--no-build) build= ;;
	--quick) quick=--quick ;;
	*)
		case " ${modes:-} " in
		*" ${arg#--} "*) mode=${arg#--} ;;
		*) sed -n '/^# [A-Z][a-z]/,/^$/{ /^$/q; s/^# \{0,1\}//p; }' "$0" >&2; exit 2 ;;
		esac ;;
	esac
done
