/* SPDX-License-Identifier: MIT */
/* validate_main [-s] IN.ptx OUT.ptx: validates the second text as a transformation of the first
 * (validate/). Exit status 0: all transformed loops are correct, or pass their trials; 1: some are
 * not, and the reasons are printed; 2: not PTX. Prints "tried" for a loop that only has a trial.
 * -s: prints the number of explored steps. */
#include <stdio.h>
#include <string.h>
#include "analysis/analyse.h"
#include "base/console.h"
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
judge_function(const Valid_func *v, uint32_t *steps)
{
	int no = v->why != NULL;

	if (v->why)
		printf("line %u: %s\n", v->line, v->why);
	for (uint32_t i = 0; i < v->nsites; i++) {
		*steps += v->sites[i].steps;
		if (v->sites[i].valid == VALID_TRIED)
			printf("tried\n");
		if (v->sites[i].valid <= VALID_TRIED)
			continue;
		no = 1;
		printf("line %u: %s\n", v->sites[i].line, v->sites[i].why);
	}
	return no;
}

int
main(int argc, char **argv)
{
	Source a, b;
	Diags *d = NULL, *e = NULL;
	bool say = argc > 1 && strcmp(argv[1], "-s") == 0;
	uint32_t steps = 0;
	int no = 0;

	if (argc != 3 + say)
		return 2;
	Module *in = parse_file(&a, argv[1 + say], &d), *out = parse_file(&b, argv[2 + say], &e);
	if (!in || !out)
		return 2;
	const Effects *effects = effects_build(in, in->arena);
	for (uint32_t i = 1; i < in->nfuncs; i++) {
		if (!in->funcs[i].nmarkers)
			continue;
		Arena *arena = arena_new();
		const Fn *fn = fn_build(in, i, effects, arena);
		Valid_func v = validate_func(fn, region_build(fn, d, arena), out, arena);
		no |= judge_function(&v, &steps);
		arena_free(arena);
	}
	if (say)
		printf("%u\n", steps);
	ptx_free(in);
	ptx_free(out);
	diags_free(d);
	diags_free(e);
	source_release(&a);
	source_release(&b);
	return no;
}
