/* SPDX-License-Identifier: MIT */
/* Recognition of reductions (the CCC paper, section 2.3; docs/design.md 6.6).
 *
 * The compiler spreads one variable over several registers, by moves and by chains of sums where an
 * inner loop was unrolled. So we look for a *web*: the registers that hold the variable. In the
 * loop and the path, each statement that writes a register of the web either moves another one
 * there or folds a value into it, by one associative and commutative operation; no other statement
 * reads one. A conditional fold may be two statements: one folds into a register that nothing else
 * reads, and a select takes either that or the old value. And at each point at most one register of
 * the web is live: so that one is the variable, with all values folded up to there, and no older
 * value is seen again.
 *
 * Correctness: the variable after the loop is its value before the loop combined with all values
 * folded in between, in any order. A run of the path folds into the identity and then folds the
 * result into its owner's slot, which also begins with the identity; common code folds into the
 * owner's register, and at the end the owner folds the slot into that.
 *
 * Warpwide: the slot is a register of the lane that runs the path, which this lane alone accesses
 * and finally folds into its own variable. So over all lanes of M the same values are folded as
 * without the transformation, each once: the combination of the variables over the warp is
 * unchanged, and only that is used, as the annotation promises. */
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"
#include "transform/task/task.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* held: operand that holds the variable; 0: either of two. */
static const struct { Op op; Annot_operator as; uint8_t held; } folds[] = {
	{ OP_ADD, OPERATOR_ADD, 0 },
	{ OP_SUB, OPERATOR_ADD, 1 },
	{ OP_MAD, OPERATOR_ADD, 3 },
	{ OP_FMA, OPERATOR_ADD, 3 },
	{ OP_MIN, OPERATOR_MIN, 0 },
	{ OP_MAX, OPERATOR_MAX, 0 },
	{ OP_AND, OPERATOR_BIT_AND, 0 },
	{ OP_OR, OPERATOR_BIT_OR, 0 },
	{ OP_XOR, OPERATOR_BIT_XOR, 0 },
};

/* Returns the type of the equivalent memory operation; TYPE_NONE if there is none. */
static Type
memory_type(const Module *m, const Stmt *s, Annot_operator as)
{
	Type t = ptx_insn_type(m, s);
	bool sum = as == OPERATOR_ADD, order = as == OPERATOR_MIN || as == OPERATOR_MAX;

	if (ptx_has(m, s, "wide"))
		t = t == TYPE_S32 || t == TYPE_U32 ? TYPE_U64 : TYPE_NONE;
	switch (t) {
	case TYPE_S32: return order ? t : sum ? TYPE_U32 : TYPE_NONE;
	case TYPE_S64: return order ? t : sum ? TYPE_U64 : TYPE_NONE;
	case TYPE_U32:
	case TYPE_U64:
	case TYPE_F32:
	case TYPE_F64:
		return order || sum ? t : TYPE_NONE;
	case TYPE_B32: case TYPE_B64: return order || sum ? TYPE_NONE : t;
	default: return TYPE_NONE;
	}
}

/* Whether the statement is a fold. Fills the operation and type of *r. */
static bool
match_operation(const Module *m, const Stmt *s, Reduction *r, uint8_t *held)
{
	static const char *const other[] = {
		"sat", "satfinite", "relu", "NaN", "abs", "xorsign", "rz", "rm", "rp", "hi"
	};

	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (ptx_has(m, s, other[i]))
			return false;
	for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
		if (ptx_op(m, s) == folds[i].op) {
			r->op = folds[i].as;
			r->type = memory_type(m, s, r->op);
			r->ftz = ptx_has(m, s, "ftz");
			*held = folds[i].held;
			return r->type != TYPE_NONE;
		}
	return false;
}

/* Returns the register that operand k consists of; 0 if it is something else. */
static uint32_t
operand_register(const Fn *fn, const Stmt *s, uint32_t k)
{
	const Opnd *o = &fn->m->opnds[ptx_operand(fn->m, s, k)];

	return ptx_operand(fn->m, s, k) && o->kind == OPND_SYM && !o->sel && fn_is_reg(fn, o->sym) ?
		o->sym :
		0;
}

/* ---- conditional folds ----------------------------------------------------------------------- */

static bool
stmt_reads_once(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	uint32_t n = 0;

	FN_READS(fn, stmt, r)
		n += r->sym == sym;
	return n == 1;
}

