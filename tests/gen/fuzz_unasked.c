/* SPDX-License-Identifier: MIT */
/* Random kernels without annotations (alias.h), original and transformed without a promise
 * (unasked.h), must leave the same memory. */
#include <string.h>
#include "tests/gen/alias.h"
#include "tests/gen/fuzz.h"
#include "tests/gen/unasked.h"

/* The buffers of a Machine: `in`, what a, b and c point to, `last`, `sums`. */
enum { AT_IN, AT_MEMORY, AT_LAST, AT_SUMS };

/* Returns the contents of the device variables after a launch. */
typedef struct {
	uint8_t of[ALIAS_VARIABLES][ALIAS_MEMORY];
} Left;

typedef struct {
	Alias_launch launch[KERNEL_LAUNCHES];
	Buf memory[KERNEL_LAUNCHES];
	Left left[KERNEL_LAUNCHES];
} Plain;

static uint64_t
variable(const Machine *k, uint32_t v, uint8_t **bytes)
{
	size_t n;
	uint64_t at = sim_variable(k->sim, alias_variables[v], &n);

	*bytes = at ? sim_bytes(k->sim, at, ALIAS_MEMORY) : NULL;
	return at;
}

/* Sets the parameters, and zeroes the device variables. */
static void
set_memory(Machine *k, const Gen_info *info, const Alias_launch *l)
{
	uint64_t of[ALIAS_VARIABLES + 1] = { k->at[AT_MEMORY] }, p[3 + ALIAS_POINTERS];
	uint8_t *bytes;

	for (uint32_t v = 0; v < ALIAS_VARIABLES; v++) {
		of[v + 1] = variable(k, v, &bytes);
		if (bytes)
			memset(bytes, 0, ALIAS_MEMORY);
	}
	p[0] = k->at[AT_IN];
	for (uint32_t i = 0; i < ALIAS_POINTERS; i++)
		p[1 + i] = of[l->pointer[i].variable] + l->pointer[i].offset;
	p[1 + ALIAS_POINTERS] = k->at[AT_LAST];
	p[2 + ALIAS_POINTERS] = k->at[AT_SUMS];
	memcpy(k->params, p, sizeof p);
	memcpy(k->params + sizeof p, &info->n, 4);
	memcpy(k->params + sizeof p + 4, &info->x, 4);
}

static bool
run_original(Run *r, Machine *k, const Alias_launch *l, uint64_t seed)
{
	Sim_launch s = { .grid = { l->grid, 1, 1 },
		.races = true,
		.limit = r->limit,
		.shared = ALIAS_DYNAMIC,
		.sched = seed ? SCHED_RANDOM : SCHED_IPDOM,
		.seed = seed };

	memcpy(s.block, l->block, sizeof s.block);
	set_memory(k, r->info, l);
	return machine_run(k, s, r->info->in_seed, &r->why);
}

static void
keep_variables(const Machine *k, Left *to)
{
	uint8_t *bytes;

	for (uint32_t v = 0; v < ALIAS_VARIABLES; v++)
		if (variable(k, v, &bytes) && bytes)
			memcpy(to->of[v], bytes, ALIAS_MEMORY);
}

static bool
same_variables(const Machine *k, const Left *as, Buf *why)
{
	uint8_t *bytes;

	for (uint32_t v = 0; v < ALIAS_VARIABLES; v++)
		if (variable(k, v, &bytes) && bytes &&
			memcmp(bytes, as->of[v], ALIAS_MEMORY) != 0) {
			buf_printf(why, "variable %s differs", alias_variables[v]);
			return false;
		}
	return true;
}

static bool
run_plain(Run *r, uint64_t *state, Plain *p)
{
	for (int s = 0; s < KERNEL_LAUNCHES; s++) {
		alias_launch(state, &p->launch[s]);
		if (!run_original(r, &r->plain, &p->launch[s], 0))
			return false;
		machine_keep(&r->plain, &p->memory[s]);
		keep_variables(&r->plain, &p->left[s]);
	}
	return true;
}

/* Launches the transformed kernel once; seed 0: lanes reconverge as early as possible. */
static bool
try_launch(Run *r, const Plain *p, int s, uint64_t seed)
{
	const Alias_launch *l = &p->launch[s];

	if (!run_original(r, &r->ccc, l, seed))
		return false;
	machine_restore(&r->plain, &p->memory[s]);
	if (machines_agree(&r->plain, &r->ccc, &r->why) &&
		same_variables(&r->ccc, &p->left[s], &r->why))
		return true;
	buf_printf(&r->why, ": launch %d, --grid %u --block %u,%u --seed=%llu", s, l->grid,
		l->block[0], l->block[1], (unsigned long long)seed);
	return false;
}

static bool
compare_kernel(Run *r, const Plain *p, const Buf *text, uint64_t *state)
{
	bool ok = machine_init(&r->ccc, "transformed", text, r->info, &r->why);

	for (int s = 0; s < KERNEL_LAUNCHES && ok; s++)
		ok = try_launch(r, p, s, 0) && try_launch(r, p, s, gen_random(state) % 1000 + 1);
	machine_release(&r->ccc);
	return ok;
}

/* Annotates the kernel, unless it is annotated, and transforms it: attempt t of several. The
 * policies do not depend on that, so an annotated kernel from a file is transformed in the same
 * way. Returns false if there is nothing to compare. */
static bool
transform_kernel(Run *r, const Machine *k, int t, uint64_t *state, Buf *out)
{
	Buf text = { 0 };
	Source src;
	uint64_t places = ~*state;
	bool done = false;

	if (k->m->nmarkers > 1)
		return unasked_transform(k->m, &r->options, state, &r->sum.unasked, out, &r->why);
	if (t == UNASKED_BY_AUTO)
		return unasked_auto(k->m, &r->options, state, &r->sum.unasked, out, &r->why);
	if (unasked_annotate(k->m, &places, &text)) {
		source_from(&src, "annotated", text.at, text.n);
		Diags *d = diags_new(&src);
		Module *m = ptx_parse(&src, d);
		if (m)
			done = unasked_transform(
				m, &r->options, state, &r->sum.unasked, out, &r->why);
		else
			buf_puts(&r->why, "annotated: syntax");
		r->annotated.n = 0;
		buf_add(&r->annotated, text.at, text.n);
		ptx_free(m);
		diags_free(d);
		source_release(&src);
	}
	buf_free(&text);
	return done;
}

bool
fuzz_unasked(Run *r, uint64_t seed, const Buf *text)
{
	Plain p = { 0 };
	uint64_t state = seed ^ 0xa11a5;
	bool any = false, ok = machine_init(&r->plain, "plain", text, r->info, &r->why);

	ok = ok && run_plain(r, &state, &p);
	for (int t = 0; t < UNASKED_TRIES && ok; t++) {
		Buf out = { 0 };
		uint64_t own = state + (uint64_t)t;
		if (transform_kernel(r, &r->plain, t, &own, &out)) {
			any = true;
			ok = compare_kernel(r, &p, &out, &own);
		}
		ok = ok && !r->why.n;
		buf_free(&out);
	}
	r->sum.unasked.kernels += any;
	for (int s = 0; s < KERNEL_LAUNCHES; s++)
		buf_free(&p.memory[s]);
	machine_release(&r->plain);
	return ok;
}
