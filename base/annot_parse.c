/* SPDX-License-Identifier: MIT */
/* Parses annotations according to the tables of annot.def; see annot.h. Source of the kinds: CCC
 * (MICRO-48), section 3 and Figure 9. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/annot.h"

typedef Annot_text Word;

typedef struct {
	const char *text;
	uint32_t len, pos;
	uint32_t word;          /* beginning of the last word, the position of errors */
	Annot *out;
	Annot_error *err;
} Parse;

/* Lists of names, for suggestions. */
static const char *const kind_names[] = {
#define KIND(id, words, ...) words,
#include "base/annot.def"
	NULL
};
static const char *const clause_names[] = {
#define CLAUSE(id, name, ...) name,
#include "base/annot.def"
	NULL
};
static const char *const policy_names[] = {
#define POLICY(id, name, ...) name,
#include "base/annot.def"
	NULL
};
static const char *const operator_names[] = {
#define OPERATOR(id, name) name,
#include "base/annot.def"
	NULL
};

/* ---- words ----------------------------------------------------------------------------------- */

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || (c & 0x80);
}

static void
skip_blanks(Parse *p)
{
	while (p->pos < p->len && (unsigned char)p->text[p->pos] <= ' ')
		p->pos++;
}

/* Skips blanks and returns the word at the current position; empty if there is none. */
static Word
next_word(Parse *p)
{
	skip_blanks(p);
	p->word = p->pos;
	while (p->pos < p->len && is_word(p->text[p->pos]))
		p->pos++;
	return (Word){ p->text + p->word, p->pos - p->word };
}

/* Returns a word, or a sequence of operator characters. */
static Word
next_operator(Parse *p)
{
	Word w = next_word(p);

	if (w.len == 0)
		for (; p->pos < p->len && p->text[p->pos] && strchr("+*&|^-", p->text[p->pos]);
			p->pos++)
			w.len++;
	return w;
}

static bool
word_equals(Word w, const char *s)
{
	return strlen(s) == w.len && memcmp(w.at, s, w.len) == 0;
}

/* Returns the word's index among names; UINT32_MAX if it is not among them. */
static uint32_t
find_word(Word w, const char *const *names)
{
	for (uint32_t i = 0; names[i]; i++)
		if (word_equals(w, names[i]))
			return i;
	return UINT32_MAX;
}

static bool
accept_char(Parse *p, char c)
{
	skip_blanks(p);
	if (p->pos == p->len || p->text[p->pos] != c)
		return false;
	p->pos++;
	return true;
}

/* ---- errors and suggestions ------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3)))
static bool
parse_fail(Parse *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->err->text, sizeof p->err->text, fmt, ap);
	va_end(ap);
	p->err->at = p->word;
	return false;
}

/* A word for messages: truncated, and without control characters. */
typedef struct { char s[40]; } Quoted_word;

static Quoted_word
quote_word(Word w)
{
	Quoted_word t;
	uint32_t n = w.len < sizeof t.s - 1 ? w.len : (uint32_t)sizeof t.s - 1;

	for (uint32_t i = 0; i < n; i++)
		t.s[i] = (unsigned char)w.at[i] < ' ' || w.at[i] == 127 ? '?' : w.at[i];
	t.s[n] = '\0';
	return t;
}

/* "a, b and c" */
typedef struct { char s[240]; } Word_list;

static Word_list
join_words(const char *const *names)
{
	Word_list l = { "" };
	size_t n = 0;

	for (; *names && n < sizeof l.s; names++)
		n += (size_t)snprintf(l.s + n, sizeof l.s - n, "%s%s",
			n == 0 ? "" : names[1] ? ", " : " and ", *names);
	return l;
}

static char
to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns the edit distance, where swapped neighbours count as one edit and case is ignored. Words
 * of more than 24 bytes are far from all others. */
