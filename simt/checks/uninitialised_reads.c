/* SPDX-License-Identifier: MIT */
/* Tracks uninitialised values from register to register until one matters.
 *
 * A correct program may load more than it uses: a merge reads one element too far and does not
 * select it; a structure is copied with its padding; a bit field is set in an uninitialised word.
 * So the load is no fault. It marks its destination register, for the lanes concerned, with the
 * uninitialised bytes. Registers computed from a marked one are marked in turn:
 *
 *	COPY    the value as loaded: moved or selected. A store of it is a copy as well: the bytes
 *	        remain uninitialised at the destination.
 *	WHOLE   a COPY of a load none of whose bytes was initialised. That is not padding, which is
 *	        smaller than the alignment of the adjacent members and therefore is copied
 *	        together with one of them.
 *	BITS    bits extracted from, inserted into or shifted in a register without initialised
 *	        bytes. The program may have set all relevant bits, so storing it is no fault.
 *	VALUE   the result of arithmetic.
 *
 * It is a fault if a marked value decides a branch or is an address, and if a WHOLE or a VALUE is
 * stored. Bits of a partly initialised register get no mark, because they may come from the
 * initialised part. A selp takes the mark of the operand that it selects. A logical operation on
 * predicates gives no mark if the other operand decides the result. Marks end at calls and at
 * exchanges between lanes. (Seward and Nethercote, "Using Valgrind to detect undefined value errors
 * with bit-precision", USENIX 2005; here by bytes, and only as far as registers are copied.) While
 * no register is marked, the check costs nothing.
 */
#include <string.h>
#include "simt/state/buffers.h"
#include "simt/checks/checks.h"

enum { MOST_MARKS = 256, OPERANDS = 5, READS = 12 };

typedef enum { COPY, WHOLE, BITS, VALUE } Mark_kind;

/* The mark of a register of a frame: the lanes for which it is marked, and the origin of the
 * value. */
struct Unwritten_mark {
	const Frame *frame;
	uint32_t sym, lanes;
	uint8_t made[LANES];
	uint16_t missing[LANES]; /* uninitialised bytes, one bit each */
	const Inst *load;
	const Buffer *buffer;   /* NULL: shared memory */
	uint64_t at[LANES];
	uint32_t size;
};

/* The marked operands and the destinations of an instruction. */
typedef struct {
	Warp *w;
	const Stmt *s;
	/* marked registers that it reads, and the operand's number; the last number is the guard */
	struct { const Unwritten_mark *mark; uint32_t operand; } reads[READS];
	uint32_t nreads;
	bool packs;                     /* an operand is a vector */
	uint32_t read[OPERANDS];        /* by operand: lanes for which it is marked */
	uint32_t written[8], nwritten;
} Mark_propagation;

static Unwritten_mark *
find_mark(const Warp *w, uint32_t sym)
{
	for (uint32_t i = 0; i < w->marks.n; i++)
		if (w->marks.at[i].sym == sym && w->marks.at[i].frame == w->frame)
			return &w->marks.at[i];
	return NULL;
}

/* Gives a register this mark in mark.lanes, and none in the other lanes of `all`. */
static void
set_mark(Warp *w, uint32_t sym, uint32_t all, Unwritten_mark mark)
{
	Unwritten_mark *m = find_mark(w, sym);
	uint32_t lanes = mark.lanes;
	if (m && !lanes) {
		m->lanes &= ~all;
		if (!m->lanes)
			*m = *vec_pop(&w->marks);
		return;
	}
	if (!lanes || (!m && w->marks.n == MOST_MARKS))
		return;
	for EACH_LANE(l, m ? m->lanes & ~all : 0)
	mark.lanes |= UINT32_C(1) << l, mark.made[l] = m->made[l], mark.missing[l] = m->missing[l],
					mark.at[l] = m->at[l];
	mark.sym = sym;
	mark.frame = w->frame;
	*(m ? m : vec_push(&w->marks)) = mark;
}

