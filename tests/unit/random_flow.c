/* SPDX-License-Identifier: MIT */
/* Dominators, post-dominators, loops, liveness and reaching definitions of random programs,
 * compared with direct computations from their definitions. */
#include <stdio.h>
#include "analysis/analyse.h"
#include "tests/analysis/model.h"

enum { CASES = 300 };

typedef struct {
	Program p;
	const Fn *fn;
	uint32_t stmt[MAX_BLOCKS * MAX_INSNS];  /* instruction statements in text order */
	uint32_t ninsns;
	uint32_t live;                          /* blocks reachable from the entry */
	const char *wrong;                      /* description of the difference */
} Case;

static void
expect_true(Case *c, bool ok, const char *what)
{
	if (!ok && !c->wrong)
		c->wrong = what;
}

/* ---- flow ------------------------------------------------------------------------------------ */

static void
check_edges(Case *c)
{
	const Cfg *g = c->fn->cfg;

	expect_true(c, g->nblocks == c->p.n + 1, "number of blocks");
	for (uint32_t b = 0; b < g->nblocks && !c->wrong; b++) {
		uint32_t succ = 0, pred = 0;
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++)
			succ |= 1u << cfg_succ(g, b)[i];
		expect_true(c, succ == c->p.succ[b], "successors");
		for (uint32_t i = 0; i < g->blocks[b].npred; i++)
			pred |= 1u << cfg_pred(g, b)[i];
		for (uint32_t a = 0; a <= c->p.n; a++)
			expect_true(c, (pred >> a & 1) == (c->p.succ[a] >> b & 1), "predecessors");
		if (b)
			expect_true(c, (g->rpo_index[b] != UINT32_MAX) == (c->live >> b & 1),
				"reachable");
	}
}

/* Whether every path from the entry to b passes a. */
static bool
dominates(const Case *c, uint32_t a, uint32_t b)
{
	return a == b || !(flow_from(c->p.succ, c->p.n, 1, 1u << a) >> b & 1);
}

static void
check_dom(Case *c)
{
	const Dom *d = c->fn->dom;
	uint32_t ipdom[MAX_BLOCKS + 1] = {0};

	naive_ipdom(&c->p, ipdom);
	for (uint32_t b = 1; b <= c->p.n; b++) {
		if (!(c->live >> b & 1))
			continue;
		expect_true(c, d->ipdom[b] == ipdom[b], "immediate post-dominator");
		for (uint32_t a = 1; a <= c->p.n; a++) {
			if (!(c->live >> a & 1))
				continue;
			expect_true(c, dom_dominates(d, a, b) == dominates(c, a, b), "dominates");
			if (a != b && dominates(c, a, b) && d->idom[b] != a)
				expect_true(c, dominates(c, a, d->idom[b]), "immediate dominator");
			uint32_t up = b;
			while (up && up != a)
				up = ipdom[up];
			expect_true(c, dom_postdominates(d, a, b) == (up == a), "post-dominates");
		}
		expect_true(c,
			b == 1 ? !d->idom[b] : dominates(c, d->idom[b], b) && d->idom[b] != b,
			"immediate dominator");
	}
}

/* Blocks of the natural loop with header h: those that reach a back edge of h without passing h; 0
 * if there are none. */
static uint32_t
natural_loop(const Case *c, uint32_t h)
{
	uint32_t blocks = 0;

	for (uint32_t t = 1; t <= c->p.n; t++) {
		if (!(c->live >> t & 1) || !(c->p.succ[t] >> h & 1) || !dominates(c, h, t))
			continue;
		blocks |= 1u << h;
		for (uint32_t b = 1; b <= c->p.n; b++)
			if (t != h && c->live >> b & 1 &&
				flow_from(c->p.succ, c->p.n, b, 1u << h) >> t & 1)
				blocks |= 1u << b;
	}
	return blocks;
}

/* Blocks on a cycle that no block of it dominates. */
static uint32_t
irreducible(const Case *c)
{
	uint32_t succ[MAX_BLOCKS + 1], found = 0;

	for (uint32_t b = 0; b <= c->p.n; b++) {
		succ[b] = c->live >> b & 1 ? c->p.succ[b] : 0;
		for (uint32_t h = 1; h <= c->p.n; h++)
			if (c->live >> b & 1 && dominates(c, h, b))
				succ[b] &= ~(1u << h);
	}
	for (uint32_t a = 1; a <= c->p.n; a++)
		for (uint32_t b = 1; b <= c->p.n; b++)
			if (a != b && flow_from(succ, c->p.n, a, 0) >> b & 1 &&
				flow_from(succ, c->p.n, b, 0) >> a & 1)
				found |= 1u << a;
	for (uint32_t h = 1, all = found; h <= c->p.n; h++)
		if (all >> h & 1)
			found |= natural_loop(c, h);
	return found;
}

