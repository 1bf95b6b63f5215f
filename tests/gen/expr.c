/* SPDX-License-Identifier: MIT */
/* Random expressions: one instruction from a table, or a load. */
#include <string.h>
#include "tests/gen/inner.h"

/* In the text, 0 is the destination and 1 to 3 are the sources, whose types `from` gives by letter
 * (h b16, r b32, d b64, f f32, e f64, p predicate); I is a small number, S one below 16. */
typedef struct { uint8_t to; const char *from, *text; } Template;
static const Template templates[] = {
	{ B16, "hh", "add.s16 \t@0, @1, @2" },
	{ B16, "hh", "xor.b16 \t@0, @1, @2" },
	{ B16, "hh", "mul.lo.u16 \t@0, @1, @2" },
	{ B16, "r", "cvt.u16.u32 \t@0, @1" },
	{ B16, "hhp", "selp.b16 \t@0, @1, @2, @3" },
	{ B16, "h", "shl.b16 \t@0, @1, @S" },
	{ B32, "rr", "add.s32 \t@0, @1, @2" },
	{ B32, "rr", "sub.s32 \t@0, @1, @2" },
	{ B32, "rr", "mul.lo.s32 \t@0, @1, @2" },
	{ B32, "rr", "mul.hi.u32 \t@0, @1, @2" },
	{ B32, "rr", "xor.b32 \t@0, @1, @2" },
	{ B32, "rr", "and.b32 \t@0, @1, @2" },
	{ B32, "rr", "or.b32 \t@0, @1, @2" },
	{ B32, "rr", "min.s32 \t@0, @1, @2" },
	{ B32, "rr", "max.u32 \t@0, @1, @2" },
	{ B32, "r", "add.s32 \t@0, @1, @I" },
	{ B32, "r", "shl.b32 \t@0, @1, @S" },
	{ B32, "r", "shr.s32 \t@0, @1, @S" },
	{ B32, "r", "popc.b32 \t@0, @1" },
	{ B32, "r", "clz.b32 \t@0, @1" },
	{ B32, "r", "brev.b32 \t@0, @1" },
	{ B32, "r", "mov.u32 \t@0, @1" },
	{ B32, "rrr", "mad.lo.s32 \t@0, @1, @2, @3" },
	{ B32, "rrr", "lop3.b32 \t@0, @1, @2, @3, 0x96" },
	{ B32, "rr", "prmt.b32 \t@0, @1, @2, 0x5410" },
	{ B32, "rr", "shf.l.wrap.b32 \t@0, @1, @2, @S" },
	{ B32, "r", "bfe.u32 \t@0, @1, @S, 7" },
	{ B32, "rr", "bfi.b32 \t@0, @1, @2, @S, 9" },
	{ B32, "rrp", "selp.b32 \t@0, @1, @2, @3" },
	{ B32, "h", "cvt.u32.u16 \t@0, @1" },
	{ B32, "d", "cvt.u32.u64 \t@0, @1" },
	{ B32, "f", "mov.b32 \t@0, @1" },
	{ B32, "f", "cvt.rzi.s32.f32 \t@0, @1" },
	{ B32, "e", "cvt.rni.s32.f64 \t@0, @1" },
	{ B32, "p", "selp.u32 \t@0, @I, 0, @1" },
	{ B64, "dd", "add.s64 \t@0, @1, @2" },
	{ B64, "dd", "xor.b64 \t@0, @1, @2" },
	{ B64, "dd", "mul.lo.s64 \t@0, @1, @2" },
	{ B64, "rr", "mul.wide.u32 \t@0, @1, @2" },
	{ B64, "rrd", "mad.wide.s32 \t@0, @1, @2, @3" },
	{ B64, "r", "cvt.s64.s32 \t@0, @1" },
	{ B64, "d", "shr.u64 \t@0, @1, @S" },
	{ B64, "rr", "mov.b64 \t@0, {@1, @2}" },
	{ B64, "e", "mov.b64 \t@0, @1" },
	{ B64, "ddp", "selp.b64 \t@0, @1, @2, @3" },
	{ F32, "ff", "add.f32 \t@0, @1, @2" },
	{ F32, "ff", "mul.rn.f32 \t@0, @1, @2" },
	{ F32, "fff", "fma.rn.f32 \t@0, @1, @2, @3" },
	{ F32, "ff", "max.f32 \t@0, @1, @2" },
	{ F32, "f", "neg.f32 \t@0, @1" },
	{ F32, "r", "cvt.rn.f32.s32 \t@0, @1" },
	{ F32, "r", "cvt.rn.f32.u32 \t@0, @1" },
	{ F32, "e", "cvt.rn.f32.f64 \t@0, @1" },
	{ F32, "ffp", "selp.f32 \t@0, @1, @2, @3" },
	{ F64, "ee", "add.f64 \t@0, @1, @2" },
	{ F64, "eee", "fma.rn.f64 \t@0, @1, @2, @3" },
	{ F64, "ee", "min.f64 \t@0, @1, @2" },
	{ F64, "f", "cvt.f64.f32 \t@0, @1" },
	{ F64, "r", "cvt.rn.f64.s32 \t@0, @1" },
	{ F64, "eep", "selp.f64 \t@0, @1, @2, @3" },
	{ PRED, "rr", "setp.lt.s32 \t@0, @1, @2" },
	{ PRED, "rr", "setp.ne.u32 \t@0, @1, @2" },
	{ PRED, "dd", "setp.ge.u64 \t@0, @1, @2" },
	{ PRED, "hh", "setp.gt.s16 \t@0, @1, @2" },
	{ PRED, "ff", "setp.le.f32 \t@0, @1, @2" },
	{ PRED, "ee", "setp.gtu.f64 \t@0, @1, @2" },
	{ PRED, "rrp", "setp.lt.and.s32 \t@0, @1, @2, @3" },
	{ PRED, "pp", "and.pred \t@0, @1, @2" },
	{ PRED, "pp", "or.pred \t@0, @1, @2" },
	{ PRED, "pp", "xor.pred \t@0, @1, @2" },
	{ PRED, "p", "not.pred \t@0, @1" },
};
enum { TEMPLATES = sizeof templates / sizeof *templates };

