/* SPDX-License-Identifier: MIT */
/* Compares a text in which branches were melded with the one before.
 *
 * Outside of the arms, the statements of the input occur in their order and unchanged. Of the arms
 * there remain labels, markers and debug information. Lanes that pass an arm's begin marker execute
 * the inserted text (follow.c); other lanes only jump over parts of it. */
#include "validate/arms/arms.h"

/* An arm: a branch has those with the numbers 2i and 2i + 1. */
typedef struct {
	const Region *region;
	uint32_t marker; /* statement of its begin marker */
	uint32_t entry;  /* of the output: where lanes enter */
} Arm;

typedef struct {
	Arms_check w;
	Arm *arms;
	uint32_t narms;
	Bits within;      /* blocks of all arms */
	uint32_t *origin; /* by local statement of the output */
	/* by local marker, by block that begins with one, and by local statement of the output: 1 +
	 * the arm that is entered there */
	uint32_t *of_marker, *of_block, *entered;
} Melded_text;

static Input_stmt_kind
input_kind(const Melded_text *x, uint32_t stmt)
{
	const Input_text *t = &x->w.input;

	return t->stmts[ptx_local_stmt(t->fn->f, stmt)].kind;
}

/* ---- regions --------------------------------------------------------------------------------- */

static void
find_regions(Melded_text *x, const Region *r)
{
	for (const Region *c = r->child; c; c = c->sibling) {
		uint32_t arm = x->of_marker[c->marker - x->w.in.f->marker];
		if (arm) {
			x->arms[arm - 1].region = c;
			bits_or(x->within, c->blocks);
		}
		find_regions(x, c);
	}
}

static bool
find_arms(Melded_text *x, const Regions *rs, const uint32_t *markers, Arena *a)
{
	const Fn *fn = x->w.input.fn;

	x->arms = arena_array(a, x->narms, sizeof *x->arms);
	x->of_marker = arena_array(a, fn->f->nmarkers + 1, sizeof *x->of_marker);
	x->of_block = arena_array(a, fn->cfg->nblocks, sizeof *x->of_block);
	x->within = bits_new(a, fn->cfg->nblocks);
	for (uint32_t i = 0; i < x->narms; i++) {
		x->arms[i].marker = fn->m->markers[markers[i]].stmt;
		x->of_marker[markers[i] - fn->f->marker] = i + 1;
		x->of_block[fn_block(fn, x->arms[i].marker)] = i + 1;
	}
	find_regions(x, &rs->kernel);
	for (uint32_t i = 0; i < x->narms; i++)
		if (!x->arms[i].region)
			return arm_fault(&x->w, x->w.out.f->stmt, true, "an arm is not found");
	return true;
}

/* ---- the text around ------------------------------------------------------------------------- */

/* Whether melding removes the statement. */
static bool
is_removed(const Melded_text *x, uint32_t stmt)
{
	uint8_t kind = x->w.in.m->stmts[stmt].kind;

	return bits_has(x->within, fn_block(x->w.input.fn, stmt)) &&
		(kind == STMT_INSN || kind == STMT_OPEN || kind == STMT_CLOSE || kind == STMT_DECL);
}

/* Finds the statements of the input in the output. */
static bool
align_around(Melded_text *x)
{
	uint32_t i = x->w.in.f->stmt, end = i + x->w.in.f->nstmt, o = x->w.out.f->stmt;

	PTX_STMTS (x->w.out.f, k) {
		while (i < end && is_removed(x, i))
			i++;
		if (i < end && stmt_is_unchanged(x->w.in.m, i, x->w.out.m, k))
			x->origin[ptx_local_stmt(x->w.out.f, k)] = i++;
		o = k;
	}
	while (i < end && is_removed(x, i))
		i++;
	return i == end || arm_fault(&x->w, o, false, "a piece of the input is missing");
}

/* Finds where lanes enter by an arm: at its begin marker, or, if that stays an annotation in the
 * melded text, after the statement of the input before it. */
