#!/bin/sh
# SPDX-License-Identifier: MIT
# simt-threads.sh [THREADS...]: the speedup of ptxrun by several threads on a launch of many blocks, with and without the race
# check, and with all counts. Uses the better of two times; the output must be the same. Needs no nvcc.
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- 1 2 4 8 16
B=${B:-build}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
timed() { # THREADS OPTIONS: the better of two, in milliseconds
	n=$1 best=
	shift
	for _ in 1 2; do
		from=$(date +%s%N)
		"$B/bin/ptxrun" tests/simt/blocks.ptx apart --grid 300 --block 256 --arg buf:307200:index --arg buf:307200 --threads "$n" "$@" \
			>"$tmp/$n" 2>&1 && [ -s "$tmp/$n" ] || return
		ms=$((($(date +%s%N) - from) / 1000000))
		[ -n "$best" ] && [ "$best" -le $ms ] || best=$ms
	done
	echo "$best"
}
status=0
echo "options                threads      ms  speed  same output"
for options in "" --no-races "--counts --lines"; do
	base=
	for n in "$@"; do
		# shellcheck disable=SC2086
		ms=$(timed "$n" $options) || { echo "ptxrun --threads $n $options: $(head -n 1 "$tmp/$n")" >&2; exit 1; }
		[ -n "$base" ] || base=$ms first=$n
		same=yes
		cmp -s "$tmp/$first" "$tmp/$n" || same=NO status=1
		printf '%-20s %9d %7d %6s  %s\n' "${options:-all checks}" "$n" "$ms" "$(awk "BEGIN { printf \"%.2f\", $base / $ms }")" $same
	done
done
exit $status