static bool
stmt_writes(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_WRITES(fn, stmt, r)
		if (r->sym == sym)
			return true;
	return false;
}

/* Whether the statement folds a value into register `old`, at an operand where that is allowed. */
static bool
stmt_folds_into(const Fn *fn, uint32_t stmt, uint32_t old)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Reduction is;
	uint8_t at;

	if (s->kind != STMT_INSN || s->guard || !match_operation(fn->m, s, &is, &at) ||
		!stmt_reads_once(fn, stmt, old))
		return false;
	return at ? operand_register(fn, s, at) == old :
		    operand_register(fn, s, 1) == old || operand_register(fn, s, 2) == old;
}

/* Returns the statement that computes the select's operand k by folding into its other operand; 0
 * if there is none. */
static uint32_t
select_folded_by(const Fn *fn, uint32_t select, uint32_t k)
{
	const Stmt *s = fn_stmt(fn, select);
	uint32_t sum = operand_register(fn, s, k), old = operand_register(fn, s, 3 - k);

	if (!sum || !old || sum == old || !stmt_reads_once(fn, select, sum))
		return 0;
	const Use *u = fn_use(fn, defuse_find_use(fn, select, sum));
	uint32_t d = u->ndef == 1 ? fn->defuse->reach[u->def] : 0, by = d ? fn_def(fn, d)->stmt : 0,
		 uses = 0;
	if (!by || by > select || fn_block(fn, by) != fn_block(fn, select) ||
		!stmt_folds_into(fn, by, old))
		return 0;
	FN_USES(fn, d, i)
		uses += i != 0;
	for (uint32_t i = by; i < select; i++)
		if (stmt_writes(fn, i, old))
			return 0;
	return uses == 1 ? by : 0;
}

/* Returns the fold that a select takes or leaves, and sets *old to the select's operand with the
 * old value; 0 if it is no such select. */
static uint32_t
select_fold(const Fn *fn, uint32_t select, uint8_t *old)
{
	const Stmt *s = fn_stmt(fn, select);

	if (s->kind != STMT_INSN || s->guard || ptx_op(fn->m, s) != OP_SELP)
		return 0;
	for (uint8_t k = 1; k <= 2; k++) {
		uint32_t by = select_folded_by(fn, select, k);
		*old = (uint8_t)(3 - k);
		if (by)
			return by;
	}
	return 0;
}

/* ---- the web --------------------------------------------------------------------------------- */

typedef struct {
	const Plan *x;
	const Task_region *k;
	Bits blocks;            /* blocks of the loop; for an expanded inner loop, its own */
	Reduction *r;
	/* operand to try first where either may hold the variable */
	uint8_t first;
	bool known;             /* the operation is known */
	uint32_t bad;           /* the statement that violates the rules; 0: none */
} Reduction_web;

static bool
web_has(const Reduction_web *w, uint32_t sym)
{
	return fn_is_reg(w->x->fn, sym) && bits_has(w->r->web, fn_local(w->x->fn, sym));
}

/* Returns how often a statement reads registers of the web. *writes: whether it writes any. */
static uint32_t
count_web_accesses(const Reduction_web *w, uint32_t stmt, bool *writes)
{
	uint32_t reads = 0;

	*writes = false;
	FN_REFS(w->x->fn, stmt, r) {
		reads += !r->written && web_has(w, r->sym);
		*writes |= r->written && web_has(w, r->sym);
	}
	return reads;
}

/* Returns the operand that holds the variable if two are possible. */
static uint32_t
commuted_operand(const Reduction_web *w, const Stmt *s, uint32_t reads)
{
	uint32_t a = operand_register(w->x->fn, s, 1), b = operand_register(w->x->fn, s, 2);

	if (reads)
		return a && web_has(w, a) ? 1 : 2;
	return (w->first == 1 && a) || !b ? 1 : 2;
}

/* Returns the operand that holds the variable, for a statement that reads the web so often; 0 if
 * the statement does not belong to a reduction. */
