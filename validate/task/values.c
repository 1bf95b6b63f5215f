/* SPDX-License-Identifier: MIT */
/* Values of tasks: live-ins of a path that are copied or recomputed before it.
 *
 * A recomputed value must be what the input computes from such values by the only definition that
 * reaches the path, and no operand may be overwritten in between.
 */
#include "validate/task/task.h"

static Term_id
value(Site *s, uint32_t task, Term_whose whose, uint32_t sym, uint8_t sel)
{
	return term_make(&s->terms, TERM_VALUE, task << 2 | whose, sym, sel);
}

uint32_t
path_task(const Site *s, const Reg *r)
{
	return task_number(s, path_of_reg(s, r) - 1, r->turn ? r->turn - 1u : 0);
}

Term_id *
path_room(Site *s, Lane *l, Reg *r)
{
	if (path_of_reg(s, r) && !r->index && s->nsaved < s->room) {
		s->saved[s->nsaved] = r;
		r->index = ++s->nsaved;
	}
	s->narrow |= path_of_reg(s, r) && !r->index && s->room < MOST_SAVED;
	return path_slot(s, l, r);
}

/* Whether the lane passed the task's path since its last statement of common code. */
static bool
is_here(const Site *s, const Lane *l, uint32_t task)
{
	uint32_t path = task_path(s, task);

	return (l->fresh >> path & 1) && (s->turns == 1 ||
		task_number(s, path, l->env[env_newest(s, path)]) == task);
}

Term_id
path_value(Site *s, Lane *l, uint32_t sym, uint32_t task)
{
	const Reg *r = site_reg(s, sym);
	const Term_id *at = path_slot(s, l, r);
	uint32_t path = task_path(s, task), around = s->paths[path].around;

	if (at && path_of_reg(s, r) == path + 1 && path_task(s, r) == task)
		return *at;
	if (!is_here(s, l, task) || !turns_holds(s, l, r))
		return 0;
	if (around ? (path_of_reg(s, r) == around || r->kind == REG_OWN || r->kind == REG_AGAIN) :
		     r->kind == REG_OWN || r->kind == REG_TURN)
		return !owner_holds(s, l, path, r->in) ?
			0 :
			value(s, task, TERM_OWN, r->in, r->kind == REG_COPY ? r->sel : 0);
	return 0;
}

/* ---- values that every lane has -------------------------------------------------------------- */

static bool
written_in(const Site *s, Bits blocks, uint32_t sym)
{
	const Fn *fn = s->fn;

	DEFUSE_DEFS_OF_SYM(fn->defuse, fn->f, sym, d) {
		uint32_t stmt = fn_def(fn, d)->stmt;
		if (stmt && bits_has(blocks, fn_block(fn, stmt)))
			return true;
	}
	return false;
}

bool
path_common(const Site *s, uint32_t block, uint32_t sym)
{
	return fn_is_reg(s->fn, sym) && !uniform_varies_at(s->fn, block, sym) &&
		!written_in(s, s->own, sym);
}

/* ---- recomputed values ----------------------------------------------------------------------- */

uint32_t
path_only_def(const Site *s, uint32_t block, uint32_t sym)
{
	Reaching r = fn_is_reg(s->fn, sym) ? defuse_reaching(s->fn, block, sym) : (Reaching){ 0 };

	return r.n == 1 && fn_def(s->fn, r.at[0])->stmt && fn_def(s->fn, r.at[0])->kills ? r.at[0] :
											   0;
}

bool
path_repeatable(const Site *s, uint32_t stmt)
{
	const Stmt *t = fn_stmt(s->fn, stmt);
	uint32_t flags = ptx_flags(s->in, t);

	if (ptx_op(s->in, t) == OP_LD && ptx_space(s->in, t) == SPACE_PARAM)
		return s->fn->f->entry;
	FN_READS(s->fn, stmt, r)
		if (fn_sreg_has(s->fn, r->sym, SREGF_TIME))
			return false;
	return (flags & OPF_PURE) && !(flags & (OPF_VARIES | OPF_CARRY));
}

/* Whether the definition is the only one that reaches the statement's use of the register. */
static bool
reads_only(const Site *s, uint32_t stmt, uint32_t sym, uint32_t def)
{
	uint32_t u = defuse_use(s->fn, stmt, sym);

	if (!u)
		return false;
	FN_REACH(s->fn, u, d)
		if (d != def)
			return false;
	return true;
}

