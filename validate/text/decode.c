/* SPDX-License-Identifier: MIT */
/* Decodes the statements of an inserted text, once for all lanes.
 *
 * A statement with the text and symbols of an earlier one shares what is known of that
 * (Output_stmt.first_identical), and whether it is a copy of a statement of the input.
 */
#include <string.h>
#include "validate/text/stmt_dedup.h"
#include "validate/text/text.h"

/* ---- opcodes --------------------------------------------------------------------------------- */

const char *
opcode_word(const Output_text *output, uint32_t stmt, uint32_t k, uint32_t *n)
{
	const Stmt *t = &output->m->stmts[stmt];
	const char *at = output->m->src->text + t->head, *end = output->m->src->text + t->head_end;

	while (k > 0 && at < end)
		k -= *at++ == '.';
	for (*n = 0; at + *n < end && at[*n] != '.';)
		++*n;
	return at;
}

bool
opcode_word_is(const Output_text *output, uint32_t stmt, uint32_t k, const char *word)
{
	const Stmt *t = &output->m->stmts[stmt];
	const char *at = output->m->src->text + t->head, *end = output->m->src->text + t->head_end;

	while (k > 0 && at < end)
		k -= *at++ == '.';
	size_t n = strlen(word);
	return (size_t)(end - at) >= n && memcmp(at, word, n) == 0 &&
		(at + n == end || at[n] == '.');
}

static bool
register_is_emitted(const Output_text *output, uint32_t sym)
{
	return output_reg(output, sym)->kind == REG_EMITTED;
}

/* Whether it is an access to shared memory with a machine register as address. */
static bool
access_is_buffer(const Output_text *output, const Stmt *t, const Output_stmt *k)
{
	Op op = (Op)k->op;
	uint32_t at = op == OP_ST || op == OP_RED ? 0 : 1;

	if ((op != OP_ST && op != OP_RED && op != OP_LD && op != OP_ATOM) || t->nopnd <= at)
		return false;
	const Opnd *o = &output->m->opnds[k->opnd[at]];
	return ptx_space(output->m, t) == SPACE_SHARED && o->kind == OPND_ADDR &&
		register_is_emitted(output, o[1].sym);
}

/* Value of a constant operand; 0 for a register. */
static Term_id
fixed_term(Loop_check *s, const Opnd *o)
{
	const Sym *y = &s->out.m->syms[o->sym];
	uint64_t v;
	bool real;

	if (o->kind == OPND_IMM && ptx_imm(s->out.m, o, &v, &real) && !real)
		return term_const(&s->terms, (uint32_t)v);
	if (o->kind != OPND_SYM)
		return term_make(&s->terms, TERM_UNKNOWN, o->at.pos, 1, 0);
	if (y->kind == SYM_SPECIAL)
		return term_make(&s->terms, TERM_SPECIAL, y->aux, o->sel, 0);
	return y->kind == SYM_VAR ? term_make(&s->terms, TERM_ADDRESS, o->sym, 0, 0) : 0;
}

/* Whether the operand may vary between lanes and is no machine register. */
static bool
operand_may_vary(const Output_text *output, const Opnd *o)
{
	const Sym *y = &output->m->syms[o->sym];

	if (o->kind != OPND_SYM || y->kind == SYM_VAR)
		return false;
	return y->kind == SYM_SPECIAL ? ptx_sregs[y->aux].flags & (SREGF_LANE | SREGF_TIME) :
					!register_is_emitted(output, o->sym);
}

/* Whether the statement is the text's own, other than a load or store. */
static bool
stmt_is_emitted(const Output_stmt *k)
{
	return k->writes_emitted || k->op == OP_VOTE || k->op == OP_BAR_WARP;
}

static void
read_access(const Output_text *output, const Stmt *t, Output_stmt *k)
{
	int64_t offset = 0;

	k->access.width = (uint8_t)ptx_type_size(ptx_insn_type(output->m, t));
	k->access.far = !ptx_offset(
		output->m, &output->m->opnds[k->opnd[k->op == OP_LD || k->op == OP_ATOM]], &offset);
	k->access.offset = (uint32_t)offset;
}

