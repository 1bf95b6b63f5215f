/* SPDX-License-Identifier: MIT */
/* Estimates where machine code has instructions that PTX lacks, and vice versa, as compiled by
 * ptxas of CUDA 13 for sm_75 to sm_90 (derived with cuobjdump; see README.md):
 *
 *	copies      between registers, loads of parameters, and branches to the next instruction
 *	            need no slot
 *	divisions   and similar operations are several instructions: those of the common path
 *	exits       a branch to an empty exit block is an exit itself, and lanes do not
 *	            reconverge there
 *	predication a branch over few instructions needs no slot: these are issued once, for all
 *	            lanes of the group, with the branch's condition as their guard
 *	BSSY        one for each point where lanes of the remaining branches reconverge
 *	            (reconvergence.h); it precedes the first such branch, or the outermost loop
 *	            around it that does not contain the point; none for uniform branches
 *	BSYNC       at that point: each arriving group issues it; lanes that leave a loop before it
 *	            are removed from the barrier (BREAK)
 */
#include "analysis/dataflow/def_use.h"
#include "analysis/cfg/reconvergence.h"
#include "analysis/dataflow/uniformity.h"
#include "simt/sass/issue_slots.h"

enum { LIMIT = 8, LIMIT_UNIFORM = 6, LIMIT_LOAD = 20, NO_ARM = INT32_MAX };

typedef struct {
	const Cfg *g;
	const Dom *d;
	const Loops *loops;
	const Uniform *uniform;
	Issue_slots *to;
} Rule_coster;

typedef VEC(Open_reconvergence) Open_barriers;

/* Returns the target block of the bra at the end of a block; 0 if there is none. */
static uint32_t
branch_target(const Cfg *g, uint32_t block)
{
	uint32_t last = cfg_terminator(g, block);
	/* the branch target is the first successor: cfg.h */
	return last && ptx_op(g->m, &g->m->stmts[last]) == OP_BRA ? *cfg_succ(g, block) : 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Whether operand k is a register, or a vector of registers of at least 32 bits. */
static bool
is_register(const Module *m, const Stmt *s, uint32_t k)
{
	const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
	return (o->kind == OPND_SYM && ptx_is_reg(m, o->sym)) ||
		(o->kind == OPND_VEC && ptx_type_size(ptx_insn_type(m, s)) >= 4u * (o->tree - 1u));
}

/* Whether a cvt only drops upper bits, as cvt.u32.u64 does. Its result is then one register of the
 * source, and nothing is issued. */
static bool
stmt_is_free_narrowing(const Module *m, const Stmt *s)
{
	static const char *const changes[] = { "rn", "rz", "rm", "rp", "sat", "u8", "s8" };
	Type from = ptx_insn_type(m, s);
	const Opnd *to = &m->opnds[ptx_operand(m, s, 0)];
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
		if (ptx_has(m, s, changes[k]))
			return false;
	return from >= TYPE_U16 && from <= TYPE_S64 && to->kind == OPND_SYM &&
		ptx_type_size((Type)m->syms[to->sym].type) <= ptx_type_size(from);
}

/* Whether it is an ld.param of a constant address: in machine code an operand in the constant bank,
 * or a register of the calling convention. */
static bool
is_parameter(const Module *m, const Stmt *s)
{
	const Opnd *o = &m->opnds[ptx_operand(m, s, 1)];
	return ptx_space(m, s) == SPACE_PARAM && o->kind == OPND_ADDR && o->tree > 1 &&
		o[1].kind == OPND_SYM && !ptx_is_reg(m, o[1].sym);
}

/* Operations with several instructions, on their quick path; flushes: with .ftz. As compiled by
 * ptxas 13.0 for sm_90; sm_80 has the same number or one less. 64-bit sums and shifts are not
 * listed: they are two instructions, but none when they compute an address. */
static const struct {
	Op op;
	Type type;
	const char *word;       /* required modifier; NULL: any */
	uint8_t n, flushes;
} several[] = {
	{ OP_DIV, TYPE_F32, "approx", 6, 2 },
	{ OP_DIV, TYPE_F32, "full", 9, 6 },
	{ OP_DIV, TYPE_F32, NULL, 9, 9 },
	{ OP_DIV, TYPE_F64, NULL, 15, 15 },
	{ OP_DIV, TYPE_U16, NULL, 22, 22 },
	{ OP_DIV, TYPE_U32, NULL, 18, 18 },
	{ OP_DIV, TYPE_S32, NULL, 24, 24 },
	{ OP_DIV, TYPE_U64, NULL, 73, 73 },
	{ OP_DIV, TYPE_S64, NULL, 73, 73 },
	{ OP_REM, TYPE_U32, NULL, 17, 17 },
	{ OP_REM, TYPE_S32, NULL, 22, 22 },
	{ OP_REM, TYPE_U64, NULL, 69, 69 },
	{ OP_REM, TYPE_S64, NULL, 69, 69 },
	{ OP_RCP, TYPE_F32, "approx", 8, 1 },
	{ OP_RCP, TYPE_F32, NULL, 9, 9 },
	{ OP_RCP, TYPE_F64, NULL, 10, 10 },
	{ OP_SQRT, TYPE_F32, "approx", 4, 1 },
	{ OP_SQRT, TYPE_F32, NULL, 9, 9 },
	{ OP_SQRT, TYPE_F64, NULL, 17, 17 },
	{ OP_RSQRT, TYPE_F32, NULL, 4, 1 },
	{ OP_RSQRT, TYPE_F64, NULL, 13, 13 },
	{ OP_EX2, TYPE_F32, NULL, 4, 1 },
	{ OP_LG2, TYPE_F32, NULL, 4, 1 },
	{ OP_SIN, TYPE_F32, NULL, 2, 2 },
	{ OP_COS, TYPE_F32, NULL, 2, 2 },
	{ OP_MUL, TYPE_U64, "lo", 4, 4 },
	{ OP_MUL, TYPE_S64, "lo", 4, 4 },
	{ OP_MUL, TYPE_U64, "hi", 7, 7 },
	{ OP_MUL, TYPE_S64, "hi", 17, 17 },
	{ OP_MAD, TYPE_U64, "lo", 4, 4 },
	{ OP_MAD, TYPE_S64, "lo", 4, 4 },
	{ OP_MIN, TYPE_U64, NULL, 4, 4 },
	{ OP_MIN, TYPE_S64, NULL, 4, 4 },
	{ OP_MAX, TYPE_U64, NULL, 4, 4 },
	{ OP_MAX, TYPE_S64, NULL, 4, 4 },
};

static uint32_t
count_machine_insns(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);

	for (size_t i = 0; i < sizeof several / sizeof *several; i++)
		if (several[i].op == op && several[i].type == ptx_insn_type(m, s) &&
			(!several[i].word || ptx_has(m, s, several[i].word)))
			return ptx_has(m, s, "ftz") ? several[i].flushes : several[i].n;
	return 1;
}

