#!/bin/sh
# SPDX-License-Identifier: MIT
# toolkits.sh FOLDER [VERSION ...]: fetches other releases of nvcc into FOLDER and runs matrix.sh with each (default: 12.4
# 12.5 13.1 13.2 13.5); with those of 13 also tests/cudart, programs on the emulator. Needs the network, apt-get and pip;
# installs nothing outside FOLDER. Not part of make check.
#
#	13.x         PyPI: the wheels contain the whole compiler
#	12.4, 12.5   Debian's package nvidia-cuda-toolkit (non-free) from Debian 13 and experimental, and headers from PyPI, arranged
#	             as in a toolkit. The wheels of 12.x have neither nvcc nor cicc.
#	12.6 to 12.9 the same of 12.5, with ptxas from PyPI. Its nvlink rejects the output, so separate compilation fails.
#
# GPU=FOLDER: builds the programs of tests/gpu with each release instead, in FOLDER/VERSION; on a machine with a GPU, STEP=run
# OUT=FOLDER/VERSION sh tests/gpu/run.sh runs them there (with LD_LIBRARY_PATH=FOLDER/VERSION/lib for 12.x, which use a shared
# runtime).
set -u
[ $# -gt 0 ] || { echo "usage: toolkits.sh FOLDER [VERSION ...]" >&2; exit 2; }
mkdir -p "$1" || exit 2
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- 12.4 12.5 13.1 13.2 13.5
[ -z "${GPU:-}" ] || GPU=$(mkdir -p "$GPU" && cd "$GPU" && pwd) || exit 2

wheels() { # wheels FOLDER PACKAGE==VERSION ...
	folder=$1
	shift
	python3 -m pip -q --disable-pip-version-check install --root-user-action=ignore --target "$folder" "$@" >&2
}

from_pypi() { # from_pypi VERSION: prints the folder of its toolkit
	[ -x "$to/$1/nvidia/cu13/bin/nvcc" ] || wheels "$to/$1" "nvidia-cuda-nvcc==$1.*" "nvidia-nvvm==$1.*" "nvidia-cuda-crt==$1.*" \
		"nvidia-cuda-runtime==$1.*" "nvidia-cuda-cccl>=13,<=$1.99999" || return
	echo "$to/$1/nvidia/cu13"
}

debian() { # debian SUITE apt-get's COMMAND ...: with separate package lists
	apt=$to/apt/$1
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $1 non-free" >"$apt/sources"
	shift
	apt-get -q -o Dir::Etc::sourcelist="$apt/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$apt/lists" \
		-o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root "$@" >&2
}

from_debian() { # from_debian VERSION SUITE
	kit=$to/$1
	echo "$kit"
	[ ! -x "$kit/bin/nvcc" ] || return 0
	rm -rf "$to/deb" "$to/rt"
	mkdir -p "$to/deb" "$kit/bin" "$kit/nvvm/bin" "$kit/include" "$kit/lib" || return
	(cd "$to/deb" && debian "$2" update && debian "$2" download nvidia-cuda-toolkit && dpkg -x nvidia-cuda-toolkit*.deb .) || return
	wheels "$to/rt" --no-deps "nvidia-cuda-runtime-cu12==$1.*" "nvidia-cuda-nvcc-cu12==$1.*" || return
	lib=$to/deb/usr/lib/nvidia-cuda-toolkit usr=$to/deb/usr/bin
	cp -r "$to"/rt/nvidia/*/include/. "$kit/include/" && cp "$to"/rt/nvidia/cuda_runtime/lib/lib* "$kit/lib/" &&
		ln -sf libcudart.so.12 "$kit/lib/libcudart.so" && cp -r "$lib/libdevice" "$kit/nvvm/" && cp "$lib/bin/cicc" "$kit/nvvm/bin/" &&
		cp -r "$lib/bin/crt" "$usr/ptxas" "$usr/fatbinary" "$usr/cudafe++" "$usr/nvlink" "$usr/bin2c" "$usr/__nvcc_device_query" "$kit/bin/" || return
	cat >"$kit/bin/nvcc.profile" <<-'E2' && cp "$lib/bin/nvcc" "$kit/bin/"
		TOP              = $(_HERE_)/..
		CICC_PATH        = $(TOP)/nvvm/bin
		NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
		LD_LIBRARY_PATH += $(TOP)/lib:
		PATH            += $(CICC_PATH):$(_HERE_):
		INCLUDES        +=  "-I$(TOP)/include" $(_SPACE_)
		LIBRARIES       =+ $(_SPACE_) "-L$(TOP)/lib"
	E2
}

from_both() { # from_both VERSION
	kit=$to/$1
	echo "$kit"
	[ ! -x "$kit/bin/nvcc" ] || return 0
	base=$(from_debian 12.5 experimental) && wheels "$to/ptxas" --no-deps "nvidia-cuda-nvcc-cu12==$1.*" || return
	cp -R "$base" "$kit" && mv "$to/ptxas/nvidia/cuda_nvcc/bin/ptxas" "$kit/bin/" && rm -r "$to/ptxas"
}

rc=0
shared='-cudart shared -cudadevrt none' # from_debian has no static libraries
for v; do
	options=
	case $v in
	13.*) kit=$(from_pypi "$v") ;;
	12.4) kit=$(from_debian 12.4 trixie) && options=$shared ;;
	12.5) kit=$(from_debian 12.5 experimental) && options=$shared ;;
	12.[6-9]) kit=$(from_both "$v") && options=$shared ;;
	*) echo "toolkits.sh: no source for $v" >&2; exit 2 ;;
	esac || { echo "toolkits.sh: $v cannot be fetched" >&2; rc=1; continue; }
	"$kit/bin/ptxas" --version | sed -n 's/^Cuda compilation tools, /toolkit: /p'
	if [ -n "${GPU:-}" ]; then
		CCC_NVCC=$kit/bin/nvcc LD_LIBRARY_PATH=$kit/lib CCCFLAGS=$options STEP=build OUT=$GPU/$v sh "$here/../gpu/run.sh" || rc=1
		[ -z "$options" ] || cp -R "$kit/lib" "$GPU/$v/" || rc=1
		continue
	fi
	CCC_NVCC=$kit/bin/nvcc OPTIONS=$options LD_LIBRARY_PATH=$kit/lib sh "$here/matrix.sh" || rc=1
	[ -n "$options" ] || CCC_NVCC=$kit/bin/nvcc LD_LIBRARY_PATH=$kit/lib sh "$here/../cudart/run.sh" || rc=1
done
exit $rc
