# SPDX-License-Identifier: MIT
"""wheel.py STAGE OUT: makes a wheel of a staged installation (stage.sh) and of the Python package.

The installation goes to the environment's own folders (bin, lib, include, share), in which the programs find each other
as everywhere else. The tag names the oldest C library that the binaries need. A wheel has no symbolic links: instead of
libptxccc.so it has a linker script. It omits the static library and the documents. It is the same for the same input."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

stage, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
tree = pathlib.Path(__file__).resolve().parents[1]
project = (tree / "python/pyproject.toml").read_text()


def field(name):
    return re.search(rf'^{name} = "(.*)"$', project, re.M)[1]


POLICIES = (2, 17), (2, 28), (2, 31), (2, 34), (2, 35)  # manylinux policies in use


def policy(files):
    """Returns the first policy that allows the symbols of the C library that the programs and libraries among the files need."""
    elf = [str(f) for f in files if f.read_bytes()[:4] == b"\x7fELF"]
    table = subprocess.run(["objdump", "-T", *elf], check=True, capture_output=True, text=True).stdout
    needed = max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", table))
    return next((p for p in POLICIES if p >= needed), needed)


def wanted(path):
    return path.is_file() and path.suffix != ".a" and "doc" not in path.relative_to(stage).parts


files = {p.relative_to(stage).as_posix(): p for p in sorted(stage.rglob("*")) if wanted(p)}
name, version = field("name"), field("version")
homepage = os.environ.get("HOMEPAGE")
machine = subprocess.run(["uname", "-m"], check=True, capture_output=True, text=True).stdout.strip()
tag = "py3-none-manylinux_%d_%d_%s" % (*policy(files.values()), machine)
info, data = f"{name}-{version}.dist-info", f"{name}-{version}.data"

members = {}  # name: content, executable
for path, file in files.items():
    content = file.read_bytes()
    if path == "lib/libptxccc.so":
        content = b"INPUT(-l:libptxccc.so.0)\n"
    if path.endswith(".pc"):
        content = re.sub(rb"(?m)^prefix=.*", b"prefix=${pcfiledir}/../..", content)
    where = ("scripts/" + path[4:]) if path.startswith("bin/") else "data/" + path
    members[f"{data}/{where}"] = content, file.parent.name == "bin" or ".so" in file.name and not file.is_symlink()
for file in sorted((tree / "python/ptxccc").glob("*.py")):
    members[f"ptxccc/{file.name}"] = file.read_bytes(), False
members[f"{info}/METADATA"] = f"""Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {field("description")}
License: MIT
{f"Project-URL: Homepage, {homepage}" + chr(10) if homepage else ""}Requires-Python: {field("requires-python")}
Provides-Extra: cuda
Requires-Dist: nvidia-cuda-nvcc >=13 ; extra == "cuda"
Requires-Dist: nvidia-cuda-cccl >=13 ; extra == "cuda"
Description-Content-Type: text/markdown

{(tree / "python/README.md").read_text()}""".encode(), False
members[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ptxccc\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(), False
members[f"{info}/licenses/LICENSE"] = (tree / "LICENSE").read_bytes(), False


def row(member, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{member},sha256={digest},{len(content)}\n"


record = "".join(row(m, content) for m, (content, _) in members.items()) + f"{info}/RECORD,,\n"
members[f"{info}/RECORD"] = record.encode(), False
out.mkdir(parents=True, exist_ok=True)
wheel = out / f"{name}-{version}-{tag}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    for member, (content, executable) in members.items():
        entry = zipfile.ZipInfo(member)
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(entry, content)
print(wheel)
