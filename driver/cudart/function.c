/* SPDX-License-Identifier: MIT */
/* What a kernel needs, and how many blocks of it a multiprocessor holds. Registers are given out by
 * ptxas, below PTX: they are taken to be 32 a thread, with which they never limit occupancy. */
#include <string.h>
#include "analysis/effects.h"
#include "driver/cudart/cudart.h"

enum { ASSUMED_REGISTERS = 32, MAX_THREADS = 1024, PLAIN_SHARED = 48 << 10 };

/* Adds what a variable takes. */
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

/* The kernel's place in the module's functions. */
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

/* ---- attributes ------------------------------------------------------------------------------ */

API cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *a, const void *func)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaErrorInvalidValue;
	Function *f = a ? module_function(rt, func, &e) : NULL;
	if (!f)
		return rt_leave(rt, e);
	Needs n = f->needs;
	*a = (cudaFuncAttributes){ .sharedSizeBytes = n.shared,
		.constSizeBytes = n.constant,
		.localSizeBytes = n.local,
		.maxThreadsPerBlock = (int)n.threads,
		.numRegs = ASSUMED_REGISTERS,
		.ptxVersion = (int)f->binary->m->target,
		.binaryVersion = (int)rt->arch,
		.maxDynamicSharedSizeBytes = (int)function_most_dynamic(f),
		.preferredShmemCarveout = -1 };
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	Runtime *rt = rt_enter();
	cudaError_t e;
	Function *f = module_function(rt, func, &e);
	if (!f)
		return rt_leave(rt, e);
	const Limits l = device_limits(rt->arch);
	if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
		return rt_leave(rt, attr > 7 && attr < 16 ? cudaSuccess : cudaErrorInvalidValue);
	if (value < 0 || (size_t)value + f->needs.shared > (size_t)(l.shared - l.reserved) << 10)
		return rt_leave(rt, cudaErrorInvalidValue);
	f->max_dynamic = value;
	return rt_leave(rt, cudaSuccess);
}

/* Is there such a kernel? The settings themselves have no effect. */
static cudaError_t
known(const void *func)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, module_find(rt, func) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

API cudaError_t
cudaFuncSetCacheConfig(const void *func, int config)
{
	(void)config;
	return known(func);
}
API cudaError_t
cudaFuncSetSharedMemConfig(const void *func, int config)
{
	(void)config;
	return known(func);
}

API cudaError_t
cudaFuncGetName(const char **name, const void *func)
{
	Runtime *rt = rt_enter();
	const Function *f = module_find(rt, func);
	if (!name || !f)
		return rt_leave(rt, name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
	*name = f->name;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
	Runtime *rt = rt_enter();
	cudaError_t e;
	uint32_t at, n;
	const Function *f = module_function(rt, func, &e);
	if (!f)
		return rt_leave(rt, e);
	if (!offset || index >= sim_nparams(f->kernel))
		return rt_leave(rt, cudaErrorInvalidValue);
	sim_param(f->kernel, (uint32_t)index, &at, &n);
	*offset = at;
	if (size)
		*size = n;
	return rt_leave(rt, cudaSuccess);
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

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *func, int threads, size_t dynamic, unsigned flags)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaErrorInvalidValue;
	const Function *f = blocks && threads > 0 ? module_function(rt, func, &e) : NULL;
	(void)flags;
	if (!f)
		return rt_leave(rt, e);
	*blocks = function_resident(f, rt->arch, threads, dynamic);
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, const void *func, int threads, size_t dynamic)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, func, threads, dynamic, 0);
}

API cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *dynamic, const void *func, int blocks, int threads)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaErrorInvalidValue;
	const Function *f =
		dynamic && blocks > 0 && threads > 0 ? module_function(rt, func, &e) : NULL;
	if (!f)
		return rt_leave(rt, e);
	const Limits l = device_limits(rt->arch);
	size_t each = ((size_t)l.shared << 10) / (size_t)blocks,
	       taken = f->needs.shared + ((size_t)l.reserved << 10);
	size_t left = each > taken ? each - taken : 0, most = function_most_dynamic(f);
	*dynamic = left < most ? left : most;
	return rt_leave(rt, cudaSuccess);
}
