/* SPDX-License-Identifier: MIT */
/* Writes annotations as the source has them, for messages that say what to write. */
#include "transform/plan/describe_pragma.h"

const char *
describe_pragma(const Plan *x, const Region *r, const char *policy)
{
	const Region *of = region_switch_of_case(x->fn, r);
	const Marker *k = &x->fn->m->markers[(of ? of : r)->marker];
	const char *words = annot_words(&k->annot);
	Annot others = k->annot;
	Buf clauses = { 0 }, b = { 0 };

	others.given &= ~(UINT32_C(1) << CLAUSE_POLICY);
	annot_put_clauses(&clauses, &others);
	char *text = arena_strndup(x->arena, clauses.at, clauses.n);
	annot_unescape(text, clauses.n, text);
	buf_printf(&b, "'#pragma ccc %s policy(%s)%s'", words ? words : "...", policy, text);
	if (k->cuda.file)
		buf_printf(&b, " in line %u", k->cuda.line);
	text = arena_strndup(x->arena, b.at, b.n);
	buf_free(&clauses);
	buf_free(&b);
	return text;
}

const char *
describe_pragma_of_site(const Plan *x, Annot_policy policy, const char *name)
{
	const Region *s = x->site;
	bool inner = policy == POLICY_EXPAND || policy == POLICY_FLATTEN || !s->npaths;

	return describe_pragma(x,
		x->request.region        ? x->request.region :
		inner && s->ninner_loops ? s->inner_loops[0] :
		s->npaths                ? s->paths[0] : s,
		name);
}