static void
check_loops(Case *c)
{
	const Loops *l = c->fn->loops;
	uint32_t odd = irreducible(c), depth[MAX_BLOCKS + 1] = {0}, nloops = 1;

	for (uint32_t h = 1; h <= c->p.n; h++) {
		uint32_t blocks = c->live >> h & 1 ? natural_loop(c, h) : 0, found = 0;
		for (uint32_t i = 1; i < l->nloops; i++)
			for (uint32_t b = 1; b <= c->p.n && l->loops[i].header == h; b++)
				found |= (uint32_t)loop_contains(l, i, b) << b;
		expect_true(c, found == blocks, "loop");
		nloops += blocks != 0;
		for (uint32_t b = 1; b <= c->p.n; b++)
			depth[b] += blocks >> b & 1;
	}
	expect_true(c, l->nloops == nloops, "number of loops");
	for (uint32_t b = 1; b <= c->p.n; b++) {
		expect_true(c, l->loops[l->loop_of[b]].depth == depth[b], "depth");
		expect_true(c, bits_has(l->irreducible, b) == (odd >> b & 1), "irreducible");
	}
	for (uint32_t i = 1; i < l->nloops; i++)
		expect_true(c, l->loops[i].parent < i, "outer loops first");
}

/* ---- data ------------------------------------------------------------------------------------ */

/* A register's number in the model; NALL for other symbols. */
static uint32_t
model_reg(const Case *c, uint32_t sym)
{
	char name[16] = "";
	unsigned n = 0;

	if (c->fn->m->syms[sym].kind == SYM_REG)
		snprintf(name, sizeof name, "%.*s", PTX_NAME(c->fn->m, sym));
	if (sscanf(name, "%%r%u", &n) == 1)
		return n;
	return sscanf(name, "%%p%u", &n) == 1 ? NREGS + n : NALL;
}

static void
check_live(Case *c)
{
	uint32_t in[MAX_BLOCKS + 1] = {0}, out[MAX_BLOCKS + 1] = {0};

	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = 1; b <= c->p.n; b++) {
			for (uint32_t s = 1; s <= c->p.n; s++)
				out[b] |= c->p.succ[b] >> s & 1 ? in[s] : 0;
			uint32_t now = out[b];
			for (uint32_t i = c->p.block[b].n; i-- > 0;) {
				const Insn *k = &c->p.block[b].insn[i];
				now = (k->guard ? now : now & ~insn_writes(k)) | insn_reads(k);
			}
			changed |= now != in[b];
			in[b] = now;
		}
	}
	for (uint32_t b = 1; b <= c->p.n; b++)
		for (uint32_t i = 0; i < c->fn->live->nsyms; i++) {
			uint32_t reg = model_reg(c, fn_sym(c->fn, i));
			expect_true(c,
				bits_has(c->fn->live->in[b], i) == (reg < NALL && in[b] >> reg & 1),
				"live in");
			expect_true(c,
				live_is_out(c->fn->live, c->fn->cfg, b, i) ==
					(reg < NALL && out[b] >> reg & 1),
				"live out");
		}
}

/* Definitions of one register that reach a point, as a set of instructions; the last bit is "not
 * defined yet". */
typedef struct { bool has[MAX_BLOCKS * MAX_INSNS + 1]; } Reach;
enum { ENTRY = MAX_BLOCKS * MAX_INSNS };

/* Walks through an instruction. */
static void
step_insn(Reach *r, const Insn *k, uint32_t number, uint32_t reg)
{
	if (!(insn_writes(k) >> reg & 1))
		return;
	if (!k->guard)
		*r = (Reach){0};
	r->has[number] = true;
}

static uint32_t
first_insn(const Case *c, uint32_t b)
{
	uint32_t n = 0;

	for (uint32_t a = 1; a < b; a++)
		n += c->p.block[a].n;
	return n;
}

static void
solve_reach(const Case *c, uint32_t reg, Reach *in)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = 1; b <= c->p.n; b++) {
			Reach out = in[b];
			for (uint32_t i = 0; i < c->p.block[b].n; i++)
				step_insn(&out, &c->p.block[b].insn[i], first_insn(c, b) + i, reg);
			for (uint32_t s = 1; s <= c->p.n; s++) {
				/* Unreachable blocks do not contribute to reachable ones. */
				if (!(c->p.succ[b] >> s & 1) ||
					(c->live >> s & 1 && !(c->live >> b & 1)))
					continue;
				for (uint32_t d = 0; d <= ENTRY; d++) {
					changed |= out.has[d] && !in[s].has[d];
					in[s].has[d] |= out.has[d];
				}
			}
		}
	}
}

