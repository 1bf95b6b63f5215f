#!/bin/sh
# SPDX-License-Identifier: MIT
# scale.sh: PTX of many shapes (bench/scale.awk). Transformed small modules run as the original ones; large ones are
# transformed within 1 GB, and in a time with ample slack that still excludes quadratic growth.
set -u
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL scale: $1: $2"; }
PTXCCC=${PTXCCC:-build/bin/ptxccc} BIN=${BIN:-build/bin}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
make_shape() { awk -v shape="$1" -v n="$2" -f bench/scale.awk </dev/null >"$dir/in.ptx"; }

# ---- the same memory --------------------------------------------------------------------------------------------------------
for what in sites:6 paths:20 switch:20 loops:10 nested:10 updates:100 branches:2100; do
for choose in first always; do
	make_shape "${what%:*}" "${what#*:}"
	launch="k --grid 2 --block 40 --arg u32:100 --arg buf:2048:rand:7 --arg buf:2048 --seeds 3"
	"$PTXCCC" --choose=$choose --report -o "$dir/out.ptx" "$dir/in.ptx" >/dev/null 2>"$dir/report"
	if ! grep -q '^  transformed' "$dir/report"; then
		fail "$what" "nothing was transformed"
	elif ! "$BIN/ptxrun" "$dir/in.ptx" $launch >"$dir/want" 2>"$dir/err" || ! "$BIN/ptxrun" "$dir/out.ptx" $launch >"$dir/got" 2>"$dir/err"; then
		fail "$what" "$(head -n 3 "$dir/err")"
	elif ! cmp -s "$dir/want" "$dir/got"; then
		fail "$what" "other memory"
	else
		pass
	fi
done
done

# ---- time and memory ----------------------------------------------------------------------------------------------------------
for what in sites:2000 kernels:3000 paths:500 switch:500 updates:10000 branches:10000 calls:1000 moves:100000 addresses:5000 loops:1500; do
	make_shape "${what%:*}" "${what#*:}"
	rm -f "$dir/out.ptx"
	if (case $PTXCCC in */san/*) ulimit -t 200 ;; *) ulimit -t 20; ulimit -v 1000000 ;; esac; exec "$PTXCCC" -o "$dir/out.ptx" "$dir/in.ptx") >/dev/null 2>"$dir/err" && [ -s "$dir/out.ptx" ]; then
		pass
	else
		fail "$what" "$(head -n 1 "$dir/err")"
	fi
done
# ---- nests that are too deep are left unchanged, with a warning ---------------------------------------------------------------
make_shape loops 150
if ! "$PTXCCC" -o "$dir/out.ptx" "$dir/in.ptx" 2>"$dir/err" || ! grep -q 'nested more than 128 deep' "$dir/err"; then
	fail "loops:150" "$(head -n 1 "$dir/err")"
else
	pass
fi
awk -v shape=loops -v n=150 -v plain=1 -f bench/scale.awk </dev/null >"$dir/in.ptx"
if "$PTXCCC" --suggest -o "$dir/out.ptx" "$dir/in.ptx" 2>&1 | grep -q "function 'k' was not examined: its loops are nested too deep"; then
	pass
else
	fail "suggest loops:150" "nothing was said"
fi

# ---- growth: four times the input in five times the time and memory ---------------------------------------------------------------
# Processor time, the minimum of three runs, and the peak memory of the process. At least 60 ms and 16 MB are assumed; a failed
# measurement is repeated.
case $PTXCCC in */san/*) growth= ;; *)
growth='check:branches:25000 check:targets:12500 check:sites:1000 check:paths:1000 check:kernels:4000 check:loops:25 check:calls:250
	suggest:targets:12500 suggest:sites:500 suggest:kernels:1000 suggest:loops:25 suggest:branches:10000 ccc:kernels:1000 ccc:targets:12500
	ccc:branches:10000 ccc:loops:25 ccc:sites:1500 ccc:paths:750 suggest:paths:500 auto:kernels:1000 auto:branches:10000' ;;
esac
[ -z "$growth" ] || ${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -O2 -o "$dir/measure" bench/measure.c || exit 2
# Writes "ms ms KB".
measured() { # tool shape n
	plain=
	case $1 in suggest | auto) plain=1 ;; esac
	awk -v shape="$2" -v n="$3" -v plain=$plain -f bench/scale.awk </dev/null >"$dir/in.ptx"
	case $1 in
	ccc) "$dir/measure" -c 3 "$PTXCCC" -o "$dir/out.ptx" "$dir/in.ptx" ;;
	suggest) "$dir/measure" -c 3 "$PTXCCC" --suggest "$dir/in.ptx" ;;
	auto) "$dir/measure" -c 3 "$PTXCCC" --auto -o "$dir/out.ptx" "$dir/in.ptx" ;;
	check) "$dir/measure" -c 3 "$BIN/ptxrun" --check "$dir/in.ptx" ;;
	esac 2>"$dir/err"
}
for what in $growth; do
	IFS=: read -r tool shape n <<-END
		$what
	END
	for try in 1 2 3; do
		one=$(measured "$tool" "$shape" "$n") && four=$(measured "$tool" "$shape" $((4 * n))) || { why="$(head -n 1 "$dir/err")"; continue; }
		why=$(echo "$one $four" | awk -v most=5 '
			function least(x, y) { return x < y ? y : x }
			$4 > most * least($1, 60) { print $1 " -> " $4 " ms" }
			$6 > most * least($3, 16384) { print $3 " -> " $6 " KB" }')
		[ -n "$why" ] || break
	done
	if [ -z "$why" ]; then pass; else fail "$what" "$why"; fi
done
echo "scale: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
