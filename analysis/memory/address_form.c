/* SPDX-License-Identifier: MIT */
/* Polynomials of addresses; see address_form.h. The definitions of an address are followed through
 * moves, sums and products; everything else is an atom. */
#include <string.h>
#include "analysis/memory/address_form.h"

enum { MOST_STEPS = 2000 };

static Form form_of_operand(Forms *w, uint32_t stmt, uint32_t opnd);

/* ---- polynomials ----------------------------------------------------------------------------- */

static void
add_term(Form *f, const Form_term *t)
{
	uint32_t i = 0;

	while (i < f->n && memcmp(f->term[i].atom, t->atom, sizeof t->atom))
		i++;
	if (i == FORM_TERMS) {
		f->unknown = true;
		return;
	}
	if (i == f->n)
		f->term[f->n++] = (Form_term){ 0 };
	memcpy(f->term[i].atom, t->atom, sizeof t->atom);
	f->term[i].coef = (int64_t)((uint64_t)f->term[i].coef + (uint64_t)t->coef);
	if (f->term[i].coef == 0)
		f->term[i] = f->term[--f->n];
}

static Form
form_sum(const Form *a, const Form *b, int64_t factor)
{
	Form f = *a;

	f.unknown |= b->unknown;
	for (uint32_t i = 0; i < b->n; i++) {
		Form_term t = b->term[i];
		t.coef = (int64_t)((uint64_t)t.coef * (uint64_t)factor);
		add_term(&f, &t);
	}
	return f;
}

/* Multiplies two terms. False if there are too many factors. */
static bool
multiply_terms(const Form_term *a, const Form_term *b, Form_term *to)
{
	uint32_t i = 0, k = 0, n = 0;

	*to = (Form_term){ .coef = (int64_t)((uint64_t)a->coef * (uint64_t)b->coef) };
	while ((i < FORM_FACTORS && a->atom[i]) || (k < FORM_FACTORS && b->atom[k])) {
		bool first = i < FORM_FACTORS && a->atom[i] &&
			(k == FORM_FACTORS || !b->atom[k] || a->atom[i] <= b->atom[k]);
		if (n == FORM_FACTORS)
			return false;
		to->atom[n++] = first ? a->atom[i++] : b->atom[k++];
	}
	return true;
}

static Form
form_product(const Form *a, const Form *b)
{
	Form f = { .unknown = a->unknown || b->unknown };

	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++) {
			Form_term t;
			if (multiply_terms(&a->term[i], &b->term[k], &t))
				add_term(&f, &t);
			else
				f.unknown = true;
		}
	return f;
}

static Form
form_constant(int64_t value)
{
	Form f = { 0 };

	add_term(&f, &(Form_term){ .coef = value });
	return f;
}

Form
form_difference(const Form *a, const Form *b)
{
	return form_sum(a, b, -1);
}

bool
form_is_constant(const Form *f, int64_t *value)
{
	*value = f->n ? f->term[0].coef : 0;
	return !f->unknown && (f->n == 0 || (f->n == 1 && !f->term[0].atom[0]));
}

/* ---- atoms ----------------------------------------------------------------------------------- */

static bool
atoms_equal(const Atom *a, const Atom *b)
{
	return a->kind == b->kind && a->sym == b->sym && a->loop == b->loop &&
		a->offset == b->offset && a->ndefs == b->ndefs &&
		(!a->ndefs || !memcmp(a->defs, b->defs, a->ndefs * sizeof *a->defs));
}

static Form
form_atom(Forms *w, Atom a)
{
	Form f = { 0 };
	uint32_t i = 1;

	while (i < w->atoms.n && !atoms_equal(&w->atoms.at[i], &a))
		i++;
	if (i == w->atoms.n)
		*vec_push(&w->atoms) = a;
	add_term(&f, &(Form_term){ .atom = { i }, .coef = 1 });
	return f;
}

static Form
form_input(Forms *w, uint32_t sym, int64_t offset)
{
	return form_atom(w, (Atom){ .kind = ATOM_INPUT, .sym = sym, .offset = offset });
}

static Form
form_defs(Forms *w, uint32_t sym, const uint32_t *defs, uint32_t n)
{
	return form_atom(w, (Atom){ .kind = ATOM_DEFS, .sym = sym, .defs = defs, .ndefs = n });
}

static Form
form_one_def(Forms *w, uint32_t def)
{
	uint32_t *defs = arena_array(w->arena, 1, sizeof *defs);

	defs[0] = def;
	return form_defs(w, fn_def(w->fn, def)->sym, defs, 1);
}

