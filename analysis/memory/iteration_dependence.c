/* SPDX-License-Identifier: MIT */
/* Dependences between iterations; see iteration_dependence.h. */
#include "analysis/memory/iteration_dependence.h"
#include "analysis/memory/lane_stride.h"

/* What makes a value change between iterations, or within one. */
enum {
	BY_NUMBER = 1,  /* the iteration number, as a term of the address */
	BY_INDEX = 2,   /* a computation from the iteration number, or from an atomic counter */
	BY_LOAD = 4,    /* a value that the iteration loads */
	BY_INNER = 8    /* the iteration number of an inner loop, as a term of the address */
};

/* ---- values ---------------------------------------------------------------------------------- */

/* The definitions in the loop that a value is computed from. */
typedef struct {
	const Fn *fn;
	uint32_t loop;
	Bits seen;              /* definitions */
	VEC(uint32_t) todo;     /* definitions to visit */
	uint32_t varies;
	bool merges;            /* control flow selects between several definitions */
} Value_slice;

static bool
stmt_is_in_loop(const Value_slice *v, uint32_t stmt)
{
	return stmt && loop_contains(v->fn->loops, v->loop, fn_block(v->fn, stmt));
}

static void
add_def(Value_slice *v, uint32_t def)
{
	if (!stmt_is_in_loop(v, fn_def(v->fn, def)->stmt) || bits_has(v->seen, def))
		return;
	bits_set(v->seen, def);
	*vec_push(&v->todo) = def;
}

/* Adds the definitions of an operand. Where one of them is outside the loop, the value is carried
 * between iterations. */
static void
add_use(Value_slice *v, uint32_t use)
{
	bool in = false, out = false;

	FN_REACH(v->fn, use, d) {
		bool here = stmt_is_in_loop(v, fn_def(v->fn, d)->stmt);
		in |= here;
		out |= !here;
		add_def(v, d);
	}
	v->varies |= in && out ? BY_INDEX : 0;
	v->merges |= in && fn_use(v->fn, use)->ndef > 1;
}

static void
slice_statement(Value_slice *v, uint32_t stmt)
{
	const Module *m = v->fn->m;
	const Stmt *s = fn_stmt(v->fn, stmt);
	uint32_t flags = ptx_flags(m, s);

	if (flags & OPF_ATOMIC)
		v->varies |= ptx_has(m, s, "add") || ptx_has(m, s, "inc") ? BY_INDEX : BY_LOAD;
	else if (flags & OPF_CALL || (flags & OPF_LOAD && ptx_space(m, s) != SPACE_PARAM))
		v->varies |= BY_LOAD;
	else
		FN_USES_OF_STMT(v->fn, stmt, u)
			add_use(v, u);
}

static uint32_t
slice_varies(Value_slice *v)
{
	while (v->todo.n)
		slice_statement(v, fn_def(v->fn, *vec_pop(&v->todo))->stmt);
	vec_free(&v->todo);
	return v->varies;
}

static uint32_t
compute_atom_varies(const Forms *w, const Atom *a, uint32_t loop)
{
	const Loops *l = w->fn->loops;
	Value_slice v = { .fn = w->fn, .loop = loop };
	bool in = false, out = false;

	if (a->kind == ATOM_LOOP && a->loop == loop)
		return BY_NUMBER;
	if (a->kind == ATOM_LOOP)
		return loop_contains(l, loop, l->loops[a->loop].header) ? BY_INNER : 0;
	if (a->kind != ATOM_DEFS)
		return 0;
	v.seen = bits_new(w->arena, w->fn->defuse->ndefs);
	for (uint32_t i = 0; i < a->ndefs; i++) {
		bool here = stmt_is_in_loop(&v, fn_def(w->fn, a->defs[i])->stmt);
		in |= here;
		out |= !here;
		add_def(&v, a->defs[i]);
	}
	v.varies |= in && out ? BY_INDEX : 0;
	return slice_varies(&v);
}

static uint32_t
atom_varies(Forms *w, uint32_t atom, uint32_t loop)
{
	Atom *a = &w->atoms.at[atom];

	if (!a->varies)
		a->varies = 1 + compute_atom_varies(w, a, loop);
	return a->varies - 1;
}

static uint32_t
form_varies(Forms *w, const Form *f, uint32_t loop)
{
	uint32_t varies = 0;

	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = 0; k < FORM_FACTORS && f->term[i].atom[k]; k++)
			varies |= atom_varies(w, f->term[i].atom[k], loop);
	return varies;
}

Iteration_access
iteration_access(Forms *w, uint32_t loop, uint32_t stmt)
{
	Iteration_access x = { .address = form_of_address(w, stmt),
		.bytes = stride_bytes(w->fn, stmt) };

	x.varies = form_varies(w, &x.address, loop);
	return x;
}

bool
iteration_stores_constant(const Fn *fn, uint32_t loop, uint32_t stmt, Arena *a)
{
	const Module *m = fn->m;
	uint32_t value = ptx_operand(m, fn_stmt(fn, stmt), 1);
	Value_slice v = { .fn = fn, .loop = loop, .seen = bits_new(a, fn->defuse->ndefs) };

	if (m->opnds[value].kind == OPND_IMM)
		return true;
	if (m->opnds[value].kind != OPND_SYM || !fn_is_reg(fn, m->opnds[value].sym))
		return false;
	add_use(&v, defuse_find_use(fn, stmt, m->opnds[value].sym));
	return !slice_varies(&v) && !v.merges;
}

