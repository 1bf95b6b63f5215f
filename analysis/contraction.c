/* SPDX-License-Identifier: MIT */
/* The rule of docs/proofs/contraction.md. See contraction.h. */
#include "analysis/contraction.h"

/* Additions of products in other blocks that are examined; later ones count as unknown. */
enum { MOST_PATHS = 2000 };

/* A use of a product, perhaps behind moves and negations. */
typedef struct {
	uint32_t stmt;
	bool only;              /* no other definition reaches it, nor the moves in between */
	bool direct;            /* there are no moves in between */
} Reader;
typedef VEC(Reader) Readers;
typedef VEC(uint32_t) Ids;

typedef struct {
	const Fn *fn;
	Contraction *c;
	Bits live;              /* statements that something depends on, by local number */
	Bits varying;           /* definitions that depend on more than literals */
	Bits all, forward, back;        /* blocks */
	Bits seen;              /* definitions */
	uint32_t npaths;
	Arena *scratch;
} Finder;

/* ---- products and sums ----------------------------------------------------------------------- */

static bool
is_float(const Module *m, const Stmt *s)
{
	Type t = ptx_insn_type(m, s);

	return t == TYPE_F16 || t == TYPE_F16X2 || t == TYPE_F32 || t == TYPE_F64 ||
		ptx_has_any(m, s, (const char *const[]){ "bf16", "bf16x2", "f32x2", NULL });
}

static bool
rounds(const Module *m, const Stmt *s)
{
	return ptx_has_any(m, s, (const char *const[]){ "rn", "rz", "rm", "rp", "rna", NULL });
}

