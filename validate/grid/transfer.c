/* SPDX-License-Identifier: MIT */
/* The transfer function of the head and the latch of a task loop (grid.h). */
#include <string.h>
#include "validate/grid/positions.h"

/* ---- values ---------------------------------------------------------------------------------- */

bool
grid_is_uniform(const Positions *w, const Poly *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		for (Monomial m = p->at[i].of; m; m >>= 8)
			if (!w->unknown[m & 255].uniform)
				return false;
	return !p->wrong;
}

Grid_value
grid_new_unknown(Positions *w, uint64_t lo, uint64_t hi, bool uniform)
{
	if (w->nunknowns == MOST_UNKNOWNS)
		return (Grid_value){ poly_unknown(0), lo, hi };
	w->unknown[w->nunknowns].lo = lo;
	w->unknown[w->nunknowns].uniform = uniform;
	return (Grid_value){ poly_unknown(w->nunknowns++), lo, hi };
}

Grid_value
grid_fixed_unknown(uint32_t first, uint32_t digit)
{
	uint64_t most = digit ? 65535 : INT32_MAX;
	bool blocks = first == UNKNOWN_BLOCKS;

	return (Grid_value){ poly_unknown(first + digit), blocks, most - !blocks };
}

static Grid_value
constant(uint64_t k)
{
	return (Grid_value){ poly_constant(k > INT64_MAX ? INT64_MAX : (int64_t)k), k, k };
}

/* An unknown that depends on a and b. */
static Grid_value
any_of(Positions *w, const Grid_value *a, const Grid_value *b, uint64_t lo, uint64_t hi)
{
	if (lo == hi)
		return constant(lo);
	return grid_new_unknown(w, lo, hi, grid_is_uniform(w, &a->p) && grid_is_uniform(w, &b->p));
}

static Grid_value
add_values(Positions *w, const Grid_value *a, const Grid_value *b, uint32_t bits)
{
	uint64_t most = grid_most_of(bits);

	if (a->hi > most || b->hi > most - a->hi)
		return any_of(w, a, b, 0, most);
	return (Grid_value){ poly_add(&a->p, &b->p, 1), a->lo + b->lo, a->hi + b->hi };
}

static Grid_value
mul_values(Positions *w, const Grid_value *a, const Grid_value *b, uint32_t bits)
{
	uint64_t most = grid_most_of(bits);

	if (a->hi && b->hi > most / a->hi)
		return any_of(w, a, b, 0, most);
	return (Grid_value){ poly_mul(&a->p, &b->p), a->lo * b->lo, a->hi * b->hi };
}

static Grid_value
sub_values(
	Positions *w, const Grid_state *s, const Grid_value *a, const Grid_value *b, uint32_t bits)
{
	Poly p = poly_add(&a->p, &b->p, -1);

	if ((a->lo < b->hi && !facts_imply(&s->facts, &p)) || a->hi < b->lo)
		return any_of(w, a, b, 0, grid_most_of(bits));
	return (Grid_value){ p, a->lo > b->hi ? a->lo - b->hi : 0, a->hi - b->lo };
}

/* The quotient or the rest of a division; both are of one Grid_division. */
static Grid_value
divide_values(Positions *w, Grid_state *s, const Grid_value *a, const Grid_value *b, bool rest)
{
	uint32_t by = poly_is_unknown(&b->p);

	if (b->lo == 0) /* PTX does not specify the result of a division by 0 */
		return grid_new_unknown(w, 0, grid_most_of(32), false);
	for (uint32_t i = 0; i < s->ndivisions; i++) {
		const Grid_division *d = &s->division[i];
		Poly same = poly_add(&d->a, &a->p, -1);
		if (d->b == by && !same.wrong && same.n == 0)
			return rest ? d->rest : d->quotient;
	}
	Grid_division d = { a->p, by, any_of(w, a, b, a->lo / b->hi, a->hi / b->lo),
		any_of(w, a, b, 0, b->hi - 1) };
	if (by && !a->p.wrong && s->ndivisions < MOST_DIVISIONS) {
		Poly one = poly_constant(1), over = poly_add(&b->p, &d.rest.p, -1);
		over = poly_add(&over, &one, -1);
		s->division[s->ndivisions++] = d;
		facts_divide(&s->facts, &a->p, by, poly_is_unknown(&d.quotient.p), &d.rest.p);
		facts_add(&s->facts, &over);
	}
	return rest ? d.rest : d.quotient;
}

