/* SPDX-License-Identifier: MIT */
/* Checks that accesses whose order changes do not overlap, for an annotation that promises nothing
 * ('proven').
 *
 * Other annotations promise this. Here the validator must see that the accesses go to different
 * variables: what look-ahead iterations read and what paths write; or, if paths are collected, what
 * a path and the rest of its iteration access.
 *
 * For each definition of a register this finds the variables whose addresses flow into it, through
 * any instruction. LOCAL and OTHERS stand for any thread-local and any other memory, ANY for both.
 * A loaded value that is as wide as an address is OTHERS, and so are results of calls. If the
 * module stores or passes addresses of thread-local memory, these are ANY. A narrower value is a
 * NUMBER if the module stores no addresses (analysis/interproc/escape.h). An address that may be a
 * mere NUMBER counts as a loaded one. All .extern .shared arrays count as one variable, since they
 * begin at the same address.
 *
 * A .local access goes to thread-local memory only, and one of another state space to none. An
 * access that names global memory and one that names shared memory do not overlap.
 */
#include <string.h>
#include "analysis/memory/definite_init.h"
#include "validate/disjoint_accesses.h"

#define NUMBER (UINT64_C(1) << 61)
#define LOCAL (UINT64_C(1) << 62)
#define OTHERS (UINT64_C(1) << 63)
#define ANY (LOCAL | OTHERS)

enum { MOST_VARIABLES = 61, DYNAMIC_SHARED = 0 };

typedef struct {
	const Fn *fn;
	uint64_t *pointees;                     /* by definition */
	/* by bit; the bit of DYNAMIC_SHARED stands for all of it */
	uint32_t variables[MOST_VARIABLES], n;
	uint64_t local;                         /* LOCAL, and the thread-local variables */
	uint64_t loaded;                        /* memory that a loaded address may point to */
	bool scratch;                           /* thread-local memory does not count */
} Alias_flow;

static uint64_t
variable_bit(Alias_flow *w, uint32_t sym)
{
	const Module *m = w->fn->m;
	const Sym *y = &m->syms[sym];
	const Var *v = ptx_var(m, sym);
	uint32_t i = 1;

	if (!v || !ptx_type_size((Type)y->type) || y->space == SPACE_PARAM)
		return ANY;
	if (y->space == SPACE_SHARED && v->linkage == LINK_EXTERN)
		return UINT64_C(1) << DYNAMIC_SHARED;
	while (i <= w->n && w->variables[i] != sym)
		i++;
	if (i == MOST_VARIABLES)
		return ANY;
	w->variables[i] = sym;
	w->n = i > w->n ? i : w->n;
	w->local |= y->space == SPACE_LOCAL ? UINT64_C(1) << i : 0;
	return UINT64_C(1) << i;
}

static uint64_t
reaching_values(const Alias_flow *w, uint32_t stmt, uint32_t sym)
{
	uint32_t use = defuse_find_use(w->fn, stmt, sym);
	uint64_t all = use ? 0 : ANY;

	FN_REACH(w->fn, use, d)
		all |= w->pointees[d];
	return all;
}

static uint64_t
symbol_value(Alias_flow *w, uint32_t stmt, uint32_t sym)
{
	const Module *m = w->fn->m;
	const Sym *y = &m->syms[sym];

	if (y->kind == SYM_SINK || y->type == TYPE_PRED)
		return NUMBER;
	if (y->kind == SYM_SPECIAL)
		return strstr(ptx_sregs[y->aux].name, "_smem_") ? OTHERS : NUMBER;
	if (fn_is_reg(w->fn, sym))
		return reaching_values(w, stmt, sym);
	return y->kind == SYM_VAR ? variable_bit(w, sym) : ANY;
}

static uint64_t
operand_value(Alias_flow *w, uint32_t stmt, uint32_t k)
{
	const Module *m = w->fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(w->fn, stmt), k)];

	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	if (o->kind == OPND_SYM)
		return symbol_value(w, stmt, o->sym);
	return o->kind == OPND_IMM ? NUMBER : ANY;
}

/* Whether the result is no address in itself, or may be none. */
static bool
is_number(Alias_flow *w, uint32_t stmt)
{
	uint32_t n = fn_stmt(w->fn, stmt)->nopnd;
	uint64_t a = n > 1 ? operand_value(w, stmt, 1) : 0,
		 b = n > 2 ? operand_value(w, stmt, 2) : 0;

	switch (ptx_op(w->fn->m, fn_stmt(w->fn, stmt))) {
	case OP_MOV: case OP_CVTA: case OP_CVT: case OP_SHFL: case OP_MAPA: return a & NUMBER;
	case OP_ADD: case OP_AND: case OP_OR: return a & b & NUMBER;
	case OP_SUB: return a & NUMBER || b & ~NUMBER;
	case OP_MAD: return operand_value(w, stmt, 3) & NUMBER;
	case OP_SELP: case OP_MIN: case OP_MAX: return (a | b) & NUMBER;
	default: return true;
	}
}

/* Value of a load or an atomic access. */
static uint64_t
load_value(const Alias_flow *w, const Stmt *s)
{
	const Module *m = w->fn->m;
	const Opnd *from = &m->opnds[ptx_operand(m, s, 1)];
	Type type = ptx_insn_type(m, s);

	if (ptx_space(m, s) == SPACE_PARAM && (!w->fn->f->entry || from->tree < 2 ||
		m->syms[from[1].sym].kind != SYM_PARAM))
		return w->loaded;
	if (ptx_space(m, s) != SPACE_PARAM && (!w->fn->effects || w->fn->effects->escapes))
		return w->loaded;
	return type == TYPE_F64 || (type && ptx_type_size(type) * 8 < m->address_size) ?
		NUMBER | (w->loaded & LOCAL) :
		w->loaded;
}