Float_kind
contraction_kind(const Module *m, const Stmt *s)
{
	Op op = s->kind == STMT_INSN ? ptx_op(m, s) : OP_UNKNOWN;

	switch (op) {
	case OP_FMA:
	case OP_MAD: return is_float(m, s) ? FLOAT_FUSED : FLOAT_NONE;
	case OP_MUL:
	case OP_DIV:
	case OP_RCP:
		return is_float(m, s) && !rounds(m, s) && !ptx_has(m, s, "sat") ? FLOAT_PRODUCT :
										  FLOAT_NONE;
	case OP_ADD:
	case OP_SUB: return is_float(m, s) && !rounds(m, s) ? FLOAT_SUM : FLOAT_NONE;
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

static bool
agree(const Fn *fn, uint32_t product, uint32_t sum)
{
	const Stmt *p = fn_stmt(fn, product), *s = fn_stmt(fn, sum);

	return ptx_insn_type(fn->m, p) == ptx_insn_type(fn->m, s) &&
		ptx_has(fn->m, p, "ftz") == ptx_has(fn->m, s, "ftz");
}

/* A move or negation, through which ptxas sees the product. */
static bool
is_transparent(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = s->kind == STMT_INSN ? ptx_op(fn->m, s) : OP_UNKNOWN;

	return op == OP_MOV || op == OP_NEG;
}

/* ---- what the function depends on ------------------------------------------------------------ */

/* Statements that are executed for more than the registers that they write. */
static bool
has_effect(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	if (s->kind != STMT_INSN)
		return false;
	uint32_t flags = ptx_flags(fn->m, s);
	return !(flags & OPF_PURE) && (!(flags & OPF_LOAD) || flags & (OPF_EFFECT | OPF_ATOMIC));
}

Bits
contraction_live(const Fn *fn, Arena *a)
{
	Bits live = bits_new(a, fn->f->nstmt + 1);
	Ids todo = { 0 };

	FN_STMTS(fn, s)
		if (has_effect(fn, s)) {
			bits_set(live, fn_local_stmt(fn, s));
			*vec_push(&todo) = s;
		}
	while (todo.n) {
		uint32_t s = todo.at[--todo.n];
		FN_USES_OF_STMT(fn, s, u)
			FN_REACH(fn, u, d) {
				uint32_t t = fn_def(fn, d)->stmt;
				if (!t || bits_has(live, fn_local_stmt(fn, t)))
					continue;
				bits_set(live, fn_local_stmt(fn, t));
				*vec_push(&todo) = t;
			}
	}
	vec_free(&todo);
	return live;
}

static bool
is_source(const Fn *fn, uint32_t d)
{
	uint32_t stmt = fn_def(fn, d)->stmt;

	if (!stmt || fn_stmt(fn, stmt)->kind != STMT_INSN ||
		!(ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_PURE))
		return true;
	FN_READS(fn, stmt, r)
		if (fn->m->syms[r->sym].kind == SYM_SPECIAL)
			return true;
	return false;
}

static void
find_varying(Finder *w)
{
	const Fn *fn = w->fn;
	Ids todo = { 0 };

	for (uint32_t d = 1; d < fn->defuse->ndefs; d++)
		if (is_source(fn, d)) {
			bits_set(w->varying, d);
			*vec_push(&todo) = d;
		}
	while (todo.n) {
		uint32_t of = todo.at[--todo.n];
		FN_USES(fn, of, u)
			FN_DEFS_OF_STMT(fn, fn_use(fn, u)->stmt, d)
				if (!bits_has(w->varying, d)) {
					bits_set(w->varying, d);
					*vec_push(&todo) = d;
				}
	}
	vec_free(&todo);
}

/* ---- code that no compiler has optimised ----------------------------------------------------- */

bool
contraction_folds(const Fn *fn, uint32_t stmt)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = ptx_op(m, s);
	uint32_t sources = 0, literals = 0, first = 0;
	bool equal = false;

	if (s->kind != STMT_INSN || !(ptx_flags(m, s) & OPF_PURE) || op == OP_MOV || op == OP_CVT)
		return false;
	for (uint32_t k = 1; k < s->nopnd; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
		sources++;
		literals += o->kind == OPND_IMM;
		if (k == 1 && o->kind == OPND_SYM)
			first = o->sym;
		else if (k == 2)
			equal = first && o->kind == OPND_SYM && o->sym == first;
	}
	return (sources && literals == sources) || (equal && (op == OP_SETP || op == OP_SELP));
}

/* A branch on literals, outside of loops, which may be decided when they are unrolled. */
static bool
is_decided(const Finder *w, uint32_t block)
{
	const Fn *fn = w->fn;
	uint32_t t = cfg_terminator(fn->cfg, block);
	bool varies = false;

	if (!t || !fn_stmt(fn, t)->guard || fn->loops->loop_of[block])
		return false;
	FN_USES_OF_STMT(fn, t, u)
		FN_REACH(fn, u, d)
			varies |= bits_has(w->varying, d);
	return !varies;
}

/* The first block with an instruction that control reaches from a block without a branch on the
 * way. */
static uint32_t
behind_empty(const Fn *fn, uint32_t block)
{
	for (uint32_t n = 0; block && n < fn->cfg->nblocks; n++) {
		FN_BLOCK_STMTS(fn, block, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				s != cfg_terminator(fn->cfg, block))
				return block;
		if (fn->cfg->blocks[block].nsucc != 1)
			return block;
		block = cfg_succ(fn->cfg, block)[0];
	}
	return block;
}

/* A branch of which both ways lead to one block. */
static bool
is_idle(const Fn *fn, uint32_t block)
{
	uint32_t t = cfg_terminator(fn->cfg, block), n = fn->cfg->blocks[block].nsucc;

	if (!t || !fn_stmt(fn, t)->guard || n == 0)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (behind_empty(fn, cfg_succ(fn->cfg, block)[i]) !=
			behind_empty(fn, cfg_succ(fn->cfg, block)[0]))
			return false;
	return true;
}

/* Would ptxas find much to fold or to drop? Then what reads a product in the end is not known. */
static bool
is_raw(const Finder *w)
{
	const Fn *fn = w->fn;

	FN_BLOCKS(fn, b) {
		if (is_decided(w, b) || is_idle(fn, b))
			return true;
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				(contraction_folds(fn, s) ||
					!bits_has(w->live, fn_local_stmt(fn, s))))
				return true;
	}
	return false;
}

