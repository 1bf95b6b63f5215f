/* SPDX-License-Identifier: MIT */
/* Look-ahead iterations without loop tests: all lanes have voted that the loop continues for longer
 * than these.
 *
 * The vote is on
 *
 *	some = index + plus
 *	some <cmp> bound and bound - some > far, unsigned (down: some - bound)
 *
 * where the loop continues as long as index + e <cmp> bound. It does so for every e between plus
 * and plus + far in the direction of the bound, because `some` is on this side of the bound at a
 * larger distance, and nothing overflows in between.
 */
#include "validate/lookahead/lookahead.h"

typedef enum { CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_NE, CMP_EQ, CMP_NONE } Cmp;

static const char *const names[] = { "lt", "le", "gt", "ge", "ne", "eq" };
static const Cmp negated[] = { CMP_GE, CMP_GT, CMP_LE, CMP_LT, CMP_EQ, CMP_NE };
static const Cmp swapped[] = { CMP_GT, CMP_GE, CMP_LT, CMP_LE, CMP_NE, CMP_EQ };

static Cmp
cmp_of(const Module *m, const Stmt *t)
{
	for (Cmp k = CMP_LT; k < CMP_NONE; k++)
		if (ptx_has(m, t, names[k]))
			return k;
	return CMP_NONE;
}

/* ---- the vote -------------------------------------------------------------------------------- */

/* The statement directly before one; 0 if that is no instruction. */
static uint32_t
preceding_stmt(const Output_text *output, uint32_t stmt)
{
	return stmt > output->begin && output->m->stmts[stmt - 1].kind == STMT_INSN ? stmt - 1 : 0;
}

static bool
is_sym(const Output_text *output, uint32_t stmt, uint32_t k, uint32_t sym)
{
	const Opnd *o = output_operand(output, stmt, k);

	return o->kind == OPND_SYM && o->sym == sym;
}

static bool
stmt_has_op(const Output_text *output, uint32_t stmt, Op op, uint32_t nopnd, uint32_t to)
{
	return stmt && (Op)output_stmt(output, stmt)->op == op && !output->m->stmts[stmt].guard &&
		output->m->stmts[stmt].nopnd == nopnd && is_sym(output, stmt, 0, to);
}

static bool
same_operand(const Output_text *output, const Opnd *a, const Opnd *b)
{
	uint64_t v, w;
	bool real;

	if (a->kind == OPND_SYM)
		return b->kind == OPND_SYM && a->sym == b->sym;
	return a->kind == OPND_IMM && b->kind == OPND_IMM && ptx_imm(output->m, a, &v, &real) &&
		ptx_imm(output->m, b, &w, &real) && v == w;
}

/* Reads the test that is voted on. *index: the operand. */
static bool
read_test(const Output_text *output, uint32_t vote, Stay_proof *k, uint32_t *index)
{
	uint32_t more = output_operand(output, vote, 1)->sym, both = preceding_stmt(output, vote);
	uint32_t further = both ? preceding_stmt(output, both) : 0,
		 sub = further ? preceding_stmt(output, further) : 0,
		 cmp = sub ? preceding_stmt(output, sub) : 0,
		 add = cmp ? preceding_stmt(output, cmp) : 0;
	uint64_t v;
	bool real;

	if (!add || !stmt_has_op(output, both, OP_AND, 3, more) ||
		!stmt_has_op(output, further, OP_SETP, 4, more) ||
		!stmt_has_op(output, cmp, OP_SETP, 3, more))
		return false;
	uint32_t some = output_operand(output, further, 1)->sym;
	if (!stmt_has_op(output, sub, OP_SUB, 3, some) ||
		!stmt_has_op(output, add, OP_ADD, 3, some) || !is_sym(output, cmp, 1, some) ||
		!is_sym(output, further, 3, more) ||
		!(is_sym(output, both, 1, more) || is_sym(output, both, 2, more)))
		return false;
	const Stmt *test = &output->m->stmts[cmp];
	const Opnd *bound = output_operand(output, cmp, 2),
		   *far = output_operand(output, further, 2),
		   *plus = output_operand(output, add, 2);
	k->up = is_sym(output, sub, 2, some);
	k->cmp = (uint16_t)cmp_of(output->m, test);
	k->size = (uint8_t)ptx_type_size(ptx_insn_type(output->m, test));
	k->is_signed = ptx_has(output->m, test, "s32") || ptx_has(output->m, test, "s64");
	k->bound = output_stmt(output, cmp)->opnd[2];
	*index = output_stmt(output, add)->opnd[1];
	if (!same_operand(output, output_operand(output, sub, k->up ? 1 : 2), bound) ||
		(!k->up && !is_sym(output, sub, 1, some)) ||
		!opcode_word_is(output, further, 1, "gt") || !opcode_word_is(output, further, 2, "and") ||
		!opcode_word_is(output, further, 3, k->size == 8 ? "u64" : "u32") ||
		!opcode_word_is(output, sub, 1, k->size == 8 ? "s64" : "s32") ||
		!opcode_word_is(output, add, 1, k->size == 8 ? "s64" : "s32") ||
		far->kind != OPND_IMM || plus->kind != OPND_IMM ||
		!ptx_imm(output->m, far, &k->far, &real) || !ptx_imm(output->m, plus, &v, &real))
		return false;
	k->plus = (int64_t)v;
	bool ups = k->cmp == CMP_LT || k->cmp == CMP_LE,
	     downs = k->cmp == CMP_GT || k->cmp == CMP_GE;
	return (k->size == 4 || k->size == 8) && k->far <= INT32_MAX &&
		(k->cmp == CMP_NE || (k->up ? ups : downs));
}

