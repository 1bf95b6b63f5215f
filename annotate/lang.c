/* The annotation language. Two tables say what there is; the parser walks words and parentheses.
 *
 * Sources: CCC (MICRO-48) §3 and Figure 9 for the kinds, DESIGN §4 for the clauses.
 */
#include <stdio.h>
#include <string.h>
#include "annotate/lang.h"

static const struct {
	const char *words;
	Annot_kind kind;
	bool both;
} kinds[] = {
	/* Where one is the start of another, the longer comes first. */
	{ "for const", ANNOT_FOR,     false },
	{ "for var",   ANNOT_FOR_VAR, false },
	{ "for",       ANNOT_FOR,     false },
	{ "if else",   ANNOT_IF,      true },
	{ "if",        ANNOT_IF,      false },
	{ "path",      ANNOT_PATH,    false },
	{ "switch",    ANNOT_SWITCH,  false },
	{ "while",     ANNOT_WHILE,   false },
};

typedef enum { CL_POLICY, CL_THRESHOLD, CL_THREADS, CL_UNROLL, CL_PATHS, CL_REDUCTION, CL_REASSOCIATE, CL_INDEPENDENT } Clause;

static const struct {
	const char *name;
	uint32_t least, most;   /* of the number; most 0: takes none */
	bool bare;              /* no parentheses */
} clauses[] = {
	/* ORDER Clause */
	{ "policy",      0, 0,    false },
	{ "threshold",   1, 32,   false },
	{ "threads",     1, 1024, false },
	{ "unroll",      1, 256,  false },
	{ "paths",       1, 64,   false },
	{ "reduction",   0, 0,    false },
	{ "reassociate", 0, 0,    true },
	{ "independent", 0, 0,    true },
};

static const char *const policies[] = { "stack", "queue", "expand", "auto" }; /* ORDER Annot_policy, from 1 */
static const char *const operators[] = { "+", "*", "min", "max", "&", "|", "^", "&&", "||" };
static const char *const kind_names[] = { "for", "if", "path", "switch", "for-var", "while" }; /* ORDER Annot_kind */

enum {
	NKINDS = sizeof kinds / sizeof *kinds,
	NCLAUSES = sizeof clauses / sizeof *clauses,
	NPOLICIES = sizeof policies / sizeof *policies,
	NOPERATORS = sizeof operators / sizeof *operators
};

typedef struct {
	const char *text;
	uint32_t len, pos;
	Annot *out;
	Annot_error *err;
} Parse;

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

static void
skip_blanks(Parse *p)
{
	while (p->pos < p->len && (unsigned char)p->text[p->pos] <= ' ')
		p->pos++;
}

/* The word at the current place, behind blanks; empty if there is none. */
static Word
next_word(Parse *p)
{
	skip_blanks(p);
	uint32_t from = p->pos;
	while (p->pos < p->len && is_word(p->text[p->pos]))
		p->pos++;
	return (Word){ p->text + from, p->pos - from };
}

static bool
same(Word w, const char *s)
{
	return strlen(s) == w.len && memcmp(w.at, s, w.len) == 0;
}

static bool
accept(Parse *p, char c)
{
	skip_blanks(p);
	if (p->pos == p->len || p->text[p->pos] != c)
		return false;
	p->pos++;
	return true;
}

/* ---- errors and suggestions ----------------------------------------------------------------------------------------- */

/* A word as messages show it: cut, and without bytes that a terminal would act on. */
typedef struct { char s[40]; } Shown;

