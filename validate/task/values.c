/* SPDX-License-Identifier: MIT */
/* Values of tasks: live-ins of a path that are copied or recomputed before it.
 *
 * A recomputed value must be what the input computes from such values by the only definition that
 * reaches the path, and no operand may be overwritten in between.
 */
#include "validate/task/task.h"

static Term_id
new_task_value(Terms *terms, uint32_t task, Term_whose whose, uint32_t sym, uint8_t sel)
{
	return term_make(terms, TERM_VALUE, task << 2 | whose, sym, sel);
}

uint32_t
reg_task(const Collected_paths *paths, const Output_reg *r)
{
	return task_number(paths, reg_path(paths, r) - 1, r->batch_index ? r->batch_index - 1u : 0);
}

Term_id *
reg_env_slot_grow(Loop_check *s, Lane_state *l, Output_reg *r)
{
	if (reg_path(&s->paths, r) && !r->index && s->layout.nsaved < s->layout.saved_room) {
		s->layout.saved[s->layout.nsaved] = r;
		r->index = ++s->layout.nsaved;
	}
	s->layout.out_of_room |=
		reg_path(&s->paths, r) && !r->index && s->layout.saved_room < MAX_SAVED;
	return reg_env_slot(&s->emitted, l, r);
}

/* Whether the lane passed the task's path since its last statement of common code. */
static bool
task_is_fresh(const Loop_check *s, const Lane_state *l, uint32_t task)
{
	uint32_t path = task_path(&s->paths, task);

	return (l->tasks.fresh >> path & 1) && (s->batch.n == 1 ||
		task_number(&s->paths, path, l->env[env_index_newest(s, path)]) == task);
}

Term_id
task_value(Loop_check *s, Lane_state *l, uint32_t sym, uint32_t task)
{
	const Output_reg *r = output_reg(&s->out, sym);
	const Term_id *at = reg_env_slot(&s->emitted, l, r);
	uint32_t path = task_path(&s->paths, task), around = s->paths.at[path].enclosing;

	if (at && reg_path(&s->paths, r) == path + 1 && reg_task(&s->paths, r) == task)
		return *at;
	if (!task_is_fresh(s, l, task) || !batch_register_holds(s, l, r))
		return 0;
	if (around ? (reg_path(&s->paths, r) == around || r->kind == REG_INPUT ||
			     r->kind == REG_UNIFORM) :
		     r->kind == REG_INPUT || r->kind == REG_BATCH)
		return !owner_register_is_intact(s, l, path, r->input_sym) ?
			0 :
			new_task_value(&s->terms, task, TERM_OWN, r->input_sym,
				r->kind == REG_COPY ? r->sel : 0);
	return 0;
}

/* ---- values that every lane has -------------------------------------------------------------- */

static bool
register_is_written_in(const Fn *fn, Bits blocks, uint32_t sym)
{
	DEFUSE_DEFS_OF_SYM(fn->defuse, fn->f, sym, d) {
		uint32_t stmt = fn_def(fn, d)->stmt;
		if (stmt && bits_has(blocks, fn_block(fn, stmt)))
			return true;
	}
	return false;
}

bool
value_is_common(const Loop_check *s, uint32_t block, uint32_t sym)
{
	return fn_is_reg(s->in.fn, sym) && !uniform_varies_at(s->in.fn, block, sym) &&
		!register_is_written_in(s->in.fn, s->paths.common, sym);
}

/* ---- recomputed values ----------------------------------------------------------------------- */

uint32_t
block_only_def(const Fn *fn, uint32_t block, uint32_t sym)
{
	Reaching r = fn_is_reg(fn, sym) ? defuse_reaching(fn, block, sym) : (Reaching){ 0 };

	return r.n == 1 && fn_def(fn, r.at[0])->stmt && fn_def(fn, r.at[0])->kills ? r.at[0] :
											   0;
}

bool
stmt_is_repeatable(const Fn *fn, uint32_t stmt)
{
	const Stmt *t = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, t);

	if (ptx_op(fn->m, t) == OP_LD && ptx_space(fn->m, t) == SPACE_PARAM)
		return fn->f->entry;
	FN_READS(fn, stmt, r)
		if (fn_sreg_has(fn, r->sym, SREGF_TIME))
			return false;
	return (flags & OPF_PURE) && !(flags & (OPF_VARIES | OPF_CARRY));
}

bool
use_has_only_def(const Fn *fn, uint32_t stmt, uint32_t sym, uint32_t def)
{
	uint32_t u = defuse_find_use(fn, stmt, sym);

	if (!u)
		return false;
	FN_REACH(fn, u, d)
		if (d != def)
			return false;
	return true;
}

