/* SPDX-License-Identifier: MIT */
/* What is said when a check fails, and what becomes of the launch. */
#include <stdlib.h>
#include <string.h>
#include "simt/head.h"

static const struct { const char *name; bool stops;
} faults[FAULT_COUNT] = { [FAULT_BOUNDS] = { "out of bounds", true },
	[FAULT_ALIGN] = { "misaligned", true },
	[FAULT_UNWRITTEN] = { "reads what nobody wrote", false },
	[FAULT_RACE] = { "race", false },
	[FAULT_MASK] = { "lanes and mask disagree", true },
	[FAULT_DEADLOCK] = { "deadlock", false },
	[FAULT_TRAP] = { "trap", true },
	[FAULT_STACK] = { "stack overflow", true },
	[FAULT_LIMIT] = { "limit", true },
	[FAULT_BRANCH] = { "branch to nowhere", true },
	[FAULT_UNIFORM] = { "branch is not uniform", false },
	[FAULT_FREED] = { "memory freed", true },
	[FAULT_ASSERT] = { "assertion failed", true },
	[FAULT_FREE] = { "free", true },
	[FAULT_MBARRIER] = { "mbarrier", true },
	[FAULT_LAUNCH] = { "launch", true } };

const char *fault_name(Fault kind) { return faults[kind].name; }

typedef VEC(uint64_t) Keys;

static uint64_t key_of(Fault kind, const Inst *i) { return (uint64_t)kind << 32 | i->stmt; }

static bool
has_key(const uint64_t *at, uint32_t n, uint64_t key)
{
	for (uint32_t k = 0; k < n; k++)
		if (at[k] == key)
			return true;
	return false;
}

static bool
seen(Sim *s, Fault kind, const Inst *i)
{
	uint64_t key = key_of(kind, i);
	if (has_key(s->seen.at, s->seen.n, key))
		return true;
	*vec_push(&s->seen) = key;
	return s->seen.n > 20;
}

/* ---- those that are not wanted --------------------------------------------------------------- */

/* Only what lets the launch go on can be passed over. What was asked once is kept. */
static bool
silent(Sim *s, Fault kind, const Inst *i)
{
	uint64_t key = key_of(kind, i);
	Cuda_pos cuda = { 0 }, caller = { 0 };
	uint32_t line, col;
	size_t n;
	if (!s->l->silent || faults[kind].stops || kind == FAULT_DEADLOCK ||
		has_key(s->loud.at, s->loud.n, key))
		return false;
	if (has_key(s->silenced.at, s->silenced.n, key))
		return true;
	const char *name = ptx_name(s->m, s->m->funcs[s->k->func].sym, &n);
	char *kernel = memcpy(xmalloc(n + 1), name, n);
	kernel[n] = 0;
	source_position(s->m->src, s->m->stmts[i->stmt].at.pos, &line, &col);
	bool has = ptx_cuda_pos(s->m, i->stmt, &cuda);
	bool inlined = ptx_cuda_caller(s->m, i->stmt, &caller);
	const Sim_found f = { kind, kernel, s->m->src->name, has ? cuda.file : NULL,
		inlined ? caller.file : NULL, line, cuda.line, caller.line };
	bool yes = s->l->silent(s->l->silences, &f);
	*(yes ? vec_push(&s->silenced) : vec_push(&s->loud)) = key;
	xfree(kernel);
	return yes;
}

/* ---- a report -------------------------------------------------------------------------------- */

/* Where and what, and in which lane. */
static void
tell_place(const Warp *w, const Inst *i, uint32_t lane)
{
	const Sim *s = w->sim;
	const uint32_t *n = s->l->block, *id = w->block->id;
	uint32_t t = w->index * LANES + lane;
	Span at = s->m->stmts[i->stmt].at;
	Cuda_pos cuda;
	buf_printf(s->out, "\n    %.*s\n", (int)(at.end - at.pos), s->m->src->text + at.pos);
	if (ptx_cuda_pos(s->m, i->stmt, &cuda))
		buf_printf(s->out, "    CUDA line %s:%u\n", cuda.file, cuda.line);
	if (ptx_cuda_caller(s->m, i->stmt, &cuda))
		buf_printf(s->out, "    inlined at %s:%u\n", cuda.file, cuda.line);
	buf_printf(s->out,
		"    kernel %.*s, block (%u, %u, %u), thread (%u, %u, %u): lane %u of warp %u\n",
		PTX_NAME(s->m, s->m->funcs[s->k->func].sym), id[0], id[1], id[2], t % n[0],
		t / n[0] % n[1], t / n[0] / n[1], lane, w->index);
}

void
sim_fault(Warp *w, const Inst *i, uint32_t lane, Fault kind, const char *fmt, ...)
{
	Sim *s = w->sim;
	uint32_t line, col;
	va_list ap;
	if (!parallel_alone(s) || silent(s, kind, i))
		return;
	tally(s, i)->faults++;
	s->stop = s->stop || faults[kind].stops || kind == FAULT_DEADLOCK;
	if (s->stop && !s->counts.stopped)
		s->counts.stopped = kind;
	if (s->stop && s->l->keep_going && kind != FAULT_LIMIT)
		s->fallen = w->block;
	if (seen(s, kind, i))
		return;
	source_position(s->m->src, s->m->stmts[i->stmt].at.pos, &line, &col);
	buf_printf(s->out, "%s:%u:%u: error: %s: ", s->m->src->name, line, col, faults[kind].name);
	va_start(ap, fmt);
	buf_vprintf(s->out, fmt, ap);
	va_end(ap);
	tell_place(w, i, lane);
}

void
fault_over(Sim *s)
{
	Cta *b = s->fallen;
	if (!s->stop || !b)
		return;
	for (uint32_t k = 0; k < b->nwarps; k++)
		b->warps[k].live = b->warps[k].ngroups = 0;
	b->live = 0;
	s->fallen = NULL;
	s->stop = false;
}
