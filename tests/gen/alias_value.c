/* SPDX-License-Identifier: MIT */
/* Values of unannotated kernels. See alias_in.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tests/gen/alias_in.h"

const char *const alias_register[TYPES] = { "%r", "%f", "%d", "%q", "%p" };

/* One in this many values is one that the code should not use. */
enum { LEAK = 400 };

uint32_t
alias_below(Alias *g, uint32_t n)
{
	return (uint32_t)(gen_random(&g->state) % n);
}

static uint32_t
any_value(Alias *g, uint32_t n)
{
	return (uint32_t)(gen_random(&g->which) % n);
}

bool
alias_chance(Alias *g, uint32_t percent)
{
	return alias_below(g, 100) < percent;
}

void
alias_line(Alias *g, const char *fmt, ...)
{
	va_list ap;

	buf_putc(g->body, '\t');
	va_start(ap, fmt);
	buf_vprintf(g->body, fmt, ap);
	va_end(ap);
	buf_puts(g->body, ";\n");
}

void
alias_label(Alias *g, uint32_t label)
{
	buf_printf(g->body, "$L%u:\n", label);
}

uint32_t
alias_fresh(Alias *g, Type_of t)
{
	return ++g->nregs[t];
}

static char *
name(Alias *g)
{
	return g->names[g->nnames++ % NAMES];
}

const char *
alias_name(Alias *g, Type_of t, uint32_t reg)
{
	char *s = name(g);

	snprintf(s, sizeof g->names[0], "%s%u", alias_register[t], reg);
	return s;
}

void
alias_var_add(Alias *g, Type_of t, uint32_t reg)
{
	g->vars[g->at.nvars++] = (Var){ (uint8_t)t, reg };
}

/* A variable of that type with from <= index < to; NULL: there is none. */
static const char *
variable(Alias *g, Type_of t, uint32_t from, uint32_t to)
{
	uint32_t n = 0, k;

	for (uint32_t i = from; i < to; i++)
		n += g->vars[i].type == t;
	if (!n)
		return NULL;
	k = any_value(g, n);
	for (uint32_t i = from; i < to; i++)
		if (g->vars[i].type == t && k-- == 0)
			return alias_name(g, t, g->vars[i].reg);
	return NULL;
}

static const char *
constant(Alias *g, Type_of t)
{
	static const char *const floats[] = { "0f3F800000", "0fBF000000", "0f40490FDB",
		"0f3DCCCCCD", "0f41200000", "0f00000000" };
	static const char *const doubles[] = { "0d3FF0000000000000", "0dBFE0000000000000",
		"0d400921FB54442D18", "0d3FB999999999999A" };
	char *s;

	if (t == FLOAT)
		return floats[any_value(g, 6)];
	if (t == DOUBLE)
		return doubles[any_value(g, 4)];
	s = name(g);
	uint32_t most = any_value(g, 100) < 75 ? 40 : 1u << 30;
	snprintf(s, sizeof g->names[0], "%u", any_value(g, most));
	return s;
}

const char *
alias_read(Alias *g, Type_of t)
{
	bool own = g->at.own && any_value(g, LEAK) > 0;
	const char *v;

	if (t == INT && g->at.ncounters && any_value(g, 100) < 20)
		return alias_name(g, INT, g->counters[any_value(g, g->at.ncounters)]);
	if (t == INT && any_value(g, 100) < 10)
		return alias_name(g, INT, any_value(g, 100) < 50 ? g->reg.x : g->reg.gid);
	v = any_value(g, 100) < 12 ? NULL : variable(g, t, own ? g->at.first : 0, g->at.nvars);
	return v ? v : constant(g, t);
}

const char *
alias_write(Alias *g, Type_of t)
{
	uint32_t to = g->at.own || any_value(g, LEAK) == 0 || g->at.writable > g->at.nvars ?
		g->at.nvars :
		g->at.writable;
	const char *v = variable(g, t, g->at.own && any_value(g, LEAK) > 0 ? g->at.first : 0, to);

	return v ? v : alias_name(g, t, alias_fresh(g, t));
}

/* ---- tests ----------------------------------------------------------------------------------- */

const char *
alias_test_int(Alias *g, const char *from)
{
	static const char *const compare[] = { "eq", "ne", "le", "gt" };
	const char *p = alias_name(g, TEST, alias_fresh(g, TEST)),
		   *r = alias_name(g, INT, alias_fresh(g, INT));
	const char *how = compare[alias_below(g, 4)];
	uint32_t bits = 1 + alias_below(g, 3);

	alias_line(g, "shr.u32 \t%s, %s, %u", r, from, alias_below(g, 9));
	alias_line(g, "and.b32 \t%s, %s, %u", r, r, (1u << bits) - 1);
	alias_line(g, "setp.%s.s32 \t%s, %s, %u", how, p, r, alias_below(g, (1u << bits) - 1));
	return p;
}

static const char *
test_real(Alias *g, Type_of t)
{
	static const char *const compare[] = { "lt", "gt", "le", "ge", "ltu", "neu" };
	const char *p = alias_name(g, TEST, alias_fresh(g, TEST)), *a = alias_read(g, t),
		   *b = alias_read(g, t);

	alias_line(g, "setp.%s.%s \t%s, %s, %s", compare[alias_below(g, 6)],
		t == FLOAT ? "f32" : "f64", p, a, b);
	return p;
}

