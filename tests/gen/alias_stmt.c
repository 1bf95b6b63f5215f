/* SPDX-License-Identifier: MIT */
/* Statements of unannotated kernels: branches, loops, switches. See alias_in.h. */
#include "tests/gen/alias_in.h"

enum { DEEPEST = 3, CASES = 4 };

/* ---- branches -------------------------------------------------------------------------------- */

/* In some lanes, leaves the loop or the kernel, or continues with the next iteration. */
static void
jump(Alias *g)
{
	uint32_t way = alias_below(g, 100);
	const char *p = way < 9 ? alias_test(g) : NULL;

	if (way < 3 && g->at.leave)
		alias_line(g, "@%s bra \t$L%u", p, g->at.leave);
	else if (way < 6 && g->at.next)
		alias_line(g, "@%s bra \t$L%u", p, g->at.next);
	else if (way < 9 && g->exits)
		alias_line(g, "@%s exit", p);
}

/* Generates the statements of a branch. They read and write all variables except those of the
 * iteration; with `own`, the same ones as the code around the branch. */
static void
arm(Alias *g, uint32_t n, bool own)
{
	const Alias_scope was = g->at;
	bool wide = g->at.own && !own;

	if (wide) {
		g->at.writable = g->at.first;
		g->at.reads = g->objects;
		g->at.writes = g->at.arm_writes;
		g->at.own = false;
	}
	g->at.depth++;
	alias_some(g, n);
	if (wide && alias_chance(g, 60))
		alias_store(g);
	jump(g);
	g->at = was;
}

/* Generates one arm or two. The first is entered if p is false. own: the arms may have the same
 * effects as the code around them; otherwise the first one, and rarely the second, may have any. */
static void
branch(Alias *g, const char *p, bool own)
{
	uint32_t other = ++g->labels, end = ++g->labels, n = 3 + alias_below(g, 5),
		 way = alias_below(g, 100);
	uint64_t state = g->state;

	alias_line(g, "@%s%s bra \t$L%u", way % 2 ? "!" : "", p, way < 40 ? other : end);
	arm(g, n, own);
	if (way < 40) {
		alias_line(g, "bra.uni \t$L%u", end);
		alias_label(g, other);
		if (way < 25)
			g->state = state; /* the same statements on other values */
		g->fuel += n;
		arm(g, n, own || !g->at.mixed);
		g->state += way;
	}
	alias_label(g, end);
}

void
alias_branch(Alias *g)
{
	const char *p = alias_test(g);

	branch(g, p, !g->at.mixed || alias_chance(g, 25));
}

/* A loop in the common code, with a test that depends on memory. */
static void
path(Alias *g)
{
	const char *p = alias_chance(g, 60) ? alias_test_int(g, alias_load_int(g)) : alias_test(g);

	branch(g, p, false);
}