/* ---- branches that ptxas keeps --------------------------------------------------------------- */

/* Do both definitions from inside the loop and others reach what the statement reads? Then that may
 * change from iteration to iteration. */
static bool
merges(const Fn *fn, uint32_t loop, uint32_t stmt)
{
	FN_USES_OF_STMT(fn, stmt, u) {
		bool inside = false;
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			inside |= s && loop_contains(fn->loops, loop, fn_block(fn, s));
		}
		if (inside && fn_use(fn, u)->ndef > 1)
			return true;
	}
	return false;
}

/* Something that no trip count is computed from. */
static bool
is_data(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = ptx_flags(fn->m, s);

	return flags & (OPF_LOAD | OPF_ATOMIC | OPF_CALL | OPF_CROSS | OPF_EFFECT) ||
		is_float(fn->m, s);
}

/* Marks what the statement reads and the loop computes. */
static void
add_sources(Finder *w, uint32_t loop, uint32_t stmt, Ids *slice)
{
	const Fn *fn = w->fn;

	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (!s || bits_has(w->seen, d) ||
				!loop_contains(fn->loops, loop, fn_block(fn, s)))
				continue;
			bits_set(w->seen, d);
			*vec_push(slice) = d;
		}
}

/* Does a value that changes from iteration to iteration reach definition d within the slice? */
static bool
reads_changing(const Finder *w, uint32_t loop, uint32_t d, Bits changing)
{
	uint32_t stmt = fn_def(w->fn, d)->stmt;

	if (merges(w->fn, loop, stmt))
		return true;
	FN_USES_OF_STMT(w->fn, stmt, u)
		FN_REACH(w->fn, u, from)
			if (bits_has(changing, from))
				return true;
	return false;
}

/* Does the branch depend on data that changes in the loop, so that no trip count replaces it? */
static bool
tests_data(Finder *w, uint32_t loop, uint32_t branch)
{
	Ids slice = { 0 };
	Arena_mark mark = arena_mark(w->scratch);
	Bits changing = bits_new(w->scratch, w->fn->defuse->ndefs);
	bool more = true, data = false;

	bits_clear(w->seen);
	add_sources(w, loop, branch, &slice);
	for (uint32_t i = 0; i < slice.n; i++)
		add_sources(w, loop, fn_def(w->fn, slice.at[i])->stmt, &slice);
	while (more) {
		more = false;
		for (uint32_t i = slice.n; i-- > 0;) {
			uint32_t d = slice.at[i];
			if (bits_has(changing, d) || !reads_changing(w, loop, d, changing))
				continue;
			bits_set(changing, d);
			more = true;
		}
	}
	for (uint32_t i = 0; i < slice.n; i++)
		data |= bits_has(changing, slice.at[i]) &&
			is_data(w->fn, fn_def(w->fn, slice.at[i])->stmt);
	vec_free(&slice);
	arena_release(w->scratch, mark);
	return data;
}

static bool
leads_out(const Fn *fn, uint32_t b, uint32_t loop)
{
	FN_SUCC(fn, b, to)
		if (!to || !loop_contains(fn->loops, loop, to))
			return true;
	return false;
}

/* Is there a branch behind block b that ptxas cannot resolve where a value goes from block `from`
 * to block `to`? It unrolls loops around both. */
static bool
branches(Finder *w, uint32_t b, uint32_t from, uint32_t to)
{
	const Fn *fn = w->fn;
	uint32_t stmt = cfg_terminator(fn->cfg, b), first = 0;
	bool ways = false, varies = false;

	FN_SUCC(fn, b, s) {
		ways |= first && s + 1 != first;
		first = s + 1;
	}
	if (!ways || !stmt)
		return false;
	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d)
			varies |= bits_has(w->varying, d);
	if (!varies)
		return false;
	for (uint32_t l = fn->loops->loop_of[b]; l; l = fn->loops->loops[l].parent)
		if (loop_contains(fn->loops, l, from) && loop_contains(fn->loops, l, to) &&
			leads_out(fn, b, l) && !tests_data(w, l, stmt))
			return false;
	return true;
}

