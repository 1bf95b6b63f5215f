/* SPDX-License-Identifier: MIT */
/* Loops that end whatever they read; see termination.h. Four kinds are recognised:
 *
 * A loop with an access whose address advances. Each iteration executes it, and its address grows
 * by the same nonzero amount each time. Memory is finite, so the loop ends, or the access leaves
 * its array, which a correct program does not do under any schedule. An index of 32 bits wraps
 * around; with a step of at most LONGEST_STEP bytes it first covers 4 GiB, more than any array that
 * is used as a ring. Anything else that bounds an index (a mask, a remainder, a narrow type) is not
 * recognised as advancing.
 *
 * A loop that retries a compare-and-swap. Each iteration executes the same one, at one address. It
 * compares with the value that the thread read from that address before, in the last iteration (or
 * a fixed number of iterations ago), and the loop is left if it succeeds. It fails only if another
 * thread has written there in the meantime: then that thread has made progress. A lock does not
 * qualify: its compare value is a constant, or the loop continues after a successful exchange.
 *
 * A loop that draws from a counter. Each iteration adds the same nonzero constant to one word, and
 * the loop continues only while the value found there is below a loop-invariant bound (above, if
 * the constant is negative). The thread's own additions eventually reach the bound.
 *
 * A bisection. The loop continues only while low < high, and each iteration either sets low to mid
 * + 1 or sets high to mid, where mid is the middle of the two, rounded down. So low <= mid < high,
 * and the interval shrinks in either case. The sum of low and high is assumed not to overflow, as
 * it does only for indices of 2^31 and more. */
#include "analysis/progress/termination.h"
#include "analysis/loops/trip_count.h"

/* Limits: moves and sums followed to the origin of a value; step in bytes. */
enum { DEEP = 16, LONGEST_STEP = 1 << 20 };
enum { CAS_COMPARE = 2 };

typedef struct { const Fn *fn; uint32_t loop; const Trip_count *trips; } Termination_walk;

static bool
stmt_is_in_loop(const Termination_walk *w, uint32_t stmt)
{
	return stmt && loop_contains(w->fn->loops, w->loop, fn_block(w->fn, stmt));
}

/* Whether each iteration executes the statement, whatever its guard. */
static bool
is_always_run(const Termination_walk *w, uint32_t stmt)
{
	return !fn_stmt(w->fn, stmt)->guard &&
		fn_in_every_iteration(w->fn, w->loop, fn_block(w->fn, stmt));
}

/* Returns the register of an operand, also the base register of an address; 0 if it has none. */
static uint32_t
register_of(const Fn *fn, uint32_t stmt, uint32_t k)
{
	const Opnd *o = &fn->m->opnds[ptx_operand(fn->m, fn_stmt(fn, stmt), k)];

	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_SYM && !o->sel && fn_is_reg(fn, o->sym) ? o->sym : 0;
}

/* Returns a definition in the loop that reaches the register in the statement, or 0. *n: the number
 * of such definitions. */
static uint32_t
inner_def(const Termination_walk *w, uint32_t stmt, uint32_t sym, uint32_t *n)
{
	uint32_t found = 0;

	*n = 0;
	FN_REACH(w->fn, defuse_find_use(w->fn, stmt, sym), d)
		if (stmt_is_in_loop(w, fn_def(w->fn, d)->stmt)) {
			found = d;
			++*n;
		}
	return found;
}

/* Whether operand k is loop-invariant. */
static bool
is_invariant(const Termination_walk *w, uint32_t stmt, uint32_t k)
{
	const Opnd *o = &w->fn->m->opnds[ptx_operand(w->fn->m, fn_stmt(w->fn, stmt), k)];
	uint32_t sym = register_of(w->fn, stmt, k), n;

	if (sym)
		return inner_def(w, stmt, sym, &n) == 0;
	while ((o->kind == OPND_ADDR || o->kind == OPND_SUM) && o->tree > 1)
		o++;
	return o->kind == OPND_IMM || (o->kind == OPND_SYM &&
		w->fn->m->syms[o->sym].kind == SYM_VAR);
}

/* ---- addresses that advance ------------------------------------------------------------------ */

/* The change of a value from one iteration to the next. */
typedef struct { bool known; int64_t by; } Iteration_step;
static const Iteration_step NONE = { true, 0 }, NOT_KNOWN = { false, 0 };

static Iteration_step step_of_operand(
	const Termination_walk *w, uint32_t stmt, uint32_t k, uint32_t deep);

