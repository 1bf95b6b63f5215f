/* SPDX-License-Identifier: MIT */
/* What each statement of a function reads and writes, computed once and kept in Fn. */
#ifndef ANALYSIS_DATAFLOW_READS_WRITES_H
#define ANALYSIS_DATAFLOW_READS_WRITES_H

#include "parser/ptx.h"

/* A symbol that a statement names, as PTX_REFS yields it. */
typedef struct {
	uint32_t sym;       /* register, special register, variable, parameter or label */
	uint32_t opnd;      /* its operand in Module.opnds; 0: the guard */
	/* a destination; a symbol that is read and written occurs twice, first as read */
	bool written;
} Ref;

typedef struct {
	const Func *f;
	Ref *refs;
	/* by ptx_local_stmt: refs[of_stmt[i] .. of_stmt[i + 1]), the guard first, then in text
	 * order */
	uint32_t *of_stmt;
} Refs;

Refs *refs_build(const Module *m, const Func *f, Arena *a);
/* Whether a write kills earlier ones: it gives all lanes a new value of the whole register. */
bool refs_kills(const Module *m, uint32_t stmt, const Ref *r);

static inline const Ref *refs_begin(const Refs *x, uint32_t stmt)
{
	return x->refs + x->of_stmt[ptx_local_stmt(x->f, stmt)];
}
static inline const Ref *refs_end(const Refs *x, uint32_t stmt)
{
	return x->refs + x->of_stmt[ptx_local_stmt(x->f, stmt) + 1];
}

/* REFS_EACH(x, stmt, r) use(r->sym); */
#define REFS_EACH(x, stmt, r) \
	for (const Ref *r = refs_begin(x, stmt), *r##_end = refs_end(x, stmt); r < r##_end; r++)

#endif
