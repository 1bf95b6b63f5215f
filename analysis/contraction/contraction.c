/* SPDX-License-Identifier: MIT */
/* Implements the rule of docs/proofs/contraction.md; see contraction.h. */
#include "analysis/contraction/internal.h"

/* ---- products and sums ----------------------------------------------------------------------- */

bool
contraction_is_float(const Module *m, const Stmt *s)
{
	Type t = ptx_insn_type(m, s);

	return t == TYPE_F16 || t == TYPE_F16X2 || t == TYPE_F32 || t == TYPE_F64 ||
		ptx_has_any(m, s, (const char *const[]){ "bf16", "bf16x2", "f32x2", NULL });
}

bool
contraction_has_rounding(const Module *m, const Stmt *s)
{
	return ptx_has_any(m, s, (const char *const[]){ "rn", "rz", "rm", "rp", "rna", NULL });
}

static bool
is_fusible(const Module *m, const Stmt *s)
{
	return contraction_is_float(m, s) && !contraction_has_rounding(m, s);
}

Float_kind
contraction_kind(const Module *m, const Stmt *s)
{
	const Op op = s->kind == STMT_INSN ? ptx_op(m, s) : OP_UNKNOWN;

	switch (op) {
	case OP_FMA:
	case OP_MAD: return contraction_is_float(m, s) ? FLOAT_FUSED : FLOAT_NONE;
	case OP_MUL:
	case OP_DIV:
	case OP_RCP:
		return is_fusible(m, s) && !ptx_has(m, s, "sat") ? FLOAT_PRODUCT : FLOAT_NONE;
	case OP_ADD:
	case OP_SUB: return is_fusible(m, s) ? FLOAT_SUM : FLOAT_NONE;
	default: return FLOAT_NONE;
	}
}

static bool
is_product(const Fn *fn, uint32_t stmt)
{
	return contraction_kind(fn->m, fn_stmt(fn, stmt)) == FLOAT_PRODUCT;
}

static bool
is_sum(const Fn *fn, uint32_t stmt)
{
	return contraction_kind(fn->m, fn_stmt(fn, stmt)) == FLOAT_SUM;
}

/* Whether the statement is an addition with which the product may be fused. */
static bool
is_contractible_sum(const Fn *fn, uint32_t product, uint32_t sum)
{
	const Stmt *p = fn_stmt(fn, product), *s = fn_stmt(fn, sum);

	return is_sum(fn, sum) && ptx_insn_type(fn->m, p) == ptx_insn_type(fn->m, s) &&
		ptx_has(fn->m, p, "ftz") == ptx_has(fn->m, s, "ftz");
}

/* ---- products -------------------------------------------------------------------------------- */

/* Returns the last block to which ptxas may sink a statement of a block, since that dominates all
 * readers. */
static uint32_t
sink_block(const Fn *fn, uint32_t block, const Readers *all)
{
	uint32_t to = all->n ? fn_block(fn, all->at[0].stmt) : block;

	for (uint32_t i = 1; i < all->n; i++)
		to = dom_common(fn->dom, to, fn_block(fn, all->at[i].stmt));
	return to && dom_dominates(fn->dom, block, to) ? to : block;
}

/* Whether the statement stays in its block. ptxas may sink it to a block that dominates all its
 * readers, also into a loop that it unrolls, but not where it merges with another value. If deep,
 * its readers in the block must stay too: ptxas computes what they read again elsewhere. */
static bool
stays_in_block(Contraction_finder *w, uint32_t stmt, bool deep)
{
	const Fn *fn = w->fn;
	uint32_t block = fn_block(fn, stmt), to = 0;
	bool near = contraction_has_effect(fn, stmt);

	if (++w->followed > MOST_FOLLOWED)
		return false;
	FN_DEFS_OF_STMT(fn, stmt, d) {
		if (bits_has(w->seen, d))
			continue;
		bits_set(w->seen, d);
		FN_USES(fn, d, u) {
			uint32_t reader = fn_use(fn, u)->stmt, b = fn_block(fn, reader);
			if (fn_use(fn, u)->ndef > 1 || (b == block && reader > stmt)) {
				if ((deep || contraction_is_plain_abs(w, reader)) &&
					fn_use(fn, u)->ndef == 1 &&
					!stays_in_block(w, reader, true))
					return false;
				near = true;
			} else {
				to = to ? dom_common(fn->dom, to, b) : b;
			}
		}
	}
	return near || !to || to == block || !dom_dominates(fn->dom, block, to);
}