static Iteration_step
scale_step(Iteration_step g, int64_t by)
{
	if (!g.known || by > LONGEST_STEP || by < -LONGEST_STEP)
		return NOT_KNOWN;
	g.by *= by;
	g.known = g.by <= LONGEST_STEP && g.by >= -LONGEST_STEP;
	return g;
}

static Iteration_step
add_steps(Iteration_step a, Iteration_step b)
{
	return scale_step((Iteration_step){ a.known && b.known, a.by + b.by }, 1);
}

/* Adds the growth of operand k, times `by`. The operand is not looked at if the sum is unknown
 * anyway, so that the walk seldom branches. */
static Iteration_step
add_operand(const Termination_walk *w, Iteration_step a, uint32_t stmt, uint32_t k, int64_t by,
	uint32_t deep)
{
	return a.known ? add_steps(a, scale_step(step_of_operand(w, stmt, k, deep), by)) :
			 NOT_KNOWN;
}

/* Growth of the product of operands 1 and 2, one of them an immediate. */
static Iteration_step
step_of_product(const Termination_walk *w, uint32_t stmt, uint32_t deep)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	bool shift = ptx_op(m, s) == OP_SHL, real;
	uint64_t c;

	for (uint32_t k = shift ? 2 : 1; k < 3; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
		if (o->kind != OPND_IMM || !ptx_imm(m, o, &c, &real) || real || (shift && c > 20))
			continue;
		return scale_step(step_of_operand(w, stmt, 3 - k, deep),
			shift ? (int64_t)1 << c : (int64_t)c);
	}
	return NOT_KNOWN;
}

static Iteration_step
step_of_result(const Termination_walk *w, uint32_t stmt, uint32_t deep)
{
	static const char *const others[] = { "sat", "hi", "cc", "u8", "s8", "u16", "s16",
		"f16", "f32", "f64", NULL };
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Type type = ptx_insn_type(m, s);

	if (s->kind != STMT_INSN || s->guard || type >= TYPE_F16 || ptx_type_size(type) < 4 ||
		ptx_has_any(m, s, others))
		return NOT_KNOWN;
	switch (ptx_op(m, s)) {
	case OP_MOV:
	case OP_CVT:
	case OP_CVTA: return s->nopnd == 2 ? step_of_operand(w, stmt, 1, deep) : NOT_KNOWN;
	case OP_ADD:
	case OP_SUB:
		return add_operand(w, step_of_operand(w, stmt, 1, deep), stmt, 2,
			ptx_op(m, s) == OP_ADD ? 1 : -1, deep);
	case OP_SHL:
	case OP_MUL: return step_of_product(w, stmt, deep);
	case OP_MAD:
		return add_operand(w, step_of_product(w, stmt, deep), stmt, 3, 1, deep);
	default: return NOT_KNOWN;
	}
}

/* Growth of operand k of the statement, through at most `deep` further statements. */
static Iteration_step
step_of_operand(const Termination_walk *w, uint32_t stmt, uint32_t k, uint32_t deep)
{
	uint32_t sym = register_of(w->fn, stmt, k), n;

	if (is_invariant(w, stmt, k))
		return NONE;
	if (!sym || !deep)
		return NOT_KNOWN;
	uint32_t d = inner_def(w, stmt, sym, &n), i = trip_count_induction(w->trips, sym);
	if (n == 1 && i != UINT32_MAX && fn_def(w->fn, d)->stmt == w->trips->steps[i].stmt)
		return scale_step((Iteration_step){ true, w->trips->steps[i].step }, 1);
	return n == 1 && fn_use(w->fn, defuse_find_use(w->fn, stmt, sym))->ndef == 1 ?
		step_of_result(w, fn_def(w->fn, d)->stmt, deep - 1) : NOT_KNOWN;
}

static bool
stmt_advances(const Termination_walk *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Op op = s->kind == STMT_INSN ? ptx_op(m, s) : OP_UNKNOWN;

	if ((op != OP_LD && op != OP_ST && op != OP_ATOM && op != OP_RED) ||
		ptx_space(m, s) == SPACE_PARAM || !is_always_run(w, stmt))
		return false;
	for (uint32_t k = 0; k < s->nopnd; k++)
		if (m->opnds[ptx_operand(m, s, k)].kind == OPND_ADDR) {
			Iteration_step g = step_of_operand(w, stmt, k, DEEP);
			return g.known && g.by;
		}
	return false;
}

/* ---- retries and counters -------------------------------------------------------------------- */

