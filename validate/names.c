/* SPDX-License-Identifier: MIT */
/* What the registers of an inserted text are: those of its own, and those that stand for the
 * input's in a task. See site.h. */
#include "validate/site.h"

static void put(uint64_t *set, uint32_t i) { set[i >> 6] |= UINT64_C(1) << (i & 63); }

typedef struct { Site *s; } Scan;

static bool
add_machine(Scan *c, uint32_t sym)
{
	Site *s = c->s;
	Reg *r = site_reg(s, sym);

	if (r->index != UINT32_MAX)
		return true;
	if (s->nmachine == MOST_MACHINE)
		return site_unknown(s, s->begin, "so many registers");
	r->index = s->nmachine;
	s->machine[s->nmachine++] = sym;
	return true;
}

static void
add_copy(Scan *c, uint32_t sym)
{
	Site *s = c->s;
	Reg *r = site_reg(s, sym);

	if (r->index == UINT32_MAX) {
		r->index = 0;
		if (r->kind == REG_COPY && r->part <= s->nparts && fn_is_reg(s->fn, r->in))
			bits_set(s->copied[r->part], fn_local(s->fn, r->in));
		s->copies[s->ncopies++] = sym;
	}
}

static bool
scan_stmt(Scan *c, uint32_t stmt)
{
	Site *s = c->s;
	Step *k = step_at(s, stmt);

	STEP_REFS(s, stmt, r) {
		if (r->reg->kind == REG_COPY || r->reg->kind == REG_AGAIN)
			add_copy(c, r->sym);
		if (r->reg->kind != REG_MACHINE)
			continue;
		if (!add_machine(c, r->sym))
			return false;
		put(r->written ? k->writes : k->reads, r->reg->index);
	}
	for (uint32_t i = 0; i < 2; i++)
		s->counts[i] |= k->reads[i] & k->writes[i];
	return true;
}

/* Backward over the text, until nothing changes. */
static void
find_live(Site *s)
{
	uint32_t words = (s->nmachine + 63) / 64;
	bool changed = true;

	while (changed) {
		uint64_t now[2] = { 0, 0 };
		changed = false;
		for (uint32_t i = s->end; i-- > s->begin;) {
			Step *k = &s->steps[i - s->begin];
			uint64_t behind[2] = { 0, 0 };
			bool label = s->out->stmts[i].kind == STMT_LABEL || k->joins,
			     guarded = s->out->stmts[i].guard;
			for (uint32_t n = 0, to; step_target(s, i, n, &to); n++)
				for (uint32_t j = 0; to && j < words; j++)
					behind[j] |= step_at(s, to)->live[j];
			for (uint32_t j = 0; j < words; j++) {
				now[j] = ((k->ends ? 0 : now[j]) & ~(guarded ? 0 : k->writes[j])) |
					behind[j] | k->reads[j];
				changed |= label && now[j] != k->live[j];
				if (label)
					k->live[j] = now[j];
			}
		}
	}
	for (uint32_t i = s->begin; i < s->end; i++)
		for (uint32_t j = 0; j < 2; j++)
			s->kept[j] |= s->steps[i - s->begin].live[j];
}

/* Registers that some lanes alone may write, as it looks: behind a branch that is not .uni. What
 * lanes do shows it; by this they need not be looked at again. */
static void
find_apart(Site *s)
{
	uint32_t n = s->end - s->begin;
	bool *apart = arena_array(s->arena, n + 1, 1), changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < n; i++) {
			const Step *k = &s->steps[i];
			const Stmt *t = &s->out->stmts[s->begin + i];
			bool out = k->op != OP_VOTE && k->op != OP_BAR_WARP &&
				(apart[i] ||
					(k->op == OP_BRA && t->guard && !ptx_has(s->out, t, "uni")));
			out |= k->op == OP_BRX;
			for (uint32_t m = 0, to; out && step_target(s, s->begin + i, m, &to); m++) {
				if (!to)
					continue;
				changed |= !apart[to - s->begin] && to - s->begin < i;
				apart[to - s->begin] = true;
			}
			apart[i + 1] |= out && !k->ends;
			for (uint32_t j = 0; j < 2 && apart[i]; j++)
				s->apart[j] |= k->writes[j];
		}
	}
}