/* Whether the reader may leave its block, and take a copy of the product with it. Readers that are
 * in other blocks than the product and not additions do not matter. */
static bool
reader_moves(Contraction_finder *w, uint32_t product, const Reader *r, bool sum)
{
	bool beside = fn_block(w->fn, r->stmt) == fn_block(w->fn, product), moves = false;
	uint32_t of[] = { sum || beside ? r->stmt : 0, r->negation };

	for (uint32_t i = 0; i < 2; i++) {
		bits_clear(w->seen);
		w->followed = 0;
		moves |= of[i] && !stays_in_block(w, of[i], beside || i > 0);
	}
	return moves;
}

static bool
reads_twice(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	uint32_t n = 0;

	FN_READS(fn, stmt, r)
		n += r->sym == sym;
	return n > 1;
}

/* Whether the sum follows the product in what is one block to ptxas. */
static bool
is_in_one_block(const Fn *fn, uint32_t product, uint32_t sum)
{
	return fn_block(fn, sum) == fn_block(fn, product) && sum > product &&
		contraction_end_between(fn, product, sum) == BLOCK_CONTINUES;
}

/* Whether only additions with which it can be fused read the product, and its register has no
 * other definitions. They must be in its block, unless ptxas computes it again in theirs. */
static bool
is_fused(const Fn *fn, uint32_t d, const Readers *all, bool is_repeated)
{
	uint32_t product = fn_def(fn, d)->stmt, sym = fn_def(fn, d)->sym, n = 0;

	FN_DEFS_OF_SYM(fn, sym, other)
		n += fn_def(fn, other)->stmt != 0;
	for (uint32_t i = 0; i < all->n; i++) {
		const Reader *r = &all->at[i];
		if (!r->direct || !r->only ||
			(!is_repeated && !is_in_one_block(fn, product, r->stmt)) ||
			reads_twice(fn, r->stmt, sym) ||
			!is_contractible_sum(fn, product, r->stmt))
			return false;
	}
	return n == 1 && fn_def(fn, d)->kills;
}

static Contract
contract_of(Contraction_finder *w, uint32_t d, const Readers *all)
{
	const Fn *fn = w->fn;
	uint32_t product = fn_def(fn, d)->stmt, sums = 0, apart = 0;
	bool never = false, moves = false;

	if (w->followed > MOST_FOLLOWED)
		return CONTRACT_UNKNOWN;
	for (uint32_t i = 0; i < all->n; i++) {
		const Reader *r = &all->at[i];
		bool sum = is_contractible_sum(fn, product, r->stmt);
		sums += sum;
		moves |= all->n > 1 && reader_moves(w, product, r, sum);
		if (!sum)
			never = never || contraction_reader_follows(w, product, r);
	}
	if (!sums)
		return CONTRACT_NONE;
	if (moves || fn_stmt(fn, product)->guard)
		return CONTRACT_UNKNOWN;
	uint32_t from = sink_block(fn, fn_block(fn, product), all);
	bool repeated = contraction_is_repeated(w, product);
	for (uint32_t i = 0; i < all->n && !never && !repeated; i++) {
		const Reader *r = &all->at[i];
		if (!is_contractible_sum(fn, product, r->stmt) ||
			!contraction_stays_apart(w, from, product, r->stmt))
			continue;
		never = contraction_reader_follows(w, product, r);
		apart++;
	}
	return never || apart == sums ? CONTRACT_NEVER :
		is_fused(fn, d, all, false) ? CONTRACT_ALWAYS :
					CONTRACT_UNKNOWN;
}

