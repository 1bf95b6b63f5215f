/* SPDX-License-Identifier: MIT */
/* Melds two arms: graphs of nodes (arm_graph.c), corresponding nodes (cfg_match.c), their
 * instructions (insn_match.c, align.c), and what it gains. See meld.h. */
#include <string.h>
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/meld.h"

enum { ALIGN_ROUNDS = 3 };

uint32_t
meld_depth(const Meld *x, const Node_pair *p)
{
	uint32_t arm = p->node[0] ? 0 : 1;

	return x->arm[arm].nodes.at[p->node[arm]].depth;
}

uint64_t
meld_weight(uint32_t depth)
{
	uint64_t weight = 1;

	while (depth-- > 0 && weight < 1 << 24)
		weight *= COST_LOOP_WEIGHT;
	return weight;
}

static uint32_t
count_insns(const Fn *fn, Meld_unit u)
{
	uint32_t n = 0;

	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		n += fn_stmt(fn, s)->kind == STMT_INSN;
	return n;
}

/* Returns the number of runs of rows that lanes of the other arm skip. */
static uint32_t
count_branched_runs(const Node_pair *p)
{
	uint32_t n = 0;

	for (uint32_t arm = 0; arm < 2; arm++) {
		bool in = false;
		for (uint32_t i = 0; i < p->rows.n; i++) {
			const Insn_row *s = &p->rows.at[i];
			if (!s->of[arm].first && !meld_row_is_shared(s))
				continue;
			bool now = !meld_row_is_shared(s) && s->execution == EXECUTE_BRANCHED;
			n += now && !in;
			in = now;
		}
	}
	return n;
}

static void
add_pair_cost(Meld *x, const Node_pair *p)
{
	uint64_t weight = meld_weight(meld_depth(x, p));

	x->after += weight * MELD_BRANCH * (p->jumps + count_branched_runs(p));
	for (uint32_t i = 0; i < p->rows.n; i++) {
		const Insn_row *s = &p->rows.at[i];
		uint64_t a = meld_unit_cost(x->fn, s->of[0]), b = meld_unit_cost(x->fn, s->of[1]);
		uint64_t both = a + b;
		x->before += weight * both;
		if (meld_row_is_shared(s))
			both = a + MELD_SELECT * meld_count_selects(x, s);
		x->after += weight * both;
		x->total += count_insns(x->fn, s->of[0]) + count_insns(x->fn, s->of[1]);
		x->both += meld_row_is_shared(s) ? 2 * count_insns(x->fn, s->of[0]) : 0;
	}
}

/* Adds the moves: one for each place that is live into or out of an arm. */
static void
add_copy_cost(Meld *x)
{
	const Live *live = x->fn->live;

	for (uint32_t i = 1; i < x->places.n; i++)
		for (uint32_t arm = 0; arm < 2; arm++) {
			const Region *r = x->arm[arm].region;
			uint32_t sym = fn_local(x->fn, x->places.at[i].sym[arm]);
			if (!meld_merged_register(x, arm, x->places.at[i].sym[arm]))
				continue;
			int moves = bits_has(live->in[r->entry], sym) +
				(r->next && bits_has(live->in[r->next], sym));
			x->after += (uint64_t)(MELD_SELECT * moves);
		}
}

/* Records the registers that a row writes on lanes of one arm only, without an earlier row, in
 * its node or the first, that writes them on all lanes. A branch around the row's run, which alone
 * reads them, ends their live ranges as well. */
static void
find_weak_writes(Meld *x, const Insn_row *row, Bits strong)
{
	bool all = meld_row_is_shared(row) || row->execution == EXECUTE_ALL;

	for (uint32_t arm = 0; arm < 2; arm++)
		for (uint32_t s = row->of[arm].first; s && s <= row->of[arm].last; s++) {
			bool ends = all && !fn_stmt(x->fn, s)->guard;
			FN_WRITES(x->fn, s, r) {
				if (!fn_is_reg(x->fn, r->sym))
					continue;
				uint32_t p = meld_merged_register(x, arm, r->sym);
				uint32_t k = fn_local(x->fn, r->sym);
				uint32_t first =
					p ? fn_local(x->fn, x->places.at[p].sym[0]) : k;
				if (ends)
					bits_set(strong, first);
				else if (all || bits_has(strong, first) ||
					!bits_has(x->carried, k))
					continue;
				else if (p)
					x->places.at[p].partial = true;
				else if (meld_register_is_movable(x->fn, r->sym) &&
					fn_depth(x->fn, x->fn->m->syms[r->sym].decl) == 0)
					bits_set(x->weak, k);
			}
		}
}