static Vote_kind
vote_kind(const Output_text *output, uint32_t stmt)
{
	if (!opcode_word_is(output, stmt, 1, "sync"))
		return VOTE_OTHER;
	return opcode_word_is(output, stmt, 2, "ballot") ? VOTE_BALLOT :
		opcode_word_is(output, stmt, 2, "any")   ? VOTE_ANY :
		opcode_word_is(output, stmt, 2, "all")   ? VOTE_ALL :
							   VOTE_OTHER;
}

static void
read_insn(Loop_check *s, uint32_t stmt)
{
	const Stmt *t = &s->out.m->stmts[stmt];
	Output_stmt *k = output_stmt(&s->out, stmt);
	uint32_t at = t->opnd;

	k->op = (uint16_t)ptx_op(s->out.m, t);
	k->flags = ptx_flags(s->out.m, t);
	for (uint32_t i = 0; i < t->nopnd && i < 4; at += s->out.m->opnds[at].tree, i++)
		k->opnd[i] = at;
	PTX_REFS(s->out.m, t, r) {
		Output_reg *reg = output_reg(&s->out, r.sym);
		if (reg->kind == REG_NONE)
			continue;
		k->reads_predicate |= !r.written && reg->kind != REG_EMITTED &&
			s->out.m->syms[r.sym].type == TYPE_PRED;
		k->writes_emitted |= r.written && reg->kind == REG_EMITTED;
		k->writes_scoped |=
			r.written && reg->kind == REG_INPUT && register_is_scoped(&s->out, r.sym);
		*vec_push(&s->out.refs) = (Stmt_ref){ reg, r.sym, r.written };
		k->nrefs++;
	}
	for (uint32_t i = 0; i < t->nopnd && i < 4 && stmt_is_emitted(k); i++) {
		const Opnd *o = &s->out.m->opnds[k->opnd[i]];
		k->fixed[i] = fixed_term(s, o);
		k->varies |= i > 0 && operand_may_vary(&s->out, o);
	}
	k->flow.ends = k->flags & (OPF_BRANCH | OPF_EXIT) && !t->guard;
	k->buffer = access_is_buffer(&s->out, t, k);
	k->computes = k->writes_emitted && !k->buffer && !k->reads_predicate && !t->guard &&
		k->flags & OPF_PURE && k->op != OP_VOTE && k->op != OP_REDUX &&
		k->op != OP_ACTIVEMASK;
	k->copies = !stmt_is_emitted(k) && !k->buffer && k->op != OP_ACTIVEMASK &&
		k->op != OP_TRAP && !(t->guard && register_is_emitted(&s->out, t->sym));
	k->ballot = k->op == OP_VOTE && ptx_has(s->out.m, t, "ballot");
	k->vote = (uint8_t)(k->op == OP_VOTE ? vote_kind(&s->out, stmt) : VOTE_OTHER);
	if (k->buffer)
		read_access(&s->out, t, k);
	s->reductions.folds |= k->buffer && (k->op == OP_RED || k->op == OP_ATOM);
	if (k->op == OP_BRA)
		k->flow.to = s->out.label[ptx_local_sym(s->out.f, s->out.m->opnds[k->opnd[0]].sym)];
	if (k->flow.to < s->out.begin || k->flow.to >= s->out.end)
		k->flow.to = 0;
}

/* The table of a branch. */
static const Stmt *
branch_table(const Output_text *output, uint32_t stmt)
{
	uint32_t decl = output->m->syms[output_operand(output, stmt, 1)->sym].decl;

	return output->m->stmts[decl].kind == STMT_TARGETS ? &output->m->stmts[decl] : NULL;
}

bool
branch_target_of_table(const Output_text *output, uint32_t stmt, uint32_t n, uint32_t *to)
{
	const Stmt *t = branch_table(output, stmt);
	if (!t || n >= t->nopnd)
		return false;
	uint32_t label = output->m->opnds[ptx_operand(output->m, t, n)].sym;
	*to = ptx_has_sym(output->f, label) ? output->label[ptx_local_sym(output->f, label)] : 0;
	if (*to < output->begin || *to >= output->end)
		*to = 0;
	return true;
}

