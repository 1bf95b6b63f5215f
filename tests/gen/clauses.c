/* SPDX-License-Identifier: MIT */
/* Random combinations of all clauses that the annotation language has for a kind of annotation,
 * with any numbers. The clauses come from the tables in base/annot.def, so that new ones are
 * included automatically. Other kernels have few clauses, one at a time (marker.c).
 *
 * The kernel's results must not depend on the clauses, so no false promise may be made: `scratch`
 * and `warpwide` are used only in kernels for which they hold, and annotations that could select
 * `expand`, if iterations of inner loops write the same address (`flat`), always name a policy. */
#include <string.h>
#include "base/annot.h"
#include "tests/gen/inner.h"

#define BIT(policy) (UINT32_C(1) << POLICY_##policy)
enum {
	COLLECT = BIT(AUTO) | BIT(STACK) | BIT(QUEUE),
	INNER = BIT(AUTO) | BIT(EXPAND) | BIT(FLATTEN),
	WAITS = BIT(CONVERGE) | BIT(WAIT) | BIT(MAJORITY) | BIT(LIVE) | BIT(CYCLE),
	EXCHANGE = BIT(AUTO) | BIT(HOT) | BIT(DGI) | BIT(PARTITION)
};

/* Policies that have an effect; the others only cause a warning. */
static const uint32_t apt[ANNOT_KINDS] = {
	[ANNOT_FOR] = COLLECT | INNER | WAITS | BIT(AHEAD),
	[ANNOT_FOR_VAR] = INNER,
	[ANNOT_IF] = COLLECT | WAITS | BIT(AHEAD),
	[ANNOT_PATH] = COLLECT | WAITS | BIT(AHEAD),
	[ANNOT_SWITCH] = COLLECT,
	[ANNOT_CASE] = COLLECT,
	[ANNOT_WHILE] = COLLECT,
	[ANNOT_GRID] = COLLECT,
	[ANNOT_DISTRIBUTE] = BIT(AUTO),
	[ANNOT_DELAY] = WAITS,
	[ANNOT_PREDICT] = WAITS,
	[ANNOT_REMAP] = EXCHANGE,
	[ANNOT_UNIFY] = BIT(AHEAD),
	[ANNOT_ASSIGN] = BIT(AUTO) | BIT(FLATTEN) | WAITS,
};

/* The probability, in percent, of a clause where it is allowed. */
static const uint8_t often[CLAUSE_COUNT] = {
	[CLAUSE_POLICY] = 65,
	[CLAUSE_THRESHOLD] = 30,
	[CLAUSE_THREADS] = 15,
	[CLAUSE_UNROLL] = 5,
	[CLAUSE_PATHS] = 70,
	[CLAUSE_REDUCTION] = 35,
	[CLAUSE_REASSOCIATE] = 20,
	[CLAUSE_WARPWIDE] = 60,
	[CLAUSE_COALESCED] = 25,
	[CLAUSE_INDEPENDENT] = 15,
	[CLAUSE_SCRATCH] = 100,
	[CLAUSE_PROVEN] = 5,
	[CLAUSE_DYNAMIC] = 10,
	[CLAUSE_IDLE] = 50,
	[CLAUSE_RETREAT] = 15,
};

static uint32_t
under(uint64_t *words, uint32_t n)
{
	return (uint32_t)(gen_random(words) >> 33) % n;
}

/* Small numbers are frequent. */
static uint32_t
number(uint64_t *words, Annot_range range)
{
	uint32_t few = range.most < 5 ? range.most : 5;
	uint32_t all = range.most + 1 - range.least;

	return range.least + under(words, under(words, 100) < 70 ? few : all);
}

/* Whether the annotation must name `flatten`: without a policy, or with one that is ignored,
 * `expand` could be selected. */
static bool
says_how(const Gen *g, const Annot *a)
{
	return g->flat && a->kind == ANNOT_FOR_VAR;
}

static void
policy(const Gen *g, uint64_t *words, Annot *a)
{
	uint32_t may = under(words, 100) < 95 ? apt[a->kind] : UINT32_MAX;

	if (says_how(g, a))
		may = BIT(FLATTEN);
	else if (g->flat && (may & ~(BIT(AUTO) | BIT(EXPAND))))
		may &= ~(BIT(AUTO) | BIT(EXPAND));
	do
		a->policy = (Annot_policy)under(words, POLICY_COUNT);
	while (!(may >> a->policy & 1));
	const Annot_policy_row *row = &annot_policies[a->policy];
	if ((!row->numbers && !row->word) || under(words, 100) < 50)
		return;
	a->number[CLAUSE_POLICY] = row->word ? 1 : number(words, row->range);
	a->second = row->numbers == 2 ? number(words, row->range) : 0;
}

static void
list(uint64_t *words, Annot *a, Annot_clause c)
{
	static const char names[] = "s, t";

	for (uint32_t n = 1 + under(words, 3); n; n--) {
		uint32_t any = under(words, OPERATOR_COUNT);
		a->lists[a->nlists++] = (Annot_list){ c,
			(Annot_operator)(under(words, 2) ? OPERATOR_ADD : any),
			{ names, under(words, 2) ? 1 : sizeof names - 1 } };
	}
}

static void
argument(const Gen *g, uint64_t *words, Annot *a, Annot_clause c)
{
	const Annot_clause_row *row = &annot_clauses[c];
	Annot_range range = row->range;

	if (c == CLAUSE_THREADS) /* larger ones have no effect on the launches used */
		range.most = GEN_MOST_COUNTED;
	switch (row->argument) {
	case ARGUMENT_NONE: break;
	case ARGUMENT_NUMBER: a->number[c] = number(words, range); break;
	case ARGUMENT_COUNT:
		a->number[c] = under(words, 4) ? number(words, range) : ANNOT_AUTO;
		break;
	case ARGUMENT_ROUNDS:
		a->number[c] = under(words, 3) ? number(words, range) :
			under(words, 2)        ? ANNOT_AUTO :
						 0;
		break;
	case ARGUMENT_POLICY: policy(g, words, a); break;
	case ARGUMENT_LIST: list(words, a, c); break;
	case ARGUMENT_EXPRESSION: break; /* remaps.c chooses it: an instruction belongs to it */
	}
}

/* Whether an iteration reads from the thread's array what the path of an earlier one wrote
 * there. */
static bool
reads_back(const Gen *g)
{
	return (g->pads && g->stale) || (g->depot && g->looks);
}

static bool
is_true(const Gen *g, Annot_clause c)
{
	return c == CLAUSE_SCRATCH ? g->said : c == CLAUSE_WARPWIDE ? g->together : true;
}

void
clauses_any(Gen *g, const char *kind, uint32_t at)
{
	uint64_t shared = (uint64_t)g->salt << 32 | at, *words = at ? &shared : &g->wording;
	Annot a = { 0 };

	while (strcmp(annot_kinds[a.kind].marker, kind) != 0)
		a.kind++;
	for (uint32_t k = 0; k < CLAUSE_COUNT; k++) {
		Annot_clause c = (Annot_clause)k;
		bool must = c == CLAUSE_POLICY && says_how(g, &a);
		if (!(annot_clauses[c].kinds >> a.kind & 1) || !is_true(g, c) ||
			(under(words, 100) >= often[c] && !must) ||
			(c == CLAUSE_INDEPENDENT && reads_back(g)))
			continue;
		a.given |= UINT32_C(1) << c;
		argument(g, words, &a, c);
	}
	annot_put_clauses(g->body, &a);
}
