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

static const Slot_reduction *
reduction_of_output(const Reductions *reductions, uint32_t path, uint32_t out)
{
	for (uint32_t i = 0; i < reductions->n; i++)
		if (reductions->at[i].path == path && reductions->at[i].out == out)
			return &reductions->at[i];
	return NULL;
}

static uint32_t
reduction_bit(const Reductions *reductions, const Slot_reduction *x)
{
	return UINT32_C(1) << (x - reductions->at);
}

/* All reductions of a path. */
static uint32_t
reduction_bits(const Reductions *reductions, uint32_t path)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < reductions->n; i++)
		all |= reductions->at[i].path == path ? UINT32_C(1) << i : 0;
	return all;
}

/* Finds the live-in register of the path that belongs to the web. */
static bool
find_input(const Loop_check *s, Slot_reduction *x)
{
	const Input_path *p = &s->paths.at[x->path];

	for (uint32_t i = 0; i < p->ninputs; i++)
		if (!p->sels[i] && web_has_register(s->in.fn, x, p->inputs[i])) {
			if (x->in)
				return false;
			x->in = p->inputs[i];
		}
	return x->in != 0;
}

/* Whether the path is nested in another one, or contains one. */
static bool
is_nested(const Collected_paths *paths, uint32_t path)
{
	for (uint32_t i = 0; i < paths->n; i++)
		if (paths->at[i].enclosing && (i == path || paths->at[i].enclosing == path + 1))
			return true;
	return false;
}

/* The reduction that an access to a slot folds into; NULL for another form. */
static const Slot_reduction *
add_reduction(Loop_check *s, uint32_t stmt)
{
	const Opnd *v = output_operand(&s->out, stmt, 1);
	const Output_reg *r = output_reg(&s->out, v->kind == OPND_SYM ? v->sym : 0);
	uint32_t q = reg_path(&s->paths, r);

	if (!q || !fn_is_reg(s->in.fn, r->input_sym) || output_stmt(&s->out, stmt)->op != OP_RED)
		return NULL;
	const Slot_reduction *was = reduction_of_output(&s->reductions, q - 1, r->input_sym);
	if (was)
		return was;
	Slot_reduction x = {
		.path = q - 1, .out = r->input_sym, .row = output_stmt(&s->out, stmt)->access.offset
	};
	x.web = bits_new(s->arena, s->in.fn->f->nsym);
	bits_set(x.web, fn_local(s->in.fn, x.out));
	if (is_nested(&s->paths, x.path) || s->reductions.n == MAX_REDUCTIONS || !web_find(s, &x) ||
		!find_input(s, &x))
		return NULL;
	s->reductions.at[s->reductions.n] = x;
	return &s->reductions.at[s->reductions.n++];
}

static bool
is_warpwide(const Input_text *input, const Region *r)
{
	return annot_has(&input->fn->m->markers[r->marker].annot, CLAUSE_WARPWIDE);
}

bool
reductions_find_warpwide(const Input_text *input)
{
	/* all annotated paths, because s->paths.at is empty if the form is unknown */
	for (uint32_t i = 0; i < input->region->npaths; i++)
		if (is_warpwide(input, input->region->paths[i]))
			return true;
	for (uint32_t i = 0; i < input->region->ninner_loops; i++)
		if (is_warpwide(input, input->region->inner_loops[i]))
			return true;
	return is_warpwide(input, input->region);
}

bool
reductions_init(Loop_check *s)
{
	if (reductions_find_warpwide(&s->in))
		return loop_check_unknown(s, s->out.begin, "a reduction of the path may stay with the lane that runs it");
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		const Output_stmt *k = output_stmt(&s->out, i);
		if (!k->buffer || k->op == OP_LD || k->op == OP_ST)
			continue;
		const Slot_reduction *x = add_reduction(s, i);
		if (!x)
			return loop_check_unknown(s, i, "a reduction of another form");
		if (!web_folds_equal(x->fold, web_fold_in_memory(s->out.m, &s->out.m->stmts[i])))
			return loop_check_fault(
				s, i, "a reduction by another operation than the input's");
	}
	return true;
}

bool
reduction_has_output(const Reductions *reductions, uint32_t path, uint32_t out)
{
	return reduction_of_output(reductions, path, out) != NULL;
}

bool
reduction_has_input(const Reductions *reductions, uint32_t path, uint32_t in)
{
	for (uint32_t i = 0; i < reductions->n; i++)
		if (reductions->at[i].path == path && reductions->at[i].in == in)
			return true;
	return false;
}

