/* SPDX-License-Identifier: MIT */
/* Reductions: live-outs of a path that the loop only folds into (reduction_web.c).
 *
 * Each lane has a slot, which holds the operation's identity before any lane wants a path. A run of
 * the path begins with the identity, and its result is folded into the slot of the owner: the
 * running lane's own slot, or that of the lane number that was popped with the task. The owner
 * continues with the variable unchanged. In the end it folds the value of its slot into the
 * live-out register, once. All lanes set their slots at one place and read them at one place, with
 * a barrier between these and the folds.
 */
#include "validate/task/task.h"

/* ---- reductions of the text ------------------------------------------------------------------ */

static const Sum *
sum_of(const Site *s, uint32_t path, uint32_t out)
{
	for (uint32_t i = 0; i < s->nsums; i++)
		if (s->sums[i].path == path && s->sums[i].out == out)
			return &s->sums[i];
	return NULL;
}

static uint32_t
bit_of(const Site *s, const Sum *x)
{
	return UINT32_C(1) << (x - s->sums);
}

/* All reductions of a path. */
static uint32_t
bits_of(const Site *s, uint32_t path)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < s->nsums; i++)
		all |= s->sums[i].path == path ? UINT32_C(1) << i : 0;
	return all;
}

/* Finds the live-in register of the path that belongs to the web. */
static bool
find_in(const Site *s, Sum *x)
{
	const Path *p = &s->paths[x->path];

	for (uint32_t i = 0; i < p->ninputs; i++)
		if (!p->sels[i] && web_has(s, x, p->inputs[i])) {
			if (x->in)
				return false;
			x->in = p->inputs[i];
		}
	return x->in != 0;
}

/* Whether the path is nested in another one, or contains one. */
static bool
is_nested(const Site *s, uint32_t path)
{
	for (uint32_t i = 0; i < s->npaths; i++)
		if (s->paths[i].around && (i == path || s->paths[i].around == path + 1))
			return true;
	return false;
}

/* The reduction that an access to a slot folds into; NULL for another form. */
static const Sum *
add(Site *s, uint32_t stmt)
{
	const Opnd *v = step_operand(s, stmt, 1);
	const Reg *r = site_reg(s, v->kind == OPND_SYM ? v->sym : 0);
	uint32_t q = path_of_reg(s, r);

	if (!q || !fn_is_reg(s->fn, r->in) || step_at(s, stmt)->op != OP_RED)
		return NULL;
	const Sum *was = sum_of(s, q - 1, r->in);
	if (was)
		return was;
	Sum x = { .path = q - 1, .out = r->in, .at = step_at(s, stmt)->offset };
	x.web = bits_new(s->arena, s->fn->f->nsym);
	bits_set(x.web, fn_local(s->fn, x.out));
	if (is_nested(s, x.path) || s->nsums == MOST_SUMS || !web_find(s, &x) || !find_in(s, &x))
		return NULL;
	s->sums[s->nsums] = x;
	return &s->sums[s->nsums++];
}

static bool
is_warpwide(const Site *s, const Region *r)
{
	return annot_has(&s->fn->m->markers[r->marker].annot, CLAUSE_WARPWIDE);
}

bool
sums_warpwide(const Site *s)
{
	/* all annotated paths, because s->paths is empty if the form is unknown */
	for (uint32_t i = 0; i < s->region->npaths; i++)
		if (is_warpwide(s, s->region->paths[i]))
			return true;
	for (uint32_t i = 0; i < s->region->nrounds; i++)
		if (is_warpwide(s, s->region->rounds[i]))
			return true;
	return is_warpwide(s, s->region);
}

bool
sums_init(Site *s)
{
	if (sums_warpwide(s))
		return site_unknown(s, s->begin, "a reduction of the path may stay with the lane that runs it");
	for (uint32_t i = s->begin; i < s->end; i++) {
		const Step *k = step_at(s, i);
		if (!k->buffer || k->op == OP_LD || k->op == OP_ST)
			continue;
		const Sum *x = add(s, i);
		if (!x)
			return site_unknown(s, i, "a reduction of another form");
		if (!web_same(x->fold, web_fold_in_memory(s->out, &s->out->stmts[i])))
			return site_fault(
				s, i, "a reduction by another operation than the input's");
	}
	return true;
}

