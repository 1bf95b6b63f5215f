/* SPDX-License-Identifier: MIT */
/* Whether one iteration of a loop may read what another one stores, judging by the addresses.
 *
 * A heuristic, for warnings: an access at an address that depends on the iteration number, other
 * than by a constant distance, is assumed to stay within what belongs to the iteration. */
#ifndef ANALYSIS_MEMORY_ITERATION_DEPENDENCE_H
#define ANALYSIS_MEMORY_ITERATION_DEPENDENCE_H

#include "analysis/memory/address_form.h"

typedef enum {
	DEPENDENCE_NONE,        /* none was found */
	DEPENDENCE_DISTANCE,    /* iterations at a constant distance access the same address */
	DEPENDENCE_EVERY,       /* every iteration accesses the same addresses */
	DEPENDENCE_LOADED       /* an index is loaded; iterations may share the address */
} Iteration_dependence;

/* An access, as iteration_access() describes it. */
typedef struct {
	Form address;
	uint32_t varies;        /* how the address changes between iterations */
	uint32_t bytes;
} Iteration_access;

/* Describes a load or store in the loop. One Forms serves one loop. */
Iteration_access iteration_access(Forms *w, uint32_t loop, uint32_t stmt);
/* Compares a store and a load of one array. */
Iteration_dependence iteration_dependence(Forms *w, uint32_t loop,
	const Iteration_access *store, const Iteration_access *load);
/* Whether a store in the loop writes the same value in every iteration. */
bool iteration_stores_constant(const Fn *fn, uint32_t loop, uint32_t stmt, Arena *a);

#endif
