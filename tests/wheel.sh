#!/bin/sh
# SPDX-License-Identifier: MIT
# wheel.sh: pip installs the result of `make wheel` into a new environment. Its programs are run by their paths, without this tree
# on PATH, also after the environment was moved. cccnvcc finds the nvcc of NVIDIA's wheels: with NETWORK=1 those of PyPI, else this
# machine's toolkit in their place. Needs python3 with venv.
set -u
cd "$(dirname "$0")/.." || exit 2
part=wheel tree=$PWD
. tests/t.sh
. tests/cuda.sh
case ${B:-build} in *san) skip_all ;; esac
python3 -c 'import ensurepip' 2>/dev/null || skip_all
unset PTXCCC_LIBRARY CCC_NVCC CUDA_HOME CUDA_PATH PYTHONPATH
env=$tmp/env
made() { ${MAKE:-make} -s wheel WHEEL="$tmp/out" && [ "$(ls "$tmp/out" | wc -l)" = 1 ] && wheel=$(echo "$tmp"/out/*.whl); }
same() { ${MAKE:-make} -s wheel WHEEL="$tmp/again" && cmp "$wheel" "$tmp/again/${wheel##*/}"; }
named() { case $wheel in */ptxccc-$(sed -n 's/^VERSION = //p' Makefile)-py3-none-manylinux_2_[0-9]*_$(uname -m).whl) ;; *) echo "$wheel"; return 1 ;; esac; }
audited() { # the tag promises no older C library than the binaries need
	command -v auditwheel >/dev/null 2>&1 || { echo "no auditwheel"; return 77; }
	tag=${wheel##*-none-} && auditwheel show "$wheel" | tr -d '\n' >"$tmp/audit" && cat "$tmp/audit" && grep -q "\"${tag%.whl}\"" "$tmp/audit"
}
installed() { python3 -m venv "$env" && "$env/bin/pip" install -q --no-index --no-deps "$wheel"; }
whole() { # all that `make install` installs, except the static library and the documents; without debugging information
	${MAKE:-make} -s install DESTDIR="$tmp/root" PREFIX= && (cd "$tmp/root" && find . ! -type d ! -path '*/doc/*' ! -name '*.a') >"$tmp/list" && [ "$(wc -l <"$tmp/list")" -gt 20 ] &&
		while read -r f; do [ -f "$env/$f" ] || { echo "no $f"; return 1; }; done <"$tmp/list" && ! readelf -S "$env/bin/ptxccc" | grep -q debug_info
}
bare() { (cd "$tmp" && env -i HOME="$tmp" TMPDIR="$tmp" PATH=/usr/bin:/bin "$@"); }
programs() { # programs ENVIRONMENT
	bare "$1/bin/ptxccc" --choose=first -o o.ptx "$tree/samples/bfs.ptx" && bare "$1/bin/ptxrun" --check o.ptx | grep '1 of 1 kernels can run' && bare "$1/bin/cccnvcc" --ccc-version | grep ptxccc &&
		bare "$1/bin/ccc-tune" --version | grep ccc-tune && bare CCC_PTXAS=/bin/true "$1/lib/ptxccc/bin/ptxas" --version | grep '^ccc-ptxas ' && bare "$1/bin/ptxccc-run" true && bare "$1/bin/ptxrun" -- sh -c 'case $LD_LIBRARY_PATH in */lib/ptxrun*) ;; *) exit 9 ;; esac' 2>&1 | grep 'did not use the CUDA runtime'
}
python() { bare "$1/bin/python3" -c "import ptxccc; print(ptxccc.transform(open('$tree/samples/bfs.ptx').read(), policy='stack').sites[0]['policy'])" | grep -x stack; }
c_program() {
	printf '#include <ptxccc/ptxccc.h>\n#include <stdio.h>\nint main(void) { puts(ptxccc_version()); return 0; }\n' >"$tmp/c.c"
	cc -I"$env/include" -o "$tmp/c" "$tmp/c.c" -L"$env/lib" -lptxccc -Wl,-rpath,"$env/lib" && "$tmp/c" | grep '^[0-9]' || return
	command -v pkg-config >/dev/null 2>&1 || return 0
	[ "$(PKG_CONFIG_PATH=$env/lib/pkgconfig pkg-config --variable=libdir ptxccc)" -ef "$env/lib" ]
}
toolkit() { # puts nvcc where NVIDIA's wheels put it
	if [ "${NETWORK:-}" ]; then "$env/bin/pip" install -q nvidia-cuda-nvcc || return
	else
		[ -n "$nvcc" ] || { echo "no nvcc"; return 77; }
		site=$(echo "$env"/lib/python3*/site-packages) && mkdir -p "$site/nvidia" && ln -s "$(dirname "$(dirname "$(readlink -f "$nvcc")")")" "$site/nvidia/cu13"
	fi
}
compiles() { # compiles ENVIRONMENT: and runs on the emulator
	ls "$1"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc || return 77
	bare "$1/bin/cccnvcc" -arch=sm_90 --ccc-report "$tree/samples/primes.cu" -o primes >"$tmp/said" 2>&1 && grep 'transformed, policy' "$tmp/said" && grep 'registers: ' "$tmp/said" &&
		bare "$1/bin/ptxrun" -- ./primes --count 100 | grep 'primes in .*, ok$'
}
path_first() { # an nvcc on PATH takes precedence
	printf '#!/bin/sh\necho mine\n' >"$tmp/nvcc" && chmod +x "$tmp/nvcc" && (cd "$tmp" && PATH=$tmp:/usr/bin:/bin "$env/bin/cccnvcc" --ccc-off --version | grep -x mine)
}
moved() { mv "$env" "$tmp/elsewhere" && programs "$tmp/elsewhere" && { [ -z "$nvcc" ] || compiles "$tmp/elsewhere"; }; }
t "make wheel" made
[ $failed = 0 ] || finish
t "the same again" same
t "tag" named
t "auditwheel" audited
t "install" installed
t "all of it" whole
t "programs" programs "$env"
t "Python" python "$env"
t "C" c_program
t "nvcc of the wheels" toolkit
t "cccnvcc" compiles "$env"
t "nvcc on PATH" path_first
t "moved" moved
finish
