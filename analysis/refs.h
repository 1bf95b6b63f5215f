/* The registers that each statement of a function reads and writes: what liveness and def-use start from.
 * Internal to analysis/. */
#ifndef ANALYSIS_REFS_H
#define ANALYSIS_REFS_H

#include "analysis/cfg.h"

typedef enum {
	REF_READ  = 1 << 0,
	REF_WRITE = 1 << 1,
	REF_KILL  = 1 << 2      /* with WRITE: all lanes get the new value, and all of it */
} Ref_flag;

typedef struct {
	uint32_t stmt;
	uint32_t sym;
	uint32_t flags;
} Ref;

typedef struct {
	Ref *refs; uint32_t nrefs;  /* in text order, one for each (statement, register) pair */
	uint32_t *of_stmt;          /* refs of statement f->stmt + i: refs[of_stmt[i] .. of_stmt[i + 1]) */
} Refs;

Refs refs_build(const Module *m, uint32_t func, Arena *a);

#endif
