/* SPDX-License-Identifier: MIT */
/* Expansion of inner loops: the iterations of all lanes' inner loops are laid end to end over the
 * lanes (docs/design.md 6.10).
 *
 *	for (v = ...; v < n; v += stride)               each lane its own rows
 *		if (...)
 *			for (k = row[v]; k < row[v + 1]; k++) `for var`: a row of as many iterations
 *			as it has
 *				visit(k);
 *
 * A *row* is the inner loop of one iteration of one lane, its owner. In each round every lane comes
 * to the meeting, with the row that it has come to or with none; then rows of 32 iterations and
 * more are walked by all lanes together, one row behind the other, and the others are numbered
 * through: lane l takes the iterations l, l + size, ... of all. So consecutive lanes take
 * consecutive iterations, and memory stays coalesced. What a row needs comes from its owner's
 * registers, by shuffles: no shared memory. Of an iteration that costs much more than to be laid
 * end to end, all lanes together walk as many as fill warps, and the rest of a long row is laid end
 * to end with the short ones (`rests`): so no lane waits at the end of a row.
 *
 * needs:    cfg dom loop live defuse uniform effects local region trips
 * refuses: inner loops that are not counted (trip_count.h), that carry a value from iteration to
 * iteration other than inductions and
 *           reductions, or of which something else flows out; and as collect_plan.c does what
 * legal.c and
 *           motion_legality.c say of what runs in another lane
 * correct because (names of labels and sections are expand.tpl's):
 *   - M are the lanes that arrive together at the begin marker, whichever those are. Every
 *   cross-lane operation names M, and each stands
 *     at `meet`, in `long`, `short`, `round` or `leave`, where every branch around one depends on
 *     values that all of M agree in: a
 *     ballot, `total`, `at`, a vote. Every lane comes to each: from the own part all ways lead to
 *     `meet` (the inner loop's entry, the
 *     way back, ways out), from the rest of the iteration, which is another copy, to `round`. Where
 *     M is all 32 lanes
 *     masks are literal, in a text of its own. Shuffles read from lanes of M alone, but where the
 *     result is not used.
 *     Nothing is shared but registers by shuffles: two groups of a warp do not touch each other.
 *   - Where a branch leads past the inner loop (`sparse`) it is asked first, where M is all 32
 *   lanes, whether anybody has a row or has left. If nobody, all are in, and each is done with an
 *   iteration that came to no row: all go on at the header with the next one, in which no other
 *   lane has a part.
 *   - Each iteration of each row is run once: a row's trip count is known when it begins
 * (trip_count.c),
 *   long rows are walked by
 *     lane, lane + size, ..., lanes being numbered in M; of the short ones, first is the sum of the
 *     counts of lower lanes, and the search
 *     finds the last lane whose first is at most t, which is the one that has iteration t, since
 *     the next lane's is more.
 *   - With `rests` M is all 32 lanes, and a row of n has walked = n & -32 iterations in laps of all
 *     lanes: `lap` goes on while at least 32 are left, of n in front of the first, so n / 32 times,
 *     none for a short row. Its other n - walked < 32 are in the place of a short row's, which have
 *     walked = 0: iteration t of all is its iteration walked + t - first. That is below n, so below
 *     2^32: inductions go on by it without a sign. A long row's lanes fold what they have into the
 *     owner's, and the rest, a row of its own to the scan, is folded in once more: each iteration
 *     is in one of both.
 *   - Loops over a long row of `loud` and `rests` are uniform: what is left is the row's, from one
 *     lane's register by a shuffle that all of M take, and `size` comes off it in all lanes; lanes
 *     that have no such iteration go past it alone. In those of `quiet` each lane has a count of
 *     its own, and all meet at `walked`, where the next shuffle or vote names M.
 *   - A helper runs it on registers of its own, which hold what the owner's held in front of the
 *   row's first iteration (fetched, or computed from what is, compress.c), but for
 *   inductions, which hold the owner's and t
 *     times the step. Nothing else is carried but what is only folded into (reduction.h): that
 *     begins with the identity in each lane,
 *     lanes of one row fold theirs into the row's last one (by a scan that stops where the row
 *     begins in this
 *     window), and the owner, who knows which lane that is, takes it from there.
 *   - Memory: what any lane wrote before the meeting is there for helpers, and what they wrote is
 *   there for owners behind it:
 *     a barrier of M on both sides. So nothing is promised but what `for var` says, that a row's
 *     iterations may run at the same
 *     time, and that those of different rows may, which the annotated loop says.
 *   - Where rows are about as long as each other (`choose`), each lane runs its own in a copy of
 *   the inner loop as it is, on its own registers. All of M agree in that, by a vote, and meet
 *   behind it, at `kept`.
 *   - What is live behind the inner loop is as the owner left it, but for values that the loop
 *   defines: the
 *     owner computes those as its inductions' values in the last iteration (`ends`).
 *   - M meets at `leave`, too: as in collect_plan.c, lanes go on when all are done.
 * cost:     a round: 6 instructions, with rows about 30 and 30 for each 32 iterations of short
 *           ones, 4 of long ones, beside a shuffle for each word of a row's
 *           values; registers: 16 and those values twice
 * before / after: docs/transformation.md
 */
