#!/bin/sh
# SPDX-License-Identifier: MIT
# cost.sh FILE.ptx...: the cost of --validate: the instructions that it adds to ptxccc's for each file, the part of them for
# trials, and the share of the total (needs valgrind). 25 % more is a share of 20 %. OPTIONS: ptxccc's, such as
# --choose=always.
set -u
B=${B:-build}
ptxccc=${PTXCCC:-$(readlink -m "$B")/bin/ptxccc}
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
run() { # run FILE OPTION...: the instructions, and those in trials; nothing if that fails
	file=$1 && shift
	rm -f "$temp/out.ptx"
	# shellcheck disable=SC2086
	valgrind --tool=callgrind --callgrind-out-file="$temp/out" "$ptxccc" ${OPTIONS:-} "$@" "$file" -o "$temp/out.ptx" 2>"$temp/log" && [ -s "$temp/out.ptx" ] || return
	tried=$(callgrind_annotate --threshold=100 --inclusive=yes "$temp/out" 2>/dev/null | sed -n '/:trial_site /{s/^ *\([0-9,]*\).*/\1/;s/,//g;p;q}')
	echo "$(sed -n 's/.*Collected : //p' "$temp/log") ${tried:-0}"
}
for f; do
	echo "$f $(run "$f" --no-validate) $(run "$f" --validate)"
done | awk '
	NF != 5 || !$2 || !$4 { print $1 ": valgrind counts nothing" >"/dev/stderr"; bad = 1; next }
	{
		printf "%s: %.1f million, with --validate %.1f: %.1f %% more", $1, $2 / 1e6, $4 / 1e6, 100 * ($4 - $2) / $2
		printf $5 ? ", trials %.1f %%" : "", 100 * $5 / $2; printf ", %.1f %% of the time\n", 100 * ($4 - $2) / $4; a += $2; b += $4; c += $5
	}
	END {
		if (a) printf "together: %.1f %% more, trials %.1f %%; %.1f %% of the time\n", 100 * (b - a) / a, 100 * c / a, 100 * (b - a) / b
		exit bad || !NR
	}'
