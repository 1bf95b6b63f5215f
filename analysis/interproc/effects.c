/* SPDX-License-Identifier: MIT */
/* What executing code can do besides computing registers; see effects.h.
 *
 * Effects of single statements follow from the opcode table and the state space. Those of functions
 * are collected in one pass and then propagated from callees to callers over the call graph to a
 * fixed point. */
#include <string.h>
#include "analysis/interproc/effects.h"
#include "analysis/interproc/escape.h"
#include "base/bits.h"
#include "base/vec.h"

typedef VEC(uint32_t) Ids;

/* Functions of the CUDA device runtime that modules only declare. A star matches any characters. */
static const char *const runtime[] = {
	"vprintf",
	"malloc",
	"free",
	"__assertfail",
	"__assert_fail",
	"__cuda_syscall*",
	"__cudaCDP2*",
	"cudaDeviceSynchronize",
	"cudaDeviceGetLimit",
	"cudaDeviceGetCacheConfig",
	"cudaDeviceGetSharedMemConfig",
	"cudaDeviceGetAttribute",
	"cudaGetDevice",
	"cudaGetDeviceCount",
	"cudaGetLastError",
	"cudaPeekAtLastError",
	"cudaGetErrorString",
	"cudaGetErrorName",
	"cudaGetParameterBuffer*",
	"cudaLaunchDevice*",
	"cudaMalloc",
	"cudaFree",
	"cudaMemcpy*Async",
	"cudaMemset*Async",
	"cudaStreamCreateWithFlags",
	"cudaStreamDestroy",
	"cudaStreamWaitEvent",
	"cudaEventCreateWithFlags",
	"cudaEventDestroy",
	"cudaEventRecord",
	"cudaFuncGetAttributes",
	"cudaRuntimeGetVersion",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor*",
};

static bool
name_matches(const char *pattern, const char *s, size_t len)
{
	const char *star = strchr(pattern, '*');
	size_t n = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t tail = star ? strlen(star + 1) : 0;

	if (star ? len < n + tail : len != n)
		return false;
	return !memcmp(s, pattern, n) && (!star || !memcmp(s + len - tail, star + 1, tail));
}

bool
effects_is_runtime(const Module *m, uint32_t func)
{
	size_t len;

	if (!func || m->funcs[func].body)
		return false;
	const char *s = ptx_name(m, m->funcs[func].sym, &len);
	for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
		if (name_matches(runtime[i], s, len))
			return true;
	return false;
}

static bool
is_runtime_named(const Module *m, uint32_t func, const char *name)
{
	size_t len;
	const char *s = func ? ptx_name(m, m->funcs[func].sym, &len) : "";

	return effects_is_runtime(m, func) && name_matches(name, s, len);
}

bool
effects_allocates(const Module *m, uint32_t func)
{
	return is_runtime_named(m, func, "malloc");
}

bool
effects_frees(const Module *m, uint32_t func)
{
	return is_runtime_named(m, func, "free") || is_runtime_named(m, func, "cudaFree");
}

uint32_t
effects_callee(const Module *m, uint32_t stmt)
{
	const Stmt *s = &m->stmts[stmt];

	for (uint32_t k = 0; k < s->nopnd; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
		if (o->kind == OPND_LIST)
			continue;
		return o->kind == OPND_SYM && m->syms[o->sym].kind == SYM_FUNC ?
			m->syms[o->sym].func :
			0;
	}
	return 0;
}

/* ---- one statement --------------------------------------------------------------------------- */

/* Returns the effects of naming symbols. */
static uint32_t
name_effects(const Module *m, const Stmt *s)
{
	uint32_t eff = 0;

	PTX_REFS(m, s, r) {
		const Sym *y = &m->syms[r.sym];
		if (y->space == SPACE_LOCAL)
			eff |= EFF_LOCAL;
		if (y->kind == SYM_SPECIAL && (ptx_sregs[y->aux].flags & SREGF_LANE))
			eff |= EFF_LANE;
	}
	return eff;
}

/* Whether the access may synchronise threads, as in polling or publishing. */
static bool
access_polls(const Module *m, const Stmt *s, uint32_t flags)
{
	static const char *const words[] = { "volatile", "relaxed", "acquire", "release", "mmio",
		"cv", NULL };

	return flags & OPF_ATOMIC || ptx_has_any(m, s, words);
}

static uint32_t
access_effects(const Module *m, const Stmt *s, uint32_t flags)
{
	Space space = ptx_space(m, s);
	uint32_t eff = 0;

	if (!(flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)))
		return 0;
	if (space == SPACE_LOCAL)
		return EFF_LOCAL;
	if (space == SPACE_PARAM || space == SPACE_CONST)
		return 0;
	if (space == SPACE_GENERIC)
		eff |= EFF_GENERIC;
	if (access_polls(m, s, flags))
		eff |= EFF_SPIN;
	if (flags & (OPF_STORE | OPF_ATOMIC))
		eff |= EFF_WRITE;
	if ((flags & (OPF_LOAD | OPF_ATOMIC)) && !ptx_has(m, s, "nc"))
		eff |= EFF_READ;
	return eff;
}

