#!/bin/sh
# SPDX-License-Identifier: MIT
# emi.sh [NAME...]: semantics-preserving edits of a program (emi.awk; "equivalence modulo inputs") do not change the memory
# that its transformed text leaves. Each kernel of tests/diff is edited N (2) times, from SEED (1) on, transformed, and
# compared with the original kernel, in blocks of several SHAPES.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 changed=0

try() { # FILE PTX SEED OPTIONS
	awk -v seed="$3" -f tests/gen/emi.awk "$2" >"$temp/edited.ptx"
	cmp -s "$2" "$temp/edited.ptx" && return
	if ! "$B/bin/ptxccc" --choose=always $4 -Werror=ccc-bug "$temp/edited.ptx" -o "$temp/ccc.ptx" >"$temp/log" 2>&1; then
		echo "FAIL emi $1, seed $3: $(grep -m 1 -i error "$temp/log")"
		failed=$((failed + 1))
		return
	fi
	cmp -s "$temp/edited.ptx" "$temp/ccc.ptx" || changed=$((changed + 1))
	sed -n 's|^// LAUNCH: ||p' "$1" | while read -r kernel options; do
		[ "$kernel" != '*' ] || kernel=$(sed -n 's/.*\.entry \([A-Za-z0-9_$]*\).*/\1/p' "$2")
		for k in $kernel; do
			blocks=
			case $options in *--block*) ;; *) for s in ${SHAPES:-33 96}; do blocks="$blocks --block $s"; done ;; esac
			"$B/bin/ptxrun" "$2" "$k" $options $blocks --limit 10000000 >"$temp/want" 2>"$temp/err" || continue
			if "$B/bin/ptxrun" "$temp/ccc.ptx" "$k" $options $blocks --limit 20000000 --seeds 2 >"$temp/got" 2>"$temp/err" &&
				cmp -s "$temp/want" "$temp/got"; then echo pass
			else
				echo "FAIL emi $1 $k, seed $3: $(sed -n '1p;/^ptxrun:/p' "$temp/err" | head -2 | tr '\n' ' ')"
			fi
		done
	done >"$temp/results"
	grep FAIL "$temp/results"
	passed=$((passed + $(grep -c '^pass' "$temp/results"))) failed=$((failed + $(grep -c '^FAIL' "$temp/results")))
}

for f in tests/diff/*.ptx tests/diff/*.launch; do
	case " $* " in "  " | *" $(basename "$f" | sed 's/\.[a-z]*$//') "*) ;; *) continue ;; esac
	ptx=$(sed -n 's|^// PTX: ||p' "$f")
	seed=${SEED:-1}
	while [ "$seed" -lt $((${SEED:-1} + ${N:-2})) ]; do
		try "$f" "${ptx:-$f}" "$seed" "$(sed -n 's|^// OPTIONS: ||p' "$f")"
		seed=$((seed + 1))
	done
done
echo "emi: $passed passed, $failed failed ($changed texts transformed)"
[ $failed = 0 ] && [ $passed -gt 0 ]
