/* SPDX-License-Identifier: MIT */
/* Creation of simulators, and launches. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "simt/sched/launch.h"
#include "simt/memory/cache_model.h"
#include "simt/state/shadow.h"

Sim *
sim_new(const Module *m)
{
	Sim *s = xmalloc(sizeof *s);
	memset(s, 0, sizeof *s);
	s->m = s->faults.m = m;
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
sim_new_sharing(const Module *m, Sim *with)
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
	for (uint32_t i = 0; i < m->shadows.n; i++)
		shadow_free(m->shadows.at[i]);
	vec_free(&m->shadows);
	vec_free(&m->textures);
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
	fault_release(&s->faults);
	vec_free(&s->profile.points);
	vec_free(&s->promises.loops);
	sass_free(s->sass);
	xfree(s->stats.so_far);
	cache_free_counts(s);
	arena_free(s->arena);
	xfree(s);
}

bool
sim_restart(Sim *s)
{
	Memory *m = s->memory;
	for (uint32_t i = 1; i < s->m->nsyms; i++)
		if (s->prog.placed[i] && s->m->syms[i].space == SPACE_GLOBAL)
			return false;
	sim_keep_newest(s, 0);
	for (uint32_t i = 0; i < m->shadows.n; i++)
		shadow_free(m->shadows.at[i]);
	m->shadows.n = m->number = 0;
	m->heap = s->workspace = 0;
	fault_release(&s->faults);
	return true;
}

void
sim_listing(Sim *s, const char *listing)
{
	sass_free(s->sass);
	s->sass = sass_read(listing);
}

/* ---- a launch -------------------------------------------------------------------------------- */

/* Limits of a multiprocessor; and the number of blocks resident under SCHED_RANDOM, which is small
 * so that blocks start and end during the run. */
enum { MOST_THREADS = 2048, MOST_BLOCKS = 32, FEW_BLOCKS = 3 };

static void
start_counts(Sim *s)
{
	size_t n = (s->m->nstmts + 1) * sizeof *s->stats.by_stmt;
	s->stats.by_stmt = s->l->lines ? memset(xmalloc(n), 0, n) : NULL;
	if (s->l->lines && !s->stats.so_far)
		s->stats.so_far = memset(xmalloc(n), 0, n);
	s->stats.counts = (Sim_counts){0};
}

/* Returns the counts of the launch; adds those by statement to so_far. */
static Sim_counts
total_counts(Sim *s)
{
	Sim_counts all = { .stopped = s->stats.counts.stopped };
	if (!s->stats.by_stmt)
		return s->stats.counts;
	for (uint32_t i = 0; i < s->m->nstmts; i++) {
		sim_counts_add(&all, &s->stats.by_stmt[i]);
		sim_counts_add(&s->stats.so_far[i], &s->stats.by_stmt[i]);
	}
	xfree(s->stats.by_stmt);
	s->stats.by_stmt = NULL;
	return all;
}

/* Whether .maxntid and .reqntid of the kernel allow this block size (PTX ISA 11.4). If not, a GPU
 * refuses the launch. */
static bool
block_size_is_allowed(Sim *s)
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
	buf_printf(s->faults.out, "%s:%u:%u: error: %s: kernel '%.*s' in blocks of %u x %u x %u threads, ",
		s->m->src->name, line, col, fault_name(FAULT_LAUNCH), PTX_NAME(s->m, f->sym), b[0],
		b[1], b[2]);
	if (exact[0])
		buf_printf(s->faults.out, "but '.reqntid' wants %u x %u x %u\n", exact[0], exact[1],
			exact[2]);
	else
		buf_printf(
			s->faults.out, "but '.maxntid' allows %llu in all\n", (unsigned long long)limit);
	return false;
}

/* The number of blocks that run in turns when they can observe each other: those that a
 * multiprocessor holds. They then draw from a shared counter, or fill a shared table, in about the
 * order of a GPU, instead of one block doing all of it. */
