/* SPDX-License-Identifier: MIT */
/* Decides whether lanes may look ahead. Policy `ahead` executes the common code of up to 32
 * iterations on separate registers, records which of them take the path or leave the loop, and then
 * executes only these selected iterations, in order, on the lane's registers (lookahead_copies.c).
 * Iterations that are not selected may therefore change only induction variables, which a
 * multiplication updates, and look-ahead must have no effects (docs/proofs/wait.md, W12 to W16):
 *
 * - The common code writes no memory, and reads neither the clock nor memory that may change
 *   meanwhile.
 * - It does not read what the path computes.
 * - It carries no values between iterations but induction variables: registers to which each
 *   iteration adds the same value. The code calls them counts.
 *
 * Values that the path carries between iterations, or that are live out of it, are not
 * restricted. */
#include "transform/legality/legality.h"
#include "transform/legality/motion_legality.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/wait/wait.h"

enum { MOST_COUNTS = 32, LONGEST_CHAIN = 8 };

static bool
block_is_in_loop(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b);
}

static Bits
loop_blocks(const Plan *x)
{
	return x->fn->loops->loops[x->site->loop].blocks;
}

/* Whether the statement is in the loop's common code. */
static bool
stmt_is_common(const Plan *x, uint32_t stmt)
{
	uint32_t b = stmt ? fn_block(x->fn, stmt) : 0;

	return b && block_is_in_loop(x, b) && !block_is_path_only(x, b);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Returns the block at which look-ahead iterations continue after path k: the only block that
 * the path, and the code reachable through paths alone, leads to. Returns 0 if it is not unique. */
static uint32_t
lookahead_resume_block(const Plan *x, const Task_region *k)
{
	const Cfg *g = x->fn->cfg;
	Bits seen = bits_new(x->scratch, g->nblocks);
	uint32_t to = 0, n = 0;

	cfg_flood(g, k->path->entry, false, x->lookahead->path_only, seen);
	BITS_EACH(b, seen)
		FN_SUCC(x->fn, b, s)
			if (s && !bits_has(seen, s) && s != to)
				to = s, n++;
	return n == 1 && block_is_in_loop(x, to) ? to : 0;
}

/* Computes the blocks that are reachable through paths only; they belong to the selected
 * iterations. The compiler may have copied code to such blocks. */
static Verdict
find_path_only_blocks(Plan *x)
{
	const Fn *fn = x->fn;
	Bits within = bits_new(x->scratch, fn->cfg->nblocks),
	     seen = bits_new(x->scratch, fn->cfg->nblocks);

	bits_copy(within, loop_blocks(x));
	for (uint32_t i = 0; i < x->nregions; i++)
		bits_and_not(within, x->regions[i].path->blocks);
	cfg_flood(fn->cfg, plan_header(x), false, within, seen);
	/* with unify, also the blocks after the join of both arms */
	for (uint32_t i = 0; i < x->nregions && x->lookahead->unified; i++)
		cfg_flood(fn->cfg, x->regions[i].path->next, false, within, seen);
	x->lookahead->path_only = bits_new(x->arena, fn->cfg->nblocks);
	BITS_EACH(b, loop_blocks(x))
		if (!bits_has(seen, b))
			bits_set(x->lookahead->path_only, b);
	x->lookahead->resume = arena_array(x->arena, x->nregions, sizeof *x->lookahead->resume);
	for (uint32_t i = 0; i < x->nregions; i++) {
		uint32_t at = fn->cfg->blocks[x->regions[i].path->entry].stmt;
		if (!(x->lookahead->resume[i] = lookahead_resume_block(x, &x->regions[i])))
			return verdict(x->arena, D_CONTROL, fn_stmt(fn, at)->at.pos,
				"it decides where the iteration continues");
	}
	return VERDICT_YES;
}

/* ---- effects --------------------------------------------------------------------------------- */

/* Returns why the statement cannot be executed early and repeatedly; NULL if it can. */
static const char *
lookahead_obstacle(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, s), eff = fn_effects(fn, stmt);

	if (eff & EFF_WRITE || (flags & OPF_STORE && ptx_space(fn->m, s) != SPACE_PARAM))
		return "writes memory";
	if (eff & EFF_SPIN)
		return "reads memory that changes";
	if (flags & OPF_EFFECT || eff & (EFF_STACK | EFF_ASYNC | EFF_ORDER))
		return "has an effect";
	FN_READS(fn, stmt, r)
		if (fn_sreg_has(fn, r->sym, SREGF_TIME))
			return "reads the clock";
	return NULL;
}

