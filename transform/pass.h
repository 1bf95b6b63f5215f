/* The pass driver: parse -> passes -> text. Each pass reads the view and queues edits; see
 * docs/design.md 3. */
#ifndef TRANSFORM_PASS_H
#define TRANSFORM_PASS_H

#include "base/diag.h"
#include "parser/ptx.h"
#include "transform/edit.h"
#include "transform/report.h"

typedef struct {
	Annot_policy policy;    /* what annotations without a policy() clause get */
	uint32_t threads;       /* largest block where neither the PTX nor a clause says; 0 = 1024 */
	uint32_t max_regs;      /* kernels with a transformed loop are held to as many registers a thread; 0: they are not */
	const uint32_t *most;   /* the same for single kernels, by Func; NULL: none */
	const char *const *leave; /* by Func: why its loops stay as they were, NULL: they need not; NULL: none need */
	bool dynamic_known;     /* launches ask for no more dynamic shared memory than */
	uint32_t dynamic;       /* so many bytes a block */
} Pass_options;

/* Runs all passes on a module. Returns the edits (queued in arena a); what was done and refused
 * goes to r and d. */
Edits *passes_run(const Module *m, const Pass_options *opt, Report *r, Diags *d, Arena *a);

#endif
