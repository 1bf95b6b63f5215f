/* SPDX-License-Identifier: MIT */
/* Recognizes where a copy of a path begins.
 *
 * The copies of the live-ins must hold the values of one task: all the owner's, as they were when
 * it reached the path, or all popped; except for values that every lane has.
 */
#include "validate/task/task.h"

/* The output's copy of a uniform register; 0 if there is none. */
static uint32_t
again_for(const Site *s, uint32_t sym)
{
	for (uint32_t i = 0; i < s->nagains; i++) {
		const Reg *r = site_reg(s, s->agains[i]);
		if (r->in == sym && r->index)
			return s->agains[i];
	}
	return 0;
}

/* Whether every lane has the live-in, under its own name or in a recomputed copy. */
static bool
all_have(const Site *s, uint32_t path, uint32_t sym)
{
	uint32_t again = again_for(s, sym), entry = s->paths[path].region->entry;

	return again ? path_only_def(s, entry, sym) == site_reg(s, again)->index :
		       path_common(s, entry, sym);
}

/* Whether all live-ins are available. whose: set to the task that they belong to. */
static bool
inputs_ready(Site *s, Lane *l, uint32_t path, Term_whose *whose)
{
	const Path *p = &s->paths[path];

	*whose = TERM_EITHER;
	for (uint32_t i = 0; i < p->ninputs; i++) {
		uint32_t sym = p->copies[i];
		bool sum = !p->sels[i] && sums_comes_in(s, path, p->inputs[i]);
		if (!sym && !sum && all_have(s, path, p->inputs[i]))
			continue;
		const Term_id *at = sym ? path_slot(s, l, site_reg(s, sym)) : NULL;
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
starts_with(const Site *s, uint32_t stmt, uint32_t in, uint32_t part)
{
	const Stmt *t = &s->out->stmts[stmt], *x = fn_stmt(s->fn, in);

	if ((Op)step_at(s, stmt)->op != ptx_op(s->in, x))
		return false;
	if (input_at(s, in)->kind >= INPUT_JUMP) /* the copy begins with the same branch */
		return t->guard && x->guard && match_sym(s, t->sym, x->sym, part);
	return match_stmt(s, stmt, in, part, true);
}

static bool
starts(Site *s, Lane *l, uint32_t stmt, uint32_t path, uint32_t part)
{
	Lane *k = lane_copy(s, l);

	k->task = path + 1;
	k->task_at = s->paths[path].entry;
	k->nassumed = 0;
	return cursor_settle(s, k) && k->task && !s->why &&
		starts_with(s, stmt, k->task_at, part);
}

void
begin_init(Site *s)
{
	s->starts = bits_new(s->arena, OP_COUNT);
	for (uint32_t i = 0; i < s->npaths; i++) {
		Path *p = &s->paths[i];
		uint32_t at = p->first = cursor_first(s, i + 1, p->entry);
		for (uint32_t op = 0; !at && op < OP_COUNT; op++)
			bits_set(s->starts, op);
		p->starts = arena_alloc(s->arena, (s->fn->f->nstmt + 1) * sizeof *p->starts);
		while (at) {
			p->starts[p->nstarts++] = at;
			bits_set(s->starts, ptx_op(s->in, fn_stmt(s->fn, at)));
			at = span_is_idle(s, i, at) ? cursor_first(s, i + 1, at + 1) : 0;
		}
		p->nothing = !p->within &&
			(!p->nstarts || span_is_idle(s, i, p->starts[p->nstarts - 1]));
	}
}

/* Whether the statement is a copy of the path's first statement, or of a later one if those before
 * it may be omitted. */
static bool
begins(Site *s, uint32_t stmt, const Path *p, uint32_t part)
{
	for (uint32_t i = 0; i < p->nstarts; i++)
		if (starts_with(s, stmt, p->starts[i], part))
			return true;
	return !p->first;
}

/* The parts whose paths may begin with the statement. Bit 0: the set is known. */
static uint64_t
beginnings(Site *s, uint32_t stmt)
{
	uint64_t found = 1;

	if (!bits_has(s->starts, step_at(s, stmt)->op))
		return found;
	for (uint32_t part = 1; part <= s->nparts; part++) {
		uint32_t q = s->path_of_part[part];
		if (q && begins(s, stmt, &s->paths[q - 1], part))
			found |= UINT64_C(1) << part;
	}
	return found;
}

static bool
begin(Site *s, Lane *l, uint32_t stmt, uint32_t path, Term_whose whose)
{
	uint64_t bit = UINT64_C(1) << path;

	if (!l->ballot || l->ran || l->loaded)
		return site_fault(s, stmt, "a path is run without a vote before it");
	uint64_t *wants = &s->wants[l->wish - 1];
	*wants &= task_all(s, path);
	if (!*wants)
		return site_fault(s, stmt, "another path is run than was voted on");
	if (whose == TERM_OWN && !(l->hand & bit))
		return site_fault(s, stmt, "a task is run twice");
	l->ran = whose == TERM_OWN ? RAN_OWN : whose == TERM_POPPED ? RAN_POPPED : RAN_EITHER;
	l->ran_path = path + 1;
	l->ran_since = true;
	if (l->wanted)
		l->hand &= ~*wants;
	l->task = path + 1;
	l->task_at = s->paths[path].entry;
	l->nassumed = 0;
	for (uint32_t i = 0; i < s->nsaved; i++)
		if (path_of_reg(s, s->saved[i]) == path + 1 && !s->saved[i]->turn)
			*path_slot(s, l, s->saved[i]) = 0;
	sums_run(s, l, path);
	return cursor_settle(s, l);
}

bool
path_may_begin(Site *s, uint32_t stmt)
{
	Step *k = step_like(s, stmt);

	k->begins = k->begins ? k->begins : beginnings(s, stmt);
	return k->begins != 1;
}

bool
path_begin(Site *s, Lane *l, uint32_t stmt)
{
	const Step *k = step_like(s, stmt);

	if (!path_may_begin(s, stmt))
		return false;
	for (uint64_t left = k->begins & ~UINT64_C(1); left; left &= left - 1) {
		uint32_t part = (uint32_t)__builtin_ctzll(left), q = s->path_of_part[part];
		Term_whose whose;
		if ((s->paths[q - 1].first || starts(s, l, stmt, q - 1, part)) &&
			inputs_ready(s, l, q - 1, &whose))
			return begin(s, l, stmt, q - 1, whose);
	}
	return false;
}
