/* SPDX-License-Identifier: MIT */
/* Uniformity against execution: random programs are run by a warp of four lanes that reconverge at
 * immediate post-dominators, each lane with its own garbage in uninitialised registers. What the
 * analysis calls uniform must then be equal in all lanes that execute together:
 *
 *	use     the value read                      def     the value written
 *	block   all lanes are there                 branch  all that are there go the same way
 *	live    a register at a block's start, if all definitions that reach are uniform
 */
#include <stdio.h>
#include "analysis/analyse.h"
#include "tests/analysis/model.h"

enum { CASES = 4000, RUNS = 6, STEPS = 300, LANES = 4, ALL = (1 << LANES) - 1, DEPTH = 64 };

typedef struct { uint32_t pc, rpc, mask; } Entry;

typedef struct {
	Program p;
	const Fn *fn;
	uint32_t ipdom[MAX_BLOCKS + 1];
	uint32_t first[MAX_BLOCKS + 2];         /* number of a block's first instruction */
	uint32_t stmt[MAX_BLOCKS * MAX_INSNS];  /* by number */
	/* symbol of a register; 0 if the text does not name it */
	uint32_t sym[NALL];
	bool steady[MAX_BLOCKS + 1][NALL];      /* register live and uniform at the block's start */
	uint32_t val[LANES][NALL];
	uint32_t param;
	Entry stack[DEPTH];
	uint32_t depth;
	/* checks of something uniform by more than one lane */
	uint32_t claims;
	const char *wrong;
	uint32_t where;                         /* block */
} Warp;

static void
report_fault(Warp *w, uint32_t block, const char *what)
{
	if (w->wrong)
		return;
	w->wrong = what;
	w->where = block;
}

/* Whether register reg has the same value in all lanes of mask. */
static bool
lanes_agree(const Warp *w, uint32_t mask, uint32_t reg)
{
	uint32_t one = LANES;

	for (uint32_t l = 0; l < LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (one < LANES && w->val[l][reg] != w->val[one][reg])
			return false;
		one = l;
	}
	return true;
}

/* ---- execution ------------------------------------------------------------------------------- */

static bool
guard_holds(const Warp *w, const Insn *i, uint32_t lane)
{
	return !i->guard || (i->guard == 1) == (w->val[lane][i->gp] != 0);
}

static void
execute_insn(Warp *w, const Insn *i, uint32_t lane)
{
	uint32_t *v = w->val[lane];

	switch (i->kind) {
	case I_LANE:  v[i->dst] = lane; break;
	case I_CONST: v[i->dst] = i->k; break;
	case I_PARAM: v[i->dst] = w->param; break;
	case I_ADD:   v[i->dst] = (v[i->a] + v[i->b]) % 7; break;
	case I_SETP:  v[i->dst] = v[i->a] < v[i->b]; break;
	case I_SETP2: v[i->dst] = v[i->a] < v[i->b]; v[i->dst2] = !v[i->dst]; break;
	case I_SELP:  v[i->dst] = v[i->p] ? v[i->a] : v[i->b]; break;
	default: break;
	}
}

static uint32_t
next_block(const Warp *w, uint32_t b, uint32_t lane)
{
	const Part *k = &w->p.block[b];
	const Insn *i = k->n ? &k->insn[k->n - 1] : NULL;

	if (!i || i->kind < I_BRA || !guard_holds(w, i, lane))
		return b < w->p.n ? b + 1 : 0;
	return i->nto ? i->to[w->val[lane][i->a] % i->nto] : 0;
}

static void
check_uses(Warp *w, uint32_t b, uint32_t number, uint32_t mask)
{
	const Insn *i = &w->p.block[b].insn[number - w->first[b]];

	for (uint32_t reg = 0; reg < NALL; reg++) {
		if (!(insn_reads(i) >> reg & 1))
			continue;
		if (bits_has(w->fn->uniform->use,
			    defuse_find_use(w->fn, w->stmt[number], w->sym[reg])))
			continue;
		w->claims++;
		if (!lanes_agree(w, mask, reg))
			report_fault(w, b, "a uniform use");
	}
}

static void
check_defs(Warp *w, uint32_t b, uint32_t number, uint32_t mask)
{
	FN_DEFS_OF_STMT(w->fn, w->stmt[number], d)
		for (uint32_t reg = 0; reg < NALL; reg++) {
			if (w->sym[reg] != fn_def(w->fn, d)->sym ||
				bits_has(w->fn->uniform->def, d))
				continue;
			w->claims++;
			if (!lanes_agree(w, mask, reg))
				report_fault(w, b, "a uniform definition");
		}
}

