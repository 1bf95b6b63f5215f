/* SPDX-License-Identifier: MIT */
/* Values that a helper recomputes from the row's index (expand_plan.c).
 *
 * A helper fetches some values of a row and computes the others from them (compress.c), for
 * example two pointers from an index. For its next iteration it advances the index by its step, and
 * recomputes the values that depend on it. Advancing each of them instead would take as many
 * instructions, but keep a register live for each; with fewer registers ptxas overlaps more loads
 * (docs/measurements/results.md, shortest paths).
 *
 * This is correct because each recomputed value equals the one that advancing would give:
 *   - `moves` marks values that depend on an induction variable. Only the statements that compute
 *     them are repeated (`along`); their other operands are the same in all iterations.
 *   - Each such value grows by a known amount per iteration, modulo 2^32 or 2^64. Sums, and
 *     products with constants, preserve this. Widening does not; there the growth is known only for
 *     the index that the loop's test compares, with the same signedness, because that index does
 *     not overflow (docs/annotations.md).
 *   - Each of them that the iteration reads is an induction variable whose step equals that growth,
 *     or has growth 0. Otherwise nothing is recomputed, and all induction variables are advanced by
 *     their steps.
 *
 * tests/prove/rows.py checks this for each row of the samples. */
#include "transform/plan/plan.h"
#include "transform/task/task_inputs.h"

typedef struct {
	bool moves, known;
	uint64_t by;            /* growth per iteration */
} Index_stride;

typedef struct {
	const Plan *x;
	const Trip_count *t;
	Index_stride *of;       /* by local symbol */
} Stride_walk;

static const Index_stride NOT_KNOWN = { .moves = true };

static Index_stride
make_stride(uint64_t by, uint32_t bytes)
{
	return (Index_stride){ true, true, bytes == 8 ? by : by & UINT32_MAX };
}

/* Returns the growth of the k-th operand. */
static Index_stride
stride_of_operand(const Stride_walk *w, uint32_t stmt, uint32_t k)
{
	const Module *m = w->x->fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(w->x->fn, stmt), k)];

	if (o->kind == OPND_IMM)
		return (Index_stride){ .known = true };
	if (o->kind != OPND_SYM || o->sel || !fn_is_reg(w->x->fn, o->sym))
		return NOT_KNOWN;
	return w->of[fn_local(w->x->fn, o->sym)];
}

/* Returns the growth of a 32-bit operand after widening to 64 bits. */
static Index_stride
stride_of_widened(const Stride_walk *w, uint32_t stmt, uint32_t k, bool is_signed)
{
	const Module *m = w->x->fn->m;
	const Opnd *o = &m->opnds[ptx_operand(m, fn_stmt(w->x->fn, stmt), k)];
	Index_stride g = stride_of_operand(w, stmt, k);
	const Induction *index = &w->t->steps[w->t->tested.step];

	if (!g.moves)
		return g;
	if (!g.known || o->sym != index->sym || w->t->bytes != 4 || w->t->cmp == TRIPS_NE ||
		w->t->is_signed != is_signed)
		return NOT_KNOWN;
	return make_stride((uint64_t)index->step, 8);
}

/* Returns the growth of the product of operands 1 and 2, one of them a constant. */
static Index_stride
stride_of_product(const Stride_walk *w, uint32_t stmt, uint32_t bytes)
{
	const Module *m = w->x->fn->m;
	const Stmt *s = fn_stmt(w->x->fn, stmt);
	bool wide = ptx_has(m, s, "wide"), shift = ptx_op(m, s) == OP_SHL;
	uint64_t c;
	bool real;

	for (uint32_t i = shift ? 2 : 1; i < 3; i++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, i)];
		if (o->kind != OPND_IMM || !ptx_imm(m, o, &c, &real) || real || (shift && c > 31))
			continue;
		bool is_signed = ptx_insn_type(m, s) == TYPE_S32;
		Index_stride g = wide ? stride_of_widened(w, stmt, 3 - i, is_signed) :
				  stride_of_operand(w, stmt, 3 - i);
		if (wide) /* the constant is a 32-bit value too */
			c = is_signed ? (uint64_t)(int64_t)(int32_t)c : (uint32_t)c;
		return g.known ? make_stride(g.by * (shift ? UINT64_C(1) << c : c), bytes) : g;
	}
	return NOT_KNOWN;
}

static Index_stride
add_strides(Index_stride a, Index_stride b, uint32_t bytes)
{
	return a.known && b.known ? make_stride(a.by + b.by, bytes) : NOT_KNOWN;
}