uint32_t
issue_slots_of_stmt(const Module *m, const Stmt *s)
{
	switch (ptx_op(m, s)) {
	case OP_LD: return !is_parameter(m, s);
	case OP_MOV: return !(is_register(m, s, 0) && is_register(m, s, 1));
	case OP_CVT: return !stmt_is_free_narrowing(m, s);
	case OP_CVTA: return !ptx_has(m, s, "global");
	default: return count_machine_insns(m, s);
	}
}

/* ---- predication ----------------------------------------------------------------------------- */

static bool
can_be_predicated(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);
	switch (ptx_ops[op].cost) {
	case COST_ALU: case COST_MUL: case COST_FMA: case COST_F64: case COST_CVT: return true;
	case COST_SFU: return ptx_has(m, s, "approx") && op != OP_DIV;
	case COST_MEM: return op == OP_LD || op == OP_ST;
	default: return false;
	}
}

/* Returns the issue slots of a block, including its branch, if all of it can be predicated, else
 * NO_ARM. Adds the number of its global memory loads to *loads. */
static uint32_t
block_slots(const Rule_coster *b, uint32_t block, uint32_t *loads)
{
	const Module *m = b->g->m;
	const Block *k = &b->g->blocks[block];
	uint32_t last = cfg_terminator(b->g, block), slots = 0;
	for (uint32_t i = k->stmt; i < k->end; i++) {
		const Stmt *s = &m->stmts[i];
		if (s->kind != STMT_INSN)
			continue;
		if (i == last ? s->guard || ptx_op(m, s) == OP_TRAP || ptx_op(m, s) == OP_BRX :
				!can_be_predicated(m, s))
			return NO_ARM;
		Space space = ptx_space(m, s);
		*loads +=
			ptx_op(m, s) == OP_LD && (space == SPACE_GLOBAL || space == SPACE_GENERIC);
		slots += issue_slots_of_stmt(m, s);
	}
	return slots;
}