static Verdict
note_lookahead_advice(const Plan *x, Verdict v)
{
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"policy 'wait' runs each iteration once, and does not need this");
}

static Verdict
check_no_effects(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, loop_blocks(x)) {
		if (block_is_path_only(x, b))
			continue;
		FN_BLOCK_STMTS(fn, b, s) {
			bool looked_at = fn_stmt(fn, s)->kind == STMT_INSN && !stmt_is_late(x, s);
			const char *what = looked_at ? lookahead_obstacle(fn, s) : NULL;
			if (what)
				return note_lookahead_advice(x,
					verdict(x->arena, D_HAZARD, fn_stmt(fn, s)->at.pos,
						"lanes cannot look ahead: each iteration, even one without the path, %s here",
						what));
		}
	}
	return VERDICT_YES;
}

/* Checks that the path does not end the thread, since later iterations have already been tested. */
static Verdict
check_path_continues(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, x->lookahead->path_only) {
		uint32_t t = cfg_terminator(fn->cfg, b);
		Op op = t ? ptx_op(fn->m, fn_stmt(fn, t)) : OP_BRA;
		if (op == OP_EXIT || op == OP_RET)
			return verdict(x->arena, D_CONTROL, fn_stmt(fn, t)->at.pos,
				"the thread may end inside it");
	}
	return VERDICT_YES;
}

/* Checks that common code and path do not both use thread-local memory. */
static Verdict
check_local_disjoint(const Plan *x)
{
	Bits own = bits_new(x->scratch, x->fn->cfg->nblocks),
	     path = bits_new(x->scratch, x->fn->cfg->nblocks);

	BITS_EACH(b, loop_blocks(x))
		bits_set(block_is_path_only(x, b) ? path : own, b);
	if (!blocks_use_local_memory(x, own) || !blocks_use_local_memory(x, path))
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_LOCAL, DIAG_NOWHERE,
			"the path and the test of later iterations use thread-local memory"),
		x->arena, DIAG_NOWHERE,
		"if no iteration's test reads what the path of an earlier one wrote, say 'independent'");
}

Verdict
plan_check_memory_disjoint(const Plan *x)
{
	Verdict v = check_local_disjoint(x);

	return verdict_is_no(v) ? v : plan_check_reads_ahead(x);
}

/* ---- from the path to the common code -------------------------------------------------------- */

static Verdict
value_is_loop_carried(const Plan *x, uint32_t def, uint32_t use)
{
	const Fn *fn = x->fn;
	const Def *d = fn_def(fn, def);
	Verdict v = verdict(x->arena, D_LIVE_OUT, fn_stmt(fn, d->stmt)->at.pos,
		"%s %s it, and look-ahead iterations read it", describe_value(x, d->sym, d->stmt),
		stmt_is_late(x, d->stmt) ? "depends on" : "is computed in");

	return note_lookahead_advice(x,
		verdict_note(v, x->arena, fn_stmt(fn, fn_use(fn, use)->stmt)->at.pos, "read here"));
}

static Verdict
check_no_loop_carried(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, loop_blocks(x))
		FN_BLOCK_STMTS(fn, b, s) {
			if (!block_is_path_only(x, b) && !stmt_is_late(x, s))
				continue;
			FN_DEFS_OF_STMT(fn, s, d)
				FN_USES(fn, d, u)
					if (stmt_is_common(x, fn_use(fn, u)->stmt) &&
						!stmt_is_late(x, fn_use(fn, u)->stmt))
						return value_is_loop_carried(x, d, u);
		}
	return VERDICT_YES;
}