bool
sums_has(const Site *s, uint32_t path, uint32_t out)
{
	return sum_of(s, path, out) != NULL;
}

bool
sums_comes_in(const Site *s, uint32_t path, uint32_t in)
{
	for (uint32_t i = 0; i < s->nsums; i++)
		if (s->sums[i].path == path && s->sums[i].in == in)
			return true;
	return false;
}

/* ---- before and after a path ----------------------------------------------------------------- */

/* Whether operand k is the identity, in a statement of the right width. */
static bool
is_identity(const Site *s, const Sum *x, uint32_t stmt, uint32_t k)
{
	const Opnd *o = step_operand(s, stmt, k);
	uint64_t v;
	bool real;

	return o->kind == OPND_IMM && ptx_imm(s->out, o, &v, &real) && !real &&
		v == web_identity(x->fold) &&
		ptx_type_size(ptx_insn_type(s->out, &s->out->stmts[stmt])) ==
			ptx_type_size((Type)x->fold.type);
}

bool
sums_identity(Site *s, Lane *l, uint32_t stmt, const Reg *r)
{
	uint32_t q = path_of_reg(s, r);

	if (step_at(s, stmt)->op != OP_MOV || step_operand(s, stmt, 1)->kind != OPND_IMM)
		return false;
	for (uint32_t i = 0; q && i < s->nsums; i++) {
		const Sum *x = &s->sums[i];
		if (x->path != q - 1 || x->in != r->in || !is_identity(s, x, stmt, 1))
			continue;
		*path_slot(s, l, r) = term_make(&s->terms, TERM_IDENTITY, x->path, x->in, 0);
		return true;
	}
	return false;
}

/* The output's register that stands for the live-out. */
static Term_id *
result(Site *s, Lane *l, const Sum *x)
{
	for (uint32_t i = 0; i < s->ncopies; i++) {
		Reg *r = site_reg(s, s->copies[i]);
		if (path_of_reg(s, r) == x->path + 1 && r->in == x->out && !r->turn)
			return path_room(s, l, r);
	}
	return NULL;
}

void
sums_run(Site *s, Lane *l, uint32_t path)
{
	for (uint32_t i = 0; i < s->nsums; i++) {
		Term_id *at = s->sums[i].path == path ? result(s, l, &s->sums[i]) : NULL;
		if (at)
			*at = term_make(&s->terms, TERM_RESULT, path, s->sums[i].out, 0);
	}
	l->folded &= ~bits_of(s, path);
}

bool
sums_folded(Site *s, const Lane *l)
{
	return !l->ran || (bits_of(s, l->ran_path - 1) & ~l->folded) == 0 ||
		site_fault(s, l->o, "what a path has folded is lost");
}

/* Whether the owner has passed the path and not forwarded the variable yet. */
static bool
is_owed(const Site *s, const Lane *l, const Sum *x)
{
	return (l->fresh >> x->path & 1) && !sums_handed(s, l, x->path, x->out);
}

/* A path may itself add to a variable that another path folds into. The owner then executes the
 * addition, after all paths that it has passed. */
bool
sums_touched(const Site *s, const Lane *l, uint32_t path, uint32_t in)
{
	for (uint32_t i = 0; i < s->nsums; i++)
		FN_WRITES(s->fn, in, r)
			if (web_has(s, &s->sums[i], r->sym) &&
				(s->sums[i].path == path || is_owed(s, l, &s->sums[i])))
				return true;
	return false;
}

