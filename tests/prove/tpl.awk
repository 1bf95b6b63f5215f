# SPDX-License-Identifier: MIT
# tpl.awk: translates a lemma about lines of a template into a question to an SMT solver. See run.sh.
#
#	awk -f tpl.awk [-v omit=LINE] LEMMA TEMPLATE            omit: a line of the template to leave out
#
# Two lanes, a before b, execute a section of the template from one label to another. The results of its instructions are written as
# SMT-LIB terms in linear integer arithmetic; "unsat" means that the lemma holds for every mask, every ballot, and every two lanes of
# the mask.
#
# Sets of lanes (masks, ballots) are not modelled bit by bit. The lanes form five segments: those before a, a itself, those between a
# and b, b itself, and those after b. Each segment consists of cells, one for each combination of membership in the mask and in each
# ballot. The number of lanes in a cell is an unknown. A set that the code computes by and, or and not is a union of cells, and its
# population count is the sum of their numbers (Boolean algebra with Presburger arithmetic). The model is exact.
#
# A lemma file:
#	template FILE           a template in transform/; collect.tpl by default
#	section NAME            the section to execute, with the sections that it includes
#	begins NAME             a section whose instructions are executed before
#	logic NAME              the SMT-LIB logic, if numbers are multiplied
#	flags NAME...           the flags that are set
#	goes NAME LABEL         the label that value NAME stands for; by default the label of that name. <NAME> if a label has that name, too
#	from LABEL, to LABEL    the first and the last label of the walk; `to` may name an included section, meaning its beginning
#	falls                   the walk ends where control falls through to `to`, not at a branch to it
#	through LABEL...        guarded branches are taken only to these labels and to the end
#	set NAME...             sets other than the mask, subsets of it
#	within NAME NAME        the first set is a subset of the second
#	lanes NAME SET          predicate NAME holds in exactly the lanes of the set
#	number NAME...          unknown numbers that are the same in all lanes
#	assume FORMULA          holds before the walk
#	prove FORMULA           must hold after it
# mask is M; size is its population count, and so is `enough` unless it is listed as a number; lt is the set of lanes below a lane, and
# rank their number in M. In formulas, NAME is a value before the walk and NAME' after it; NAME:a and NAME:b are the values of one lane;
# |NAME| is the size of a set; NAME@a says that a is in the set. |here'| is the number of lanes that reach the end of the walk, according
# to the branches whose predicates are sets.

function die(what) {
	print "tpl.awk: " FILENAME ":" FNR ": " what >"/dev/stderr"
	failed = 1
	exit 2
}

# ---- the lemma -------------------------------------------------------------------------------------------------------