/* Fills `forward` and `back`: blocks in both lie on ways from a product to an addition that pass
 * neither of their blocks. */
static void
find_ways(Finder *w, uint32_t from, uint32_t to)
{
	const Fn *fn = w->fn;

	bits_clear(w->forward);
	bits_clear(w->back);
	bits_unset(w->all, from);
	FN_SUCC(fn, from, s)
		cfg_flood(fn->cfg, s, false, w->all, w->forward);
	bits_unset(w->all, to);
	FN_PRED(fn, to, p)
		cfg_flood(fn->cfg, p, true, w->all, w->back);
	bits_set(w->all, from);
	bits_set(w->all, to);
}

/* Does control reach block `to` in a way that passes block `from` by, from a branch that ptxas
 * keeps? Then `to` stays behind the place where both ways meet. */
static bool
meets_others(Finder *w, uint32_t from, uint32_t to)
{
	uint32_t at = dom_common(w->fn->dom, from, to);

	return at && at != from && at != to && branches(w, at, from, to);
}

/* Do a product of block `from` and an addition stay in different blocks, whatever ptxas unrolls? */
static bool
stay_apart(Finder *w, uint32_t from, uint32_t product, uint32_t sum)
{
	uint32_t to = fn_block(w->fn, sum);

	if ((from == to && (product < sum || from != fn_block(w->fn, product))) ||
		w->npaths++ >= MOST_PATHS)
		return false;
	if (branches(w, from, from, to) || meets_others(w, from, to))
		return true;
	find_ways(w, from, to);
	BITS_EACH(b, w->back)
		if (bits_has(w->forward, b) && branches(w, b, from, to))
			return true;
	return false;
}

/* Notes the blocks in which, or on the way between which, contraction is not known. */
static void
note_unknown(Finder *w, uint32_t product, uint32_t reader)
{
	uint32_t from = fn_block(w->fn, product), to = fn_block(w->fn, reader);

	w->c->unknown[from] = w->c->unknown[to] = product;
	if (from == to && product < reader)
		return;
	find_ways(w, from, to);
	BITS_EACH(b, w->back)
		if (bits_has(w->forward, b))
			w->c->unknown[b] = product;
}

/* ---- products -------------------------------------------------------------------------------- */

static void
add_readers(Finder *w, uint32_t d, bool only, bool direct, Readers *to)
{
	const Fn *fn = w->fn;

	bits_set(w->seen, d);
	FN_USES(fn, d, u) {
		uint32_t s = fn_use(fn, u)->stmt;
		bool alone = only && fn_use(fn, u)->ndef == 1;
		if (!is_transparent(fn, s)) {
			*vec_push(to) = (Reader){ s, alone, direct };
			continue;
		}
		FN_DEFS_OF_STMT(fn, s, other)
			if (!bits_has(w->seen, other))
				add_readers(w, other, alone && fn_def(fn, other)->kills, false, to);
	}
}

/* Is the reader executed in the iteration of the product, whatever ptxas makes of the loops around
 * them? Each copy of the product then has a copy of the reader. */
static bool
goes_along(const Fn *fn, uint32_t product, const Reader *r)
{
	uint32_t b = fn_block(fn, product), to = fn_block(fn, r->stmt),
		 loop = fn->loops->loop_of[b];

	return r->only && (b == to ? product < r->stmt : dom_dominates(fn->dom, b, to)) &&
		(!loop || loop_contains(fn->loops, loop, to));
}

/* The last block to which ptxas may move a statement of a block, as all readers are behind it. */
static uint32_t
sinks_to(const Fn *fn, uint32_t block, const Readers *all)
{
	uint32_t to = all->n ? fn_block(fn, all->at[0].stmt) : block;

	for (uint32_t i = 1; i < all->n; i++)
		to = dom_common(fn->dom, to, fn_block(fn, all->at[i].stmt));
	return to && dom_dominates(fn->dom, block, to) ? to : block;
}