/* ---- statements ------------------------------------------------------------------------------ */

typedef enum { MOV, ADD, SUB, MUL, MAD, DIV, REM, MIN, MAX, SHR, NARROW, GE, LT, SELP } Kind;
static const struct { const char *head; uint8_t kind, bits, nopnd; } known[] = {
	{ "mov.u32", MOV, 32, 2 },
	{ "cvt.u64.u32", NARROW, 64, 2 },
	{ "cvt.u32.u64", NARROW, 32, 2 },
	{ "add.u32", ADD, 32, 3 },
	{ "add.u64", ADD, 64, 3 },
	{ "sub.u32", SUB, 32, 3 },
	{ "mul.lo.u32", MUL, 32, 3 },
	{ "mul.lo.u64", MUL, 64, 3 },
	{ "mul.wide.u32", MUL, 64, 3 },
	{ "mad.lo.u32", MAD, 32, 4 },
	{ "div.u32", DIV, 32, 3 },
	{ "rem.u32", REM, 32, 3 },
	{ "min.u32", MIN, 32, 3 },
	{ "min.u64", MIN, 64, 3 },
	{ "max.u32", MAX, 32, 3 },
	{ "max.u64", MAX, 64, 3 },
	{ "shr.u32", SHR, 32, 3 },
	{ "shr.u64", SHR, 64, 3 },
	{ "setp.ge.u32", GE, 32, 3 },
	{ "setp.ge.u64", GE, 64, 3 },
	{ "setp.lt.u32", LT, 32, 3 },
	{ "setp.lt.u64", LT, 64, 3 },
	{ "selp.u32", SELP, 32, 4 },
};

uint32_t
grid_reg_of(const Positions *w, uint32_t sym)
{
	uint32_t i = 0;

	while (i < w->nregs && w->sym[i] != sym)
		i++;
	return i;
}

static bool
special_value(Positions *w, const Opnd *o, Grid_value *v)
{
	uint32_t sreg = w->t->out->syms[o->sym].aux, digit = o->sel - (uint32_t)'x';

	if (sreg == SREG_NSMID && !o->sel)
		*v = grid_new_unknown(w, 1, grid_most_of(32), true);
	else if (digit > 2)
		return false;
	else if (sreg == SREG_NTID)
		*v = grid_new_unknown(w, 1, 1024, true);
	else if (sreg == SREG_CTAID || sreg == SREG_NCTAID)
		*v = grid_fixed_unknown(sreg == SREG_CTAID ? UNKNOWN_BLOCK : UNKNOWN_BLOCKS, digit);
	else
		return false;
	return true;
}