/* ---- definitions ----------------------------------------------------------------------------- */

static bool
is_integer(const Module *m, const Stmt *s)
{
	static const char *const floats[] = { "f16", "f16x2", "bf16", "f32", "f64", NULL };

	return !ptx_has_any(m, s, floats);
}

static Form
form_of_load(Forms *w, uint32_t stmt, uint32_t def)
{
	const Module *m = w->fn->m;
	const Opnd *from = &m->opnds[ptx_operand(m, fn_stmt(w->fn, stmt), 1)];
	int64_t offset;

	if (ptx_space(m, fn_stmt(w->fn, stmt)) == SPACE_PARAM && from->kind == OPND_ADDR &&
		from->tree > 1 && from[1].kind == OPND_SYM &&
		m->syms[from[1].sym].kind == SYM_PARAM && ptx_offset(m, from, &offset))
		return form_input(w, from[1].sym, offset);
	return form_one_def(w, def);
}

static Form
form_of_product(Forms *w, uint32_t stmt, uint32_t def)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Form a = form_of_operand(w, stmt, ptx_operand(m, s, 1));
	Form b = form_of_operand(w, stmt, ptx_operand(m, s, 2));
	int64_t by;

	if (ptx_op(m, s) == OP_SHL) {
		if (!form_is_constant(&b, &by) || by < 0 || by > 31)
			return form_one_def(w, def);
		b = form_constant(INT64_C(1) << by);
	} else if (ptx_has(m, s, "hi"))
		return form_one_def(w, def);
	a = form_product(&a, &b);
	if (ptx_op(m, s) != OP_MAD)
		return a;
	b = form_of_operand(w, stmt, ptx_operand(m, s, 3));
	return form_sum(&a, &b, 1);
}

static Form
form_of_def(Forms *w, uint32_t def)
{
	const Module *m = w->fn->m;
	uint32_t stmt = fn_def(w->fn, def)->stmt;
	const Stmt *s = fn_stmt(w->fn, stmt);
	bool plain = stmt && s->kind == STMT_INSN && !s->guard && w->left && is_integer(m, s);
	Form a, b;

	w->left -= w->left > 0;
	switch (plain ? ptx_op(m, s) : OP_LD) {
	case OP_MOV:
	case OP_CVT:
	case OP_CVTA: return form_of_operand(w, stmt, ptx_operand(m, s, 1));
	case OP_ADD:
	case OP_SUB:
		a = form_of_operand(w, stmt, ptx_operand(m, s, 1));
		b = form_of_operand(w, stmt, ptx_operand(m, s, 2));
		return form_sum(&a, &b, ptx_op(m, s) == OP_SUB ? -1 : 1);
	case OP_SHL:
	case OP_MUL:
	case OP_MAD: return form_of_product(w, stmt, def);
	case OP_LD: return plain ? form_of_load(w, stmt, def) : form_one_def(w, def);
	default: return form_one_def(w, def);
	}
}

/* ---- induction variables --------------------------------------------------------------------- */

static bool
loop_is_in(const Loops *l, uint32_t inner, uint32_t outer)
{
	while (inner && inner != outer)
		inner = l->loops[inner].parent;
	return inner == outer;
}

static bool
def_is_in_loop(const Fn *fn, uint32_t def, uint32_t loop)
{
	return loop_contains(fn->loops, loop, fn_block(fn, fn_def(fn, def)->stmt));
}

static bool
atom_is_invariant(const Forms *w, const Atom *a, uint32_t loop)
{
	if (a->kind == ATOM_LOOP)
		return !loop_is_in(w->fn->loops, a->loop, loop);
	for (uint32_t i = 0; i < a->ndefs; i++)
		if (def_is_in_loop(w->fn, a->defs[i], loop))
			return false;
	return a->kind != ATOM_SELF;
}

static bool
form_is_invariant(const Forms *w, const Form *f, uint32_t loop)
{
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = 0; k < FORM_FACTORS && f->term[i].atom[k]; k++)
			if (!atom_is_invariant(w, &w->atoms.at[f->term[i].atom[k]], loop))
				return false;
	return !f->unknown;
}

