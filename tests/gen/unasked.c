/* SPDX-License-Identifier: MIT */
/* Transforms kernels without annotations. See unasked.h. */
#include <stdio.h>
#include <string.h>
#include "analysis/analyse.h"
#include "tests/gen/gen.h"
#include "tests/gen/unasked.h"
#include "suggest/auto_output.h"
#include "suggest/candidate.h"

enum { POLICIES_TRIED = 5 };

static uint32_t
below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(gen_random(state) % n);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A place to annotate: a branch or loop, or both arms of a branch, which may be melded. */
typedef struct {
	Candidate at;
	bool meld;
	Bits extent;
} Place;

/* The other arm of its branch; NULL: none. */
static const Candidate *
other_arm(const Candidates *all, const Candidate *c)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const Candidate *o = &all->at[i];
		if (c->kind == ADVICE_BRANCH && o->kind == ADVICE_BRANCH && o->from == c->from &&
			c->first < o->first)
			return o;
	}
	return NULL;
}

/* The blocks between the markers. */
static Bits
extent_of(const Place *p, Arena *a)
{
	const Fn *fn = p->at.fn;
	Bits e = bits_new(a, fn->cfg->nblocks);

	BITS_EACH (b, p->at.loop ? fn->loops->loops[p->at.loop].blocks : p->at.blocks)
		bits_set(e, b);
	if (p->meld)
		BITS_EACH (b, p->at.other)
			bits_set(e, b);
	return e;
}

/* Selects the costliest branch in a loop, which --ccc-auto would most likely select, or any. */
static const Candidate *
any_of(const Candidates *all, uint64_t *state)
{
	uint32_t i = below(state, all->n), k = below(state, all->n), first = 0;

	if (below(state, 3)) {
		while (first < all->n &&
			(all->at[first].kind != ADVICE_BRANCH || !all->at[first].loop))
			first++;
		if (first < all->n)
			return &all->at[first];
	}
	return &all->at[all->at[i].loop ? i : k];
}

static Place
place_of(const Candidates *all, uint64_t *state, uint32_t id, Arena *a)
{
	const Candidate *c = any_of(all, state), *other = other_arm(all, c);
	Place p = { .at = *c, .meld = other && below(state, 3) > 0 };

	p.at.proven = true;
	p.at.id = id;
	if (p.meld) {
		p.at.annot = ANNOT_DISTRIBUTE;
		p.at.loop = 0;
		p.at.first_other = other->first;
		p.at.other = other->blocks;
	}
	p.extent = extent_of(&p, a);
	return p;
}

/* Whether both can be annotated. Their blocks must be disjoint, with blocks between them. */
static bool
are_apart(const Place *p, const Place *q)
{
	const Fn *fn = p->at.fn;

	if ((!p->at.loop && !p->meld) || (!q->at.loop && !q->meld))
		/* it is a path of the kernel's task loop, which contains the other one */
		return false;
	FN_BLOCKS (fn, b) {
		bool in_p = bits_has(p->extent, b), in_q = bits_has(q->extent, b);
		if (in_p && in_q)
			return false;
		FN_SUCC (fn, b, s)
			if (s &&
				((in_p && bits_has(q->extent, s)) ||
					(in_q && bits_has(p->extent, s))))
				return false;
	}
	return true;
}

static bool
insert_annotation(const Place *p, Edits *e)
{
	return candidates_annotate(&p->at, 1, e);
}

/* Collects the candidates that an annotation could transform. */
static void
find_candidates(const Module *m, const Effects *effects, Arena *a, Candidates *all)
{
	uint32_t n = 0;

	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (m->funcs[f].body && m->funcs[f].entry)
			candidates_collect(fn_build(m, f, effects, a), &(Executed){ 0 }, a, all);
	for (uint32_t i = 0; i < all->n; i++) {
		const Candidate *c = &all->at[i];
		/* `for var` cannot say 'proven': the loop around it must */
		if (c->kind == ADVICE_BRANCH || (c->kind == ADVICE_LOOP && c->loop))
			all->at[n++] = *c;
	}
	all->n = n;
}

