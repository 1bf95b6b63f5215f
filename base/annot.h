/* SPDX-License-Identifier: MIT */
/* The annotation language: what stands behind `#pragma ccc`, and in the marker that it becomes.
 *
 *	#pragma ccc for threads(256), reduction(+: a, b)
 *	// .ccc begin for 7 "bfs.cu":14 threads(256) reduction(+:a,b)
 *
 * annot.def has a row for each kind, clause, policy and operator. annotate/ parses pragmas and
 * prints markers, parser/ parses markers and prints them, analysis/ and transform/ ask what an
 * Annot says: a new clause is a row, and who gives it its meaning asks for annot_has(a, CLAUSE_X)
 * and a->number[CLAUSE_X]. docs/annotations.md is the language's reference, docs/markers.md that of
 * its form in PTX.
 */
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
	ARGUMENT_ROUNDS
} Annot_argument;

typedef struct { uint32_t least, most; } Annot_range;

typedef struct {
	const char *words;      /* as the source spells it, "for var"; NULL: only markers have it */
	const char *marker;     /* as markers spell it, "for-var" */
	Annot_before before;
} Annot_kind_row;
typedef struct {
	const char *name;
	Annot_argument argument;
	Annot_range range;
	uint32_t kinds;         /* bit k: kind k takes it */
} Annot_clause_row;
typedef struct {
	const char *name;
	uint32_t numbers;       /* how many it takes */
	const char *word;       /* what it takes instead; NULL: none */
	Annot_range range;      /* of each of them */
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
/* the kinds' own first; behind the last, words NULL */
extern const Annot_spelling annot_spellings[];

/* ---- one annotation -------------------------------------------------------------------------- */

enum { ANNOT_LISTS = 8 };
/* the number of a clause that says `auto`, or nothing where it may; 0: it says `no` */
#define ANNOT_AUTO UINT32_MAX

typedef struct { const char *at; uint32_t len; } Annot_text; /* bytes of the text that was parsed */

typedef struct {
	Annot_clause clause;
	Annot_operator op;
	Annot_text names;       /* between colon and parenthesis: a, b */
} Annot_list;

typedef struct {
	Annot_kind kind;
	bool both;              /* if else: the else-statement too */
	uint32_t given;         /* bit c: clause c is there */
	uint32_t number[CLAUSE_COUNT]; /* 0: none is given; [CLAUSE_POLICY]: the policy's N */
	uint32_t second;        /* the second number of a policy that takes two */
	Annot_policy policy;
	Annot_list lists[ANNOT_LISTS];
	uint32_t nlists;
} Annot;

static inline bool annot_has(const Annot *a, Annot_clause c) { return a->given >> c & 1; }
static inline bool annot_is_loop(Annot_kind k) { return annot_kinds[k].before == BEFORE_LOOP; }
/* As the source spells it: "for var", "if else". Not of a kind that only markers have. */
const char *annot_words(const Annot *a);

typedef struct {
	char text[400];         /* what is wrong, with a suggestion where there is one */
	uint32_t at;            /* where: offset in the text, at most its length */
} Annot_error;

/* Parses what stands behind `ccc`: one line of len bytes, free of comments and line splices. out
 * refers to the text. False: *err says what is wrong, *out is not to be used. */
bool annot_parse(const char *text, uint32_t len, Annot *out, Annot_error *err);
/* The same for the clauses alone, of a marker of this kind, escapes undone. */
bool annot_parse_clauses(const char *text, uint32_t len, Annot_kind kind, Annot *out,
	Annot_error *err);

/* A policy as options and profiles write it: queue, queue(4), expand(choose). *n: its number, the
 * word counts as 1; 0: none is given. False: it is none. */
bool annot_policy_read(const char *text, Annot_policy *policy, uint32_t *n);

/* ---- in a marker ----------------------------------------------------------------------------- */

/* Adds the clauses as a begin marker has them: each preceded by one blank. */
void annot_put_clauses(Buf *to, const Annot *a);
/* Adds text with every byte that a marker may not hold written as =XX; also: further bytes that may
 * stand as they are. */
void annot_put_escaped(Buf *to, const char *s, size_t len, const char *also);
/* Undoes that. to: room for len + 1 bytes, will be NUL-terminated. False: a '=' that begins no =XX,
 * or one that begins =00. */
bool annot_unescape(const char *s, size_t len, char *to);
/* Where byte n of what annot_unescape made of s comes from: its offset in s. */
size_t annot_escaped_offset(const char *s, size_t n);

#endif
