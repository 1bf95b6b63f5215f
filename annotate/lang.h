/* The annotation language: what may stand behind `#pragma ccc`, and the marker text it becomes.
 *
 *	for | for const | for var | if | if else | path | switch | while
 *	policy(stack|queue|expand|auto) threshold(N) threads(N) unroll(N) paths(N|auto)
 *	reduction(op: x, ...) reassociate independent
 *
 * docs/annotations.md is the reference, docs/markers.md the form that reaches PTX.
 */
#ifndef ANNOTATE_LANG_H
#define ANNOTATE_LANG_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/* ORDER marker kinds: lang.c names them, parser/ptx.h reads them. */
typedef enum { ANNOT_FOR, ANNOT_IF, ANNOT_PATH, ANNOT_SWITCH, ANNOT_FOR_VAR, ANNOT_WHILE } Annot_kind;
typedef enum { ANNOT_NO_POLICY, ANNOT_STACK, ANNOT_QUEUE, ANNOT_EXPAND, ANNOT_AUTO } Annot_policy;

enum { ANNOT_REDUCTIONS = 8 };
#define ANNOT_PATHS_AUTO UINT32_MAX

typedef struct { const char *at; uint32_t len; } Word; /* bytes of the annotation's text */

typedef struct {
	Annot_kind kind;
	bool both;              /* if else: the else statement too */
	Annot_policy policy;
	uint32_t threshold, threads, unroll, paths;     /* 0: not given */
	bool reassociate, independent;
	struct { Word op, names; } reduction[ANNOT_REDUCTIONS];
	uint32_t nreductions;
} Annot;

typedef struct {
	char text[240];         /* what is wrong, with a suggestion where there is one */
} Annot_error;

/* Parses what stands behind `ccc`: one line of len bytes, free of comments and line splices. out refers to the text.
 * On failure false, and *err says what is wrong. */
bool annot_parse(const char *text, uint32_t len, Annot *out, Annot_error *err);

const char *annot_kind_name(Annot_kind kind);   /* as markers spell it: "for-var" */
const char *annot_words(const Annot *a);        /* as the source spells it: "for var", "if else" */
bool annot_is_loop(Annot_kind kind);

/* Adds the clauses as a begin marker has them: each preceded by one blank. */
void annot_put_clauses(Buf *to, const Annot *a);
/* Adds text with every byte that a marker may not hold written as =XX; also: further bytes that may stand as they are. */
void annot_put_escaped(Buf *to, const char *s, size_t len, const char *also);

#endif