/* Whether control can get from one block to another without passing a third one, inside the loop or
 * by entering it. */
static bool
comes_past(Site *s, uint32_t from, uint32_t to, uint32_t but)
{
	const Fn *fn = s->fn;
	Arena_mark mark = arena_mark(s->arena);
	Bits seen = bits_new(s->arena, fn->cfg->nblocks),
	     within = bits_new(s->arena, fn->cfg->nblocks);

	bits_copy(within, s->region->blocks);
	bits_unset(within, but);
	FN_SUCC(fn, from, k)
		cfg_flood(fn->cfg, k, false, within, seen);
	if (!dom_dominates(fn->dom, but, to))
		cfg_flood(fn->cfg, s->region->entry, false, within, seen);
	bool yes = bits_has(seen, to);
	arena_release(s->arena, mark);
	return yes;
}

/* Whether a block is on a way from a block before the loop to another, which does not pass the
 * first again. */
static bool
lies_between(Site *s, uint32_t from, uint32_t between, uint32_t to)
{
	const Fn *fn = s->fn;
	Arena_mark mark = arena_mark(s->arena);
	Bits all = bits_new(s->arena, fn->cfg->nblocks),
	     back = bits_new(s->arena, fn->cfg->nblocks), on = bits_new(s->arena, fn->cfg->nblocks);

	FN_BLOCKS(fn, b)
		if (b != from)
			bits_set(all, b);
	FN_PRED(fn, to, p)
		cfg_flood(fn->cfg, p, true, all, back);
	FN_SUCC(fn, from, k)
		cfg_flood(fn->cfg, k, false, back, on);
	bool yes = between != to && bits_has(on, between);
	arena_release(s->arena, mark);
	return yes;
}

/* Whether the register still has, at the entry of the block, the value that the statement read, on
 * every way there. */
static bool
find_last(Site *s, uint32_t stmt, uint32_t sym, uint32_t block)
{
	const Fn *fn = s->fn;
	uint32_t home = fn_block(fn, stmt);
	bool inside = bits_has(s->region->blocks, home);

	DEFUSE_DEFS_OF_SYM(fn->defuse, fn->f, sym, d) {
		uint32_t at = fn_def(fn, d)->stmt, b = at ? fn_block(fn, at) : 0;
		if (!at || (b == home && at < stmt))
			continue;
		if (b == home ||
			(inside ? bits_has(s->own, b) && comes_past(s, b, block, home) :
				  lies_between(s, home, b, block)))
			return false;
	}
	return true;
}

static bool
reads_last(Site *s, uint32_t stmt, uint32_t sym, uint32_t block)
{
	for (uint32_t i = 0; i < s->lasts.n; i++) {
		const Last *k = &s->lasts.at[i];
		if (k->stmt == stmt && k->sym == sym && k->block == block)
			return k->yes;
	}
	bool yes = find_last(s, stmt, sym, block);
	*vec_push(&s->lasts) = (Last){ stmt, sym, block, yes };
	return yes;
}

/* Whether the statement reads the register's uniform value from before the loop. */
static bool
reads_before(const Site *s, uint32_t stmt, uint32_t sym)
{
	uint32_t u = defuse_use(s->fn, stmt, sym);

	if (!u || bits_has(s->fn->uniform->use, u))
		return false;
	FN_REACH(s->fn, u, d) {
		uint32_t at = fn_def(s->fn, d)->stmt;
		if (at && bits_has(s->region->blocks, fn_block(s->fn, at)))
			return false;
	}
	return true;
}

/* Whether the definition gives the same result in all lanes wherever it is executed in the loop,
 * and the output's statement is a copy of it. */
static bool
is_again(const Site *s, uint32_t stmt, uint32_t d)
{
	uint32_t in = fn_def(s->fn, d)->stmt;
	bool ok = in && fn_def(s->fn, d)->kills && path_repeatable(s, in) &&
		match_stmt(s, stmt, in, AT_ENTRY, true);

	STEP_REFS(s, stmt, r) {
		const Reg *k = r->reg;
		if (!r->written && k->kind == REG_OWN)
			ok = ok && reads_before(s, in, k->in);
		else if (!r->written && k->kind == REG_AGAIN)
			ok = ok && k->index && reads_only(s, in, k->in, k->index);
	}
	return ok;
}