/* May the statement do a part of a round: change a counter of tasks, come to the buffer, begin a
 * path? */
static bool
is_loud(const Site *s, uint32_t stmt)
{
	const Step *k = step_at(s, stmt);

	if (s->out->stmts[stmt].kind != STMT_INSN)
		return false;
	STEP_REFS(s, stmt, r) {
		uint32_t i = r->reg->index;
		if (r->written && r->reg->kind == REG_MACHINE &&
			s->out->syms[r->sym].type != TYPE_PRED &&
			(s->kept[i >> 6] & s->counts[i >> 6]) >> (i & 63) & 1)
			return true;
	}
	return k->buffer || path_may_begin(s, stmt);
}

/* Backward over the text, until nothing changes. */
static void
find_quiet(Site *s)
{
	uint32_t n = s->end - s->begin;
	bool *loud = arena_array(s->arena, n + 1, 1), changed = true;

	for (uint32_t i = 0; i < n; i++)
		loud[i] = !s->steps[i].ballot && is_loud(s, s->begin + i);
	while (changed) {
		changed = false;
		for (uint32_t i = n; i-- > 0;) {
			const Step *k = &s->steps[i];
			bool is = loud[i] || (!k->ballot && !k->ends && loud[i + 1]);
			for (uint32_t m = 0, to; step_target(s, s->begin + i, m, &to); m++)
				is |= to && loud[to - s->begin];
			changed |= is && !loud[i];
			loud[i] = is;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		s->steps[i].quiet = !loud[i];
}

/* Registers that come into paths first: there may be too many. */
static void
number_saved(Site *s)
{
	for (uint32_t turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < s->ncopies; i++) {
			Reg *r = site_reg(s, s->copies[i]);
			uint32_t q = r->kind == REG_COPY && r->part <= s->nparts ?
				s->path_of_part[r->part] :
				0;
			bool input = false;
			if (!q || r->index || s->nsaved == MOST_SAVED)
				continue;
			for (uint32_t k = 0; k < s->paths[q - 1].ninputs; k++)
				input |= s->paths[q - 1].inputs[k] == r->in;
			if (input || turn)
				r->index = ++s->nsaved;
		}
}

bool
names_init(Site *s)
{
	Scan c = { .s = s };
	uint32_t cap = 0;

	for (uint32_t i = s->begin; i < s->end; i++)
		cap += s->out->stmts[i].kind == STMT_DECL ? 64 : 0;
	s->machine = arena_array(s->arena, MOST_MACHINE, sizeof *s->machine);
	for (uint32_t i = s->begin; i < s->end; i++) {
		STEP_REFS(s, i, r)
			if (r->reg->kind == REG_MACHINE || r->reg->kind == REG_COPY ||
				r->reg->kind == REG_AGAIN) {
				r->reg->index = UINT32_MAX;
				cap++;
			}
		if (step_at(s, i)->op == OP_ACTIVEMASK)
			s->mask = i;
	}
	s->copies = arena_array(s->arena, cap + 1, sizeof *s->copies);
	s->copied = arena_array(s->arena, s->nparts + 1, sizeof *s->copied);
	for (uint32_t i = 1; i <= s->nparts; i++)
		s->copied[i] = bits_new(s->arena, s->fn->f->nsym);
	for (uint32_t i = s->begin; i < s->end; i++)
		if (!scan_stmt(&c, i))
			return false;
	s->before = arena_array(s->arena, s->nmachine + 1, sizeof *s->before);
	for (uint32_t i = 0; i < s->nmachine; i++) {
		put(s->all, i);
		s->before[i] = term_make(&s->terms, TERM_BEFORE, i, 0, 0);
	}
	find_live(s);
	number_saved(s);
	find_apart(s);
	if (!s->bound)
		find_quiet(s);
	s->nenv = s->nmachine + s->nsaved;
	s->wants = arena_array(s->arena, s->nmachine + 1, sizeof *s->wants);
	s->lane_size = sizeof(Lane) + (s->nenv + 1) / 2 * 2 * sizeof(Term_id);
	return true;
}