static void
find_products(Contraction_finder *w)
{
	const Fn *fn = w->fn;
	Readers all = { 0 };

	FN_STMTS(fn, s) {
		if (!is_product(fn, s) || !fn_block(fn, s))
			continue;
		contraction_find_readers(w, s, &all);
		FN_DEFS_OF_STMT(fn, s, d) {
			w->c->of[fn_local_stmt(fn, s)] = (uint8_t)contract_of(w, d, &all);
			if (all.n && !fn_stmt(fn, s)->guard &&
				is_fused(fn, d, &all, contraction_is_repeated(w, s)))
				bits_set(w->c->fused, fn_local_stmt(fn, s));
		}
	}
	vec_free(&all);
}

/* Records that nothing is known about any product, including one that an addition reads only if
 * ptxas removes a selection. */
static void
all_unknown(Contraction_finder *w)
{
	const Fn *fn = w->fn;
	uint32_t product = 0;

	FN_STMTS(fn, s) {
		uint8_t *of = &w->c->of[fn_local_stmt(fn, s)];
		if (!is_product(fn, s) || !fn_block(fn, s))
			continue;
		*of = CONTRACT_UNKNOWN;
		product = s;
	}
	FN_BLOCKS(fn, b)
		w->c->unknown[b] = product;
}

static void
find_unknown(Contraction_finder *w)
{
	const Fn *fn = w->fn;
	Readers all = { 0 };

	w->npaths = 0;
	FN_STMTS(fn, s) {
		if (w->c->of[fn_local_stmt(fn, s)] != CONTRACT_UNKNOWN)
			continue;
		contraction_find_readers(w, s, &all);
		for (uint32_t i = 0; i < all.n; i++) {
			contraction_note_unknown(w, s, all.at[i].stmt);
			/* the blocks to which ptxas may sink the reader */
			FN_DEFS_OF_STMT(fn, all.at[i].stmt, d)
				FN_USES(fn, d, u)
					contraction_note_unknown(w, s, fn_use(fn, u)->stmt);
		}
	}
	vec_free(&all);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Counts the products that a statement reads, also through moves, by how they contract. */
static void
count_products(Contraction_finder *w, uint32_t stmt, uint32_t n[4])
{
	const Fn *fn = w->fn;

	if (++w->followed > MOST_FOLLOWED) {
		n[CONTRACT_UNKNOWN]++;
		return;
	}
	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (!s || bits_has(w->seen, d))
				continue;
			bits_set(w->seen, d);
			if (contraction_is_move(w, s))
				count_products(w, s, n);
			else
				n[w->c->of[fn_local_stmt(fn, s)]]++;
		}
}

/* A fused product with several additions is fused with all of them. An addition of two products is
 * fused with one of them; the other is unknown if it has further additions. In one addition, a
 * quotient cannot be distinguished from a fused product. */
static void
settle_sum(Contraction_finder *w, uint32_t sum, const uint32_t n[4])
{
	const Fn *fn = w->fn;

	FN_USES_OF_STMT(fn, sum, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt, users = 0;
			uint8_t *of = s ? &w->c->of[fn_local_stmt(fn, s)] : NULL;
			FN_USES(fn, d, other)
				users += other != 0;
			if (!of)
				continue;
			if ((*of == CONTRACT_ALWAYS && n[CONTRACT_ALWAYS] > 1 && users > 1) ||
				(*of == CONTRACT_NEVER && n[CONTRACT_ALWAYS] &&
					ptx_op(fn->m, fn_stmt(fn, s)) != OP_MUL))
				*of = CONTRACT_UNKNOWN;
		}
}