bool
unasked_annotate(const Module *m, uint64_t *state, Buf *out)
{
	Arena *a = arena_new();
	Candidates all = { 0 };
	Edits *e = edit_new(a);
	bool done = false;

	find_candidates(m, effects_build(m, a), a, &all);
	if (all.n) {
		Place p = place_of(&all, state, 1, a), q = place_of(&all, state, 3, a);
		done = insert_annotation(&p, e);
		if (done && are_apart(&p, &q))
			insert_annotation(&q, e);
	}
	if (done)
		edit_apply(e, m->src, out);
	edit_release(e);
	vec_free(&all);
	arena_free(a);
	return done;
}

/* ---- policies -------------------------------------------------------------------------------- */

typedef struct {
	Annot_policy policy;
	uint32_t n;
	Auto_mode choose;
} Way;

/* Policies by which lanes keep their own iterations. */
static const Way ways[] = {
	{ POLICY_AUTO, 0, AUTO_ALWAYS },
	{ POLICY_AHEAD, 8, AUTO_FIRST },
	{ POLICY_WAIT, 8, AUTO_FIRST },
	{ POLICY_AHEAD, 32, AUTO_FIRST },
	{ POLICY_MAJORITY, 0, AUTO_FIRST },
	{ POLICY_AUTO, 0, AUTO_FIRST },
	{ POLICY_FLATTEN, 0, AUTO_FIRST },
	{ POLICY_AHEAD, 4, AUTO_FIRST },
	{ POLICY_LIVE, 0, AUTO_FIRST },
	{ POLICY_AHEAD, 2, AUTO_ALWAYS },
	{ POLICY_CYCLE, 0, AUTO_FIRST },
	{ POLICY_AHEAD, 16, AUTO_FIRST },
	{ POLICY_CONVERGE, 0, AUTO_FIRST },
	{ POLICY_AHEAD, 1, AUTO_FIRST },
	{ POLICY_WAIT, 24, AUTO_FIRST },
	{ POLICY_FLATTEN, 3, AUTO_FIRST },
};
/* Policies by which threads execute each other's tasks. */
static const Way task_ways[] = {
	{ POLICY_AUTO, 0, AUTO_ALWAYS },
	{ POLICY_STACK, 0, AUTO_FIRST },
	{ POLICY_QUEUE, 2, AUTO_FIRST },
	{ POLICY_WAIT, 8, AUTO_FIRST },
};
/* Policies of loops whose annotations promise what they need. */
static const Way promised_ways[] = {
	{ POLICY_AHEAD, 32, AUTO_FIRST },
	{ POLICY_STACK, 0, AUTO_FIRST },
	{ POLICY_WAIT, 8, AUTO_FIRST },
	{ POLICY_AHEAD, 4, AUTO_FIRST },
	{ POLICY_QUEUE, 2, AUTO_FIRST },
	{ POLICY_EXPAND, 0, AUTO_FIRST },
	{ POLICY_LIVE, 0, AUTO_FIRST },
	{ POLICY_AUTO, 0, AUTO_ALWAYS },
};
enum {
	WAYS = sizeof ways / sizeof *ways,
	TASK_WAYS = sizeof task_ways / sizeof *task_ways,
	PROMISED_WAYS = sizeof promised_ways / sizeof *promised_ways
};

/* Whether an annotated loop or branch promises what its policy needs. */
static bool
promises(const Module *m)
{
	for (uint32_t i = 1; i < m->nmarkers; i++) {
		const Annot *k = &m->markers[i].annot;
		if (!m->markers[i].end && (k->kind == ANNOT_FOR || k->kind == ANNOT_IF) &&
			!annot_has(k, CLAUSE_PROVEN))
			return true;
	}
	return false;
}

/* Whether there is an annotated loop. If not, the paths are those of the kernel's task loop. */
static bool
has_loop(const Module *m)
{
	for (uint32_t i = 1; i < m->nmarkers; i++)
		if (m->markers[i].annot.kind == ANNOT_FOR)
			return true;
	return false;
}

static Pass_options
options_of(const Pass_options *from, uint64_t *state, const Way *w)
{
	Pass_options o = *from;

	o.auto_mode = w->choose;
	o.policy = w->policy;
	o.policy_n = w->n;
	o.debug.verify = true;
	o.grid = true;
	o.launch.threads = below(state, 4) ? 0 : 64;
	o.debug.one_copy = below(state, 5) == 0;
	if (below(state, 5) == 0) {
		o.fallback = FALLBACK_ALWAYS;
		o.fallback_rounds = 1 + below(state, 3);
	}
	o.launch.sms = 1 + below(state, 3);
	o.launch.grid_blocks = below(state, 3);
	return o;
}