static uint32_t
edit_distance(Word w, const char *s)
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
			bool eq = to_lower(w.at[i - 1]) == s[j - 1];
			uint32_t best = d[i - 1][j - 1] + !eq;
			best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
			best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
			if (i > 1 && j > 1 && to_lower(w.at[i - 1]) == s[j - 2] &&
				to_lower(w.at[i - 2]) == s[j - 1] && d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[w.len][n];
}

typedef struct { const char *word; uint32_t far; } Nearest_word;

static void
consider_word(Nearest_word *n, Word w, const char *s)
{
	uint32_t far = edit_distance(w, s);

	if ((!n->word || far < n->far) && far <= 1 + w.len / 4 && far < strlen(s))
		*n = (Nearest_word){ s, far };
}

static Nearest_word
nearest_word(Word w, const char *const *names)
{
	Nearest_word n = { NULL, 0 };

	for (; *names; names++)
		consider_word(&n, w, *names);
	return n;
}

static bool
report_unknown(Parse *p, Word w, const char *what, const char *const *names)
{
	Nearest_word n = nearest_word(w, names);

	if (n.word)
		return parse_fail(p, "unknown %s '%s'; did you mean '%s'?", what, quote_word(w).s, n.word);
	return parse_fail(p, "unknown %s '%s'; there are %s", what, quote_word(w).s, join_words(names).s);
}

static bool
report_stray(Parse *p, Word w, const char *hint)
{
	return parse_fail(p, "stray '%s' in the annotation%s", quote_word((Word){ w.at, 1 }).s, hint);
}

static bool
report_unknown_kind(Parse *p, Word w)
{
	if (w.len == 0 && p->pos < p->len)
		return report_stray(p, w, "; write '#pragma ccc for' and the like");
	if (w.len == 0)
		return parse_fail(p, "annotation without a kind; there are %s", join_words(kind_names).s);
	return report_unknown(p, w, "annotation", kind_names);
}

/* Reports an unknown clause. It may be meant as the second word of a kind: `if els`. */
static bool
report_unknown_clause(Parse *p, Word w)
{
	Nearest_word clause = nearest_word(w, clause_names), n = clause;

	if (w.len == 0)
		return report_stray(p, w, "");
	for (const Annot_spelling *s = annot_spellings; s->words; s++)
		if (strchr(s->words, ' '))
			consider_word(&n, w, strchr(s->words, ' ') + 1);
	if (n.word == clause.word)
		return report_unknown(p, w, "clause", clause_names);
	return parse_fail(p, "unknown clause '%s'; did you mean '%s'?", quote_word(w).s, n.word);
}

/* ---- clauses --------------------------------------------------------------------------------- */

/* Parses a decimal number. what: "clause" or "policy"; name: the one that takes the number. */
static bool
parse_number(Parse *p, const char *what, const char *name, Annot_range r, uint32_t *out)
{
	Word w = next_word(p);
	uint64_t n = 0;
	uint32_t i = 0;

	for (; i < w.len && w.at[i] >= '0' && w.at[i] <= '9'; i++)
		n = n > UINT32_MAX ? n : 10 * n + (uint64_t)(w.at[i] - '0');
	if (w.len == 0 || i < w.len)
		return parse_fail(p, "%s '%s' takes a number, not '%s'%s", what, name, quote_word(w).s,
			w.len ? "; names are expanded only by cccnvcc, and only in the macros of ccc.h" :
				"");
	if (n < r.least || n > r.most)
		return parse_fail(p, "%s '%s' takes a number from %u to %u, not '%s'", what, name,
			r.least, r.most, quote_word(w).s);
	*out = (uint32_t)n;
	return true;
}

