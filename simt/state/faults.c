/* SPDX-License-Identifier: MIT */
/* Fault reports: their text, deduplication and silencing. */
#include <string.h>
#include "simt/state/faults.h"

static const struct { const char *name; bool stops;
} faults[FAULT_COUNT] = { [FAULT_BOUNDS] = { "out of bounds", true },
	[FAULT_ALIGN] = { "misaligned", true },
	[FAULT_UNWRITTEN] = { "uninitialised read", false },
	[FAULT_RACE] = { "race", false },
	[FAULT_PROMISE] = { "broken promise", false },
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
	[FAULT_LAUNCH] = { "launch", true },
	[FAULT_LAUNCH_CONTROL] = { "cluster launch control", true } };

const char *fault_name(Fault kind) { return faults[kind].name; }

static uint64_t fault_key(Fault kind, uint32_t stmt) { return (uint64_t)kind << 32 | stmt; }

static bool
has_key(const uint64_t *at, uint32_t n, uint64_t key)
{
	for (uint32_t k = 0; k < n; k++)
		if (at[k] == key)
			return true;
	return false;
}

static bool
was_reported(Faults *f, Fault kind, uint32_t stmt)
{
	uint64_t key = fault_key(kind, stmt);
	if (has_key(f->seen.at, f->seen.n, key))
		return true;
	*vec_push(&f->seen) = key;
	return f->seen.n > 20;
}

/* ---- silenced reports ------------------------------------------------------------------------ */

/* Whether the user has silenced this fault. Faults that stop the launch cannot be silenced. Caches
 * the answers. */
static bool
is_silenced(Faults *f, Fault kind, uint32_t stmt)
{
	uint64_t key = fault_key(kind, stmt);
	Cuda_pos cuda = { 0 }, caller = { 0 };
	uint32_t line, col;
	size_t n;
	if (!f->l->silent || faults[kind].stops || kind == FAULT_DEADLOCK ||
		has_key(f->loud.at, f->loud.n, key))
		return false;
	if (has_key(f->silenced.at, f->silenced.n, key))
		return true;
	const char *name = ptx_name(f->m, f->m->funcs[f->func].sym, &n);
	char *kernel = memcpy(xmalloc(n + 1), name, n);
	kernel[n] = 0;
	source_position(f->m->src, f->m->stmts[stmt].at.pos, &line, &col);
	bool has = ptx_cuda_pos(f->m, stmt, &cuda);
	bool inlined = ptx_cuda_caller(f->m, stmt, &caller);
	const Sim_found found = { kind, kernel, f->m->src->name, has ? cuda.file : NULL,
		inlined ? caller.file : NULL, line, cuda.line, caller.line };
	bool yes = f->l->silent(f->l->silences, &found);
	*(yes ? vec_push(&f->silenced) : vec_push(&f->loud)) = key;
	xfree(kernel);
	return yes;
}

/* ---- a report -------------------------------------------------------------------------------- */

/* Prints the statement, its CUDA position, and the thread. */
static void
write_place(const Faults *f, const Fault_at *at)
{
	const Module *m = f->m;
	const uint32_t *n = f->l->block, *id = at->block, t = at->thread;
	Span text = m->stmts[at->stmt].at;
	Cuda_pos cuda;
	buf_printf(f->out, "\n    %.*s\n", (int)(text.end - text.pos), m->src->text + text.pos);
	if (ptx_cuda_pos(m, at->stmt, &cuda))
		buf_printf(f->out, "    CUDA line %s:%u\n", cuda.file, cuda.line);
	if (ptx_cuda_caller(m, at->stmt, &cuda))
		buf_printf(f->out, "    inlined at %s:%u\n", cuda.file, cuda.line);
	buf_printf(f->out,
		"    kernel %.*s, block (%u, %u, %u), thread (%u, %u, %u): lane %u of warp %u\n",
		PTX_NAME(m, m->funcs[f->func].sym), id[0], id[1], id[2], t % n[0],
		t / n[0] % n[1], t / n[0] / n[1], at->lane, at->warp);
}

Fault_effect
fault_report(Faults *f, const Fault_at *at, Fault kind, const char *fmt, va_list ap)
{
	uint32_t line, col;
	if (is_silenced(f, kind, at->stmt))
		return FAULT_UNWANTED;
	if (!was_reported(f, kind, at->stmt)) {
		source_position(f->m->src, f->m->stmts[at->stmt].at.pos, &line, &col);
		buf_printf(f->out, "%s:%u:%u: error: %s: ", f->m->src->name, line, col,
			faults[kind].name);
		buf_vprintf(f->out, fmt, ap);
		write_place(f, at);
	}
	return faults[kind].stops || kind == FAULT_DEADLOCK ? FAULT_STOPS : FAULT_PASSED;
}

void
fault_release(Faults *f)
{
	vec_free(&f->seen);
	vec_free(&f->silenced);
	vec_free(&f->loud);
}