/* ---- induction variables --------------------------------------------------------------------- */

/* Returns the only definition of sym in the loop; 0 if there is none or more than one. */
static uint32_t
only_def_in_loop(const Plan *x, uint32_t sym)
{
	uint32_t found = 0, n = 0;

	FN_DEFS_OF_SYM(x->fn, sym, d) {
		uint32_t s = fn_def(x->fn, d)->stmt;
		if (s && block_is_in_loop(x, fn_block(x->fn, s)))
			found = d, n++;
	}
	return n == 1 ? found : 0;
}

static bool
changes_in_loop(const Plan *x, uint32_t sym)
{
	FN_DEFS_OF_SYM(x->fn, sym, d) {
		uint32_t s = fn_def(x->fn, d)->stmt;
		if (s && block_is_in_loop(x, fn_block(x->fn, s)))
			return true;
	}
	return false;
}

/* Whether every iteration that stays in the loop executes statement a once, before statement b;
 * b = 0: at any point. */
static bool
executes_once_before(const Plan *x, uint32_t a, uint32_t b)
{
	const Fn *fn = x->fn;
	uint32_t at = fn_block(fn, a), header = plan_header(x);

	if (fn->loops->loop_of[at] != x->site->loop || block_is_path_only(x, at))
		return false;
	if (b)
		return at == fn_block(fn, b) ? a < b : dom_dominates(fn->dom, at, fn_block(fn, b));
	FN_PRED(fn, header, p)
		if (block_is_in_loop(x, p) && !dom_dominates(fn->dom, at, p))
			return false;
	return true;
}

/* Whether the operand is a literal or a loop-invariant register. */
static bool
is_constant(const Plan *x, uint32_t opnd)
{
	const Opnd *o = &x->fn->m->opnds[opnd];

	if (o->kind == OPND_IMM)
		return true;
	return o->kind == OPND_SYM && !o->sel && fn_is_reg(x->fn, o->sym) &&
		!changes_in_loop(x, o->sym);
}

/* Whether the definition is in common code, and its value is used in the same iteration only. */
static bool
def_is_recomputed(const Plan *x, uint32_t def)
{
	const Fn *fn = x->fn;
	const Def *d = fn_def(fn, def);

	return only_def_in_loop(x, d->sym) == def && !d->crowded && stmt_is_common(x, d->stmt) &&
		!bits_has(fn->live->in[plan_header(x)], fn_local(fn, d->sym)) &&
		!slice_register_is_declared_inside(x, d->sym) &&
		(slice_def_is_pure(x, def) || slice_is_param_load(fn, d->stmt));
}

static Slice_step
edge_is_constant(void *user, const Slice_edge *e)
{
	const Stmt_slice *s = user;
	uint32_t stmt = fn_def(e->fn, e->def)->stmt;

	if (!stmt || !block_is_in_loop(s->x, fn_block(e->fn, stmt)))
		return SLICE_HAVE;
	return def_is_recomputed(s->x, e->def) ? SLICE_ACCEPT : SLICE_NO;
}

/* Whether each iteration computes the operand anew, with the same value each time; nvcc does
 * this to avoid keeping a stride in a register. Adds the statements that compute it. */
static bool
recompute_operand(Plan *x, uint32_t stmt, uint32_t opnd)
{
	const Fn *fn = x->fn;
	const Opnd *o = &fn->m->opnds[opnd];
	Lookahead_plan *a = x->lookahead;
	Stmt_slice s = { .x = x, .list = a->recomputed, .n = a->nrecomputed };

	if (o->kind != OPND_SYM || o->sel || !fn_is_reg(fn, o->sym))
		return false;
	const Use *u = fn_use(fn, defuse_find_use(fn, stmt, o->sym));
	if (u->ndef != 1)
		return false;
	uint32_t def = fn->defuse->reach[u->def];
	if (!fn_def(fn, def)->stmt || !def_is_recomputed(x, def) ||
		!slice_add(&s, def, edge_is_constant))
		return false;
	a->nrecomputed = s.n;
	return true;
}

