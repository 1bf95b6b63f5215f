/* SPDX-License-Identifier: MIT */
/* Recognizes where a copy of a path begins.
 *
 * The copies of the live-ins must hold the values of one task: all the owner's, with their values
 * at the entry of the path, or all popped; except for values that every lane has.
 */
#include "validate/task/task.h"

/* The output's copy of a uniform register; 0 if there is none. */
static uint32_t
uniform_register_for(const Loop_check *s, uint32_t sym)
{
	for (uint32_t i = 0; i < s->copies.nuniform; i++) {
		const Output_reg *r = output_reg(&s->out, s->copies.uniform[i]);
		if (r->input_sym == sym && r->index)
			return s->copies.uniform[i];
	}
	return 0;
}

/* Whether every lane has the live-in, under its own name or in a recomputed copy. */
static bool
value_is_in_all_lanes(const Loop_check *s, uint32_t path, uint32_t sym)
{
	uint32_t again = uniform_register_for(s, sym), entry = s->paths.at[path].region->entry;

	return again ? block_only_def(s->in.fn, entry, sym) == output_reg(&s->out, again)->index :
		       value_is_common(s, entry, sym);
}

/* Whether all live-ins are available. whose: set to the task that they belong to. */
static bool
inputs_are_available(Loop_check *s, Lane_state *l, uint32_t path, Term_whose *whose)
{
	const Input_path *p = &s->paths.at[path];

	*whose = TERM_EITHER;
	for (uint32_t i = 0; i < p->ninputs; i++) {
		uint32_t sym = p->copies[i];
		bool sum = !p->sels[i] && reduction_has_input(&s->reductions, path, p->inputs[i]);
		if (!sym && !sum && value_is_in_all_lanes(s, path, p->inputs[i]))
			continue;
		const Term_id *at =
			sym ? reg_env_slot(&s->emitted, l, output_reg(&s->out, sym)) : NULL;
		const Term x = *term_at(&s->terms, at ? *at : 0);
		if (x.op != (sum ? TERM_IDENTITY : TERM_VALUE) || x.b != p->inputs[i] ||
			(sum ? x.a : x.a >> 2) != path)
			return false;
		Term_whose k = sum ? TERM_EITHER : (Term_whose)(x.a & 3);
		if (*whose != TERM_EITHER && k != TERM_EITHER && k != *whose)
			return false;
		*whose = k == TERM_EITHER ? *whose : k;
	}
	return true;
}

/* Whether the statement is a copy of the path's. */
static bool
stmt_copies_start(const Loop_check *s, uint32_t stmt, uint32_t in, uint32_t region)
{
	const Stmt *t = &s->out.m->stmts[stmt], *x = fn_stmt(s->in.fn, in);

	if ((Op)output_stmt(&s->out, stmt)->op != ptx_op(s->in.m, x))
		return false;
	if (input_stmt(&s->in, in)->kind >= INPUT_JUMP) /* the copy begins with the same branch */
		return t->guard && x->guard && match_sym(s, t->sym, x->sym, region);
	return match_stmt(s, stmt, in, region, true);
}

static bool
start_is_valid(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t path, uint32_t region)
{
	Lane_state *k = lane_state_copy(s, l);

	k->at.task = path + 1;
	k->at.task_input = s->paths.at[path].entry;
	k->assumed.n = 0;
	return input_advance(s, k) && k->at.task && !s->fault.why &&
		stmt_copies_start(s, stmt, k->at.task_input, region);
}