/* ---- before and after a path ----------------------------------------------------------------- */

/* Whether operand k is the identity, in a statement of the right width. */
static bool
is_identity(const Output_text *output, const Slot_reduction *x, uint32_t stmt, uint32_t k)
{
	const Opnd *o = output_operand(output, stmt, k);
	uint64_t v;
	bool real;

	return o->kind == OPND_IMM && ptx_imm(output->m, o, &v, &real) && !real &&
		v == web_identity(x->fold) &&
		ptx_type_size(ptx_insn_type(output->m, &output->m->stmts[stmt])) ==
			ptx_type_size((Type)x->fold.type);
}

bool
reduction_set_identity(Loop_check *s, Lane_state *l, uint32_t stmt, const Output_reg *r)
{
	uint32_t q = reg_path(&s->paths, r);

	if (output_stmt(&s->out, stmt)->op != OP_MOV ||
		output_operand(&s->out, stmt, 1)->kind != OPND_IMM)
		return false;
	for (uint32_t i = 0; q && i < s->reductions.n; i++) {
		const Slot_reduction *x = &s->reductions.at[i];
		if (x->path != q - 1 || x->in != r->input_sym || !is_identity(&s->out, x, stmt, 1))
			continue;
		*reg_env_slot(&s->emitted, l, r) =
			term_make(&s->terms, TERM_IDENTITY, x->path, x->in, 0);
		return true;
	}
	return false;
}

/* The output's register that stands for the live-out. */
static Term_id *
live_out_register(Loop_check *s, Lane_state *l, const Slot_reduction *x)
{
	for (uint32_t i = 0; i < s->copies.n; i++) {
		Output_reg *r = output_reg(&s->out, s->copies.syms[i]);
		if (reg_path(&s->paths, r) == x->path + 1 && r->input_sym == x->out &&
			!r->batch_index)
			return reg_env_slot_grow(s, l, r);
	}
	return NULL;
}

void
reduction_begin_run(Loop_check *s, Lane_state *l, uint32_t path)
{
	for (uint32_t i = 0; i < s->reductions.n; i++) {
		Term_id *at = s->reductions.at[i].path == path ?
			live_out_register(s, l, &s->reductions.at[i]) :
			NULL;
		if (at)
			*at = term_make(&s->terms, TERM_RESULT, path, s->reductions.at[i].out, 0);
	}
	l->reductions.folded &= ~reduction_bits(&s->reductions, path);
}

bool
reduction_all_folded(Loop_check *s, const Lane_state *l)
{
	return !l->round.task_source ||
		(reduction_bits(&s->reductions, l->round.path - 1) & ~l->reductions.folded) == 0 ||
		loop_check_fault(s, l->at.output, "what a path has folded is lost");
}

/* Whether the owner has passed the path and not forwarded the variable yet. */
static bool
reduction_is_pending(const Reductions *reductions, const Lane_state *l, const Slot_reduction *x)
{
	return (l->tasks.fresh >> x->path & 1) &&
		!reduction_is_forwarded(reductions, &l->reductions, x->path, x->out);
}

/* A path may itself add to a variable that another path folds into. The owner then executes the
 * addition, after all paths that it has passed. */
bool
reduction_is_touched(const Loop_check *s, const Lane_state *l, uint32_t path, uint32_t in)
{
	for (uint32_t i = 0; i < s->reductions.n; i++)
		FN_WRITES(s->in.fn, in, r)
			if (web_has_register(s->in.fn, &s->reductions.at[i], r->sym) &&
				(s->reductions.at[i].path == path ||
					reduction_is_pending(
						&s->reductions, l, &s->reductions.at[i])))
				return true;
	return false;
}

/* The first reduction passed by the lane whose live-out and live-in these registers are. */
static const Slot_reduction *
stmt_forwards(const Loop_check *s, const Lane_state *l, uint32_t to, uint32_t from)
{
	const Slot_reduction *first = NULL;

	for (uint32_t i = 0; i < s->reductions.n; i++) {
		const Slot_reduction *x = &s->reductions.at[i];
		if (reduction_is_pending(&s->reductions, l, x) && match_sym(s, to, x->out, 0) &&
			match_sym(s, from, x->in, 0) &&
			(!first || l->tasks.order[x->path] < l->tasks.order[first->path]))
			first = x;
	}
	return first;
}