void
lookahead_vote_all(Loop_check *s, Lane_state *l, uint32_t vote)
{
	Lookahead *a = s->lookahead;
	Stay_proof k = { .stmt = vote };
	uint32_t index, i = 0;

	l->lookahead.stay_index = l->lookahead.stay_index_at_start = 0;
	if (!read_test(&s->out, vote, &k, &index))
		return;
	while (i < a->nstay_proofs && a->stay_proofs[i].stmt != vote)
		i++;
	if (i == MAX_STAY_PROOFS)
		return;
	const Output_reg *r = output_reg(&s->out, s->out.m->opnds[index].sym);
	k.number = lookahead_number(s, r->input_sym);
	if (r->kind != REG_UNIFORM || !k.number)
		return;
	if (i == a->nstay_proofs)
		a->stay_proofs[a->nstay_proofs++] = k;
	l->lookahead.stay_index = lookahead_operand(s, l, s->out.m->opnds[index].sym);
	l->lookahead.stay_vote = i;
}

/* ---- the branch ------------------------------------------------------------------------------ */

/* The comparison that the input's branch depends on: the only definition of its predicate. */
static uint32_t
compared_test(const Fn *fn, uint32_t at)
{
	uint32_t u = defuse_find_use(fn, at, fn_stmt(fn, at)->sym), found = 0;

	if (!u)
		return 0;
	FN_REACH(fn, u, d) {
		if (found)
			return 0;
		found = fn_def(fn, d)->stmt;
	}
	return found && ptx_op(fn->m, fn_stmt(fn, found)) == OP_SETP &&
			!fn_stmt(fn, found)->guard && fn_stmt(fn, found)->nopnd == 3 ?
		found : 0;
}

/* Whether no statement in [from, to) of a block writes the register. */
static bool
register_is_unchanged(const Fn *fn, uint32_t from, uint32_t to, uint32_t sym)
{
	for (uint32_t i = from; i < to; i++)
		FN_WRITES(fn, i, r)
			if (r->sym == sym)
				return false;
	return true;
}

/* Whether the branch follows the test, in the same iteration, with the same value in the register.
 * This holds within a block, and if a statement of that iteration before both is the only
 * definition. */
static bool
value_is_unchanged(const Input_text *input, uint32_t test, uint32_t at, uint32_t sym)
{
	const Fn *fn = input->fn;
	uint32_t u = defuse_find_use(fn, test, sym), def = 0, last = 0, b = fn_block(fn, at);

	if (fn_block(fn, test) == b && test < at && register_is_unchanged(fn, test, at, sym))
		return true;
	FN_REACH(fn, u, d) {
		if (def)
			return false;
		def = d;
	}
	uint32_t set = def ? fn_def(fn, def)->stmt : 0, block_of_def = set ? fn_block(fn, set) : 0;
	if (!set || !lookahead_in_loop(input, set) || (block_of_def == fn_block(fn, test) ?
			set > test : !dom_dominates(fn->dom, block_of_def, fn_block(fn, test))))
		return false;
	for (uint32_t i = fn->cfg->blocks[b].stmt; i < at; i++)
		FN_DEFS_OF_STMT(fn, i, d)
			last = fn_def(fn, d)->sym == sym ? d : last;
	Reaching r = defuse_reaching(fn, b, sym);
	return (last ? last == def : r.n == 1 && r.at[0] == def) &&
		(fn_block(fn, test) == b || dom_dominates(fn->dom, fn_block(fn, test), b));
}

/* Whether the test, before the branch in the same block, reads the register's value from the start
 * of the iteration. This holds if the only other definition in the loop is between the two. */
