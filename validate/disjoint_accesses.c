/* SPDX-License-Identifier: MIT */
/* Checks that accesses whose order changes do not overlap, for an annotation that promises nothing
 * ('proven').
 *
 * Other annotations promise this. Here the validator must see that the accesses go to different
 * variables (alias_flow.h): what look-ahead iterations read and what paths write; or, if paths are
 * collected, what a path and the rest of its iteration access. Unless the loop is 'independent', no
 * path of a look-ahead loop may order the reads of later iterations.
 *
 * A .local access goes to thread-local memory only, and one of another state space to none. An
 * access that names global memory and one that names shared memory do not overlap.
 */
#include "analysis/memory/definite_init.h"
#include "validate/alias_flow.h"
#include "validate/disjoint_accesses.h"

/* ---- accesses -------------------------------------------------------------------------------- */

/* The state space of an access; GENERIC if it has several addresses, like cp.async. */
static Space
space_of(const Module *m, const Stmt *s)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->nopnd; k++)
		n += m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR;
	return n == 1 ? ptx_space(m, s) : SPACE_GENERIC;
}

/* Whether it is, or calls a function that contains, a fence, an acquire or a release. */
static bool
is_fence(const Fn *fn, uint32_t stmt)
{
	return fn_effects(fn, stmt) & EFF_ORDER;
}

/* The variables that an access or call may go to, or whose accesses a fence orders. */
static uint64_t
accessed_variables(Alias_flow *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Op op = ptx_op(m, s);
	Space space = space_of(m, s);
	uint64_t all = 0;

	if (is_fence(w->fn, stmt))
		return OTHERS;
	if (op == OP_CALL)
		return w->loaded | (fn_effects(w->fn, stmt) & EFF_LOCAL ? LOCAL : 0);
	if (!(ptx_flags(m, s) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)) || ptx_has(m, s, "tensor"))
		return ANY;
	for (uint32_t k = 0; k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR)
			all |= alias_operand(w, stmt, k);
	all = all & NUMBER || !all ? all | w->loaded : all;
	all &= ~NUMBER;
	if (space == SPACE_GENERIC)
		return all;
	uint64_t in = space == SPACE_LOCAL ? w->local : ~w->local;
	return all & in ? all & in : ANY & in;
}

/* Whether a call may use memory. The runtime's own functions, such as vprintf, use none that
 * matters. */
static bool
call_uses_memory(const Fn *fn, uint32_t stmt)
{
	uint32_t callee = effects_callee(fn->m, stmt);

	return effects_frees(fn->m, callee) ||
		(!effects_is_runtime(fn->m, callee) &&
			fn_effects(fn, stmt) &
				(EFF_READ | EFF_WRITE | EFF_EXTERN | EFF_INDIRECT | EFF_UNKNOWN));
}

/* Whether an atomic operation on integers stores what it loads: it adds 0, sets or flips no bit, or
 * swaps a value for itself. */
static bool
atomic_keeps_value(const Module *m, const Stmt *s)
{
	const Opnd *by = &m->opnds[ptx_operand(m, s, 2)];
	Type type = ptx_insn_type(m, s);
	uint64_t value;
	bool real;

	if (ptx_op(m, s) != OP_ATOM || type < TYPE_B32 || type > TYPE_S64 || ptx_has(m, s, "noftz"))
		return false;
	if (ptx_has(m, s, "cas")) {
		const Opnd *to = &m->opnds[ptx_operand(m, s, 3)];
		return by->kind == OPND_SYM && to->kind == OPND_SYM && by->sym == to->sym;
	}
	return (ptx_has(m, s, "add") || ptx_has(m, s, "or") || ptx_has(m, s, "xor")) &&
		by->kind == OPND_IMM && ptx_imm(m, by, &value, &real) && !value;
}

