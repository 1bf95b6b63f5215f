#!/bin/sh
# SPDX-License-Identifier: MIT
# contraction.sh [ARCH...]: compares the rule of docs/proofs/contraction.md with ptxas. For each product marked "contracted:
# always" or "never" in a kernel of tests/analysis/contraction.ptx, the machine code must have no multiplication, or one.
# Needs ptxas and nvdisasm (PTXAS, NVDISASM); no GPU. ARCHs: sm_75 sm_80 sm_90.
set -u
cd "$(dirname "$0")/.." || exit 2
ptxas=${PTXAS:-ptxas} nvdisasm=${NVDISASM:-nvdisasm} ptx=tests/analysis/contraction.ptx
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
[ $# -gt 0 ] || set -- sm_75 sm_80 sm_90
"$ptxas" --version | tail -n 1
failed=0
for arch; do
	"$ptxas" -arch "$arch" "$ptx" -o "$tmp/cubin" && "$nvdisasm" -c "$tmp/cubin" >"$tmp/sass" 2>"$tmp/err" || { cat "$tmp/err"; exit 2; }
	awk -v arch="$arch" '
		FNR == NR {
			if (/^\.visible \.entry/) { name = $3; sub(/\(.*/, "", name); order[++n] = name }
			if (/contracted: always/) always[name]++
			if (/contracted: never/) never[name]++
			if (/contracted: unknown/) unknown[name]++
			if (/^\tmul[.a-z0-9]*f(16|32|64)/) products[name]++
			if (/^\t(div|rcp|sqrt)/) expands[name] = 1
			next
		}
		/^\.text\./ { name = $1; sub(/^\.text\./, "", name); sub(/:$/, "", name) }
		/[ \t](FMUL|DMUL|HMUL2)[. ]/ { multiplies[name]++ }
		END {
			for (i = 1; i <= n; i++) {
				k = order[i]
				if (unknown[k] || expands[k] || (!always[k] && !never[k]) || always[k] > 1)
					continue
				compared++
				if (never[k] ? !multiplies[k] : multiplies[k] + 0 != products[k] - always[k]) {
					print arch ": " k ": " multiplies[k] + 0 " multiplications"
					bad++
				}
			}
			print arch ": " compared " kernels compared, " bad + 0 " differ"
			exit bad > 0 || compared < 20
		}' "$ptx" "$tmp/sass" || failed=1
done
exit $failed