/* A switch over a table of branch targets. */
static void
table(Alias *g)
{
	uint32_t first = g->labels + 1, end = first + CASES;
	const char *r = alias_name(g, INT, alias_fresh(g, INT));

	g->labels = end;
	alias_line(g, "and.b32 \t%s, %s, %d", r, alias_read(g, INT), CASES - 1);
	buf_printf(g->body, "$ts%u: .branchtargets $L%u, $L%u, $L%u, $L%u;\n", ++g->tables, first,
		first + 1, first + 2, first + 3);
	alias_line(g, "brx.idx \t%s, $ts%u", r, g->tables);
	for (uint32_t k = 0; k < CASES; k++) {
		alias_label(g, first + k);
		arm(g, 1 + alias_below(g, 3), true);
		alias_line(g, "bra.uni \t$L%u", end);
	}
	alias_label(g, end);
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct {
	uint32_t i, bound, head;
	bool top, down, early;
} Loop;

/* The trip count: small, uniform or not. */
static void
trips(Alias *g, Loop *l)
{
	l->i = alias_fresh(g, INT);
	l->bound = alias_fresh(g, INT);
	if (alias_chance(g, 35) || g->at.depth > 1) {
		alias_line(g, "and.b32 \t%%r%u, %s, %d", l->bound, alias_read(g, INT),
			g->at.depth ? 3 : 7);
		alias_line(g, "add.s32 \t%%r%u, %%r%u, 1", l->bound, l->bound);
	} else {
		alias_line(g, "add.s32 \t%%r%u, %%r%u, %u", l->bound, g->reg.n, alias_below(g, 3));
	}
	alias_line(g, "mov.u32 \t%%r%u, %s", l->i, l->down ? "0" : "1");
	if (l->down)
		alias_line(g, "sub.s32 \t%%r%u, 0, %%r%u", l->i, l->bound);
}

static void
emit_test(Alias *g, const Loop *l, uint32_t to, bool leaves)
{
	uint32_t p = alias_fresh(g, TEST);

	if (l->down)
		alias_line(g, "setp.%s.s32 \t%%p%u, %%r%u, 0", leaves ? "ge" : "lt", p, l->i);
	else
		alias_line(g, "setp.%s.s32 \t%%p%u, %%r%u, %%r%u", leaves ? "gt" : "le", p, l->i,
			l->bound);
	alias_line(g, "@%%p%u bra \t$L%u", p, to);
}

/* Initialises the variables of the iteration, so that only the branches' variables are
 * loop-carried. */
static void
begin_own(Alias *g)
{
	const char *r, *f;

	g->at.own = true;
	g->at.mixed = alias_chance(g, 20);
	g->at.first = g->at.nvars;
	for (uint32_t n = 2; n; n--) {
		uint32_t reg = alias_fresh(g, INT);
		r = alias_name(g, INT, reg);
		alias_load_in(g, r);
		alias_var_add(g, INT, reg);
	}
	uint32_t reg = alias_fresh(g, FLOAT), word = alias_fresh(g, INT);
	f = alias_name(g, FLOAT, reg);
	alias_line(g, "and.b32 \t%%r%u, %s, 255", word, r);
	alias_line(g, "cvt.rn.f32.u32 \t%s, %%r%u", f, word);
	alias_var_add(g, FLOAT, reg);
}

/* Selects the objects that the loop reads and its branches write: often different objects, which a
 * compiler may assume not to alias. */
static void
choose_objects(Alias *g)
{
	const uint32_t params = 1u << OBJ_A | 1u << OBJ_B | 1u << OBJ_C;
	uint32_t way = alias_below(g, 10), some = (uint32_t)gen_random(&g->state) & g->objects,
		 known = g->objects & ~params, others;

	g->at.reads = some ? some : g->objects;
	g->at.writes = 0;
	some = (uint32_t)gen_random(&g->state) & g->objects;
	g->at.arm_writes = some ? some : g->objects;
	if (way < 2)
		g->at.reads = 0;
	else if (way < 8 && known) {
		g->at.reads &= known;
		g->at.reads = g->at.reads ? g->at.reads & -g->at.reads : known & -known;
		others = known & ~g->at.reads;
		g->at.arm_writes = others ? others : g->objects & ~g->at.reads;
	}
}

static void
body(Alias *g, const Loop *l)
{
	alias_some(g, 1 + alias_below(g, 3));
	if (l->early) {
		const char *p = alias_test(g);
		alias_line(g, "@%s bra \t$L%u", p, g->at.leave);
	}
	path(g);
	if (alias_chance(g, 20))
		alias_branch(g);
	if (alias_chance(g, 40))
		alias_some(g, 1 + alias_below(g, 2));
}

void
alias_loop(Alias *g)
{
	const Alias_scope was = g->at;
	Loop l = { .head = ++g->labels };

	l.top = alias_chance(g, 40);
	l.down = alias_chance(g, 30);
	l.early = alias_chance(g, 25);
	g->at.leave = ++g->labels;
	g->at.next = ++g->labels;
	trips(g, &l);
	alias_label(g, l.head);
	if (l.top)
		emit_test(g, &l, g->at.leave, true);
	g->counters[g->at.ncounters++] = l.i;
	if (!g->at.own && alias_chance(g, 85)) {
		choose_objects(g);
		begin_own(g);
	}
	g->at.depth++;
	body(g, &l);
	alias_label(g, g->at.next);
	alias_line(g, "add.s32 \t%%r%u, %%r%u, 1", l.i, l.i);
	if (l.top)
		alias_line(g, "bra.uni \t$L%u", l.head);
	else
		emit_test(g, &l, l.head, false);
	alias_label(g, g->at.leave);
	g->at = was;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void
statement(Alias *g)
{
	uint32_t way = alias_below(g, 100);
	bool deep = g->at.depth >= DEEPEST;

	if (way < 45)
		alias_compute(g);
	else if (way < 62 || (g->at.own && way < 80))
		alias_load(g);
	else if (way < 80)
		alias_store(g);
	else if (way < 86 && !g->at.own)
		alias_atomic(g);
	else if (way < 89)
		alias_repoint(g);
	else if (way < 93 && !deep)
		alias_branch(g);
	else if (way < 97 && !deep && g->at.ncounters < MAX_COUNTERS)
		alias_loop(g);
	else if (way < 98 && !deep)
		table(g);
	else if (way < 99 && g->fences)
		alias_line(g, "membar.gl");
	else
		alias_compute(g);
}

void
alias_some(Alias *g, uint32_t n)
{
	for (; n && g->fuel; n--) {
		g->fuel--;
		statement(g);
	}
}
