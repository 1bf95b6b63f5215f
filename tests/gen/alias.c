/* SPDX-License-Identifier: MIT */
/* The generator of unannotated kernels. See alias.h. */
#include "tests/gen/alias_in.h"

const char *const alias_variables[ALIAS_VARIABLES] = { "g1", "g2" };

enum { INTS = 5, FLOATS = 4, DOUBLES = 2 };

/* Thread numbers, pointers, and parameters. */
static void
begin_kernel(Alias *g)
{
	static const char *const buffers[] = { "in", "last", "sums" };
	uint32_t *const to[] = { &g->reg.in, &g->reg.last, &g->reg.sums };
	uint32_t r = alias_fresh(g, INT), size = alias_fresh(g, INT);

	for (int k = 0; k < 3; k++) {
		*to[k] = alias_fresh(g, ADDR);
		alias_line(g, "ld.param.u64 \t%%q%u, [%s]", *to[k], buffers[k]);
		alias_line(g, "cvta.to.global.u64 \t%%q%u, %%q%u", *to[k], *to[k]);
	}
	g->reg.n = alias_fresh(g, INT), g->reg.x = alias_fresh(g, INT),
	g->reg.gid = alias_fresh(g, INT), g->reg.tid = alias_fresh(g, INT),
	g->reg.one = alias_fresh(g, ADDR);
	alias_line(g, "ld.param.u32 \t%%r%u, [n]", g->reg.n);
	alias_line(g, "ld.param.u32 \t%%r%u, [x]", g->reg.x);
	alias_line(g, "mov.u32 \t%%r%u, %%tid.y", r);
	alias_line(g, "mov.u32 \t%%r%u, %%ntid.x", size);
	alias_line(g, "mov.u32 \t%%r%u, %%tid.x", g->reg.tid);
	alias_line(g, "mad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u", g->reg.tid, r, size, g->reg.tid);
	alias_line(g, "mov.u32 \t%%r%u, %%ntid.y", r);
	alias_line(g, "mul.lo.s32 \t%%r%u, %%r%u, %%r%u", size, size, r);
	alias_line(g, "mov.u32 \t%%r%u, %%ctaid.x", r);
	alias_line(g, "mad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u", g->reg.gid, r, size, g->reg.tid);
	alias_line(g, "min.u32 \t%%r%u, %%r%u, 1", r, g->reg.n);
	alias_line(g, "cvt.u64.u32 \t%%q%u, %%r%u", g->reg.one, r);
	alias_line(g, "mad.wide.u32 \t%%q%u, %%r%u, %d, %%q%u", g->reg.last, g->reg.gid, ALIAS_LAST,
		g->reg.last);
}

/* The variables, from the input. */
static void
variables(Alias *g)
{
	uint32_t at = alias_fresh(g, ADDR), r;

	alias_line(g, "mad.wide.u32 \t%%q%u, %%r%u, 20, %%q%u", at, g->reg.gid, g->reg.in);
	for (uint32_t k = 0; k < INTS; k++) {
		r = alias_fresh(g, INT);
		alias_line(g, "ld.global.u32 \t%%r%u, [%%q%u+%u]", r, at, 4 * k);
		alias_var_add(g, INT, r);
	}
	for (uint32_t k = 0; k < FLOATS + DOUBLES; k++) {
		Type_of t = k < FLOATS ? FLOAT : DOUBLE;
		uint32_t v = alias_fresh(g, t);
		r = alias_fresh(g, INT);
		alias_line(g, "shr.u32 \t%%r%u, %%r%u, %u", r, g->vars[k % INTS].reg, 20 + k);
		alias_line(g, "cvt.rn.%s.u32 \t%s%u, %%r%u", t == FLOAT ? "f32" : "f64",
			alias_register[t], v, r);
		alias_var_add(g, t, v);
	}
	g->at.writable = g->at.nvars;
}

/* Writes the variables. */
static void
end_kernel(Alias *g)
{
	static const char *const types[] = { "u32", "f32", "f64" };
	uint32_t at = 0;

	for (uint32_t t = DOUBLE + 1; t--;) /* the largest first, so that all are aligned */
		for (uint32_t k = 0; k < g->at.nvars; k++) {
			if (g->vars[k].type != t)
				continue;
			alias_line(g, "st.global.%s \t[%%q%u+%u], %s%u", types[t], g->reg.last, at,
				alias_register[t], g->vars[k].reg);
			at += t == DOUBLE ? 8 : 4;
		}
	alias_show(g);
	alias_line(g, "ret");
}