/* A branch that leaves the loop unless the comparison is true (stays_if), or unless it is false. */
typedef struct { uint32_t setp; bool stays_if; } Exit_test;

static bool
find_test(const Termination_walk *w, uint32_t b, Exit_test *t)
{
	const Fn *fn = w->fn;
	uint32_t branch = cfg_terminator(fn->cfg, b), out = 0, n;
	const Stmt *s = branch ? fn_stmt(fn, branch) : NULL;

	FN_SUCC(fn, b, to)
		out += !to || !loop_contains(fn->loops, w->loop, to);
	if (out != 1 || !s->guard || ptx_op(fn->m, s) != OP_BRA ||
		!fn_in_every_iteration(fn, w->loop, b))
		return false;
	uint32_t d = inner_def(w, branch, s->sym, &n);
	if (n != 1 || fn_use(fn, defuse_find_use(fn, branch, s->sym))->ndef != 1)
		return false;
	t->setp = fn_def(fn, d)->stmt;
	s = fn_stmt(fn, t->setp);
	uint32_t target = cfg_label_block(fn->cfg, fn->m->opnds[ptx_operand(fn->m,
		fn_stmt(fn, branch), 0)].sym);
	t->stays_if = loop_contains(fn->loops, w->loop, target) ==
		(fn_stmt(fn, branch)->guard == 1);
	return s->kind == STMT_INSN && ptx_op(fn->m, s) == OP_SETP && s->nopnd == 3 && !s->guard &&
		fn->m->opnds[ptx_operand(fn->m, s, 0)].kind == OPND_SYM &&
		ptx_insn_type(fn->m, s) < TYPE_F16;
}

/* Whether the statement is a move, or a conversion that keeps the lowest `least` bytes. */
static bool
stmt_preserves_value(const Fn *fn, uint32_t stmt, uint32_t least)
{
	static const char *const others[] = { "sat", "f16", "f32", "f64", NULL };
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	const Opnd *to = &m->opnds[ptx_operand(m, s, 0)];

	if (s->nopnd != 2 || ptx_op(m, s) == OP_MOV)
		return s->nopnd == 2;
	return ptx_op(m, s) == OP_CVT && !ptx_has_any(m, s, others) &&
		ptx_type_size(ptx_insn_type(m, s)) >= least && to->kind == OPND_SYM &&
		ptx_type_size((Type)m->syms[to->sym].type) >= least;
}

/* Returns the statement of the loop that the lowest `least` bytes of an operand come from
 * unchanged, in this iteration or an earlier one; 0 if there is none, or several. */
static uint32_t
trace_origin(const Termination_walk *w, uint32_t stmt, uint32_t k, uint32_t least)
{
	for (uint32_t i = 0; i < DEEP; i++, k = 1) {
		uint32_t sym = register_of(w->fn, stmt, k), n;
		uint32_t d = sym ? inner_def(w, stmt, sym, &n) : 0;
		if (!d || n != 1 || !fn_def(w->fn, d)->kills ||
			!is_always_run(w, fn_def(w->fn, d)->stmt))
			return 0;
		stmt = fn_def(w->fn, d)->stmt;
		if (fn_stmt(w->fn, stmt)->kind != STMT_INSN)
			return 0;
		if (!stmt_preserves_value(w->fn, stmt, least))
			return stmt;
	}
	return 0;
}

/* Whether two operands read the same register with the same reaching definitions. */
static bool
reads_same(const Fn *fn, uint32_t a, uint32_t k, uint32_t b, uint32_t j)
{
	uint32_t sym = register_of(fn, a, k);

	if (!sym || sym != register_of(fn, b, j))
		return false;
	const Use *x = fn_use(fn, defuse_find_use(fn, a, sym)),
		  *y = fn_use(fn, defuse_find_use(fn, b, sym));
	if (x->ndef != y->ndef)
		return false;
	for (uint32_t i = 0; i < x->ndef; i++)
		if (fn->defuse->reach[x->def + i] != fn->defuse->reach[y->def + i])
			return false;
	return true;
}

/* Whether two accesses have the same loop-invariant address. */
static bool
addresses_are_equal(const Termination_walk *w, uint32_t a, uint32_t k, uint32_t b, uint32_t j)
{
	const Module *m = w->fn->m;
	const Opnd *x = &m->opnds[ptx_operand(m, fn_stmt(w->fn, a), k)],
		   *y = &m->opnds[ptx_operand(m, fn_stmt(w->fn, b), j)];
	int64_t p = 0, q = 0;

	return is_invariant(w, a, k) && reads_same(w->fn, a, k, b, j) &&
		ptx_offset(m, x, &p) && ptx_offset(m, y, &q) && p == q &&
		ptx_type_size(ptx_insn_type(m, fn_stmt(w->fn, a))) ==
			ptx_type_size(ptx_insn_type(m, fn_stmt(w->fn, b)));
}

