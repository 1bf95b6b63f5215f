#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [LEMMA...]: what the proofs of the passes claim of slots and counts, proven for all masks and ballots by two solvers.
# NAME.lemma is about lines of a template, which tpl.awk reads: the text that is written is what is proven. NAME.smt2 is a
# lemma by itself; its lines ";; TEMPLATE TEXT" are lines of that template, which it is about. Each question has two answers: "sat", its assumptions can hold, and "unsat", the claim cannot fail.
# Then each line of the template that computes is left out once, and some lemma must fail or have nothing to say.
set -u
cd "$(dirname "$0")" || exit 2
sh ../need.sh z3 cvc5 >/dev/null 2>&1 || {
	echo "prove: 0 passed, 0 failed, $(ls ./*.lemma ./*.smt2 | wc -l) skipped: no z3 or no cvc5"
	exit 0
}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
template=../../transform/ccc.tpl passed=0 failed=0

fail() { echo "FAIL prove $1: $2"; failed=$((failed + 1)); }
proven() { [ "$(printf '%s' "$1" | tr '\n' ' ')" = "sat unsat" ]; }
question() { # LEMMA [OMIT]
	case $1 in
	*.smt2) cat "$1" ;;
	*) awk -f tpl.awk -v omit="${2:-0}" "$1" $template ;;
	esac
}

# Has each template the lines that a lemma by itself is about?
quotes() { # LEMMA
	sed -n 's/^;; //p' "$1" | while read -r file text; do
		sed 's/[ 	]*#.*//; s/^[ 	]*//; s/[ 	][ 	]*/ /g' "../../transform/$file" | grep -q -x -F -e "$text" || echo "$file has no line '$text'"
	done
}

for lemma in ${*:-*.lemma *.smt2}; do
	missing=$(quotes "$lemma")
	[ -z "$missing" ] || { fail "$lemma" "$missing"; continue; }
	question "$lemma" >"$tmp/q.smt2" 2>"$tmp/err" || { fail "$lemma" "$(cat "$tmp/err")"; continue; }
	for solver in z3 'cvc5 --incremental'; do
		answer=$($solver "$tmp/q.smt2" 2>&1)
		if proven "$answer"; then passed=$((passed + 1)); else fail "$lemma, $solver" "$answer"; fi
	done
done

# Lines between the first lemma's section and the next that compute a number or a set.  <has> is for rows, not for the store;
# credit says when a site gives up, and no slot depends on it.
computing() {
	awk '/^=== /{ in_it = $2 ~ /^(stack|queue|drain|nothing_left|left_over)$/; other = 0 }
		/#if (lockstep|scored)/ { other = 1 } /#else|#end/ { other = 0 }
		in_it && !other && !/<has>/ && $1 ~ /^(popc|and|or|xor|not|add|sub|max|setp|mov)[.]/ { print NR }' $template
}
refused() { # LINE: does some lemma notice?
	for lemma in *.lemma; do
		question "$lemma" "$1" >"$tmp/q.smt2" 2>/dev/null || return 0
		proven "$(z3 "$tmp/q.smt2" 2>&1)" || return 0
	done
	return 1
}
[ $# -gt 0 ] || for line in $(computing); do
	if refused "$line"; then passed=$((passed + 1)); else fail "ccc.tpl:$line" "left out, and no lemma notices: $(sed -n "${line}p" $template)"; fi
done
echo "prove: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 10 ]
