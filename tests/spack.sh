#!/bin/sh
# SPDX-License-Identifier: MIT
# spack.sh: the Spack recipe (make spack) and the container file, without Spack and without a container engine: the recipe's
# addresses, version, tools and files, its installation, and the packages and commands of the container file. Needs python3.
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
makefile = "spack_repo.builtin.build_systems.makefile"
for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems", makefile):
    sys.modules[name] = types.ModuleType(name)
sys.modules["spack.package"] = spack
sys.modules[makefile].MakefilePackage = object
names = {}
exec(compile(open(sys.argv[1]).read(), "package.py", "exec"), names)
recipe = names["Ptxccc"]()
if len(sys.argv) > 2:
    recipe.build(None, sys.argv[2])
    recipe.install(None, sys.argv[2])
print("home", recipe.homepage, recipe.git)
for f in recipe.sanity_check_is_file:
    print("file", f)
END
home=https://host.invalid/ptxccc recipe=$tmp/repo/spack_repo/ptxccc/packages/ptxccc/package.py
made() {
	! ${MAKE:-make} -s spack SPACK="$tmp/none" HOMEPAGE= 2>"$tmp/said" && grep -q "needs the repository's address" "$tmp/said" && [ ! -e "$tmp/none" ] || return
	${MAKE:-make} -s spack SPACK="$tmp/repo" HOMEPAGE=$home && grep -x '  namespace: ptxccc' "$tmp/repo/spack_repo/ptxccc/repo.yaml" && ! grep '@[a-z]*@' "$recipe"
}
fields() {
	version=$(sed -n 's/^VERSION = //p' Makefile)
	python3 "$tmp/run.py" "$recipe" >"$tmp/said" && cat "$tmp/said" && grep -x "version $version v$version" "$tmp/said" && grep -x 'license MIT' "$tmp/said" && grep -x "home $home $home.git" "$tmp/said" &&
		for tool in c binutils flex bison@3.8:; do grep -qx "depends_on $tool build" "$tmp/said" || return 1; done
}
installs() { python3 "$tmp/run.py" "$recipe" "$tmp/prefix" >"$tmp/said" && sed -n 's/^file //p' "$tmp/said" | while read -r f; do [ -f "$tmp/prefix/$f" ] || { echo "no $f"; return 1; }; done && "$tmp/prefix/bin/cccnvcc" --ccc-version; }
container() { # its commands are shell
	sed -n 's/^RUN //p' packaging/Containerfile >"$tmp/commands" && [ "$(wc -l <"$tmp/commands")" = 2 ] && sh -n "$tmp/commands" && grep -q 'ptxccc-\*.whl nvidia-cuda-nvcc nvidia-cuda-cccl' "$tmp/commands"
}
t "make spack" made
[ $failed = 0 ] || finish
t fields fields
t install installs
t "container file" container
finish
