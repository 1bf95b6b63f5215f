/* SPDX-License-Identifier: MIT */
/* The candidates that are planned, and the tables that planning them needs. They are found once for
 * all sorts of annotations. See suggest_plan.h. */
#include "analysis/analyse.h"
#include "suggest/candidate_stmts.h"
#include "suggest/suggest_plan.h"

uint32_t
candidates_first_id(const Module *m)
{
	uint32_t id = 1;

	for (uint32_t i = 1; i < m->nmarkers; i++)
		id = m->markers[i].id >= id ? m->markers[i].id + 1 : id;
	return id;
}

/* Adds up what was executed; fns receives the functions. */
static void
sum_executed(Suggestions *w, const Fn **fns)
{
	w->executed.of = w->opt.measured.stmts;
	if (!w->executed.of)
		return;
	w->slots = arena_array(w->arena, w->m->nfuncs + 1u, sizeof *w->slots);
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		if (!w->m->funcs[f].body)
			continue;
		fns[f] = fn_build(w->m, f, w->effects, w->tables);
		w->slots[f] = executed_function(&w->executed, fns[f]);
		w->executed.all += w->slots[f];
	}
}

/* Finds the candidates of all functions, and the tables that planning them needs. */
static void
find_candidates(Suggestions *w)
{
	const Module *m = w->m;
	const Diag_style *style = w->opt.style;
	const Fn **fns = arena_array(w->arena, m->nfuncs + 1u, sizeof *fns);

	w->tables = arena_new();
	w->first_found = arena_array(w->arena, m->nfuncs + 1u, sizeof *w->first_found);
	w->deep = arena_array(w->arena, m->nfuncs + 1u, sizeof *w->deep);
	source_stmts_read(style && style->statements ? style->statements : m->src->text, w->arena,
		&w->stmts);
	w->effects = effects_build(m, w->arena);
	w->parts = module_parts_build(m, w->effects, w->arena);
	sum_executed(w, fns);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		const Func *k = &m->funcs[f];
		w->first_found[f] = w->found.n;
		if (!k->body || k->nmarkers)
			continue;
		if (!fns[f])
			fns[f] = fn_build(m, f, w->effects, w->tables);
		w->deep[f] = !candidates_collect(fns[f], &w->executed, w->arena, &w->found);
	}
	w->first_found[m->nfuncs] = w->found.n;
}

/* Takes over what find_candidates() found. */
static void
share_candidates(Suggestions *w, const Suggestions *by)
{
	w->found = by->found;
	w->first_found = by->first_found;
	w->deep = by->deep;
	w->parts = by->parts;
	w->stmts = by->stmts;
	w->effects = by->effects;
	w->executed = by->executed;
	w->slots = by->slots;
}

static void
complete_candidate(const Suggestions *w, Candidate *c, uint32_t id)
{
	const Cuda_pos code = c->at.at;
	Execution_counts counts;

	c->id = id;
	c->proven = w->sort != PROMISED;
	candidate_find_stmts(&w->stmts, c);
	c->marked = code.line != c->at.at.line && suggestions_find_counts(w, c, code, &counts) ?
		code : c->at.at;
}

void
suggestions_collect(Suggestions *w)
{
	uint32_t id = candidates_first_id(w->m);

	w->opt.measured.inserted_from = id;
	if (w->like)
		share_candidates(w, w->like);
	else
		find_candidates(w);
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		w->first[f] = w->all.n;
		for (uint32_t i = w->first_found[f]; i < w->first_found[f + 1]; i++)
			*vec_push(&w->all) = w->found.at[i];
		if (w->sort == MELDED)
			candidates_keep_melds(&w->all, w->first[f]);
		for (uint32_t i = w->first[f]; i < w->all.n; i++, id += 2)
			complete_candidate(w, &w->all.at[i], id);
	}
	w->first[w->m->nfuncs] = w->all.n;
}