static bool
find_entries(Melded_text *x, Arena *a)
{
	const Arm_text *in = &x->w.in, *out = &x->w.out;
	uint32_t after = out->f->stmt;

	x->entered = arena_array(a, out->f->nstmt + 1, sizeof *x->entered);
	PTX_STMTS (out->f, o) {
		uint32_t stmt = x->origin[ptx_local_stmt(out->f, o)];
		const Stmt *s = &in->m->stmts[stmt];
		uint32_t arm = stmt && s->kind == STMT_MARKER && !in->m->markers[s->sym].end ?
			x->of_marker[s->sym - in->f->marker] :
			0;
		if (arm) {
			uint32_t at = out->m->markers[out->m->stmts[o].sym].done ? o : after;
			x->arms[arm - 1].entry = at;
			x->entered[ptx_local_stmt(out->f, at)] = arm;
		}
		after = stmt ? o + 1 : after;
	}
	for (uint32_t i = 0; i < x->narms; i++)
		if (!x->arms[i].entry)
			return arm_fault(
				&x->w, out->f->stmt, false, "an arm's begin marker is missing");
	return true;
}

/* Whether the statement of the input follows an arm's begin marker. */
static bool
is_behind_marker(const Melded_text *x, uint32_t stmt)
{
	uint32_t block = fn_block(x->w.input.fn, stmt), arm = x->of_block[block];

	return bits_has(x->within, block) && (!arm || stmt > x->arms[arm - 1].marker);
}

/* The marker of the arm that lanes enter at the statement of the output; 0 if none. */
static uint32_t
marker_entered_at(const Melded_text *x, uint32_t o)
{
	uint32_t arm = x->entered[ptx_local_stmt(x->w.out.f, o)];

	return arm ? x->arms[arm - 1].marker : 0;
}

/* Whether a lane that goes from a statement of the input to the next one reaches what follows in
 * the input, and does nothing on the way. That is later in the text, so it does not return. */
static bool
check_next(Melded_text *x, uint32_t after, uint32_t stmt)
{
	Arms_check *w = &x->w;
	Lane_step step;
	uint32_t o = after + 1, to = 0;

	for (uint32_t n = 0; !to && n < w->out.f->nstmt && ptx_has_stmt(w->out.f, o); n++) {
		const Stmt *s = &w->out.m->stmts[o];
		uint32_t origin = x->origin[ptx_local_stmt(w->out.f, o)];
		bool code = s->kind == STMT_LABEL || s->kind == STMT_INSN;
		to = marker_entered_at(x, o);
		to = !to && code ? origin : to;
		if (origin || s->kind != STMT_INSN || to) {
			o++;
			continue;
		}
		if (s->guard || arm_execute(&w->out, o, &step) || step.kind != STEP_BRANCH)
			break;
		o = step.to;
	}
	return (to > stmt &&
		       input_next_plain(&w->input, to) == input_next_plain(&w->input, stmt + 1)) ||
		!ptx_has_stmt(w->out.f, o) ||
		arm_fault(w, after, false,
			"lanes outside of the arms reach another place than in the input");
}

