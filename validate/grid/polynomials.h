/* SPDX-License-Identifier: MIT */
/* Polynomials over unknown numbers, with equations and inequalities that are known of them.
 * Internal to validate/grid/. */
#ifndef VALIDATE_GRID_POLYNOMIALS_H
#define VALIDATE_GRID_POLYNOMIALS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_TERMS = 10, MOST_UNKNOWNS = 128, MOST_FACTS = 12, MOST_EQUATIONS = 4 };

/* Up to four unknowns, numbered from 1, in ascending bytes; 0: the constant term. */
typedef uint32_t Monomial;
typedef struct { Monomial of; int64_t times; } Poly_term;
/* Terms in descending order of their monomials, without zeros. wrong: it has no representation. */
typedef struct { Poly_term at[MOST_TERMS]; uint32_t n; bool wrong; } Poly;

/* lead = rest, where lead is b * q of a quotient a / b, and rest is a - r. */
typedef struct { Monomial lead; Poly rest; } Poly_equation;
/* Each fact is a polynomial that is at least 0, in which the equations have replaced the leads. */
typedef struct {
	Poly fact[MOST_FACTS];
	uint32_t nfacts;
	Poly_equation equation[MOST_EQUATIONS];
	uint32_t nequations;
} Poly_facts;

Poly poly_constant(int64_t k);
Poly poly_unknown(uint32_t number);
/* Returns a + times * b. */
Poly poly_add(const Poly *a, const Poly *b, int64_t times);
Poly poly_mul(const Poly *a, const Poly *b);
bool poly_is_constant(const Poly *a, int64_t *k);
/* The number of the unknown that it is; 0 if it is something else. */
uint32_t poly_is_unknown(const Poly *a);

/* Records that a is at least 0. Further facts than MOST_FACTS are forgotten. */
void facts_add(Poly_facts *f, const Poly *a);
/* Records that a = b * q + r, if a has at most degree 2 and b and q are unknowns. */
void facts_divide(Poly_facts *f, const Poly *a, uint32_t b, uint32_t q, const Poly *r);
/* Returns a, with each multiple of the lead of an equation replaced. */
Poly facts_reduce(const Poly_facts *f, const Poly *a);
/* Whether a is at least 0, because it is a sum of at most two facts and a constant. */
bool facts_imply(const Poly_facts *f, const Poly *a);
/* Whether a is 0. */
bool facts_imply_zero(const Poly_facts *f, const Poly *a);

#endif