static uint32_t
resident_blocks(const Sim_launch *l)
{
	uint64_t all = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], most = FEW_BLOCKS,
		 threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	if (l->cooperative)
		most = SIM_MAX_CONCURRENT;
	else if (l->sched == SCHED_IPDOM)
		most = threads <= MOST_THREADS / MOST_BLOCKS ? MOST_BLOCKS :
			threads <= MOST_THREADS              ? MOST_THREADS / threads :
							       1;
	return (uint32_t)(all < most ? all : most);
}

/* Creates the workspace that cooperative groups find through %envreg1 and %envreg2: its size, then
 * the grid's barrier, which starts as 0. */
static void
make_workspace(Sim *s)
{
	enum { BYTES = 64 };
	if (!s->workspace)
		s->workspace = sim_alloc(s, BYTES, "the grid's workspace");
	if (!s->workspace)
		out_of_memory();
	memset(sim_bytes(s, s->workspace, BYTES), 0, BYTES);
}

/* Prepares everything for the launch except its blocks. */
static void
start_launch(Sim *s)
{
	const Sim_launch *l = s->l;
	const uint32_t shared = launch_static(s) + l->shared;
	s->launch = (Launch_state){
		.shared = shared,
		.reserved = ((shared + RESERVED_CAP - 1) / RESERVED_CAP + 1) * RESERVED_CAP,
		.epoch = s->memory->number + 1,
		.together = l->cooperative,
	};
	if (l->cooperative)
		make_workspace(s);
	s->schedule = (Random_schedule){
		.random = (l->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1,
	};
	for (int i = 0; i < 8; i++)
		(void)sim_random(s);
	if (s->stats.cache)
		cache_clear(s->stats.cache);
	start_counts(s);
}

/* Runs the blocks on this thread. */
static void
run_blocks(Sim *s)
{
	uint32_t n = resident_blocks(s->l);
	Thread_block *blocks = xmalloc((n + 1u) * sizeof *blocks);
	memset(blocks, 0, (n + 1u) * sizeof *blocks);
	s->causality = s->l->races ? causality_new() : NULL;
	for (uint32_t i = 0; i < n; i++)
		blocks[i].sim = s;
	if (n && s->l->sched == SCHED_IPDOM)
		sched_ipdom(blocks, n);
	else if (n)
		sched_random(blocks, n);
	for (uint32_t i = 0; i < n; i++)
		block_release(&blocks[i]);
	xfree(blocks);
	causality_free(s->causality);
}

/* Whether the function has the shared memory that ptxccc declares for collected tasks,
 * ccc<number>_tasks. */
static bool
has_task_buffer(const Module *m, uint32_t func)
{
	static const char start[] = "ccc", end[] = "_tasks";
	const Func *f = &m->funcs[func];

	for (uint32_t i = f->sym0; i < f->sym0 + f->nsym; i++) {
		size_t n, at = sizeof start - 1;
		const char *name = ptx_name(m, i, &n);
		if (m->syms[i].kind != SYM_VAR || m->syms[i].space != SPACE_SHARED || n <= at ||
			memcmp(name, start, at) != 0)
			continue;
		while (at < n && isdigit((unsigned char)name[at]))
			at++;
		if (n - at == sizeof end - 1 && memcmp(name + at, end, sizeof end - 1) == 0)
			return true;
	}
	return false;
}

bool
sim_launch(Sim *s, Sim_kernel *k, const Sim_launch *l, Buf *out, Sim_counts *counts)
{
	s->l = l;
	s->k = k;
	s->faults.l = l;
	s->faults.func = k->func;
	s->faults.out = out;
	if (!block_size_is_allowed(s)) {
		*counts = (Sim_counts){ .faults = 1, .stopped = FAULT_LAUNCH };
		return false;
	}
	start_launch(s);
	if (!parallel_run(s))
		run_blocks(s);
	s->memory->number += s->launch.blocks;
	*counts = total_counts(s);
	if (counts->slots)
		counts->tasks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] * l->block[0] *
			l->block[1] * l->block[2];
	if (counts->slots && has_task_buffer(s->m, k->func))
		counts->collecting = counts->slots;
	return counts->faults == 0;
}
