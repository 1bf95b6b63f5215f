#!/bin/sh
# SPDX-License-Identifier: MIT
# validate.sh [NAME...]: the cost of the validator on the programs of samples/ as compiled by nvcc for sm_80
# (docs/measurements/verification.md): ptxccc's instructions with and without it, the difference, and its share of the total, by
# tests/validate/cost.sh. Needs nvcc and valgrind.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
[ $# -gt 0 ] || set -- $(cd samples && for f in *.cu; do echo "${f%.cu}"; done)
for name; do
	CCC_NVCC=${NVCC:-nvcc} "$B/bin/cccnvcc" --ccc-markers-only -O3 -arch=sm_80 -ptx "samples/$name.cu" -o "$temp/$name.ptx" || exit 1
done
B=$B sh tests/validate/cost.sh "$temp"/*.ptx >"$temp/costs"
status=$?
sed "s|$temp/||" "$temp/costs"
exit $status
