/* SPDX-License-Identifier: MIT */
/* Trip counts and induction variables; see trip_count.h.
 *
 * PTX has no phis: a register that the loop carries has definitions outside and one inside. Suppose
 * that the one inside is executed exactly once per iteration: it is in no inner loop, and dominates
 * every back edge. Then a use that only it reaches comes after it in the iteration, and a use that
 * both it and the outer definitions reach comes before it, and so reads the value at the beginning
 * of the iteration. (Otherwise the definition would be executed twice.) From there values are
 * followed through moves, additions of constants, and the lower half of an index widened. */
#include "analysis/dataflow/constants.h"
#include "analysis/loops/trip_count.h"

/* Limits: statements from a value back to the beginning of the iteration; iterations that are
 * counted. */
enum { DEEP = 16, MOST_TRIPS = 1 << 12 };

static bool
def_is_in_loop(const Trip_count *t, uint32_t def)
{
	uint32_t s = fn_def(t->fn, def)->stmt;

	return s && loop_contains(t->fn->loops, t->loop, fn_block(t->fn, s));
}

static bool
refuse_count(Trip_count *t, uint32_t at, const char *wrong, const char *advice)
{
	t->wrong = wrong;
	t->advice = advice;
	t->at = at;
	return false;
}

/* ---- control flow of the loop ---------------------------------------------------------------- */

static bool
block_has_back_edge(const Trip_count *t, uint32_t b) /* clang's may pass an empty block */
{
	const uint32_t header = t->fn->loops->loops[t->loop].header;
	FN_SUCC(t->fn, b, to)
		if (cfg_skip_empty(t->fn->cfg, to, header) == header)
			return !cfg_block_empty(t->fn->cfg, b);
	return false;
}

/* Finds the single exit edge of the loop. */
static bool
find_exit(Trip_count *t)
{
	const Fn *fn = t->fn;
	Bits blocks = fn->loops->loops[t->loop].blocks;

	BITS_EACH(b, blocks)
		FN_SUCC(fn, b, to) {
			if (to && bits_has(blocks, to))
				continue;
			if (to == 0 || t->last)
				return refuse_count(t, fn->cfg->blocks[b].end - 1,
					"it is left in several ways",
					"a 'break' or 'return' in it must go: its iterations run at the same time");
			t->last = b;
			t->exit_block = to;
		}
	return t->last ? true :
			 refuse_count(t, fn->cfg->blocks[fn->loops->loops[t->loop].header].stmt,
				 "it never ends", NULL);
}

bool
trip_count_test_is_at_top(const Trip_count *t, uint32_t block)
{
	uint32_t b = t->fn->loops->loops[t->loop].header;

	while (b != block && b != t->last && t->fn->cfg->blocks[b].nsucc == 1)
		b = cfg_succ(t->fn->cfg, b)[0];
	return b == block;
}