static bool
check_around(Melded_text *x)
{
	const Func *f = x->w.out.f;

	PTX_STMTS (f, o) {
		const Stmt *s = &x->w.out.m->stmts[o];
		uint32_t stmt = x->origin[ptx_local_stmt(f, o)], next = ptx_local_stmt(f, o) + 1;
		if (!stmt || (s->kind != STMT_LABEL && s->kind != STMT_INSN))
			continue;
		if (next < f->nstmt && x->origin[next] == stmt + 1 && s[1].kind != STMT_MARKER)
			continue;
		if (is_behind_marker(x, stmt))
			continue;
		if (input_kind(x, stmt) == INPUT_JUMP ||
			(!s->guard && s->kind == STMT_INSN &&
				ptx_flags(x->w.out.m, s) & (OPF_EXIT | OPF_BRANCH)))
			continue;
		if (!check_next(x, o, stmt))
			return false;
	}
	return true;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void
add_slots(Arm_text *t, uint32_t stmt)
{
	PTX_REFS (t->m, &t->m->stmts[stmt], r) {
		const Sym *y = &t->m->syms[r.sym];
		bool parameter =
			y->kind == SYM_VAR && y->space == SPACE_PARAM && ptx_has_sym(t->f, r.sym);
		if (!parameter && !ptx_is_reg_of(t->m, t->f, r.sym))
			continue;
		uint32_t *slot = &t->slot[ptx_local_sym(t->f, r.sym)];
		if (*slot)
			continue;
		*slot = t->syms.n;
		*vec_push(&t->syms) = r.sym;
	}
}

static void
begin_slots(Arm_text *t)
{
	for (uint32_t i = 1; i < t->syms.n; i++)
		t->slot[ptx_local_sym(t->f, t->syms.at[i])] = 0;
	t->syms.n = 0;
	*vec_push(&t->syms) = 0;
}

/* Of the inserted statements that lanes of an arm may reach. */
static void
add_reached_slots(Melded_text *x, Arena *a)
{
	Arm_text *t = &x->w.out;
	Bits seen = bits_new(a, t->f->nstmt);
	VEC(uint32_t) work = { 0 };

	*vec_push(&work) = x->w.entry[0];
	*vec_push(&work) = x->w.entry[1];
	while (work.n) {
		uint32_t o = work.at[--work.n];
		for (; ptx_has_stmt(t->f, o) && !bits_has(seen, ptx_local_stmt(t->f, o)); o++) {
			const Stmt *s = &t->m->stmts[o];
			uint32_t stmt = x->origin[ptx_local_stmt(t->f, o)];
			bits_set(seen, ptx_local_stmt(t->f, o));
			if (stmt && s->kind != STMT_MARKER && !arm_has_stmt(&x->w, stmt))
				break;
			if (s->kind != STMT_INSN)
				continue;
			add_slots(t, o);
			if (ptx_op(t->m, s) != OP_BRA)
				continue;
			uint32_t sym = t->m->opnds[s->opnd].sym;
			if (ptx_has_sym(t->f, sym) && t->label[ptx_local_sym(t->f, sym)])
				*vec_push(&work) = t->label[ptx_local_sym(t->f, sym)];
			if (!s->guard)
				break;
		}
	}
	vec_free(&work);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Follows lanes through both arms of a branch: i and i + 1. */
static bool
check_branch(Melded_text *x, uint32_t i)
{
	Arms_check *w = &x->w;
	const Fn *fn = w->input.fn;
	Arena_mark mark = arena_mark(w->arena);
	bool ok = true;

	begin_slots(&w->in);
	begin_slots(&w->out);
	for (uint32_t arm = 0; arm < 2; arm++) {
		w->arm[arm] = x->arms[i + arm].region;
		w->entry[arm] = x->arms[i + arm].entry;
		BITS_EACH (b, w->arm[arm]->blocks)
			FN_BLOCK_STMTS (fn, b, s)
				if (fn_stmt(fn, s)->kind == STMT_INSN)
					add_slots(&w->in, s);
	}
	add_reached_slots(x, w->arena);
	w->in.value = arena_array(w->arena, w->in.syms.n, sizeof *w->in.value);
	w->out.value = arena_array(w->arena, w->out.syms.n, sizeof *w->out.value);
	w->saved = arena_array(w->arena, w->in.syms.n + w->out.syms.n, sizeof *w->saved);
	for (uint32_t arm = 0; arm < 2 && ok; arm++)
		ok = arm_follow(w, arm);
	arena_release(w->arena, mark);
	return ok;
}

static Arm_text
arm_text(const Module *m, const Func *f, Arena *a)
{
	Arm_text t = { .m = m, .f = f };

	t.slot = arena_array(a, f->nsym + 1, sizeof *t.slot);
	t.label = arena_array(a, f->nsym + 1, sizeof *t.label);
	PTX_STMTS (f, s)
		if (m->stmts[s].kind == STMT_LABEL)
			t.label[ptx_local_sym(f, m->stmts[s].sym)] = s;
	return t;
}

Arms_fault
arms_check(const Fn *fn, const Regions *rs, const Module *out, const uint32_t *markers, uint32_t n)
{
	Arena *a = arena_new();
	Melded_text x = { .narms = n };
	Arms_check *w = &x.w;

	w->arena = a;
	w->input = (Input_text){ .fn = fn, .m = fn->m, .stmts = input_read(fn, a) };
	w->in = arm_text(fn->m, fn->f, a);
	w->out = arm_text(out, &out->funcs[ptx_func_like(out, fn->m, fn->func)], a);
	w->origin = x.origin = arena_array(a, w->out.f->nstmt + 1, sizeof *x.origin);
	bool ok = find_arms(&x, rs, markers, a) && align_around(&x) && find_entries(&x, a) &&
		check_around(&x);
	for (uint32_t i = 0; i < n && ok; i += 2)
		ok = check_branch(&x, i);
	vec_free(&w->nodes);
	vec_free(&w->in.syms);
	vec_free(&w->out.syms);
	arena_free(a);
	return w->fault;
}
