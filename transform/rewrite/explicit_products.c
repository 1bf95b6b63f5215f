/* SPDX-License-Identifier: MIT */
/* Writes multiplications and additions explicitly. See explicit_products.h.
 *
 *	mul.f64 %p, %x, %y;	is deleted, or mul.rn.f64 if anything else reads %p
 *	add.f64 %s, %p, %z;	fma.rn.f64 %s, %x, %y, %z;
 *	sub.f64 %s, %p, %z;	{ .reg .f64 %ccc_minus; neg.f64 %ccc_minus, %z;
 *				fma.rn.f64 %s, %x, %y, %ccc_minus; }
 *	sub.f64 %s, %z, %p;	the same with -%x
 *
 * Each statement stays on its line. A literal is negated in place. */
#include <string.h>
#include "analysis/contraction/contraction.h"
#include "transform/rewrite/explicit_products.h"

typedef struct {
	const Fn *fn;
	Edits *edits;
	uint32_t *fused; /* by local statement: the product that a sum is fused with; 0: none */
} Writer;

static Span
operand_span(const Fn *fn, uint32_t stmt, uint32_t k)
{
	return fn->m->opnds[ptx_operand(fn->m, fn_stmt(fn, stmt), k)].at;
}

/* Whether the statement is a multiplication that the function can have in explicit form. */
static bool
is_multiplication(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	Type t = s->kind == STMT_INSN ? ptx_insn_type(fn->m, s) : TYPE_NONE;

	return contraction_kind(fn->m, s) == FLOAT_PRODUCT && ptx_op(fn->m, s) == OP_MUL &&
		(t == TYPE_F32 || t == TYPE_F64) && s->nopnd == 3;
}

/* Whether the register is not written between the product and the later statement of its block. */
static bool
is_kept_in_block(const Fn *fn, uint32_t sym, uint32_t product, uint32_t sum)
{
	for (uint32_t s = product; s < sum; s++)
		FN_WRITES(fn, s, w)
			if (w->sym == sym)
				return false;
	return true;
}

/* Whether the register has one definition, which dominates the product. A statement that the
 * product dominates then reads the same value of it. */
static bool
is_defined_once(const Fn *fn, uint32_t sym, uint32_t product)
{
	uint32_t n = 0;

	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t s = fn_def(fn, d)->stmt;
		if (!s)
			continue;
		n++;
		if (fn_block(fn, s) == fn_block(fn, product) ?
				s >= product :
				!dom_dominates(fn->dom, fn_block(fn, s), fn_block(fn, product)))
			return false;
	}
	return n == 1;
}

/* Whether the factors have the same values at the sum as at the product. */
static bool
factors_are_kept(const Fn *fn, uint32_t product, uint32_t sum)
{
	uint32_t from = fn_block(fn, product), to = fn_block(fn, sum);
	bool beside = from == to && sum > product;

	if (!beside && (from == to || !dom_dominates(fn->dom, from, to)))
		return false;
	FN_READS(fn, product, r)
		if (fn_is_reg(fn, r->sym) &&
			!(beside ? is_kept_in_block(fn, r->sym, product, sum) :
				   is_defined_once(fn, r->sym, product)))
			return false;
	return true;
}

static bool
can_be_fused(const Fn *fn, uint32_t product)
{
	if (!contraction_is_fused(fn, product))
		return false;
	FN_DEFS_OF_STMT(fn, product, d)
		FN_USES(fn, d, u)
			if (!factors_are_kept(fn, product, fn_use(fn, u)->stmt))
				return false;
	return true;
}

/* Selects the product for each sum: ptxas fuses the first operand that can be fused. */
static void
select_products(Writer *w)
{
	const Fn *fn = w->fn;

	FN_STMTS(fn, product) {
		if (!is_multiplication(fn, product) || !can_be_fused(fn, product))
			continue;
		FN_DEFS_OF_STMT(fn, product, d)
			FN_USES(fn, d, u) {
				uint32_t sum = fn_use(fn, u)->stmt;
				uint32_t *of = &w->fused[fn_local_stmt(fn, sum)];
				uint32_t first = ptx_operand(fn->m, fn_stmt(fn, sum), 1);
				if (!*of || fn->m->opnds[first].sym == fn_def(fn, d)->sym)
					*of = product;
			}
	}
}