/* Whether the loop is left if this compare-and-swap succeeds. */
static bool
loop_retries_cas(const Termination_walk *w, uint32_t cas, const Exit_test *t)
{
	const Fn *fn = w->fn;
	const Stmt *s = fn_stmt(fn, t->setp);
	bool unequal = ptx_has(fn->m, s, "ne"), equal = ptx_has(fn->m, s, "eq");

	if (!(t->stays_if ? unequal : equal) || !is_invariant(w, cas, 1))
		return false;
	for (uint32_t k = 1; k < 3; k++) {
		uint32_t sym = register_of(fn, t->setp, k), n;
		if (!sym || !reads_same(fn, t->setp, 3 - k, cas, CAS_COMPARE) ||
			fn_def(fn, inner_def(w, t->setp, sym, &n))->stmt != cas || n != 1 ||
			fn_use(fn, defuse_find_use(fn, t->setp, sym))->ndef != 1)
			continue;
		uint32_t from = trace_origin(w, cas, CAS_COMPARE,
			ptx_type_size(ptx_insn_type(fn->m, fn_stmt(fn, cas))));
		return from == cas || (from && ptx_op(fn->m, fn_stmt(fn, from)) == OP_LD &&
			addresses_are_equal(w, cas, 1, from, 1));
	}
	return false;
}

/* Whether the loop continues only while the value that this addition returns has not reached a
 * bound. */
static bool
atomic_counts_to_bound(const Termination_walk *w, uint32_t atom, const Exit_test *t)
{
	static const char *const below[] = { "lt", "le", "lo", "ls", NULL },
				 *const above[] = { "gt", "ge", "hi", "hs", NULL };
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, t->setp), *a = fn_stmt(w->fn, atom);
	const Opnd *o = &m->opnds[ptx_operand(m, a, 2)];
	bool less = ptx_has_any(m, s, below), more = ptx_has_any(m, s, above), real;
	uint32_t size = ptx_type_size(ptx_insn_type(m, a)),
		 k = trace_origin(w, t->setp, 1, size) == atom ? 1 : 2;
	uint64_t c;

	if (less == more || ptx_insn_type(m, a) >= TYPE_F16 || o->kind != OPND_IMM ||
		!ptx_imm(m, o, &c, &real) || real || !is_invariant(w, atom, 1) ||
		trace_origin(w, t->setp, k, size) != atom || !is_invariant(w, t->setp, 3 - k))
		return false;
	int64_t by = size == 4 ? (int32_t)c : (int64_t)c;
	if (!by || by > LONGEST_STEP || by < -LONGEST_STEP)
		return false;
	return (t->stays_if == (k == 1 ? less : more)) == (by > 0);
}

/* ---- bisections ------------------------------------------------------------------------------ */

/* Returns the statement with opcode op that is executed once per iteration and is the only
 * definition that reaches operand k; 0 if there is none. */
static uint32_t
only_def(const Termination_walk *w, uint32_t stmt, uint32_t k, Op op)
{
	uint32_t sym = stmt ? register_of(w->fn, stmt, k) : 0, n;
	uint32_t d = sym ? inner_def(w, stmt, sym, &n) : 0;

	if (!d || n != 1 || fn_use(w->fn, defuse_find_use(w->fn, stmt, sym))->ndef != 1)
		return 0;
	uint32_t def = fn_def(w->fn, d)->stmt;
	const Stmt *s = fn_stmt(w->fn, def);
	return s->kind == STMT_INSN && ptx_op(w->fn->m, s) == op && !ptx_has(w->fn->m, s, "sat") &&
		is_always_run(w, def) &&
		w->fn->loops->loop_of[fn_block(w->fn, def)] == w->loop ? def : 0;
}

/* Whether operand k reads what the statement wrote in the last iteration. */
static bool
operand_reads_last_iteration(const Termination_walk *w, uint32_t stmt, uint32_t k, uint32_t def)
{
	uint32_t sym = register_of(w->fn, stmt, k), n;
	uint32_t d = sym ? inner_def(w, stmt, sym, &n) : 0;

	return d && n == 1 && fn_def(w->fn, d)->stmt == def &&
		fn_use(w->fn, defuse_find_use(w->fn, stmt, sym))->ndef > 1;
}

