/* SPDX-License-Identifier: MIT */
/* Cost of executing blocks: issue slots by the throughput table of the CUDA C++ Programming Guide
 * (arithmetic instructions, compute capability 9.0), and memory accesses. See static_cost.h. */
#include "analysis/cost/static_cost.h"
#include "analysis/cost/operand_cost.h"
#include "analysis/loops/trip_count.h"
#include "analysis/loops/unroll_predict.h"
#include "analysis/memory/lane_stride.h"

/* ---- issue ----------------------------------------------------------------------------------- */

/* Half slots by cost class, from the same table. The cost of a division and of a function's
 * prologue are estimates. */
static const uint8_t halves[] = {
	[COST_NONE] = 0,
	[COST_ALU] = 2,
	[COST_MUL] = 3,
	[COST_FMA] = 3,
	[COST_F64] = 3,
	[COST_SFU] = 12,
	[COST_CVT] = 4,
	[COST_MEM] = 6,
	[COST_ATOM] = 8,
	[COST_SYNC] = 6,
	[COST_BRANCH] = 2,
	[COST_CALL] = 60,
	[COST_MMA] = 32,
};
enum { DIVISION = 30, ROOT = 20, MANY_DOUBLE = 60, LITERAL = 4 };

/* A multiplication takes no longer than an addition, except for 64-bit integers. But the register
 * file has two banks; each delivers one register of a warp per cycle, and a double
 * occupies both: a multiply-add that reads three registers takes a cycle (half a slot) more than
 * one that reads two. Not modelled: integers and doubles occupy their unit for two cycles in any
 * case, and independent instructions of a warp may reuse a register of the one before. */
enum { BANKS = 2, MULTIPLY = 2, CONFLICT = 1 };

/* Cost of a move. Usually ptxas removes it. But a double literal that does not fit the constant of
 * an instruction is moved in two halves wherever it is used. */
static double
issue_move(const Fn *fn, const Stmt *s)
{
	const Opnd *from = &fn->m->opnds[ptx_operand(fn->m, s, 1)];
	uint64_t bits;
	bool real = false;

	return ptx_insn_type(fn->m, s) == TYPE_F64 && from->kind == OPND_IMM &&
			ptx_imm(fn->m, from, &bits, &real) && real && (uint32_t)bits ?
		LITERAL / 2.0 :
		0;
}

double
cost_conflict(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN && ptx_op(fn->m, s) == OP_FMA &&
			operands_registers(fn, stmt) > BANKS ?
		CONFLICT / 2.0 :
		0;
}

static double
issue_multiply(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	switch (ptx_insn_type(fn->m, s)) {
	case TYPE_B64:
	case TYPE_S64:
	case TYPE_U64: return halves[ptx_ops[ptx_op(fn->m, s)].cost] / 2.0;
	default: return MULTIPLY / 2.0 + cost_conflict(fn, stmt);
	}
}

static double
issue_slots_of(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	bool is_double = ptx_insn_type(fn->m, s) == TYPE_F64;

	switch (ptx_op(fn->m, s)) {
	case OP_MOV: return issue_move(fn, s);
	case OP_DIV:
	case OP_REM: return (is_double ? MANY_DOUBLE : DIVISION) / 2.0;
	case OP_SQRT:
	case OP_RCP:
		if (!ptx_has(fn->m, s, "approx"))
			return (is_double ? MANY_DOUBLE : ROOT) / 2.0;
		break;
	case OP_MUL:
	case OP_MAD:
	case OP_FMA: return issue_multiply(fn, stmt);
	default: break;
	}
	return halves[ptx_ops[ptx_op(fn->m, s)].cost] / 2.0;
}

static bool
in_address(const Fn *fn, uint32_t stmt, uint32_t opnd)
{
	const Stmt *s = fn_stmt(fn, stmt);

	for (uint32_t k = 0; k < s->nopnd; k++) {
		uint32_t at = ptx_operand(fn->m, s, k);
		const Opnd *o = &fn->m->opnds[at];
		if (o->kind == OPND_ADDR && opnd >= at && opnd < at + o->tree)
			return true;
	}
	return false;
}