/* Examines an arm of the branch at the end of block `from`: x and the following blocks that are
 * reached only through x. Returns the block where the arm ends, 0 for an exit, or NO_ARM if the arm
 * cannot be predicated. */
static uint32_t
arm_end(const Rule_coster *b, uint32_t from, uint32_t x)
{
	const Cfg *g = b->g;
	uint32_t slots = 0, loads = 0, first = x;
	while (x && x != from && g->blocks[x].npred == 1) {
		uint32_t n = g->blocks[x].nsucc == 1 ? block_slots(b, x, &loads) : NO_ARM;
		if (n == NO_ARM)
			return NO_ARM;
		slots += n;
		x = *cfg_succ(g, x);
	}
	uint32_t limit = loads                     ? LIMIT_LOAD :
		bits_has(b->uniform->branch, from) ? LIMIT :
						     LIMIT_UNIFORM;
	return x != first && slots <= limit && (x || g->m->funcs[g->func].entry) ? x : NO_ARM;
}

static void
predicate_blocks(const Rule_coster *b, uint32_t from, uint32_t x)
{
	for (; x && b->g->blocks[x].npred == 1; x = *cfg_succ(b->g, x)) {
		b->to->owner[x] = from;
		if (branch_target(b->g, x))
			bits_set(b->to->folded_branch, x);
	}
	bits_set(b->to->folded_branch, from);
}

/* Predicates the arms of a forward branch at the end of a block if possible: an if without else, or
 * both arms. */
static void
try_to_predicate(const Rule_coster *b, uint32_t block)
{
	const uint32_t *way = cfg_succ(b->g, block);
	uint32_t end[2] = { arm_end(b, block, way[0]), arm_end(b, block, way[1]) };
	if (dom_dominates(b->d, way[0], block) || dom_dominates(b->d, way[1], block))
		return;
	for (uint32_t k = 2; k-- > 0;) /* first the arm that follows the branch */
		if (end[k] != NO_ARM && (end[k] == way[!k] || !end[k])) {
			predicate_blocks(b, block, way[k]);
			return;
		}
	if (end[0] != NO_ARM && end[0] == end[1])
		for (uint32_t k = 0; k < 2; k++)
			predicate_blocks(b, block, way[k]);
}

/* ---- exits ----------------------------------------------------------------------------------- */

/* Finds branches to empty exit blocks, and branches to the next block. */
static void
find_exits(const Rule_coster *b)
{
	const Cfg *g = b->g;
	for (uint32_t i = 1; i < g->nblocks; i++) {
		uint32_t target = branch_target(g, i);
		if (target && bits_has(b->to->exits, target))
			bits_set(b->to->leaves, i);
		else if (target == i + 1 && !g->m->stmts[cfg_terminator(g, i)].guard)
			bits_set(b->to->folded_branch, i);
	}
}

/* ---- reconvergence --------------------------------------------------------------------------- */

/* Whether lanes may diverge at the end of a block. */
static bool
lanes_diverge(const Rule_coster *b, uint32_t block)
{
	uint32_t last = cfg_terminator(b->g, block);
	return b->g->blocks[block].nsucc > 1 && last && bits_has(b->uniform->branch, block) &&
		!bits_has(b->to->folded_branch, block) && !bits_has(b->to->leaves, block) &&
		(ptx_flags(b->g->m, &b->g->m->stmts[last]) & OPF_BRANCH) &&
		!ptx_has(b->g->m, &b->g->m->stmts[last], "uni");
}

/* Returns the block with the BSSY for lanes that diverge in x and reconverge at `meet`: x, or a
 * block before the loops around x. */
static uint32_t
barrier_block(const Rule_coster *b, uint32_t x, uint32_t meet)
{
	for (uint32_t l; (l = b->loops->loop_of[x]) && !loop_contains(b->loops, l, meet);) {
		uint32_t before = b->d->idom[b->loops->loops[l].header];
		if (!before)
			break;
		x = before;
	}
	return x;
}

/* Adds a barrier, outside of those at the same place whose lanes reconverge earlier. */
static void
add_barrier(const Rule_coster *b, Open_barriers *to, Open_reconvergence o)
{
	uint32_t at = to->n;

	for (uint32_t k = to->n; k-- > 0;) {
		if (issue_slots_compare_places(&to->at[k].at, &o.at))
			continue;
		if (to->at[k].meet == o.meet)
			return;
		if (dom_postdominates(b->d, o.meet, to->at[k].meet))
			at = k;
	}
	vec_push(to);
	for (uint32_t k = to->n; --k > at;)
		to->at[k] = to->at[k - 1];
	to->at[at] = o;
}