static uint32_t
variable_operand(Reduction_web *w, uint32_t stmt, uint32_t reads)
{
	const Fn *fn = w->x->fn;
	const Stmt *s = fn_stmt(fn, stmt);
	Reduction is;
	uint8_t at, old = 0;

	if (s->kind != STMT_INSN || reads > 1 || !operand_register(fn, s, 0))
		return 0;
	if (ptx_op(fn->m, s) == OP_MOV)
		return !s->guard && operand_register(fn, s, 1) ? 1 : 0;
	uint32_t by = select_fold(fn, stmt, &old);
	if (!match_operation(fn->m, by ? fn_stmt(fn, by) : s, &is, &at) ||
		(w->known && (is.op != w->r->op || is.type != w->r->type)))
		return 0;
	w->r->op = is.op;
	w->r->type = is.type;
	w->r->ftz |= is.ftz;
	w->known = true;
	return by ? old : at ? at : commuted_operand(w, s, reads);
}

static bool
web_add(Reduction_web *w, uint32_t sym, bool *more)
{
	const Sym *y = &w->x->fn->m->syms[sym];

	if (!sym || y->vec > 1)
		return false;
	*more |= !web_has(w, sym);
	bits_set(w->r->web, fn_local(w->x->fn, sym));
	return true;
}

/* Whether code in the block runs for a task of this region, or for no task. Not so in the path of a
 * nested region: the lane that runs it no longer holds its owner's task. */
static bool
block_is_in_task(const Reduction_web *w, uint32_t block)
{
	return w->k->lane_loop ||
		(!w->k->outer && (!task_region_has(w->k, block) || bits_has(w->k->blocks, block)));
}

/* Whether a select takes or leaves what the statement folds into the variable. */
static bool
fold_is_selected(const Reduction_web *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;
	uint8_t old = 0;

	FN_DEFS_OF_STMT(fn, stmt, d)
		FN_USES(fn, d, u) {
			uint32_t select = fn_use(fn, u)->stmt;
			if (select_fold(fn, select, &old) == stmt &&
				web_has(w, operand_register(fn, fn_stmt(fn, select), old)))
				return true;
		}
	return false;
}

/* Adds a statement that accesses the web, with the registers that it reads and writes; false if the
 * statement is not part of a reduction. */
static bool
web_take_stmt(Reduction_web *w, uint32_t stmt, bool *more)
{
	const Fn *fn = w->x->fn;
	bool wrote;
	uint32_t reads = count_web_accesses(w, stmt, &wrote);

	if (!reads && !wrote)
		return true;
	if (reads == 1 && !wrote && fold_is_selected(w, stmt))
		return true; /* the select is added instead */
	if (!block_is_in_task(w, fn_block(fn, stmt))) {
		w->bad = stmt;
		return false;
	}
	uint32_t at = variable_operand(w, stmt, reads);
	uint32_t from = at ? operand_register(fn, fn_stmt(fn, stmt), at) : 0;
	if (from && (!reads || web_has(w, from)) && web_add(w, from, more) &&
		web_add(w, operand_register(fn, fn_stmt(fn, stmt), 0), more))
		return true;
	w->bad = stmt;
	return false;
}

static bool
web_grow(Reduction_web *w)
{
	for (bool more = true; more;) {
		more = false;
		BITS_EACH(b, w->blocks)
			FN_BLOCK_STMTS(w->x->fn, b, s)
				if (!web_take_stmt(w, s, &more))
					return false;
	}
	return w->known;
}

/* ---- liveness: one value at a time ----------------------------------------------------------- */

/* Returns the only live register of the web; 0 if there are none or several. */
static uint32_t
only_live(const Reduction_web *w, Bits live)
{
	uint32_t found = 0;

	BITS_EACH(i, w->r->web)
		if (bits_has(live, i)) {
			if (found)
				return 0;
			found = fn_sym(w->x->fn, i);
		}
	return found;
}

/* Updates `live` from after the statement to before it; false if two registers of the web are
 * live. */
static bool
update_live(const Reduction_web *w, uint32_t stmt, Bits live)
{
	const Fn *fn = w->x->fn;
	const Stmt *s = fn_stmt(fn, stmt);

	FN_WRITES(fn, stmt, r)
		if (web_has(w, r->sym)) {
			if (!bits_has(live, fn_local(fn, r->sym)))
				return false;
			if (!s->guard)
				bits_unset(live, fn_local(fn, r->sym));
		}
	FN_READS(fn, stmt, r)
		if (web_has(w, r->sym))
			bits_set(live, fn_local(fn, r->sym));
	return bits_count(live) <= 1;
}

