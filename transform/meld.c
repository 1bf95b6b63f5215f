/* SPDX-License-Identifier: MIT */
/* Correspondence of blocks, alignment of instructions, places of registers. See meld.h. */
#include <string.h>
#include "analysis/cost.h"
#include "transform/meld.h"

enum { MOST_CELLS = 4 << 20, MOST_TRIES = 4096, ROUNDS = 3 };

/* ---- operands -------------------------------------------------------------------------------- */

uint32_t
meld_leaves(const Module *m, const Stmt *s, Leaf out[LEAVES])
{
	uint32_t n = 0, first = s->opnd, end = first;

	if (s->guard)
		out[n++] = (Leaf){ .sym = s->sym, .at = { s->at.pos, s->head } };
	for (uint32_t k = 0; k < s->nopnd; k++)
		end += m->opnds[end].tree;
	for (uint32_t o = first; o < end; o++) {
		const Opnd *x = &m->opnds[o];
		if (x->tree > 1)
			continue;
		if (n == LEAVES)
			return LEAVES + 1;
		out[n++] =
			(Leaf){ .opnd = o, .sym = x->kind == OPND_SYM ? x->sym : 0, .at = x->at };
	}
	PTX_REFS(m, s, r)
		for (uint32_t i = 0; i < n && r.written; i++)
			out[i].written |= r.opnd && out[i].opnd == r.opnd;
	return n;
}

static bool
same_text(const Module *m, Span a, Span b)
{
	return a.end - a.pos == b.end - b.pos &&
		memcmp(m->src->text + a.pos, m->src->text + b.pos, a.end - a.pos) == 0;
}

bool
meld_movable(const Fn *fn, uint32_t sym)
{
	const Sym *y = &fn->m->syms[sym];
	uint32_t size = ptx_type_size((Type)y->type);

	return fn_is_reg(fn, sym) && y->vec == 1 &&
		(y->type == TYPE_PRED || (size > 1 && size <= 8));
}

/* A register whose value a lane can select: not one that a scope inside the arm declares. */
static bool
selectable(const Fn *fn, const Leaf *l)
{
	return l->sym && meld_movable(fn, l->sym) && (!l->opnd || !fn->m->opnds[l->opnd].sel) &&
		fn_depth(fn, fn->m->syms[l->sym].decl) == 0;
}

static bool
leaves_match(const Fn *fn, const Leaf *a, const Leaf *b)
{
	const Module *m = fn->m;

	if (selectable(fn, a) && selectable(fn, b))
		return a->written == b->written && m->syms[a->sym].type == m->syms[b->sym].type;
	return !selectable(fn, a) && !selectable(fn, b) && same_text(m, a->at, b->at);
}

/* Is all text of two instructions the same but for their leaves? */
static bool
same_frame(
	const Module *m, const Stmt *a, const Stmt *b, const Leaf *la, const Leaf *lb, uint32_t n)
{
	uint32_t p = a->head, q = b->head;

	for (uint32_t i = a->guard != 0; i <= n; i++) {
		uint32_t pe = i < n ? la[i].at.pos : a->at.end,
			 qe = i < n ? lb[i].at.pos : b->at.end;
		if (!same_text(m, (Span){ p, pe }, (Span){ q, qe }))
			return false;
		p = i < n ? la[i].at.end : pe;
		q = i < n ? lb[i].at.end : qe;
	}
	return true;
}