/* Whether these definitions (indices into Defuse.defs) are the set, each once. */
static bool
same_set(const Case *c, const uint32_t *defs, uint32_t n, const Reach *r)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t stmt = c->fn->defuse->defs[defs[i]].stmt, k = 0;
		while (stmt && c->stmt[k] != stmt)
			k++;
		if (!r->has[stmt ? k : ENTRY])
			return false;
		for (uint32_t j = 0; j < i; j++)
			if (defs[j] == defs[i])
				return false;
	}
	for (uint32_t d = 0; d <= ENTRY; d++)
		count += r->has[d];
	return count == n;
}

static void
check_merge(Case *c, uint32_t b, uint32_t sym, const Reach *in)
{
	const Defuse *du = c->fn->defuse;
	const Merge *m = NULL;
	uint32_t count = 0;

	for (uint32_t i = du->merge_of_block[b]; i < du->merge_of_block[b + 1]; i++)
		if (du->merges[i].sym == sym)
			m = &du->merges[i];
	for (uint32_t d = 0; d <= ENTRY; d++)
		count += in->has[d];
	bool live = bits_has(c->fn->live->in[b], fn_local(c->fn, sym));
	bool meets = c->fn->cfg->blocks[b].npred + (b == 1) > 1 && count > 1;
	expect_true(c, (m != NULL) == (live && meets), "merge");
	if (m)
		expect_true(c, m->block == b && same_set(c, du->reach + m->def, m->ndef, in),
			"what merges");
}

static void
check_reach(Case *c, uint32_t sym, uint32_t reg)
{
	const Defuse *du = c->fn->defuse;
	Reach in[MAX_BLOCKS + 1] = {0};

	in[1].has[ENTRY] = true;
	solve_reach(c, reg, in);
	for (uint32_t b = 1; b <= c->p.n; b++) {
		Reaching r = defuse_reaching(c->fn, b, sym);
		expect_true(c, r.n <= ENTRY + 1 && same_set(c, r.at, r.n, &in[b]), "reaching the block");
		check_merge(c, b, sym, &in[b]);
		for (uint32_t i = 0; i < c->p.block[b].n; i++) {
			const Insn *k = &c->p.block[b].insn[i];
			uint32_t u = defuse_find_use(c->fn, c->stmt[first_insn(c, b) + i], sym);
			expect_true(c, (u != 0) == (insn_reads(k) >> reg & 1), "uses");
			if (u)
				expect_true(c,
					same_set(c, du->reach + du->uses[u].def, du->uses[u].ndef,
						&in[b]),
					"reaching the use");
			step_insn(&in[b], k, first_insn(c, b) + i, reg);
		}
	}
}

/* The def-use table is the inverse of the use-def table: the same number of entries, each with its
 * counterpart. */
static void
check_users(Case *c)
{
	const Fn *fn = c->fn;
	uint32_t reached = 0, users = 0;

	for (uint32_t u = 1; u < fn->defuse->nuses; u++)
		reached += fn_use(fn, u)->ndef;
	for (uint32_t def = 1; def < fn->defuse->ndefs; def++)
		FN_USES(fn, def, u) {
			bool found = false;
			FN_REACH(fn, u, d)
				found |= d == def;
			expect_true(c, found, "a use of a definition that does not reach it");
			users++;
		}
	expect_true(c, users == reached, "uses of definitions");
}

/* ---- driver ---------------------------------------------------------------------------------- */

static void
check_case(Case *c)
{
	const Fn *fn = c->fn;

	c->live = flow_from(c->p.succ, c->p.n, 1, 0) & ~1u;
	c->ninsns = 0;
	FN_STMTS(fn, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN)
			c->stmt[c->ninsns++] = s;
	check_edges(c);
	check_dom(c);
	check_loops(c);
	check_live(c);
	FN_SYMS(fn, sym)
		if (model_reg(c, sym) < NALL)
			check_reach(c, sym, model_reg(c, sym));
	check_users(c);
}

static const char *
run_case(uint32_t seed, Buf *text)
{
	Random r = { seed * UINT64_C(0x9e3779b97f4a7c15) + 1 };
	Case c = { .wrong = NULL };
	Source src;

	program_random(&c.p, &r);
	program_text(&c.p, text);
	source_from(&src, "random.ptx", text->at, text->n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Arena *a = arena_new();
	if (m) {
		c.fn = fn_build(m, 1, NULL, a);
		check_case(&c);
	} else {
		c.wrong = "not parsed";
		diags_print(d, stdout);
	}
	arena_free(a);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return c.wrong;
}

int
main(void)
{
	for (uint32_t seed = 1; seed <= CASES; seed++) {
		Buf text = {0};
		const char *wrong = run_case(seed, &text);
		if (wrong) {
			printf("FAIL random flow: seed %u: %s\n%s", seed, wrong, text.at);
			return 1;
		}
		buf_free(&text);
	}
	printf("ok random flow: %d programs\n", CASES);
	return 0;
}
