#!/bin/sh
# SPDX-License-Identifier: MIT
# What --auto and --suggest cost on PTX without annotations, as a multiple of reading it. Reading is `ptxccc FILE`: the text
# is lexed and parsed, and copied as it is. Processor time, the least of RUNS runs; needs no GPU.
#
#	bench/auto-cost.sh [--all] FILE...
#
# --all: also --choose=always, --report and --suggest, which plan each site. Prints a table in Markdown, with the multiples of
# reading in parentheses; exit status 1 if ptxccc fails.
#
# Environment: PTXCCC (build/bin/ptxccc), CC, RUNS (3).
PTXCCC=${PTXCCC:-$(dirname "$0")/../build/bin/ptxccc} CC=${CC:-cc} RUNS=${RUNS:-3}
modes="--auto"
if [ "$1" = --all ]; then
	modes="--auto --auto,--choose=always --auto,--report --suggest"
	shift
fi
[ $# -gt 0 ] || { echo "usage: bench/auto-cost.sh [--all] FILE..." >&2; exit 2; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
$CC -std=c11 -D_DEFAULT_SOURCE -O2 -o "$dir/measure" "$(dirname "$0")/measure.c" || exit 2
# time_of FILE [OPTION...]: milliseconds
time_of() {
	file=$1
	shift
	"$dir/measure" -c "$RUNS" "$PTXCCC" "$@" "$file" -o "$dir/out" 2>"$dir/err" ||
		{ echo "ptxccc $* $file failed: $(head -n 1 "$dir/err")" >&2; exit 1; }
}

echo "| file | MB | read, ms |$(for m in $modes; do echo " ${m%,*} ${m#*,} |"; done | sed 's/ \([^ ]*\) \1 / \1 /' | tr -d '\n')"
echo "| --- | --: | --: |$(for m in $modes; do printf ' --: |'; done)"
for file; do
	read=$(time_of "$file") || exit 1
	row="| $(basename "$file") | $(wc -c <"$file" | awk '{ printf "%.1f", $1 / 1e6 }') | $(echo "$read" | awk '{ printf "%.0f", $1 }') |"
	for m in $modes; do
		t=$(time_of "$file" $(echo "$m" | tr , ' ')) || exit 1
		row="$row $(echo "$t ${read%% *}" | awk '{ printf "%.0f (%.1fx)", $1, $1 / $NF }') |"
	done
	echo "$row"
done