static bool
is_one(const Termination_walk *w, uint32_t stmt, uint32_t k)
{
	const Opnd *o = &w->fn->m->opnds[ptx_operand(w->fn->m, fn_stmt(w->fn, stmt), k)];
	uint64_t c;
	bool real;

	return o->kind == OPND_IMM && ptx_imm(w->fn->m, o, &c, &real) && !real && c == 1;
}

/* Whether the statement, a shift, computes (low + high) >> 1. */
static bool
is_middle(const Termination_walk *w, uint32_t mid, uint32_t low, uint32_t high)
{
	uint32_t sum = only_def(w, mid, 1, OP_ADD);

	if (!is_one(w, mid, 2))
		return false;
	return sum &&
		((operand_reads_last_iteration(w, sum, 1, low) &&
			 operand_reads_last_iteration(w, sum, 2, high)) ||
			(operand_reads_last_iteration(w, sum, 2, low) &&
				operand_reads_last_iteration(w, sum, 1, high)));
}

/* Whether these two selections compute the new ends of the interval: if operand k is selected, low
 * becomes the successor of the middle, else high becomes the middle. */
static bool
interval_is_halved(
	const Termination_walk *w, const Exit_test *t, uint32_t low, uint32_t high, uint32_t k)
{
	uint32_t next = only_def(w, low, k, OP_ADD), mid = only_def(w, high, 3 - k, OP_SHR),
		 p = only_def(w, low, 3, OP_SETP);

	return next && mid && p && p == only_def(w, high, 3, OP_SETP) &&
		ptx_type_size(ptx_insn_type(w->fn->m, fn_stmt(w->fn, mid))) >= 4 &&
		only_def(w, next, 1, OP_SHR) == mid && is_one(w, next, 2) &&
		operand_reads_last_iteration(w, low, 3 - k, low) &&
		operand_reads_last_iteration(w, high, k, high) &&
		ptx_insn_type(w->fn->m, fn_stmt(w->fn, mid)) ==
		ptx_insn_type(w->fn->m, fn_stmt(w->fn, t->setp)) &&
		is_middle(w, mid, low, high);
}

static bool
test_bisects(const Termination_walk *w, const Exit_test *t)
{
	static const char *const lt[] = { "lt", "lo", NULL }, *const ge[] = { "ge", "hs", NULL },
		*const gt[] = { "gt", "hi", NULL }, *const le[] = { "le", "ls", NULL };
	const Stmt *s = fn_stmt(w->fn, t->setp);
	bool up = ptx_has_any(w->fn->m, s, t->stays_if ? lt : ge),
	     down = ptx_has_any(w->fn->m, s, t->stays_if ? gt : le);
	uint32_t low = only_def(w, t->setp, up ? 1 : 2, OP_SELP),
		 high = only_def(w, t->setp, up ? 2 : 1, OP_SELP);

	return (up || down) && low && high &&
		(interval_is_halved(w, t, low, high, 1) || interval_is_halved(w, t, low, high, 2));
}

static bool
is_bisection(const Termination_walk *w)
{
	Exit_test t;

	BITS_EACH(b, w->fn->loops->loops[w->loop].blocks)
		if (find_test(w, b, &t) && test_bisects(w, &t))
			return true;
	return false;
}

/* ---- driver ---------------------------------------------------------------------------------- */

static bool
is_left_by(const Termination_walk *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Exit_test t;

	if (s->kind != STMT_INSN || ptx_op(m, s) != OP_ATOM || !is_always_run(w, stmt))
		return false;
	bool cas = ptx_has(m, s, "cas"), add = ptx_has(m, s, "add");
	BITS_EACH(b, w->fn->loops->loops[w->loop].blocks)
		if ((cas || add) && find_test(w, b, &t) &&
			(cas ? loop_retries_cas(w, stmt, &t) : atomic_counts_to_bound(w, stmt, &t)))
			return true;
	return false;
}

bool
termination_certain(const Fn *fn, uint32_t loop)
{
	Arena_mark mark = arena_mark(fn->arena);
	const Termination_walk w = { fn, loop, trip_count_analyse(fn, loop, fn->arena) };
	bool found = is_bisection(&w);

	BITS_EACH(b, fn->loops->loops[loop].blocks)
		FN_BLOCK_STMTS(fn, b, s)
			found = found || stmt_advances(&w, s) || is_left_by(&w, s);
	arena_release(fn->arena, mark);
	return found;
}