static void
find_sums(Contraction_finder *w)
{
	const Fn *fn = w->fn;

	for (uint32_t pass = 0; pass < 2; pass++)
		FN_STMTS(fn, s) {
			uint32_t n[4] = { 0 };
			if (!is_sum(fn, s))
				continue;
			w->followed = 0;
			bits_clear(w->seen);
			count_products(w, s, n);
			if (!pass)
				settle_sum(w, s, n);
			else if (n[CONTRACT_NEVER] && !n[CONTRACT_ALWAYS] && !n[CONTRACT_UNKNOWN])
				bits_set(w->c->rounded, fn_local_stmt(fn, s));
		}
}

/* ---- driver ---------------------------------------------------------------------------------- */

static bool
has_products(const Fn *fn)
{
	bool product = false, sum = false;

	FN_STMTS(fn, s) {
		product = product || is_product(fn, s);
		sum = sum || is_sum(fn, s);
	}
	return product && sum;
}

static void
find_contractions(Contraction_finder *w)
{
	const Fn *fn = w->fn;

	contraction_find_varying(w);
	contraction_find_ranges(w);
	find_products(w);
	if (contraction_is_raw(w)) {
		all_unknown(w);
		return;
	}
	find_sums(w);
	find_unknown(w);
	FN_STMTS(fn, s)
		if (w->c->of[fn_local_stmt(fn, s)] == CONTRACT_NEVER &&
			ptx_op(fn->m, fn_stmt(fn, s)) == OP_MUL)
			bits_set(w->c->rounded, fn_local_stmt(fn, s));
}

Contraction *
contraction_build(const Fn *fn, Arena *a)
{
	Arena *scratch;

	bool products = has_products(fn), signs = contraction_has_signs(fn);

	if (!products && !signs)
		return NULL;
	scratch = arena_new();
	Contraction_finder w = { .fn = fn, .c = arena_zalloc(a, sizeof *w.c), .scratch = scratch };
	w.c->of = arena_zalloc(a, (fn->f->nstmt + 1) * sizeof *w.c->of);
	w.c->fused = bits_new(a, fn->f->nstmt + 1);
	w.c->rounded = bits_new(a, fn->f->nstmt + 1);
	w.c->signs = bits_new(a, fn->f->nstmt + 1);
	w.c->unknown = arena_zalloc(a, fn->cfg->nblocks * sizeof *w.c->unknown);
	w.live = contraction_live(fn, scratch);
	w.varying = bits_new(scratch, fn->defuse->ndefs);
	w.seen = bits_new(scratch, fn->defuse->ndefs);
	w.open = bits_new(scratch, fn->defuse->ndefs);
	w.examined = arena_array(scratch, fn->loops->nloops, sizeof *w.examined);
	w.tests_data = arena_array(scratch, fn->loops->nloops, sizeof *w.tests_data);
	w.all = bits_new(scratch, fn->cfg->nblocks);
	w.forward = bits_new(scratch, fn->cfg->nblocks);
	w.back = bits_new(scratch, fn->cfg->nblocks);
	bits_fill(w.all, 1, fn->cfg->nblocks);
	if (products)
		find_contractions(&w);
	if (signs)
		contraction_find_signs(&w);
	arena_free(scratch);
	return w.c;
}

Contract
contraction_of(const Fn *fn, uint32_t stmt)
{
	return fn->contraction ? (Contract)fn->contraction->of[fn_local_stmt(fn, stmt)] :
				 CONTRACT_NONE;
}

bool
contraction_is_fused(const Fn *fn, uint32_t stmt)
{
	return fn->contraction && bits_has(fn->contraction->fused, fn_local_stmt(fn, stmt));
}

bool
contraction_rounds(const Fn *fn, uint32_t stmt)
{
	return fn->contraction && bits_has(fn->contraction->rounded, fn_local_stmt(fn, stmt));
}

bool
contraction_shows_sign(const Fn *fn, uint32_t stmt)
{
	return fn->contraction && bits_has(fn->contraction->signs, fn_local_stmt(fn, stmt));
}

uint32_t
contraction_unknown_in(const Fn *fn, Bits blocks)
{
	if (fn->contraction)
		BITS_EACH(b, blocks)
			if (fn->contraction->unknown[b])
				return fn->contraction->unknown[b];
	return 0;
}