static bool
operand_value(Positions *w, const Grid_state *s, const Opnd *o, Grid_value *v)
{
	uint64_t imm;
	bool real;

	if (o->kind == OPND_IMM && ptx_imm(w->t->out, o, &imm, &real) && !real &&
		imm <= grid_most_of(32)) {
		*v = constant(imm);
		return true;
	}
	if (o->kind != OPND_SYM)
		return false;
	if (w->t->out->syms[o->sym].kind == SYM_SPECIAL)
		return special_value(w, o, v);
	uint32_t reg = o->sel ? w->nregs : grid_reg_of(w, o->sym);
	if (reg < w->nregs)
		*v = s->reg[reg];
	return reg < w->nregs;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
greatest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The result of an operation that does not compare. v: its operands. Returns false if it is of
 * unknown form. */
static bool
computed_value(Positions *w, Grid_state *s, uint32_t op, const Grid_value *v, Grid_value *to)
{
	uint32_t bits = known[op].bits;
	int64_t k = 0;

	switch ((Kind)known[op].kind) {
	case MOV: *to = v[0]; break;
	case ADD: *to = add_values(w, &v[0], &v[1], bits); break;
	case SUB: *to = sub_values(w, s, &v[0], &v[1], bits); break;
	case MUL: *to = mul_values(w, &v[0], &v[1], bits); break;
	case MAD:
		*to = mul_values(w, &v[0], &v[1], bits);
		*to = add_values(w, to, &v[2], bits);
		break;
	case DIV:
	case REM: *to = divide_values(w, s, &v[0], &v[1], known[op].kind == REM); break;
	case MIN:
		*to = any_of(w, &v[0], &v[1], least(v[0].lo, v[1].lo), least(v[0].hi, v[1].hi));
		break;
	case MAX:
		*to = any_of(
			w, &v[0], &v[1], greatest(v[0].lo, v[1].lo), greatest(v[0].hi, v[1].hi));
		break;
	case SHR:
		if (!poly_is_constant(&v[1].p, &k) || k >= bits)
			return false;
		*to = any_of(w, &v[0], &v[1], v[0].lo >> k, v[0].hi >> k);
		break;
	case NARROW:
		*to = v[0].hi <= grid_most_of(32) ? v[0] :
						       any_of(w, &v[0], &v[0], 0, grid_most_of(32));
		break;
	case SELP:
		if (!poly_is_constant(&v[2].p, &k))
			return false;
		*to = v[k ? 0 : 1];
		break;
	default:
		return false;
	}
	if (to->p.wrong)
		*to = grid_new_unknown(w, to->lo, to->hi, false);
	return true;
}

/* Executes a comparison both ways. */
static bool
compare(Positions *w, Grid_state *s, uint32_t stmt, const Grid_value *v, uint32_t reg, bool less)
{
	Grid_state other = *s;
	Poly one = poly_constant(1), yes = poly_add(&v[0].p, &v[1].p, -1),
	     no = poly_add(&v[1].p, &v[0].p, -1);

	if (w->nforks++ == MOST_FORKS)
		return positions_fault(w, stmt, true, "too many comparisons");
	no = poly_add(&no, &one, -1);
	facts_add(&s->facts, &yes);
	facts_add(&other.facts, &no);
	s->reg[reg] = constant(!less);
	other.reg[reg] = constant(less);
	return positions_run(w, s, stmt + 1) && positions_run(w, &other, stmt + 1);
}

static uint32_t
find_known(const Module *m, const Stmt *s)
{
	uint32_t op = 0, n = sizeof known / sizeof *known;
	size_t len = s->head_end - s->head;

	while (op < n && (strlen(known[op].head) != len || known[op].nopnd != s->nopnd ||
				 memcmp(known[op].head, m->src->text + s->head, len) != 0))
		op++;
	return op;
}

bool
positions_execute(Positions *w, Grid_state *s, uint32_t stmt, bool *forked)
{
	const Module *m = w->t->out;
	const Stmt *k = &m->stmts[stmt];
	uint32_t op = find_known(m, k), reg, n = 0;
	Grid_value v[3], to;

	if (k->guard || op == sizeof known / sizeof *known)
		return positions_fault(
			w, stmt, true, "a statement of unknown form steps the position");
	const Opnd *d = &m->opnds[k->opnd];
	reg = d->kind == OPND_SYM && !d->sel ? grid_reg_of(w, d->sym) : w->nregs;
	bool ok = reg < w->nregs;
	PTX_OPNDS (m, k, i, o)
		if (i > 0)
			ok = ok && operand_value(w, s, &m->opnds[o], &v[n++]);
	*forked = ok && (known[op].kind == GE || known[op].kind == LT);
	if (*forked)
		return compare(w, s, stmt, v, reg, known[op].kind == LT);
	if (!ok || !computed_value(w, s, op, v, &to))
		return positions_fault(
			w, stmt, true, "an operand of unknown form steps the position");
	s->reg[reg] = to;
	return true;
}
