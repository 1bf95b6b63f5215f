#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh: a stand-in for a build with cccnvcc, of two loops. It appends each loop's choice in the plan (CCC_PROFILE_USE) to
# `built` and writes the report (CCC_REPORT). FAIL=POLICY: fails for this policy; IGNORE=POLICY: builds something else;
# NOTHING=1: does nothing; OTHER=1: the loops have different code. With CCC_FIXES, it advises an annotation for each loop
# (ccc-tune --suggest); NO_FIXES=1: none; REFUSE=LINE: the one at that line is left unchanged; PREDICT=LINE: it has a threshold;
# SUM=1: all reorder sums. LEFT=LINE: no policy can transform that loop. With CCC_FIXES_ONLY, annotations that it does not name
# are not inserted. NEST=1: the second loop is in the first one, and left if that is transformed as chosen. With --ccc-off both loops are `original`, and there is no report; DEAF=1: the option is ignored.
[ -z "${NOTHING:-}" ] || exit 0
echo "build" >>builds
key() { echo "cut if \"k.cu\":$1:1 kernel_$1 abc$1${OTHER:-}"; }
case ${DEAF:-}${CCC_FLAGS:-} in
*1*) ;;
*--ccc-off*)
	[ "${FAIL:-}" != original ] || { echo "k.cu: no original" >&2; exit 1; }
	printf '10 original\n20 original\n' >built
	exit ;;
esac
choice() { awk -v key="$(key "$1")" '$0 == key { at = 1 } at && $1 == "choice" { print $2; exit }' "$CCC_PROFILE_USE"; }
: >built.new
[ -z "${CCC_FIXES:-}" ] || echo '# k.cu' >"$CCC_FIXES"
for line in $([ -z "${CCC_FIXES:-}" ] || [ "${NO_FIXES:-}" ] || echo 10 20); do
	printf 'fix 1.50\tk.cu:%s\tk.cu:%s\n' $line $((line + 1))
	words="if${SUM:+ reassociate}"
	[ $line != "${PREDICT:-}" ] || words='predict threshold(16)'
	printf 'insert %s 1\tif\t%s/k.cu\t#pragma ccc %s\ninsert %s 1\tfor\t%s/k.cu\t#pragma ccc for\n' $((line + 1)) "$PWD" "$words" $line "$PWD"
	printf ' %s to confirm: nothing\n' $line
done >>"${CCC_FIXES:-/dev/null}"
case ${CCC_FLAGS:-} in *--ccc-suggest=apply*) [ -n "$CCC_FIXES" ] || exit 1 ;; esac
comma=
for line in 10 20; do
	c=$(choice $line)
	[ -z "${CCC_FIXES_ONLY:-}" ] || grep -q "^k.cu:$line	" "$CCC_FIXES_ONLY" || { echo "$line leave" >>built.new; continue; }
	[ "$c" != "${FAIL:-none}" ] && [ "${FAIL:-}" != all ] || { echo "k.cu:$line: no, not $c" >&2; exit 1; }
	[ "$c" != "${IGNORE:-none}" ] || c=
	echo "$line ${c:-auto}" >>built.new
	named= done=true at=$line
	[ -z "${CCC_FIXES:-}" ] || at=$((line + 1))
	[ "$c" != leave ] && [ "$line" != "${REFUSE:-}" ] || done='false, "reason": "no gain"'
	policy=stack
	options='{"policy": "stack", "expected": 1.50}, {"policy": "queue(4)", "expected": 1.40}, {"policy": "queue(8)", "expected": 1.60},
                 {"policy": "ahead(32)", "expected": 1.20}, {"policy": "flatten", "expected": 0.50}'
	[ $line != "${PREDICT:-}" ] || options='{"policy": "wait(4)", "expected": 1.10}, {"policy": "wait(8)", "expected": 1.20}, {"policy": "wait(12)", "expected": 1.30},
                 {"policy": "wait(16)", "expected": 1.60}, {"policy": "wait(24)", "expected": 1.50}' policy='wait(16)'
	notes=
	[ $line != "${LEFT:-}" ] || options= done='false, "reason": "it is a floating-point sum"' notes=', "notes": [{"text": "here", "at": {"file": "k.cu", "line": 3}}, {"text": "say '"'reassociate'"'", "at": null}]'
	[ "${NEST:-} $line" != '1 10' ] || [ "${c:-leave}" = leave ] || outer=1
	[ "${outer:-} $line" != '1 20' ] || { done='false, "diagnostic": "ccc-nested", "reason": "inside the annotated loop"' c=; sed -i 's/^20 .*/20 leave/' built.new; }
	[ -z "$c" ] || named=", \"choice\": \"$c\""
	echo "$comma"
	comma=,
	cat <<END
    {"function": "kernel_$line", "name": "kernel_$line", "loop": {"file": "k.cu", "line": $line}, "path": {"file": "k.cu", "line": $at},
     "transformed": $done, "policy": "$policy", "key": "$(key $line | sed 's/"/\\"/g')\u000a"$named$notes,
     "options": [$options]}
END
done >sites
{ echo '{"program": "ptxccc", "version": "0", "units": [{"input": "k.cu", "sites": ['; cat sites; echo ']}]}'; } >"$CCC_REPORT"
mv built.new built