/* Can lanes of both arms run one instruction for these? */
static bool
insns_match(const Fn *fn, const Stmt *a, const Stmt *b)
{
	Leaf la[LEAVES], lb[LEAVES];

	if (a->guard != b->guard ||
		!same_text(fn->m, (Span){ a->head, a->head_end }, (Span){ b->head, b->head_end }))
		return false;
	uint32_t n = meld_leaves(fn->m, a, la);
	if (n > LEAVES || meld_leaves(fn->m, b, lb) != n || !same_frame(fn->m, a, b, la, lb, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!leaves_match(fn, &la[i], &lb[i]))
			return false;
	return true;
}

/* Statements that put nothing into the melded code. */
static bool
silent(const Stmt *s)
{
	return s->kind == STMT_LABEL || s->kind == STMT_LOC || s->kind == STMT_MARKER ||
		s->kind == STMT_PRAGMA;
}

static bool
units_match(const Fn *fn, Unit a, Unit b)
{
	uint32_t s = a.first, t = b.first;

	for (;; s++, t++) {
		while (s <= a.last && silent(fn_stmt(fn, s)))
			s++;
		while (t <= b.last && silent(fn_stmt(fn, t)))
			t++;
		if (s > a.last || t > b.last)
			return s > a.last && t > b.last;
		const Stmt *x = fn_stmt(fn, s), *y = fn_stmt(fn, t);
		if (x->kind != y->kind ||
			(x->kind == STMT_INSN ? !insns_match(fn, x, y) :
						!same_text(fn->m, x->at, y->at)))
			return false;
	}
}

/* ---- arms as graphs of nodes ----------------------------------------------------------------- */

static uint32_t
new_node(Arm *arm)
{
	if (arm->nodes.n == 0)
		*vec_push(&arm->nodes) = (Node){ 0 };
	*vec_push(&arm->nodes) = (Node){ 0 };
	return arm->nodes.n - 1;
}

/* Control goes on from a block in one way, to a block that is reached in no other? */
static bool
chained(const Fn *fn, const Arm *arm, uint32_t b)
{
	const Cfg *g = fn->cfg;

	return g->blocks[b].nsucc == 1 && bits_has(arm->region->blocks, cfg_succ(g, b)[0]) &&
		g->blocks[cfg_succ(g, b)[0]].npred == 1;
}

static void
add_units(const Fn *fn, Node *n, uint32_t b)
{
	uint32_t t = cfg_terminator(fn->cfg, b), open = 0, depth = 0;

	FN_BLOCK_STMTS(fn, b, s) {
		const Stmt *st = fn_stmt(fn, s);
		if (s == t || silent(st))
			continue;
		open = depth ? open : s;
		depth += st->kind == STMT_OPEN;
		depth -= st->kind == STMT_CLOSE;
		if (depth == 0)
			*vec_push(&n->units) = (Unit){ open, s };
	}
}

static uint32_t
behind_empty(const Fn *fn, uint32_t b)
{
	for (uint32_t i = 0; i < fn->cfg->nblocks && region_block_empty(fn, b); i++)
		b = cfg_succ(fn->cfg, b)[0];
	return b;
}

/* The block that control comes to from b through empty ones of the arm. */
static uint32_t
skip_empty(const Fn *fn, const Arm *arm, uint32_t b)
{
	for (uint32_t i = 0; i < fn->cfg->nblocks; i++) {
		if (!bits_has(arm->region->blocks, b) || !region_block_empty(fn, b))
			break;
		b = cfg_succ(fn->cfg, b)[0];
	}
	return b;
}

/* The node that begins with block b, which is made with all that follows. */
static uint32_t
node_at(const Fn *fn, Arm *arm, uint32_t b, uint32_t *of_block)
{
	if (of_block[b])
		return of_block[b];
	uint32_t n = of_block[b] = new_node(arm);
	if (!bits_has(arm->region->blocks, b)) {
		arm->nodes.at[n].leaves = b;
		arm->nodes.at[n].goes = behind_empty(fn, b);
		return n;
	}
	const Loops *l = fn->loops;
	arm->nodes.at[n].depth = l->loops[l->loop_of[b]].depth -
		l->loops[l->loop_of[arm->region->entry]].depth;
	for (; chained(fn, arm, b); b = cfg_succ(fn->cfg, b)[0])
		add_units(fn, &arm->nodes.at[n], b);
	add_units(fn, &arm->nodes.at[n], b);
	uint32_t t = cfg_terminator(fn->cfg, b), to[2], nto = fn->cfg->blocks[b].nsucc;
	if (nto == 2)
		arm->nodes.at[n].branch = t;
	for (uint32_t i = 0; i < nto; i++)
		to[i] = node_at(fn, arm, skip_empty(fn, arm, cfg_succ(fn->cfg, b)[i]), of_block);
	memcpy(arm->nodes.at[n].to, to, nto * sizeof *to);
	arm->nodes.at[n].nto = nto;
	return n;
}

/* What no arm may have. */
static const char *
unfit(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);
	uint32_t flags = s->kind == STMT_INSN ? ptx_flags(fn->m, s) : 0;
	uint32_t effects = s->kind == STMT_INSN ? effects_stmt(fn->m, fn->effects, stmt) : 0;

	if (s->kind == STMT_INSN && ptx_op(fn->m, s) == OP_UNKNOWN)
		return "an instruction that is not known";
	if (effects & (EFF_BARRIER | EFF_CROSS))
		return "an operation between lanes";
	if (flags & (OPF_EXIT | OPF_STACK) || effects & EFF_EXIT)
		return "an instruction that ends the thread or moves its stack";
	if (flags & OPF_BRANCH && ptx_op(fn->m, s) == OP_BRX)
		return "a branch by a table";
	return NULL;
}