/* The policy of a plan, as in a report: "queue(4)". */
static Annot_policy
policy_of(const Report_site *s)
{
	const char *name = s->nregions ? s->regions[0].policy : "";

	for (uint32_t p = 0; p < POLICY_COUNT; p++)
		if (strncmp(name, annot_policies[p].name, strlen(annot_policies[p].name)) == 0)
			return (Annot_policy)p;
	return POLICY_AUTO;
}

/* Counts the transformed sites; returns false if there are none. */
static bool
count_transformed(const Report *r, Unasked *sum)
{
	bool any = false;

	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		sum->fault |= s->why.text && s->why.kind == D_BUG;
		sum->task_loops += s->done && s->grid;
		sum->policies[policy_of(s)] += s->done;
		any |= s->done;
	}
	for (uint32_t i = 0; i < r->branches.n; i++) {
		sum->melds += r->branches.at[i].done;
		any |= r->branches.at[i].done;
	}
	return any;
}

/* Transforms the module by output_make() or auto_output_make(). Returns whether a site was. */
static bool
transform_once(const Module *m, const Pass_options *o, bool by_auto, Unasked *sum, Buf *out,
	Buf *why)
{
	Diags *diags = diags_new(m->src);
	Output made;

	(by_auto ? auto_output_make : output_make)(m, o, NULL, NULL, diags, &made);
	bool done = count_transformed(&made.report, sum);
	if (diags_errors(diags))
		buf_puts(why, "errors from the transformation");
	else if (sum->fault)
		buf_puts(why, "a fault in the text");
	else if (done)
		buf_add(out, made.text.at, made.text.n);
	else if (by_auto && (made.text.n != m->src->len ||
		memcmp(made.text.at, m->src->text, m->src->len) != 0))
		buf_puts(why, "the text changed, but no site was transformed");
	output_release(&made);
	diags_free(diags);
	return done;
}

bool
unasked_auto(const Module *m, const Pass_options *opt, uint64_t *state, Unasked *sum, Buf *out,
	Buf *why)
{
	Pass_options o = options_of(opt, state, &ways[0]);

	o.grid = false;
	sum->fault = false;
	sum->sites++;
	bool done = transform_once(m, &o, true, sum, out, why);
	sum->texts += done;
	return done && !why->n;
}

bool
unasked_transform(
	const Module *m, const Pass_options *opt, uint64_t *state, Unasked *sum, Buf *out, Buf *why)
{
	const bool loop = has_loop(m), promised = promises(m);
	const Way *list = promised ? promised_ways : loop ? ways : task_ways;
	uint32_t n = promised ? PROMISED_WAYS : loop ? WAYS : TASK_WAYS, first = below(state, n);
	bool done = false;

	sum->fault = false;
	sum->sites++;
	for (uint32_t k = 0; k < POLICIES_TRIED && !done && !why->n && !sum->fault; k++) {
		Pass_options o = options_of(opt, state, &list[(first + k * 3) % n]);
		done = transform_once(m, &o, false, sum, out, why);
	}
	sum->texts += done;
	return done && !why->n;
}

/* ---- totals ---------------------------------------------------------------------------------- */

void
unasked_add(Unasked *to, const Unasked *u)
{
	for (uint32_t p = 0; p < POLICY_COUNT; p++)
		to->policies[p] += u->policies[p];
	to->task_loops += u->task_loops;
	to->melds += u->melds;
	to->sites += u->sites;
	to->texts += u->texts;
	to->kernels += u->kernels;
}

void
unasked_print(const Unasked *u, uint64_t kernels)
{
	const char *before = ": ";

	printf("unannotated: %.1f %% of the kernels transformed, %llu texts of %llu",
		100.0 * (double)u->kernels / (double)(kernels ? kernels : 1),
		(unsigned long long)u->texts, (unsigned long long)u->sites);
	for (uint32_t p = 1; p < POLICY_COUNT; p++)
		if (u->policies[p]) {
			printf("%s%s %llu", before, annot_policies[p].name,
				(unsigned long long)u->policies[p]);
			before = ", ";
		}
	printf("%smelded %llu; %llu of them task loops\n", before, (unsigned long long)u->melds,
		(unsigned long long)u->task_loops);
}
