#!/bin/sh
# SPDX-License-Identifier: MIT
# whole.sh: properties of every PTX file in the tree:
# - without annotations, the output is identical to the input;
# - the output can be parsed, and transforming it again changes nothing;
# - ptxccc --verify and --verify-ptxas accept the output;
# - ptxas accepts the output whenever it accepts the input (skipped if there is no ptxas).
# Files that must be rejected (EXIT in their first lines) are excluded.
set -u
cd "$(dirname "$0")/.." || exit 2
ptxccc=${PTXCCC:-build/bin/ptxccc}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0 changed=0
. tests/cuda.sh

fail() { failed=$((failed + 1)); echo "FAIL whole $1: $2"; }

# assemble FILE: whether ptxas accepts it for all later targets that users have. ptxccc --verify-ptxas has asked it for the file's own
# target. Without optimisation, since what it accepts does not depend on that.
assemble() {
	target=$(sed -n 's/^[[:space:]]*\.target[[:space:]]*sm_\([0-9]*\)\([a-z]*\).*/\1 \2/p' "$1" | head -1)
	# shellcheck disable=SC2086
	set -- "$1" $target
	[ -z "${3:-}" ] || return 0
	for arch in 75 80 90 100 120; do
		[ "$arch" -le "${2:-0}" ] && continue
		ptxas -O0 -arch="sm_$arch" -o "$tmp/cubin" "$1" >"$tmp/ptxas" 2>&1 || return 1
	done
}

command -v ptxas >/dev/null 2>&1 && ask=--verify-ptxas || ask=
for file in $(find samples tests -name '*.ptx' ! -path 'tests/corpus/out/*' ! -path 'tests/fuzz/*' | sort); do
	head -5 "$file" | grep -q '^// EXIT:' && continue
	# shellcheck disable=SC2086
	"$ptxccc" --choose=first --verify $ask -Werror=ccc-bug -o "$tmp/out.ptx" "$file" 2>"$tmp/err" || { fail "$file" "not accepted: $(head -1 "$tmp/err")"; continue; }
	if ! grep -q '^[[:space:]]*// \.ccc begin' "$file" && ! cmp -s "$file" "$tmp/out.ptx"; then
		fail "$file" "the output differs from the input"
		continue
	fi
	"$ptxccc" --choose=first -o "$tmp/again.ptx" "$tmp/out.ptx" 2>"$tmp/err" || { fail "$file" "the output is not accepted: $(head -1 "$tmp/err")"; continue; }
	cmp -s "$tmp/out.ptx" "$tmp/again.ptx" || { fail "$file" "a second run changes the output"; continue; }
	passed=$((passed + 1))
	cmp -s "$file" "$tmp/out.ptx" || changed=$((changed + 1))
	command -v ptxas >/dev/null 2>&1 || { skipped=$((skipped + 1)); continue; }
	cmp -s "$file" "$tmp/out.ptx" && continue
	assemble "$tmp/out.ptx" && { passed=$((passed + 1)); continue; }
	cp "$tmp/ptxas" "$tmp/why"
	! assemble "$file" || fail "$file" "ptxas: $(head -1 "$tmp/why")"
done
[ $changed -gt 100 ] || fail "all files" "only $changed of them are transformed"
echo "whole: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