bool
reduction_forward_value(const Loop_check *s, Lane_state *l, uint32_t stmt)
{
	if (!l->tasks.fresh || l->at.task || output_stmt(&s->out, stmt)->op != OP_MOV)
		return false;
	const Opnd *to = output_operand(&s->out, stmt, 0), *from = output_operand(&s->out, stmt, 1);
	const Slot_reduction *y = to->kind == OPND_SYM && from->kind == OPND_SYM ?
		stmt_forwards(s, l, to->sym, from->sym) : NULL;
	for (uint32_t i = 0; y && i < s->reductions.n; i++) {
		const Slot_reduction *x = &s->reductions.at[i];
		if (reduction_is_pending(&s->reductions, l, x) &&
			l->tasks.order[x->path] < l->tasks.order[y->path] &&
			web_has_register(s->in.fn, x, y->in))
			return false; /* the live-in must be forwarded first */
	}
	if (y)
		l->reductions.forwarded |= reduction_bit(&s->reductions, y);
	return y;
}

bool
reduction_is_forwarded(
	const Reductions *reductions, const Lane_reductions *done, uint32_t path, uint32_t out)
{
	const Slot_reduction *x = reduction_of_output(reductions, path, out);

	return x->in == x->out || (done->forwarded & reduction_bit(reductions, x));
}

void
reduction_path_passed(const Reductions *reductions, Lane_reductions *done, uint32_t path)
{
	done->forwarded &= ~reduction_bits(reductions, path);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* The reduction whose slot is accessed; records the row. owner: set to the slot's lane number, a
 * term. NULL on a fault. */
static const Slot_reduction *
accessed_slot(Loop_check *s, Lane_state *l, uint32_t stmt, Term_id *owner)
{
	const Output_stmt *k = output_stmt(&s->out, stmt);
	Term_id at = buffer_offset_of(s, l, stmt, k->op == OP_LD);
	const Term t = *term_at(&s->terms, at);

	if (!at)
		return NULL;
	Term_atom a = t.op == TERM_SUM && t.n == 1 ? s->terms.atoms.at[t.first] : (Term_atom){ 0 };
	for (uint32_t i = 0; a.factor == k->access.width && i < s->reductions.n; i++) {
		const Slot_reduction *x = &s->reductions.at[i];
		Buffer_row r = { .at = t.c, .size = k->access.width, .path = x->path, .sym = x->out,
			.lanes = true };
		if (x->row != t.c || k->access.width != ptx_type_size((Type)x->fold.type))
			continue;
		*owner = a.atom;
		if (buffer_row(&s->buffer, r))
			return x;
		loop_check_fault(s, stmt, "a row of the buffer holds two values");
		return NULL;
	}
	loop_check_fault(s, stmt, "this is no slot of a reduction");
	return NULL;
}

static bool
slot_is_own(Terms *terms, Term_id owner)
{
	return owner == term_make(terms, TERM_SPECIAL, SREG_LANEID, 0, 0);
}

/* The lane initializes its own slot, once, at a place where the group has not diverged. */
bool
reduction_store(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Term_id owner;
	const Slot_reduction *x = accessed_slot(s, l, stmt, &owner);

	if (!x)
		return false;
	if (!slot_is_own(&s->terms, owner) || l->segment.diverged ||
		l->reductions.set & reduction_bit(&s->reductions, x) ||
		!is_identity(&s->out, x, stmt, 1))
		return loop_check_fault(s, stmt, "a slot that does not begin with the identity");
	l->reductions.set |= reduction_bit(&s->reductions, x);
	l->segment.effects |= DID_PUSH(DID_REDUCTION);
	return true;
}

/* The result of a run is folded into the owner's slot. */
bool
reduction_fold_value(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, 1)->sym);
	uint32_t q = reg_path(&s->paths, r);
	Term_id owner, *at = reg_env_slot(&s->emitted, l, r);
	const Slot_reduction *x = accessed_slot(s, l, stmt, &owner);

	if (!x)
		return false;
	if (l->at.task || !l->round.task_source || l->round.path != q || x->path != q - 1 ||
		x->out != r->input_sym || !at ||
		*at != term_make(&s->terms, TERM_RESULT, x->path, x->out, 0))
		return loop_check_fault(s, stmt, "the reduced value is not the result of the path");
	if (((l->reductions.folded | l->reductions.read) & reduction_bit(&s->reductions, x)))
		return loop_check_fault(s, stmt, "what came of the path is folded twice");
	bool mine = slot_is_own(&s->terms, owner);
	const Term word = *term_at(&s->terms, owner);
	if (l->round.task_source == (mine ? SOURCE_POPPED : SOURCE_OWN) ||
		(!mine && word.op != TERM_WORD))
		return loop_check_fault(s, stmt, "what came of the path goes to another lane");
	l->round.task_source = mine ? SOURCE_OWN : SOURCE_POPPED;
	l->reductions.folded |= reduction_bit(&s->reductions, x);
	l->segment.effects |= DID_POP(DID_REDUCTION);
	Buffer_row row = {
		.at = word.a, .size = word.b, .path = x->path, .sym = OWNER, .popped = true
	};
	return mine || buffer_row(&s->buffer, row) ||
		loop_check_fault(s, stmt, "a row of the buffer holds two values");
}