/* Whether the statement is an integer addition or subtraction of that width, without saturation
 * or carry. */
static bool
is_wrapping_add(const Module *m, const Stmt *s, uint32_t bytes)
{
	Op op = ptx_op(m, s);
	bool integer = bytes == 2 ? ptx_has(m, s, "s16") || ptx_has(m, s, "u16") :
		bytes == 4        ? ptx_has(m, s, "s32") || ptx_has(m, s, "u32") :
				    ptx_has(m, s, "s64") || ptx_has(m, s, "u64");

	return integer && (op == OP_ADD || op == OP_SUB) && !ptx_has(m, s, "sat") &&
		!(ptx_flags(m, s) & OPF_CARRY);
}

/* Whether the statement converts between integers and keeps the low `bytes` bytes. The low half
 * of a sum is the sum of the low halves; nvcc derives 32-bit counters from 64-bit copies this
 * way. */
static bool
conversion_keeps_low_bits(const Module *m, const Stmt *s, uint32_t bytes)
{
	static const struct { const char *word; uint32_t size;
	} types[] = {
		{ "s8", 1 },
		{ "u8", 1 },
		{ "s16", 2 },
		{ "u16", 2 },
		{ "s32", 4 },
		{ "u32", 4 },
		{ "s64", 8 },
		{ "u64", 8 },
	};
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		n += types[i].size >= bytes && ptx_has(m, s, types[i].word);
	return ptx_op(m, s) == OP_CVT && n == 2 && !ptx_has(m, s, "sat");
}

/* Walk from a register's value at the end of an iteration back to its value at the start. */
typedef struct {
	Plan *x;
	uint32_t sym;
	uint32_t size;          /* size of the register in bytes */
	uint32_t stmt;          /* statement whose operand is followed */
} Induction_walk;

/* Records the statement's addition. Returns the operand to follow, or 0 if the walk fails. */
static uint32_t
walk_stmt(const Induction_walk *w)
{
	const Module *m = w->x->fn->m;
	const Stmt *s = fn_stmt(w->x->fn, w->stmt);
	Lookahead_plan *a = w->x->lookahead;

	if (s->kind != STMT_INSN || s->guard)
		return 0;
	if (ptx_op(m, s) == OP_MOV || conversion_keeps_low_bits(m, s, w->size))
		return ptx_operand(m, s, 1);
	if (!is_wrapping_add(m, s, w->size) || a->ncounts == MOST_COUNTS)
		return 0;
	uint32_t first = ptx_operand(m, s, 1), second = ptx_operand(m, s, 2);
	bool minus = ptx_op(m, s) == OP_SUB,
	     swap = !minus && (is_constant(w->x, first) || recompute_operand(w->x, w->stmt, first));
	uint32_t by = swap ? first : second;
	if (!swap && !is_constant(w->x, by) && !recompute_operand(w->x, w->stmt, by))
		return 0;
	a->counts[a->ncounts++] = (Loop_counter){ w->sym, by, minus };
	return swap ? second : first;
}

/* Continues at the operand's only definition. Returns false if the operand is no such register. */
static bool
walk_operand(Induction_walk *w, uint32_t opnd)
{
	const Fn *fn = w->x->fn;
	const Opnd *o = &fn->m->opnds[opnd];
	const Use *u = NULL;

	if (!opnd || o->kind != OPND_SYM || o->sel || !fn_is_reg(fn, o->sym) ||
		fn->m->syms[o->sym].type == TYPE_PRED)
		return false;
	u = fn_use(fn, defuse_find_use(fn, w->stmt, o->sym));
	if (u->ndef != 1)
		return false;
	uint32_t def = fn_def(fn, fn->defuse->reach[u->def])->stmt;
	if (!def || !block_is_in_loop(w->x, fn_block(fn, def)) ||
		!executes_once_before(w->x, def, w->stmt))
		return false;
	w->stmt = def;
	return true;
}