#include "analysis/cost/static_cost.h"
#include "analysis/dataflow/slice.h"
#include "transform/expand/expand.h"
#include "transform/legality/legality.h"
#include "transform/plan/describe_value.h"
#include "transform/plan/plan.h"
#include "transform/task/reduction.h"
#include "transform/task/task.h"
#include "transform/task/task_inputs.h"

/* Iterations of so few statements stand so often in a row: each waits for memory, as a rule. nvcc
 * does so with the loops that it unrolls, which a loop with an annotation is none of. */
enum { SHORT = 24, LAPS = 4 };
/* Iterations that cost so many times what it costs to lay them end to end are worth it, too, where
 * a long row has too few of them left for a warp. */
enum { HEAVY = 2 };

/* ---- what helpers run ------------------------------------------------------------------------ */

typedef struct {
	Plan *x;
	Part *k;
	const Trips *t;
	Bits blocks, runs;      /* statements, by fn_local_stmt */
} Walk;

static bool
in_rows(const Walk *w, uint32_t def)
{
	uint32_t s = fn_def(w->x->fn, def)->stmt;

	return s && bits_has(w->blocks, fn_block(w->x->fn, s));
}

/* Does it come from the iteration's beginning, if it is of an induction? That is set up for each
 * iteration. */
static bool
is_set_up(const Walk *w, uint32_t use)
{
	uint32_t inside = 0;

	if (trips_induction(w->t, fn_use(w->x->fn, use)->sym) == UINT32_MAX)
		return false;
	FN_REACH(w->x->fn, use, d)
		inside += in_rows(w, d);
	return inside < fn_use(w->x->fn, use)->ndef;
}

static bool
is_folded(const Walk *w, uint32_t local)
{
	const Task *t = &w->k->task;

	for (uint32_t i = 0; i < t->nsums; i++)
		if (bits_has(t->sums[i].web, local))
			return true;
	return false;
}

static Slice_step
is_run(void *user, const Slice_edge *e)
{
	const Walk *w = user;

	return in_rows(w, e->def) && !is_set_up(w, e->use) ? SLICE_TAKE : SLICE_HAVE;
}

/* Does the statement fold something, or move what is folded into? */
static bool
folds(const Walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	FN_DEFS_OF_STMT(fn, stmt, d)
		if (is_folded(w, fn_local(fn, fn_def(fn, d)->sym)))
			return true;
	return false;
}

/* Does what the statement does count, whoever reads from it? */
static bool
matters(const Walk *w, uint32_t stmt)
{
	const Fn *fn = w->x->fn;

	return folds(w, stmt) ||
		(stmt != cfg_terminator(fn->cfg, w->t->last) &&
			(fn_stmt(fn, stmt)->kind != STMT_INSN ||
				!(ptx_flags(fn->m, fn_stmt(fn, stmt)) & OPF_PURE)));
}

/* Effects, branches but the one that leaves the loop, folds, and what those read from. */
static void
find_runs(Walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (matters(w, s))
				bits_set(w->runs, fn_local_stmt(fn, s));
	slice_close(fn, is_run, w, w->runs);
}

/* What comes into the statements that are run, and what they define. */
static void
find_values(const Walk *w, Bits in, Bits defined)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->runs) {
		uint32_t s = fn->f->stmt + i;
		FN_DEFS_OF_STMT(fn, s, d)
			bits_set(defined, fn_local(fn, fn_def(fn, d)->sym));
		FN_USES_OF_STMT(fn, s, u)
			FN_REACH(fn, u, d)
				if (!in_rows(w, d))
					bits_set(in, fn_local(fn, fn_use(fn, u)->sym));
	}
}

/* ---- may it be expanded? --------------------------------------------------------------------- */