static bool
web_has_one_live(Reduction_web *w)
{
	const Fn *fn = w->x->fn;
	Bits live = bits_new(w->x->scratch, fn->f->nsym);

	BITS_EACH(b, w->blocks) {
		bits_clear(live);
		FN_SUCC(fn, b, to)
			BITS_EACH(i, w->r->web)
				if (bits_has(fn->live->in[to], i))
					bits_set(live, i);
		if (bits_count(live) > 1)
			return false;
		for (uint32_t s = fn->cfg->blocks[b].end; s-- > fn->cfg->blocks[b].stmt;)
			if (!update_live(w, s, live)) {
				w->bad = s;
				return false;
			}
	}
	w->r->in = only_live(w, fn->live->in[w->k->path->entry]);
	return w->r->in && only_live(w, task_region_live_out(w->x, w->k)) == w->r->out;
}

/* ---- entry point ----------------------------------------------------------------------------- */

static bool
web_fits_memory(const Reduction_web *w)
{
	BITS_EACH(i, w->r->web)
		if (ptx_type_size((Type)w->x->fn->m->syms[fn_sym(w->x->fn, i)].type) !=
			ptx_type_size(w->r->type))
			return false;
	return true;
}

static bool
is_sum_of_floats(const Reduction *r)
{
	return r->op == OPERATOR_ADD && (r->type == TYPE_F32 || r->type == TYPE_F64);
}

static bool
build_web(Reduction_web *w, uint32_t sym)
{
	const Fn *fn = w->x->fn;

	*w->r = (Reduction){ .out = sym, .web = bits_new(w->x->arena, fn->f->nsym) };
	w->known = false;
	w->bad = 0;
	bits_set(w->r->web, fn_local(fn, sym));
	return web_grow(w) && web_fits_memory(w) && web_has_one_live(w);
}

/* Whether the path itself folds into the reduction, and not only the rest of the iteration, which a
 * task may also run (tail_capture.c). */
static bool
path_folds(const Plan *x, const Task_region *k, const Reduction *r)
{
	BITS_EACH(i, r->web)
		FN_DEFS_OF_SYM(x->fn, fn_sym(x->fn, i), d) {
			uint32_t s = fn_def(x->fn, d)->stmt;
			if (s && bits_has(k->path->blocks, fn_block(x->fn, s)))
				return true;
		}
	return false;
}

/* Whether the annotation of the path or loop says that only the combination over the warp
 * matters. */
static bool
annotation_says_warpwide(const Plan *x, const Task_region *k, const Reduction *r)
{
	if (annot_has(&plan_marker(x)->annot, CLAUSE_WARPWIDE))
		return true;
	return annot_has(&task_region_marker(x, k)->annot, CLAUSE_WARPWIDE) && path_folds(x, k, r);
}

/* Collects the blocks of the common code's loop and of the paths. */
static void
find_web_blocks(Reduction_web *w)
{
	const Plan *x = w->x;

	BITS_EACH(b, x->common.blocks)
		if (loop_contains(x->fn->loops, x->site->loop, b))
			bits_set(w->blocks, b);
	for (uint32_t i = 0; i < x->nregions; i++)
		bits_or(w->blocks, x->regions[i].path->blocks);
}

static Verdict
float_order_matters(const Plan *x)
{
	Verdict v = verdict(x->arena, D_LIVE_OUT, DIAG_NOWHERE,
		"it is a floating-point sum: if its order may change, say 'reassociate' or 'reduction(+: ...)'");

	v.reorders = true;
	return v;
}

Verdict
reduction_find(const Plan *x, const Task_region *k, uint32_t sym, Reduction *r)
{
	const Fn *fn = x->fn;
	Reduction_web w = { .x = x, .k = k, .r = r, .first = 1,
		.blocks = bits_new(x->scratch, fn->cfg->nblocks) };

	if (k->lane_loop)
		bits_copy(w.blocks, k->blocks);
	else
		find_web_blocks(&w);
	bool found = build_web(&w, sym);
	uint32_t bad = w.bad;
	if (!found) {
		w.first = 2;
		found = build_web(&w, sym);
	}
	if (!found)
		return verdict(x->arena, D_LIVE_OUT, fn_stmt(fn, bad ? bad : w.bad)->at.pos,
			"the loop does more with it than to fold values into it");
	r->warpwide = !k->lane_loop && annotation_says_warpwide(x, k, r);
	if (is_sum_of_floats(r) && !r->warpwide && !(x->clauses.reorder >> r->op & 1))
		return float_order_matters(x);
	return VERDICT_YES;
}