/* Checks that the exit branch is at the end, with the only back edge, or at the top. */
static bool
find_test_position(Trip_count *t)
{
	const Fn *fn = t->fn;

	if (!block_has_back_edge(t, t->last) && !trip_count_test_is_at_top(t, t->last))
		return refuse_count(t, fn->cfg->blocks[t->last].end - 1, "its test is in the middle of its body",
			"let it be a 'for' with an index and a bound");
	t->top = !block_has_back_edge(t, t->last);
	BITS_EACH(b, fn->loops->loops[t->loop].blocks)
		if (!t->top && b != t->last && block_has_back_edge(t, b))
			return refuse_count(t, fn->cfg->blocks[b].end - 1, "a way back in it has no test",
				NULL);
	return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool
trip_count_def_is_in_every_iteration(const Trip_count *t, uint32_t def)
{
	const Fn *fn = t->fn;
	uint32_t b = fn_block(fn, fn_def(fn, def)->stmt);

	return fn_def(fn, def)->kills && fn->loops->loop_of[b] == t->loop &&
		fn_in_every_iteration(fn, t->loop, b);
}

/* Returns the register's only definition in the loop, if it is executed once in every iteration;
 * else 0. */
static uint32_t
carried_def(const Trip_count *t, uint32_t sym)
{
	uint32_t found = 0, n = 0;

	FN_DEFS_OF_SYM(t->fn, sym, d)
		if (def_is_in_loop(t, d)) {
			found = d;
			n++;
		}
	return n == 1 && trip_count_def_is_in_every_iteration(t, found) ? found : 0;
}

/* a register's value at the beginning of the iteration, plus a constant */
typedef struct { uint32_t sym; int64_t plus; bool low; /* only its lower half */ } Offset_register;

/* Whether the type is an integer type of this size. */
static bool
whole_number(Type type, uint32_t bytes)
{
	return type >= TYPE_B32 && type <= TYPE_S64 && ptx_type_size(type) == bytes &&
		type != TYPE_B128;
}

/* Returns the register operand of an instruction whose other operand is a constant, and the
 * constant; 0 if there is none. */
static uint32_t
register_beside_constant(const Module *m, const Stmt *s, bool either, int64_t *constant)
{
	for (uint32_t k = 2; k > (either ? 0 : 1); k--) {
		const Opnd *c = &m->opnds[ptx_operand(m, s, k)],
			   *r = &m->opnds[ptx_operand(m, s, 3 - k)];
		uint64_t value;
		bool real;
		if (c->kind != OPND_IMM || r->kind != OPND_SYM || r->sel ||
			!ptx_imm(m, c, &value, &real) || real)
			continue;
		*constant =
			ptx_type_size(ptx_insn_type(m, s)) == 4 ? (int32_t)value : (int64_t)value;
		return ptx_operand(m, s, 3 - k);
	}
	return 0;
}

/* Goes one step back from a definition. Returns the operand that it is computed from; 0 if it is
 * not a sum. */
static uint32_t
trace_one_step(const Trip_count *t, const Stmt *s, Offset_register *sum)
{
	const Module *m = t->fn->m;
	Op op = ptx_op(m, s);
	Type type = ptx_insn_type(m, s);
	uint32_t from = ptx_operand(m, s, 1);
	int64_t c = 0;

	if (s->guard || ptx_has(m, s, "sat") || (!whole_number(type, 4) && !whole_number(type, 8)))
		return 0;
	if (op == OP_ADD || op == OP_SUB) {
		from = s->nopnd == 3 ? register_beside_constant(m, s, op == OP_ADD, &c) : 0;
		sum->plus += op == OP_ADD ? c : -c;
		return from;
	}
	if (s->nopnd != 2 || m->opnds[from].kind != OPND_SYM || m->opnds[from].sel)
		return 0;
	if (op == OP_CVT) { /* the lower half of a widened index */
		bool narrows =
			ptx_type_size(type) == 8 && (ptx_has(m, s, "u32") || ptx_has(m, s, "s32"));
		bool widens =
			ptx_type_size(type) == 4 && (ptx_has(m, s, "u64") || ptx_has(m, s, "s64"));
		if (narrows == sum->low || widens != sum->low || narrows == widens)
			return 0;
		sum->low = narrows;
		return from;
	}
	return op == OP_MOV ? from : 0;
}

/* Whether this use reads the value at the beginning of the iteration. */
static bool
use_is_from_iteration_start(const Trip_count *t, uint32_t use)
{
	uint32_t inside = 0, only = 0;

	FN_REACH(t->fn, use, d)
		if (def_is_in_loop(t, d)) {
			inside++;
			only = d;
		}
	return inside == 0 ||
		(fn_use(t->fn, use)->ndef > inside &&
			carried_def(t, fn_use(t->fn, use)->sym) == only);
}

/* Follows what a statement reads back to the beginning of the iteration. */
static bool
trace_to_iteration_start(const Trip_count *t, uint32_t stmt, uint32_t sym, Offset_register *sum)
{
	for (uint32_t n = 0; n < DEEP; n++) {
		uint32_t u = fn_is_reg(t->fn, sym) ? defuse_find_use(t->fn, stmt, sym) : 0;
		if (!u)
			return false;
		if (use_is_from_iteration_start(t, u)) {
			sum->sym = sym;
			return !sum->low;
		}
		const Use *use = fn_use(t->fn, u);
		uint32_t d = t->fn->defuse->reach[use->def];
		if (use->ndef != 1 || !fn_def(t->fn, d)->kills)
			return false;
		stmt = fn_def(t->fn, d)->stmt;
		uint32_t from = fn_stmt(t->fn, stmt)->kind == STMT_INSN ?
			trace_one_step(t, fn_stmt(t->fn, stmt), sum) :
			0;
		if (!from)
			return false;
		sym = t->fn->m->opnds[from].sym;
	}
	return false;
}

static bool
trace_def_to_iteration_start(const Trip_count *t, uint32_t def, Offset_register *sum)
{
	uint32_t stmt = fn_def(t->fn, def)->stmt;
	uint32_t from =
		fn_def(t->fn, def)->kills ? trace_one_step(t, fn_stmt(t->fn, stmt), sum) : 0;

	return from && trace_to_iteration_start(t, stmt, t->fn->m->opnds[from].sym, sum);
}

/* ---- induction variables --------------------------------------------------------------------- */

uint32_t
trip_count_induction(const Trip_count *t, uint32_t sym)
{
	for (uint32_t i = 0; i < t->nsteps; i++)
		if (t->steps[i].sym == sym)
			return i;
	return UINT32_MAX;
}

bool
trip_count_value(const Trip_count *t, uint32_t def, Trip_value *out)
{
	Offset_register sum = { 0 };

	if (!def_is_in_loop(t, def) || !trace_def_to_iteration_start(t, def, &sum))
		return false;
	*out = (Trip_value){ trip_count_induction(t, sum.sym), sum.plus };
	return out->step != UINT32_MAX &&
		ptx_type_size((Type)t->fn->m->syms[sum.sym].type) ==
			ptx_type_size((Type)t->fn->m->syms[fn_def(t->fn, def)->sym].type);
}

static bool
fits_in_32_bits(int64_t v)
{
	return v > INT32_MIN && v <= INT32_MAX;
}

static void
find_inductions(Trip_count *t, Arena *a)
{
	const Fn *fn = t->fn;
	Bits in = fn->live->in[fn->loops->loops[t->loop].header];

	t->steps = arena_array(a, bits_count(in) + 1, sizeof *t->steps);
	BITS_EACH(i, in) {
		uint32_t sym = fn_sym(fn, i), d = fn_is_reg(fn, sym) ? carried_def(t, sym) : 0;
		Offset_register sum = { 0 };
		if (d && trace_def_to_iteration_start(t, d, &sum) && sum.sym == sym && sum.plus &&
			fits_in_32_bits(sum.plus))
			t->steps[t->nsteps++] = (Induction){ sym, sum.plus, fn_def(fn, d)->stmt };
	}
}

/* ---- the test -------------------------------------------------------------------------------- */

static const struct { const char *word; Trip_compare cmp, contrary; bool is_unsigned;
} compares[] = {
	{ "lt", TRIPS_LT, TRIPS_GE, false },
	{ "le", TRIPS_LE, TRIPS_GT, false },
	{ "gt", TRIPS_GT, TRIPS_LE, false },
	{ "ge", TRIPS_GE, TRIPS_LT, false },
	{ "lo", TRIPS_LT, TRIPS_GE, true },
	{ "ls", TRIPS_LE, TRIPS_GT, true },
	{ "hi", TRIPS_GT, TRIPS_LE, true },
	{ "hs", TRIPS_GE, TRIPS_LT, true },
};

/* Sets the comparison under which the loop continues; holds: it continues while the predicate is
 * true, else while it is false. */
static bool
read_compare(Trip_count *t, const Stmt *s, bool holds)
{
	const Module *m = t->fn->m;
	Type type = ptx_insn_type(m, s);

	t->bytes = ptx_type_size(type);
	t->is_signed = type == TYPE_S32 || type == TYPE_S64;
	if (ptx_has(m, s, "ne") || ptx_has(m, s, "eq")) {
		t->cmp = TRIPS_NE;
		return ptx_has(m, s, "ne") == holds;
	}
	for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
		if (ptx_has(m, s, compares[i].word)) {
			t->cmp = holds ? compares[i].cmp : compares[i].contrary;
			t->is_signed &= !compares[i].is_unsigned;
			return true;
		}
	return false;
}

static void
swap_comparison(Trip_count *t)
{
	static const Trip_compare turned[] = {
		[TRIPS_LT] = TRIPS_GT,
		[TRIPS_LE] = TRIPS_GE,
		[TRIPS_GT] = TRIPS_LT,
		[TRIPS_GE] = TRIPS_LE,
		[TRIPS_NE] = TRIPS_NE,
	};

	t->cmp = turned[t->cmp];
}

/* Whether the operand is loop-invariant. */
static bool
operand_is_invariant(const Trip_count *t, uint32_t stmt, uint32_t opnd)
{
	const Opnd *o = &t->fn->m->opnds[opnd];
	uint64_t value;
	bool real;

	if (o->kind == OPND_IMM)
		return ptx_imm(t->fn->m, o, &value, &real) && !real;
	if (o->kind != OPND_SYM || o->sel || !fn_is_reg(t->fn, o->sym))
		return false;
	FN_REACH(t->fn, defuse_find_use(t->fn, stmt, o->sym), d)
		if (def_is_in_loop(t, d))
			return false;
	return true;
}

static bool
read_tested(Trip_count *t, uint32_t stmt, uint32_t opnd)
{
	const Opnd *o = &t->fn->m->opnds[opnd];
	Offset_register sum = { 0 };

	if (o->kind != OPND_SYM || o->sel || !trace_to_iteration_start(t, stmt, o->sym, &sum))
		return false;
	t->tested = (Trip_value){ trip_count_induction(t, sum.sym), sum.plus };
	return t->tested.step != UINT32_MAX &&
		ptx_type_size((Type)t->fn->m->syms[sum.sym].type) == t->bytes;
}

/* Whether the step leads to the bound. For != the step must divide the distance; a power of two
 * does, if the loop ends. */
static bool
step_reaches_bound(const Trip_count *t)
{
	int64_t step = t->steps[t->tested.step].step, size = step < 0 ? -step : step;

	if (t->cmp == TRIPS_NE)
		return (size & (size - 1)) == 0;
	return (t->cmp == TRIPS_LT || t->cmp == TRIPS_LE) == (step > 0);
}

static bool
read_setp(Trip_count *t, uint32_t stmt, bool holds)
{
	const Module *m = t->fn->m;
	const Stmt *s = fn_stmt(t->fn, stmt);
	static const char
		*const no_index = "no induction variable with a constant step is tested at its end",
		       *const loop_shape = "let it be 'for (i = first; i < bound; i += constant)'";

	if (s->kind != STMT_INSN || ptx_op(m, s) != OP_SETP || s->guard || s->nopnd != 3 ||
		m->opnds[ptx_operand(m, s, 0)].kind != OPND_SYM ||
		(!whole_number(ptx_insn_type(m, s), 4) && !whole_number(ptx_insn_type(m, s), 8)) ||
		!read_compare(t, s, holds))
		return refuse_count(t, stmt, no_index, loop_shape);
	uint32_t a = ptx_operand(m, s, 1), b = ptx_operand(m, s, 2);
	bool second = !read_tested(t, stmt, a);
	if (second && !read_tested(t, stmt, b))
		return refuse_count(t, stmt, no_index, loop_shape);
	t->bound = second ? a : b;
	if (second)
		swap_comparison(t);
	if (!operand_is_invariant(t, stmt, t->bound)) {
		bool again = step_reaches_bound(t) && trip_count_find_reloads(t, stmt);
		return refuse_count(t, again ? t->reloads[0] : stmt,
			again ? "its bound is read again in each iteration" :
				"its bound may change while it runs",
			"copy the bound to a local variable before the loop");
	}
	t->may_miss = !step_reaches_bound(t);
	return t->may_miss ? refuse_count(t, stmt, "its step does not lead to its bound", loop_shape) :
			     true;
}

static bool
find_test(Trip_count *t)
{
	const Fn *fn = t->fn;
	uint32_t branch = cfg_terminator(fn->cfg, t->last), u;
	const Stmt *s = branch ? fn_stmt(fn, branch) : NULL;

	if (!s || ptx_op(fn->m, s) != OP_BRA || !s->guard ||
		!(u = defuse_find_use(fn, branch, s->sym)) || fn_use(fn, u)->ndef != 1 ||
		!def_is_in_loop(t, fn->defuse->reach[fn_use(fn, u)->def]))
		return refuse_count(t, fn->cfg->blocks[t->last].end - 1,
			"what it is left by is no comparison of an index with a bound",
			"let it be 'for (i = first; i < bound; i += constant)'");
	uint32_t target = cfg_label_block(fn->cfg, fn->m->opnds[ptx_operand(fn->m, s, 0)].sym);
	bool taken_stays = loop_contains(fn->loops, t->loop, target);
	return read_setp(t, fn_def(fn, fn->defuse->reach[fn_use(fn, u)->def])->stmt,
		taken_stays == (s->guard == 1));
}

Trip_count *
trip_count_analyse(const Fn *fn, uint32_t loop, Arena *a)
{
	Trip_count *t = arena_zalloc(a, sizeof *t);

	t->fn = fn;
	t->loop = loop;
	find_inductions(t, a);
	if (find_exit(t) && find_test_position(t))
		find_test(t);
	return t;
}

/* ---- trip count ------------------------------------------------------------------------------ */

/* Whether the loop continues with this value. */
static bool
loop_continues(const Trip_count *t, int64_t v, int64_t bound)
{
	switch (t->cmp) {
	case TRIPS_LT: return v < bound;
	case TRIPS_LE: return v <= bound;
	case TRIPS_GT: return v > bound;
	case TRIPS_GE: return v >= bound;
	default: return v != bound;
	}
}

/* Returns the initial value of the tested induction variable. */
static Constant
initial_index(const Trip_count *t)
{
	const Reaching r = defuse_reaching(t->fn, t->fn->loops->loops[t->loop].header,
		t->steps[t->tested.step].sym);
	uint32_t first = 0, n = 0;

	for (uint32_t k = 0; k < r.n; k++)
		if (!def_is_in_loop(t, r.at[k]))
			first = r.at[k], n++;
	return n == 1 ? constant_def(t->fn, first) : (Constant){ 0 };
}

/* Whether the loop's comparison orders the value as int64_t does. */
static bool
value_is_comparable(const Trip_count *t, int64_t v)
{
	return v <= INT32_MAX && v >= (t->is_signed || t->cmp == TRIPS_NE ? INT32_MIN : 0);
}

uint32_t
trip_count_constant(const Trip_count *t)
{
	uint64_t immediate, count = 0;
	bool real;

	if ((t->wrong && !t->may_miss) || t->tested.step >= t->nsteps ||
		!ptx_imm(t->fn->m, &t->fn->m->opnds[t->bound], &immediate, &real) || real)
		return 0;
	const Constant c = initial_index(t);
	int64_t bound = t->bytes == 4 ? (int32_t)immediate : (int64_t)immediate,
		v = t->bytes == 4 ? (int32_t)c.n : (int64_t)c.n;
	if (!c.known || c.sym || !value_is_comparable(t, v) || !value_is_comparable(t, bound))
		return 0;
	v += t->tested.plus;
	for (; count < MOST_TRIPS && value_is_comparable(t, v) && loop_continues(t, v, bound);
		v += t->steps[t->tested.step].step)
		count++;
	return count < MOST_TRIPS && value_is_comparable(t, v) ? (uint32_t)count + !t->top : 0;
}
