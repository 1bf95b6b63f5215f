/* SPDX-License-Identifier: MIT */
/* Text that counts all candidates at once. See auto_layers.h.
 *
 * Candidates are those with a plan, whatever they gain, which is known only when they are
 * counted. */
#include "suggest/auto_layers.h"
#include "suggest/suggest_plan.h"

enum { NSORTS = PROMISED + 1 };

/* Adds the candidate unless its counts are those of one in the list. */
static void
add_layer(Candidates *to, const Candidate *c)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (to->at[i].first == c->first &&
			(to->at[i].annot == ANNOT_DISTRIBUTE) == (c->annot == ANNOT_DISTRIBUTE) &&
			(to->at[i].annot == ANNOT_FOR) == (c->annot == ANNOT_FOR))
			return;
	*vec_push(to) = *c;
}

bool
auto_layers_queue(const Module *m, const Pass_options *opt, Edits *e)
{
	Suggestions all[NSORTS];
	uint32_t id = LAYERS_OF_MARKERS;
	bool any = false;

	suggestions_make_unmeasured(all, NSORTS, m, opt);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		Candidates layers = { 0 };
		for (int i = 0; i < NSORTS; i++)
			for (uint32_t k = all[i].first[f]; k < all[i].first[f + 1]; k++)
				if (all[i].of[k].done)
					add_layer(&layers, &all[i].all.at[k]);
		for (uint32_t i = 0; i < layers.n; i++, id += 2)
			layers.at[i].id = id;
		any |= layers.n && candidates_annotate(layers.at, layers.n, e);
		vec_free(&layers);
	}
	for (int i = 0; i < NSORTS; i++)
		suggestions_release(&all[i]);
	return any;
}

void
auto_layers_write(const Module *m, const Pass_options *opt, Buf *out)
{
	Arena *a = arena_new();
	Edits *e = edit_new(a);

	if (auto_layers_queue(m, opt, e))
		edit_apply(e, m->src, out);
	edit_release(e);
	arena_free(a);
}