static const char *
test_int(Alias *g)
{
	return alias_test_int(g, alias_read(g, INT));
}

const char *
alias_test(Alias *g)
{
	static const char *const both[] = { "and", "or", "xor" };
	uint32_t way = alias_below(g, 10);
	const char *p = way < 6 ? test_int(g) : test_real(g, way < 9 || g->at.own ? FLOAT : DOUBLE);

	if (alias_chance(g, 20)) {
		const char *q = test_int(g);
		alias_line(g, "%s.pred \t%s, %s, %s", both[alias_below(g, 3)], p, p, q);
	}
	return p;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void
compute_int(Alias *g)
{
	static const char *const ops[] = { "add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",
		"xor.b32", "min.s32", "max.u32", "mul.hi.u32", "add.u32" };
	static const char *const shifts[] = { "shl.b32", "shr.u32", "shr.s32" };
	const char *a = alias_read(g, INT), *b = alias_read(g, INT), *c, *to = alias_write(g, INT);
	uint32_t way = alias_below(g, 5), any = alias_below(g, 30);

	switch (way) {
	case 0:
		c = alias_read(g, INT);
		alias_line(g, "mad.lo.s32 \t%s, %s, %s, %s", to, a, b, c);
		break;
	case 1:
		alias_line(g, "%s \t%s, %s, %u", shifts[any % 3], to, a, 1 + any % 7);
		break;
	case 2:
		c = alias_test(g);
		alias_line(g, "selp.b32 \t%s, %s, %s, %s", to, a, b, c);
		break;
	default:
		alias_line(g, "%s \t%s, %s, %s", ops[any % 10], to, a, b);
	}
}

/* A product that is added to and compared: an assembler may fuse it with the sum in one copy of the
 * code and not in another. */
static void
compute_product(Alias *g, Type_of t, const char *type)
{
	const char *m = alias_name(g, t, alias_fresh(g, t)), *a = alias_read(g, t),
		   *b = alias_read(g, t), *c = alias_read(g, t), *to = alias_write(g, t);
	uint32_t any = alias_below(g, 8);

	alias_line(g, "mul.%s \t%s, %s, %s", type, m, a, b);
	if (any & 1) {
		const char *p = alias_name(g, TEST, alias_fresh(g, TEST)), *q = alias_read(g, t),
			   *r = alias_read(g, INT), *sum = alias_write(g, INT);
		alias_line(g, "setp.%s.%s \t%s, %s, %s", any & 2 ? "lt" : "ge", type, p, m, q);
		alias_line(g, "@%s add.s32 \t%s, %s, 1", p, sum, r);
	}
	alias_line(g, "%s.%s \t%s, %s, %s", any & 2 ? "add" : "sub", type, to, m, c);
	if (any & 4) {
		a = alias_read(g, t);
		alias_line(g, "add.%s \t%s, %s, %s", type, alias_write(g, t), m, a);
	}
}

static void
compute_real(Alias *g, Type_of t)
{
	static const char *const two[] = { "add", "mul", "sub", "min", "max", "add.rn", "mul.rn",
		"div.rn" };
	static const char *const one[] = { "neg", "abs", "neg", "abs", "sqrt.rn" };
	const char *type = t == FLOAT ? "f32" : "f64", *a = alias_read(g, t), *b = alias_read(g, t),
		   *c = alias_read(g, t), *to = alias_write(g, t);
	uint32_t way = alias_below(g, 7), any = alias_below(g, 280);

	switch (way) {
	case 0:
		alias_line(g, "fma.rn.%s \t%s, %s, %s, %s", type, to, a, b, c);
		break;
	case 1:
		alias_line(g, "%s.%s \t%s, %s", one[any % (t == FLOAT ? 5 : 4)], type, to, a);
		break;
	case 2:
		c = alias_test(g);
		alias_line(g, "selp.%s \t%s, %s, %s, %s", type, to, a, b, c);
		break;
	case 3:
		alias_line(
			g, "%s.%s \t%s, %s, %s", two[any % (t == FLOAT ? 8 : 7)], type, to, a, b);
		break;
	default:
		compute_product(g, t, type);
	}
}

/* Small numbers, so that sums and products stay finite for a while. */
static void
convert(Alias *g)
{
	bool wide = alias_chance(g, 30);
	Type_of t = wide ? DOUBLE : FLOAT;
	const char *v = alias_name(g, t, alias_fresh(g, t)), *type = wide ? "f64" : "f32",
		   *r = alias_name(g, INT, alias_fresh(g, INT));

	if (alias_chance(g, 40)) {
		v = alias_read(g, t);
		alias_line(g, "cvt.rzi.s32.%s \t%s, %s", type, alias_write(g, INT), v);
		return;
	}
	alias_line(g, "and.b32 \t%s, %s, 1023", r, alias_read(g, INT));
	alias_line(g, "cvt.rn.%s.u32 \t%s, %s", type, v, r);
	alias_line(g, "mul.%s \t%s, %s, %s", type, alias_write(g, t), v,
		wide ? "0d3F847AE147AE147B" : "0f3C23D70A");
}

void
alias_compute(Alias *g)
{
	uint32_t way = alias_below(g, 12);

	if (way < 5)
		compute_int(g);
	else if (way < 6)
		convert(g);
	else
		compute_real(g, way < 10 ? FLOAT : DOUBLE);
}
