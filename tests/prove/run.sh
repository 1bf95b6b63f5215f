#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [-t] [LEMMA...]: proves, for all masks and ballots, what the proofs of the passes claim about slots and counts, with
# two solvers. NAME.lemma is about lines of a template, which tpl.awk reads, so the proof is about the emitted text. NAME.bits
# is similar, in words of 32 bits, read by bits.awk; it may also be about text that C code writes without a template, in an
# output. NAME.smt2 is a self-contained lemma; its lines ";; TEMPLATE TEXT" are the template lines that it is about. Each
# question has two answers: "sat": its assumptions can hold; "unsat": the claim cannot fail. Then each line that a lemma reads
# is omitted once, and some lemma must fail or no longer apply, which shows that the line is needed. Each line of each
# template is needed by a lemma, or `spared` says why there is none (needed.awk). -t: instead, prints a table of the lemmas
# that need lines of each section.
set -u
cd "$(dirname "$0")" || exit 2
ptxccc=${PTXCCC:-$(cd ../.. && readlink -m "${B:-build}")/bin/ptxccc}
sh ../need.sh z3 cvc5 >/dev/null 2>&1 || {
	echo "prove: 0 passed, 0 failed, $(ls ./*.lemma ./*.bits ./*.smt2 | wc -l) skipped: no z3 or no cvc5"
	exit 0
}
table=
[ "${1:-}" != -t ] || { table=1 && shift; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0

fail() { echo "FAIL prove $1: $2"; failed=$((failed + 1)); }
proven() { printf '%s' "$1" | tr '\n' ' ' | grep -q -x 'sat unsat\( sat unsat\)*'; }
template() { awk '$1 == "template" { print $2; found = 1 } $1 == "text" { print FILENAME ".text"; found = 1 } END { if (!found) print "collect.tpl" }' "$1"; } # LEMMA
path() { case $1 in *.text) echo "$tmp/$1" ;; *) echo ../../transform/*/"$1" ;; esac; } # TEMPLATE
question() { # LEMMA [OMIT]
	case $1 in
	*.smt2) cat "$1" ;;
	*.bits) awk -f bits.awk -v omit="${2:-0}" "$1" "$(path "$(template "$1")")" ;;
	*) awk -f tpl.awk -v omit="${2:-0}" "$1" "$(path "$(template "$1")")" ;;
	esac
}
# The output that a lemma is about, with only the copy of the loop for full warps.
text() { # LEMMA
	sed -n 's/^text //p' "$1" | while read -r file options; do
		# shellcheck disable=SC2086
		"$ptxccc" $options "../$file" 2>/dev/null | sed -e '/^[$]ccc[0-9]*_others:/,/^[$]ccc[0-9]*_leave:/d' -f text.sed >"$tmp/$1.text"
	done
}
# Prints FILE LEMMA LINE for each line that a lemma itself is about; line 0 and the text: the line does not exist.
quotes() { # LEMMA
	sed -n 's/^;; //p' "$1" | while read -r file text; do
		found=$(sed 's/[ 	]*#.*//; s/^[ 	]*//; s/[ 	][ 	]*/ /g' ../../transform/*/"$file" | grep -n -x -F -e "$text" | sed 's/:.*//')
		for n in ${found:-"0 $text"}; do echo "$file $1 $n"; done
	done
}

: >"$tmp/read"
for lemma in ${*:-*.lemma *.bits *.smt2}; do
	case $lemma in
	*.smt2)
		quotes "$lemma" >"$tmp/quoted"
		missing=$(sed -n 's/^\([^ ]*\) [^ ]* 0 */\1 has no line /p' "$tmp/quoted")
		[ -z "$missing" ] || { fail "$lemma" "$missing"; continue; }
		cat "$tmp/quoted" >>"$tmp/read"
		;;
	esac
	text "$lemma"
	question "$lemma" >"$tmp/q.smt2" 2>"$tmp/err" || { fail "$lemma" "$(cat "$tmp/err")"; continue; }
	sed -n "s/^;; LINE /$(template "$lemma") $lemma /p" "$tmp/q.smt2" >>"$tmp/read"
	[ -z "$table" ] || continue
	cvc5 --incremental "$tmp/q.smt2" >"$tmp/cvc5" 2>&1 &
	z3 "$tmp/q.smt2" >"$tmp/z3" 2>&1
	wait $!
	for solver in z3 cvc5; do
		answer=$(cat "$tmp/$solver")
		if proven "$answer"; then passed=$((passed + 1)); else fail "$lemma, $solver" "$answer"; fi
	done
done
sort -u "$tmp/read" | awk '{ lemmas[$1 " " $3] = lemmas[$1 " " $3] " " $2 } END { for (i in lemmas) print i lemmas[i] }' | sort -k1,1 -k2,2n >"$tmp/lines"

# Each line that a lemma reads is omitted once: prints those that some lemma needs.
noticed() { # FILE LINE LEMMA...
	file=$1 line=$2
	shift 2
	for lemma; do
		case $lemma in *.smt2) return 0 ;; esac
		question "$lemma" "$line" >"$tmp/q$k.smt2" 2>/dev/null && proven "$(z3 "$tmp/q$k.smt2" 2>&1)" || return 0
	done
	return 1
}
needed() { # K: every second one
	k=$1
	awk -v k="$k" 'NR % 2 == k' "$tmp/lines" | while read -r file line lemmas; do
		# shellcheck disable=SC2086
		if noticed "$file" "$line" $lemmas; then
			echo "$file $line $lemmas" >>"$tmp/needed$k"
		else
			case $file in *.text) fail "$file:$line" "left out, and no lemma notices: $(sed -n "${line}p" "$(path "$file")")" ;; esac
		fi
	done
}
if [ $# = 0 ]; then
	needed 0 >"$tmp/fails0" & # two processors are what there is at least
	needed 1 >"$tmp/fails1"
	wait
	cat "$tmp/needed0" "$tmp/needed1" >"$tmp/needed"
	passed=$((passed + $(wc -l <"$tmp/needed")))
	[ -z "$table" ] || { awk -f needed.awk -v needed="$tmp/needed" -v table=1 spared ../../transform/*/*.tpl; exit; }
	awk -f needed.awk -v needed="$tmp/needed" spared ../../transform/*/*.tpl >>"$tmp/fails0"
	cat "$tmp/fails0" "$tmp/fails1"
	failed=$((failed + $(cat "$tmp/fails0" "$tmp/fails1" | wc -l)))
fi
echo "prove: $passed passed, $failed failed"
[ $failed = 0 ] && { [ $# -gt 0 ] || [ $passed -gt 100 ]; }