FNR == NR {
	sub(/#.*/, "")
	if ($1 == "section" || $1 == "from" || $1 == "to") what[$1] = $2
	else if ($1 == "template") template = $2
	else if ($1 == "begins") begins = $2
	else if ($1 == "logic") logic = $2
	else if ($1 == "falls") falls = 1
	else if ($1 == "within") { inner[++nwithin] = $2; outer[nwithin] = $3 }
	else if ($1 == "lanes") holds[$2] = $3
	else if ($1 == "through") for (i = 2; i <= NF; i++) through[$i] = 1
	else if ($1 == "goes") goes[$2] = $3
	else if ($1 == "flags") for (i = 2; i <= NF; i++) flag[$i] = 1
	else if ($1 == "set") for (i = 2; i <= NF; i++) sets[++nsets] = $i
	else if ($1 == "number") for (i = 2; i <= NF; i++) numbers[++nnumbers] = $i
	else if ($1 == "assume" || $1 == "prove") {
		kind = $1
		sub(/^[ \t]*[a-z]+[ \t]*/, "")
		formula[++nformulas] = $0
		kinds[nformulas] = kind
	} else if (NF) die("'" $1 "' is no word of lemmas")
	next
}

# ---- the template: its sections, and the lines of the executed one, with its includes -----------------------------------

/^=== / {
	inside = $2
	next
}
inside {
	sub(/[ \t]*# .*/, "")
	if (NF && FNR != omit) {
		text[inside, ++length_of[inside]] = $0
		line_of[inside, length_of[inside]] = FNR
	}
}
# Appends the lines of a section; the body of an #each appears once.
function include(name,    i, depth, on, f) {
	on[depth = 0] = 1
	for (i = 1; i <= length_of[name]; i++) {
		split(text[name, i], f)
		if (f[1] == "#if" || f[1] == "#each") { depth++; on[depth] = on[depth - 1] && (f[1] == "#each" || f[2] in flag) }
		else if (f[1] == "#else") on[depth] = on[depth - 1] && !on[depth]
		else if (f[1] == "#end") depth--
		else if (!on[depth]) continue
		else if (substr(f[1], 2) in length_of && f[1] ~ /^#/) {
			if (substr(f[1], 2) == what["to"]) line[++nlines] = "$^" what["to"] ":"
			include(substr(f[1], 2))
		}
		else {
			line[++nlines] = text[name, i]
			at[nlines] = line_of[name, i]
		}
	}
}

# ---- sets: strings of 0 and 1, one character per cell ------------------------------------------------------------------------

# Is cell c (from 0) in the set of atom k (0: the mask)? Its segment is int(c / cells).
function in_atom(c, k) { return int(c % cells / 2 ^ k) % 2 }
function segment(c) { return int(c / cells) }

function set_of(k,    s, c) {
	for (c = 0; c < 5 * cells; c++) s = s in_atom(c, k)
	return s
}
# The set of lanes before a, or before b.
function set_below(lane,    s, c) {
	for (c = 0; c < 5 * cells; c++) s = s (segment(c) < (lane == "a" ? 1 : 3) ? 1 : 0)
	return s
}
function set_not(x,    s, c) {
	for (c = 1; c <= length(x); c++) s = s (1 - substr(x, c, 1))
	return s
}
function set_and(x, y,    s, c) {
	for (c = 1; c <= length(x); c++) s = s (substr(x, c, 1) * substr(y, c, 1))
	return s
}
function set_or(x, y) { return set_not(set_and(set_not(x), set_not(y))) }
function count(x,    s, c) {
	for (c = 0; c < length(x); c++) if (substr(x, c + 1, 1) == "1") s = s " c" c
	return s == "" ? "0" : "(+ 0" s ")"
}
function has(x, lane,    s, c) {
	for (c = 0; c < length(x); c++) if (substr(x, c + 1, 1) == "1" && segment(c) == (lane == "a" ? 1 : 3)) s = s " c" c
	return s == "" ? "false" : "(= 1 (+ 0" s "))"
}

# ---- the walk ---------------------------------------------------------------------------------------------------------------

# The value of an operand on a lane: an SMT term for a number, or the string of a set.
function operand(x, lane) {
	gsub(/[,;]/, "", x)
	if (x ~ /^%[\^~]/) {
		x = substr(x, 3)
		if ((x, lane) in value) return value[x, lane]
		die("'" x "' has no value in: " $0)
	}
	if (x ~ /^-?[0-9]+$/) return x < 0 ? "(- " substr(x, 2) ")" : x
	if (x ~ /^<.*>$/ && (substr(x, 2, length(x) - 2), lane) in first) return first[substr(x, 2, length(x) - 2), lane]
	if (x ~ /^<.*>$/ && (substr(x, 2, length(x) - 2), lane) in value) return value[substr(x, 2, length(x) - 2), lane]
	die("operand '" x "' in: " $0)
}
function is_set(x) { return x ~ /^[01]+$/ && length(x) == 5 * cells }
function put(x, lane, v) {
	gsub(/[,;]/, "", x)
	value[substr(x, 3), lane] = v
}
# The value of a guard, "!%^x" or "%^x".
function predicate(x, lane) { return x ~ /^!/ ? "(not " truth(substr(x, 2), lane) ")" : truth(x, lane) }
function truth(x, lane) {
	x = operand(x, lane)
	return is_set(x) ? has(x, lane) : x
}

function compare(op, x, y,    r) {
	if (is_set(x) && is_set(y)) { x = set_or(set_and(x, set_not(y)), set_and(y, set_not(x))); y = "0" }
	if (is_set(x)) x = count(x)
	r = op == "lt" ? "<" : op == "le" ? "<=" : op == "gt" ? ">" : op == "ge" ? ">=" : "="
	return op == "ne" ? "(not (= " x " " y "))" : "(" r " " x " " y ")"
}

function arithmetic(op, x, y) {
	if (op == "and" && is_set(x) && is_set(y)) return set_and(x, y)
	if (op == "or" && is_set(x) && is_set(y)) return set_or(x, y)
	if (op == "xor" && is_set(x) && is_set(y)) return set_and(set_or(x, y), set_not(set_and(x, y)))
	if (op == "or" && (x == "0" || y == "0")) return x == "0" ? y : x
	if (op == "add") return "(+ " x " " y ")"
	if (op == "sub") return "(- " x " " y ")"
	if (op == "max") return "(ite (< " x " " y ") " y " " x ")"
	if (op == "min") return "(ite (< " x " " y ") " x " " y ")"
	if (op == "mul") return "(* " x " " y ")"
	if (op == "shl" && y ~ /^[0-9]+$/) return "(* " x " " 2 ^ y ")"
	die("'" op "' in: " $0)
}

# Executes an unguarded instruction on one lane.
function execute(f, nf, lane,    op, part, x) {
	split(f[1], part, ".")
	op = part[1]
	if (op == "bar" || f[1] ~ /^#/) return
	if (op == "activemask") put(f[2], lane, set_of(0))
	else if (op == "vote" && is_set(x = operand(f[3], lane)))
		put(f[2], lane, part[3] == "ballot" ? x : compare("ne", x, "0"))
	else if (op == "vote" && part[3] == "ballot") {
		x = substr(f[2], 3)
		sub(/,/, "", x)
		if (!((x, "ballot") in atom)) die("no set '" x "'")
		put(f[2], lane, set_of(atom[x, "ballot"]))
		fact("(= " operand(f[3], lane) " " has(value[x, lane], lane) ")")
	} else if (op == "vote") {
		fact("(=> " operand(f[3], lane) " any)")
		put(f[2], lane, "any")
	}
	else if (op == "popc") put(f[2], lane, count(operand(f[3], lane)))
	else if (f[1] == "not.pred") { x = operand(f[3], lane); put(f[2], lane, is_set(x) ? set_and(set_of(0), set_not(x)) : "(not " x ")") }
	else if (op == "not") put(f[2], lane, set_not(operand(f[3], lane)))
	else if (f[1] == "mov.pred" && is_set(value[x = substr(f[2], 3, length(f[2]) - 3), lane])) {
		if (lane == "a") given = f[3] ~ /^-1/ ? set_or(value[x, "a"], here) : set_and(value[x, "a"], set_not(here))
		value[x, lane] = given
	} else if (f[1] == "mov.pred") put(f[2], lane, f[3] ~ /^-1/ ? "true" : f[3] ~ /^0/ ? "false" : operand(f[3], lane))
	else if (op == "mov") put(f[2], lane, operand(f[3], lane))
	else if (op == "setp") {
		x = compare(part[2], operand(f[3], lane), operand(f[4], lane))
		put(f[2], lane, nf == 5 ? "(" part[3] " " x " " predicate(f[5], lane) ")" : x)
	}
	else if (op == "selp") put(f[2], lane, "(ite " predicate(f[5], lane) " " operand(f[3], lane) " " operand(f[4], lane) ")")
	else if (f[1] == "and.pred" && !is_set(operand(f[3], lane))) put(f[2], lane, "(and " predicate(f[3], lane) " " predicate(f[4], lane) ")")
	else if (f[1] == "or.pred") put(f[2], lane, "(or " predicate(f[3], lane) " " predicate(f[4], lane) ")")
	else put(f[2], lane, arithmetic(op, operand(f[3], lane), operand(f[4], lane)))
}

function fact(f) { facts[++nfacts] = f }
function label(name,    i) {
	for (i = 1; i <= nlines; i++) if (line[i] ~ "^[$][\\^~]" name ":") return i
	die("no label '" name "' in section '" what["section"] "'")
}
# Takes a branch or passes it. Returns the next line, 0 at the end of the walk, or -1 for the following line.
function branch(guard, to,    p, l, taken) {
	gsub(/[$^~;]/, "", to)
	if (to in goes) to = goes[to]
	gsub(/[<>]/, "", to)
	if (to in goes) to = goes[to]
	if (guard == "") return to == what["to"] ? 0 : label(to)
	sub(/^@/, "", guard)
	taken = (to == what["to"] && !falls) || to in through
	if (is_set(p = operand(guard ~ /^!/ ? substr(guard, 2) : guard, "a"))) {
		here = set_and(here, (guard ~ /^!/) == taken ? set_not(p) : p)
		return !taken ? -1 : to == what["to"] ? 0 : label(to)
	}
	for (l = 1; l <= 2; l++) {
		p = predicate(guard, substr("ab", l, 1))
		fact(taken ? p : "(not " p ")")
	}
	return !taken ? -1 : to == what["to"] ? 0 : label(to)
}
function walk(    i, f, nf, next_line, guard, k) {
	for (i = label(what["from"]); i;) {
		$0 = line[i]
		if ($1 ~ /^[$]/) {
			if ($1 ~ "^[$][\\^~]" what["to"] ":") return
			i++
			continue
		}
		guard = ""
		if ($1 !~ /^(#|bar)/) print ";; LINE " at[i]
		if ($1 ~ /^@/) { guard = $1; $1 = ""; $0 = $0 }
		nf = split($0, f)
		if (f[1] ~ /^bra/) next_line = branch(guard, f[2])
		else {
			if (guard != "") die("guarded: " $0)
			execute(f, nf, "a"); execute(f, nf, "b")
			next_line = -1
		}
		i = next_line < 0 ? i + 1 : next_line
		if (++steps > 500 || i > nlines) die("the walk does not end at '" what["to"] "'")
	}
}

# Executes the instructions of a section; labels, braces and directives are skipped.
function run_all(name,    i, f, nf, n) {
	n = nlines
	include(name)
	for (i = n + 1; i <= nlines; i++) {
		$0 = line[i]
		nf = split($0, f)
		if (f[1] !~ /^[a-z0-9]+[.]/) continue
		print ";; LINE " at[i]
		execute(f, nf, "a"); execute(f, nf, "b")
	}
	nlines = n
}

# ---- formulas ---------------------------------------------------------------------------------------------------------------

# Replaces the names of a formula: |x|, x@a, x:a, x', x. Before the walk x' is x.
function translate(s,    out, name, n, v, lane) {
	while (match(s, /[|][a-z_]+'?[|]|[a-z_]+'?@[ab]|[a-z_]+:[ab]|[a-z_]+'?/)) {
		out = out substr(s, 1, RSTART - 1)
		name = substr(s, RSTART, RLENGTH)
		s = substr(s, RSTART + RLENGTH)
		if (name ~ /^[|]/) out = out count(named(substr(name, 2, length(name) - 2), "a"))
		else if (name ~ /@/) { n = split(name, v, "@"); out = out has(named(v[1], v[2]), v[2]) }
		else if (name ~ /:/) { n = split(name, v, ":"); out = out named(v[1] "'", v[2]) }
		else if (name in smt) out = out name
		else out = out named(name, "a")
	}
	return out s
}
function named(x, lane) {
	if (x ~ /'$/) {
		x = substr(x, 1, length(x) - 1)
		if ((x, lane) in value) return value[x, lane]
	} else if ((x, lane) in first) return first[x, lane]
	die("'" x "' in a formula has no value")
}

function give(x, v,    l) {
	for (l = 1; l <= 2; l++) first[x, substr("ab", l, 1)] = value[x, substr("ab", l, 1)] = v
}

END {
	if (failed) exit 2
	split("and or not true false ite distinct", words, " ")
	for (i in words) smt[words[i]] = 1
	smt["=>"] = 1
	cells = 2 ^ (nsets + 1)
	give("mask", set_of(0))
	for (k = 1; k <= nsets; k++) {
		atom[sets[k], "ballot"] = k
		give(sets[k], set_of(k))
		for (x in holds) { delete value[sets[k], "a"]; delete value[sets[k], "b"] } # set by a ballot
	}
	give("size", count(set_of(0)))
	for (l = 1; l <= 2; l++) {
		lane = substr("ab", l, 1)
		value["lt", lane] = set_below(lane)
		value["rank", lane] = count(set_and(set_of(0), set_below(lane)))
	}
	print "(set-logic " (logic ? logic : "QF_LIA") ")(declare-const any Bool)"
	for (c = 0; c < 5 * cells; c++) {
		print "(declare-const c" c " Int)(assert (>= c" c " 0))"
		for (k = 1; k <= nsets; k++) if (in_atom(c, k) && !in_atom(c, 0)) print "(assert (= c" c " 0))"
		all = all " c" c
		if (segment(c) == 1) one_a = one_a " c" c
		if (segment(c) == 3) one_b = one_b " c" c
	}
	print "(assert (= 32 (+" all ")))(assert (= 1 (+" one_a ")))(assert (= 1 (+" one_b ")))"
	print "(assert " has(set_of(0), "a") ")(assert " has(set_of(0), "b") ")"
	give("enough", count(set_of(0)))
	for (k = 1; k <= nnumbers; k++) { print "(declare-const " numbers[k] " Int)"; give(numbers[k], numbers[k]) }
	for (l = 1; l <= 2; l++) {
		lane = substr("ab", l, 1)
		print "(declare-const want_" lane " Bool)(declare-const in_" lane " Bool)"
		value["want", lane] = first["want", lane] = "want_" lane
		value["in", lane] = first["in", lane] = "in_" lane
	}
	for (i = 1; i <= nwithin; i++) print "(assert (= 0 " count(set_and(named(inner[i], "a"), set_not(named(outer[i], "a")))) "))"
	if (begins) run_all(begins)
	for (x in holds) give(x, named(holds[x], "a"))
	for (i = 1; i <= nformulas; i++) if (kinds[i] == "assume") print "(assert " translate(formula[i]) ")"
	here = set_of(0)
	include(what["section"])
	walk()
	value["here", "a"] = value["here", "b"] = here
	for (i = 1; i <= nfacts; i++) print "(assert " facts[i] ")"
	for (i = 1; i <= nformulas; i++) if (kinds[i] == "prove") all_proven = all_proven " " translate(formula[i])
	print "(push 1)(check-sat)(pop 1)"
	print "(assert (not (and true" all_proven ")))(check-sat)"
}