/* Whether control can get from one block to another without passing a third one, inside the loop or
 * by entering it. */
static bool
block_reaches_without(Loop_check *s, uint32_t from, uint32_t to, uint32_t but)
{
	const Fn *fn = s->in.fn;
	Arena_mark mark = arena_mark(s->arena);
	Bits seen = bits_new(s->arena, fn->cfg->nblocks),
	     within = bits_new(s->arena, fn->cfg->nblocks);

	bits_copy(within, s->in.region->blocks);
	bits_unset(within, but);
	FN_SUCC(fn, from, k)
		cfg_flood(fn->cfg, k, false, within, seen);
	if (!dom_dominates(fn->dom, but, to))
		cfg_flood(fn->cfg, s->in.region->entry, false, within, seen);
	bool yes = bits_has(seen, to);
	arena_release(s->arena, mark);
	return yes;
}

/* Whether a block is on a way from a block before the loop to another, which does not pass the
 * first again. */
static bool
lies_between(Loop_check *s, uint32_t from, uint32_t between, uint32_t to)
{
	const Fn *fn = s->in.fn;
	Arena_mark mark = arena_mark(s->arena);
	Bits all = bits_new(s->arena, fn->cfg->nblocks),
	     back = bits_new(s->arena, fn->cfg->nblocks), on = bits_new(s->arena, fn->cfg->nblocks);

	bits_fill(all, 1, fn->cfg->nblocks);
	bits_unset(all, from);
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
find_last(Loop_check *s, uint32_t stmt, uint32_t sym, uint32_t block)
{
	const Fn *fn = s->in.fn;
	uint32_t block_of_def = fn_block(fn, stmt);
	bool inside = bits_has(s->in.region->blocks, block_of_def);

	DEFUSE_DEFS_OF_SYM(fn->defuse, fn->f, sym, d) {
		uint32_t at = fn_def(fn, d)->stmt, b = at ? fn_block(fn, at) : 0;
		if (!at || (b == block_of_def && at < stmt))
			continue;
		if (b == block_of_def ||
			(inside ? bits_has(s->paths.common, b) &&
						block_reaches_without(s, b, block, block_of_def) :
				  lies_between(s, block_of_def, b, block)))
			return false;
	}
	return true;
}

bool
value_lasts(Loop_check *s, uint32_t stmt, uint32_t sym, uint32_t block)
{
	for (uint32_t i = 0; i < s->defs.reaching.n; i++) {
		const Reaching_value *k = &s->defs.reaching.at[i];
		if (k->stmt == stmt && k->sym == sym && k->block == block)
			return k->yes;
	}
	bool yes = find_last(s, stmt, sym, block);
	*vec_push(&s->defs.reaching) = (Reaching_value){ stmt, sym, block, yes };
	return yes;
}

/* Whether the statement reads the register's uniform value from before the loop. */
static bool
reads_before(const Input_text *input, uint32_t stmt, uint32_t sym)
{
	uint32_t u = defuse_find_use(input->fn, stmt, sym);

	if (!u || bits_has(input->fn->uniform->use, u))
		return false;
	FN_REACH(input->fn, u, d) {
		uint32_t at = fn_def(input->fn, d)->stmt;
		if (at && bits_has(input->region->blocks, fn_block(input->fn, at)))
			return false;
	}
	return true;
}

/* Whether the definition gives the same result in all lanes wherever it is executed in the loop,
 * and the output's statement is a copy of it. */
static bool
def_is_uniform(const Loop_check *s, uint32_t stmt, uint32_t d)
{
	uint32_t in = fn_def(s->in.fn, d)->stmt;
	bool ok = in && fn_def(s->in.fn, d)->kills && stmt_is_repeatable(s->in.fn, in) &&
		match_stmt(s, stmt, in, AT_ENTRY, true);

	STMT_REFS(&s->out, stmt, r) {
		const Output_reg *k = r->reg;
		if (!r->written && k->kind == REG_INPUT)
			ok = ok && reads_before(&s->in, in, k->input_sym);
		else if (!r->written && k->kind == REG_UNIFORM)
			ok = ok && k->index &&
				use_has_only_def(s->in.fn, in, k->input_sym, k->index);
	}
	return ok;
}

bool
recompute_uniform(Loop_check *s, uint32_t stmt)
{
	STMT_REFS(&s->out, stmt, r) {
		Output_reg *k = r->reg;
		if (!r->written)
			continue;
		k->index = 0;
		DEFUSE_DEFS_OF_SYM(s->in.fn->defuse, s->in.fn->f, k->input_sym, d)
			if (def_is_uniform(s, stmt, d))
				k->index = d;
		if (!k->index)
			return loop_check_fault(
				s, stmt, "this computes a different value than the input");
	}
	return true;
}

static bool
join_owners(Term_whose *whose, Term_whose k)
{
	if (*whose != TERM_EITHER && k != TERM_EITHER && k != *whose)
		return false;
	*whose = k == TERM_EITHER ? *whose : k;
	return true;
}

/* Whether the output's statement, before a path, reads what the input's reads. whose: set to the
 * task that the values belong to. */
static bool
operands_match_input(
	Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t in, uint32_t path, Term_whose *whose)
{
	uint32_t block = s->paths.at[path].region->entry;

	*whose = TERM_EITHER;
	STMT_REFS(&s->out, stmt, k) {
		const Output_reg *from = k->reg;
		const Term_id *at = reg_env_slot(&s->emitted, l, from);
		if (k->written || from->kind == REG_NONE ||
			(from->kind == REG_UNIFORM && from->index &&
				use_has_only_def(s->in.fn, in, from->input_sym, from->index)))
			continue;
		if (from->kind == REG_INPUT && value_is_common(s, block, from->input_sym))
			continue;
		const Term x = *term_at(&s->terms, at ? *at : 0);
		if (x.op == TERM_VALUE && x.a >> 2 == path && x.b == from->input_sym &&
			value_lasts(s, in, from->input_sym, block) &&
			join_owners(whose, (Term_whose)(x.a & 3)))
			continue;
		if (x.op == TERM_DEFINED && x.a >> 2 == path &&
			use_has_only_def(s->in.fn, in, from->input_sym, x.b) &&
			join_owners(whose, (Term_whose)(x.a & 3)))
			continue;
		return false;
	}
	return true;
}

/* Whether the output's statement is a copy of the definition for the region, and repeatable. */
static bool
stmt_copies_def(const Loop_check *s, uint32_t stmt, uint32_t region, uint32_t def)
{
	uint32_t in = fn_def(s->in.fn, def)->stmt;
	Output_stmt *k = first_identical_stmt(&s->out, stmt);

	for (uint32_t i = 0; i < k->known.copies.n; i++)
		if (k->known.copies.at[i] >> 1 == def)
			return k->known.copies.at[i] & 1;
	bool yes = in && stmt_is_repeatable(s->in.fn, in) && match_stmt(s, stmt, in, region, true);
	if (k->known.copies.n < MOST_KNOWN)
		k->known.copies.at[k->known.copies.n++] = def << 1 | yes;
	return yes;
}

/* block_only_def() with a cache. */
static uint32_t
cached_only_def(Loop_check *s, uint32_t block, uint32_t sym)
{
	Single_def *x = &s->defs.only[(31 * block + sym) % MOST_SINGLE_DEFS];

	if (x->sym != sym || x->block != block)
		*x = (Single_def){ sym, block, block_only_def(s->in.fn, block, sym) };
	return x->def;
}

/* Whether the output's statement, before a path, is a statement by which the input computes the
 * register. Its registers then hold the last result of that: their value at the path's entry, if no
 * other definition reaches it, or else an intermediate value. */
static bool
compute_input(Loop_check *s, Lane_state *l, uint32_t stmt, const Output_reg *r, uint32_t path)
{
	uint32_t block = s->paths.at[path].region->entry,
		 last = cached_only_def(s, block, r->input_sym);
	Term_whose whose;

	if (!fn_is_reg(s->in.fn, r->input_sym))
		return false;
	DEFUSE_DEFS_OF_SYM(s->in.fn->defuse, s->in.fn->f, r->input_sym, d) {
		uint32_t in = fn_def(s->in.fn, d)->stmt;
		if (!stmt_copies_def(s, stmt, r->region, d) ||
			!operands_match_input(s, l, stmt, in, path, &whose))
			continue;
		STMT_REFS(&s->out, stmt, k) {
			Term_id *at = k->written ? reg_env_slot_grow(s, l, k->reg) : NULL;
			uint32_t sym = k->reg->input_sym, def = 0;
			FN_DEFS_OF_STMT(s->in.fn, in, e)
				if (fn_def(s->in.fn, e)->sym == sym)
					def = e;
			if (at)
				*at = def && cached_only_def(s, block, sym) == def ?
					new_task_value(&s->terms, path, whose, sym, 0) :
					term_make(&s->terms, TERM_DEFINED, path << 2 | whose, def,
						0);
		}
		if (d == last)
			return true;
	}
	const Term *x = term_at(&s->terms, *reg_env_slot(&s->emitted, l, r));
	return x->op == TERM_DEFINED;
}

/* Extracts a predicate from a popped word. */
static bool
set_popped_bit(Loop_check *s, Lane_state *l, uint32_t stmt, const Output_reg *r, uint32_t path)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Output_reg *n = output_reg(&s->out, output_operand(&s->out, stmt, 1)->sym);
	Term x = *term_at(&s->terms, n->kind == REG_EMITTED ? l->env[n->index] : 0);
	uint32_t v;

	if (x.op != TERM_AND)
		return false;
	Term_id bit = term_is_const(&s->terms, x.a, &v) ? x.a : x.b, word = bit == x.a ? x.b : x.a;
	if (!term_is_const(&s->terms, bit, &v) || v == 0 || (v & (v - 1)) ||
		!ptx_has(s->out.m, t, "ne"))
		return false;
	if (term_at(&s->terms, word)->op == TERM_INVARIANT)
		return invariant_load_bit(
			s, l, r, *term_at(&s->terms, word), (uint32_t)__builtin_ctz(v));
	if (term_at(&s->terms, word)->op != TERM_WORD)
		return false;
	l->segment.effects |= DID_POP(path);
	*reg_env_slot(&s->emitted, l, r) =
		new_task_value(&s->terms, path, TERM_POPPED, r->input_sym, 0);
	Buffer_row row = { .at = term_at(&s->terms, word)->a,
		.size = term_at(&s->terms, word)->b,
		.bit = (uint8_t)(1 + __builtin_ctz(v)),
		.path = path,
		.sym = r->input_sym,
		.popped = true };
	return buffer_row(&s->buffer, row) || loop_check_fault(s, stmt, "a row of the buffer holds two values");
}

