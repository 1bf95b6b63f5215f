/* SPDX-License-Identifier: MIT */
/* Memory of unannotated kernels: pointers and accesses. See alias_in.h. */
#include <stdio.h>
#include <string.h>
#include "tests/gen/alias_in.h"

static const struct {
	const char *name;
	Space_of space;
} objects[OBJECTS] = {
	[OBJ_A] = { NULL, IN_GLOBAL },
	[OBJ_B] = { NULL, IN_GLOBAL },
	[OBJ_C] = { NULL, IN_GLOBAL },
	[OBJ_G1] = { "g1", IN_GLOBAL },
	[OBJ_G2] = { "g2", IN_GLOBAL },
	[OBJ_S1] = { "s1", IN_SHARED },
	[OBJ_S2] = { "s2", IN_SHARED },
	[OBJ_D1] = { "d1", IN_SHARED },
	[OBJ_D2] = { "d2", IN_SHARED },
	[OBJ_L1] = { "l1", IN_LOCAL },
	[OBJ_L2] = { "l2", IN_LOCAL },
};
static const char *const spaces[SPACES] = { ".global", ".shared", ".local", "" };

typedef struct {
	const char *reg;
	Space_of space;
} Pointer;

static const char *
address(Alias *g)
{
	return alias_name(g, ADDR, alias_fresh(g, ADDR));
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* One of a set of objects; OBJECTS if it is empty. */
static uint32_t
any_of(Alias *g, uint32_t set)
{
	uint32_t n = (uint32_t)__builtin_popcount(set), k;

	if (!n)
		return OBJECTS;
	k = alias_below(g, n);
	for (uint32_t o = 0; o < OBJECTS; o++)
		if (set >> o & 1 && k-- == 0)
			return o;
	return OBJECTS;
}

/* The thread's window in an object. */
static const char *
window(Alias *g, uint32_t o)
{
	bool again = objects[o].name && alias_chance(g, 40);
	const char *q;

	if (!again)
		return alias_name(g, ADDR, g->base[o]);
	q = address(g);
	alias_line(g, "mov.u64 \t%s, %s", q, objects[o].name);
	if (g->offset[objects[o].space])
		alias_line(g, "add.s64 \t%s, %s, %%q%u", q, q, g->offset[objects[o].space]);
	return q;
}

/* Returns a pointer equal to q, computed from a pointer to another object: arithmetic hides the
 * difference. */
static void
put_difference(Alias *g, const char *to, const char *p, const char *q)
{
	uint32_t way = alias_below(g, 6);
	const char *t = address(g);

	alias_line(g, "%s \t%s, %s, %s", way ? "sub.s64" : "xor.b64", t, p, q);
	switch (way) {
	case 0:
		alias_line(g, "xor.b64 \t%s, %s, %s", to, t, q);
		return;
	case 1:
		alias_line(g, "mad.lo.s64 \t%s, %s, %%q%u, %s", to, t, g->reg.one, q);
		return;
	case 2:
		alias_line(g, "mul.lo.s64 \t%s, %s, %%q%u", t, t, g->reg.one);
		break;
	case 3:
		alias_line(g, "shr.s64 \t%s, %s, 4", t, t);
		alias_line(g, "shl.b64 \t%s, %s, 4", t, t);
		break;
	case 4:
		alias_line(g, "neg.s64 \t%s, %s", t, t);
		alias_line(g, "sub.s64 \t%s, %s, %s", to, q, t);
		return;
	default:
		break;
	}
	alias_line(g, "add.s64 \t%s, %s, %s", to, q, t);
}

/* Selects one of two pointers by the lane's data. */
static void
put_choice(Alias *g, const char *to, const char *p, const char *q)
{
	bool multiplied = alias_chance(g, 50);
	const char *t, *r, *from;

	if (!multiplied) {
		from = alias_test(g);
		alias_line(g, "selp.b64 \t%s, %s, %s, %s", to, p, q, from);
		return;
	}
	t = address(g);
	r = alias_name(g, INT, alias_fresh(g, INT));
	alias_line(g, "and.b32 \t%s, %s, 1", r, alias_read(g, INT));
	alias_line(g, "sub.s64 \t%s, %s, %s", t, p, q);
	from = address(g);
	alias_line(g, "cvt.u64.u32 \t%s, %s", from, r);
	alias_line(g, "mad.lo.s64 \t%s, %s, %s, %s", to, t, from, q);
}

static const char *
generic(Alias *g, const char *p, Space_of space)
{
	const char *q = address(g);

	alias_line(g, "cvta%s.u64 \t%s, %s", spaces[space], q, p);
	return q;
}

static uint32_t
set_of_space(const Alias *g, Space_of space)
{
	uint32_t set = 0;

	for (uint32_t o = 0; o < OBJECTS; o++)
		if (g->objects >> o & 1 && objects[o].space == space)
			set |= 1u << o;
	return set;
}

/* A pointer into one of the set. */
static Pointer
pointer(Alias *g, uint32_t set)
{
	uint32_t o = any_of(g, set), way = alias_below(g, 100), other;
	Space_of space = objects[o].space;
	const char *p, *q, *to;

	if (way >= 90 && !g->at.own && g->moving[space])
		return (Pointer){ alias_name(g, ADDR, g->moving[space]), space };
	p = window(g, o);
	/* uses the address of an object that may be outside of the set */
	other = any_of(g, set_of_space(g, space) & ~(1u << o));
	if (way < (g->at.own ? 8 : 30) && other < OBJECTS) {
		q = window(g, other);
		to = address(g);
		put_difference(g, to, p, q);
		p = to;
	} else if (way < 45 && (other = any_of(g, set_of_space(g, space) & set)) < OBJECTS) {
		q = window(g, other);
		to = address(g);
		put_choice(g, to, p, q);
		p = to;
	}
	if (alias_chance(g, 80))
		return (Pointer){ p, space };
	return (Pointer){ generic(g, p, space), IN_GENERIC };
}

/* ---- accesses -------------------------------------------------------------------------------- */

typedef struct {
	const char *type;
	Type_of of;
	uint32_t bytes, n;
} Width;
static const Width widths[] = {
	{ "u32", INT, 4, 1 },
	{ "u32", INT, 4, 1 },
	{ "f32", FLOAT, 4, 1 },
	{ "f32", FLOAT, 4, 1 },
	{ "f64", DOUBLE, 8, 1 },
	{ "u8", INT, 1, 1 },
	{ "s8", INT, 1, 1 },
	{ "u16", INT, 2, 1 },
	{ "s16", INT, 2, 1 },
	{ "u32", INT, 8, 2 },
	{ "f32", FLOAT, 8, 2 },
	{ "u32", INT, 16, 4 },
};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Adds an index, which may be the same in several iterations, to a pointer. Returns the constant
 * offset to use. There are few different addresses, so that accesses collide. */
static uint32_t
index_by(Alias *g, Pointer *p, uint32_t bytes)
{
	uint32_t places = ALIAS_WINDOW / bytes, most = places > 4 ? 4 : places;
	const char *r, *q, *from;

	if (alias_chance(g, 40))
		return bytes * alias_below(g, most);
	r = alias_name(g, INT, alias_fresh(g, INT));
	q = address(g);
	from = alias_read(g, INT);
	alias_line(g, "and.b32 \t%s, %s, %u", r, from, most - 1);
	if (alias_chance(g, 50)) {
		alias_line(g, "mad.wide.u32 \t%s, %s, %u, %s", q, r, bytes, p->reg);
	} else {
		alias_line(g, "mul.wide.u32 \t%s, %s, %u", q, r, bytes);
		alias_line(g, "add.s64 \t%s, %s, %s", q, p->reg, q);
	}
	p->reg = q;
	return 0;
}

/* {%r1, %r2}, for which the kernel has registers. */
static void
list_names(char *to, size_t n, const char *const *of, uint32_t count)
{
	int at = snprintf(to, n, "{%s", of[0]);

	for (uint32_t i = 1; i < count; i++)
		at += snprintf(to + at, n - (size_t)at, ", %s", of[i]);
	snprintf(to + at, n - (size_t)at, "}");
}

void
alias_load_in(Alias *g, const char *to)
{
	const char *r = alias_name(g, INT, alias_fresh(g, INT)), *q = address(g);
	bool keeps = alias_chance(g, 50);

	alias_line(g, "and.b32 \t%s, %s, 1023", r, alias_read(g, INT));
	alias_line(g, "mad.wide.u32 \t%s, %s, 4, %%q%u", q, r, g->reg.in);
	alias_line(g, "ld.global%s.u32 \t%s, [%s]", keeps ? ".nc" : "", to, q);
}

/* Returns the register, or the first of several. */
static const char *
load_word(Alias *g, const Width *w)
{
	const char *to[4] = { 0 },
		   *is_volatile = g->looks && alias_chance(g, 40) ? ".volatile" : "";
	char list[160];

	Pointer p = pointer(g, g->at.reads);
	uint32_t offset = index_by(g, &p, w->bytes);
	if (p.space == IN_LOCAL)
		is_volatile = "";
	to[0] = alias_write(g, w->of);
	for (uint32_t i = 1; i < w->n; i++)
		to[i] = alias_name(g, w->of, alias_fresh(g, w->of)); /* they must differ */
	list_names(list, sizeof list, to, w->n);
	alias_line(g, "ld%s%s.%s%s \t%s, [%s+%u]", is_volatile, spaces[p.space],
		w->n == 1         ? "" :
			w->n == 2 ? "v2." :
				    "v4.",
		w->type, w->n == 1 ? to[0] : list, p.reg, offset);
	return to[0];
}

void
alias_load(Alias *g)
{
	if (!g->at.reads || alias_chance(g, 15))
		alias_load_in(g, alias_write(g, INT));
	else
		load_word(g, &widths[alias_below(g, WIDTHS)]);
}

const char *
alias_load_int(Alias *g)
{
	const Width *w;
	const char *to;

	if (!g->at.reads || alias_chance(g, 15)) {
		alias_load_in(g, to = alias_write(g, INT));
		return to;
	}
	do
		w = &widths[alias_below(g, WIDTHS)];
	while (w->of != INT);
	return load_word(g, w);
}

void
alias_store(Alias *g)
{
	const Width *w = &widths[alias_below(g, WIDTHS)];
	const char *from[4] = { 0 };
	char list[160];

	if (!g->at.writes) {
		alias_compute(g);
		return;
	}
	Pointer p = pointer(g, g->at.writes);
	uint32_t offset = index_by(g, &p, w->bytes);
	for (uint32_t i = 0; i < w->n; i++)
		from[i] = alias_read(g, w->of);
	for (uint32_t i = 0; i < w->n; i++)
		if (from[i][0] != '%') { /* stores take registers here */
			const char *r = alias_name(g, w->of, alias_fresh(g, w->of));
			alias_line(g, "mov.%s \t%s, %s",
				w->of == INT           ? "u32" :
					w->of == FLOAT ? "f32" :
							 "f64",
				r, from[i]);
			from[i] = r;
		}
	list_names(list, sizeof list, from, w->n);
	const char *guard = alias_chance(g, 15) ? alias_test(g) : NULL;
	alias_line(g, "%s%s%sst%s.%s%s \t[%s+%u], %s", guard ? "@" : "", guard ? guard : "",
		guard ? " " : "", spaces[p.space],
		w->n == 1         ? "" :
			w->n == 2 ? "v2." :
				    "v4.",
		w->type, p.reg, offset, w->n == 1 ? from[0] : list);
}

/* On the lane's own memory in the lane's order; on shared counters in any order. */
void
alias_atomic(Alias *g)
{
	static const char *const ops[] = { "add", "min", "max", "and", "or", "xor" };
	const char *op = ops[alias_below(g, 6)], *v = alias_read(g, INT);
	/* local memory has no atomics */
	uint32_t set = g->at.writes & ~(1u << OBJ_L1 | 1u << OBJ_L2);

	if (!set || alias_chance(g, 40)) {
		uint32_t at = alias_below(g, 6); /* each counter has one operation */
		alias_line(g, "red.global.%s.%s \t[%%q%u+%u], %s", ops[at],
			at == 0 || at == 1 || at == 2 ? "u32" : "b32", g->reg.sums, 4 * at, v);
		return;
	}
	Pointer p = pointer(g, set);
	uint32_t offset = index_by(g, &p, 4);
	const char *found =
		g->looks ? alias_write(g, INT) : alias_name(g, INT, alias_fresh(g, INT));
	bool counts = alias_chance(g, 50);
	alias_line(g, "atom%s.%s.%s \t%s, [%s+%u], %s", spaces[p.space], counts ? "add" : op,
		counts || strcmp(op, "add") == 0 || op[0] == 'm' ? "u32" : "b32",
		counts ? alias_write(g, INT) : found, p.reg, offset, v);
}

void
alias_repoint(Alias *g)
{
	uint32_t set = g->at.writes;

	if (!set || g->at.own) {
		alias_compute(g);
		return;
	}
	Pointer p = pointer(g, set);
	if (g->moving[p.space])
		alias_line(g, "mov.u64 \t%%q%u, %s", g->moving[p.space], p.reg);
}

/* ---- the prologue ---------------------------------------------------------------------------- */

static void
offsets(Alias *g)
{
	g->offset[IN_GLOBAL] = alias_fresh(g, ADDR);
	g->offset[IN_SHARED] = alias_fresh(g, ADDR);
	alias_line(g, "mul.wide.u32 \t%%q%u, %%r%u, %d", g->offset[IN_GLOBAL], g->reg.gid,
		ALIAS_STRIDE);
	alias_line(g, "mul.wide.u32 \t%%q%u, %%r%u, %d", g->offset[IN_SHARED], g->reg.tid,
		ALIAS_WINDOW);
}

/* Fills the window with words of the input, so that there are no uninitialised reads. */
static void
fill_window(Alias *g, uint32_t o)
{
	for (uint32_t k = 0; k < ALIAS_WINDOW; k += 16) {
		const char *r[4];
		char list[160];
		for (int i = 0; i < 4; i++)
			r[i] = alias_name(g, INT, g->vars[alias_below(g, 4)].reg);
		list_names(list, sizeof list, r, 4);
		alias_line(g, "st%s.v4.u32 \t[%%q%u+%u], %s", spaces[objects[o].space], g->base[o],
			k, list);
	}
}

void
alias_prologue(Alias *g)
{
	static const char *const params[] = { "a", "b", "c" };

	offsets(g);
	for (uint32_t o = 0; o < OBJECTS; o++) {
		if (!(g->objects >> o & 1))
			continue;
		uint32_t q = g->base[o] = alias_fresh(g, ADDR), by = g->offset[objects[o].space];
		if (objects[o].name) {
			alias_line(g, "mov.u64 \t%%q%u, %s", q, objects[o].name);
		} else {
			alias_line(g, "ld.param.u64 \t%%q%u, [%s]", q, params[o]);
			alias_line(g, "cvta.to.global.u64 \t%%q%u, %%q%u", q, q);
		}
		if (by)
			alias_line(g, "add.s64 \t%%q%u, %%q%u, %%q%u", q, q, by);
	}
}

/* Pointer variables, which the loops change. */
static void
moving(Alias *g)
{
	for (uint32_t o = 0; o < OBJECTS; o++) {
		Space_of space = objects[o].space;
		if (!(g->objects >> o & 1) || space == IN_LOCAL || g->moving[space] ||
			!alias_chance(g, 50))
			continue;
		g->moving[space] = alias_fresh(g, ADDR);
		alias_line(g, "mov.u64 \t%%q%u, %%q%u", g->moving[space], g->base[o]);
	}
}

void
alias_fill(Alias *g)
{
	for (uint32_t o = 0; o < OBJECTS; o++)
		if (g->objects >> o & 1)
			fill_window(g, o);
	moving(g);
}

void
alias_show(Alias *g)
{
	for (uint32_t o = OBJ_S1; o < OBJECTS; o++) {
		uint32_t sum = alias_fresh(g, INT), r = g->nregs[INT] + 1;
		if (!(g->objects >> o & 1))
			continue;
		g->nregs[INT] += 4;
		alias_line(g, "mov.u32 \t%%r%u, 0", sum);
		for (uint32_t k = 0; k < ALIAS_WINDOW; k += 16) {
			alias_line(g, "ld%s.v4.u32 \t{%%r%u, %%r%u, %%r%u, %%r%u}, [%%q%u+%u]",
				spaces[objects[o].space], r, r + 1, r + 2, r + 3, g->base[o], k);
			for (uint32_t i = 0; i < 4; i++)
				alias_line(
					g, "mad.lo.s32 \t%%r%u, %%r%u, 7, %%r%u", sum, sum, r + i);
		}
		alias_line(g, "st.global.u32 \t[%%q%u+%u], %%r%u", g->reg.last,
			64 + 4 * (o - OBJ_S1), sum);
	}
}