/* The register of an element of a load's or store's operand; 0 if it is not a register. */
static uint32_t
vector_element(const Warp *w, const Inst *i, uint32_t operand, uint32_t element)
{
	const Module *m = w->sim->m;
	uint32_t o = ptx_operand(m, &m->stmts[i->stmt], operand);
	if (m->opnds[o].kind == OPND_VEC)
		for (o++; element; element--)
			o += m->opnds[o].tree;
	return m->opnds[o].kind == OPND_SYM ? m->opnds[o].sym : 0;
}

void
unwritten_load(Warp *w, const Access *x, const Access_target *p)
{
	const Inst *i = x->i;
	const uint32_t lane = p->lane;
	uint32_t n = i->nlist, size = x->size / n, bit = UINT32_C(1) << lane, missing = 0;
	for (uint32_t k = 0; k < size * n; k++)
		missing |= (uint32_t)!written_all(p->written, p->bit + k, 1) << k;
	for (uint32_t k = 0; k < n; k++) {
		Unwritten_mark mark = {
			.lanes = bit, .load = i, .buffer = p->buffer, .size = size
		};
		uint32_t sym = vector_element(w, i, 0, k);
		mark.at[lane] = p->offset + k * size;
		mark.missing[lane] = (uint16_t)(missing >> k * size & ((1u << size) - 1));
		mark.made[lane] = missing == UINT32_MAX >> (32 - size * n) ? WHOLE : COPY;
		if (sym && mark.missing[lane])
			set_mark(w, sym, bit, mark);
	}
}

void
unwritten_store(Warp *w, const Access *x, const Access_target *p)
{
	const Inst *i = x->i;
	const uint32_t lane = p->lane, size = x->size / i->nlist;
	for (uint32_t e = 0; e < i->nlist; e++) {
		const Unwritten_mark *m = find_mark(w, vector_element(w, i, 1, e));
		for (uint32_t k = 0; m && m->lanes >> lane & 1 && m->made[lane] == COPY && k < size;
			k++)
			if (m->missing[lane] >> k & 1)
				written_clear(p->written, p->bit + e * size + k);
	}
}

/* ---- an instruction -------------------------------------------------------------------------- */

/* Records a symbol that the instruction refers to. */
static void
add_symbol(Mark_propagation *f, const Ptx_refs *r)
{
	const Module *m = f->w->sim->m;
	const Unwritten_mark *mark = find_mark(f->w, r->sym);
	uint32_t k = OPERANDS - 1;
	if (r->written && f->nwritten < sizeof f->written / sizeof *f->written)
		f->written[f->nwritten++] = r->sym;
	if (r->written || !mark)
		return;
	for (uint32_t i = 0; r->opnd && i < f->s->nopnd && i < OPERANDS - 1; i++) {
		uint32_t o = ptx_operand(m, f->s, i);
		if (r->opnd >= o && r->opnd < o + m->opnds[o].tree)
			k = i;
	}
	f->read[k] |= mark->lanes;
	if (f->nreads < READS)
		f->reads[f->nreads].mark = mark, f->reads[f->nreads++].operand = k;
}

/* The lanes whose result is marked. */
static uint32_t
result_lanes(const Mark_propagation *f, const Inst *i)
{
	const Warp *w = f->w;
	const uint32_t *r = f->read;
	uint32_t all = r[0] | r[1] | r[2] | r[3] | r[OPERANDS - 1], a, b, c;
	Op op = ptx_op(w->sim->m, f->s);
	if (op == OP_SELP) {
		c = *row32(w, i->c);
		return r[OPERANDS - 1] | r[3] | (r[1] & c) | (r[2] & ~c);
	}
	if ((op == OP_AND || op == OP_OR) && i->type == T_PRED) {
		a = op == OP_AND ? ~*row32(w, i->a) : *row32(w, i->a);
		b = op == OP_AND ? ~*row32(w, i->b) : *row32(w, i->b);
		return all & ~((a & ~r[1]) | (b & ~r[2]));
	}
	if (op == OP_SETP && f->s->nopnd == 4 &&
		(ptx_has(w->sim->m, f->s, "and") || ptx_has(w->sim->m, f->s, "or"))) {
		c = *row32(w, i->c) ^ (i->flags & F_NOT ? UINT32_MAX : 0);
		return all & ~((ptx_has(w->sim->m, f->s, "and") ? ~c : c) & ~r[3]);
	}
	return all;
}