/* Whether the address of an access differs between lanes. */
static bool
is_scattered(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	if (!(ptx_flags(fn->m, s) & (OPF_LOAD | OPF_STORE | OPF_ATOMIC)))
		return false;
	Space space = ptx_space(fn->m, s);
	if (space != SPACE_GLOBAL && space != SPACE_GENERIC && space != SPACE_TEX)
		return false;
	FN_READS(fn, stmt, r)
		if (fn_is_reg(fn, r->sym) && in_address(fn, stmt, r->opnd) &&
			bits_has(fn->uniform->use, defuse_find_use(fn, stmt, r->sym)))
			return true;
	return false;
}

/* Returns the words that a load reads from constant memory; 0 if its address can be an
 * instruction's operand. */
static uint32_t
constant_words(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t bytes = 0;

	if (!(ptx_flags(fn->m, s) & OPF_LOAD) || ptx_space(fn->m, s) != SPACE_CONST)
		return 0;
	FN_DEFS_OF_STMT(fn, stmt, d)
		bytes += ptx_type_size(ptx_insn_type(fn->m, s));
	FN_READS(fn, stmt, r)
		if (ptx_is_reg(fn->m, r->sym) && in_address(fn, stmt, r->opnd))
			return (bytes + 3) / 4;
	return 0;
}

double
loop_run_count(const Fn *fn, uint32_t loop, uint32_t depth)
{
	const Loop *loops = fn->loops->loops;
	double n = 1;

	for (; loops[loop].depth > depth; loop = loops[loop].parent)
		n *= loops[loop].trips ? loops[loop].trips : COST_LOOP_WEIGHT;
	return n;
}

/* Returns the share of lanes that execute a block, of those that execute an iteration of its
 * innermost loop, if that loop is in the set: 1, or 0.5 since a lane takes one of two edges. */
static double
lanes_in(const Fn *fn, Bits set, uint32_t block)
{
	uint32_t l = fn->loops->loop_of[block], header = fn->loops->loops[l].header;

	if (!l || !bits_has(set, header))
		return 1;
	FN_PRED(fn, header, from)
		if (loop_contains(fn->loops, l, from) && !dom_dominates(fn->dom, block, from))
			return 0.5;
	return 1;
}

/* In a loop that ptxas unrolls, the counter update, test and branch occur once per unrolled
 * body. */
double
cost_saved_by_unrolling(const Fn *fn, uint32_t block)
{
	enum { CONTROL = 3 };
	const Loop *l = &fn->loops->loops[fn->loops->loop_of[block]];

	return l->unrolled ? CONTROL * (1 - 1.0 / UNROLLED) : 0;
}

/* Adds n executions of a block. set: as for lanes_in. */
static void
add_block(const Fn *fn, uint32_t block, double n, Bits set, Run_cost *w)
{
	w->issue -= n * cost_saved_by_unrolling(fn, block);
	FN_BLOCK_STMTS(fn, block, s) {
		if (fn_stmt(fn, s)->kind != STMT_INSN)
			continue;
		w->issue += n * issue_slots_of(fn, s);
		w->memory += is_scattered(fn, s) ? n * lanes_in(fn, set, block) : 0;
		w->constants += n * constant_words(fn, s);
	}
}

Run_cost
run_cost_with_counts(const Fn *fn, Bits blocks, Block_run_count *runs, void *user)
{
	Run_cost w = { 0 };

	BITS_EACH(b, blocks)
		add_block(fn, b, runs(user, b), blocks, &w);
	return w;
}

Run_cost
run_cost_of_block(const Fn *fn, uint32_t block)
{
	Run_cost w = { 0 };

	add_block(fn, block, 1, fn->loops->loops[fn->loops->loop_of[block]].blocks, &w);
	return w;
}

/* Execution counts from trip counts. */
typedef struct { const Fn *fn; uint32_t depth; } Loop_run_counts;

static double
loop_based_count(void *user, uint32_t block)
{
	const Loop_run_counts *x = user;

	return loop_run_count(x->fn, x->fn->loops->loop_of[block], x->depth);
}