/* Returns how the statement orders accesses. Volatile, mmio and relaxed accesses synchronise only
 * together with a fence. */
static uint32_t
order_effects(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);
	uint32_t eff = 0;

	if (op == OP_MEMBAR || op == OP_FENCE || (s->ordered && ptx_has(m, s, "acq_rel")))
		return EFF_ORDER;
	/* waits for the grids before this one, and makes their writes visible */
	if ((op == OP_GRIDDEPCONTROL && ptx_has(m, s, "wait")) ||
		(s->ordered && ptx_has(m, s, "acquire")))
		eff |= EFF_ACQUIRE;
	if (s->ordered && ptx_has(m, s, "release"))
		eff |= EFF_RELEASE;
	return eff;
}

/* Returns the effects of a statement without those of its callee. */
static uint32_t
direct_effects(const Module *m, const Stmt *s)
{
	static const struct { uint16_t flag; uint16_t effect; } map[] = {
		{ OPF_BARRIER, EFF_BARRIER }, { OPF_CROSS, EFF_CROSS }, { OPF_STACK, EFF_STACK },
	};
	uint32_t flags, eff;

	if (s->kind != STMT_INSN)
		return 0;
	flags = ptx_flags(m, s);
	eff = access_effects(m, s, flags) | order_effects(m, s);
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		if (flags & map[i].flag)
			eff |= map[i].effect;
	if (ptx_op(m, s) == OP_UNKNOWN)
		eff |= EFF_UNKNOWN;
	if (ptx_op(m, s) == OP_EXIT)
		eff |= EFF_EXIT;
	if (!strncmp(ptx_ops[ptx_op(m, s)].name, "cp.", 3))
		eff |= EFF_ASYNC;
	return eff | name_effects(m, s);
}

static uint32_t
call_effects(const Module *m, const Effects *e, uint32_t stmt)
{
	uint32_t callee = effects_callee(m, stmt);

	if (!callee)
		return EFF_INDIRECT;
	if (m->funcs[callee].body)
		return e->func[callee];
	return effects_is_runtime(m, callee) ? EFF_WRITE : EFF_EXTERN;
}