/* Does something in the sum's block, or nothing behind any branch alone, read the sum? Else ptxas
 * may move it away from its product. */
static bool
stays(const Fn *fn, uint32_t sum)
{
	uint32_t block = fn_block(fn, sum), to = 0;

	FN_DEFS_OF_STMT(fn, sum, d)
		FN_USES(fn, d, u) {
			uint32_t b = fn_block(fn, fn_use(fn, u)->stmt);
			to = to ? dom_common(fn->dom, to, b) : b;
		}
	return to == block || !to || !dom_dominates(fn->dom, block, to);
}

static bool
reads_twice(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	uint32_t n = 0;

	FN_READS(fn, stmt, r)
		n += r->sym == sym;
	return n > 1;
}

/* Does ptxas fuse the product wherever its block is: nothing else reads it, and nothing else is
 * written to its register? */
static bool
is_fused(const Fn *fn, uint32_t d, const Readers *all)
{
	uint32_t product = fn_def(fn, d)->stmt, sym = fn_def(fn, d)->sym, n = 0;

	FN_DEFS_OF_SYM(fn, sym, other)
		n += fn_def(fn, other)->stmt != 0;
	for (uint32_t i = 0; i < all->n; i++) {
		const Reader *r = &all->at[i];
		if (!r->direct || !r->only || fn_block(fn, r->stmt) != fn_block(fn, product) ||
			r->stmt < product || reads_twice(fn, r->stmt, sym) || !stays(fn, r->stmt) ||
			!is_sum(fn, r->stmt) || !agree(fn, product, r->stmt))
			return false;
	}
	return n == 1 && fn_def(fn, d)->kills;
}

static Contract
contract_of(Finder *w, uint32_t d, const Readers *all)
{
	const Fn *fn = w->fn;
	uint32_t product = fn_def(fn, d)->stmt, sums = 0, apart = 0;
	bool never = false;

	for (uint32_t i = 0; i < all->n; i++) {
		const Reader *r = &all->at[i];
		bool sum = is_sum(fn, r->stmt) && agree(fn, product, r->stmt);
		sums += sum;
		if (!sum)
			never |= goes_along(fn, product, r);
	}
	if (!sums)
		return CONTRACT_NONE;
	if (fn_stmt(fn, product)->guard)
		return CONTRACT_UNKNOWN;
	uint32_t from = sinks_to(fn, fn_block(fn, product), all);
	for (uint32_t i = 0; i < all->n && !never; i++) {
		const Reader *r = &all->at[i];
		if (!is_sum(fn, r->stmt) || !agree(fn, product, r->stmt) ||
			!stay_apart(w, from, product, r->stmt))
			continue;
		never = goes_along(fn, product, r);
		apart++;
	}
	return never || apart == sums ? CONTRACT_NEVER :
		is_fused(fn, d, all)  ? CONTRACT_ALWAYS :
					CONTRACT_UNKNOWN;
}

static void
find_readers(Finder *w, uint32_t stmt, Readers *to)
{
	to->n = 0;
	bits_clear(w->seen);
	FN_DEFS_OF_STMT(w->fn, stmt, d)
		add_readers(w, d, true, true, to);
}

static void
find_products(Finder *w)
{
	const Fn *fn = w->fn;
	Readers all = { 0 };

	FN_STMTS(fn, s) {
		if (!is_product(fn, s) || !fn_block(fn, s))
			continue;
		find_readers(w, s, &all);
		FN_DEFS_OF_STMT(fn, s, d)
			w->c->of[fn_local_stmt(fn, s)] = (uint8_t)contract_of(w, d, &all);
	}
	vec_free(&all);
}

/* Notes that nothing is known of any product. */
static void
all_unknown(Finder *w)
{
	const Fn *fn = w->fn;

	FN_STMTS(fn, s) {
		uint8_t *of = &w->c->of[fn_local_stmt(fn, s)];
		if (*of == CONTRACT_NONE)
			continue;
		*of = CONTRACT_UNKNOWN;
		FN_BLOCKS(fn, b)
			w->c->unknown[b] = s;
	}
}

