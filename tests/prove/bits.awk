# SPDX-License-Identifier: MIT
# bits.awk: translates a lemma about lines of a template, in 32-bit words, into a question to an SMT solver. See run.sh.
#
#	awk -f bits.awk [-v omit=LINE] LEMMA TEMPLATE            omit: a line of the template to leave out
#
# tpl.awk counts the lanes of sets; this script models words bit by bit: rotations, bytes, bits that stand for iterations. For code that
# C writes without a template, the lines are those of a compiler output, with registers named as by text.sed. The threads that the
# lemma names execute lines of the template one after the other. Loops are not followed: a lemma states what one iteration preserves.
# In formulas, {x.a} is the current value, a word or a predicate, of register x of thread a.
#
# A lemma file:
#	template FILE               a template in transform/
#	text FILE OPTION...         instead of it: a PTX file of tests/; the lines are ptxccc's output for it, as section `output`
#	word NAME..., truth NAME... unknown words and predicates; long NAME...: unknown 64-bit values
#	set X.THREAD FORMULA        sets a register; `truth` or `long` before the formula: to a predicate, or to 64 bits
#	run THREAD SECTION: FIRST: LAST: NAME=VALUE...
#	                            executes the section's lines from the first that contains FIRST to the next that contains LAST. <NAME>
#	                            is a number, a register, or a part of an opcode. A guarded branch or ret is not taken, unless it is the
#	                            last of these lines. A call sets registers arg1, arg2, ... to its operands. #if NAME holds if NAME=1. Includes and labels are skipped, and without `memory`
#	                            stores, too
#	memory                      models memory, with unknown initial bytes; later lines, of any thread, see what is stored
#	memory ADDRESS LONG         64 bits of it are known: the names of a word and of a 64-bit value. memory ADDRESS WORD BYTES: 4 or 2 bytes
#	holds X.THREAD FORMULA      names the 64 bits that are currently at an address
#	comes X.THREAD FORMULA      the result of each later vote, activemask, load, atomic, cvta or isspacep that writes register X
#	place THREAD FORMULA        the thread's lane. A shuffle reads the register's current value in the thread at the lane that it
#	                            names; if the lemma has no such thread, the result is an unknown word
#	width N...                  the size of words in bits, 32 by default; with several, the question is asked for each
#	assume FORMULA, prove FORMULA
# Lines ";; LINE n" of the question name the lines of the template that it is about.

function die(what) {
	print "bits.awk: " what >"/dev/stderr"
	failed = 1
	exit 2
}

