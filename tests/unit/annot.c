/* SPDX-License-Identifier: MIT */
/* Unit tests of the annotation language: every row of annot.def is read and printed, every error
 * has its text and its place. */
#include <stdlib.h>
#include <string.h>
#include "base/annot.h"
#include "base/heap.h"
#include "tests/unit/test.h"

/* ---- what is there to be read ---------------------------------------------------------------- */

/* text: the text after `#pragma ccc`; clauses: those of the marker, NULL: an error */
static const struct {
	const char *text;
	Annot_kind kind;
	bool both;
	const char *clauses;
} good[] = {
	{ "for", ANNOT_FOR, false, "" },
	{ " for\tconst ", ANNOT_FOR, false, "" },
	{ "for var", ANNOT_FOR_VAR, false, "" },
	{ "for  var,", ANNOT_KINDS, false, NULL },
	{ "if", ANNOT_IF, false, "" },
	{ "if else independent", ANNOT_IF, true, " independent" },
	{ "path", ANNOT_PATH, false, "" },
	{ "switch paths(64)", ANNOT_SWITCH, false, " paths(64)" },
	{ "switch paths( auto )", ANNOT_SWITCH, false, " paths(auto)" },
	{ "while", ANNOT_WHILE, false, "" },
	{ "delay policy(cycle( 2,1 )) idle", ANNOT_DELAY, false, " policy(cycle(2,1)) idle" },
	{ "unify policy(ahead(5))", ANNOT_UNIFY, false, " policy(ahead(5))" },
	{ "assign policy(wait)", ANNOT_ASSIGN, false, " policy(wait)" },
	{ "predict threshold(24)", ANNOT_PREDICT, false, " threshold(24)" },
	{ "for policy(stack)threads( 96 )", ANNOT_FOR, false, " policy(stack) threads(96)" },
	{ "for policy (\tauto\t) , threads (1),", ANNOT_FOR, false, " policy(auto) threads(1)" },
	{ "for policy( queue )", ANNOT_FOR, false, " policy(queue)" },
	{ "for retreat, threads(8)", ANNOT_FOR, false, " threads(8) retreat" },
	{ "for retreat( no ) independent", ANNOT_FOR, false, " independent retreat(no)" },
	{ "for retreat (12)", ANNOT_FOR, false, " retreat(12)" },
	{ "for policy( queue ( 02 ) )", ANNOT_FOR, false, " policy(queue(2))" },
	{ "for policy(expand)", ANNOT_FOR, false, " policy(expand)" },
	{ "for threads(1024) threshold(32) unroll(256)", ANNOT_FOR, false,
		" threshold(32) threads(1024) unroll(256)" },
	{ "for reduction( && : a,b_1 ), reassociate", ANNOT_FOR, false,
		" reduction(=26=26:a,b_1) reassociate" },
	{ "for var policy( expand ( choose ) )", ANNOT_FOR_VAR, false, " policy(expand(choose))" },
	{ "if reduction(min:x) independent reduction(+ : y , \xc3\xa4)", ANNOT_IF, false,
		" reduction(min:x) reduction(+:y,=C3=A4) independent" },
};

/* the operators in a marker */
static const char *const operators[OPERATOR_COUNT] = {
	"+", "=2A", "min", "max", "=26", "=7C", "=5E", "=26=26", "=7C=7C"
};

static bool
prints(const Annot *a, const char *expected)
{
	Buf b = { 0 };

	annot_put_clauses(&b, a);
	bool ok = strcmp(b.at ? b.at : "", expected) == 0;
	if (!ok)
		printf("prints '%s', not '%s'\n", b.at ? b.at : "", expected);
	buf_free(&b);
	return ok;
}

/* Whether the clauses, parsed as a marker's, are printed unchanged. */
static bool
reparses_equal(const char *clauses, Annot_kind kind)
{
	char *text = xmalloc(strlen(clauses) + 1);
	Annot a;
	Annot_error err;

	bool ok = annot_unescape(clauses, strlen(clauses), text) &&
		annot_parse_clauses(text, (uint32_t)strlen(text), kind, &a, &err) &&
		a.kind == kind && prints(&a, clauses);
	xfree(text);
	return ok;
}

static void
test_good(void)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		Annot a;
		Annot_error err;
		bool ok = annot_parse(good[i].text, (uint32_t)strlen(good[i].text), &a, &err);
		if (!good[i].clauses)
			CHECK(good[i].text, !ok);
		else
			CHECK(good[i].text,
				ok && a.kind == good[i].kind && a.both == good[i].both &&
					prints(&a, good[i].clauses) &&
					reparses_equal(good[i].clauses, a.kind));
	}
}