/* The first reduction passed by the lane whose live-out and live-in these registers are. */
static const Sum *
hands(const Site *s, const Lane *l, uint32_t to, uint32_t from)
{
	const Sum *first = NULL;

	for (uint32_t i = 0; i < s->nsums; i++) {
		const Sum *x = &s->sums[i];
		if (is_owed(s, l, x) && match_sym(s, to, x->out, 0) &&
			match_sym(s, from, x->in, 0) &&
			(!first || l->order[x->path] < l->order[first->path]))
			first = x;
	}
	return first;
}

bool
sums_hand_on(const Site *s, Lane *l, uint32_t stmt)
{
	if (!l->fresh || l->task || step_at(s, stmt)->op != OP_MOV)
		return false;
	const Opnd *to = step_operand(s, stmt, 0), *from = step_operand(s, stmt, 1);
	const Sum *y = to->kind == OPND_SYM && from->kind == OPND_SYM ?
		hands(s, l, to->sym, from->sym) : NULL;
	for (uint32_t i = 0; y && i < s->nsums; i++) {
		const Sum *x = &s->sums[i];
		if (is_owed(s, l, x) && l->order[x->path] < l->order[y->path] &&
			web_has(s, x, y->in))
			return false; /* the live-in must be forwarded first */
	}
	if (y)
		l->handed |= bit_of(s, y);
	return y;
}

bool
sums_handed(const Site *s, const Lane *l, uint32_t path, uint32_t out)
{
	const Sum *x = sum_of(s, path, out);

	return x->in == x->out || (l->handed & bit_of(s, x));
}