static void
find_all_weak_writes(Meld *x)
{
	Bits first = bits_new(x->arena, x->fn->f->nsym);
	Bits strong = bits_new(x->arena, x->fn->f->nsym);

	x->weak = bits_new(x->arena, x->fn->f->nsym);
	for (uint32_t i = 0; i < x->pairs.n; i++) {
		bits_copy(strong, first);
		for (uint32_t k = 0; k < x->pairs.at[i].rows.n; k++)
			find_weak_writes(x, &x->pairs.at[i].rows.at[k], strong);
		if (i == 0)
			bits_copy(first, strong);
	}
}

void
meld_release(Meld *x)
{
	for (uint32_t arm = 0; arm < 2; arm++) {
		for (uint32_t i = 0; i < x->arm[arm].nodes.n; i++)
			vec_free(&x->arm[arm].nodes.at[i].units);
		vec_free(&x->arm[arm].nodes);
	}
	for (uint32_t i = 0; i < x->pairs.n; i++)
		vec_free(&x->pairs.at[i].rows);
	vec_free(&x->pairs);
	vec_free(&x->places);
}

typedef enum { MATCHED, UNLIKE, TOO_LONG } Match_result;

/* Matches the arms, and computes the cost. sequences: they may have pieces that the other lacks. */
static Match_result
match_arms(Meld *x, bool sequences)
{
	meld_release(x);
	x->before = x->after = x->total = x->both = 0;
	for (uint32_t arm = 0; arm < 2; arm++) {
		x->arm[arm].cut = sequences;
		meld_build_arm(x, &x->arm[arm]);
	}
	if (!(sequences ? meld_match_sequences(x) : meld_match_equal(x)))
		return UNLIKE;
	for (uint32_t round = 0; round < ALIGN_ROUNDS; round++)
		if (!meld_align_pairs(x, round == 0))
			return TOO_LONG;
	meld_select_predication(x);
	for (uint32_t i = 0; i < x->pairs.n; i++)
		add_pair_cost(x, &x->pairs.at[i]);
	add_copy_cost(x);
	return MATCHED;
}

/* Matches the arms in the way that costs less. */
static Match_result
match_best(Meld *x)
{
	Match_result equal = match_arms(x, false);
	uint64_t least = x->after;

	if (equal == TOO_LONG || (equal == MATCHED && x->both == x->total))
		return equal;
	Match_result result = match_arms(x, true);
	if (equal == MATCHED && (result != MATCHED || x->after >= least))
		return match_arms(x, false);
	return result;
}

Verdict
meld_make(Meld *x, const Fn *fn, const Region *then, const Region *other, Arena *a)
{
	uint32_t pos = fn_stmt(fn, fn->m->markers[then->marker].stmt)->at.pos;
	Verdict v;

	*x = (Meld){ .fn = fn, .arena = a, .arm = { { .region = then }, { .region = other } } };
	if (fn->m->registers)
		return verdict(a, D_CONTEXT, pos,
			"the module declares registers outside of functions");
	if (verdict_is_no(v = meld_check_arm(x, &x->arm[0])) ||
		verdict_is_no(v = meld_check_arm(x, &x->arm[1])))
		return v;
	Match_result match = match_best(x);
	if (match == UNLIKE)
		return verdict_note(verdict(a, D_DISTRIBUTE, pos,
					    "the arms' branches and loops have different shapes"),
			a, DIAG_NOWHERE, "annotate the parts of the arms that are alike");
	if (match == TOO_LONG)
		return verdict(a, D_DISTRIBUTE, pos, "the arms are too long");
	find_all_weak_writes(x);
	if (x->after >= x->before)
		return verdict(a, D_DISTRIBUTE, pos,
			"nothing would be gained: of %u instructions %u are in both arms", x->total,
			x->both);
	return VERDICT_YES;
}

static bool
unit_calls(const Fn *fn, Meld_unit u)
{
	for (uint32_t s = u.first; s <= u.last; s++)
		if (fn_stmt(fn, s)->kind == STMT_INSN && ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL)
			return true;
	return false;
}

const Insn_row *
meld_call_row(const Meld *x)
{
	bool ends = false;

	for (uint32_t i = 1; i < x->arm[0].nodes.n; i++)
		ends |= x->arm[0].nodes.at[i].exit_block != 0;
	for (uint32_t i = 0; i < x->pairs.n; i++) {
		const Node_pair *p = &x->pairs.at[i];
		for (uint32_t k = 0; ends && meld_depth(x, p) == 0 && k < p->rows.n; k++)
			if (meld_row_is_shared(&p->rows.at[k]) &&
				unit_calls(x->fn, p->rows.at[k].of[0]))
				return &p->rows.at[k];
	}
	return NULL;
}