/* Parses a policy's name and its numbers, if it takes any. */
static bool
parse_policy(Parse *p, Annot_clause c)
{
	Word w = next_word(p);
	uint32_t i = find_word(w, policy_names);

	if (i == UINT32_MAX)
		return report_unknown(p, w, "policy", policy_names);
	p->out->policy = (Annot_policy)i;
	const Annot_policy_row *row = &annot_policies[i];
	if (!accept_char(p, '('))
		return true;
	if (row->word) {
		if (!word_equals(next_word(p), row->word))
			return parse_fail(
				p, "policy '%s' takes '%s' and nothing else", row->name, row->word);
		p->out->number[c] = 1;
	} else if (!row->numbers) {
		return parse_fail(p, "policy '%s' takes no number", row->name);
	} else if (!parse_number(p, "policy", row->name, row->range, &p->out->number[c])) {
		return false;
	}
	if (row->numbers == 2 && !accept_char(p, ','))
		return parse_fail(p, "policy '%s' takes two numbers", row->name);
	if (row->numbers == 2 && !parse_number(p, "policy", row->name, row->range, &p->out->second))
		return false;
	return accept_char(p, ')') || parse_fail(p, "policy '%s' lacks its ')'", row->name);
}

static bool
parse_count(Parse *p, Annot_clause c)
{
	const Annot_clause_row *row = &annot_clauses[c];
	Parse word = *p;
	Word w = next_word(&word);
	bool none = row->argument == ARGUMENT_ROUNDS && word_equals(w, "no");

	if (none || (row->argument == ARGUMENT_COUNT && word_equals(w, "auto"))) {
		p->pos = word.pos;
		p->out->number[c] = none ? 0 : ANNOT_AUTO;
		return true;
	}
	return parse_number(p, "clause", row->name, row->range, &p->out->number[c]);
}

static bool
parse_names(Parse *p, Annot_clause c, Annot_text *names)
{
	const char *clause = annot_clauses[c].name;

	names->at = p->text + p->pos;
	do {
		Word name = next_word(p);
		if (name.len == 0 || (name.at[0] >= '0' && name.at[0] <= '9'))
			return parse_fail(p,
				"clause '%s' takes names behind its colon; write '%s(+: sum)'",
				clause, clause);
	} while (accept_char(p, ','));
	names->len = p->pos - (uint32_t)(names->at - p->text);
	return true;
}

static bool
parse_list(Parse *p, Annot_clause c)
{
	Annot *a = p->out;
	const char *name = annot_clauses[c].name;
	Word w = next_operator(p);
	uint32_t op = find_word(w, operator_names);

	if (a->nlists == ANNOT_LISTS)
		return parse_fail(p,
			"more than %d lists in one annotation; name several variables in one",
			ANNOT_LISTS);
	if (op == UINT32_MAX)
		return report_unknown(p, w, name, operator_names);
	if (!accept_char(p, ':'))
		return parse_fail(p, "clause '%s' lacks its colon; write '%s(+: sum)'", name, name);
	Annot_list *l = &a->lists[a->nlists++];
	*l = (Annot_list){ .clause = c, .op = (Annot_operator)op };
	return parse_names(p, c, &l->names);
}

static bool
parse_argument(Parse *p, Annot_clause c)
{
	switch (annot_clauses[c].argument) {
	case ARGUMENT_NONE:
		break;
	case ARGUMENT_NUMBER:
	case ARGUMENT_COUNT:
	case ARGUMENT_ROUNDS:
		return parse_count(p, c);
	case ARGUMENT_POLICY:
		return parse_policy(p, c);
	case ARGUMENT_LIST:
		return parse_list(p, c);
	case ARGUMENT_EXPRESSION:
		p->out->key = annot_expression(p->text + p->pos, p->len - p->pos);
		p->pos += p->out->key.len;
		return p->out->key.len || parse_fail(p, "clause '%s' takes an expression", annot_clauses[c].name);
	}
	return true;
}