/* Computes what each of the definitions in the loop adds to a register. */
static bool
find_step(Forms *w, uint32_t loop, uint32_t sym, const uint32_t *defs, uint32_t n, Form *step)
{
	Form self = form_atom(w, (Atom){ .kind = ATOM_SELF, .sym = sym, .loop = loop });
	bool ok = true;

	*vec_push(&w->open) = (Open_induction){ loop, sym };
	for (uint32_t i = 0; i < n && ok; i++) {
		Form next = form_of_def(w, defs[i]);
		next = form_difference(&next, &self);
		int64_t none;
		Form change = i ? form_difference(&next, step) : (Form){ 0 };
		ok = w->fn->loops->loop_of[fn_block(w->fn, fn_def(w->fn, defs[i])->stmt)] == loop &&
			form_is_invariant(w, &next, loop) &&
			form_is_constant(&change, &none) && none == 0;
		*step = next;
	}
	w->open.n--;
	return ok;
}

static bool
is_open(const Forms *w, uint32_t loop, uint32_t sym)
{
	for (uint32_t i = 0; i < w->open.n; i++)
		if (w->open.at[i].loop == loop && w->open.at[i].sym == sym)
			return true;
	return false;
}

/* Returns the value of a register, given its definitions that reach a place in the loop. */
static Form
form_of_defs(Forms *w, uint32_t sym, const uint32_t *defs, uint32_t n, uint32_t loop)
{
	uint32_t *in = arena_array(w->arena, n + 1, sizeof *in), nin = 0;
	uint32_t *out = arena_array(w->arena, n + 1, sizeof *out), nout = 0;

	if (n == 1)
		return form_of_def(w, defs[0]);
	for (uint32_t i = 0; i < n; i++)
		if (loop && def_is_in_loop(w->fn, defs[i], loop))
			in[nin++] = defs[i];
		else
			out[nout++] = defs[i];
	if (!loop || n == 0 || w->left == 0 || nout == 0)
		return form_defs(w, sym, defs, n);
	if (nin == 0)
		return form_of_defs(w, sym, defs, n, w->fn->loops->loops[loop].parent);
	if (is_open(w, loop, sym))
		return form_atom(w, (Atom){ .kind = ATOM_SELF, .sym = sym, .loop = loop });
	w->left--;
	Form step;
	if (!find_step(w, loop, sym, in, nin, &step))
		return form_defs(w, sym, defs, n);
	Form k = form_atom(w, (Atom){ .kind = ATOM_LOOP, .loop = loop });
	Form first = form_of_defs(w, sym, out, nout, w->fn->loops->loops[loop].parent);
	step = form_product(&step, &k);
	return form_sum(&first, &step, 1);
}

static Form
form_of_register(Forms *w, uint32_t stmt, uint32_t sym)
{
	uint32_t u = defuse_find_use(w->fn, stmt, sym), n = 0;
	uint32_t *defs = arena_array(w->arena, fn_use(w->fn, u)->ndef + 1, sizeof *defs);

	FN_REACH(w->fn, u, d)
		if (fn_def(w->fn, d)->stmt)
			defs[n++] = d;
	return form_of_defs(w, sym, defs, n, w->fn->loops->loop_of[fn_block(w->fn, stmt)]);
}

/* ---- operands -------------------------------------------------------------------------------- */

static Form
form_of_symbol(Forms *w, uint32_t stmt, const Opnd *o)
{
	if (fn_is_reg(w->fn, o->sym) && !o->sel)
		return form_of_register(w, stmt, o->sym);
	return form_input(w, o->sym, o->sel);
}

static Form
form_of_operand(Forms *w, uint32_t stmt, uint32_t opnd)
{
	const Module *m = w->fn->m;
	const Opnd *o = &m->opnds[opnd];
	uint64_t value = 0;
	int64_t offset = 0;
	bool real = false;

	if (o->kind == OPND_IMM && ptx_imm(m, o, &value, &real) && !real)
		return form_constant((int64_t)value);
	if (o->kind == OPND_SYM)
		return form_of_symbol(w, stmt, o);
	if ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1 &&
		ptx_offset(m, o, &offset)) {
		Form base = form_of_operand(w, stmt, opnd + 1), plus = form_constant(offset);
		return form_sum(&base, &plus, 1);
	}
	return (Form){ .unknown = true };
}

void
forms_init(Forms *w, const Fn *fn, Arena *a)
{
	*w = (Forms){ .fn = fn, .arena = a };
	*vec_push(&w->atoms) = (Atom){ 0 };
}

void
forms_release(Forms *w)
{
	vec_free(&w->atoms);
	vec_free(&w->open);
}

Form
form_of_address(Forms *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);

	w->left = MOST_STEPS;
	PTX_OPNDS(m, s, k, o)
		if (m->opnds[o].kind == OPND_ADDR)
			return form_of_operand(w, stmt, o);
	return (Form){ .unknown = true };
}