bool
path_again(Site *s, uint32_t stmt)
{
	STEP_REFS(s, stmt, r) {
		Reg *k = r->reg;
		if (!r->written)
			continue;
		k->index = 0;
		DEFUSE_DEFS_OF_SYM(s->fn->defuse, s->fn->f, k->in, d)
			if (is_again(s, stmt, d))
				k->index = d;
		if (!k->index)
			return site_fault(
				s, stmt, "this computes a different value than the input");
	}
	return true;
}

static bool
join(Term_whose *whose, Term_whose k)
{
	if (*whose != TERM_EITHER && k != TERM_EITHER && k != *whose)
		return false;
	*whose = k == TERM_EITHER ? *whose : k;
	return true;
}

/* Whether the output's statement, before a path, reads what the input's reads. whose: set to the
 * task that the values belong to. */
static bool
reads_same(Site *s, Lane *l, uint32_t stmt, uint32_t in, uint32_t path, Term_whose *whose)
{
	uint32_t block = s->paths[path].region->entry;

	*whose = TERM_EITHER;
	STEP_REFS(s, stmt, k) {
		const Reg *from = k->reg;
		const Term_id *at = path_slot(s, l, from);
		if (k->written || from->kind == REG_NONE ||
			(from->kind == REG_AGAIN && from->index &&
				reads_only(s, in, from->in, from->index)))
			continue;
		if (from->kind == REG_OWN && path_common(s, block, from->in))
			continue;
		const Term x = *term_at(&s->terms, at ? *at : 0);
		if (x.op == TERM_VALUE && x.a >> 2 == path && x.b == from->in &&
			reads_last(s, in, from->in, block) && join(whose, (Term_whose)(x.a & 3)))
			continue;
		if (x.op == TERM_DEFINED && x.a >> 2 == path && reads_only(s, in, from->in, x.b) &&
			join(whose, (Term_whose)(x.a & 3)))
			continue;
		return false;
	}
	return true;
}

/* Whether the output's statement is a copy of the definition for the part, and repeatable. */
static bool
gives(const Site *s, uint32_t stmt, uint32_t part, uint32_t def)
{
	uint32_t in = fn_def(s->fn, def)->stmt;
	Step *k = step_like(s, stmt);

	for (uint32_t i = 0; i < k->ngives; i++)
		if (k->gives[i] >> 1 == def)
			return k->gives[i] & 1;
	bool yes = in && path_repeatable(s, in) && match_stmt(s, stmt, in, part, true);
	if (k->ngives < MOST_KNOWN)
		k->gives[k->ngives++] = def << 1 | yes;
	return yes;
}

/* path_only_def() with a cache. */
static uint32_t
only_def(Site *s, uint32_t block, uint32_t sym)
{
	Only *x = &s->only[(31 * block + sym) % MOST_WITHIN];

	if (x->sym != sym || x->block != block)
		*x = (Only){ sym, block, path_only_def(s, block, sym) };
	return x->def;
}

/* Whether the output's statement, before a path, is a statement by which the input computes the
 * register. Its registers then hold the last result of that: their value at the path's entry, if no
 * other definition reaches it, or else an intermediate value. */
static bool
compute(Site *s, Lane *l, uint32_t stmt, const Reg *r, uint32_t path)
{
	uint32_t block = s->paths[path].region->entry, last = only_def(s, block, r->in);
	Term_whose whose;

	if (!fn_is_reg(s->fn, r->in))
		return false;
	DEFUSE_DEFS_OF_SYM(s->fn->defuse, s->fn->f, r->in, d) {
		uint32_t in = fn_def(s->fn, d)->stmt;
		if (!gives(s, stmt, r->part, d) || !reads_same(s, l, stmt, in, path, &whose))
			continue;
		STEP_REFS(s, stmt, k) {
			Term_id *at = k->written ? path_room(s, l, k->reg) : NULL;
			uint32_t sym = k->reg->in, def = 0;
			FN_DEFS_OF_STMT(s->fn, in, e)
				if (fn_def(s->fn, e)->sym == sym)
					def = e;
			if (at)
				*at = def && only_def(s, block, sym) == def ?
					value(s, path, whose, sym, 0) :
					term_make(&s->terms, TERM_DEFINED, path << 2 | whose, def,
						0);
		}
		if (d == last)
			return true;
	}
	const Term *x = term_at(&s->terms, *path_slot(s, l, r));
	return x->op == TERM_DEFINED;
}

