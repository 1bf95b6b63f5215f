/* SPDX-License-Identifier: MIT */
/* Checks that ptxas fuses the same products in the melded code as in the arms
 * (docs/proofs/contraction.md). A product that it fuses must stay in one block with its
 * additions, unpredicated, without other readers. A common product must be fused in both arms. */
#include "analysis/contraction/contraction.h"
#include "transform/rewrite/meld.h"

/* Where a statement is emitted: its block, its pair, and the matching statement of the other
 * arm. */
typedef struct {
	uint32_t pair;          /* pair plus one; 0: not emitted */
	uint32_t block;
	uint32_t other;         /* 0: none */
	bool predicated;
} Insn_position;

typedef struct { const Meld *x; Insn_position *spot; } Insn_positions;

/* Whether the rest of its block decides how ptxas computes the statement. */
static bool
needs_block(const Fn *fn, uint32_t stmt)
{
	return contraction_of(fn, stmt) == CONTRACT_ALWAYS || contraction_shows_sign(fn, stmt);
}

static Insn_position *
position_of(const Insn_positions *w, uint32_t stmt)
{
	return &w->spot[fn_local_stmt(w->x->fn, stmt)];
}

static void
note_unit_position(
	Insn_positions *w, const Insn_row *row, uint32_t arm, uint32_t pair, uint32_t block)
{
	Meld_unit u = row->of[arm];
	bool single = meld_row_is_shared(row) && u.first == u.last;

	for (uint32_t s = u.first; s && s <= u.last; s++)
		*position_of(w, s) =
			(Insn_position){ pair + 1, block, single ? row->of[1 - arm].first : 0,
				!meld_row_is_shared(row) && row->execution == EXECUTE_PREDICATED };
}

/* Whether ptxas ends its block at a statement of one arm, in its emitted form. */
static bool
ends_block(const Insn_positions *w, const Insn_row *row, uint32_t arm)
{
	const Fn *fn = w->x->fn;
	bool ends = false;

	for (uint32_t s = row->of[arm].first; s && s <= row->of[arm].last; s++)
		ends |= contraction_block_end(fn->m, fn_stmt(fn, s),
				fn_stmt(fn, s)->guard || row->execution == EXECUTE_PREDICATED) !=
			BLOCK_CONTINUES;
	return ends;
}

/* Records the positions of a pair's rows. Code of the second arm follows that of the first between
 * two common rows, and is a separate block if a branch skips it. */
static void
note_row_positions(Insn_positions *w, uint32_t pair)
{
	const Node_pair *p = &w->x->pairs.at[pair];
	uint32_t block = 0, behind;

	for (uint32_t i = 0; i < p->rows.n; i = behind + 1) {
		bool jumped = false;
		for (behind = i; behind < p->rows.n && !meld_row_is_shared(&p->rows.at[behind]);
			behind++)
			jumped |= p->rows.at[behind].execution == EXECUTE_BRANCHED;
		for (uint32_t arm = 0; arm < 2; arm++) {
			block += jumped;
			for (uint32_t k = i; k < behind; k++) {
				note_unit_position(w, &p->rows.at[k], arm, pair, block);
				block += ends_block(w, &p->rows.at[k], arm);
			}
		}
		block += jumped;
		for (uint32_t arm = 0; behind < p->rows.n && arm < 2; arm++)
			note_unit_position(w, &p->rows.at[behind], arm, pair, block);
	}
}

static bool
reads_directly(const Fn *fn, uint32_t sum, uint32_t product)
{
	FN_DEFS_OF_STMT(fn, product, d)
		FN_USES(fn, d, u)
			if (fn_use(fn, u)->stmt == sum)
				return true;
	return false;
}

/* Whether the sum reads two products that ptxas fuses. It takes the first; a common sum may have
 * its operands in another order. */
static bool
reads_two_products(const Fn *fn, uint32_t sum)
{
	uint32_t n = 0;

	FN_USES_OF_STMT(fn, sum, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			n += s && contraction_of(fn, s) == CONTRACT_ALWAYS;
		}
	return n > 1;
}

/* Whether the results of two products have the same name in the melded code. */
static bool
products_share_register(const Meld *x, uint32_t arm, uint32_t a, uint32_t b)
{
	FN_DEFS_OF_STMT(x->fn, a, d)
		FN_DEFS_OF_STMT(x->fn, b, e) {
			uint32_t s = fn_def(x->fn, d)->sym, t = fn_def(x->fn, e)->sym;
			uint32_t p = meld_merged_register(x, arm, s);
			return p ? p == meld_merged_register(x, 1 - arm, t) :
				   s == t && !meld_merged_register(x, 1 - arm, t);
		}
	return false;
}

static bool
product_stays_fused(const Insn_positions *w, uint32_t arm, uint32_t product)
{
	const Fn *fn = w->x->fn;
	const Insn_position *m = position_of(w, product);

	if (!m->pair || m->predicated ||
		(m->other && (!needs_block(fn, m->other) ||
			!products_share_register(w->x, arm, product, m->other))))
		return false;
	FN_DEFS_OF_STMT(fn, product, d)
		FN_USES(fn, d, u) {
			uint32_t sum = fn_use(fn, u)->stmt;
			const Insn_position *s = position_of(w, sum);
			if (s->pair != m->pair || s->block != m->block || !s->other != !m->other ||
				(m->other &&
					(reads_two_products(fn, sum) ||
						!reads_directly(fn, s->other, m->other))))
				return false;
		}
	return true;
}

uint32_t
meld_breaks_contraction(const Meld *x, Arena *scratch)
{
	const Fn *fn = x->fn;
	Insn_positions w = { x, arena_zalloc(scratch, (fn->f->nstmt + 1) * sizeof *w.spot) };

	for (uint32_t i = 0; i < x->pairs.n; i++)
		note_row_positions(&w, i);
	for (uint32_t arm = 0; arm < 2; arm++) {
		uint32_t unknown = contraction_unknown_in(fn, x->arm[arm].region->blocks);
		if (unknown)
			return unknown;
		BITS_EACH(b, x->arm[arm].region->blocks)
			FN_BLOCK_STMTS(fn, b, s)
				if (needs_block(fn, s) && !product_stays_fused(&w, arm, s))
					return s;
	}
	return 0;
}