static Verdict
arm_make(Meld *x, Arm *arm)
{
	const Fn *fn = x->fn;

	arm->place = arena_array(x->arena, fn->f->nsym, sizeof *arm->place);
	BITS_EACH(b, arm->region->blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			const char *what = unfit(fn, s);
			if (what)
				return verdict(x->arena, D_DISTRIBUTE, fn_stmt(fn, s)->at.pos,
					"an arm has %s", what);
		}
	node_at(fn, arm, arm->region->entry,
		arena_array(x->arena, fn->cfg->nblocks, sizeof(uint32_t)));
	return VERDICT_YES;
}

/* ---- blocks that correspond ------------------------------------------------------------------ */

static const Node *
node(const Meld *x, uint32_t arm, uint32_t n)
{
	return &x->arm[arm].nodes.at[n];
}

/* Adds the nodes, and those behind them, as pairs. False: the graphs differ, and pairs are as they
 * were. */
static bool
correspond(Meld *x, uint32_t a, uint32_t b, uint32_t *tries)
{
	const Node *p = node(x, 0, a), *q = node(x, 1, b);
	uint32_t before = x->pairs.n;

	for (uint32_t i = 0; i < x->pairs.n; i++)
		if (x->pairs.at[i].node[0] == a || x->pairs.at[i].node[1] == b)
			return x->pairs.at[i].node[0] == a && x->pairs.at[i].node[1] == b;
	if (p->nto != q->nto || !p->leaves != !q->leaves || ++*tries > MOST_TRIES)
		return false;
	*vec_push(&x->pairs) = (Pair){ .node = { a, b } };
	for (uint32_t swap = 0; swap < (p->nto == 2 ? 2 : 1); swap++) {
		bool same = true;
		x->pairs.at[before].swapped = swap;
		for (uint32_t i = 0; i < p->nto && same; i++)
			same = correspond(x, p->to[i], q->to[i ^ swap], tries);
		if (same)
			return true;
		x->pairs.n = before + 1;
	}
	x->pairs.n = before;
	return false;
}

/* ---- places of registers --------------------------------------------------------------------- */

uint32_t
meld_place(const Meld *x, uint32_t arm, uint32_t sym)
{
	uint32_t p = ptx_has_sym(x->fn->f, sym) ? x->arm[arm].place[fn_local(x->fn, sym)] : 0;

	return p && x->places.at[p].sym[0] == x->places.at[p].sym[1] ? 0 : p;
}

bool
meld_differs(const Meld *x, const Leaf *a, const Leaf *b)
{
	if (!selectable(x->fn, a) || !selectable(x->fn, b))
		return false;
	uint32_t p = meld_place(x, 0, a->sym), q = meld_place(x, 1, b->sym);
	return p != q || (!p && a->sym != b->sym);
}

