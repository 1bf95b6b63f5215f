/* Values from memory that nobody wrote, followed from register to register until one matters.
 *
 * A right program may load more than it uses: a merge looks one element too far, and then does not choose it. So the load is
 * no fault. Its register is marked, for the lanes concerned, and so is what is computed from it; it is a fault when a
 * marked value decides a branch, is an address, or is stored. A choice (selp) takes the mark of what it chooses, and a
 * logical operation on predicates has none where the other side decides. Marks end at calls and at exchanges between lanes.
 * (Seward and Nethercote, "Using Valgrind to detect undefined value errors with bit-precision", USENIX 2005; here a
 * register is marked as a whole.) Nothing is done while no register is marked.
 */
#include "simt/sim.h"

enum { MOST_MARKS = 256, OPERANDS = 5 };

/* A register of a frame: the lanes for which it is marked, and where the value comes from. */
struct Mark {
	const Frame *frame;
	uint32_t sym, lanes;
	const Inst *load;
	const Buffer *buffer;   /* NULL: shared memory */
	uint64_t at;
	uint32_t size;
};

/* What an instruction reads and writes. */
typedef struct {
	Warp *w;
	const Stmt *s;
	const Mark *by;                 /* one of the marks read */
	uint32_t read[OPERANDS];        /* by operand, from 0; the last: by the guard */
	uint32_t written[8], nwritten;
} Follow;

static Mark *
find(const Warp *w, uint32_t sym)
{
	for (uint32_t i = 0; i < w->marks.n; i++)
		if (w->marks.at[i].sym == sym && w->marks.at[i].frame == w->frame)
			return &w->marks.at[i];
	return NULL;
}

/* The register has this mark for some lanes, and for others of `all` none. */
static void
set(Warp *w, uint32_t sym, uint32_t all, Mark mark)
{
	Mark *m = find(w, sym);
	uint32_t lanes = mark.lanes;
	if (m && !lanes) {
		m->lanes &= ~all;
		if (!m->lanes)
			*m = *vec_pop(&w->marks);
		return;
	}
	if (!lanes || (!m && w->marks.n == MOST_MARKS))
		return;
	mark.lanes |= m ? m->lanes & ~all : 0;
	mark.sym = sym;
	mark.frame = w->frame;
	*(m ? m : vec_push(&w->marks)) = mark;
}

void
unwritten_load(Warp *w, const Inst *i, uint32_t lane, uint32_t element, uint32_t size)
{
	const Module *m = w->sim->m;
	uint32_t o = ptx_operand(m, &m->stmts[i->stmt], 0), bit = UINT32_C(1) << lane;
	if (m->opnds[o].kind == OPND_VEC)
		for (o++; element; element--)
			o += m->opnds[o].tree;
	if (m->opnds[o].kind != OPND_SYM)
		return;
	const Mark *was = find(w, m->opnds[o].sym);
	set(w, m->opnds[o].sym, bit, (Mark){ .lanes = bit | (was ? was->lanes : 0), .load = i, .buffer = w->buffer,
		.at = w->offset, .size = size });
}

/* ---- an instruction ---------------------------------------------------------------------------------------------------- */

static void
visit(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Follow *f = user;
	const Module *m = f->w->sim->m;
	const Mark *mark = find(f->w, sym);
	uint32_t k = OPERANDS - 1;
	if (written && f->nwritten < sizeof f->written / sizeof *f->written)
		f->written[f->nwritten++] = sym;
	if (written || !mark)
		return;
	for (uint32_t i = 0; opnd && i < f->s->nopnd && i < OPERANDS - 1; i++) {
		uint32_t o = ptx_operand(m, f->s, i);
		if (opnd >= o && opnd < o + m->opnds[o].tree)
			k = i;
	}
	f->read[k] |= mark->lanes;
	f->by = mark;
}

/* The lanes whose result is marked. */
static uint32_t
result(const Follow *f, const Inst *i)
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
	if (op == OP_SETP && f->s->nopnd == 4 && (ptx_has(w->sim->m, f->s, "and") || ptx_has(w->sim->m, f->s, "or"))) {
		c = *row32(w, i->c) ^ (i->flags & F_NOT ? UINT32_MAX : 0);
		return all & ~((ptx_has(w->sim->m, f->s, "and") ? ~c : c) & ~r[3]);
	}
	return all;
}

static void
fault(Follow *f, uint32_t lanes)
{
	Sim *s = f->w->sim;
	Mark m = *f->by;
	uint32_t line, col;
	lanes &= m.lanes;
	if (!lanes)
		return;
	source_position(s->m->src, f->s->at.pos, &line, &col);
	sim_fault(f->w, m.load, low_bit(lanes), FAULT_UNWRITTEN, "%u bytes at 0x%llx of %s, which line %u uses", m.size,
		(unsigned long long)m.at, m.buffer ? m.buffer->label : "shared memory", line);
	set(f->w, m.sym, UINT32_MAX, (Mark){0});
}

void
unwritten_follow(Warp *w, const Inst *i, uint32_t lanes, uint32_t active)
{
	const Module *m = w->sim->m;
	Follow f = { .w = w, .s = &m->stmts[i->stmt] };
	if (i->kind == I_JOIN || i->kind == I_CALL || i->kind == I_EXIT || i->kind == I_RET)
		return;
	uint32_t flags = ptx_flags(m, f.s);
	ptx_visit(m, f.s, visit, &f);
	bool uses = flags & (OPF_BRANCH | OPF_STORE | OPF_LOAD), ends = flags & (OPF_CALL | OPF_CROSS) || i->kind == I_RESULT;
	if (f.by && uses && !ends) {
		uint32_t read = f.read[0] | f.read[1] | f.read[2] | f.read[3];
		fault(&f, (read & active) | (f.read[OPERANDS - 1] & lanes));
	}
	Mark mark = f.by && !uses && !ends ? *f.by : (Mark){0};
	mark.lanes = f.by && !uses && !ends ? result(&f, i) & (active | (f.read[OPERANDS - 1] & lanes)) : 0;
	for (uint32_t k = 0; k < f.nwritten; k++)
		set(w, f.written[k], active | mark.lanes, mark);
}