/* Extracts a predicate from a popped word. */
static bool
set_bit(Site *s, Lane *l, uint32_t stmt, const Reg *r, uint32_t path)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Reg *n = site_reg(s, step_operand(s, stmt, 1)->sym);
	Term x = *term_at(&s->terms, n->kind == REG_MACHINE ? l->env[n->index] : 0);
	uint32_t v;

	if (x.op != TERM_AND)
		return false;
	Term_id bit = term_is_const(&s->terms, x.a, &v) ? x.a : x.b, word = bit == x.a ? x.b : x.a;
	if (!term_is_const(&s->terms, bit, &v) || v == 0 || (v & (v - 1)) ||
		!ptx_has(s->out, t, "ne"))
		return false;
	if (term_at(&s->terms, word)->op == TERM_KEPT)
		return lasting_bit(s, l, r, *term_at(&s->terms, word), (uint32_t)__builtin_ctz(v));
	if (term_at(&s->terms, word)->op != TERM_WORD)
		return false;
	l->did |= DID_POP(path);
	*path_slot(s, l, r) = value(s, path, TERM_POPPED, r->in, 0);
	Row row = { .at = term_at(&s->terms, word)->a,
		.size = term_at(&s->terms, word)->b,
		.bit = (uint8_t)(1 + __builtin_ctz(v)),
		.path = path,
		.sym = r->in,
		.popped = true };
	return buffer_row(s, row) || site_fault(s, stmt, "a row of the buffer holds two values");
}

/* Value of a special register for a pending task: one whose path the lane has just reached or, in a
 * batch of several iterations, one that it voted for. 0 if there is none. */
static Term_id
special_value(Site *s, const Lane *l, const Reg *r, const Opnd *from, uint32_t path)
{
	uint64_t mine = task_wanted(s, l->wish) & task_all(s, path) & l->hand;
	bool voted = s->turns > 1 && l->wanted && mine;
	uint32_t task = voted ? (uint32_t)__builtin_ctzll(mine) :
		task_number(s, path, s->turns > 1 ? l->env[env_newest(s, path)] : 0);

	if (s->out->syms[from->sym].aux != s->in->syms[r->in].aux || from->sel != r->sel ||
		!(voted || is_here(s, l, task)))
		return 0;
	return value(s, task, TERM_OWN, r->in, r->sel);
}

bool
path_set(Site *s, Lane *l, uint32_t stmt)
{
	const Stmt *t = &s->out->stmts[stmt];
	const Opnd *to = step_operand(s, stmt, 0);
	Reg *r = site_reg(s, to[to->kind == OPND_VEC || to->kind == OPND_PAIR].sym);
	uint32_t q = path_of_reg(s, r);
	Term_id *at = path_room(s, l, r);
	Op op = (Op)step_at(s, stmt)->op;

	if (q && !at)
		return site_unknown(s, stmt, "too many values");
	if (!q)
		return site_fault(s, stmt, "a register of a path is set outside of it");
	if ((op == OP_SETP && set_bit(s, l, stmt, r, q - 1)) || sums_identity(s, l, stmt, r))
		return true;
	if (s->why)
		return false;
	Term_id was = *at;
	if (compute(s, l, stmt, r, q - 1))
		return true;
	*at = was;
	const Opnd *from = step_operand(s, stmt, 1);
	if (op == OP_MOV && s->out->syms[from->sym].kind == SYM_SPECIAL &&
		s->in->syms[r->in].kind == SYM_SPECIAL) {
		*at = special_value(s, l, r, from, q - 1);
		return true;
	}
	if ((op != OP_MOV && op != OP_CVT) || t->nopnd != 2 || from->kind != OPND_SYM)
		return site_fault(s, stmt, "this computes a different value than the path reads");
	Term_id v = path_value(s, l, from->sym, path_task(s, r));
	const Term x = *term_at(&s->terms, v);
	*at = v && x.b == r->in && (x.c == r->sel || !r->sel) ?
		value(s, path_task(s, r), TERM_OWN, r->in, r->sel) :
		0;
	return true;
}
