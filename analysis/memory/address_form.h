/* SPDX-License-Identifier: MIT */
/* Addresses as polynomials: sums of products of values that the analysis does not decompose.
 *
 * In a loop, an induction variable is its initial value plus its step times the iteration number,
 * so that addresses in one loop become comparable. A heuristic, for warnings only: it assumes that
 * conversions and products do not overflow. */
#ifndef ANALYSIS_MEMORY_ADDRESS_FORM_H
#define ANALYSIS_MEMORY_ADDRESS_FORM_H

#include "analysis/dataflow/function.h"
#include "base/vec.h"

enum { FORM_TERMS = 12, FORM_FACTORS = 4 };

typedef enum {
	ATOM_INPUT,     /* special register, kernel parameter or address of a variable */
	ATOM_LOOP,      /* number of the iteration of a loop, from 0 */
	ATOM_SELF,      /* value of an induction variable while its step is being determined */
	ATOM_DEFS       /* value of one of some definitions */
} Atom_kind;

typedef struct {
	Atom_kind kind;
	uint32_t sym, loop;
	int64_t offset;         /* in a parameter; or component of a special register */
	const uint32_t *defs; uint32_t ndefs;
	uint32_t varies;        /* cache of iteration_dependence.c, plus one; 0: unknown */
} Atom;

/* Atoms are indices into Forms.atoms, in ascending order, then zeros. */
typedef struct { uint32_t atom[FORM_FACTORS]; int64_t coef; } Form_term;
/* The constant is a term without atoms. unknown: too many terms or factors. */
typedef struct { Form_term term[FORM_TERMS]; uint32_t n; bool unknown; } Form;

typedef struct { uint32_t loop, sym; } Open_induction;

typedef struct {
	const Fn *fn;
	Arena *arena;
	VEC(Atom) atoms;                        /* element 0 is unused */
	VEC(Open_induction) open;               /* induction variables being determined */
	uint32_t left;                          /* remaining steps for this address */
} Forms;

void forms_init(Forms *w, const Fn *fn, Arena *a);
void forms_release(Forms *w);
/* Returns the address of a load or store. */
Form form_of_address(Forms *w, uint32_t stmt);
Form form_difference(const Form *a, const Form *b);
/* Whether the form is a constant, which is stored in *value. */
bool form_is_constant(const Form *f, int64_t *value);

#endif
