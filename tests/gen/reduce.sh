#!/bin/sh
# SPDX-License-Identifier: MIT
# reduce.sh SEED [DIR]: minimises the random kernel of a failing seed. The result fails for the same reason (the message up to
# its first number) and still runs untransformed. Uses cvise, or shrink.sh without it. The result is DIR/SEED.ptx (DIR:
# build). OMIT=collect.tpl:LINE omits a line of a template, which makes most kernels fail.
set -u
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 1 ] || { echo "usage: reduce.sh SEED [DIR]" >&2; exit 2; }
B=$(readlink -m "${B:-build}") seed=$1
dir=$(cd "${2:-$B}" && pwd) || exit 2
temp=$(mktemp -d) || exit 2
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
fuzz="$B/tests/fuzz_diff ${OMIT:+-m $OMIT} -s $seed -f"

"$B/tests/fuzz_diff" -p "$seed" >"$dir/$seed.ptx" || exit 2
why=$($fuzz "$dir/$seed.ptx" | sed -n '1{s/^transformed:[0-9:]* //;s/[0-9].*//;p}')
[ "$why" ] || { echo "reduce.sh: the kernel of seed $seed does not fail" >&2; exit 1; }
cat >"$temp/same.sh" <<END
#!/bin/sh
timeout 20 $fuzz "\${1:-$seed.ptx}" 2>/dev/null | grep -q -F -e '$why'
END
chmod +x "$temp/same.sh"
before=$(wc -l <"$dir/$seed.ptx")
if command -v cvise >/dev/null; then
	(cd "$dir" && cvise --not-c --tidy --n "${JOBS:-2}" "$temp/same.sh" "$seed.ptx" >"$temp/log" 2>&1) || { tail -5 "$temp/log" >&2; exit 1; }
else
	sh tests/gen/shrink.sh "$dir/$seed.ptx" "$temp/same.sh" >"$temp/log" && mv "$dir/$seed.ptx.small" "$dir/$seed.ptx" || exit 1
fi
echo "$before lines, $(wc -l <"$dir/$seed.ptx") are left in $dir/$seed.ptx: $why"