/* Whether a cvt does more than extend or truncate between 32 and 64 bits. */
static bool
conversion_changes_value(const Module *m, const Stmt *s)
{
	static const char *const others[] = { "rn", "rz", "rm", "rp", "u8", "s8", "u16", "s16" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (ptx_has(m, s, others[i]))
			return true;
	return false;
}

/* Returns the growth of the result of a statement that reads a value that moves. */
static Index_stride
stride_of_stmt(const Stride_walk *w, uint32_t stmt, uint32_t to)
{
	const Module *m = w->x->fn->m;
	const Stmt *s = fn_stmt(w->x->fn, stmt);
	Type type = ptx_insn_type(m, s);
	uint32_t bytes = ptx_type_size((Type)m->syms[to].type), size = ptx_type_size(type);

	if (s->guard || type >= TYPE_F16 || ptx_has(m, s, "sat") || ptx_has(m, s, "hi") ||
		ptx_has(m, s, "cc") || size < 4 || bytes < 4)
		return NOT_KNOWN;
	Index_stride a = stride_of_operand(w, stmt, 1);
	switch (ptx_op(m, s)) {
	case OP_MOV:
	case OP_CVTA: return a;
	case OP_CVT:
		if (conversion_changes_value(m, s))
			return NOT_KNOWN;
		return size < bytes ? stride_of_widened(w, stmt, 1, type == TYPE_S32) :
			a.known     ? make_stride(a.by, bytes) :
				      a;
	case OP_ADD: return add_strides(a, stride_of_operand(w, stmt, 2), bytes);
	case OP_SUB: {
		Index_stride b = stride_of_operand(w, stmt, 2);
		b.by = 0 - b.by;
		return add_strides(a, b, bytes);
	}
	case OP_SHL:
	case OP_MUL: return stride_of_product(w, stmt, bytes);
	case OP_MAD:
		return add_strides(
			stride_of_product(w, stmt, bytes), stride_of_operand(w, stmt, 3), bytes);
	default: return NOT_KNOWN;
	}
}

/* Whether the recomputed value is the one that the iteration expects. */
static bool
stride_is_exact(const Stride_walk *w, uint32_t sym, Bits in)
{
	const Fn *fn = w->x->fn;
	uint32_t i = trip_count_induction(w->t, sym),
		 bytes = ptx_type_size((Type)fn->m->syms[sym].type);
	Index_stride g = w->of[fn_local(fn, sym)];

	if (i == UINT32_MAX)
		return !bits_has(in, fn_local(fn, sym)) || (g.known && g.by == 0);
	return g.known && g.by == make_stride((uint64_t)w->t->steps[i].step, bytes).by;
}

static bool
stmt_reads_strided(const Stride_walk *w, uint32_t stmt)
{
	FN_USES_OF_STMT(w->x->fn, stmt, u)
		if (w->of[fn_local(w->x->fn, fn_use(w->x->fn, u)->sym)].moves)
			return true;
	return false;
}

Bits
task_stepped_values(const Plan *x, const Task_region *k, const Trip_count *t, Bits in)
{
	const Fn *fn = x->fn;
	const Task *task = &k->task;
	Bits along = bits_new(x->arena, task->nderived + 1);
	Stride_walk w = {
		.x = x, .t = t, .of = arena_array(x->scratch, fn->f->nsym + 1, sizeof *w.of)
	};

	for (uint32_t i = 0; i <= fn->f->nsym; i++)
		w.of[i] = (Index_stride){ .known = true };
	for (uint32_t i = 0; i < t->nsteps; i++)
		if (task_input_kind(task, t->steps[i].sym) == INPUT_SAVED)
			w.of[fn_local(fn, t->steps[i].sym)] =
				make_stride((uint64_t)t->steps[i].step,
					ptx_type_size((Type)fn->m->syms[t->steps[i].sym].type));
	for (uint32_t i = 0; i < task->nderived; i++) {
		uint32_t stmt = task->derived[i];
		if (!stmt_reads_strided(&w, stmt))
			continue;
		bits_set(along, i);
		FN_DEFS_OF_STMT(fn, stmt, d) {
			uint32_t sym = fn_def(fn, d)->sym;
			w.of[fn_local(fn, sym)] = stride_of_stmt(&w, stmt, sym);
			if (!stride_is_exact(&w, sym, in)) {
				bits_clear(along);
				return along;
			}
		}
	}
	return along;
}
