#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [LEMMA...]: what the proofs of the passes claim of slots and counts, proven for all masks and ballots by two solvers.
# NAME.lemma is about lines of a template, which tpl.awk reads: the text that is written is what is proven. NAME.bits is likewise, in
# words of 32 bits, which bits.awk reads. NAME.smt2 is a lemma by itself; its lines ";; TEMPLATE TEXT" are lines of that template, which
# it is about. Each question has two answers: "sat", its assumptions can hold, and "unsat", the claim cannot fail.
# Then each line of the template that computes is left out once, and some lemma must fail or have nothing to say.
set -u
cd "$(dirname "$0")" || exit 2
sh ../need.sh z3 cvc5 >/dev/null 2>&1 || {
	echo "prove: 0 passed, 0 failed, $(ls ./*.lemma ./*.bits ./*.smt2 | wc -l) skipped: no z3 or no cvc5"
	exit 0
}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT INT TERM
passed=0 failed=0

fail() { echo "FAIL prove $1: $2"; failed=$((failed + 1)); }
proven() { printf '%s' "$1" | tr '\n' ' ' | grep -q -x 'sat unsat\( sat unsat\)*'; }
template() { awk '$1 == "template" { print $2; found = 1 } END { if (!found) print "ccc.tpl" }' "$1"; } # LEMMA
question() { # LEMMA [OMIT]
	case $1 in
	*.smt2) cat "$1" ;;
	*.bits) awk -f bits.awk -v omit="${2:-0}" "$1" "../../transform/$(template "$1")" ;;
	*) awk -f tpl.awk -v omit="${2:-0}" "$1" "../../transform/$(template "$1")" ;;
	esac
}

# Has each template the lines that a lemma by itself is about?
quotes() { # LEMMA
	sed -n 's/^;; //p' "$1" | while read -r file text; do
		sed 's/[ 	]*#.*//; s/^[ 	]*//; s/[ 	][ 	]*/ /g' "../../transform/$file" | grep -q -x -F -e "$text" || echo "$file has no line '$text'"
	done
}

for lemma in ${*:-*.lemma *.bits *.smt2}; do
	case $lemma in *.smt2) missing=$(quotes "$lemma") ;; *) missing= ;; esac
	[ -z "$missing" ] || { fail "$lemma" "$missing"; continue; }
	question "$lemma" >"$tmp/q.smt2" 2>"$tmp/err" || { fail "$lemma" "$(cat "$tmp/err")"; continue; }
	sed -n "s/^;; LINE /$(template "$lemma") $lemma /p" "$tmp/q.smt2" >>"$tmp/read"
	for solver in z3 'cvc5 --incremental'; do
		answer=$($solver "$tmp/q.smt2" 2>&1)
		if proven "$answer"; then passed=$((passed + 1)); else fail "$lemma, $solver" "$answer"; fi
	done
done

# Lines of sections of ccc.tpl that compute a number or a set, and of bound.tpl all by which lanes that wait go on.  <has> is for rows,
# not for the store; credit says when a site gives up, and no slot depends on it.
computing() { # TEMPLATE
	awk -v of="$1" 'BEGIN {
			sections = of == "ccc.tpl" ? "^(stack|queue|drain|nothing_left|left_over)$" : "^(wait|votes)$"
			ops = of == "ccc.tpl" ? "^(popc|and|or|xor|not|add|sub|max|setp|mov)[.]" : "^(@|[a-z]+[.])"
		}
		/^=== / { in_it = $2 ~ sections; depth = 0; other = 0; setting = of == "bound.tpl" && $2 == "loop" }
		/#if (lockstep|scored)/ { other = 1 } /#else|#end/ { other = 0 }
		setting && /#if/ { depth++; sets[depth] = $2 ~ /^(majority_ends|turns)$/ } setting && /#end/ { depth-- }
		in_it && !other && !/<has>/ && $1 ~ ops || setting && depth && sets[depth] && $1 ~ ops { print NR }' "../../transform/$1"
}
refused() { # TEMPLATE LINE: does some lemma notice?
	for lemma in *.lemma; do
		[ "$(template "$lemma")" = "$1" ] || continue
		question "$lemma" "$2" >"$tmp/q.smt2" 2>/dev/null || return 0
		proven "$(z3 "$tmp/q.smt2" 2>&1)" || return 0
	done
	return 1
}
for file in ccc.tpl bound.tpl; do
	[ $# -gt 0 ] || for line in $(computing $file); do
		if refused $file "$line"; then passed=$((passed + 1)); else fail "$file:$line" "left out, and no lemma notices: $(sed -n "${line}p" ../../transform/$file)"; fi
	done
done
# Lines that lemmas in words are about; `gain` says whether an exchange is worth it.
sort -u "$tmp/read" | awk '{ lemmas[$1 " " $3] = lemmas[$1 " " $3] " " $2 } END { for (i in lemmas) print i lemmas[i] }' >"$tmp/lines"
while [ $# = 0 ] && read -r file line lemmas; do
	sed -n "${line}p" ../../transform/"$file" | grep -q 'gain' && continue
	noticed=
	for lemma in $lemmas; do
		question "$lemma" "$line" >"$tmp/q.smt2" 2>/dev/null && proven "$(z3 "$tmp/q.smt2" 2>&1)" || { noticed=1 && break; }
	done
	if [ "$noticed" ]; then passed=$((passed + 1)); else fail "$file:$line" "left out, and no lemma notices: $(sed -n "${line}p" ../../transform/"$file")"; fi
done <"$tmp/lines"
echo "prove: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 10 ]