/* Gives two registers one place, if neither has another. */
static void
share(Meld *x, const Leaf *a, const Leaf *b)
{
	if (!selectable(x->fn, a) || !selectable(x->fn, b))
		return;
	uint32_t *p = &x->arm[0].place[fn_local(x->fn, a->sym)];
	uint32_t *q = &x->arm[1].place[fn_local(x->fn, b->sym)];
	if (*p || *q)
		return;
	if (x->places.n == 0)
		*vec_push(&x->places) = (Place){ 0 };
	*vec_push(&x->places) = (Place){ { a->sym, b->sym }, false };
	*p = *q = x->places.n - 1;
}

/* The instructions of a row that both arms have: the next two at or behind *a and *b. False: there
 * is none. */
static bool
next_insns(const Fn *fn, const Row *st, uint32_t *a, uint32_t *b)
{
	while (*a <= st->of[0].last && fn_stmt(fn, *a)->kind != STMT_INSN)
		++*a;
	while (*b <= st->of[1].last && fn_stmt(fn, *b)->kind != STMT_INSN)
		++*b;
	return *a <= st->of[0].last;
}

/* Shares places between the leaves of a row that both arms have: those that are written, or the
 * others. */
static void
share_row(Meld *x, const Row *st, bool written)
{
	Leaf la[LEAVES], lb[LEAVES];

	for (uint32_t a = st->of[0].first, b = st->of[1].first; next_insns(x->fn, st, &a, &b);
		a++, b++) {
		uint32_t n = meld_leaves(x->fn->m, fn_stmt(x->fn, a), la);
		meld_leaves(x->fn->m, fn_stmt(x->fn, b), lb);
		for (uint32_t i = 0; i < n; i++)
			if (la[i].written == written)
				share(x, &la[i], &lb[i]);
	}
}

/* How many operands must lanes select for a row that both have? UINT32_MAX: it writes to different
 * places. */
static uint32_t
selects(const Meld *x, const Row *st)
{
	Leaf la[LEAVES], lb[LEAVES];
	uint32_t sum = 0;

	for (uint32_t a = st->of[0].first, b = st->of[1].first; next_insns(x->fn, st, &a, &b);
		a++, b++) {
		uint32_t n = meld_leaves(x->fn->m, fn_stmt(x->fn, a), la);
		meld_leaves(x->fn->m, fn_stmt(x->fn, b), lb);
		for (uint32_t i = 0; i < n; i++) {
			if (la[i].written && meld_differs(x, &la[i], &lb[i]))
				return UINT32_MAX;
			sum += meld_differs(x, &la[i], &lb[i]);
		}
	}
	return sum;
}

/* ---- alignment ------------------------------------------------------------------------------- */

static uint64_t
unit_cost(const Fn *fn, Unit u)
{
	uint64_t sum = 0;

	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		sum += cost_stmt(fn, s);
	return sum;
}

enum { SELECT = 2 }; /* issue slots */

/* What is gained if the two are one. 0: nothing, or they cannot be. */
static uint32_t
gain(const Meld *x, Unit a, Unit b, bool first)
{
	if (!units_match(x->fn, a, b))
		return 0;
	uint64_t cost = unit_cost(x->fn, a);
	uint32_t n = first ? 0 : selects(x, &(Row){ { a, b } });
	if (n == UINT32_MAX)
		return first ? (uint32_t)cost : 0;
	return cost > (uint64_t)n * SELECT ? (uint32_t)(cost - n * SELECT) : 0;
}

/* Aligns the units of two nodes for the greatest gain (Needleman and Wunsch): best[i][j] is that of
 * the units from i and j on. */