static Shown
show(Word w)
{
	Shown t;
	uint32_t n = w.len < sizeof t.s - 1 ? w.len : (uint32_t)sizeof t.s - 1;

	for (uint32_t i = 0; i < n; i++)
		t.s[i] = (unsigned char)w.at[i] < ' ' || w.at[i] == 127 ? '?' : w.at[i];
	t.s[n] = '\0';
	return t;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edit distance with neighbours swapped counted once; case does not count. Words of 24 bytes and more are far from all. */
static uint32_t
distance(Word w, const char *s)
{
	uint32_t n = (uint32_t)strlen(s), d[25][25];

	if (w.len > 24 || n > 24)
		return 99;
	for (uint32_t i = 0; i <= w.len; i++) {
		for (uint32_t j = 0; j <= n; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = i + j;
				continue;
			}
			bool eq = lower(w.at[i - 1]) == s[j - 1];
			uint32_t best = d[i - 1][j - 1] + !eq;
			best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
			best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
			if (i > 1 && j > 1 && lower(w.at[i - 1]) == s[j - 2] && lower(w.at[i - 2]) == s[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[w.len][n];
}

typedef struct { const char *word; uint32_t far; } Nearest;

static void
consider(Nearest *n, Word w, const char *s)
{
	uint32_t far = distance(w, s);

	if (far < n->far && far <= 1 + w.len / 4)
		*n = (Nearest){ s, far };
}

static bool
fail(Parse *p, const char *what, const char *hint)
{
	snprintf(p->err->text, sizeof p->err->text, "%s%s%s", what, *hint ? "; " : "", hint);
	return false;
}

static bool
unknown(Parse *p, Word w, Nearest n, const char *what, const char *all)
{
	char text[80], hint[120];

	snprintf(text, sizeof text, "unknown %s '%s'", what, show(w).s);
	if (n.word)
		snprintf(hint, sizeof hint, "did you mean '%s'?", n.word);
	else
		snprintf(hint, sizeof hint, "there are %s", all);
	return fail(p, text, hint);
}

static bool
stray(Parse *p, const char *at, const char *hint)
{
	char text[80];

	snprintf(text, sizeof text, "stray '%s' in the annotation", show((Word){ at, 1 }).s);
	return fail(p, text, hint);
}

static bool
unknown_kind(Parse *p, Word w)
{
	Nearest n = { NULL, 99 };

	if (w.len == 0 && p->pos < p->len)
		return stray(p, w.at, "write '#pragma ccc for' and the like");
	if (w.len == 0)
		return fail(p, "annotation without a kind", "there are for, for var, if, path, switch and while");
	for (uint32_t i = 0; i < NKINDS; i++)
		consider(&n, w, kinds[i].words);
	return unknown(p, w, n, "annotation", "for, for var, if, path, switch and while");
}

static bool
unknown_clause(Parse *p, Word w)
{
	Nearest n = { NULL, 99 };

	if (w.len == 0)
		return stray(p, w.at, "");
	for (uint32_t i = 0; i < NCLAUSES; i++)
		consider(&n, w, clauses[i].name);
	for (uint32_t i = 0; i < NKINDS; i++)
		if (strchr(kinds[i].words, ' '))
			consider(&n, w, strchr(kinds[i].words, ' ') + 1);
	return unknown(p, w, n, "clause",
		"policy, threads, threshold, reduction, reassociate, independent, unroll and paths");
}

/* ---- clauses -------------------------------------------------------------------------------------------------------- */

static bool
parse_policy(Parse *p)
{
	Nearest n = { NULL, 99 };
	Word w = next_word(p);

	for (uint32_t i = 0; i < NPOLICIES; i++) {
		if (same(w, policies[i])) {
			p->out->policy = (Annot_policy)(i + 1);
			return true;
		}
		consider(&n, w, policies[i]);
	}
	return unknown(p, w, n, "policy", "stack, queue, expand and auto");
}

static uint32_t *
number_of(Annot *a, Clause c)
{
	return c == CL_THRESHOLD ? &a->threshold : c == CL_THREADS ? &a->threads : c == CL_UNROLL ? &a->unroll : &a->paths;
}

static bool
parse_number(Parse *p, Clause c)
{
	Word w = next_word(p);
	uint64_t n = 0;
	uint32_t i = 0;
	char text[120];

	if (c == CL_PATHS && same(w, "auto")) {
		p->out->paths = ANNOT_PATHS_AUTO;
		return true;
	}
	for (; i < w.len && w.at[i] >= '0' && w.at[i] <= '9'; i++)
		n = n > UINT32_MAX ? n : 10 * n + (uint64_t)(w.at[i] - '0');
	if (w.len == 0 || i < w.len) {
		snprintf(text, sizeof text, "clause '%s' takes a number, not '%s'", clauses[c].name, show(w).s);
		return fail(p, text, w.len ? "names are expanded only by cccnvcc, and only in the macros of ccc.h" : "");
	}
	if (n < clauses[c].least || n > clauses[c].most) {
		snprintf(text, sizeof text, "clause '%s' takes a number from %u to %u, not '%s'", clauses[c].name,
			clauses[c].least, clauses[c].most, show(w).s);
		return fail(p, text, "");
	}
	*number_of(p->out, c) = (uint32_t)n;
	return true;
}

static bool
parse_names(Parse *p)
{
	Word all = { p->text + p->pos, 0 };

	do {
		Word name = next_word(p);
		if (name.len == 0 || (name.at[0] >= '0' && name.at[0] <= '9'))
			return fail(p, "clause 'reduction' takes names behind its colon", "write 'reduction(+: sum)'");
	} while (accept(p, ','));
	all.len = p->pos - (uint32_t)(all.at - p->text);
	p->out->reduction[p->out->nreductions++].names = all;
	return true;
}

/* A word, or a run of operator characters. */
static Word
next_operator(Parse *p)
{
	Word w = next_word(p);

	if (w.len == 0)
		for (; p->pos < p->len && p->text[p->pos] && strchr("+*&|^-", p->text[p->pos]); p->pos++)
			w.len++;
	return w;
}

static bool
parse_reduction(Parse *p)
{
	Annot *a = p->out;
	Word op = next_operator(p);

	if (a->nreductions == ANNOT_REDUCTIONS)
		return fail(p, "more than 8 reductions in one annotation", "name several variables in one");
	uint32_t i = 0;
	while (i < NOPERATORS && !same(op, operators[i]))
		i++;
	if (i == NOPERATORS)
		return unknown(p, op, (Nearest){ NULL, 99 }, "reduction", "+ * min max & | ^ && and ||");
	if (!accept(p, ':'))
		return fail(p, "clause 'reduction' lacks its colon", "write 'reduction(+: sum)'");
	a->reduction[a->nreductions].op = op;
	return parse_names(p);
}

static bool
parse_argument(Parse *p, Clause c)
{
	char text[80];

	if (clauses[c].bare) {
		*(c == CL_REASSOCIATE ? &p->out->reassociate : &p->out->independent) = true;
		return true;
	}
	if (!accept(p, '(')) {
		snprintf(text, sizeof text, "clause '%s' lacks its parentheses", clauses[c].name);
		return fail(p, text, "");
	}
	if (!(c == CL_POLICY ? parse_policy(p) : c == CL_REDUCTION ? parse_reduction(p) : parse_number(p, c)))
		return false;
	if (!accept(p, ')')) {
		snprintf(text, sizeof text, "clause '%s' lacks its ')'", clauses[c].name);
		return fail(p, text, "");
	}
	return true;
}

static bool
parse_clause(Parse *p, uint32_t *seen)
{
	Word w = next_word(p);
	uint32_t c = 0;
	char text[80];

	while (c < NCLAUSES && !same(w, clauses[c].name))
		c++;
	if (c == NCLAUSES)
		return unknown_clause(p, w);
	if (c != CL_REDUCTION && *seen >> c & 1) {
		snprintf(text, sizeof text, "clause '%s' is given twice", clauses[c].name);
		return fail(p, text, "");
	}
	if (c == CL_PATHS && p->out->kind != ANNOT_SWITCH)
		return fail(p, "clause 'paths' belongs to a switch", "");
	*seen |= UINT32_C(1) << c;
	if (!parse_argument(p, (Clause)c))
		return false;
	accept(p, ',');
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* Does the text go on with these words? If so, steps behind them. */
static bool
accept_words(Parse *p, const char *words)
{
	uint32_t from = p->pos;

	for (;;) {
		size_t n = strcspn(words, " ");
		Word w = next_word(p);
		if (w.len != n || memcmp(w.at, words, n) != 0) {
			p->pos = from;
			return false;
		}
		if (!words[n])
			return true;
		words += n + 1;
	}
}

bool
annot_parse(const char *text, uint32_t len, Annot *out, Annot_error *err)
{
	Parse p = { text, len, 0, out, err };
	uint32_t i = 0, seen = 0;

	*out = (Annot){ 0 };
	while (i < NKINDS && !accept_words(&p, kinds[i].words))
		i++;
	if (i == NKINDS)
		return unknown_kind(&p, next_word(&p));
	out->kind = kinds[i].kind;
	out->both = kinds[i].both;
	for (skip_blanks(&p); p.pos < p.len; skip_blanks(&p))
		if (!parse_clause(&p, &seen))
			return false;
	return true;
}

const char *
annot_kind_name(Annot_kind kind)
{
	return kind_names[kind];
}

const char *
annot_words(const Annot *a)
{
	return a->kind == ANNOT_FOR_VAR ? "for var" : a->both ? "if else" : kind_names[a->kind];
}

bool
annot_is_loop(Annot_kind kind)
{
	return kind == ANNOT_FOR || kind == ANNOT_FOR_VAR || kind == ANNOT_WHILE;
}

/* ---- marker text ---------------------------------------------------------------------------------------------------- */

void
annot_put_escaped(Buf *to, const char *s, size_t len, const char *also)
{
	for (size_t i = 0; i < len; i++) {
		char c = s[i];
		bool plain = is_word(c) && !(c & 0x80);
		if (plain || (c && (strchr("./+-", c) || strchr(also, c))))
			buf_putc(to, c);
		else
			buf_printf(to, "=%02X", (unsigned)(unsigned char)c);
	}
}

/* Without the blanks. */
static void
put_squeezed(Buf *to, Word w)
{
	for (uint32_t i = 0; i < w.len; i++)
		if ((unsigned char)w.at[i] > ' ')
			annot_put_escaped(to, w.at + i, 1, "(),:");
}

static void
put_number(Buf *to, const char *name, uint32_t n)
{
	if (n == ANNOT_PATHS_AUTO)
		buf_printf(to, " %s(auto)", name);
	else if (n)
		buf_printf(to, " %s(%u)", name, n);
}

void
annot_put_clauses(Buf *to, const Annot *a)
{
	if (a->policy)
		buf_printf(to, " policy(%s)", policies[a->policy - 1]);
	put_number(to, "threshold", a->threshold);
	put_number(to, "threads", a->threads);
	put_number(to, "unroll", a->unroll);
	put_number(to, "paths", a->paths);
	for (uint32_t i = 0; i < a->nreductions; i++) {
		buf_puts(to, " reduction(");
		put_squeezed(to, a->reduction[i].op);
		buf_putc(to, ':');
		put_squeezed(to, a->reduction[i].names);
		buf_putc(to, ')');
	}
	if (a->reassociate)
		buf_puts(to, " reassociate");
	if (a->independent)
		buf_puts(to, " independent");
}