static bool
mark_is_whole(const Unwritten_mark *m, uint32_t lane)
{
	return m->missing[lane] == (1u << m->size) - 1;
}

/* The kind of mark that an instruction creates from a marked operand. */
static Mark_kind
mark_kind_of(const Mark_propagation *f)
{
	switch (ptx_op(f->w->sim->m, f->s)) {
	case OP_SELP: return COPY;
	case OP_MOV: return f->packs ? BITS : COPY;
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_NOT:
	case OP_LOP3:
	case OP_SHL:
	case OP_SHR:
	case OP_SHF:
	case OP_BFE:
	case OP_BFI: case OP_PRMT: case OP_CVT:
		return BITS;
	default: return VALUE;
	}
}

/* The mark of the result in those of `lanes` that get one: for each lane, the strongest of the
 * operands' marks. */
static Unwritten_mark
result_mark(const Mark_propagation *f, uint32_t lanes)
{
	Unwritten_mark to = {0};
	Mark_kind by = mark_kind_of(f);
	for (uint32_t k = 0; k < f->nreads; k++) {
		const Unwritten_mark *m = f->reads[k].mark;
		for EACH_LANE(l, m->lanes & lanes) {
			uint32_t bit = UINT32_C(1) << l;
			Mark_kind made = m->made[l] > by ? (Mark_kind)m->made[l] : by;
			if ((by == BITS && !mark_is_whole(m, l)) ||
				(to.lanes & bit && to.made[l] >= made))
				continue;
			to.load = m->load, to.buffer = m->buffer, to.size = m->size;
			to.lanes |= bit, to.made[l] = (uint8_t)made, to.missing[l] = m->missing[l],
					 to.at[l] = m->at[l];
		}
	}
	return to;
}

/* Reports a marked value that the instruction branches on, stores or uses as an address. */
static void
report_unwritten(Mark_propagation *f, uint32_t lanes, uint32_t active)
{
	Sim *s = f->w->sim;
	uint32_t line, col;
	bool stores = !(ptx_flags(s->m, f->s) & (OPF_BRANCH | OPF_LOAD));
	for (uint32_t k = 0; k < f->nreads; k++) {
		Unwritten_mark m = *f->reads[k].mark;
		bool stored = stores && f->reads[k].operand == 1;
		for EACH_LANE(l, m.lanes & (f->reads[k].operand == OPERANDS - 1 ? lanes : active)) {
			if (stored && (m.made[l] == COPY || m.made[l] == BITS))
				continue;
			source_position(s->m->src, f->s->at.pos, &line, &col);
			sim_fault(f->w, m.load, l, FAULT_UNWRITTEN,
				"%u bytes at 0x%llx of %s, which line %u uses", m.size,
				(unsigned long long)m.at[l],
				m.buffer ? m.buffer->label : "shared memory", line);
			set_mark(f->w, m.sym, UINT32_MAX, (Unwritten_mark){0});
			return;
		}
	}
}

void
unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active)
{
	const Module *m = w->sim->m;
	const Stmt *at = &m->stmts[i->stmt];
	Mark_propagation f = { .w = w, .s = at, .packs = false };
	for (uint32_t k = 0; k < at->nopnd; k++)
		f.packs = f.packs || m->opnds[ptx_operand(m, at, k)].kind == OPND_VEC;
	if (i->kind == I_JOIN || i->kind == I_CALL || i->kind == I_EXIT || i->kind == I_RET)
		return;
	uint32_t flags = ptx_flags(m, f.s);
	PTX_REFS(m, f.s, r)
		add_symbol(&f, &r);
	bool uses = flags & (OPF_BRANCH | OPF_STORE | OPF_LOAD),
	     ends = flags & (OPF_CALL | OPF_CROSS) || i->kind == I_RESULT;
	Unwritten_mark mark = {0};
	if (f.nreads && uses && !ends)
		report_unwritten(&f, lanes, active);
	else if (f.nreads && !ends)
		mark = result_mark(
			&f, result_lanes(&f, i) & (active | (f.read[OPERANDS - 1] & lanes)));
	for (uint32_t k = 0; k < f.nwritten; k++)
		set_mark(w, f.written[k], active | mark.lanes, mark);
}
