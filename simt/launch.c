/* SPDX-License-Identifier: MIT */
/* A simulator, and a launch. */
#include <stdlib.h>
#include <string.h>
#include "simt/head.h"
#include "simt/overlay.h"

Sim *
sim_new(const Module *m)
{
	Sim *s = xmalloc(sizeof *s);
	memset(s, 0, sizeof *s);
	s->m = m;
	s->arena = arena_new();
	s->prog.m = m;
	s->prog.code_of = arena_array(s->arena, m->nfuncs + 1, sizeof *s->prog.code_of);
	s->prog.address = arena_array(s->arena, m->nsyms + 1, sizeof *s->prog.address);
	s->prog.placed = arena_array(s->arena, m->nsyms + 1, sizeof *s->prog.placed);
	*vec_push(&s->prog.insts) = (Inst){0};
	*vec_push(&s->prog.codes) = (Code){0};
	s->memory = &s->own;
	*vec_push(&s->own.buffers) = (Buffer){0};
	s->prog.decoded = 1;
	return s;
}

Sim *
sim_beside(const Module *m, Sim *with)
{
	Sim *s = sim_new(m);
	s->memory = with->memory;
	return s;
}

static void
memory_release(Memory *m)
{
	for (uint32_t i = 1; i < m->buffers.n; i++)
		buffer_release(&m->buffers.at[i]);
	vec_free(&m->buffers);
	vec_free(&m->page);
	vec_free(&m->mapped);
	xfree(m->constants);
}

void
sim_free(Sim *s)
{
	if (!s)
		return;
	memory_release(&s->own);
	for (uint32_t i = 1; i < s->prog.codes.n; i++) {
		vec_free(&s->prog.codes.at[i].rows);
		vec_free(&s->prog.codes.at[i].formals);
		buf_free(&s->prog.codes.at[i].errors);
	}
	vec_free(&s->prog.insts);
	vec_free(&s->prog.codes);
	vec_free(&s->prog.list);
	vec_free(&s->prog.slots);
	vec_free(&s->seen);
	vec_free(&s->silenced);
	vec_free(&s->loud);
	vec_free(&s->cuts);
	xfree(s->so_far);
	arena_free(s->arena);
	xfree(s);
}