static bool
align(Meld *x, Pair *p, bool first)
{
	const Units *a = &node(x, 0, p->node[0])->units, *b = &node(x, 1, p->node[1])->units;
	uint32_t w = b->n + 1;

	if ((uint64_t)(a->n + 1) * w > MOST_CELLS)
		return false;
	Arena_mark mark = arena_mark(x->arena);
	uint32_t *best = arena_array(x->arena, (a->n + 1) * w, sizeof *best);
	uint32_t *both = arena_array(x->arena, (a->n + 1) * w, sizeof *both);
	for (uint32_t i = a->n; i-- > 0;)
		for (uint32_t j = b->n; j-- > 0;) {
			uint32_t g = both[i * w + j] = gain(x, a->at[i], b->at[j], first);
			uint32_t one = best[(i + 1) * w + j], other = best[i * w + j + 1];
			uint32_t together = g ? g + best[(i + 1) * w + j + 1] : 0;
			best[i * w + j] = together > one && together > other ? together :
				one > other                                  ? one :
									       other;
		}
	p->rows.n = 0;
	for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
		Row s = { 0 };
		uint32_t here = i * w + j;
		bool go = i < a->n && j < b->n && both[here] &&
			best[here] == both[here] + best[here + w + 1];
		bool left = !go && i < a->n && (j == b->n || best[here] == best[here + w]);
		if (go || left)
			s.of[0] = a->at[i++];
		if (go || !left)
			s.of[1] = b->at[j++];
		*vec_push(&p->rows) = s;
	}
	arena_release(x->arena, mark);
	return true;
}

static bool
is_both(const Row *s)
{
	return s->of[0].first && s->of[1].first;
}

/* Parts the arms' units of a row that turned out to write to different places. */
static void
part_rows(Meld *x, Pair *p)
{
	VEC(Row) rows = { 0 };

	for (uint32_t i = 0; i < p->rows.n; i++) {
		Row s = p->rows.at[i];
		if (is_both(&s) && selects(x, &s) == UINT32_MAX) {
			*vec_push(&rows) = (Row){ .of[0] = s.of[0] };
			s.of[0] = (Unit){ 0 };
		}
		*vec_push(&rows) = s;
	}
	vec_free(&p->rows);
	p->rows.at = rows.at;
	p->rows.n = rows.n;
	p->rows.cap = rows.cap;
}

/* The predicates by which corresponding nodes branch. */
static void
share_branch(Meld *x, const Pair *p)
{
	Leaf la[LEAVES], lb[LEAVES];
	uint32_t a = node(x, 0, p->node[0])->branch, b = node(x, 1, p->node[1])->branch;

	if (!a || !b)
		return;
	meld_leaves(x->fn->m, fn_stmt(x->fn, a), la);
	meld_leaves(x->fn->m, fn_stmt(x->fn, b), lb);
	share(x, &la[0], &lb[0]);
}

/* Gives places to the registers of all pairs, those in loops first. */
static void
give_places(Meld *x, bool written)
{
	for (uint32_t depth = 8; depth-- > 0;)
		for (uint32_t i = 0; i < x->pairs.n; i++) {
			const Pair *p = &x->pairs.at[i];
			uint32_t d = node(x, 0, p->node[0])->depth;
			if ((d < 8 ? d : 7) != depth)
				continue;
			for (uint32_t k = 0; k < p->rows.n; k++)
				if (is_both(&p->rows.at[k]))
					share_row(x, &p->rows.at[k], written);
			if (!written)
				share_branch(x, p);
		}
}

