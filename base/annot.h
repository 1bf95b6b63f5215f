/* SPDX-License-Identifier: MIT */
/* The annotation language: the text after `#pragma ccc`, and its form in markers.
 *
 *	#pragma ccc for threads(256), reduction(+: a, b)
 *	// .ccc begin for 7 "bfs.cu":14 threads(256) reduction(+:a,b)
 *
 * annot.def has a row for each kind, clause, policy and operator. annotate/ parses pragmas and
 * prints markers, parser/ parses and prints markers, analysis/ and transform/ query an Annot. To
 * add a clause, add a row; the code that implements it tests annot_has(a, CLAUSE_X) and reads
 * a->number[CLAUSE_X]. docs/annotations.md is the reference of the language, docs/markers.md that
 * of its form in PTX. */
#ifndef BASE_ANNOT_H
#define BASE_ANNOT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/* ---- the tables (annot.def) ------------------------------------------------------------------ */

typedef enum {
#define KIND(id, ...) ANNOT_##id,
#define MARK(id, ...) ANNOT_##id,
#include "base/annot.def"
	ANNOT_KINDS
} Annot_kind;

typedef enum {
#define CLAUSE(id, ...) CLAUSE_##id,
#include "base/annot.def"
	CLAUSE_COUNT
} Annot_clause;

typedef enum {
#define POLICY(id, ...) POLICY_##id,
#include "base/annot.def"
	POLICY_COUNT
} Annot_policy;

typedef enum {
#define OPERATOR(id, ...) OPERATOR_##id,
#include "base/annot.def"
	OPERATOR_COUNT
} Annot_operator;

typedef enum {
	BEFORE_ANY,
	BEFORE_LOOP,
	BEFORE_IF,
	BEFORE_IF_ELSE,
	BEFORE_IF_ARMS,
	BEFORE_ARMS,
	BEFORE_CHAIN,
	BEFORE_SWITCH,
	BEFORE_KERNEL
} Annot_before;
typedef enum {
	ARGUMENT_NONE, ARGUMENT_NUMBER, ARGUMENT_COUNT, ARGUMENT_POLICY, ARGUMENT_LIST,
	ARGUMENT_ROUNDS, ARGUMENT_EXPRESSION
} Annot_argument;

typedef struct { uint32_t least, most; } Annot_range;

typedef struct {
	const char *words;      /* spelling in the source, "for var"; NULL: only in markers */
	const char *marker;     /* spelling in markers, "for-var" */
	Annot_before before;
} Annot_kind_row;
typedef struct {
	const char *name;
	Annot_argument argument;
	Annot_range range;
	uint32_t kinds;         /* bit k: kind k accepts it */
} Annot_clause_row;
typedef struct {
	const char *name;
	uint32_t numbers;       /* how many numbers it takes */
	const char *word;       /* word that it takes instead; NULL: none */
	Annot_range range;      /* range of each number */
} Annot_policy_row;
typedef struct {
	const char *words;
	Annot_kind kind;
	bool both;
} Annot_spelling;

extern const Annot_kind_row annot_kinds[ANNOT_KINDS];
extern const Annot_clause_row annot_clauses[CLAUSE_COUNT];
extern const Annot_policy_row annot_policies[POLICY_COUNT];
extern const char *const annot_operators[OPERATOR_COUNT];
/* the kinds' own spellings first; terminated by words == NULL */
extern const Annot_spelling annot_spellings[];

/* ---- one annotation -------------------------------------------------------------------------- */

enum { ANNOT_LISTS = 8 };
/* number of a clause with `auto`, or without an argument where that is allowed; 0: `no` */
#define ANNOT_AUTO UINT32_MAX

typedef struct { const char *at; uint32_t len; } Annot_text; /* bytes of the parsed text */

typedef struct {
	Annot_clause clause;
	Annot_operator op;
	Annot_text names;       /* between colon and parenthesis: a, b */
} Annot_list;

typedef struct {
	Annot_kind kind;
	bool both;              /* if else: the else-statement too */
	uint32_t given;         /* bit c: clause c is present */
	uint32_t number[CLAUSE_COUNT]; /* 0: not given; [CLAUSE_POLICY]: the policy's N */
	uint32_t second;        /* second number of a policy that takes two */
	Annot_policy policy;
	Annot_list lists[ANNOT_LISTS];
	uint32_t nlists;
	Annot_text key;         /* the expression of CLAUSE_KEY */
} Annot;

static inline bool annot_has(const Annot *a, Annot_clause c) { return a->given >> c & 1; }
/* Whether the annotation is switched off in place. */
static inline bool
annot_is_off(const Annot *a)
{
	return annot_has(a, CLAUSE_POLICY) && a->policy == POLICY_NONE;
}
/* Whether it is a `remap` that orders threads by an expression. */
static inline bool annot_has_key(const Annot *a) { return annot_has(a, CLAUSE_KEY); }
/* Returns the statement that it precedes; with a key, that is any. */
static inline Annot_before
annot_before(const Annot *a)
{
	return annot_has_key(a) ? BEFORE_ANY : annot_kinds[a->kind].before;
}
static inline bool annot_is_loop(Annot_kind k) { return annot_kinds[k].before == BEFORE_LOOP; }
/* Returns the spelling in the source: "for var", "if else". Invalid for kinds that only markers
 * have. */
const char *annot_words(const Annot *a);

typedef struct {
	char text[400];         /* what is wrong, with a suggestion if there is one */
	uint32_t at;            /* offset in the text, at most its length */
} Annot_error;

/* Parses the text after `ccc`: one line of len bytes without comments and line splices. out refers
 * to the text. On failure returns false and sets *err; *out is then invalid. */
bool annot_parse(const char *text, uint32_t len, Annot *out, Annot_error *err);
/* Parses only the clauses, in a marker of this kind, after unescaping. */
bool annot_parse_clauses(const char *text, uint32_t len, Annot_kind kind, Annot *out,
	Annot_error *err);

/* Returns the C++ expression of a clause, at the beginning of the text: up to the parenthesis that
 * closes the clause, but not one in a character or a string. Empty if it has only blanks. */
Annot_text annot_expression(const char *text, uint32_t len);

/* Parses a policy as options and profiles spell it: queue, queue(4), expand(choose). *n: its number
 * (a word counts as 1), 0 if none is given. Returns false if it is not a policy. */
bool annot_policy_read(const char *text, Annot_policy *policy, uint32_t *n);

/* ---- markers --------------------------------------------------------------------------------- */

/* Appends the clauses in the form of a begin marker, each preceded by a blank. */
void annot_put_clauses(Buf *to, const Annot *a);
/* Appends text in which every byte that a marker may not contain is written as =XX. also: further
 * bytes that need no escape. */
void annot_put_escaped(Buf *to, const char *s, size_t len, const char *also);
/* Undoes the escapes. to: room for len + 1 bytes; will be NUL-terminated. Returns false for a '='
 * that does not begin a valid =XX, and for =00. */
bool annot_unescape(const char *s, size_t len, char *to);
/* Returns the offset in s of the byte that annot_unescape writes as byte n. */
size_t annot_escaped_offset(const char *s, size_t n);

#endif