static void
find_unknown(Finder *w)
{
	const Fn *fn = w->fn;
	Readers all = { 0 };

	FN_STMTS(fn, s) {
		if (w->c->of[fn_local_stmt(fn, s)] != CONTRACT_UNKNOWN)
			continue;
		find_readers(w, s, &all);
		for (uint32_t i = 0; i < all.n; i++)
			note_unknown(w, s, all.at[i].stmt);
	}
	vec_free(&all);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The products that a definition may hold, through moves: how many contract in which way. */
static void
count_products(Finder *w, uint32_t stmt, uint32_t n[4])
{
	const Fn *fn = w->fn;

	FN_USES_OF_STMT(fn, stmt, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt;
			if (!s || bits_has(w->seen, d))
				continue;
			bits_set(w->seen, d);
			if (is_transparent(fn, s))
				count_products(w, s, n);
			else
				n[w->c->of[fn_local_stmt(fn, s)]]++;
		}
}

/* A fused product with several additions keeps to its own: an addition of two products is fused with
 * one of them, and what becomes of the other is not known where it has more additions. Nor can a
 * quotient be told apart from a fused product in one addition. */
static void
settle(Finder *w, uint32_t sum, const uint32_t n[4])
{
	const Fn *fn = w->fn;

	FN_USES_OF_STMT(fn, sum, u)
		FN_REACH(fn, u, d) {
			uint32_t s = fn_def(fn, d)->stmt, users = 0;
			uint8_t *of = s ? &w->c->of[fn_local_stmt(fn, s)] : NULL;
			FN_USES(fn, d, other)
				users += other != 0;
			if (of && ((*of == CONTRACT_ALWAYS && n[CONTRACT_ALWAYS] > 1 && users > 1) ||
				(*of == CONTRACT_NEVER && n[CONTRACT_ALWAYS] &&
					ptx_op(fn->m, fn_stmt(fn, s)) != OP_MUL)))
				*of = CONTRACT_UNKNOWN;
		}
}

static void
find_sums(Finder *w)
{
	const Fn *fn = w->fn;

	for (uint32_t pass = 0; pass < 2; pass++)
		FN_STMTS(fn, s) {
			uint32_t n[4] = { 0 };
			if (!is_sum(fn, s))
				continue;
			bits_clear(w->seen);
			count_products(w, s, n);
			if (!pass)
				settle(w, s, n);
			else if (n[CONTRACT_NEVER] && !n[CONTRACT_ALWAYS] && !n[CONTRACT_UNKNOWN])
				bits_set(w->c->rounded, fn_local_stmt(fn, s));
		}
}

/* ---- the whole ------------------------------------------------------------------------------- */

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
find_all(Finder *w)
{
	const Fn *fn = w->fn;

	find_varying(w);
	find_products(w);
	if (is_raw(w)) {
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

	if (!has_products(fn))
		return NULL;
	scratch = arena_new();
	Finder w = { .fn = fn, .c = arena_zalloc(a, sizeof *w.c), .scratch = scratch };
	w.c->of = arena_zalloc(a, (fn->f->nstmt + 1) * sizeof *w.c->of);
	w.c->rounded = bits_new(a, fn->f->nstmt + 1);
	w.c->unknown = arena_zalloc(a, fn->cfg->nblocks * sizeof *w.c->unknown);
	w.live = contraction_live(fn, scratch);
	w.varying = bits_new(scratch, fn->defuse->ndefs);
	w.seen = bits_new(scratch, fn->defuse->ndefs);
	w.all = bits_new(scratch, fn->cfg->nblocks);
	w.forward = bits_new(scratch, fn->cfg->nblocks);
	w.back = bits_new(scratch, fn->cfg->nblocks);
	bits_fill(w.all, 1, fn->cfg->nblocks);
	find_all(&w);
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
contraction_rounds(const Fn *fn, uint32_t stmt)
{
	return fn->contraction && bits_has(fn->contraction->rounded, fn_local_stmt(fn, stmt));
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