/* Aligns all pairs, by the places of the last round, and gives places anew. */
static bool
align_all(Meld *x, bool first)
{
	for (uint32_t i = 0; i < x->pairs.n; i++)
		if (!align(x, &x->pairs.at[i], first))
			return false;
	x->places.n = 0;
	for (uint32_t arm = 0; arm < 2; arm++)
		memset(x->arm[arm].place, 0, x->fn->f->nsym * sizeof *x->arm[arm].place);
	give_places(x, true);
	give_places(x, false);
	for (uint32_t i = 0; i < x->pairs.n; i++)
		part_rows(x, &x->pairs.at[i]);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint32_t
count_insns(const Fn *fn, Unit u)
{
	uint32_t n = 0;

	for (uint32_t s = u.first; u.first && s <= u.last; s++)
		n += fn_stmt(fn, s)->kind == STMT_INSN;
	return n;
}

static void
add_cost(Meld *x, const Pair *p)
{
	uint64_t weight = 1;

	for (uint32_t d = node(x, 0, p->node[0])->depth; d > 0 && weight < 1 << 24; d--)
		weight *= COST_LOOP_WEIGHT;
	for (uint32_t i = 0; i < p->rows.n; i++) {
		const Row *s = &p->rows.at[i];
		uint64_t a = unit_cost(x->fn, s->of[0]), b = unit_cost(x->fn, s->of[1]);
		x->before += weight * (a + b);
		x->after += weight * (is_both(s) ? a + SELECT * selects(x, s) : a + b);
		x->total += count_insns(x->fn, s->of[0]) + count_insns(x->fn, s->of[1]);
		x->both += is_both(s) ? 2 * count_insns(x->fn, s->of[0]) : 0;
	}
}

/* What comes in and goes out costs a move for each place that is live there. */
static void
add_moves(Meld *x)
{
	const Live *live = x->fn->live;

	for (uint32_t i = 1; i < x->places.n; i++)
		for (uint32_t arm = 0; arm < 2; arm++) {
			const Region *r = x->arm[arm].region;
			uint32_t sym = fn_local(x->fn, x->places.at[i].sym[arm]);
			if (!meld_place(x, arm, x->places.at[i].sym[arm]))
				continue;
			x->after += (uint64_t)SELECT * bits_has(live->in[r->entry], sym);
			x->after +=
				(uint64_t)SELECT * (r->next && bits_has(live->in[r->next], sym));
		}
}

/* Notes what code of one arm alone writes. */
static void
find_weak(Meld *x, const Row *row)
{
	for (uint32_t arm = 0; arm < 2; arm++)
		for (uint32_t s = row->of[arm].first; s && s <= row->of[arm].last; s++)
			FN_WRITES(x->fn, s, r) {
				uint32_t p = meld_place(x, arm, r->sym);
				if (p)
					x->places.at[p].weak = true;
				else if (meld_movable(x->fn, r->sym) &&
					fn_depth(x->fn, x->fn->m->syms[r->sym].decl) == 0)
					bits_set(x->weak, fn_local(x->fn, r->sym));
			}
}

static void
find_all_weak(Meld *x)
{
	x->weak = bits_new(x->arena, x->fn->f->nsym);
	for (uint32_t i = 0; i < x->pairs.n; i++)
		for (uint32_t k = 0; k < x->pairs.at[i].rows.n; k++)
			if (!is_both(&x->pairs.at[i].rows.at[k]))
				find_weak(x, &x->pairs.at[i].rows.at[k]);
}

Verdict
meld_make(Meld *x, const Fn *fn, const Region *then, const Region *other, Arena *a)
{
	uint32_t pos = fn_stmt(fn, fn->m->markers[then->marker].stmt)->at.pos, tries = 0;
	Verdict v;

	*x = (Meld){ .fn = fn, .arena = a, .arm = { { .region = then }, { .region = other } } };
	if (verdict_no(v = arm_make(x, &x->arm[0])) || verdict_no(v = arm_make(x, &x->arm[1])))
		return v;
	if (!correspond(x, 1, 1, &tries))
		return verdict_note(verdict(a, D_DISTRIBUTE, pos,
					    "the arms' branches and loops have different shapes"),
			a, DIAG_NOWHERE, "annotate the parts of the arms that are alike");
	for (uint32_t round = 0; round < ROUNDS; round++)
		if (!align_all(x, round == 0))
			return verdict(a, D_DISTRIBUTE, pos, "the arms are too long");
	for (uint32_t i = 0; i < x->pairs.n; i++)
		add_cost(x, &x->pairs.at[i]);
	add_moves(x);
	find_all_weak(x);
	if (x->after >= x->before)
		return verdict(a, D_DISTRIBUTE, pos,
			"nothing would be gained: of %u instructions %u are in both arms", x->total,
			x->both);
	return VERDICT_YES;
}

void
meld_release(Meld *x)
{
	for (uint32_t arm = 0; arm < 2; arm++) {
		for (uint32_t i = 0; i < x->arm[arm].nodes.n; i++)
			vec_free(&x->arm[arm].nodes.at[i].units);
		vec_free(&x->arm[arm].nodes);
	}
	for (uint32_t i = 0; i < x->pairs.n; i++)
		vec_free(&x->pairs.at[i].rows);
	vec_free(&x->pairs);
	vec_free(&x->places);
}
