# SPDX-License-Identifier: MIT
"""Packages the library, too: PTXCCC_LIBRARY, or the one that `make` built in this tree."""
import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

LIBRARY = pathlib.Path(os.environ.get("PTXCCC_LIBRARY") or pathlib.Path(__file__).resolve().parents[1] / "build/lib/libptxccc.so.0")


class Build(build_py):
    def run(self):
        super().run()
        if not LIBRARY.exists():
            raise SystemExit(f"there is no '{LIBRARY}': run make first, or set PTXCCC_LIBRARY")
        shutil.copyfile(LIBRARY, pathlib.Path(self.build_lib) / "ptxccc" / "libptxccc.so.0")


class Platform(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build}, distclass=Platform)
