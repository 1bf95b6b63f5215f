#!/bin/sh
# SPDX-License-Identifier: MIT
# launches.sh FILE.cu: prints the file with each `kernel<<<grid, block>>>(` as a call that any C++ compiler accepts. For the host
# side of a simple program, with ptxrun's headers (see "Programs without a toolkit" in docs/emulator.md): the
# launch is on one line, and the kernel is a plain name.
exec sed 's/\([A-Za-z_][A-Za-z_0-9]*\)<<<\([^>]*\)>>>(/cudart::launch(\1, \2)(/' "$@"
