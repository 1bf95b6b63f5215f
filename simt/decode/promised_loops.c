/* SPDX-License-Identifier: MIT */
/* Follows the iterations of loops that promise independent ones (independent_loops.h): adds
 * instructions for simt/checks/promise.c at the beginning of blocks, and determines the accesses
 * that are independent of others. */
#include "analysis/analyse.h"
#include "analysis/region/independent_loops.h"
#include "simt/checks/checks.h"
#include "simt/decode/promised_loops.h"

void sim_check_promises(Sim *s) { s->promises.check = true; }

/* Copies of a loop, by inlining or unrolling, have its number. */
uint32_t
sim_promised_loops(const Sim *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->promises.loops.n; i++) {
		const Promised_loop *of = s->promises.loops.at;
		bool counts = of[i].ran;
		for (uint32_t k = 0; k < i && counts; k++)
			counts = !of[k].ran ||
				s->m->markers[of[k].marker].id != s->m->markers[of[i].marker].id;
		n += counts;
	}
	return n;
}

/* State while the loops of a function are added. */
typedef struct {
	Opcode *h;
	const Fn *fn;
	Arena *arena;
} Search;

static void
add_places(Search *x, Block_list l, Run *run, uint32_t loop)
{
	for (uint32_t i = 0; i < l.n; i++)
		*vec_push(&x->h->added.promised) = (Promised_place){ l.at[i], loop, run };
}

static void
add_entry(Search *x, const Region *r, Run *run, uint32_t loop)
{
	uint32_t entry = fn_block(x->fn, x->fn->m->markers[r->marker].stmt);

	add_places(x, (Block_list){ &entry, 1 }, run, loop);
}

static void
add_paths(Search *x, const Region *r, uint32_t loop)
{
	for (const Region *k = r->child; k; k = k->sibling) {
		add_entry(x, k, promise_path, loop);
		add_places(x, profile_exit_targets(x->fn, k->blocks, x->arena), promise_path_end,
			loop);
	}
}

static void
find_marks(Search *x, uint32_t loop)
{
	BITS_EACH(b, x->fn->loops->loops[loop].blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (independent_loop_marks(x->fn, loop, s, x->arena))
				bits_set(x->h->added.marks, ptx_local_stmt(x->h->f, s));
}

static void
add_loop(Search *x, const Independent_loop *k)
{
	Promises *p = &x->h->sim->promises;
	uint32_t id = p->loops.n;

	*vec_push(&p->loops) = (Promised_loop){ k->region->marker, k->in_step, false };
	add_entry(x, k->region, promise_outside, id);
	add_places(x, k->starts, promise_iteration, id);
	add_places(x, k->exits, promise_outside, id);
	if (k->in_step)
		add_paths(x, k->region, id);
	if (k->outermost)
		find_marks(x, k->loop);
}

void
promised_loops_find(Opcode *h)
{
	Sim *s = h->sim;

	h->added.promised.n = 0;
	h->added.marks = bits_new(s->arena, h->f->nstmt + 1);
	if (!s->promises.check || !h->f->nmarkers)
		return;
	if (!s->effects)
		s->effects = effects_build(s->m, s->arena);
	Search x = { .h = h, .arena = arena_new() };
	x.fn = fn_build(s->m, h->p->codes.at[h->code].func, s->effects, x.arena);
	const Independent_loops loops = independent_loops_find(x.fn, x.arena);
	for (uint32_t i = 0; i < loops.n; i++)
		add_loop(&x, &loops.at[i]);
	arena_free(x.arena);
}

void
promised_loops_decode_block(Opcode *h, uint32_t block)
{
	for (uint32_t i = 0; i < h->added.promised.n; i++) {
		const Promised_place *p = &h->added.promised.at[i];
		uint32_t marker = h->sim->promises.loops.at[p->loop].marker;
		if (p->block == block)
			*vec_push(&h->p->insts) = (Inst){ .run = p->run,
				.stmt = h->m->markers[marker].stmt,
				.imm = p->loop };
	}
}