bool
plan_find_loop_counter(Plan *x, uint32_t sym)
{
	const Fn *fn = x->fn;
	uint32_t n = x->lookahead->ncounts, def = only_def_in_loop(x, sym);
	uint32_t size = ptx_type_size((Type)fn->m->syms[sym].type);
	Induction_walk w = { x, sym, size, def ? fn_def(fn, def)->stmt : 0 };

	if (!def || fn->m->syms[sym].type == TYPE_PRED || size < 2 || size > 8 ||
		!executes_once_before(x, w.stmt, 0))
		return false;
	for (int i = 0; i < LONGEST_CHAIN; i++) {
		uint32_t opnd = walk_stmt(&w);
		if (opnd && fn->m->opnds[opnd].kind == OPND_SYM && fn->m->opnds[opnd].sym == sym &&
			!fn->m->opnds[opnd].sel)
			return x->lookahead->ncounts > n;
		if (!walk_operand(&w, opnd))
			break;
	}
	x->lookahead->ncounts = n;
	return false;
}

static Verdict
register_is_loop_carried(const Plan *x, uint32_t sym, uint32_t stmt)
{
	return note_lookahead_advice(x,
		verdict(x->arena, D_LIVE_OUT, fn_stmt(x->fn, stmt)->at.pos,
			"lanes cannot look ahead: %s is carried between iterations here, and is not an induction variable",
			describe_value(x, sym, stmt)));
}

/* Checks that the common code carries nothing but induction variables between iterations. */
static Verdict
find_loop_counters(Plan *x)
{
	const Fn *fn = x->fn;

	x->lookahead->counts = arena_array(x->arena, MOST_COUNTS, sizeof *x->lookahead->counts);
	x->lookahead->recomputed =
		arena_array(x->arena, SLICE_MAX, sizeof *x->lookahead->recomputed);
	BITS_EACH(i, fn->live->in[plan_header(x)]) {
		uint32_t sym = fn_sym(fn, i);
		if (bits_has(x->lookahead->copied, i) && !plan_find_loop_counter(x, sym))
			FN_DEFS_OF_SYM(fn, sym, d)
				if (stmt_is_common(x, fn_def(fn, d)->stmt))
					return register_is_loop_carried(
						x, sym, fn_def(fn, d)->stmt);
	}
	return VERDICT_YES;
}

/* Collects the registers that the common code writes; look-ahead has its own copies. */
static void
find_lookahead_registers(Plan *x)
{
	const Fn *fn = x->fn;
	Bits copied = x->lookahead->copied = bits_new(x->arena, fn->f->nsym);

	BITS_EACH(b, loop_blocks(x)) {
		if (block_is_path_only(x, b))
			continue;
		FN_BLOCK_STMTS(fn, b, s)
			FN_DEFS_OF_STMT(fn, s, d)
				if (!slice_register_is_declared_inside(x, fn_def(fn, d)->sym))
					bits_set(copied, fn_local(fn, fn_def(fn, d)->sym));
	}
}

Verdict
plan_check_lookahead(Plan *x)
{
	Verdict v = find_path_only_blocks(x);

	if (verdict_is_no(v))
		return v;
	plan_late_statements(x);
	find_lookahead_registers(x);
	if (verdict_is_no(v = check_path_continues(x)) || verdict_is_no(v = check_no_effects(x)) ||
		verdict_is_no(v = check_no_loop_carried(x)) ||
		verdict_is_no(v = find_loop_counters(x)))
		return v;
	return x->clauses.independent ? VERDICT_YES : plan_check_memory_disjoint(x);
}