/* The instruction that control reaches from a statement on. */
static uint32_t
next_instruction(const Output_text *output, uint32_t stmt)
{
	for (uint32_t n = output->begin; n < output->end && stmt < output->end; n++) {
		const Output_stmt *k = output_stmt(output, stmt);
		if (output->m->stmts[stmt].kind != STMT_INSN)
			stmt++;
		else if (k->op == OP_BRA && k->flow.ends && k->flow.to)
			stmt = k->flow.to;
		else
			break;
	}
	return stmt;
}

/* Whether both edges of a conditional branch lead to the same statement. */
static bool
branch_is_trivial(const Output_text *output, uint32_t stmt)
{
	return next_instruction(output, output_stmt(output, stmt)->flow.to) ==
		next_instruction(output, stmt + 1);
}

/* Whether the next instruction is a branch on the same register. If the input has two such branches
 * too, this is the first of them, which input_position.c skips. */
static bool
branch_is_repeated(const Output_text *output, uint32_t stmt)
{
	if (!output_stmt(output, stmt)->flow.trivial)
		return false;
	uint32_t next = next_instruction(output, stmt + 1);
	const Stmt *t = &output->m->stmts[next];
	return next < output->end && output_stmt(output, next)->op == OP_BRA && t->guard &&
		t->sym == output->m->stmts[stmt].sym;
}

/* ways: by statement, the number of its predecessors, at most two. Iterates backward. */
static void
find_join_labels(Output_text *output, const uint8_t *ways)
{
	bool closes = false;

	for (uint32_t i = output->end; i-- > output->begin;) {
		const Stmt *t = &output->m->stmts[i];
		Output_stmt *k = output_stmt(output, i);
		bool meet = (k->op == OP_VOTE || k->op == OP_BAR_WARP) && !t->guard;
		k->flow.joins = (t->kind == STMT_LABEL && ways[i - output->begin] > 1) ||
			(i > output->begin && output_stmt(output, i - 1)->op == OP_VOTE);
		k->flow.closes = closes && k->flow.joins && t->kind == STMT_LABEL;
		closes =
			meet || (closes && !k->flow.joins && (k->computes || t->kind != STMT_INSN));
	}
}

void
decode_output(Loop_check *s)
{
	uint32_t n = s->out.end - s->out.begin;
	uint8_t *ways = arena_array(s->arena, n + 1, 1);
	uint32_t *branches = arena_alloc(s->arena, n * sizeof *branches), nbranches = 0;
	Stmt_dedup seen = stmt_dedup_new(s->out.m, n, s->arena);

	s->out.stmts = arena_alloc(s->arena, (n + 1) * sizeof *s->out.stmts);
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		bool insn = s->out.m->stmts[i].kind == STMT_INSN;
		uint32_t like = insn ? stmt_dedup_first(&seen, i) : i;
		Output_stmt *k = output_stmt(&s->out, i);
		if (like != i) {
			*k = *output_stmt(&s->out, like);
		} else {
			*k = (Output_stmt){ .refs = s->out.refs.n, .first_identical = i };
			if (insn)
				read_insn(s, i);
		}
		for (uint32_t j = 0, to; output_branch_target(&s->out, i, j, &to); j++)
			if (to && ways[to - s->out.begin] < 2)
				ways[to - s->out.begin]++;
		if (!k->flow.ends && ways[i + 1 - s->out.begin] < 2)
			ways[i + 1 - s->out.begin]++;
		if (k->op == OP_BRA && !k->flow.ends && k->flow.to)
			branches[nbranches++] = i;
	}
	*output_stmt(&s->out, s->out.end) = (Output_stmt){ .refs = s->out.refs.n };
	for (uint32_t i = 0; i < nbranches; i++)
		output_stmt(&s->out, branches[i])->flow.trivial =
			branch_is_trivial(&s->out, branches[i]);
	for (uint32_t i = 0; i < nbranches; i++)
		output_stmt(&s->out, branches[i])->flow.redundant =
			branch_is_repeated(&s->out, branches[i]);
	find_join_labels(&s->out, ways);
}
