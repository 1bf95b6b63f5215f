#!/bin/sh
# SPDX-License-Identifier: MIT
# cost.sh FILE.ptx...: by how much --validate adds to the instructions that ptxccc runs on each file (needs valgrind).
# OPTIONS: ptxccc's, such as --choose=always.
set -u
B=${B:-build}
ptxccc=${PTXCCC:-$PWD/$B/bin/ptxccc}
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT INT TERM
run() { # run FILE OPTION...: the instructions
	file=$1 && shift
	# shellcheck disable=SC2086
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ptxccc" ${OPTIONS:-} "$@" "$file" -o /dev/null 2>"$log"
	sed -n 's/.*Collected : //p' "$log"
}
for f; do
	echo "$f $(run "$f" --no-validate) $(run "$f" --validate)"
done | awk 'NF == 3 { printf "%s: %.1f million, with --validate %.1f: %.1f %% more\n", $1, $2 / 1e6, $3 / 1e6, 100 * ($3 - $2) / $2; a += $2; b += $3 }
	END { if (a) printf "together: %.1f %% more\n", 100 * (b - a) / a }'