/* Whether it writes memory, or orders writes. */
static bool
stmt_writes_memory(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, s);
	Op op = ptx_op(fn->m, s);

	if (flags & OPF_CALL)
		return call_uses_memory(fn, stmt) || is_fence(fn, stmt);
	return (flags & (OPF_STORE | OPF_ATOMIC) && ptx_space(fn->m, s) != SPACE_PARAM &&
		       !atomic_keeps_value(fn->m, s)) ||
		is_fence(fn, stmt) || op == OP_UNKNOWN;
}

/* Whether it reads memory that may change. */
static bool
stmt_reads_memory(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Space space = ptx_space(fn->m, s);

	return ptx_flags(fn->m, s) & (OPF_LOAD | OPF_ATOMIC) && space != SPACE_PARAM &&
		space != SPACE_CONST && !ptx_has(fn->m, s, "nc");
}

/* Whether accesses to these variables may overlap; all are thread-local, or none. 0: no
 * variables. */
static bool
overlap_of_sets(uint64_t a, uint64_t b)
{
	return a && b && (a & b || (a | b) & ANY);
}

static bool
sets_overlap(const Alias_flow *w, uint64_t a, uint64_t b)
{
	return overlap_of_sets(a & ~w->local, b & ~w->local) ||
		(!w->scratch && overlap_of_sets(a & w->local, b & w->local));
}

/* Variables that one side accesses, by the state space that the accesses name: WIDE names none. */
typedef enum { WIDE, GLOBAL_ONLY, SHARED_ONLY, NSPACES } Named_space;
typedef struct { uint64_t of[NSPACES]; } Accessed;

static Named_space
named_space(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = ptx_op(fn->m, s);
	Space space = ptx_space(fn->m, s);

	if (is_fence(fn, stmt) ||
		(op != OP_LD && op != OP_ST && op != OP_ATOM && op != OP_RED))
		return WIDE;
	return space == SPACE_GLOBAL ? GLOBAL_ONLY : space == SPACE_SHARED ? SHARED_ONLY : WIDE;
}

/* Global and shared memory do not overlap. */
static bool
accesses_overlap(const Alias_flow *w, const Accessed *a, const Accessed *b)
{
	for (uint32_t i = 0; i < NSPACES; i++)
		for (uint32_t k = 0; k < NSPACES; k++)
			if ((i == k || i == WIDE || k == WIDE) &&
				sets_overlap(w, a->of[i], b->of[k]))
				return true;
	return false;
}

/* Whether accesses of two sets of blocks go to different variables or state spaces. both: either
 * side may write; else only `late`. */
static bool
blocks_are_disjoint(Alias_flow *w, Bits early, Bits late, bool both)
{
	Accessed use[2] = { 0 }, written[2] = { 0 };

	for (uint32_t side = 0; side < 2; side++)
		BITS_EACH(b, side ? late : early)
			FN_BLOCK_STMTS(w->fn, b, i) {
				if (fn_stmt(w->fn, i)->kind != STMT_INSN)
					continue;
				Named_space space = named_space(w->fn, i);
				bool does = stmt_writes_memory(w->fn, i);
				if (does)
					written[side].of[space] |= accessed_variables(w, i);
				if (does || stmt_reads_memory(w->fn, i))
					use[side].of[space] |= accessed_variables(w, i);
			}
	return !accesses_overlap(w, &written[1], &use[0]) &&
		!(both && accesses_overlap(w, &written[0], &use[1]));
}

static bool
annotation_promises(const Input_text *input, uint32_t marker, uint32_t clause)
{
	return annot_has(&input->m->markers[marker].annot, clause);
}

/* Whether an annotation promises that reordered accesses do not overlap. */
static bool
is_promised(const Input_text *input)
{
	bool proven = annotation_promises(input, input->region->marker, CLAUSE_PROVEN);

	for (uint32_t i = 0; i < input->region->npaths; i++)
		proven |=
			annotation_promises(input, input->region->paths[i]->marker, CLAUSE_PROVEN);
	return !proven || annotation_promises(input, input->region->marker, CLAUSE_INDEPENDENT);
}