/* ---- distances ------------------------------------------------------------------------------- */

static bool
is_adjacent_thread(Forms *w, uint32_t atom)
{
	const Atom *a = &w->atoms.at[atom];
	const Sym *y = &w->fn->m->syms[a->sym];

	return a->kind == ATOM_INPUT && y->kind == SYM_SPECIAL &&
		((y->aux == SREG_TID && a->offset == 'x') || y->aux == SREG_LANEID);
}

static uint64_t
greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* Returns the least distance in bytes between the addresses of two iterations, of one thread or of
 * two; 0 if it is unknown. With a variable step it is that of neighbouring threads. */
static uint64_t
iteration_distance(Forms *w, const Iteration_access *x, uint32_t loop)
{
	uint64_t distance = 0, threads = 0;

	for (uint32_t i = 0; i < x->address.n; i++) {
		const Form_term *t = &x->address.term[i];
		uint64_t by = t->coef < 0 ? -(uint64_t)t->coef : (uint64_t)t->coef;
		uint32_t varies = 0;
		for (uint32_t k = 0; k < FORM_FACTORS && t->atom[k]; k++)
			varies |= atom_varies(w, t->atom[k], loop);
		if (t->atom[0] && !t->atom[1] && is_adjacent_thread(w, t->atom[0]))
			threads = by;
		if (varies && t->atom[1])
			distance = UINT64_MAX;
		else if (varies && distance != UINT64_MAX)
			distance = greatest_divisor(distance, by);
	}
	return distance == UINT64_MAX ? threads : distance;
}

static bool
ranges_overlap(int64_t distance, uint32_t store, uint32_t load)
{
	return distance < (int64_t)load && -distance < (int64_t)store;
}

/* Whether a store and a load at this distance overlap in iterations whose addresses are a multiple
 * of `step` apart. */
static bool
overlaps_elsewhere(int64_t distance, uint32_t store, uint32_t load, uint64_t step)
{
	if (step == 0 || step > INT64_MAX || ranges_overlap(distance, store, load))
		return false;
	int64_t rest = distance % (int64_t)step;
	rest += rest < 0 ? (int64_t)step : 0;
	return ranges_overlap(rest, store, load) ||
		ranges_overlap(rest - (int64_t)step, store, load);
}

/* Compares accesses whose addresses differ by a constant. */
static Iteration_dependence
compare_constant(Forms *w, uint32_t loop, const Iteration_access *store,
	const Iteration_access *load, int64_t distance)
{
	bool same = ranges_overlap(distance, store->bytes, load->bytes);
	bool elsewhere = overlaps_elsewhere(distance, store->bytes, load->bytes,
		iteration_distance(w, store, loop));

	if (store->varies & (BY_NUMBER | BY_INDEX))
		return elsewhere ? DEPENDENCE_DISTANCE : DEPENDENCE_NONE;
	/* a range that begins at a loaded index, such as a row of a sparse matrix */
	if (store->varies & BY_LOAD && store->varies & BY_INNER)
		return DEPENDENCE_NONE;
	if (store->varies & BY_LOAD)
		return same || elsewhere ? DEPENDENCE_LOADED : DEPENDENCE_NONE;
	return same || elsewhere ? DEPENDENCE_EVERY : DEPENDENCE_NONE;
}

/* Whether the accesses are always too far apart to overlap, because the terms of the distance are
 * multiples of a size. For example, they access different members of an array of structs. */
static bool
never_overlap(const Form *distance, uint32_t store, uint32_t load)
{
	uint64_t step = 0;
	int64_t constant = 0;

	for (uint32_t i = 0; i < distance->n; i++) {
		const Form_term *t = &distance->term[i];
		if (t->atom[0])
			step = greatest_divisor(
				step, t->coef < 0 ? -(uint64_t)t->coef : (uint64_t)t->coef);
		else
			constant = t->coef;
	}
	return step && !ranges_overlap(constant, store, load) &&
		!overlaps_elsewhere(constant, store, load, step);
}

static bool
is_scattered(const Iteration_access *x)
{
	return x->varies & BY_LOAD && !(x->varies & (BY_NUMBER | BY_INDEX | BY_INNER));
}

Iteration_dependence
iteration_dependence(Forms *w, uint32_t loop, const Iteration_access *store,
	const Iteration_access *load)
{
	Form difference = form_difference(&store->address, &load->address);
	int64_t distance;

	if (difference.unknown)
		return DEPENDENCE_NONE;
	if (form_is_constant(&difference, &distance))
		return compare_constant(w, loop, store, load, distance);
	if ((is_scattered(store) || is_scattered(load)) &&
		!never_overlap(&difference, store->bytes, load->bytes) &&
		form_varies(w, &difference, loop) & BY_LOAD)
		return DEPENDENCE_LOADED;
	return DEPENDENCE_NONE;
}
