/* SPDX-License-Identifier: MIT */
/* Decodes the statements of an inserted text, once for all lanes.
 *
 * A statement with the text and symbols of an earlier one shares what is known of that (Step.like),
 * and whether it is a copy of a statement of the input.
 */
#include <string.h>
#include "validate/text/stmt_dedup.h"
#include "validate/text/text.h"

/* ---- opcodes --------------------------------------------------------------------------------- */

const char *
inserted_word(const Site *s, uint32_t stmt, uint32_t k, uint32_t *n)
{
	const Stmt *t = &s->out->stmts[stmt];
	const char *at = s->out->src->text + t->head, *end = s->out->src->text + t->head_end;

	while (k > 0 && at < end)
		k -= *at++ == '.';
	for (*n = 0; at + *n < end && at[*n] != '.';)
		++*n;
	return at;
}

bool
inserted_word_is(const Site *s, uint32_t stmt, uint32_t k, const char *word)
{
	const Stmt *t = &s->out->stmts[stmt];
	const char *at = s->out->src->text + t->head, *end = s->out->src->text + t->head_end;

	while (k > 0 && at < end)
		k -= *at++ == '.';
	size_t n = strlen(word);
	return (size_t)(end - at) >= n && memcmp(at, word, n) == 0 &&
		(at + n == end || at[n] == '.');
}

static bool
is_machine(const Site *s, uint32_t sym)
{
	return site_reg(s, sym)->kind == REG_MACHINE;
}

/* Whether it is an access to shared memory with a machine register as address. */
static bool
is_buffer(const Site *s, const Stmt *t, const Step *k)
{
	Op op = (Op)k->op;
	uint32_t at = op == OP_ST || op == OP_RED ? 0 : 1;

	if ((op != OP_ST && op != OP_RED && op != OP_LD && op != OP_ATOM) || t->nopnd <= at)
		return false;
	const Opnd *o = &s->out->opnds[k->opnd[at]];
	return ptx_space(s->out, t) == SPACE_SHARED && o->kind == OPND_ADDR &&
		is_machine(s, o[1].sym);
}

/* Value of a constant operand; 0 for a register. */
static Term_id
fixed(Site *s, const Opnd *o)
{
	const Sym *y = &s->out->syms[o->sym];
	uint64_t v;
	bool real;

	if (o->kind == OPND_IMM && ptx_imm(s->out, o, &v, &real) && !real)
		return term_const(&s->terms, (uint32_t)v);
	if (o->kind != OPND_SYM)
		return term_make(&s->terms, TERM_UNKNOWN, o->at.pos, 1, 0);
	if (y->kind == SYM_SPECIAL)
		return term_make(&s->terms, TERM_SPECIAL, y->aux, o->sel, 0);
	return y->kind == SYM_VAR ? term_make(&s->terms, TERM_ADDRESS, o->sym, 0, 0) : 0;
}

/* Whether the operand may vary between lanes and is no machine register. */
static bool
is_alien(const Site *s, const Opnd *o)
{
	const Sym *y = &s->out->syms[o->sym];

	if (o->kind != OPND_SYM || y->kind == SYM_VAR)
		return false;
	return y->kind == SYM_SPECIAL ? ptx_sregs[y->aux].flags & (SREGF_LANE | SREGF_TIME) :
					!is_machine(s, o->sym);
}

/* Whether the statement is the text's own, other than a load or store. */
static bool
runs_itself(const Step *k)
{
	return k->own || k->op == OP_VOTE || k->op == OP_BAR_WARP;
}

static void
read_access(const Site *s, const Stmt *t, Step *k)
{
	int64_t offset = 0;

	k->width = (uint8_t)ptx_type_size(ptx_insn_type(s->out, t));
	k->far = !ptx_offset(s->out, &s->out->opnds[k->opnd[k->op == OP_LD || k->op == OP_ATOM]],
		&offset);
	k->offset = (uint32_t)offset;
}

static Vote_kind
vote_of(const Site *s, uint32_t stmt)
{
	if (!inserted_word_is(s, stmt, 1, "sync"))
		return VOTE_OTHER;
	return inserted_word_is(s, stmt, 2, "ballot") ? VOTE_BALLOT :
		inserted_word_is(s, stmt, 2, "any")   ? VOTE_ANY :
		inserted_word_is(s, stmt, 2, "all")   ? VOTE_ALL :
							VOTE_OTHER;
}