Run_cost
run_cost_of_blocks(const Fn *fn, Bits blocks, uint32_t entry)
{
	Loop_run_counts x = { fn, fn->loops->loops[fn->loops->loop_of[entry]].depth };

	return run_cost_with_counts(fn, blocks, loop_based_count, &x);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Dependent loads in a set of blocks. By definition: waits, the length of the chain of loads
 * before its value is available, each weighted with its executions; read, whether the value
 * depends on loaded data; index, the block of the last load that contributes to it (0: none).
 * The tables hold the definitions [first, end), the text from the first to the last of the
 * blocks, from index 1 on. */
typedef struct {
	const Fn *fn;
	Bits blocks, read;
	uint32_t first, end;
	uint32_t *index;
	double *waits;
} Load_chain;

/* Returns the index of a definition in the tables; 0 for one outside the text, whose entry stays
 * zero. */
static uint32_t
at_of(const Load_chain *c, uint32_t def)
{
	return def >= c->first && def < c->end ? def - c->first + 1 : 0;
}

static bool
waits_for_memory(const Fn *fn, const Stmt *s)
{
	Space space = ptx_space(fn->m, s);

	return ptx_flags(fn->m, s) & (OPF_LOAD | OPF_ATOMIC) &&
		(space == SPACE_GLOBAL || space == SPACE_GENERIC || space == SPACE_TEX);
}

/* Whether the value is computed from the operands, and not only selected by them. */
static bool
stmt_computes_number(const Fn *fn, const Stmt *s)
{
	return ptx_flags(fn->m, s) & OPF_PURE && ptx_op(fn->m, s) != OP_SELP &&
		ptx_op(fn->m, s) != OP_SETP;
}

/* Definitions that reach a use, at most LAST. Guarded updates can make the list long;
 * then only the last ones are read. */
#define LAST_REACH(fn, u, d) \
	IDS_EACH((fn)->defuse->reach, first_of_last(fn_use(fn, u)), \
		fn_use(fn, u)->def + fn_use(fn, u)->ndef, d)

static uint32_t
first_of_last(const Use *u)
{
	enum { LAST = 32 };

	return u->def + (u->ndef > LAST ? u->ndef - LAST : 0);
}

/* The address of an access: whether it depends on loaded data, and the last load that it was
 * computed from. */
typedef struct { bool read; uint32_t index; } Address_source;

static uint32_t
block_is_later(const Fn *fn, uint32_t a, uint32_t b)
{
	return !a || (b && fn->cfg->rpo_index[b] > fn->cfg->rpo_index[a]) ? b : a;
}

static Address_source
address_source(const Load_chain *c, uint32_t stmt)
{
	const Fn *fn = c->fn;
	Address_source p = { 0 };

	FN_READS(fn, stmt, r) {
		if (!ptx_is_reg(fn->m, r->sym) || !in_address(fn, stmt, r->opnd))
			continue;
		LAST_REACH(fn, defuse_find_use(fn, stmt, r->sym), d) {
			p.read |= bits_has(c->read, at_of(c, d));
			p.index = block_is_later(fn, p.index, c->index[at_of(c, d)]);
		}
	}
	return p;
}

/* Whether the address may be arbitrary in each iteration. If it was computed only from data loaded
 * before the loop, each lane advances from there. */
static bool
address_is_random(const Load_chain *c, uint32_t block, const Address_source *p)
{
	const Loops *l = c->fn->loops;
	uint32_t loop = l->loop_of[block];

	return p->index && (!loop || !bits_has(c->blocks, l->loops[loop].header) ||
				   loop_contains(l, loop, p->index));
}

/* Propagates the facts of the statement's operands to its results. Returns the wait for its
 * operands. */
static double
propagate_chain(const Load_chain *c, uint32_t block, uint32_t stmt, double n)
{
	const Stmt *s = fn_stmt(c->fn, stmt);
	bool loads = waits_for_memory(c->fn, s), read = loads;
	uint32_t index = loads ? block : 0;
	double most = 0;

	FN_USES_OF_STMT(c->fn, stmt, u)
		LAST_REACH(c->fn, u, d) {
			uint32_t at = at_of(c, d);
			most = c->waits[at] > most ? c->waits[at] : most;
			read |= bits_has(c->read, at);
			if (!loads && stmt_computes_number(c->fn, s))
				index = block_is_later(c->fn, index, c->index[at]);
		}
	FN_DEFS_OF_STMT(c->fn, stmt, d) {
		uint32_t at = at_of(c, d);
		c->waits[at] = most + (loads ? n : 0);
		c->index[at] = block_is_later(c->fn, c->index[at], index);
		if (read)
			bits_set(c->read, at);
	}
	return most;
}

/* Returns the sectors per lane of a coalesced access. */
static double
access_sectors(const Fn *fn, uint32_t stmt)
{
	enum { SECTOR = 32 };

	return stride_bytes(fn, stmt) / (double)SECTOR;
}

/* Adds the accesses of a statement by this many lanes at different addresses. */
static void
add_access(const Load_chain *c, uint32_t block, uint32_t stmt, double lanes, Run_cost *w)
{
	Address_source p = address_source(c, stmt);
	bool atomic = ptx_flags(c->fn->m, fn_stmt(c->fn, stmt)) & OPF_ATOMIC;

	w->pointer_loads += p.read ? lanes : 0;
	if (atomic && !fn_is_read(c->fn, stmt)) {
		w->updates +=
			lanes * (stride_is_adjacent(c->fn, stmt) ? access_sectors(c->fn, stmt) : 1);
		return;
	}
	w->exchanges += atomic ? lanes : 0;
	w->indexed += address_is_random(c, block, &p) ? lanes : 0;
}

static void
follow_chain(const Load_chain *c, uint32_t block, double n, Run_cost *w)
{
	double lanes = n * lanes_in(c->fn, c->blocks, block);

	FN_BLOCK_STMTS(c->fn, block, s) {
		if (fn_stmt(c->fn, s)->kind != STMT_INSN)
			continue;
		if (is_scattered(c->fn, s))
			add_access(c, block, s, lanes, w);
		double waits = propagate_chain(c, block, s, n);
		w->dependent_loads = waits > w->dependent_loads ? waits : w->dependent_loads;
	}
}

/* Returns the smallest rpo index of the blocks. */
static uint32_t
first_in_order(const Cfg *g, Bits blocks)
{
	uint32_t first = g->nrpo;

	BITS_EACH(b, blocks)
		first = g->rpo_index[b] < first ? g->rpo_index[b] : first;
	return first;
}

/* Allocates tables for the definitions in the text from the first to the last of the blocks. */
static Load_chain
chain_new(const Fn *fn, Bits blocks)
{
	Load_chain c = { .fn = fn, .blocks = blocks };

	BITS_EACH(b, blocks) {
		const Block *k = &fn->cfg->blocks[b];
		if (k->stmt == k->end)
			continue;
		if (!c.end)
			c.first = fn->defuse->def_of_stmt[fn_local_stmt(fn, k->stmt)];
		c.end = fn->defuse->def_of_stmt[fn_local_stmt(fn, k->end - 1) + 1];
	}
	c.read = bits_new(fn->arena, c.end - c.first + 1);
	c.index = arena_array(fn->arena, c.end - c.first + 1u, sizeof *c.index);
	c.waits = arena_array(fn->arena, c.end - c.first + 1u, sizeof *c.waits);
	return c;
}

/* The second round models another execution, which starts with the facts that the first one
 * left. */
void
run_cost_loads(const Fn *fn, Bits blocks, Block_run_count *runs, void *user, Run_cost *w)
{
	Arena_mark mark = arena_mark(fn->arena);
	Load_chain c = chain_new(fn, blocks);
	double first = 0;

	for (uint32_t round = 0; round < 2; round++) {
		first = w->dependent_loads;
		w->pointer_loads = w->indexed = w->exchanges = w->updates = w->dependent_loads = 0;
		uint32_t i = first_in_order(fn->cfg, blocks), left = bits_count(blocks);
		for (; i < fn->cfg->nrpo && left; i++)
			if (bits_has(blocks, fn->cfg->rpo[i]) && left--)
				follow_chain(&c, fn->cfg->rpo[i], runs(user, fn->cfg->rpo[i]), w);
	}
	w->chained = w->dependent_loads - first;
	w->dependent_loads = first;
	arena_release(fn->arena, mark);
}

static bool
loop_writes_memory(const Fn *fn, uint32_t loop)
{
	BITS_EACH(b, fn->loops->loops[loop].blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_effects(fn, s) & EFF_WRITE)
				return true;
	return false;
}

/* In a loop that writes nothing, the compiler loads the bound again because of the markers only. */
void
run_cost_bound_wait(
	const Fn *fn, uint32_t loop, Block_run_count *runs, void *user, Run_cost *w)
{
	Arena_mark mark = arena_mark(fn->arena);
	const Trip_count *t = trip_count_analyse(fn, loop, fn->arena);

	for (uint32_t i = 0; i < t->nreloads && loop_writes_memory(fn, loop); i++) {
		double n = waits_for_memory(fn, fn_stmt(fn, t->reloads[i])) ?
			runs(user, fn_block(fn, t->reloads[i])) :
			0;
		w->chained = n > w->chained ? n : w->chained;
	}
	arena_release(fn->arena, mark);
}