static Ty
type_of_letter(char c)
{
	static const char letters[] = "hrdfep";
	return (Ty)(strchr(letters, c) - letters);
}

/* Excludes reductions for which a clause would be a false promise: floating-point sums depend on
 * their order, and with `warpwide` the share of each lane is visible. */
static bool
no_fold(const Gen *g, Ty ty)
{
	return ty == F32 || ty == F64 || (g->together && g->place == PATH);
}

/* A register that no reduction may update keeps its value. */
static void
from_template(Gen *g, const Template *t, uint32_t reg)
{
	uint32_t regs[4] = { reg };
	bool folds = false;
	Buf text = {0};
	for (uint32_t k = 0; t->from[k]; k++) {
		Ty ty = type_of_letter(t->from[k]);
		regs[k + 1] = value_any(g, ty);
		folds |= ty == t->to && no_fold(g, ty) && regs[k + 1] == reg;
	}
	if (folds)
		return;
	for (const char *s = t->text; *s; s++)
		if (*s != '@') {
			buf_putc(&text, *s);
		} else if (*++s == 'I' || *s == 'S') {
			buf_printf(&text, "%u", *s == 'S' ? below(g, 16) : below(g, 4000));
		} else {
			Ty ty = *s == '0' ? (Ty)t->to : type_of_letter(t->from[*s - '1']);
			buf_printf(&text, "%s%u", reg_name(ty), regs[*s - '0']);
		}
	line(g, "%s", text.at);
	buf_free(&text);
}

/* A word of the input at a random index. */
static uint32_t
address_in(Gen *g, uint32_t mask)
{
	uint32_t index = expr_small(g, mask), offset = fresh(g, B64), at = fresh(g, B64);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, 4", offset, index);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, g->in, offset);
	return at;
}

