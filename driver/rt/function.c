/* SPDX-License-Identifier: MIT */
/* Resources of kernels, and occupancy. ptxas allocates registers below the level of PTX; 32 per
 * thread are assumed, which never limits occupancy. */
#include <string.h>
#include "analysis/interproc/effects.h"
#include "driver/rt/rt.h"

enum { MAX_THREADS = 1024, PLAIN_SHARED = 48 << 10 };

/* Adds the resources of a variable. */
static void
add_variable(Needs *needs, const Module *m, uint32_t sym, Bits seen)
{
	const Var *v =
		m->syms[sym].kind == SYM_VAR && !bits_has(seen, sym) ? ptx_var(m, sym) : NULL;
	if (!v)
		return;
	size_t align = v->align ? v->align : 1;
	Space space = (Space)m->syms[sym].space;
	size_t *n = space == SPACE_SHARED ? &needs->shared :
		space == SPACE_CONST ? &needs->constant :
		space == SPACE_LOCAL ? &needs->local : NULL;
	bits_set(seen, sym);
	if (n)
		*n = (*n + align - 1) / align * align + v->bytes;
}

/* Returns the index of the kernel in the module's functions. */
static uint32_t
func_of(const Module *m, const char *name)
{
	uint32_t id = intern_find(m->names, name, strlen(name));
	for (uint32_t f = 1; id && f < m->nfuncs; f++)
		if (m->syms[m->funcs[f].sym].name == id && m->funcs[f].body)
			return f;
	return 0;
}

Needs
function_needs(const Function *f)
{
	const Module *m = f->binary->m;
	Needs needs = { .threads = MAX_THREADS };
	Arena *a = arena_new();
	uint32_t at = func_of(m, f->name);
	const Func *entry = &m->funcs[at];
	Bits seen = bits_new(a, m->nsyms), reached = bits_new(a, m->nfuncs);
	effects_flood(effects_build(m, a), at, reached);
	BITS_EACH(k, reached)
		PTX_STMTS(&m->funcs[k], s)
			PTX_REFS(m, &m->stmts[s], r)
				add_variable(&needs, m, r.sym, seen);
	arena_free(a);
	needs.exact = entry->reqntid[0] != 0;
	const uint32_t *n = needs.exact ? entry->reqntid : entry->maxntid;
	if (n[0])
		needs.threads = n[0] * n[1] * n[2];
	return needs;
}

size_t
function_most_dynamic(const Function *f)
{
	if (f->max_dynamic)
		return (size_t)f->max_dynamic;
	return f->needs.shared < PLAIN_SHARED ? PLAIN_SHARED - f->needs.shared : 0;
}

bool
function_allow_dynamic(const Runtime *rt, Function *f, int bytes)
{
	const Limits l = device_limits(rt->arch);
	if (bytes < 0 || (size_t)bytes + f->needs.shared > (size_t)(l.shared - l.reserved) << 10)
		return false;
	f->max_dynamic = bytes;
	return true;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

int
function_resident(const Function *f, uint32_t arch, int threads, size_t dynamic)
{
	const Limits l = device_limits(arch);
	size_t room = (size_t)l.shared << 10,
	       each = f->needs.shared + dynamic + ((size_t)l.reserved << 10);
	int most = l.threads / ((threads + 31) / 32 * 32),
	    blocks = most < l.blocks ? most : l.blocks;
	if (threads > 1024 || dynamic > function_most_dynamic(f))
		return 0;
	return each && room / each < (size_t)blocks ? (int)(room / each) : blocks;
}

size_t
function_available(const Runtime *rt, const Function *f, int blocks)
{
	const Limits l = device_limits(rt->arch);
	size_t each = ((size_t)l.shared << 10) / (size_t)blocks,
	       taken = f->needs.shared + ((size_t)l.reserved << 10);
	size_t left = each > taken ? each - taken : 0, most = function_most_dynamic(f);
	return left < most ? left : most;
}

bool
function_parameter(const Function *f, size_t index, size_t *offset, size_t *size)
{
	uint32_t at, n;
	if (index >= sim_nparams(f->kernel))
		return false;
	sim_param(f->kernel, (uint32_t)index, &at, &n);
	*offset = at;
	*size = n;
	return true;
}