void
sums_passed(const Site *s, Lane *l, uint32_t path)
{
	l->handed &= ~bits_of(s, path);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* The reduction whose slot is accessed; records the row. owner: set to the slot's lane number, a
 * term. NULL on a fault. */
static const Sum *
slot(Site *s, Lane *l, uint32_t stmt, Term_id *owner)
{
	const Step *k = step_at(s, stmt);
	Term_id at = buffer_rest(s, l, stmt, k->op == OP_LD);
	const Term t = *term_at(&s->terms, at);

	if (!at)
		return NULL;
	Term_atom a = t.op == TERM_SUM && t.n == 1 ? s->terms.atoms.at[t.first] : (Term_atom){ 0 };
	for (uint32_t i = 0; a.factor == k->width && i < s->nsums; i++) {
		const Sum *x = &s->sums[i];
		Row r = { .at = t.c, .size = k->width, .path = x->path, .sym = x->out,
			.lanes = true };
		if (x->at != t.c || k->width != ptx_type_size((Type)x->fold.type))
			continue;
		*owner = a.atom;
		if (buffer_row(s, r))
			return x;
		site_fault(s, stmt, "a row of the buffer holds two values");
		return NULL;
	}
	site_fault(s, stmt, "this is no slot of a reduction");
	return NULL;
}

static bool
is_mine(Site *s, Term_id owner)
{
	return owner == term_make(&s->terms, TERM_SPECIAL, SREG_LANEID, 0, 0);
}

/* The lane initializes its own slot, once, at a place where the group has not diverged. */
bool
sums_store(Site *s, Lane *l, uint32_t stmt)
{
	Term_id owner;
	const Sum *x = slot(s, l, stmt, &owner);

	if (!x)
		return false;
	if (!is_mine(s, owner) || l->parted || l->begun & bit_of(s, x) ||
		!is_identity(s, x, stmt, 1))
		return site_fault(s, stmt, "a slot that does not begin with the identity");
	l->begun |= bit_of(s, x);
	l->did |= DID_PUSH(OF_SUMS);
	return true;
}

/* The result of a run is folded into the owner's slot. */
bool
sums_fold(Site *s, Lane *l, uint32_t stmt)
{
	const Reg *r = site_reg(s, step_operand(s, stmt, 1)->sym);
	uint32_t q = path_of_reg(s, r);
	Term_id owner, *at = path_slot(s, l, r);
	const Sum *x = slot(s, l, stmt, &owner);

	if (!x)
		return false;
	if (l->task || !l->ran || l->ran_path != q || x->path != q - 1 || x->out != r->in || !at ||
		*at != term_make(&s->terms, TERM_RESULT, x->path, x->out, 0))
		return site_fault(s, stmt, "the reduced value is not the result of the path");
	if (((l->folded | l->loaded) & bit_of(s, x)))
		return site_fault(s, stmt, "what came of the path is folded twice");
	bool mine = is_mine(s, owner);
	const Term word = *term_at(&s->terms, owner);
	if (l->ran == (mine ? RAN_POPPED : RAN_OWN) || (!mine && word.op != TERM_WORD))
		return site_fault(s, stmt, "what came of the path goes to another lane");
	l->ran = mine ? RAN_OWN : RAN_POPPED;
	l->folded |= bit_of(s, x);
	l->did |= DID_POP(OF_SUMS);
	Row row = { .at = word.a, .size = word.b, .path = x->path, .sym = OWNER, .popped = true };
	return mine || buffer_row(s, row) ||
		site_fault(s, stmt, "a row of the buffer holds two values");
}

/* The lane reads its own slot where the group has not diverged; no lane folds into it any more. */
bool
sums_load(Site *s, Lane *l, uint32_t stmt)
{
	Reg *r = site_reg(s, step_operand(s, stmt, 0)->sym);
	Term_id owner, *at = path_room(s, l, r);
	const Sum *x = slot(s, l, stmt, &owner);

	if (!x)
		return false;
	if (path_of_reg(s, r) && !at)
		return site_unknown(s, stmt, "too many values");
	if (!is_mine(s, owner) || l->parted || l->task || !(l->begun & bit_of(s, x)) || !at ||
		path_of_reg(s, r) != x->path + 1 || r->in != x->out)
		return site_fault(s, stmt, "a slot that is not the lane's own");
	*at = term_make(&s->terms, TERM_TOTAL, x->path, x->out, 0);
	l->loaded |= bit_of(s, x);
	l->did |= DID_PUSH(OF_SUMS);
	l->ran_since = true;
	return true;
}

/* Whether the statement folds the slot's value into a register of the web. */
bool
sums_end(Site *s, Lane *l, uint32_t stmt)
{
	const Stmt *t = &s->out->stmts[stmt];

	if (!l->loaded || l->task || t->nopnd != 3 || t->guard)
		return false;
	const Opnd *to = step_operand(s, stmt, 0), *with = step_operand(s, stmt, 1),
		   *by = step_operand(s, stmt, 2);
	if (to->kind != OPND_SYM || with->kind != OPND_SYM || by->kind != OPND_SYM)
		return false;
	const Reg *own = site_reg(s, to->sym), *slot = site_reg(s, by->sym);
	const Term_id *at = path_slot(s, l, slot);
	const Term x = *term_at(&s->terms, at ? *at : 0);
	const Sum *k = x.op == TERM_TOTAL ? sum_of(s, x.a, x.b) : NULL;
	if (!k || own->kind != REG_OWN || to->sym != with->sym || !web_has(s, k, own->in) ||
		!web_same(k->fold, web_fold(s->out, t)))
		return false;
	if (l->ended || !cursor_live(s, cursor_plain(s, l->at), own->in))
		return true;
	if (l->given & bit_of(s, k))
		return site_fault(s, stmt, "what others folded for a lane is taken twice");
	l->given |= bit_of(s, k);
	return true;
}

bool
sums_given(Site *s, const Lane *l, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->nsums && !l->ended; i++)
		BITS_EACH(y, s->sums[i].web)
			if ((l->begun & ~l->given) >> i & 1 &&
				cursor_live(s, cursor_plain(s, l->at), fn_sym(s->fn, y)))
				return site_fault(s, stmt,
					"a lane leaves without what others folded for it");
	return true;
}

bool
sums_ready(Site *s, const Lane *l, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->nsums; i++)
		if ((task_all(s, s->sums[i].path) & l->hand) && !(l->begun >> i & 1))
			return site_fault(s, stmt, "a lane wants a path, and has no slot for it");
	return !l->loaded || site_fault(s, stmt, "a round behind the last one");
}
