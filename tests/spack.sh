#!/bin/sh
# SPDX-License-Identifier: MIT
# spack.sh: the Spack recipe and the container file (packaging/), without Spack and without a container engine: the recipe's
# version, tools and files, its installation, and the packages and commands of the container file. Needs python3.
set -u
cd "$(dirname "$0")/.." || exit 2
part=spack tree=$PWD
. tests/t.sh
command -v python3 >/dev/null 2>&1 || skip_all
# Executes the recipe with stand-ins for Spack's directives, which print their arguments, and its phases with make.
cat >"$tmp/run.py" <<'END'
import subprocess, sys, types
spack = types.ModuleType("spack.package")
for name in ("license", "version", "depends_on", "conflicts"):
    setattr(spack, name, lambda *a, _n=name, **k: print(_n, *a, *k.values()))
spack.make = lambda *a: subprocess.run(["make", "-s", *a], check=True)
spack.MakefilePackage = object
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = spack
names = {}
exec(compile(open("packaging/spack/package.py").read(), "package.py", "exec"), names)
recipe = names["Ptxccc"]()
if len(sys.argv) > 1:
    recipe.build(None, sys.argv[1])
    recipe.install(None, sys.argv[1])
for f in recipe.sanity_check_is_file:
    print("file", f)
END
fields() {
	python3 "$tmp/run.py" >"$tmp/said" && cat "$tmp/said" && grep "^version $(sed -n 's/^VERSION = //p' Makefile) v" "$tmp/said" && grep -x 'license MIT' "$tmp/said" &&
		for tool in c gmake binutils flex bison@3.8:; do grep -qx "depends_on $tool build" "$tmp/said" || return 1; done
}
installs() { python3 "$tmp/run.py" "$tmp/prefix" >"$tmp/said" && sed -n 's/^file //p' "$tmp/said" | while read -r f; do [ -f "$tmp/prefix/$f" ] || { echo "no $f"; return 1; }; done && "$tmp/prefix/bin/cccnvcc" --ccc-version; }
container() { # its commands are shell
	sed -n 's/^RUN //p' packaging/Containerfile >"$tmp/commands" && [ "$(wc -l <"$tmp/commands")" = 2 ] && sh -n "$tmp/commands" && grep -q 'ptxccc-\*.whl nvidia-cuda-nvcc nvidia-cuda-cccl' "$tmp/commands"
}
t fields fields
t install installs
t "container file" container
finish