static Verdict
not_counted(const Plan *x, const Trips *t)
{
	Verdict v = verdict(x->arena, D_LOOP, fn_stmt(x->fn, t->at)->at.pos, "%s", t->wrong);

	return t->advice ? verdict_note(v, x->arena, DIAG_NOWHERE, "%s", t->advice) : v;
}

/* A register that goes from an iteration to the next one, and is no induction and nothing that is
 * only folded into. */
static Verdict
carries(const Walk *w)
{
	const Fn *fn = w->x->fn;
	uint32_t header = fn->loops->loops[w->t->loop].header;

	BITS_EACH(i, fn->live->in[header]) {
		uint32_t sym = fn_sym(fn, i);
		if (!fn_is_reg(fn, sym) || trips_induction(w->t, sym) != UINT32_MAX ||
			is_folded(w, i))
			continue;
		FN_DEFS_OF_SYM(fn, sym, d)
			if (in_rows(w, d))
				return verdict_note(
					verdict(w->x->arena, D_CARRIED,
						fn_stmt(fn, fn_def(fn, d)->stmt)->at.pos,
						"%s is carried from one of its iterations to the next",
						plan_value(w->x, sym, fn_def(fn, d)->stmt)),
					w->x->arena, DIAG_NOWHERE,
					"its iterations run at the same time: let them update memory with atomic operations instead");
	}
	return VERDICT_YES;
}

/* A definition of the loop that is live behind it: what it holds then must be known from the trip
 * count. */
static Verdict
flows_out(const Walk *w, Rounds *r, uint32_t def, bool once)
{
	const Fn *fn = w->x->fn;
	Task *t = &w->k->task;
	Trips_value value;
	Verdict v;

	if (once && trips_value(w->t, def, &value)) {
		r->ends[r->nends++] = def;
		return VERDICT_YES;
	}
	v = reduction_find(w->x, w->k, fn_def(fn, def)->sym, &t->sums[t->nsums]);
	if (!verdict_no(v)) {
		t->nsums++;
		return VERDICT_YES;
	}
	Verdict flows = verdict(w->x->arena, D_LIVE_OUT,
		fn_stmt(fn, fn_def(fn, def)->stmt)->at.pos,
		"%s is computed in it and used after it",
		plan_value(w->x, fn_def(fn, def)->sym, fn_def(fn, def)->stmt));
	flows.reorders = v.reorders;
	return verdict_note(flows, w->x->arena, v.pos, "no reduction: %s", v.text);
}

static Verdict
find_ends(const Walk *w, Rounds *r)
{
	const Fn *fn = w->x->fn;
	Verdict v = VERDICT_YES;

	r->ends = arena_array(w->x->arena, fn->f->nsym + 1, sizeof *r->ends);
	for (int inductions = 0; inductions < 2; inductions++)
		BITS_EACH(i, fn->live->in[w->t->behind]) {
			uint32_t sym = fn_sym(fn, i), inside = 0, def = 0;
			if (verdict_no(v) || !fn_is_reg(fn, sym) ||
				(trips_induction(w->t, sym) != UINT32_MAX) != inductions)
				continue;
			Reaching reach = defuse_reaching(fn, w->t->behind, sym);
			for (uint32_t k = 0; k < reach.n; k++)
				if (in_rows(w, reach.at[k])) {
					inside++;
					def = reach.at[k];
				}
			if (inside)
				v = flows_out(w, r, def, inside == 1);
		}
	return v;
}

/* What is done before a test at the top that ends the loop would not be done once more. Nor would
 * what is folded there: so does a loop do that ends by a test and a branch back behind it. */
