/* SPDX-License-Identifier: MIT */
/* Validates a text in which arms were melded (validate_arms; D7 in docs/proofs/distribute.md). */
#include "analysis/analyse.h"
#include "transform/rewrite/distribute.h"
#include "validate/validate.h"

/* The arms of a function that were melded in this step. */
typedef struct {
	const Meld_outcome *at;
	uint32_t n;
} Melded_function;

static bool
is_melded(const Meld_outcome *k)
{
	return !verdict_is_no(k->why);
}

static Valid_arms
validate_function(
	const Melded_function *g, const Module *before, const Module *after, const Effects *effects)
{
	Arena *a = arena_new();
	Diags *quiet = diags_new(NULL);
	const Fn *fn = fn_build(before, g->at->func, effects, a);
	uint32_t n = 2 * g->n, *markers = arena_array(a, n, sizeof *markers);

	for (uint32_t i = 0; i < n; i++)
		markers[i] = g->at[i / 2].marker[i % 2];
	Valid_arms v = validate_arms(fn, region_build(fn, quiet, a), after, markers, n);
	diags_free(quiet);
	arena_free(a);
	return v;
}

bool
melded_text_is_valid(
	const Module *before, const Module *after, Meld_outcome *k, uint32_t n, Arena *a)
{
	Arena *tables = arena_new();
	const Effects *effects = NULL;
	bool ok = true;

	for (uint32_t i = 0, end; i < n && ok; i = end) {
		end = i + 1;
		if (!is_melded(&k[i]))
			continue;
		while (end < n && k[end].func == k[i].func && is_melded(&k[end]))
			end++;
		Melded_function g = { &k[i], end - i };
		effects = effects ? effects : effects_build(before, tables);
		Valid_arms v = validate_function(&g, before, after, effects);
		ok = v.valid == VALID_YES;
		for (uint32_t j = i; j < end && !ok; j++)
			k[j].why = verdict(a, D_DISTRIBUTE, DIAG_NOWHERE,
				"the melded text cannot be validated, at its line %u: %s", v.line,
				v.why);
	}
	arena_free(tables);
	return ok;
}