/* ---- the tables ------------------------------------------------------------------------------ */

static void
test_kinds(void)
{
	bool distinct = true, spelt = true;

	for (uint32_t i = 0; i < ANNOT_KINDS; i++)
		for (uint32_t j = 0; j < i; j++)
			distinct &= strcmp(annot_kinds[i].marker, annot_kinds[j].marker) != 0;
	CHECK("kinds: distinct in markers", distinct);
	for (const Annot_spelling *s = annot_spellings; s->words; s++) {
		Annot a = { .kind = ANNOT_KINDS };
		Annot_error err;
		spelt &= annot_parse(s->words, (uint32_t)strlen(s->words), &a, &err) &&
			a.kind == s->kind && a.both == s->both;
		spelt &= strcmp(annot_words(&a),
				 strcmp(s->words, "for const") == 0 ? "for" : s->words) == 0;
	}
	CHECK("kinds: each spelling is read as its row says", spelt);
	CHECK("kinds: nobody writes an iteration, a case or an else of a remap",
		!annot_kinds[ANNOT_ITERATION].words && !annot_kinds[ANNOT_CASE].words &&
			!annot_kinds[ANNOT_REMAP_ELSE].words &&
			ANNOT_ITERATION == ANNOT_KINDS - 4 && ANNOT_RECURSION == ANNOT_KINDS - 1);
}

/* Clause c with number n, or a valid argument of its kind. */
static Buf
sample(uint32_t c, uint32_t n)
{
	Buf b = { 0 };

	buf_puts(&b, annot_clauses[c].name);
	switch (annot_clauses[c].argument) {
	case ARGUMENT_NONE: break;
	case ARGUMENT_NUMBER:
	case ARGUMENT_COUNT:
	case ARGUMENT_ROUNDS: buf_printf(&b, "(%u)", n); break;
	case ARGUMENT_POLICY: buf_puts(&b, "(stack)"); break;
	case ARGUMENT_LIST: buf_puts(&b, "(max:x)"); break;
	case ARGUMENT_EXPRESSION: buf_puts(&b, "(a[(x)])"); break;
	}
	return b;
}

/* Frees the text; a's lists must not be used afterwards. */
static bool
parses(Buf b, Annot_kind kind, Annot *a, Annot_error *err)
{
	bool ok = annot_parse_clauses(b.at, (uint32_t)b.n, kind, a, err);

	buf_free(&b);
	return ok;
}

static void
test_clauses(void)
{
	for (uint32_t c = 0; c < CLAUSE_COUNT; c++) {
		Annot_range r = annot_clauses[c].range;
		Annot_kind taker = ANNOT_FOR;
		bool kinds = true, least, most, number = r.most > 0;
		Annot a;
		Annot_error err;
		for (uint32_t k = 0; k < ANNOT_KINDS; k++) {
			bool takes = annot_clauses[c].kinds >> k & 1;
			bool ok = parses(sample(c, r.least), (Annot_kind)k, &a, &err);
			taker = takes ? (Annot_kind)k : taker;
			kinds &= ok == takes && (!ok || a.given == UINT32_C(1) << c);
		}
		least = parses(sample(c, r.least), taker, &a, &err) && a.number[c] == r.least &&
			(!number || !parses(sample(c, r.least - 1), taker, &a, &err));
		most = parses(sample(c, r.most), taker, &a, &err) && a.number[c] == r.most &&
			(!number || !parses(sample(c, r.most + 1), taker, &a, &err));
		CHECK(annot_clauses[c].name, kinds && least && most);
	}
}

static void
test_policies(void)
{
	for (uint32_t i = 0; i < POLICY_COUNT; i++) {
		Buf b = { 0 };
		Annot a;
		Annot_error err;
		uint32_t most = annot_policies[i].range.most;
		buf_printf(&b, "policy(%s)", annot_policies[i].name);
		bool ok = parses(b, ANNOT_IF, &a, &err) && a.policy == i &&
			a.number[CLAUSE_POLICY] == 0;
		b = (Buf){ 0 };
		if (annot_policies[i].numbers == 2)
			buf_printf(&b, "policy(%s(%u , 1))", annot_policies[i].name, most);
		else
			buf_printf(&b, "policy(%s(%u))", annot_policies[i].name, most);
		ok &= parses(b, ANNOT_IF, &a, &err) == (most > 0) &&
			(!most || a.number[CLAUSE_POLICY] == most);
		CHECK(annot_policies[i].name, ok);
	}
	CHECK("policies: the first is what holds where nothing is said", POLICY_AUTO == 0);
}