static Bits
path_blocks(const Input_path *p)
{
	return p->blocks.word ? p->blocks : p->region->blocks;
}

/* Whether a collected path shares no memory with the rest of its iteration. */
static bool
path_is_disjoint(const Loop_check *s, Alias_flow *w, const Input_path *p)
{
	const Fn *fn = s->in.fn;
	const Loop *loop = &fn->loops->loops[s->in.region->loop];
	Bits rest = bits_new(s->arena, fn->cfg->nblocks),
	     within = bits_new(s->arena, fn->cfg->nblocks), path = path_blocks(p);

	bits_copy(within, loop->blocks);
	bits_unset(within, loop->header);
	bits_and_not(within, path);
	BITS_EACH(b, path)
		FN_SUCC(fn, b, to)
			cfg_flood(fn->cfg, to, false, within, rest);
	return blocks_are_disjoint(w, rest, path, true);
}

static bool
paths_are_disjoint(const Loop_check *s, Alias_flow *w)
{
	for (uint32_t i = 0; i < s->paths.n; i++)
		if (!path_is_disjoint(s, w, &s->paths.at[i]))
			return false;
	return true;
}

/* Whether a path or an iteration begins or ends at the edge. Another lane may continue there. */
static bool
edge_is_task_border(void *user, uint32_t from, uint32_t to)
{
	const Loop_check *s = user;
	bool border = to == s->in.fn->loops->loops[s->in.region->loop].header;

	for (uint32_t i = 0; i < s->paths.n; i++) {
		Bits path = path_blocks(&s->paths.at[i]);
		border |= bits_has(path, from) != (to && bits_has(path, to));
	}
	return border;
}

/* Whether paths and iterations read only what they have written themselves in thread-local memory.
 * A 'scratch' clause promises it. */
static bool
is_scratch(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	bool promised = annotation_promises(&s->in, s->in.region->marker, CLAUSE_SCRATCH);

	for (uint32_t i = 0; i < s->paths.n; i++)
		promised |=
			annotation_promises(&s->in, s->paths.at[i].region->marker, CLAUSE_SCRATCH);
	if (promised)
		return true;
	const Locals *l = local_build(
		fn->m, threads_build(fn->m, fn->effects, s->arena), fn->func, s->arena);
	return local_memory_is_private(l) &&
		definite_init_reads(fn, l, edge_is_task_border, s, s->arena);
}

/* Whether a path orders the reads of later iterations, which look-ahead iterations execute before
 * it. Only 'independent' promises that this is harmless. */
static bool
path_orders_reads(const Loop_check *s, Bits own)
{
	const Fn *fn = s->in.fn;
	bool reads = false, orders = false;

	if (annotation_promises(&s->in, s->in.region->marker, CLAUSE_INDEPENDENT))
		return false;
	BITS_EACH(b, own)
		FN_BLOCK_STMTS(fn, b, i)
			reads |= fn_effects(fn, i) & EFF_READ;
	BITS_EACH(b, s->lookahead->paths.only)
		FN_BLOCK_STMTS(fn, b, i)
			orders |= is_fence(fn, i);
	return reads && orders;
}

bool
accesses_are_disjoint(Loop_check *s)
{
	const Fn *fn = s->in.fn;
	Bits own = bits_new(s->arena, fn->cfg->nblocks);

	if (s->lookahead) {
		bits_copy(own, fn->loops->loops[s->in.region->loop].blocks);
		bits_and_not(own, s->lookahead->paths.only);
		if (path_orders_reads(s, own))
			return false;
	}
	if (is_promised(&s->in) || (s->paths.n == 0 && !s->lookahead))
		return true;
	Alias_flow w = alias_flow_build(fn, s->arena);
	if (!paths_are_disjoint(s, &w)) {
		w.scratch = is_scratch(s);
		if (!w.scratch || !paths_are_disjoint(s, &w))
			return false;
	}
	if (!s->lookahead)
		return true;
	w.scratch = false;
	return blocks_are_disjoint(&w, own, s->lookahead->paths.only, false);
}