void
path_starts_init(Loop_check *s)
{
	s->paths.first_ops = bits_new(s->arena, OP_COUNT);
	for (uint32_t i = 0; i < s->paths.n; i++) {
		Input_path *p = &s->paths.at[i];
		uint32_t at = p->first = input_first_effect(s, i + 1, p->entry);
		for (uint32_t op = 0; !at && op < OP_COUNT; op++)
			bits_set(s->paths.first_ops, op);
		p->starts = arena_alloc(s->arena, (s->in.fn->f->nstmt + 1) * sizeof *p->starts);
		while (at) {
			p->starts[p->nstarts++] = at;
			bits_set(s->paths.first_ops, ptx_op(s->in.m, fn_stmt(s->in.fn, at)));
			at = task_stmt_is_dead(s, i, at) ? input_first_effect(s, i + 1, at + 1) : 0;
		}
		p->all_dead = !p->nested &&
			(!p->nstarts || task_stmt_is_dead(s, i, p->starts[p->nstarts - 1]));
	}
}

/* Whether the statement is a copy of the path's first statement, or of a later one if those before
 * it may be omitted. */
static bool
stmt_may_start_path(Loop_check *s, uint32_t stmt, const Input_path *p, uint32_t region)
{
	for (uint32_t i = 0; i < p->nstarts; i++)
		if (stmt_copies_start(s, stmt, p->starts[i], region))
			return true;
	return !p->first;
}

/* The regions whose paths may begin with the statement. Bit 0: the set is known. */
static uint64_t
regions_starting_at(Loop_check *s, uint32_t stmt)
{
	uint64_t found = 1;

	if (!bits_has(s->paths.first_ops, output_stmt(&s->out, stmt)->op))
		return found;
	for (uint32_t region = 1; region <= s->paths.n; region++)
		if (stmt_may_start_path(s, stmt, &s->paths.at[region - 1], region))
			found |= UINT64_C(1) << region;
	return found;
}

static bool
enter_path(Loop_check *s, Lane_state *l, uint32_t stmt, uint32_t path, Term_whose whose)
{
	uint64_t bit = UINT64_C(1) << path;

	if (!l->round.ballot || l->round.task_source || l->reductions.read)
		return loop_check_fault(s, stmt, "a path is run without a vote before it");
	uint64_t *wants = &s->observed.vote_subjects[l->round.vote_subject - 1];
	*wants &= tasks_of_path(s, path);
	if (!*wants)
		return loop_check_fault(s, stmt, "another path is run than was voted on");
	if (whose == TERM_OWN && !(l->tasks.pending & bit))
		return loop_check_fault(s, stmt, "a task is run twice");
	l->round.task_source = whose == TERM_OWN ? SOURCE_OWN :
		whose == TERM_POPPED             ? SOURCE_POPPED :
						   SOURCE_EITHER;
	l->round.path = path + 1;
	l->segment.ran = true;
	if (l->round.some_wanted)
		l->tasks.pending &= ~*wants;
	l->at.task = path + 1;
	l->at.task_input = s->paths.at[path].entry;
	l->assumed.n = 0;
	for (uint32_t i = 0; i < s->layout.nsaved; i++)
		if (reg_path(&s->paths, s->layout.saved[i]) == path + 1 &&
			!s->layout.saved[i]->batch_index)
			*reg_env_slot(&s->emitted, l, s->layout.saved[i]) = 0;
	reduction_begin_run(s, l, path);
	return input_advance(s, l);
}

bool
path_may_begin(Loop_check *s, uint32_t stmt)
{
	Output_stmt *k = first_identical_stmt(&s->out, stmt);

	k->known.begins = k->known.begins ? k->known.begins : regions_starting_at(s, stmt);
	return k->known.begins != 1;
}

bool
path_enter(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_stmt *k = first_identical_stmt(&s->out, stmt);

	if (!path_may_begin(s, stmt))
		return false;
	for (uint64_t left = k->known.begins & ~UINT64_C(1); left; left &= left - 1) {
		uint32_t region = (uint32_t)__builtin_ctzll(left), path = region - 1;
		Term_whose whose;
		if ((s->paths.at[path].first || start_is_valid(s, l, stmt, path, region)) &&
			inputs_are_available(s, l, path, &whose))
			return enter_path(s, l, stmt, path, whose);
	}
	return false;
}
