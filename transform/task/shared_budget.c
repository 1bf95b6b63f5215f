/* SPDX-License-Identifier: MIT */
/* How much static shared memory is left for tasks, and whether launches add dynamic shared memory.
 *
 * A kernel takes what the module declares, what it declares itself, and what every function
 * declares that it may call, directly or not: ptxas adds that up, and so must we, or two buffers
 * that fit separately exceed the limit together. Each variable is rounded up to the largest
 * alignment of all, which bounds its size for any order in which ptxas lays the variables out. */
#include "transform/plan/plan.h"
#include "transform/task/shared_layout.h"

static uint64_t
round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

/* Returns the bytes that each function declares itself; [0]: the module's own. */
static uint64_t *
declared_bytes(const Module *m, Arena *a)
{
	uint64_t *bytes = arena_array(a, m->nfuncs + 1u, sizeof *bytes), align = 16;

	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->syms[m->vars[i].sym].space == SPACE_SHARED && m->vars[i].align > align)
			align = m->vars[i].align;
	for (uint32_t i = 0; i < m->nvars; i++) {
		const Sym *y = &m->syms[m->vars[i].sym];
		uint64_t n = y->kind == SYM_BANK ? y->aux : 1;
		if (y->space == SPACE_SHARED)
			bytes[y->func] += n * round_up(m->vars[i].bytes, align);
	}
	return bytes;
}

/* ---- dynamic shared memory ----------------------------------------------------------------- */

/* Whether the symbol is an extern shared variable, or the size of dynamic shared memory. */
static bool
is_dynamic(const Module *m, uint32_t sym)
{
	const Sym *y = &m->syms[sym];
	const Var *v = y->space == SPACE_SHARED ? ptx_var(m, sym) : NULL;

	return (v && v->linkage == LINK_EXTERN) ||
		(y->kind == SYM_SPECIAL && y->aux == SREG_DYNAMIC_SMEM_SIZE);
}

static bool
stmt_names_any(const Module *m, const Stmt *s, Bits dynamic)
{
	uint32_t o = s->opnd;

	for (uint32_t k = 0; k < s->nopnd; k++)
		for (uint32_t end = o + m->opnds[o].tree; o < end; o++)
			if (m->opnds[o].kind == OPND_SYM && bits_has(dynamic, m->opnds[o].sym))
				return true;
	return false;
}

/* Returns the functions that name dynamic shared memory. */
static Bits
functions_naming_dynamic(const Module *m, Arena *a)
{
	Bits named = bits_new(a, m->nfuncs + 1u), dynamic = bits_new(a, m->nsyms);

	for (uint32_t y = 1; y < m->nsyms; y++)
		if (is_dynamic(m, y))
			bits_set(dynamic, y);
	for (uint32_t f = 1; f < m->nfuncs && bits_any(dynamic); f++)
		for (uint32_t s = m->funcs[f].stmt; s < m->funcs[f].stmt + m->funcs[f].nstmt; s++)
			if (stmt_names_any(m, &m->stmts[s], dynamic))
				bits_set(named, f);
	return named;
}

/* Returns the maximal padding before dynamic shared memory. */
static uint64_t
dynamic_alignment_gap(const Module *m)
{
	uint64_t align = 1;

	for (uint32_t i = 0; i < m->nvars; i++)
		if (is_dynamic(m, m->vars[i].sym) && m->vars[i].align > align)
			align = m->vars[i].align;
	return align - 1;
}

/* Whether a kernel that may call fn can be launched with dynamic shared memory. */
static bool
shared_uses_dynamic(const Shared_usage *s, const Fn *fn)
{
	const Module *m = fn->m;
	Arena_mark mark = arena_mark(fn->arena);
	Bits seen = bits_new(fn->arena, m->nfuncs), above = bits_new(fn->arena, m->nfuncs);
	bool found = false;

	if (bits_any(s->dynamic))
		effects_flood_callers(m, fn->effects, fn->func, above);
	BITS_EACH(f, above)
		if (m->funcs[f].entry || f == fn->func)
			effects_flood_any(m, fn->effects, f, seen);
	BITS_EACH(g, seen)
		found |= bits_has(s->dynamic, g);
	arena_release(fn->arena, mark);
	return found;
}

/* ---- available memory ------------------------------------------------------------------------ */

/* Returns the bytes that function `from` and all its direct and indirect callees declare. */
static uint64_t
reachable_bytes(const Shared_usage *s, const Fn *fn, uint32_t from)
{
	Bits seen = bits_new(fn->arena, fn->m->nfuncs);
	uint64_t sum = 0;

	effects_flood_any(fn->m, fn->effects, from, seen);
	BITS_EACH(f, seen)
		sum += s->declared[f];
	return sum;
}

/* Returns the bytes available to fn, so that no kernel that may call fn exceeds the limit. */
static uint32_t
shared_free(const Shared_usage *s, const Fn *fn)
{
	Arena_mark mark = arena_mark(fn->arena);
	Bits above = bits_new(fn->arena, fn->m->nfuncs);
	uint64_t most = reachable_bytes(s, fn, fn->func);

	effects_flood_callers(fn->m, fn->effects, fn->func, above);
	BITS_EACH(f, above) {
		uint64_t bytes = fn->m->funcs[f].entry ? reachable_bytes(s, fn, f) : 0;
		most = bytes > most ? bytes : most;
	}
	arena_release(fn->arena, mark);
	most += s->declared[0];
	return most < MAX_SHARED ? MAX_SHARED - (uint32_t)most : 0;
}

Shared_budget
shared_budget(const Shared_usage *s, const Fn *fn, const Pass_options *opt)
{
	Shared_budget r = { .shared = shared_free(s, fn), .dynamic = shared_uses_dynamic(s, fn) };

	if (r.dynamic && opt->launch.dynamic_known) {
		uint64_t bytes = opt->launch.dynamic + s->gap;
		r.shared -= bytes < r.shared ? (uint32_t)bytes : r.shared;
		r.dynamic = false;
	}
	return r;
}

Shared_usage
shared_usage_build(const Module *m, Arena *a)
{
	return (Shared_usage){ .declared = declared_bytes(m, a),
		.dynamic = functions_naming_dynamic(m, a),
		.gap = dynamic_alignment_gap(m) };
}