static Verdict
top_is_pure(const Walk *w)
{
	const Fn *fn = w->x->fn;

	if (!w->t->top)
		return VERDICT_YES;
	BITS_EACH(b, w->blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (trips_is_top(w->t, b) && fn_stmt(fn, s)->kind == STMT_INSN &&
				s != cfg_terminator(fn->cfg, b) &&
				((folds(w, s) && ptx_op(fn->m, fn_stmt(fn, s)) != OP_MOV) ||
					!(ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE)))
				return verdict_note(
					verdict(w->x->arena, D_LOOP, fn_stmt(fn, s)->at.pos,
						"it does more than compare before its test"),
					w->x->arena, DIAG_NOWHERE, "let the bound be a variable");
	return VERDICT_YES;
}

/* What a shuffle can bring. */
static Verdict
slots_fit(const Plan *x, const Part *k)
{
	for (uint32_t i = 0; i < k->task.nslots; i++)
		if (k->task.slots[i].size > 8)
			return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
				"%s has more than 64 bits and is live into it",
				plan_value(x, k->task.slots[i].sym, 0));
	return VERDICT_YES;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Of an iteration: what runs, but for what stands in the text beside it. */
static uint32_t
instructions(const Walk *w)
{
	uint32_t n = 0;

	BITS_EACH(i, w->runs)
		n += w->x->fn->m->stmts[w->x->fn->f->stmt + i].kind == STMT_INSN;
	return n;
}

/* Does no iteration do anything but read memory and compute? */
static bool
is_quiet(const Walk *w)
{
	const Fn *fn = w->x->fn;

	BITS_EACH(i, w->runs)
		if (fn_effects(fn, fn->f->stmt + i) & (EFF_WRITE | EFF_SPIN))
			return false;
	return true;
}

/* Does a branch of the own part lead past the inner loop, but for the one that asks whether that
 * has an iteration? Then lanes are expected that come to no row. */
static bool
is_sparse(const Plan *x, const Part *k)
{
	const Fn *fn = x->fn;
	uint32_t asked = k->rounds->trips->top;

	for (uint32_t b = fn->dom->idom[k->path->entry]; loop_contains(fn->loops, x->site->loop, b);
		b = fn->dom->idom[b])
		asked += fn->cfg->blocks[b].nsucc > 1;
	return asked > 1;
}

Verdict
plan_expand(Plan *x, Part *k, bool chooses)
{
	const Fn *fn = x->fn;
	Rounds *r = arena_zalloc(x->arena, sizeof *r);
	Walk w = { .x = x, .k = k, .t = r->trips = trips_find(fn, k->path->loop, x->arena),
		.blocks = k->path->blocks, .runs = bits_new(x->arena, fn->f->nstmt) };
	Bits in = bits_new(x->scratch, fn->f->nsym), defined = bits_new(x->scratch, fn->f->nsym);
	bool heavy;
	Verdict v;

	k->rounds = r;
	r->chooses = chooses;
	task_begin(x, k, fn->f->nsym, fn->f->nsym);
	if (r->trips->wrong)
		return not_counted(x, r->trips);
	if (verdict_no(v = find_ends(&w, r)) || verdict_no(v = carries(&w)) ||
		verdict_no(v = top_is_pure(&w)))
		return v;
	find_runs(&w);
	r->runs = w.runs;
	find_values(&w, in, defined);
	v = task_values(x, k, in, defined);
	r->along = task_along(x, k, r->trips, in);
	heavy = k->path->cost > HEAVY * rows_collecting(k);
	r->rests = heavy && r->trips->bytes == 4;
	r->laps = !heavy && instructions(&w) <= SHORT ? LAPS : 1;
	r->quiet = is_quiet(&w);
	r->sparse = is_sparse(x, k);
	return verdict_no(v) ? v : slots_fit(x, k);
}

/* What is annotated besides, and stays. */
static void
hint_others(Plan *x, const Region *rounds)
{
	for (uint32_t i = 1; i < x->site->nrounds; i++) {
		const Marker *k = &x->fn->m->markers[x->site->rounds[i]->marker];
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"loop left unchanged: the loop around it has a costlier one, and this version expands one");
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (bits_has(x->site->paths[i]->blocks, rounds->entry))
			continue;
		Verdict v = verdict(x->arena, D_NESTED, fn_stmt(x->fn, k->stmt)->at.pos,
			"path left unchanged: a loop beside it is expanded, and this version does one or the other");
		v.at = k->cuda;
		*vec_push(&x->hints) = v;
	}
}

Verdict
expand_plan(Plan *x, const Room *room)
{
	Part *k = x->parts = arena_zalloc(x->arena, sizeof *x->parts);
	const Region *rounds = x->site->rounds[0];
	Verdict v;

	(void)room;
	k->policy = x->policy;
	x->nparts = 1;
	k->path = plan_rounds(x, rounds);
	k->blocks = k->span = k->path->blocks;
	if (verdict_no(v = plan_target(x)))
		return v;
	if (x->fn->loops->loops[rounds->loop].parent != x->site->loop)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"it is not in the same loop as the annotated paths");
	if (verdict_no(v = plan_expand(x, k, x->asked.n != 0)) ||
		verdict_no(v = plan_legal(x, k)) || verdict_no(v = plan_ends(x)))
		return v;
	plan_spins(x);
	x->frame.threads = MAX_BLOCK;
	x->cost = (Cost){ .own = cost_blocks(x->fn, x->own, x->site->entry), .path = k->path->cost,
		.collecting = rows_collecting(k) };
	hint_others(x, rounds);
	return VERDICT_YES;
}
