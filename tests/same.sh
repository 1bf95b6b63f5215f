#!/bin/sh
# SPDX-License-Identifier: MIT
# same.sh: compares the output of two versions of ptxccc byte by byte, for commits that move or rename code and must not
# change the output.
#
#	tests/same.sh OTHER [FILE.ptx...]       OTHER: a ptxccc built from the commit to compare with
#
# Both programs transform each FILE (default: every PTX file of the repository) under each policy that applies to annotations
# without one, with and without an estimate, and instrument it (--profile-generate). Text and exit status must be equal;
# messages may differ.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
JOBS=${JOBS:-$(nproc)}
if [ "${1:-}" = --one ]; then
	other=$2 dir=$3 file=$4 bad=
	mkdir -p "$dir/$$"
	while read -r options; do
		"$other" $options "$file" -o "$dir/$$/a" >/dev/null 2>&1
		a=$?
		"$B/bin/ptxccc" $options "$file" -o "$dir/$$/b" >/dev/null 2>&1
		b=$?
		[ $a = $b ] && { [ $a != 0 ] || cmp -s "$dir/$$/a" "$dir/$$/b"; } || bad="$bad; $options"
		rm -f "$dir/$$/a" "$dir/$$/b"
	done <<END
--threads=256
--choose=first
--choose=always --grid
--choose=always --occupancy=ignore --policy=queue(4)
--policy=stack
--policy=expand
--policy=wait(16)
--policy=ahead
--policy=converge
--policy=majority(8)
--policy=live
--policy=cycle(4)
--profile-generate
END
	echo "${bad:+FAIL same: }${bad:-pass} $file"
	exit 0
fi
other=$(realpath "${1:?the other ptxccc}") || exit 2
shift
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
[ $# -gt 0 ] || set -- $(git ls-files '*.ptx')
printf '%s\n' "$@" | xargs -P "$JOBS" -I{} sh tests/same.sh --one "$other" "$dir" {} >"$dir/results"
grep '^FAIL' "$dir/results"
echo "same: $(grep -c '^pass' "$dir/results") passed, $(grep -c '^FAIL' "$dir/results") failed"
! grep -q '^FAIL' "$dir/results" && grep -q '^pass' "$dir/results"