uint64_t
sim_random(Sim *s)
{
	s->state ^= s->state << 13;
	s->state ^= s->state >> 7;
	s->state ^= s->state << 17;
	return s->state * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void
warp_start(Warp *w, uint32_t threads)
{
	Cta *b = w->block;
	uint32_t from = w->index * LANES, n = threads - from < LANES ? threads - from : LANES;
	frame_release(w, w->root);
	w->live = n == LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1;
	w->ngroups = 0;
	w->marks.n = 0;
	w->carry = 0;
	w->alone = 0;
	memset(w->top, 0, sizeof w->top);
	/* nothing of the block that ran before, whichever that was */
	if (w->local)
		memset(w->local, 0, (size_t)w->local_bytes * LANES);
	if (w->stack)
		memset(w->stack, 0xcd, (size_t)w->stack_bytes * LANES);
	w->root = frame_new(w, w->sim->k->code, NULL);
	if (w->causal) {
		race_start(w);
		causal_start(w);
	}
	group_add(w,
		(Group){ .lanes = w->live,
			.pc = w->sim->prog.codes.at[w->sim->k->code].entry,
			.frame = w->root });
	b->live++;
}

bool
launch_tick(Sim *s)
{
	const uint32_t *g = s->l->grid;
	const Sim_progress at = { s->pool ? parallel_blocks(s) : s->blocks,
		(uint64_t)g[0] * g[1] * g[2], s->pool ? 0 : s->issued };
	/* to ask takes as long as some instructions do */
	if (!s->l->tick || s->quiet || s->ticks++ % 64 || s->l->tick(s->l->user, &at))
		return true;
	s->stop = true;
	if (s->pool)
		parallel_interrupt(s);
	return false;
}

bool
block_next(Cta *b)
{
	Sim *s = b->sim;
	const uint32_t *g = s->l->grid;
	uint32_t n = s->blocks, threads = s->l->block[0] * s->l->block[1] * s->l->block[2];
	if (!launch_tick(s) || (s->pool && !parallel_next(s, &n)))
		return false;
	if (n >= (uint64_t)g[0] * g[1] * g[2])
		return false;
	s->blocks++;
	b->id[0] = n % g[0], b->id[1] = n / g[0] % g[1], b->id[2] = n / g[0] / g[1];
	b->number = s->epoch + n;
	b->fences = NULL;
	b->live = 0;
	mbarrier_clear(b);
	memset(b->shared, 0xcd, s->shared);
	memset(b->shared + s->reserved, 0, RESERVED);
	memset(b->written, 0, s->reserved / 8);
	memset(b->written + s->reserved / 8, 0xff, RESERVED / 8);
	for (uint32_t k = 0; k < BARRIERS; k++) {
		b->bars[k].used = false;
		memset(b->bars[k].lanes, 0, sizeof *b->bars[k].lanes * b->nwarps);
	}
	for (uint32_t k = 0; k < b->nwarps; k++)
		warp_start(&b->warps[k], threads);
	return true;
}

void
block_init(Sim *s, Cta *b)
{
	uint32_t threads = s->l->block[0] * s->l->block[1] * s->l->block[2];
	b->sim = s;
	b->nwarps = (threads + LANES - 1) / LANES;
	b->shared = xmalloc(s->reserved + RESERVED);
	b->written = xmalloc((s->reserved + RESERVED) / 8);
	b->shadow = race_shadow(s->reserved + RESERVED);
	b->warps = xmalloc(b->nwarps * sizeof *b->warps);
	memset(b->warps, 0, b->nwarps * sizeof *b->warps);
	for (uint32_t k = 0; k < BARRIERS; k++)
		b->bars[k].lanes = xmalloc(b->nwarps * sizeof *b->bars[k].lanes);
	for (uint32_t k = 0; k < b->nwarps; k++) {
		Warp *w = &b->warps[k];
		w->sim = s;
		w->block = b;
		w->index = k;
		w->clock.warp = xmalloc(sizeof *w->clock.warp * LANES * b->nwarps);
		w->causal = s->l->races ? causal_warp() : NULL;
	}
}

void
block_release(Cta *b)
{
	for (uint32_t k = 0; k < b->nwarps; k++) {
		Warp *w = &b->warps[k];
		frame_release(w, w->root);
		for (Node *n = w->made, *next; n; n = next) {
			next = n->made;
			xfree(n);
		}
		xfree(w->local);
		xfree(w->stack);
		xfree(w->clock.warp);
		vec_free(&w->marks);
		xfree(w->trips);
		causal_warp_free(w->causal);
	}
	for (uint32_t k = 0; k < BARRIERS; k++)
		xfree(b->bars[k].lanes);
	mbarrier_clear(b);
	xfree(b->warps);
	race_shadow_free(b->shadow);
	xfree(b->written);
	xfree(b->shared);
}

/* ---- a launch -------------------------------------------------------------------------------- */

enum { RESIDENT = 3 };

static void
start_counts(Sim *s)
{
	size_t n = (s->m->nstmts + 1) * sizeof *s->by_stmt;
	s->by_stmt = s->l->lines ? memset(xmalloc(n), 0, n) : NULL;
	if (s->l->lines && !s->so_far)
		s->so_far = memset(xmalloc(n), 0, n);
	s->counts = (Sim_counts){0};
}

/* The counts of the launch; those by statement go to those of all launches. */
static Sim_counts
total(Sim *s)
{
	Sim_counts all = { .stopped = s->counts.stopped };
	if (!s->by_stmt)
		return s->counts;
	for (uint32_t i = 0; i < s->m->nstmts; i++) {
		sim_counts_add(&all, &s->by_stmt[i]);
		sim_counts_add(&s->so_far[i], &s->by_stmt[i]);
	}
	xfree(s->by_stmt);
	s->by_stmt = NULL;
	return all;
}

/* Is the block what .maxntid and .reqntid of the kernel say (PTX ISA 11.4)? A GPU refuses the
 * launch if not. */
static bool
block_allowed(Sim *s)
{
	const Func *f = &s->m->funcs[s->k->func];
	const uint32_t *b = s->l->block, *most = f->maxntid, *exact = f->reqntid;
	const uint64_t threads = (uint64_t)b[0] * b[1] * b[2],
		       limit = (uint64_t)most[0] * most[1] * most[2];
	uint32_t line, col;
	if (exact[0] ? b[0] == exact[0] && b[1] == exact[1] && b[2] == exact[2] :
		       !limit || threads <= limit)
		return true;
	source_position(s->m->src, f->at.pos, &line, &col);
	buf_printf(s->out, "%s:%u:%u: error: %s: kernel '%.*s' in blocks of %u x %u x %u threads, ",
		s->m->src->name, line, col, fault_name(FAULT_LAUNCH), PTX_NAME(s->m, f->sym), b[0],
		b[1], b[2]);
	if (exact[0])
		buf_printf(s->out, "but '.reqntid' wants %u x %u x %u\n", exact[0], exact[1],
			exact[2]);
	else
		buf_printf(
			s->out, "but '.maxntid' allows %llu in all\n", (unsigned long long)limit);
	return false;
}

/* How many blocks run at a time. */
static uint32_t
resident(const Sim_launch *l)
{
	uint64_t all = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	uint64_t most = l->cooperative ? SIM_MOST_TOGETHER : l->sched == SCHED_IPDOM ? 1 : RESIDENT;
	return (uint32_t)(all < most ? all : most);
}

/* The workspace that cooperative groups find by %envreg1 and %envreg2: its size and the barrier, 0
 * at first. */
static void
workspace(Sim *s)
{
	enum { BYTES = 64 };
	if (!s->workspace)
		s->workspace = sim_alloc(s, BYTES, "the grid's workspace");
	if (!s->workspace)
		out_of_memory();
	memset(sim_bytes(s, s->workspace, BYTES), 0, BYTES);
}

/* Everything of the launch but its blocks. */
static void
start(Sim *s)
{
	const Sim_launch *l = s->l;
	s->stop = false;
	s->fallen = NULL;
	s->blocks = 0;
	s->issued = s->turns = s->ticks = 0;
	s->split = 0;
	s->shared = launch_static(s) + l->shared;
	s->reserved = (s->shared + RESERVED_CAP - 1) / RESERVED_CAP * RESERVED_CAP + RESERVED_CAP;
	if (l->cooperative)
		workspace(s);
	s->state = (l->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int i = 0; i < 8; i++)
		(void)sim_random(s);
	start_counts(s);
	s->epoch = s->memory->number + 1;
}

/* Runs the blocks, by this thread. */
static void
run_blocks(Sim *s)
{
	uint32_t n = resident(s->l);
	Cta *blocks = xmalloc((n + 1u) * sizeof *blocks);
	memset(blocks, 0, (n + 1u) * sizeof *blocks);
	s->causality = s->l->races ? causal_new() : NULL;
	for (uint32_t i = 0; i < n; i++)
		block_init(s, &blocks[i]);
	if (n && s->l->sched == SCHED_IPDOM)
		sched_ipdom(blocks, n);
	else if (n)
		sched_random(blocks, n);
	for (uint32_t i = 0; i < n; i++)
		block_release(&blocks[i]);
	xfree(blocks);
	causal_free(s->causality);
}

bool
sim_launch(Sim *s, Sim_kernel *k, const Sim_launch *l, Buf *out, Sim_counts *counts)
{
	s->l = l;
	s->k = k;
	s->out = out;
	if (!block_allowed(s)) {
		*counts = (Sim_counts){ .faults = 1, .stopped = FAULT_LAUNCH };
		return false;
	}
	start(s);
	if (!parallel_run(s))
		run_blocks(s);
	s->memory->number += s->blocks;
	*counts = total(s);
	return counts->faults == 0;
}