static void
read_insn(Site *s, uint32_t stmt)
{
	const Stmt *t = &s->out->stmts[stmt];
	Step *k = step_at(s, stmt);
	uint32_t at = t->opnd;

	k->op = (uint16_t)ptx_op(s->out, t);
	k->flags = ptx_flags(s->out, t);
	for (uint32_t i = 0; i < t->nopnd && i < 4; at += s->out->opnds[at].tree, i++)
		k->opnd[i] = at;
	PTX_REFS(s->out, t, r) {
		Reg *reg = site_reg(s, r.sym);
		if (reg->kind == REG_NONE)
			continue;
		k->asks |= !r.written && reg->kind != REG_MACHINE &&
			s->out->syms[r.sym].type == TYPE_PRED;
		k->own |= r.written && reg->kind == REG_MACHINE;
		k->inner |= r.written && reg->kind == REG_OWN && match_inner(s, r.sym);
		*vec_push(&s->refs) = (Step_ref){ reg, r.sym, r.written };
		k->nrefs++;
	}
	for (uint32_t i = 0; i < t->nopnd && i < 4 && runs_itself(k); i++) {
		const Opnd *o = &s->out->opnds[k->opnd[i]];
		k->fixed[i] = fixed(s, o);
		k->alien |= i > 0 && is_alien(s, o);
	}
	k->ends = k->flags & (OPF_BRANCH | OPF_EXIT) && !t->guard;
	k->buffer = is_buffer(s, t, k);
	k->computes = k->own && !k->buffer && !k->asks && !t->guard && k->flags & OPF_PURE &&
		k->op != OP_VOTE && k->op != OP_REDUX && k->op != OP_ACTIVEMASK;
	k->copies = !runs_itself(k) && !k->buffer && k->op != OP_ACTIVEMASK && k->op != OP_TRAP &&
		!(t->guard && is_machine(s, t->sym));
	k->ballot = k->op == OP_VOTE && ptx_has(s->out, t, "ballot");
	k->vote = (uint8_t)(k->op == OP_VOTE ? vote_of(s, stmt) : VOTE_OTHER);
	if (k->buffer)
		read_access(s, t, k);
	s->folds |= k->buffer && (k->op == OP_RED || k->op == OP_ATOM);
	if (k->op == OP_BRA)
		k->to = s->label[ptx_local_sym(s->f, s->out->opnds[k->opnd[0]].sym)];
	if (k->to < s->begin || k->to >= s->end)
		k->to = 0;
}

/* The table of a branch. */
static const Stmt *
table_of(const Site *s, uint32_t stmt)
{
	uint32_t decl = s->out->syms[step_operand(s, stmt, 1)->sym].decl;

	return s->out->stmts[decl].kind == STMT_TARGETS ? &s->out->stmts[decl] : NULL;
}

bool
step_way(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to)
{
	const Stmt *t = table_of(s, stmt);
	if (!t || n >= t->nopnd)
		return false;
	uint32_t label = s->out->opnds[ptx_operand(s->out, t, n)].sym;
	*to = ptx_has_sym(s->f, label) ? s->label[ptx_local_sym(s->f, label)] : 0;
	if (*to < s->begin || *to >= s->end)
		*to = 0;
	return true;
}

/* The instruction that control reaches from a statement on. */
static uint32_t
comes_next(const Site *s, uint32_t stmt)
{
	for (uint32_t n = s->begin; n < s->end && stmt < s->end; n++) {
		const Step *k = step_at(s, stmt);
		if (s->out->stmts[stmt].kind != STMT_INSN)
			stmt++;
		else if (k->op == OP_BRA && k->ends && k->to)
			stmt = k->to;
		else
			break;
	}
	return stmt;
}

/* Whether both edges of a conditional branch lead to the same statement. */
static bool
leads_on(const Site *s, uint32_t stmt)
{
	return comes_next(s, step_at(s, stmt)->to) == comes_next(s, stmt + 1);
}

/* Whether the next instruction is a branch on the same register. If the input has two such branches
 * too, this is the first of them, which input_position.c skips. */
static bool
is_spare(const Site *s, uint32_t stmt)
{
	if (!step_at(s, stmt)->leads_on)
		return false;
	uint32_t next = comes_next(s, stmt + 1);
	const Stmt *t = &s->out->stmts[next];
	return next < s->end && step_at(s, next)->op == OP_BRA && t->guard &&
		t->sym == s->out->stmts[stmt].sym;
}

/* ways: by statement, the number of its predecessors, at most two. Iterates backward. */
static void
find_joins(Site *s, const uint8_t *ways)
{
	bool closes = false;

	for (uint32_t i = s->end; i-- > s->begin;) {
		const Stmt *t = &s->out->stmts[i];
		Step *k = step_at(s, i);
		bool meet = (k->op == OP_VOTE || k->op == OP_BAR_WARP) && !t->guard;
		k->joins = (t->kind == STMT_LABEL && ways[i - s->begin] > 1) ||
			(i > s->begin && step_at(s, i - 1)->op == OP_VOTE);
		k->closes = closes && k->joins && t->kind == STMT_LABEL;
		closes = meet || (closes && !k->joins && (k->computes || t->kind != STMT_INSN));
	}
}

void
decode(Site *s)
{
	uint32_t n = s->end - s->begin;
	uint8_t *ways = arena_array(s->arena, n + 1, 1);
	uint32_t *branches = arena_alloc(s->arena, n * sizeof *branches), nbranches = 0;
	Alike seen = alike_new(s->out, n, s->arena);

	s->steps = arena_alloc(s->arena, (n + 1) * sizeof *s->steps);
	for (uint32_t i = s->begin; i < s->end; i++) {
		bool insn = s->out->stmts[i].kind == STMT_INSN;
		uint32_t like = insn ? alike_first(&seen, i) : i;
		Step *k = step_at(s, i);
		if (like != i) {
			*k = *step_at(s, like);
		} else {
			*k = (Step){ .refs = s->refs.n, .like = i };
			if (insn)
				read_insn(s, i);
		}
		for (uint32_t j = 0, to; step_target(s, i, j, &to); j++)
			if (to && ways[to - s->begin] < 2)
				ways[to - s->begin]++;
		if (!k->ends && ways[i + 1 - s->begin] < 2)
			ways[i + 1 - s->begin]++;
		if (k->op == OP_BRA && !k->ends && k->to)
			branches[nbranches++] = i;
	}
	*step_at(s, s->end) = (Step){ .refs = s->refs.n };
	for (uint32_t i = 0; i < nbranches; i++)
		step_at(s, branches[i])->leads_on = leads_on(s, branches[i]);
	for (uint32_t i = 0; i < nbranches; i++)
		step_at(s, branches[i])->spare = is_spare(s, branches[i]);
	find_joins(s, ways);
}