/* The lane reads its own slot where the group has not diverged; after that no lane updates the
 * slot. */
bool
reduction_load(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	Output_reg *r = output_reg(&s->out, output_operand(&s->out, stmt, 0)->sym);
	Term_id owner, *at = reg_env_slot_grow(s, l, r);
	const Slot_reduction *x = accessed_slot(s, l, stmt, &owner);

	if (!x)
		return false;
	if (reg_path(&s->paths, r) && !at)
		return loop_check_unknown(s, stmt, "too many values");
	if (!slot_is_own(&s->terms, owner) || l->segment.diverged || l->at.task ||
		!(l->reductions.set & reduction_bit(&s->reductions, x)) || !at ||
		reg_path(&s->paths, r) != x->path + 1 || r->input_sym != x->out)
		return loop_check_fault(s, stmt, "a slot that is not the lane's own");
	*at = term_make(&s->terms, TERM_TOTAL, x->path, x->out, 0);
	l->reductions.read |= reduction_bit(&s->reductions, x);
	l->segment.effects |= DID_PUSH(DID_REDUCTION);
	l->segment.ran = true;
	return true;
}

/* Whether the statement folds the slot's value into a register of the web. */
bool
reduction_fold_slot(Loop_check *s, Lane_state *l, uint32_t stmt)
{
	const Stmt *t = &s->out.m->stmts[stmt];

	if (!l->reductions.read || l->at.task || t->nopnd != 3 || t->guard)
		return false;
	const Opnd *to = output_operand(&s->out, stmt, 0), *with = output_operand(&s->out, stmt, 1),
		   *by = output_operand(&s->out, stmt, 2);
	if (to->kind != OPND_SYM || with->kind != OPND_SYM || by->kind != OPND_SYM)
		return false;
	const Output_reg *own = output_reg(&s->out, to->sym), *slot = output_reg(&s->out, by->sym);
	const Term_id *at = reg_env_slot(&s->emitted, l, slot);
	const Term x = *term_at(&s->terms, at ? *at : 0);
	const Slot_reduction *k =
		x.op == TERM_TOTAL ? reduction_of_output(&s->reductions, x.a, x.b) : NULL;
	if (!k || own->kind != REG_INPUT || to->sym != with->sym ||
		!web_has_register(s->in.fn, k, own->input_sym) ||
		!web_folds_equal(k->fold, web_fold(s->out.m, t)))
		return false;
	if (l->at.ended ||
		!input_register_is_live(
			&s->in, input_next_plain(&s->in, l->at.input), own->input_sym))
		return true;
	if (l->reductions.given & reduction_bit(&s->reductions, k))
		return loop_check_fault(s, stmt, "what others folded for a lane is taken twice");
	l->reductions.given |= reduction_bit(&s->reductions, k);
	return true;
}

bool
reduction_all_given(Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->reductions.n && !l->at.ended; i++)
		BITS_EACH(y, s->reductions.at[i].web)
			if ((l->reductions.set & ~l->reductions.given) >> i & 1 &&
				input_register_is_live(&s->in,
					input_next_plain(&s->in, l->at.input), fn_sym(s->in.fn, y)))
				return loop_check_fault(s, stmt,
					"a lane leaves without what others folded for it");
	return true;
}

bool
reduction_is_ready(Loop_check *s, const Lane_state *l, uint32_t stmt)
{
	for (uint32_t i = 0; i < s->reductions.n; i++)
		if ((tasks_of_path(s, s->reductions.at[i].path) & l->tasks.pending) &&
			!(l->reductions.set >> i & 1))
			return loop_check_fault(s, stmt, "a lane wants a path, and has no slot for it");
	return !l->reductions.read || loop_check_fault(s, stmt, "a round behind the last one");
}