/* Whether every reader of the product is fused with it. */
static bool
is_absorbed(const Writer *w, uint32_t product)
{
	const Fn *fn = w->fn;
	bool any = false;

	FN_DEFS_OF_STMT(fn, product, d)
		FN_USES(fn, d, u) {
			any = true;
			if (w->fused[fn_local_stmt(fn, fn_use(fn, u)->stmt)] != product)
				return false;
		}
	return any;
}

static void
write_product(const Writer *w, uint32_t product)
{
	const Fn *fn = w->fn;
	const Stmt *s = fn_stmt(fn, product);

	if (is_absorbed(w, product))
		edit_replace(w->edits, s->at, "", 0);
	else if (contraction_is_fused(fn, product) ||
		contraction_of(fn, product) == CONTRACT_UNKNOWN)
		edit_insert(w->edits, s->head + (uint32_t)strlen("mul"), ".rn", 3);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void
put_operand(const Fn *fn, uint32_t stmt, uint32_t k, Buf *to)
{
	Span at = operand_span(fn, stmt, k);

	buf_add(to, fn->m->src->text + at.pos, at.end - at.pos);
}

/* Whether the operand is a literal in hexadecimal digits, 0f or 0d. */
static bool
is_hex_literal(const Fn *fn, uint32_t stmt, uint32_t k)
{
	const char *text = fn->m->src->text + operand_span(fn, stmt, k).pos;

	return text[0] == '0' && strchr("fFdD", text[1]);
}

/* Writes the operand with the other sign: a literal, or a register that *before sets. */
static void
put_negated(const Fn *fn, uint32_t stmt, uint32_t k, Buf *before, Buf *to)
{
	static const char digits[] = "0123456789ABCDEF", others[] = "89ABCDEF01234567";
	const char *type = ptx_type_name(ptx_insn_type(fn->m, fn_stmt(fn, stmt)));

	if (is_hex_literal(fn, stmt, k)) {
		size_t sign = to->n + 2;
		put_operand(fn, stmt, k, to);
		char c = to->at[sign];
		to->at[sign] = others[strchr(digits, c >= 'a' ? c - 'a' + 'A' : c) - digits];
		return;
	}
	buf_printf(before, "{ .reg .%s %%ccc_minus; neg.%s %%ccc_minus, ", type, type);
	put_operand(fn, stmt, k, before);
	buf_puts(before, "; ");
	buf_puts(to, "%ccc_minus");
}

static void
write_sum(const Writer *w, uint32_t sum, uint32_t product)
{
	const Fn *fn = w->fn;
	const Stmt *s = fn_stmt(fn, sum);
	const char *text = fn->m->src->text;
	const Opnd *first = &fn->m->opnds[ptx_operand(fn->m, s, 1)];
	bool minus = ptx_op(fn->m, s) == OP_SUB, second = true;
	uint32_t factor = is_hex_literal(fn, product, 2) ? 2 : 1; /* the one to negate */
	Buf before = { 0 }, to = { 0 };

	FN_DEFS_OF_STMT(fn, product, d)
		second = second && first->sym != fn_def(fn, d)->sym;
	buf_add(&to, text + s->at.pos, s->head - s->at.pos);
	buf_printf(&to, "fma.rn%.*s ", (int)(s->head_end - s->head - 3), text + s->head + 3);
	put_operand(fn, sum, 0, &to);
	for (uint32_t k = 1; k < 3; k++) {
		buf_puts(&to, ", ");
		if (minus && second && k == factor)
			put_negated(fn, product, k, &before, &to);
		else
			put_operand(fn, product, k, &to);
	}
	buf_puts(&to, ", ");
	if (minus && !second)
		put_negated(fn, sum, 2, &before, &to);
	else
		put_operand(fn, sum, second ? 1 : 2, &to);
	buf_puts(&to, before.n ? "; }" : ";");
	buf_add(&before, to.at, to.n);
	edit_replace(w->edits, s->at, before.at, before.n);
	buf_free(&before);
	buf_free(&to);
}

void
explicit_products_write(const Fn *fn, Edits *e)
{
	Arena *scratch = arena_new();
	Writer w = { fn, e, arena_zalloc(scratch, (fn->f->nstmt + 1) * sizeof *w.fused) };

	select_products(&w);
	FN_STMTS(fn, s) {
		uint32_t product = w.fused[fn_local_stmt(fn, s)];
		if (product)
			write_sum(&w, s, product);
		else if (is_multiplication(fn, s))
			write_product(&w, s);
	}
	arena_free(scratch);
}