static void
run_block(Warp *w, uint32_t b, uint32_t mask)
{
	if (mask != ALL && !bits_has(w->fn->uniform->block, b))
		report_fault(w, b, "a block that all lanes run");
	for (uint32_t reg = 0; reg < NALL; reg++)
		if (w->steady[b][reg] && !lanes_agree(w, mask, reg))
			report_fault(w, b, "a uniform register at the start");
	for (uint32_t k = 0; k < w->p.block[b].n; k++) {
		const Insn *i = &w->p.block[b].insn[k];
		uint32_t ran = 0;
		check_uses(w, b, w->first[b] + k, mask);
		for (uint32_t l = 0; l < LANES; l++)
			if (mask >> l & 1 && guard_holds(w, i, l)) {
				execute_insn(w, i, l);
				ran |= 1u << l;
			}
		check_defs(w, b, w->first[b] + k, ran);
	}
}

static void
push_entry(Warp *w, Entry e)
{
	if (w->depth < DEPTH)
		w->stack[w->depth++] = e;
}

/* Executes the block on top of the stack and pushes the successors of its lanes. */
static void
step_block(Warp *w)
{
	Entry *top = &w->stack[w->depth - 1];
	uint32_t b = top->pc, mask = top->mask, to[MAX_BLOCKS + 1] = {0}, ways = 0;

	if (b == 0 || b == top->rpc) {
		w->depth--;
		return;
	}
	run_block(w, b, mask);
	for (uint32_t l = 0; l < LANES; l++)
		if (mask >> l & 1) {
			uint32_t next = next_block(w, b, l);
			ways += !to[next];
			to[next] |= 1u << l;
		}
	if (ways > 1 && !bits_has(w->fn->uniform->branch, b))
		report_fault(w, b, "a branch that all lanes take the same way");
	top->pc = w->ipdom[b];
	for (uint32_t next = 0; next <= w->p.n; next++) {
		if (ways == 1 && to[next])
			top->pc = next;
		else if (to[next] && next != w->ipdom[b])
			push_entry(w, (Entry){ next, w->ipdom[b], to[next] });
	}
}

static void
run_warp(Warp *w, Random *r)
{
	w->param = random_below(r, 5);
	for (uint32_t l = 0; l < LANES; l++)
		for (uint32_t reg = 0; reg < NALL; reg++)
			w->val[l][reg] = random_below(r, reg < NREGS ? 7 : 2);
	w->depth = 0;
	push_entry(w, (Entry){ 1, 0, ALL });
	for (uint32_t n = 0; n < STEPS && w->depth && !w->wrong; n++)
		step_block(w);
}

/* ---- driver ---------------------------------------------------------------------------------- */

static void
prepare_warp(Warp *w)
{
	const Fn *fn = w->fn;
	uint32_t n = 0;
	char name[16];
	unsigned k;

	naive_ipdom(&w->p, w->ipdom);
	for (uint32_t b = 1; b <= w->p.n; b++)
		w->first[b + 1] = w->first[b] + w->p.block[b].n;
	FN_STMTS(fn, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN)
			w->stmt[n++] = s;
	FN_SYMS(fn, sym) {
		snprintf(name, sizeof name, "%.*s", PTX_NAME(fn->m, sym));
		if (fn->m->syms[sym].kind != SYM_REG)
			continue;
		if (sscanf(name, "%%r%u", &k) == 1)
			w->sym[k] = sym;
		else if (sscanf(name, "%%p%u", &k) == 1)
			w->sym[NREGS + k] = sym;
	}
	for (uint32_t b = 1; b <= w->p.n; b++)
		for (uint32_t reg = 0; reg < NALL; reg++)
			w->steady[b][reg] = w->sym[reg] &&
				bits_has(fn->live->in[b], fn_local(fn, w->sym[reg])) &&
				!uniform_varies_at(fn, b, w->sym[reg]);
}

static void
run_case(Warp *w, uint32_t seed, Buf *text)
{
	Random r = { seed * UINT64_C(0xd1342543de82ef95) + 1 };
	Source src;

	program_random(&w->p, &r);
	program_text(&w->p, text);
	source_from(&src, "random.ptx", text->at, text->n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Arena *a = arena_new();
	if (m) {
		w->fn = fn_build(m, 1, NULL, a);
		prepare_warp(w);
		for (uint32_t i = 0; i < RUNS && !w->wrong; i++)
			run_warp(w, &r);
	} else {
		w->wrong = "not parsed";
	}
	arena_free(a);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
}

int
main(void)
{
	uint32_t claims = 0;

	for (uint32_t seed = 1; seed <= CASES; seed++) {
		Buf text = {0};
		Warp w = { .wrong = NULL };
		run_case(&w, seed, &text);
		if (w.wrong) {
			printf("FAIL random warp: seed %u: %s is not (block %u)\n%s", seed, w.wrong,
				w.where, text.at);
			return 1;
		}
		claims += w.claims;
		buf_free(&text);
	}
	printf("ok random warp: %d programs, %u claims\n", CASES, claims);
	return 0;
}