FNR == NR {
	sub(/^#.*/, "")
	if ($1 == "width") for (nwidths = 0; nwidths < NF - 1; nwidths++) widths[nwidths] = $(nwidths + 2)
	else if (NF && $1 !~ /^(template|text)$/) order[++norder] = $0
	next
}
/^=== / {
	inside = $2
	next
}
inside {
	sub(/[ \t]*# .*/, "")
	gsub(/[ \t]+/, " ")
	sub(/^ /, "")
	if ($0 != "" && FNR != omit) {
		text[inside, ++length_of[inside]] = $0
		line_of[inside, length_of[inside]] = FNR
	}
}

# ---- names and formulas -----------------------------------------------------------------------------------------------------

function current(x) { return x ".v" version[x] + 0 }
function put(x, sort, formula) {
	version[x]++
	print "(define-fun " current(x) " () " sort " " formula ")"
	sort_of[current(x)] = sort
	known[x] = 1
}
function translate(s,    out) {
	while (match(s, /[{][a-z0-9_]+[.][a-z]+[}]/)) {
		if (!(substr(s, RSTART + 1, RLENGTH - 2) in known)) die("nothing has set " substr(s, RSTART, RLENGTH))
		out = out substr(s, 1, RSTART - 1) current(substr(s, RSTART + 1, RLENGTH - 2))
		s = substr(s, RSTART + RLENGTH)
	}
	s = out s
	out = ""
	while (match(s, /#[0-9]+/)) { # a number
		out = out substr(s, 1, RSTART - 1) "(_ bv" substr(s, RSTART + 1, RLENGTH - 1) " " width ")"
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}
# A number as an SMT constant; 0x... is extended to the width of a word.
function number(x) { return constant(x, of_word) }
function constant(x, bits) {
	gsub(/[,;]/, "", x)
	if (x ~ /^0x/) {
		x = substr(x, 3)
		while (length(x) < bits / 4) x = "0" x
		return "#x" x
	}
	return x < 0 ? "(bvneg (_ bv" substr(x, 2) " " bits "))" : "(_ bv" x " " bits ")"
}
# The register that %^x, %x or <x> names.
function name(x) {
	gsub(/[,;]/, "", x)
	if (x ~ /^%/) { # a special register: lt, laneid, tidx, ntidx, ...
		sub(/^%(lanemask_|[\^~])?/, "", x)
		gsub(/[.]/, "", x)
	}
	if (match(x, /[a-z]<[a-z_]+>$/) && substr(x, RSTART + 2, RLENGTH - 3) in bound) x = substr(x, 1, RSTART) bound[substr(x, RSTART + 2, RLENGTH - 3)]
	if (x ~ /^<.*>$/) {
		x = substr(x, 2, length(x) - 2)
		x = x in bound ? bound[x] : x
	}
	return x
}
function operand(x) {
	x = name(x)
	if (x ~ /^(-?[0-9]+|0x[0-9a-f]+)$/) return number(x)
	if (!((x "." thread) in known)) die("nothing has set " x "." thread " in: " $0)
	return current(x "." thread)
}
function predicate(x) { return x ~ /^!/ ? "(not " operand(substr(x, 2)) ")" : operand(x) }

# ---- instructions -----------------------------------------------------------------------------------------------------------

# Byte k of a word, and products of bytes; most second factors are 0 or 1, and need no multiplication.
function byte(x, k) { return "((_ extract " 8 * k + 7 " " 8 * k ") " x ")" }
function product(x, y, signed) {
	if (signed) return "(bvmul ((_ zero_extend 24) " x ") ((_ sign_extend 24) " y "))"
	return "(ite (= " y " #x00) #x00000000 (ite (= " y " #x01) ((_ zero_extend 24) " x ") ((_ zero_extend 16) (bvmul ((_ zero_extend 8) " x ") ((_ zero_extend 8) " y ")))))"
}
function dp4a(x, y, z, part,    k, s) {
	s = z
	for (k = 0; k < 4; k++) s = "(bvadd " s " " product(byte(x, k), byte(y, k), part[3] == "s32") ")"
	return s
}
function digit(x) { return index("0123456789abcdef", x) - 1 }
# lop3 of three words: bit 4 a + 2 b + c of the table is the result for bits a, b and c.
function lop3(x, y, z, table,    n, i, s) {
	n = 16 * digit(substr(table, 3, 1)) + digit(substr(table, 4, 1))
	s = "#x00000000"
	for (i = 0; i < 8; i++)
		if (int(n / 2 ^ i) % 2)
			s = "(bvor " s " (bvand " (i >= 4 ? x : "(bvnot " x ")") " (bvand " (int(i / 2) % 2 ? y : "(bvnot " y ")") " " (i % 2 ? z : "(bvnot " z ")") ")))"
	return s
}
function compare(op, x, y, s) {
	if (op == "eq") return "(= " x " " y ")"
	if (op == "ne") return "(distinct " x " " y ")"
	return "(bv" (s ? "s" : "u") op " " x " " y ")"
}
function binary(op, x, y, s) {
	if (op ~ /^(add|sub|mul|and|or|xor|shl)$/) return "(bv" op " " x " " y ")"
	if (op == "exch") return y
	if (op == "div") return "(bvudiv " x " " y ")"
	if (op == "shr") return "(bv" (s ? "ashr" : "lshr") " " x " " y ")"
	if (op == "min" || op == "max") return "(ite (bv" (s ? "s" : "u") (op == "min" ? "lt " : "gt ") x " " y ") " x " " y ")"
	die("'" op "' in: " $0)
}
function unary(op, x, shiftamt) {
	if (op == "popc" || op == "brev" || op == "clz") return "(" op " " x ")"
	if (op == "bfind") return "(ite (= " x " #x00000000) #xffffffff " (shiftamt ? "(clz " x ")" : "(bvsub (_ bv31 32) (clz " x "))") ")"
	if (op == "not") return "(bvnot " x ")"
	if (op == "neg") return "(bvneg " x ")"
	if (op == "abs") return "(ite (bvslt " x " #x00000000) (bvneg " x ") " x ")"
	if (op == "mov" || op == "cvt") return x # words are of one width
	die("'" op "' in: " $0)
}
function value(f, nf, part,    op, s, x) {
	op = part[1]
	s = f[1] ~ /[.]s(16|32|64|<w>)/
	if (op == "setp") {
		x = compare(part[2], operand(f[3]), operand(f[4]), s)
		return nf == 5 ? "(" part[3] " " x " " predicate(f[5]) ")" : x
	}
	if (part[2] == "pred") {
		if (op == "mov") return f[3] ~ /^-1/ ? "true" : f[3] ~ /^0/ ? "false" : operand(f[3])
		return op == "not" ? "(not " operand(f[3]) ")" : "(" op " " predicate(f[3]) " " predicate(f[4]) ")"
	}
	if (op == "selp") return "(ite " operand(f[5]) " " operand(f[3]) " " operand(f[4]) ")"
	if (op == "mul" && part[2] == "hi" && !s) {
		x = "((_ zero_extend " width ") "
		return "((_ extract " 2 * width - 1 " " width ") (bvmul " x operand(f[3]) ") " x operand(f[4]) ")))"
	}
	if (op == "mad") return "(bvadd (bvmul " operand(f[3]) " " operand(f[4]) ") " operand(f[5]) ")"
	if (op == "dp4a") return dp4a(operand(f[3]), operand(f[4]), operand(f[5]), part)
	if (op == "lop3") return lop3(operand(f[3]), operand(f[4]), operand(f[5]), f[6])
	if (op == "shf") return "(rotr " operand(f[3]) " " operand(f[5]) ")" # the lemmas have rotations only
	return nf == 3 ? unary(op, operand(f[3]), part[2] == "shiftamt") : binary(op, operand(f[3]), operand(f[4]), s)
}
# A shuffle. For `up`, its predicate operand is whether the source lane exists.
function shuffle(f, part,    from, x, lane, other, v, y) {
	x = name(f[2])
	sub(/[|].*/, "", x)
	y = name(f[3])
	lane = operand(f[4])
	if (part[3] == "up") {
		lane = "(bvsub " place[thread] " " lane ")"
		put(name(substr(f[2], index(f[2], "|") + 1)) "." thread, "Bool", "(bvuge " place[thread] " " operand(f[4]) ")")
		lane = "(ite (bvuge " place[thread] " " operand(f[4]) ") " lane " " place[thread] ")"
	} else if (part[3] != "idx") die("'" part[3] "' in: " $0)
	print "(declare-const any" ++unknown " (_ BitVec " width "))"
	v = "any" unknown
	for (other in place)
		if ((y "." other) in known) v = "(ite (= " place[other] " " lane ") " current(y "." other) " " v ")"
	put(x "." thread, "(_ BitVec " width ")", v)
}
# ---- memory: the list of stores, in order ------------------------------------------------------------------------------------------

function address(x,    n, f) {
	gsub(/[][;,]/, "", x)
	n = split(x, f, "+")
	return n == 1 ? operand(f[1]) : "(bvadd " operand(f[1]) " " operand(f[2]) ")"
}
function bytes_of(part,    k) {
	for (k = 2; part[k] != ""; k++) if (part[k] ~ /^[bus][0-9]+$/) return substr(part[k], 2) / 8
	die("no width in: " $0)
}
# The last value stored to exactly this address. Bytes of partly overlapping stores, and initial bytes, are unknown.
function load(to, n,    k, s, sort) {
	sort = "(_ BitVec " 8 * n ")"
	print "(declare-const any" ++unknown " " sort ")"
	s = "any" unknown
	for (k = 1; k <= nstores; k++) {
		if (stored_bytes[k] == n) s = "(ite (and " stored_if[k] " (= " to " " stored_at[k] ")) " stored[k] " " s ")"
		else s = "(ite (and " stored_if[k] " (or (bvult (bvsub " to " " stored_at[k] ") (_ bv" stored_bytes[k] " 32)) (bvult (bvsub " stored_at[k] " " to ") (_ bv" n " 32)))) any" unknown " " s ")"
		if (stored_bytes[k] == n && n > 1)
			s = "(ite (and " stored_if[k] " (distinct " to " " stored_at[k] ") (or (bvult (bvsub " to " " stored_at[k] ") (_ bv" n " 32)) (bvult (bvsub " stored_at[k] " " to ") (_ bv" n " 32)))) any" unknown " " s ")"
	}
	return n < 4 ? "((_ zero_extend " 32 - 8 * n ") " s ")" : s
}
function store(to, n, v, guard) {
	nstores++
	print "(define-fun to" ++nto " () (_ BitVec 32) " to ")(define-fun what" nto " () (_ BitVec " 8 * n ") " (n < 4 ? "((_ extract " 8 * n - 1 " 0) " v ")" : v) ")"
	stored_at[nstores] = "to" nto
	stored[nstores] = "what" nto
	stored_bytes[nstores] = n
	stored_if[nstores] = guard == "" ? "true" : guard
}
# An atomic operation; returns the old value.
function atomic(f, part, guard,    d, to, n, old, k) {
	for (k = 3; part[k] !~ /^(add|min|max|and|or|xor|exch|cas)$/; k++) if (part[k] == "") die("'" f[1] "' in: " $0)
	d = part[1] == "atom"
	to = address(f[2 + d])
	n = bytes_of(part)
	put("atom", "(_ BitVec " 8 * n ")", load(to, n))
	old = current("atom")
	if (part[k] == "cas") store(to, n, "(ite (= " old " " of_bytes(f[4], n) ") " of_bytes(f[5], n) " " old ")", guard)
	else store(to, n, binary(part[k], old, of_bytes(f[3 + d], n), part[k + 1] ~ /^s/), guard)
	return old
}
# An operand, extended to the n bytes of the access.
function of_bytes(x, n,    v) {
	if (x ~ /^-?[0-9]/) return constant(x, 8 * n)
	v = operand(x)
	return n == 8 && sort_of[v] == "(_ BitVec 32)" ? "((_ zero_extend 32) " v ")" : v
}
# The width of an instruction: 64 if one of its registers currently holds 64 bits; addresses are 32-bit words.
function bits_of(f, nf,    k, x) {
	for (k = 2; f[1] ~ /^(mov|add|shl|shr|setp)[.].*64$/ && k <= nf; k++) {
		x = name(f[k]) "." thread
		if (x in known && sort_of[current(x)] == "(_ BitVec 64)") return 64
	}
	return width
}
function bare(x) {
	gsub(/[{},;]/, "", x)
	return x
}
function vector(x, k, at) {
	put(name(bare(x)) "." thread, "(_ BitVec 32)", load("(bvadd " address(at) " " constant(4 * k, 32) ")", 4))
}
# A 64-bit register from two words, or the reverse.
function halves(f,    x) {
	if (f[2] ~ /^[{]/) {
		x = operand(f[4])
		put(name(bare(f[2])) "." thread, "(_ BitVec 32)", "((_ extract 31 0) " x ")")
		put(name(bare(f[3])) "." thread, "(_ BitVec 32)", "((_ extract 63 32) " x ")")
	} else put(name(f[2]) "." thread, "(_ BitVec 64)", "(concat " operand(bare(f[4])) " " operand(bare(f[3])) ")")
}
function execute(last,    f, nf, part, guard, sort, x, v) {
	if ($1 ~ /^[$#{}.]/ || $1 ~ /^(bar|barrier|membar|ret)([.]sync|[.]warp|[.]gl|;|$)/ || $1 ~ /^bra/) return
	if ($1 ~ /^@/) { guard = predicate(substr($1, 2)); $1 = ""; $0 = $0 }
	if ($1 ~ /^(st|red)[.]/ && !has_memory) return
	print ";; LINE " at
	if ($1 ~ /^(bra|ret)/) { print "(assert " (last ? guard : "(not " guard ")") ")"; return }
	nf = split($0, f)
	if (match(f[1], /<[a-z_]+>/) && substr(f[1], RSTART + 1, RLENGTH - 2) in bound)
		f[1] = substr(f[1], 1, RSTART - 1) bound[substr(f[1], RSTART + 1, RLENGTH - 2)] substr(f[1], RSTART + RLENGTH)
	split(f[1], part, ".")
	if (part[1] == "shfl") { shuffle(f, part); return }
	if (part[1] == "mov" && $0 ~ /[{]/) { halves(f); return }
	if (part[1] == "call") {
		for (x = 3; x <= nf; x++) {
			gsub(/[()]/, "", f[x])
			put("arg" x - 2 "." thread, "(_ BitVec " width ")", operand(f[x]))
		}
		return
	}
	if (part[1] == "red") { atomic(f, part, guard); return }
	if (part[1] == "st" && f[3] ~ /^[{]/) { # a vector of words
		for (x = 3; x <= nf; x++) store("(bvadd " address(f[2]) " " constant(4 * (x - 3), 32) ")", 4, operand(bare(f[x])), guard)
		return
	}
	if (part[1] == "st") {
		x = bytes_of(part)
		store(address(f[2]), x, f[3] ~ /^-?[0-9]/ ? constant(f[3], 8 * x) : operand(f[3]), guard)
		return
	}
	if (f[2] ~ /^[{]/) { # a vector of words
		for (x = 2; f[x] !~ /^\[/; x++) if (f[x] != "}") { sub(/^[{]/, "", f[x]); vector(f[x], x - 2, f[nf]) }
		return
	}
	x = name(f[2]) "." thread
	of_word = bits_of(f, nf)
	sort = part[1] ~ /^(setp|isspacep)$/ || part[2] == "pred" || f[1] ~ /[.]pred$/ ? "Bool" : "(_ BitVec " of_word ")"
	if (has_memory && part[1] ~ /^(ld|atom)$/ && !(x in comes)) {
		v = part[1] == "ld" ? load(address(f[3]), bytes_of(part)) : atomic(f, part, guard)
		if (bytes_of(part) == 8) sort = "(_ BitVec 64)"
	} else if (part[1] ~ /^(vote|ld|atom|redux|barrier|isspacep|cvta|activemask)$/) {
		if (!(x in comes)) die("nothing comes to " x " in: " $0)
		v = translate(comes[x])
	} else v = value(f, nf, part)
	of_word = width
	if (guard != "") v = "(ite " guard " " v " " (x in known ? current(x) : v) ")"
	put(x, sort, v)
}
function run(spec,    piece, n, f, i, k, on, depth, going, section) {
	n = split(spec, piece, / *: */)
	split(piece[1], f)
	thread = f[1]
	section = f[2]
	delete bound
	for (i = split(piece[4], f); i > 0; i--) { split(f[i], k, "="); bound[k[1]] = k[2] }
	on[depth = 0] = 1
	for (i = 1; i <= length_of[section]; i++) {
		$0 = text[section, i]
		going = going || on[depth] && index($0, piece[2])
		if ($1 == "#if") { depth++; on[depth] = on[depth - 1] && bound[$2] }
		else if ($1 == "#each") { depth++; on[depth] = on[depth - 1] }
		else if ($1 == "#else") on[depth] = on[depth - 1] && !on[depth]
		else if ($1 == "#end") depth--
		else if (on[depth] && going) {
			n = index($0, piece[3])
			at = line_of[section, i]
			execute(n)
			if (n) return
		}
	}
	die("section '" section "' has no line '" piece[3] "' behind one '" piece[2] "'")
}

# ---- the lemma ----------------------------------------------------------------------------------------------------------------

function functions(    i, s) {
	if (width != 32) return
	s = "#x00000000"
	for (i = 0; i < 32; i++) s = "(bvadd " s " ((_ zero_extend 31) ((_ extract " i " " i ") x)))"
	print "(define-fun popc ((x (_ BitVec 32))) (_ BitVec 32) " s ")"
	s = "((_ extract 0 0) x)"
	for (i = 1; i < 32; i++) s = "(concat " s " ((_ extract " i " " i ") x))"
	print "(define-fun brev ((x (_ BitVec 32))) (_ BitVec 32) " s ")"
	s = "(_ bv32 32)"
	for (i = 0; i < 32; i++) s = "(ite (= #b1 ((_ extract " i " " i ") x)) (_ bv" 31 - i " 32) " s ")"
	print "(define-fun clz ((x (_ BitVec 32))) (_ BitVec 32) " s ")"
	print "(define-fun rotr ((x (_ BitVec 32)) (n (_ BitVec 32))) (_ BitVec 32) (let ((k (bvand n (_ bv31 32)))) (bvor (bvlshr x k) (bvshl x (bvsub (_ bv32 32) k)))))"
	print "(define-fun bit ((x (_ BitVec 32)) (n (_ BitVec 32))) Bool (= (_ bv1 32) (bvand (_ bv1 32) (bvlshr x n))))"
}
function follow(s,    w, x, i, n) {
	n = split(s, w)
	x = w[1]
	sub(/^[a-z]+ */, "", s)
	if (x ~ /^(word|long|truth)$/)
		for (i = 2; i <= n; i++) print "(declare-const " w[i] (x == "truth" ? " Bool)" : " (_ BitVec " (x == "word" ? width : 64) "))")
	else if (x == "run") run(s)
	else if (x == "assume") print "(assert " translate(s) ")"
	else if (x == "prove") proven = proven " " translate(s)
	else if (x == "memory") {
		has_memory = 1
		if (n > 2) store(w[2], n == 4 ? w[4] : 8, w[3])
	} else if (x == "holds") {
		sub(/^[^ ]+ */, "", s)
		put(w[2], "(_ BitVec 64)", load(translate(s), 8))
	}
	else if (x == "place") { sub(/^[^ ]+ */, "", s); place[w[2]] = translate(s) }
	else if (x == "set" || x == "comes") {
		sub(/^[^ ]+ */, "", s)
		if (x == "comes") comes[w[2]] = s
		else put(w[2], s ~ /^truth / ? "Bool" : "(_ BitVec " (s ~ /^long / ? 64 : width) ")", translate(s ~ /^(truth|long) / ? substr(s, index(s, " ") + 1) : s))
	} else die("'" x "' is no word of lemmas")
}
function question(bits,    o) {
	width = of_word = bits
	proven = ""
	nstores = 0
	delete version
	delete known
	print "(push 1)"
	functions()
	for (o = 1; o <= norder; o++) follow(order[o])
	print "(push 1)(check-sat)(pop 1)"
	print "(assert (not (and true" proven ")))(check-sat)(pop 1)"
}
END {
	if (failed) exit 2
	print "(set-logic QF_BV)"
	for (w = 0; w < (nwidths ? nwidths : 1); w++) question(nwidths ? widths[w] : 32)
}