/* Makes lanes that enter the loops around x, up to `meet`, reconverge there. open: by block. */
static void
open_before_loops(const Rule_coster *b, uint32_t x, uint32_t meet, Open_barriers *open)
{
	uint32_t loop = 0;

	for (uint32_t l = b->loops->loop_of[x]; l && !loop_contains(b->loops, l, meet);
		l = b->loops->loops[l].parent)
		loop = l;
	const uint32_t header = b->loops->loops[loop].header;
	CFG_PRED(b->g, header, p) {
		Slot_place at = { SLOT_BLOCK, p, 0, 0, 0 };
		uint32_t n = b->g->blocks[p].nsucc;
		for (uint32_t k = 0; n > 1 && k < n; k++)
			if (cfg_succ(b->g, p)[k] == header)
				at = (Slot_place){ SLOT_EDGE, p, k, 0, 0 };
		if (!loop_contains(b->loops, loop, p))
			add_barrier(b, &open[p], (Open_reconvergence){ at, meet, 0 });
	}
}

/* Sets where lanes reconverge that diverge at a block's end. Lanes that leave a loop wait in a
 * barrier from before it, also for those that are still in it. */
static void
find_meetings_of_branches(const Rule_coster *b, Arena *a)
{
	const uint32_t n = b->g->nblocks;
	Arena *tmp = arena_new();
	Open_barriers *open = arena_array(tmp, n, sizeof *open), all = { 0 };

	b->to->meet = reconvergence_points(b->g, b->d, b->loops, b->to->exits, a);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t loop = b->loops->loop_of[i], meet = b->to->meet[i];
		if (loop && meet && !loop_contains(b->loops, loop, meet) && lanes_diverge(b, i) &&
			!bits_has(b->to->exits, meet))
			open_before_loops(b, i, meet, open);
	}
	BITS_EACH(i, b->to->leaves)
		b->to->meet[i] = b->d->ipdom[i];
	for (uint32_t i = 1; i < n; i++) {
		for (uint32_t k = 0; k < open[i].n; k++)
			*vec_push(&all) = open[i].at[k];
		vec_free(&open[i]);
	}
	issue_slots_set_open(b->to, all.at, all.n, a);
	vec_free(&all);
	arena_free(tmp);
}

/* Places the BSSYs and BSYNCs. */
static void
find_meetings(const Rule_coster *b, Arena *a)
{
	uint32_t n = b->g->nblocks, *at = arena_array(a, n, sizeof *at);
	find_meetings_of_branches(b, a);
	for (uint32_t k = 0; k < b->g->nrpo; k++) {
		uint32_t i = b->g->rpo[k], meet = b->to->meet[i], x = at[meet] ? at[meet] : i;
		if (!meet || !lanes_diverge(b, i) || bits_has(b->to->exits, meet))
			continue;
		while (!dom_dominates(b->d, x, i))
			x = b->d->idom[x];
		at[meet] = x;
	}
	for (uint32_t i = 1; i < n; i++)
		if (at[i]) {
			bits_set(b->to->join, i);
			b->to->opens[barrier_block(b, at[i], i)]++;
		}
}

Issue_slots *
issue_slots_new(const Cfg *g, Arena *a)
{
	Issue_slots *to = arena_zalloc(a, sizeof *to);
	to->owner = arena_array(a, g->nblocks, sizeof *to->owner);
	to->opens = arena_array(a, g->nblocks, sizeof *to->opens);
	to->folded_branch = bits_new(a, g->nblocks);
	to->leaves = bits_new(a, g->nblocks);
	to->join = bits_new(a, g->nblocks);
	to->exits = bits_new(a, g->nblocks);
	return to;
}

Issue_slots *
issue_slots_build(const Cfg *g, const Dom *d, const Refs *refs, Arena *a)
{
	Loops *loops = loop_build(g, d, a);
	Uniform *uniform = uniform_build(g, d, loops, defuse_build(g, refs, a), a);
	Issue_slots *to = issue_slots_new(g, a);
	Rule_coster b = { .g = g, .d = d, .loops = loops, .uniform = uniform, .to = to };
	to->exits = reconvergence_empty_exits(g, a);
	find_exits(&b);
	for (uint32_t i = 0; i < g->nrpo; i++) {
		uint32_t block = g->rpo[i];
		if (g->blocks[block].nsucc == 2 && branch_target(g, block) &&
			!bits_has(to->leaves, block))
			try_to_predicate(&b, block);
	}
	find_meetings(&b, a);
	return to;
}