uint32_t
effects_stmt(const Module *m, const Effects *e, uint32_t stmt)
{
	const Stmt *s = &m->stmts[stmt];
	uint32_t eff = direct_effects(m, s);

	if (s->kind == STMT_INSN && (ptx_flags(m, s) & OPF_CALL))
		eff |= call_effects(m, e, stmt);
	return eff;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool
has_frame(const Module *m, const Func *f)
{
	PTX_SYMS(f, i)
		if (m->syms[i].kind == SYM_VAR && m->syms[i].space == SPACE_LOCAL)
			return true;
	return false;
}

/* Returns the effects of executing a function without its callees, which are added to calls. A
 * function's own frame does not concern others: .local memory counts if the function has no frame,
 * or if it makes a .local address from a generic one. */
static uint32_t
func_effects(const Module *m, const Func *f, Ids *calls)
{
	uint32_t eff = 0, frame = has_frame(m, f) ? EFF_LOCAL : 0;

	PTX_STMTS(f, stmt) {
		const Stmt *s = &m->stmts[stmt];
		eff |= direct_effects(m, s) & ~frame;
		if (s->kind != STMT_INSN)
			continue;
		if (ptx_op(m, s) == OP_CVTA && ptx_has(m, s, "to") && ptx_has(m, s, "local"))
			eff |= EFF_LOCAL;
		if (!(ptx_flags(m, s) & OPF_CALL))
			continue;
		uint32_t callee = effects_callee(m, stmt);
		if (!callee)
			eff |= EFF_INDIRECT;
		else if (m->funcs[callee].body)
			*vec_push(calls) = callee;
		else
			eff |= effects_is_runtime(m, callee) ? EFF_WRITE : EFF_EXTERN;
	}
	return eff;
}

/* Marks functions that may call themselves, or that call one that does. Removes functions that call
 * no remaining function until none is left to remove; the rest is recursive. */
static void
mark_recursion(const Module *m, Effects *e, Arena *tmp)
{
	uint32_t *calls = arena_array(tmp, m->nfuncs + 1u, sizeof *calls);
	Ids done = {0};

	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (!(calls[f] = e->callee_of[f + 1] - e->callee_of[f]))
			*vec_push(&done) = f;
	while (done.n) {
		uint32_t f = *vec_pop(&done);
		for (uint32_t i = e->caller_of[f]; i < e->caller_of[f + 1]; i++)
			if (!--calls[e->callers[i]])
				*vec_push(&done) = e->callers[i];
	}
	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (calls[f])
			e->func[f] |= EFF_RECURSE;
	vec_free(&done);
}

static void
find_callers(const Module *m, Effects *e, uint32_t ncalls, Arena *a)
{
	uint32_t *first = e->caller_of = arena_array(a, m->nfuncs + 2u, sizeof *first);

	e->callers = arena_array(a, ncalls, sizeof *e->callers);
	for (uint32_t i = 0; i < ncalls; i++)
		first[e->callees[i] + 2]++;
	for (uint32_t f = 2; f < m->nfuncs + 2; f++)
		first[f] += first[f - 1];
	for (uint32_t f = 1; f < m->nfuncs; f++)
		for (uint32_t i = e->callee_of[f]; i < e->callee_of[f + 1]; i++)
			e->callers[first[e->callees[i] + 1]++] = f;
}

/* Propagates effects from callees to callers. */
static void
propagate_effects(const Module *m, Effects *e)
{
	Ids todo = {0};

	for (uint32_t f = 1; f < m->nfuncs; f++)
		*vec_push(&todo) = f;
	while (todo.n) {
		uint32_t f = *vec_pop(&todo);
		for (uint32_t i = e->caller_of[f]; i < e->caller_of[f + 1]; i++)
			if (e->func[f] & ~e->func[e->callers[i]]) {
				e->func[e->callers[i]] |= e->func[f];
				*vec_push(&todo) = e->callers[i];
			}
	}
	vec_free(&todo);
}

static bool
promises_nothing(const Module *m)
{
	for (uint32_t i = 0; i < m->nmarkers; i++)
		if (annot_has(&m->markers[i].annot, CLAUSE_PROVEN))
			return true;
	return false;
}

Effects *
effects_build(const Module *m, Arena *a)
{
	Effects *e = arena_zalloc(a, sizeof *e);
	Arena *tmp = arena_new();
	Ids calls = {0};

	e->func = arena_array(a, m->nfuncs + 1u, sizeof *e->func);
	e->callee_of = arena_array(a, m->nfuncs + 1u, sizeof *e->callee_of);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		e->callee_of[f] = calls.n;
		e->func[f] = func_effects(m, &m->funcs[f], &calls);
	}
	e->callee_of[m->nfuncs] = calls.n;
	e->callees = arena_array(a, calls.n, sizeof *e->callees);
	for (uint32_t i = 0; i < calls.n; i++)
		e->callees[i] = calls.at[i];
	find_callers(m, e, calls.n, a);
	mark_recursion(m, e, tmp);
	propagate_effects(m, e);
	e->escapes = !promises_nothing(m) || escape_any(m);
	e->escapes_local = !promises_nothing(m) || escape_local(m);
	vec_free(&calls);
	arena_free(tmp);
	return e;
}

/* Adds function `from` and all functions reachable from it along the edges to[of[f] .. of[f +
 * 1]). */
static void
flood_calls(const uint32_t *of, const uint32_t *to, uint32_t from, Bits seen)
{
	Ids todo = {0};

	if (bits_has(seen, from))
		return;
	bits_set(seen, from);
	*vec_push(&todo) = from;
	while (todo.n) {
		uint32_t f = *vec_pop(&todo);
		for (uint32_t i = of[f]; i < of[f + 1]; i++)
			if (!bits_has(seen, to[i])) {
				bits_set(seen, to[i]);
				*vec_push(&todo) = to[i];
			}
	}
	vec_free(&todo);
}

void
effects_flood(const Effects *e, uint32_t from, Bits seen)
{
	flood_calls(e->callee_of, e->callees, from, seen);
}

void
effects_flood_callers(const Module *m, const Effects *e, uint32_t to, Bits seen)
{
	bool pointed_to = false;

	flood_calls(e->caller_of, e->callers, to, seen);
	BITS_EACH(f, seen)
		pointed_to |= !m->funcs[f].entry;
	for (uint32_t f = 1; pointed_to && f < m->nfuncs; f++)
		if (e->func[f] & EFF_INDIRECT)
			bits_set(seen, f);
}

void
effects_flood_any(const Module *m, const Effects *e, uint32_t from, Bits seen)
{
	effects_flood(e, from, seen);
	for (uint32_t f = 1; e->func[from] & EFF_INDIRECT && f < m->nfuncs; f++)
		if (!m->funcs[f].entry)
			effects_flood(e, f, seen);
}

bool
effects_reaches(const Module *m, const Effects *e, uint32_t from, uint32_t to)
{
	Arena *tmp = arena_new();
	Bits seen = bits_new(tmp, m->nfuncs);

	for (uint32_t i = e->callee_of[from]; i < e->callee_of[from + 1]; i++)
		effects_flood(e, e->callees[i], seen);
	bool found = e->func[from] & EFF_INDIRECT || bits_has(seen, to);
	arena_free(tmp);
	return found;
}
