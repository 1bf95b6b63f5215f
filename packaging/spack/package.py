# SPDX-License-Identifier: MIT
"""A recipe for Spack: in a repository, packages/ptxccc/package.py. It installs what `make install` installs; the nvcc that
cccnvcc runs is that on PATH, or of the loaded cuda package (CUDA_HOME)."""
from spack.package import *


class Ptxccc(MakefilePackage):
    """Compiler for divergent CUDA kernels (PTX to PTX), and an emulator of GPUs."""

    homepage = "https://github.com/OWNER/ptxccc"
    git = "https://github.com/OWNER/ptxccc.git"

    license("MIT")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("binutils", type="build")
    depends_on("flex", type="build")
    depends_on("bison@3.8:", type="build")

    conflicts("platform=darwin")
    conflicts("platform=windows")

    sanity_check_is_file = ["bin/cccnvcc", "bin/ptxrun", "lib/libptxccc.so.0", "lib/ptxrun/libcudart.so.13"]

    def build(self, spec, prefix):
        make("all")

    def install(self, spec, prefix):
        make("install", f"PREFIX={prefix}")