static void
test_operators(void)
{
	for (uint32_t i = 0; i < OPERATOR_COUNT; i++) {
		Buf b = { 0 }, printed = { 0 };
		Annot a;
		Annot_error err;
		buf_printf(&b, "reduction(%s:x)", annot_operators[i]);
		buf_printf(&printed, " reduction(%s:x)", operators[i]);
		bool ok = annot_parse_clauses(b.at, (uint32_t)b.n, ANNOT_IF, &a, &err);
		CHECK(annot_operators[i], ok && a.nlists == 1 && a.lists[0].op == i &&
			prints(&a, printed.at) && reparses_equal(printed.at, ANNOT_IF));
		buf_free(&b);
		buf_free(&printed);
	}
}

/* ---- errors ---------------------------------------------------------------------------------- */

#define KINDS \
	"there are for, for var, if, path, switch, while, grid, distribute, delay, predict, remap, unify and assign"
#define CLAUSES \
	"there are policy, threshold, threads, unroll, paths, reduction, reassociate, warpwide, coalesced, independent, scratch, proven, dynamic, idle, retreat and key"
#define POLICIES \
	"there are auto, stack, queue, expand, converge, ahead, wait, majority, flatten, live, cycle, hot, dgi, partition, block and none"
#define EXPANDED "names are expanded only by cccnvcc, and only in the macros of ccc.h"
#define NAMES "clause 'reduction' takes names behind its colon; write 'reduction(+: sum)'"
#define A "reduction(+:a)"

static const struct { const char *text, *error; uint32_t at;
} bad[] = {
	{ "", "annotation without a kind; " KINDS, 0 },
	{ "  ", "annotation without a kind; " KINDS, 2 },
	{ " fro", "unknown annotation 'fro'; did you mean 'for'?", 1 },
	{ "iteration", "unknown annotation 'iteration'; " KINDS, 0 },
	{ " \"for\"", "stray '\"' in the annotation; write '#pragma ccc for' and the like", 1 },
	{ "for = 3", "stray '=' in the annotation", 4 },
	{ "for \177", "stray '?' in the annotation", 4 },
	{ "if  els", "unknown clause 'els'; did you mean 'else'?", 4 },
	{ "for vra", "unknown clause 'vra'; did you mean 'var'?", 4 },
	{ "for treads(64)", "unknown clause 'treads'; did you mean 'threads'?", 4 },
	{ "for threads(8) thresold(1)", "unknown clause 'thresold'; did you mean 'threshold'?",
		15 },
	{ "for frobnicate", "unknown clause 'frobnicate'; " CLAUSES, 4 },
	{ "for threads(2) policy(stack) threads(2)", "clause 'threads' is given twice", 29 },
	{ "for independent independent", "clause 'independent' is given twice", 16 },
	{ "if else paths(2)", "clause 'paths' belongs to 'switch and remap'", 8 },
	{ "if key(x)", "clause 'key' belongs to 'remap'", 3 },
	{ "remap key", "clause 'key' lacks its parentheses", 6 },
	{ "remap key( )", "clause 'key' takes an expression", 6 },
	{ "remap key(a[(x])", "clause 'key' lacks its ')'", 6 },
	{ "remap key(c == ')'", "clause 'key' lacks its ')'", 6 },
	{ "remap key(a) key(b)", "clause 'key' is given twice", 13 },
	{ "for dynamic", "clause 'dynamic' belongs to 'grid'", 4 },
	{ "grid(static)", "'grid' takes 'dynamic' in its parentheses, not 'static'", 5 },
	{ "grid(dynamic", "'grid' lacks its ')'", 5 },
	{ "for unroll 2", "clause 'unroll' lacks its parentheses", 4 },
	{ "for unroll", "clause 'unroll' lacks its parentheses", 4 },
	{ "for unroll(2", "clause 'unroll' lacks its ')'", 11 },
	{ "for unroll(2 3)", "clause 'unroll' lacks its ')'", 11 },
	{ "for policy( stak )", "unknown policy 'stak'; did you mean 'stack'?", 12 },
	{ "for policy(tower)", "unknown policy 'tower'; " POLICIES, 11 },
	{ "for policy()", "unknown policy ''; " POLICIES, 11 },
	{ "for policy(stack(2))", "policy 'stack' takes no number", 11 },
	{ "for policy(queue(0))", "policy 'queue' takes a number from 1 to 32, not '0'", 17 },
	{ "for policy(queue(2)", "clause 'policy' lacks its ')'", 17 },
	{ "for policy(queue(2 2))", "policy 'queue' lacks its ')'", 17 },
	{ "delay policy(cycle(2))", "policy 'cycle' takes two numbers", 19 },
	{ "delay policy(cycle(2,33))", "policy 'cycle' takes a number from 1 to 32, not '33'", 21 },
	{ "delay policy(cycle(2,3,4))", "policy 'cycle' lacks its ')'", 21 },
	{ "for idle", "clause 'idle' belongs to 'delay'", 4 },
	{ "for threads()", "clause 'threads' takes a number, not ''", 12 },
	{ "for threads(BLOCK)", "clause 'threads' takes a number, not 'BLOCK'; " EXPANDED, 12 },
	{ "for threads(6a)", "clause 'threads' takes a number, not '6a'; " EXPANDED, 12 },
	{ "for threads(auto)", "clause 'threads' takes a number, not 'auto'; " EXPANDED, 12 },
	{ "for threads( 2048 )", "clause 'threads' takes a number from 1 to 1024, not '2048'", 13 },
	{ "for threads(99999999999999999999)",
		"clause 'threads' takes a number from 1 to 1024, not '99999999999999999999'", 12 },
	{ "for retreat(0)", "clause 'retreat' takes a number from 1 to 1024, not '0'", 12 },
	{ "for retreat(off)", "clause 'retreat' takes a number, not 'off'; " EXPANDED, 12 },
	{ "if threshold(33)", "clause 'threshold' takes a number from 1 to 32, not '33'", 13 },
	{ "for unroll(257)", "clause 'unroll' takes a number from 1 to 256, not '257'", 11 },
	{ "if unroll(2)", "clause 'unroll' belongs to 'for, for var, while, predict and assign'", 3 },
	{ "switch paths(65)", "clause 'paths' takes a number from 1 to 64, not '65'", 13 },
	{ "for reduction(- : x)",
		"unknown reduction '-'; there are +, *, min, max, &, |, ^, && and ||", 14 },
	{ "for reduction(mni:x)", "unknown reduction 'mni'; did you mean 'min'?", 14 },
	{ "for reduction(+ x)", "clause 'reduction' lacks its colon; write 'reduction(+: sum)'",
		14 },
	{ "for reduction(+:)", NAMES, 16 },
	{ "for reduction(+: a, 3)", NAMES, 20 },
	{ "for reduction(+:a b)", "clause 'reduction' lacks its ')'", 16 },
	{ "if " A A A A A A A A A,
		"more than 8 lists in one annotation; name several variables in one", 125 },
	{ "if aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee",
		"unknown clause 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddd'; " CLAUSES, 3 },
};