/* Checks that the annotation accepts the clause. */
static bool
check_kind(Parse *p, Annot_clause c)
{
	const char *takers[ANNOT_KINDS + 1] = { NULL };
	uint32_t n = 0, kinds = annot_clauses[c].kinds;

	if (kinds >> p->out->kind & 1)
		return true;
	for (uint32_t k = 0; k < ANNOT_KINDS; k++)
		if (kinds >> k & 1)
			takers[n++] = annot_kinds[k].words;
	return parse_fail(p, "clause '%s' belongs to '%s'", annot_clauses[c].name, join_words(takers).s);
}

static bool
parse_clause(Parse *p)
{
	Word w = next_word(p);
	uint32_t i = find_word(w, clause_names);
	Annot_clause c = (Annot_clause)i;

	if (i == UINT32_MAX)
		return report_unknown_clause(p, w);
	const Annot_clause_row *row = &annot_clauses[c];
	if (row->argument != ARGUMENT_LIST && annot_has(p->out, c))
		return parse_fail(p, "clause '%s' is given twice", row->name);
	if (!check_kind(p, c))
		return false;
	p->out->given |= UINT32_C(1) << c;
	p->out->number[c] = row->argument == ARGUMENT_ROUNDS ? ANNOT_AUTO : 0;
	if (row->argument != ARGUMENT_NONE) {
		bool open = accept_char(p, '(');
		if (!open && row->argument == ARGUMENT_ROUNDS)
			return accept_char(p, ',') || true;
		if (!open)
			return parse_fail(p, "clause '%s' lacks its parentheses", row->name);
		if (!parse_argument(p, c))
			return false;
		if (!accept_char(p, ')'))
			return parse_fail(p, "clause '%s' lacks its ')'", row->name);
	}
	accept_char(p, ',');
	return true;
}

static bool
parse_clauses(Parse *p)
{
	for (skip_blanks(p); p->pos < p->len; skip_blanks(p))
		if (!parse_clause(p))
			return false;
	return true;
}

bool
annot_parse_clauses(const char *text, uint32_t len, Annot_kind kind, Annot *out, Annot_error *err)
{
	Parse p = { text, len, 0, 0, out, err };

	*out = (Annot){ .kind = kind };
	return parse_clauses(&p);
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* Whether the text continues with these words. If so, skips them. */
static bool
accept_words(Parse *p, const char *words)
{
	for (;;) {
		size_t n = strcspn(words, " ");
		Word w = next_word(p);
		if (w.len != n || memcmp(w.at, words, n) != 0)
			return false;
		if (!words[n])
			return true;
		words += n + 1;
	}
}

/* Skips the longest spelling at the current position. Returns NULL if there is none. */
static const Annot_spelling *
parse_spelling(Parse *p)
{
	const Annot_spelling *found = NULL;
	uint32_t behind = p->pos;

	for (const Annot_spelling *s = annot_spellings; s->words; s++) {
		Parse here = *p;
		if (accept_words(&here, s->words) && here.pos > behind) {
			found = s;
			behind = here.pos;
		}
	}
	p->pos = behind;
	return found;
}

/* Parses `grid(dynamic)`: this argument follows the kind's word itself. */
static bool
parse_grid(Parse *p)
{
	if (!accept_char(p, '('))
		return true;
	Word w = next_word(p);
	if (!word_equals(w, annot_clauses[CLAUSE_DYNAMIC].name))
		return parse_fail(p, "'grid' takes 'dynamic' in its parentheses, not '%s'", quote_word(w).s);
	p->out->given |= UINT32_C(1) << CLAUSE_DYNAMIC;
	return accept_char(p, ')') || parse_fail(p, "'grid' lacks its ')'");
}

bool
annot_parse(const char *text, uint32_t len, Annot *out, Annot_error *err)
{
	Parse p = { text, len, 0, 0, out, err };
	const Annot_spelling *s = parse_spelling(&p);

	if (!s)
		return report_unknown_kind(&p, next_word(&p));
	*out = (Annot){ .kind = s->kind, .both = s->both };
	return (s->kind != ANNOT_GRID || parse_grid(&p)) && parse_clauses(&p);
}
