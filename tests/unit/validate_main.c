/* SPDX-License-Identifier: MIT */
/* validate_main [-s | -m | -g] IN.ptx OUT.ptx: validates the second text as a transformation of the
 * first (validate/). Exit status 0: all transformed loops are correct, or pass their trials; 1:
 * some are not, and the reasons are printed; 2: not PTX. Prints "tried" for a loop that only has a
 * trial. -s: prints the number of explored steps. -m: as a text in which branches were melded in
 * one step; prints their number. -g: as a text in which kernels got task loops; prints their
 * number.
 * validate_main -l IN.ptx: prints that text. */
#include <stdio.h>
#include <string.h>
#include "analysis/analyse.h"
#include "base/console.h"
#include "transform/rewrite/task_loop_set.h"
#include "validate/validate.h"

static Module *
parse_file(Source *src, const char *path, Diags **d)
{
	const char *err;

	if (!source_read(src, path, &err))
		return NULL;
	*d = diags_new(src);
	return ptx_parse(src, *d);
}

static int
judge_function(const Valid_func *v, uint32_t *followed)
{
	int no = v->why != NULL;

	if (v->why)
		printf("line %u: %s\n", v->line, v->why);
	for (uint32_t i = 0; i < v->nsites; i++) {
		*followed += v->sites[i].steps;
		if (v->sites[i].valid == VALID_TRIED)
			printf("tried\n");
		if (v->sites[i].valid <= VALID_TRIED)
			continue;
		no = 1;
		printf("line %u: %s\n", v->sites[i].line, v->sites[i].why);
	}
	return no;
}

/* The first marker of a `distribute` from marker i on that is done in the output. */
static uint32_t
next_melded(const Module *in, const Func *f, const Module *out, uint32_t i)
{
	for (; i < f->marker + f->nmarkers; i++) {
		const Marker *a = &in->markers[i];
		if (a->annot.kind != ANNOT_DISTRIBUTE || a->end || a->done)
			continue;
		for (uint32_t k = 0; k < out->nmarkers; k++)
			if (out->markers[k].id == a->id && out->markers[k].done)
				return i;
	}
	return i;
}

static int
judge_arms(const Fn *fn, const Regions *rs, const Module *out, uint32_t *n)
{
	uint32_t end = fn->f->marker + fn->f->nmarkers;
	int no = 0;

	for (uint32_t i = next_melded(fn->m, fn->f, out, fn->f->marker); i < end;) {
		uint32_t k = next_melded(fn->m, fn->f, out, i + 1);
		/* the compiler may have written the else arm first */
		bool swapped = k < end && fn->m->markers[k].id < fn->m->markers[i].id;
		Valid_arms v = validate_arms(
			fn, rs, out, (const uint32_t[2]){ swapped ? k : i, swapped ? i : k }, 2);
		++*n;
		if (v.valid != VALID_YES) {
			printf("line %u: %s%s\n", v.line,
				v.valid == VALID_UNKNOWN ? "unknown: " : "", v.why);
			no = 1;
		}
		i = next_melded(fn->m, fn->f, out, k + 1);
	}
	return no;
}

/* Checks the kernels with a `grid` annotation. */
static int
judge_grids(const Module *in, const Module *out, const Effects *effects, uint32_t *n)
{
	int no = 0;

	for (uint32_t f = 1; f < in->nfuncs; f++) {
		bool grid = false;
		for (uint32_t k = 0; k < in->funcs[f].nmarkers; k++)
			grid |= in->markers[in->funcs[f].marker + k].annot.kind == ANNOT_GRID;
		if (!grid)
			continue;
		Valid_grid v = validate_grid(in, out, f, effects);
		++*n;
		if (v.valid != VALID_YES) {
			printf("line %u: %s%s\n", v.line,
				v.valid == VALID_UNKNOWN ? "unknown: " : "", v.why);
			no = 1;
		}
	}
	return no;
}

/* Prints the text with task loops. */
static int
print_task_loops(const char *path)
{
	Source src;
	Diags *d = NULL;
	Module *m = parse_file(&src, path, &d);
	Pass_options opt = { 0 };
	Task_loop_set loops;

	if (!m)
		return 2;
	task_loop_set_collect(&loops, m, &opt, m->arena);
	task_loop_set_write(&loops);
	fwrite(loops.now->src->text, 1, loops.now->src->len, stdout);
	task_loop_set_release(&loops);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return 0;
}

int
main(int argc, char **argv)
{
	Source a, b;
	Diags *d = NULL, *e = NULL;
	const char *mode = argc > 1 ? argv[1] : "";
	bool say = strcmp(mode, "-s") == 0, arms = strcmp(mode, "-m") == 0,
	     grids = strcmp(mode, "-g") == 0;
	uint32_t followed = 0, first = 1 + (say || arms || grids);
	int no = 0;

	if (argc == 3 && strcmp(mode, "-l") == 0)
		return print_task_loops(argv[2]);
	if (argc != (int)first + 2)
		return 2;
	Module *in = parse_file(&a, argv[first], &d), *out = parse_file(&b, argv[first + 1], &e);
	if (!in || !out)
		return 2;
	const Effects *effects = effects_build(in, in->arena);
	if (grids)
		no = judge_grids(in, out, effects, &followed);
	for (uint32_t i = 1; i < in->nfuncs && !grids; i++) {
		if (!in->funcs[i].nmarkers)
			continue;
		Arena *arena = arena_new();
		const Fn *fn = fn_build(in, i, effects, arena);
		const Regions *rs = region_build(fn, d, arena);
		if (arms) {
			no |= judge_arms(fn, rs, out, &followed);
		} else {
			Valid_func v = validate_func(fn, rs, out, arena);
			no |= judge_function(&v, &followed);
		}
		arena_free(arena);
	}
	if (say || arms || grids)
		printf("%u\n", followed);
	ptx_free(in);
	ptx_free(out);
	diags_free(d);
	diags_free(e);
	source_release(&a);
	source_release(&b);
	return no;
}