static void
test_bad(void)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		Annot a;
		Annot_error err = { "", 0 };
		bool ok = !annot_parse(bad[i].text, (uint32_t)strlen(bad[i].text), &a, &err);
		ok = ok && strcmp(err.text, bad[i].error) == 0 && err.at == bad[i].at;
		if (!ok)
			printf("says '%s' at %u\n", err.text, err.at);
		CHECK(bad[i].text, ok);
	}
}

/* ---- escapes --------------------------------------------------------------------------------- */

static void
test_escapes(void)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_./+-(),:=";
	static const char *const malformed[] = { "=", "=2", "=2a", "=G0", "a=00", "a==2A" };
	char all[255], back[256];
	Buf b = { 0 };
	bool places = true;

	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	annot_put_escaped(&b, all, sizeof all, "(),:");
	CHECK("escapes: no byte that a marker may not hold", strspn(b.at, plain) == b.n);
	CHECK("escapes: undone",
		annot_unescape(b.at, b.n, back) && memcmp(all, back, sizeof all) == 0 &&
			back[255] == '\0');
	for (size_t i = 0; i < sizeof all; i++) {
		size_t at = annot_escaped_offset(b.at, i), n = b.at[at] == '=' ? 3 : 1;
		places &= at + n <= b.n && annot_unescape(b.at + at, n, back) && *back == all[i];
	}
	places &= annot_escaped_offset(b.at, sizeof all) == b.n;
	CHECK("escapes: where a byte comes from", places);
	buf_free(&b);
	for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
		CHECK(malformed[i], !annot_unescape(malformed[i], strlen(malformed[i]), back));
	CHECK("escapes: cut", !annot_unescape("=2A", 2, back));
	CHECK("escapes: none", annot_unescape("", 0, back) && *back == '\0');
}

int
main(void)
{
	test_good();
	test_kinds();
	test_clauses();
	test_policies();
	test_operators();
	test_bad();
	test_escapes();
	return test_end();
}