/* Selects two to four objects; those that only lanes of one block see are rarer. */
static void
choose_objects(Alias *g)
{
	static const Object pairs[][2] = { { OBJ_A, OBJ_B }, { OBJ_A, OBJ_G1 }, { OBJ_G1, OBJ_G2 },
		{ OBJ_S1, OBJ_S2 }, { OBJ_D1, OBJ_D2 }, { OBJ_L1, OBJ_L2 }, { OBJ_B, OBJ_G2 },
		{ OBJ_S1, OBJ_D1 }, { OBJ_G1, OBJ_S1 }, { OBJ_D1, OBJ_D2 } };

	for (uint32_t n = 1 + alias_below(g, 4) / 3; n; n--) {
		uint32_t k = alias_below(g, sizeof pairs / sizeof *pairs);
		g->objects |= 1u << pairs[k][0] | 1u << pairs[k][1];
	}
	g->at.reads = g->at.writes = g->at.arm_writes = g->objects;
	g->looks = alias_chance(g, 6);
	g->fences = alias_chance(g, 5);
	g->exits = alias_chance(g, 15);
	g->fuel = 20 + alias_below(g, 40);
}

static void
code(Alias *g)
{
	begin_kernel(g);
	alias_prologue(g);
	variables(g);
	alias_fill(g);
	for (uint32_t n = 1 + alias_below(g, 2); n; n--) {
		uint32_t way = alias_below(g, 10);
		alias_some(g, alias_below(g, 3));
		if (way < 8)
			alias_loop(g);
		else
			alias_branch(g);
		g->fuel += 10;
	}
	end_kernel(g);
}

static void
declarations(const Alias *g, Buf *out)
{
	static const char *const types[TYPES] = { "b32", "f32", "f64", "b64", "pred" };
	static const char *const arrays[][2] = { { "l1", "l2" }, { "s1", "s2" } };

	for (int t = 0; t < TYPES; t++)
		buf_printf(out, "\t.reg .%s \t%s<%u>;\n", types[t], alias_register[t],
			g->nregs[t] + 1);
	for (int k = 0; k < 2; k++) {
		if (g->objects >> (OBJ_L1 + k) & 1)
			buf_printf(out, "\t.local .align 16 .b8 %s[%d];\n", arrays[0][k],
				ALIAS_WINDOW);
		if (g->objects >> (OBJ_S1 + k) & 1)
			buf_printf(out, "\t.shared .align 16 .b8 %s[%d];\n", arrays[1][k],
				ALIAS_BLOCK * ALIAS_WINDOW);
	}
}

void
alias_kernel(uint64_t seed, Buf *out, Gen_info *info)
{
	Buf body = { 0 };
	Alias g = { .state = seed * 2 + 1, .which = seed ^ 0x51ed, .body = &body };

	gen_random(&g.state);
	*info = (Gen_info){ .in_seed = alias_below(&g, 1000) + 1,
		.n = 2 + alias_below(&g, 5),
		.x = alias_below(&g, 100000) };
	choose_objects(&g);
	code(&g);
	buf_printf(out, "// unannotated random kernel, seed %llu\n", (unsigned long long)seed);
	buf_puts(out, ".version 8.0\n.target sm_80\n.address_size 64\n\n");
	for (int k = 0; k < ALIAS_VARIABLES; k++)
		buf_printf(
			out, ".global .align 16 .b8 %s[%d];\n", alias_variables[k], ALIAS_MEMORY);
	buf_puts(out,
		".extern .shared .align 16 .b8 d1[];\n.extern .shared .align 16 .b8 d2[];\n\n");
	buf_puts(out,
		".visible .entry k(.param .u64 in, .param .u64 a, .param .u64 b, .param .u64 c, "
		".param .u64 last, .param .u64 sums, .param .u32 n, .param .u32 x)\n{\n");
	declarations(&g, out);
	buf_add(out, body.at, body.n);
	buf_puts(out, "}\n");
	buf_free(&body);
	if (seed % 2)
		alias_clean(out);
}

/* Mostly the pointers overlap, at different distances. */
void
alias_launch(uint64_t *state, Alias_launch *l)
{
	static const uint32_t shapes[][3] = { { 2, 32, 1 }, { 1, 33, 1 }, { 1, 32, 1 },
		{ 2, 64, 1 }, { 3, 40, 1 }, { 1, 10, 6 }, { 4, 4, 5 }, { 1, 31, 1 }, { 2, 8, 8 } };
	enum { SHAPES = sizeof shapes / sizeof *shapes };
	const uint32_t *s = shapes[gen_random(state) % SHAPES];
	uint32_t most = 1 + (uint32_t)(gen_random(state) % 2 * (ALIAS_VARIABLES + 1));

	*l = (Alias_launch){ .grid = s[0], .block = { s[1], s[2], 1 } };
	for (int k = 0; k < ALIAS_POINTERS; k++) {
		l->pointer[k].variable =
			(uint32_t)(gen_random(state) % most) % (ALIAS_VARIABLES + 1);
		l->pointer[k].offset = (uint32_t)(gen_random(state) % 5) * 16 % 64;
	}
}