static bool
reads_former(const Input_text *input, uint32_t test, uint32_t at, uint32_t sym)
{
	const Fn *fn = input->fn;
	uint32_t b = fn_block(fn, at), n = 0;

	if (fn_block(fn, test) != b || fn->loops->loop_of[b] != input->region->loop)
		return false;
	FN_DEFS_OF_SYM(fn, sym, d) {
		uint32_t set = fn_def(fn, d)->stmt;
		if (!set || !lookahead_in_loop(input, set))
			continue;
		if (n++ || set <= test || set >= at)
			return false;
	}
	return n == 1;
}

/* Whether an operand of the input equals the bound. */
static bool
is_bound(const Loop_check *s, const Opnd *in, const Opnd *bound)
{
	uint64_t v, w;
	bool real;

	if (bound->kind == OPND_SYM)
		return in->kind == OPND_SYM && !in->sel &&
			match_sym(s, bound->sym, in->sym, LOOKAHEAD_COPY) &&
			output_reg(&s->out, bound->sym)->kind == REG_INPUT;
	return bound->kind == OPND_IMM && in->kind == OPND_IMM &&
		ptx_imm(s->out.m, bound, &v, &real) && ptx_imm(s->in.m, in, &w, &real) && v == w;
}

/* Whether the tested value is within the distance from the voted index for which the loop
 * continues. former: the test reads the register's value at the start of the iteration. */
static bool
test_is_within_bound(Loop_check *s, Lane_state *l, const Stay_proof *k, const Opnd *o, bool former)
{
	uint32_t number = o->kind == OPND_SYM ? lookahead_number(s, o->sym) : 0, v;
	Term_id now = !former ? number ? *lookahead_value(s, l, number) : 0 :
		number == k->number ? l->lookahead.stay_index_at_start : 0;

	if (!now || now == lookahead_atom(s, TERM_MATCHES_INPUT) ||
		!term_is_const(&s->terms,
			term_sum(&s->terms, now, l->lookahead.stay_index, UINT32_MAX), &v))
		return false;
	int64_t e = (int64_t)(int32_t)v - k->plus;
	return (k->up ? e : -e) >= 0 && (uint64_t)(k->up ? e : -e) <= k->far;
}

/* The input's operand that is the index of the branch's test, if that matches the voted one; else
 * 0. *said: the direction in which the lane stays; *former: see test_is_within_bound(). */
static uint32_t
read_branch(const Loop_check *s, uint32_t at, const Stay_proof *k, bool *said, bool *former)
{
	const Stmt *branch = fn_stmt(s->in.fn, at);
	uint32_t test = compared_test(s->in.fn, at);

	if (!test || !branch->guard)
		return 0;
	const Stmt *t = fn_stmt(s->in.fn, test);
	uint32_t x = ptx_operand(s->in.m, t, 1), y = ptx_operand(s->in.m, t, 2);
	const Opnd *list = s->in.m->opnds, *bound = &s->out.m->opnds[k->bound];
	Cmp cmp = cmp_of(s->in.m, t);
	bool swap = !is_bound(s, &list[y], bound), is_signed = ptx_has(s->in.m, t, "s32") ||
		ptx_has(s->in.m, t, "s64");
	if (cmp == CMP_NONE || (swap && !is_bound(s, &list[x], bound)) ||
		ptx_type_size(ptx_insn_type(s->in.m, t)) != k->size ||
		(cmp < CMP_NE && is_signed != k->is_signed))
		return 0;
	uint32_t index = swap ? y : x;
	*former = reads_former(&s->in, test, at, list[index].sym);
	if (!*former && !value_is_unchanged(&s->in, test, at, list[index].sym))
		return 0;
	cmp = swap ? swapped[cmp] : cmp;
	/* the predicate's value with which the lane stays */
	bool value = cmp == (Cmp)k->cmp;
	if (!value && negated[cmp] != (Cmp)k->cmp)
		return 0;
	*said = value == (branch->guard == 1);
	return index;
}

bool
lookahead_stays(Loop_check *s, Lane_state *l, uint32_t at, bool *said)
{
	Stay_proof *k = &s->lookahead->stay_proofs[l->lookahead.stay_vote];
	uint32_t i = 0;

	while (i < MAX_STAY_BRANCHES && k->branch[i].at != at)
		i++;
	if (i == MAX_STAY_BRANCHES) {
		i = k->nbranches++ % MAX_STAY_BRANCHES;
		k->branch[i].at = at;
		k->branch[i].index =
			read_branch(s, at, k, &k->branch[i].said, &k->branch[i].former);
	}
	*said = k->branch[i].said;
	return k->branch[i].index &&
		test_is_within_bound(
			s, l, k, &s->in.m->opnds[k->branch[i].index], k->branch[i].former);
}
