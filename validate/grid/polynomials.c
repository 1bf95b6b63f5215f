/* SPDX-License-Identifier: MIT */
/* Polynomials. See polynomials.h. Coefficients stay below 2^40, so nothing overflows. */
#include "validate/grid/polynomials.h"

enum { MOST_REPLACED = 64 };
static const int64_t MOST_TIMES = INT64_C(1) << 40;

Poly
poly_constant(int64_t k)
{
	Poly p = { { { 0, k } }, k != 0, k > MOST_TIMES || k < -MOST_TIMES };

	return p;
}

Poly
poly_unknown(uint32_t number)
{
	Poly p = { { { number, 1 } }, 1, number == 0 };

	return p;
}

static void
add_term(Poly *p, Monomial of, int64_t times)
{
	uint32_t i = 0;

	while (i < p->n && p->at[i].of > of)
		i++;
	if (i < p->n && p->at[i].of == of) {
		p->at[i].times += times;
		if (p->at[i].times > MOST_TIMES || p->at[i].times < -MOST_TIMES)
			p->wrong = true;
		if (p->at[i].times == 0) {
			for (p->n--; i < p->n; i++)
				p->at[i] = p->at[i + 1];
		}
		return;
	}
	if (p->n == MOST_TERMS) {
		p->wrong = true;
		return;
	}
	for (uint32_t k = p->n++; k > i; k--)
		p->at[k] = p->at[k - 1];
	p->at[i] = (Poly_term){ of, times };
}

static bool
product_is_small(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	return a == 0 || b <= MOST_TIMES / a;
}

static uint32_t
degree(Monomial m)
{
	uint32_t n = 0;

	for (; m; m >>= 8)
		n++;
	return n;
}

/* The product of two monomials; 0 if its degree is more than 4. Neither is 0. */
static Monomial
join(Monomial a, Monomial b)
{
	Monomial m = 0;
	uint32_t shift = 0;

	if (degree(a) + degree(b) > 4)
		return 0;
	while (a || b) {
		bool first = a && (!b || (a & 255) <= (b & 255));
		m |= (first ? a & 255 : b & 255) << shift;
		shift += 8;
		if (first)
			a >>= 8;
		else
			b >>= 8;
	}
	return m;
}

/* Whether m is a multiple of `by`; stores the quotient. */
static bool
divide(Monomial m, Monomial by, Monomial *quotient)
{
	uint32_t shift = 0;

	for (*quotient = 0; m; m >>= 8) {
		if (by && (m & 255) == (by & 255)) {
			by >>= 8;
		} else {
			*quotient |= (m & 255) << shift;
			shift += 8;
		}
	}
	return by == 0;
}

static void
add_multiple(Poly *p, const Poly *a, Monomial of, int64_t times)
{
	p->wrong |= a->wrong;
	for (uint32_t i = 0; i < a->n; i++) {
		Monomial m = !of ? a->at[i].of : !a->at[i].of ? of : join(a->at[i].of, of);
		if ((a->at[i].of && of && !m) || !product_is_small(a->at[i].times, times))
			p->wrong = true;
		else
			add_term(p, m, a->at[i].times * times);
	}
}

Poly
poly_add(const Poly *a, const Poly *b, int64_t times)
{
	Poly p = *a;

	add_multiple(&p, b, 0, times);
	return p;
}

Poly
poly_mul(const Poly *a, const Poly *b)
{
	Poly p = poly_constant(0);

	p.wrong = a->wrong;
	for (uint32_t i = 0; i < a->n; i++)
		add_multiple(&p, b, a->at[i].of, a->at[i].times);
	return p;
}

bool
poly_is_constant(const Poly *a, int64_t *k)
{
	*k = a->n ? a->at[0].times : 0;
	return !a->wrong && (a->n == 0 || (a->n == 1 && a->at[0].of == 0));
}

uint32_t
poly_is_unknown(const Poly *a)
{
	bool yes = !a->wrong && a->n == 1 && a->at[0].times == 1 && degree(a->at[0].of) == 1;

	return yes ? a->at[0].of : 0;
}

static uint32_t
poly_degree(const Poly *a)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < a->n; i++)
		most = degree(a->at[i].of) > most ? degree(a->at[i].of) : most;
	return most;
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Replaces a term that is a multiple of a lead. Returns false if there is none. */
static bool
reduce_once(const Poly_facts *f, Poly *p)
{
	Monomial quotient;

	for (uint32_t i = 0; i < p->n; i++) {
		for (uint32_t k = 0; k < f->nequations; k++) {
			const Poly_equation *e = &f->equation[k];
			if (!divide(p->at[i].of, e->lead, &quotient))
				continue;
			Poly_term t = p->at[i];
			add_term(p, t.of, -t.times);
			add_multiple(p, &e->rest, quotient, t.times);
			return true;
		}
	}
	return false;
}

static void
reduce(const Poly_facts *f, Poly *p)
{
	for (uint32_t n = 0; !p->wrong && reduce_once(f, p); n++)
		p->wrong |= n == MOST_REPLACED;
}

Poly
facts_reduce(const Poly_facts *f, const Poly *a)
{
	Poly p = *a;

	reduce(f, &p);
	return p;
}

void
facts_add(Poly_facts *f, const Poly *a)
{
	Poly p = facts_reduce(f, a);

	if (!p.wrong && f->nfacts < MOST_FACTS)
		f->fact[f->nfacts++] = p;
}

void
facts_divide(Poly_facts *f, const Poly *a, uint32_t b, uint32_t q, const Poly *r)
{
	Poly_equation e = { join(b, q), poly_add(a, r, -1) };

	if (e.rest.wrong || poly_degree(&e.rest) > 2 || f->nequations == MOST_EQUATIONS)
		return;
	f->equation[f->nequations++] = e;
	for (uint32_t i = 0; i < f->nfacts; i++)
		reduce(f, &f->fact[i]);
}

/* Whether a - b is a constant that is at least 0. Both are reduced. */
static bool
exceeds(const Poly *a, const Poly *b)
{
	uint32_t i = 0;

	while (i < a->n && i < b->n && a->at[i].of && a->at[i].of == b->at[i].of &&
		a->at[i].times == b->at[i].times)
		i++;
	bool end = i == a->n, last = i == b->n;
	return !a->wrong && !b->wrong && (end || !a->at[i].of) && (last || !b->at[i].of) &&
		(end ? 0 : a->at[i].times) >= (last ? 0 : b->at[i].times);
}

bool
facts_imply(const Poly_facts *f, const Poly *a)
{
	Poly p = facts_reduce(f, a), zero = poly_constant(0);
	bool yes = exceeds(&p, &zero);

	for (uint32_t i = 0; i < f->nfacts && !yes; i++)
		yes = exceeds(&p, &f->fact[i]);
	for (uint32_t i = 1; i < f->nfacts && !yes; i++) {
		Poly rest = poly_add(&p, &f->fact[i], -1);
		for (uint32_t k = 0; k < i && !yes; k++)
			yes = exceeds(&rest, &f->fact[k]);
	}
	return yes;
}

bool
facts_imply_zero(const Poly_facts *f, const Poly *a)
{
	Poly p = facts_reduce(f, a);

	return !p.wrong && p.n == 0;
}