/* Value of a special register for a pending task: one whose path the lane has just reached or, in a
 * batch of several iterations, one that it voted for. 0 if there is none. */
static Term_id
special_value(
	Loop_check *s, const Lane_state *l, const Output_reg *r, const Opnd *from, uint32_t path)
{
	uint64_t mine = tasks_voted_for(&s->observed, l->round.vote_subject) &
		tasks_of_path(s, path) & l->tasks.pending;
	bool voted = s->batch.n > 1 && l->round.some_wanted && mine;
	uint32_t task = voted ? (uint32_t)__builtin_ctzll(mine) :
				task_number(&s->paths, path,
					s->batch.n > 1 ? l->env[env_index_newest(s, path)] : 0);

	if (s->out.m->syms[from->sym].aux != s->in.m->syms[r->input_sym].aux ||
		from->sel != r->sel || !(voted || task_is_fresh(s, l, task)))
		return 0;
	return new_task_value(&s->terms, task, TERM_OWN, r->input_sym, r->sel);
}

bool
set_task_register(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	const Opnd *to = output_operand(&s->out, stmt, 0);
	Output_reg *r = output_reg(&s->out, to[to->kind == OPND_VEC || to->kind == OPND_PAIR].sym);
	uint32_t q = reg_path(&s->paths, r);
	Term_id *at = reg_env_slot_grow(s, l, r);
	Op op = (Op)output_stmt(&s->out, stmt)->op;

	if (q && !at)
		return loop_check_unknown(s, stmt, "too many values");
	if (!q)
		return loop_check_fault(s, stmt, "a register of a path is set outside of it");
	if ((op == OP_SETP && set_popped_bit(s, l, stmt, r, q - 1)) ||
		reduction_set_identity(s, l, stmt, r))
		return true;
	if (s->fault.why)
		return false;
	Term_id was = *at;
	if (compute_input(s, l, stmt, r, q - 1))
		return true;
	*at = was;
	const Opnd *from = output_operand(&s->out, stmt, 1);
	if (op == OP_MOV && s->out.m->syms[from->sym].kind == SYM_SPECIAL &&
		s->in.m->syms[r->input_sym].kind == SYM_SPECIAL) {
		*at = special_value(s, l, r, from, q - 1);
		return true;
	}
	if ((op != OP_MOV && op != OP_CVT) || t->nopnd != 2 || from->kind != OPND_SYM)
		return loop_check_fault(s, stmt, "this computes a different value than the path reads");
	Term_id v = task_value(s, l, from->sym, reg_task(&s->paths, r));
	const Term x = *term_at(&s->terms, v);
	*at = v && x.b == r->input_sym && (x.c == r->sel || !r->sel) ?
		new_task_value(&s->terms, reg_task(&s->paths, r), TERM_OWN, r->input_sym, r->sel) :
		0;
	return true;
}