/* Whether it assembles a word from halves, or reads the bits of a double. */
static bool
stmt_joins_halves(const Alias_flow *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Type type = ptx_insn_type(m, s);
	Op op = ptx_op(m, s);
	uint64_t by = 64;
	bool real, bits = false;

	FN_READS(w->fn, stmt, r)
		bits |= ptx_is_reg(m, r->sym) && m->syms[r->sym].type == TYPE_F64;
	if (op == OP_SHL && m->opnds[ptx_operand(m, s, 2)].kind == OPND_IMM)
		ptx_imm(m, &m->opnds[ptx_operand(m, s, 2)], &by, &real);
	return ptx_type_size(type) * 8 >= m->address_size && op != OP_CVT &&
		((bits && type != TYPE_F64) || op == OP_BFI ||
			(op == OP_SHL && by >= m->address_size / 2));
}

static uint64_t
result_value(Alias_flow *w, uint32_t stmt)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	uint32_t flags = ptx_flags(w->fn->m, s);
	uint64_t all = 0;

	if (ptx_op(w->fn->m, s) == OP_UNKNOWN || flags & OPF_STACK)
		return ANY;
	if (flags & OPF_CALL)
		return w->loaded;
	if (flags & (OPF_LOAD | OPF_ATOMIC))
		return load_value(w, s);
	FN_READS(w->fn, stmt, r)
		all |= symbol_value(w, stmt, r->sym);
	for (uint32_t k = 1; k < s->nopnd; k++)
		all |= operand_value(w, stmt, k) & ANY;
	all |= stmt_joins_halves(w, stmt) ? w->loaded : 0;
	return (all & ~NUMBER) | (is_number(w, stmt) ? NUMBER : 0);
}

/* Whether no function of the module can be called from another module. */
static bool
is_closed(const Module *m)
{
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (!m->funcs[i].entry && !effects_is_runtime(m, i) &&
			(!m->funcs[m->syms[m->funcs[i].sym].func].body ||
				m->funcs[i].linkage != LINK_NONE))
			return false;
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_ALIAS)
			return false;
	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->vars[i].linkage == LINK_EXTERN &&
			m->syms[m->vars[i].sym].space != SPACE_SHARED)
			return false;
	return true;
}

static Alias_flow
build_flow(const Fn *fn, Arena *a)
{
	Alias_flow w = { .fn = fn,
		.pointees = arena_array(a, fn->defuse->ndefs + 1, sizeof *w.pointees),
		.local = LOCAL,
		.loaded = OTHERS };
	bool changed = true;

	if (!fn->effects || fn->effects->escapes_local || !(fn->f->entry || is_closed(fn->m)))
		w.loaded = ANY;
	for (uint32_t d = 1; d < fn->defuse->ndefs; d++)
		if (!fn_def(fn, d)->stmt && fn->m->syms[fn_def(fn, d)->sym].kind == SYM_PARAM)
			w.pointees[d] = w.loaded;
	while (changed) {
		changed = false;
		for (uint32_t d = 1; d < fn->defuse->ndefs; d++) {
			uint32_t stmt = fn_def(fn, d)->stmt;
			uint64_t was = w.pointees[d];
			w.pointees[d] |= stmt ? result_value(&w, stmt) : 0;
			changed |= w.pointees[d] != was;
		}
	}
	return w;
}

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

/* Whether it is a fence, or an access with release semantics. */
static bool
is_fence(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);

	return op == OP_FENCE || op == OP_MEMBAR ||
		(ptx_flags(m, s) & (OPF_STORE | OPF_ATOMIC) &&
			(ptx_has(m, s, "release") || ptx_has(m, s, "acq_rel")));
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

	if (is_fence(m, s))
		return OTHERS;
	if (op == OP_CALL)
		return w->loaded | (fn_effects(w->fn, stmt) & EFF_LOCAL ? LOCAL : 0);
	if (!(ptx_flags(m, s) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)) || ptx_has(m, s, "tensor"))
		return ANY;
	for (uint32_t k = 0; k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR)
			all |= operand_value(w, stmt, k);
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
		return call_uses_memory(fn, stmt);
	return (flags & (OPF_STORE | OPF_ATOMIC) && ptx_space(fn->m, s) != SPACE_PARAM &&
		       !atomic_keeps_value(fn->m, s)) ||
		is_fence(fn->m, s) || op == OP_UNKNOWN;
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

	if (is_fence(fn->m, s) ||
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

bool
accesses_are_disjoint(Loop_check *s)
{
	const Fn *fn = s->in.fn;

	if (is_promised(&s->in) || (s->paths.n == 0 && !s->lookahead))
		return true;
	Alias_flow w = build_flow(fn, s->arena);
	if (!paths_are_disjoint(s, &w)) {
		w.scratch = is_scratch(s);
		if (!w.scratch || !paths_are_disjoint(s, &w))
			return false;
	}
	if (!s->lookahead)
		return true;
	w.scratch = false;
	Bits own = bits_new(s->arena, fn->cfg->nblocks);
	bits_copy(own, fn->loops->loops[s->in.region->loop].blocks);
	bits_and_not(own, s->lookahead->paths.only);
	return blocks_are_disjoint(&w, own, s->lookahead->paths.only, false);
}