static void
load_input(Gen *g, Ty ty, uint32_t reg)
{
	static const char *const ops[][2] = { { "ld.global.u16", "ld.global.nc.u16" },
		{ "ld.global.u32", "ld.global.nc.u32" }, { "ld.global.u64", "ld.global.nc.u64" } };
	if (ty == B32 && g->shared && chance(g, 15)) {
		line(g, "ld.shared.u32 \t%%r%u, [%%r%u]", reg, g->tile);
		return;
	}
	uint32_t at = address_in(g, ty == B64 ? GEN_IN_WORDS - 2 : GEN_IN_WORDS - 1);
	if (ty == B64 && chance(g, 40)) {
		uint32_t a = fresh(g, B32), b = fresh(g, B32);
		line(g, "ld.global.v2.u32 \t{%%r%u, %%r%u}, [%%rd%u]", a, b, at);
		line(g, "mov.b64 \t%%rd%u, {%%r%u, %%r%u}", reg, b, a);
		return;
	}
	line(g, "%s \t%s%u, [%%rd%u]", ops[ty][below(g, 2)], reg_name(ty), reg, at);
}

void
expr_special(Gen *g, uint32_t reg)
{
	static const char *const names[] = { "%tid.x", "%tid.y", "%laneid", "%ctaid.x", "%ntid.x",
		"%nctaid.x", "%lanemask_lt", "%tid.x", "%laneid" };
	line(g, "mov.u32 \t%%r%u, %s", reg, names[below(g, sizeof names / sizeof *names)]);
}

void
expr_to(Gen *g, Ty ty, uint32_t reg)
{
	if (ty <= B64 && chance(g, 15)) {
		load_input(g, ty, reg);
		return;
	}
	if (ty == B32 && g->place != LEAF && chance(g, g->place == PATH ? 15 : 5)) {
		expr_special(g, reg);
		return;
	}
	uint32_t t;
	do
		t = below(g, TEMPLATES);
	while (templates[t].to != ty);
	from_template(g, &templates[t], reg);
}

uint32_t
expr_new(Gen *g, Ty ty)
{
	uint32_t r = fresh(g, ty);
	expr_to(g, ty, r);
	value_add(g, ty, r, g->place == OUTSIDE ? FIXED : LOCAL);
	return r;
}

void
expr_many(Gen *g)
{
	g->nmany = 33 + below(g, 40);
	g->many = g->nregs[PRED] + 1;
	for (uint32_t k = 0; k < g->nmany; k++) {
		uint32_t r = expr_small(g, 127), p = fresh(g, PRED);
		line(g, "setp.lt.u32 \t%%p%u, %%r%u, %u", p, r, 30 + below(g, 60));
		value_add(g, PRED, p, LOCAL);
	}
}

/* Computes a value from uniform values. */
void
expr_uniform(Gen *g)
{
	uint32_t r = fresh(g, B32), wide = fresh(g, B64), real = fresh(g, F32), p = fresh(g, PRED);
	uint32_t by = chance(g, 50) ? g->n : g->round;
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %u, %%r%u", r, g->x, below(g, 1000), by);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, %u", wide, r, below(g, 1000));
	line(g, "cvt.rn.f32.s32 \t%%f%u, %%r%u", real, r);
	line(g, "setp.lt.s32 \t%%p%u, %%r%u, 5", p, r);
	value_add(g, B32, r, FIXED);
	value_add(g, B64, wide, FIXED);
	value_add(g, F32, real, FIXED);
	value_add(g, PRED, p, FIXED);
}

uint32_t
expr_small(Gen *g, uint32_t mask)
{
	uint32_t r = fresh(g, B32), mixed = fresh(g, B32);
	uint32_t from = value_any(g, B32), by = 2 * below(g, 50000) + 1;
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %u, %u", mixed, from, by, below(g, 1000));
	line(g, "shr.u32 \t%%r%u, %%r%u, %u", r, mixed, below(g, 16));
	line(g, "and.b32 \t%%r%u, %%r%u, %u", r, r, mask);
	return r;
}

uint32_t
expr_cond(Gen *g, uint32_t percent)
{
	uint32_t p = fresh(g, PRED);
	if (chance(g, 15)) {
		expr_to(g, PRED, p);
	} else {
		uint32_t r = expr_small(g, 127);
		line(g, "setp.lt.u32 \t%%p%u, %%r%u, %u", p, r, percent * 128 / 100);
	}
	return p;
}

Ty
expr_type(Gen *g)
{
	static const uint8_t types[] = { B16, B32, B32, B32, B64, B64, F32, F32, F64, PRED };
	return (Ty)types[below(g, sizeof types)];
}
