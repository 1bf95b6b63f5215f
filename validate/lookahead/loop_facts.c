/* SPDX-License-Identifier: MIT */
/* Static facts of a loop whose lanes look ahead: its paths, the blocks that only paths reach, and
 * the registers that it writes (iteration_tracking.c). */
#include <string.h>
#include "validate/lookahead/lookahead.h"

static bool bitset_has(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

bool
lookahead_in_loop(const Input_text *input, uint32_t stmt)
{
	return stmt < input_end(input) &&
		loop_contains(
			input->fn->loops, input->region->loop, input_stmt(input, stmt)->block);
}

static bool
is_inside(const Region *r, const Region *other)
{
	return r != other && bits_has(other->blocks, r->entry) &&
		bits_count(other->blocks) > bits_count(r->blocks);
}

/* Finds the paths that are not nested in others. */
static void
find_paths(Loop_check *s, Lookahead *a)
{
	const Region *r = s->in.region;
	uint32_t n = 0;

	a->paths.of_block =
		arena_array(s->arena, s->in.fn->cfg->nblocks, sizeof *a->paths.of_block);
	a->paths.resume = arena_array(s->arena, r->npaths + 1, sizeof *a->paths.resume);
	a->paths.writes = arena_array(s->arena, r->npaths + 1, sizeof *a->paths.writes);
	for (uint32_t i = 0; i < r->npaths; i++) {
		bool inner = false;
		for (uint32_t k = 0; k < r->npaths; k++)
			inner |= is_inside(r->paths[i], r->paths[k]);
		if (!inner)
			a->paths.of_block[r->paths[i]->entry] = ++n;
	}
}

/* Finds the blocks that only paths reach. */
static void
find_path_only_blocks(Loop_check *s, Lookahead *a)
{
	const Cfg *g = s->in.fn->cfg;
	Bits loop = s->in.fn->loops->loops[s->in.region->loop].blocks,
	     within = bits_new(s->arena, g->nblocks), seen = bits_new(s->arena, g->nblocks);

	BITS_EACH(b, loop)
		if (!a->paths.of_block[b])
			bits_set(within, b);
	cfg_flood(g, a->header, false, within, seen);
	a->paths.only = bits_new(s->arena, g->nblocks);
	BITS_EACH(b, loop)
		if (!bits_has(seen, b))
			bits_set(a->paths.only, b);
}

/* A trap ends the whole grid, so nothing follows it. */
static bool
ends_by_trap(const Fn *fn, uint32_t block)
{
	uint32_t last = cfg_terminator(fn->cfg, block);

	return last && ptx_op(fn->m, fn_stmt(fn, last)) == OP_TRAP;
}

/* Finds where iterations continue after a path: the only block that it leads to. */
static bool
find_resume(Loop_check *s, Lookahead *a, uint32_t entry)
{
	const Cfg *g = s->in.fn->cfg;
	Bits seen = bits_new(s->arena, g->nblocks);
	uint32_t to = 0;

	cfg_flood(g, entry, false, a->paths.only, seen);
	BITS_EACH(b, seen)
		FN_SUCC(s->in.fn, b, k) {
			if (k ? bits_has(seen, k) || k == to : ends_by_trap(s->in.fn, b))
				continue;
			if (!k || to)
				return loop_check_unknown(
					s, s->out.begin, "a path that ends in several places");
			to = k;
		}
	Bits *writes = &a->paths.writes[a->paths.of_block[entry] - 1];
	*writes = bits_new(s->arena, s->in.fn->f->nsym);
	BITS_EACH(b, seen)
		FN_BLOCK_STMTS(s->in.fn, b, i)
			FN_WRITES(s->in.fn, i, r)
				if (fn_is_reg(s->in.fn, r->sym))
					bits_set(*writes, fn_local(s->in.fn, r->sym));
	a->paths.resume[a->paths.of_block[entry] - 1] = to ? g->blocks[to].stmt : 0;
	return to || loop_check_unknown(s, s->out.begin, "a path without an end");
}

/* Whether only paths write the register, and each reads only what the same path has written, so
 * that its value elsewhere does not matter. */
static bool
register_is_path_only(const Fn *fn, const Lookahead *a, uint32_t local)
{
	if (bits_has(a->own_writes, local))
		return false;
	for (uint32_t b = 1; b < fn->cfg->nblocks; b++) {
		uint32_t path = a->paths.of_block[b];
		if (path && (bits_has(fn->live->in[b], local) ||
			bits_has(fn->live->in[fn_block(fn, a->paths.resume[path - 1])], local)))
			return false;
	}
	return true;
}

static void
number_registers(Loop_check *s, Lookahead *a)
{
	const Fn *fn = s->in.fn;

	a->number = arena_array(s->arena, fn->f->nsym + 1, sizeof *a->number);
	a->regs = arena_array(s->arena, bits_count(a->written) + 1, sizeof *a->regs);
	BITS_EACH(i, a->written)
		if (!register_is_path_only(fn, a, i)) {
			a->regs[a->n].sym = fn_sym(fn, i);
			a->number[i] = ++a->n;
		}
}

static bool
find_registers(Loop_check *s, Lookahead *a)
{
	const Fn *fn = s->in.fn;

	a->own_writes = bits_new(s->arena, fn->f->nsym);
	a->written = bits_new(s->arena, fn->f->nsym);
	BITS_EACH(b, fn->loops->loops[s->in.region->loop].blocks)
		FN_BLOCK_STMTS(fn, b, i) {
			const Stmt *t = fn_stmt(fn, i);
			bool path = bits_has(a->paths.only, b);
			if (!path && t->kind == STMT_INSN && ptx_flags(s->in.m, t) & OPF_CALL)
				return loop_check_unknown(s, s->out.begin, "a call that lanes look at");
			if (path && t->kind == STMT_INSN)
				a->paths.stores |= !(ptx_flags(s->in.m, t) &
					(OPF_PURE | OPF_BRANCH | OPF_LOAD)) ||
					(ptx_flags(s->in.m, t) & OPF_STORE);
			FN_WRITES(fn, i, r) {
				if (!fn_is_reg(fn, r->sym))
					continue;
				bits_set(a->written, fn_local(fn, r->sym));
				if (!path)
					bits_set(a->own_writes, fn_local(fn, r->sym));
			}
		}
	number_registers(s, a);
	return true;
}

bool
lookahead_reaches_path(Loop_check *s, uint32_t block)
{
	const Fn *fn = s->in.fn;
	Arena_mark mark = arena_mark(s->arena);
	Bits within = bits_new(s->arena, fn->cfg->nblocks),
	     seen = bits_new(s->arena, fn->cfg->nblocks);
	bool yes = false;

	bits_copy(within, fn->loops->loops[s->in.region->loop].blocks);
	bits_unset(within, s->lookahead->header);
	if (bits_has(within, block))
		cfg_flood(fn->cfg, block, false, within, seen);
	BITS_EACH(b, seen)
		yes |= s->lookahead->paths.of_block[b] != 0;
	arena_release(s->arena, mark);
	return yes;
}

/* Whether each iteration executes the statement first, and only once. */
static bool
iteration_starts_with(const Input_text *input, const Lookahead *a)
{
	const Cfg *g = input->fn->cfg;
	uint32_t b = a->header;

	while (lookahead_in_loop(input, a->start) && b != input_stmt(input, a->start)->block) {
		uint32_t from = b, n = 0;
		if (g->blocks[b].nsucc != 1)
			return false;
		b = *cfg_succ(g, b);
		FN_PRED(input->fn, b, p)
			n += p != from;
		if (n || b == a->header)
			return false;
	}
	return lookahead_in_loop(input, a->start);
}

bool
lookahead_init(Loop_check *s)
{
	Lookahead *a = arena_alloc(s->arena, sizeof *a);

	*a = (Lookahead){ .hooks = { .reached = lookahead_reached,
				  .assume_zero = lookahead_assume_zero,
				  .vote_all = lookahead_vote_all },
		.header = s->in.fn->loops->loops[s->in.region->loop].header };
	s->lookahead = a;
	a->invariant = arena_array(s->arena, s->in.fn->f->nstmt + 1, sizeof *a->invariant);
	a->start = input_next_plain(&s->in, s->in.fn->cfg->blocks[a->header].stmt);
	find_paths(s, a);
	find_path_only_blocks(s, a);
	for (uint32_t b = 1; b < s->in.fn->cfg->nblocks; b++)
		if (a->paths.of_block[b] && !find_resume(s, a, b))
			return false;
	if (!find_registers(s, a))
		return false;
	return iteration_starts_with(&s->in, a) || loop_check_unknown(s, s->out.begin, "a loop that begins with nothing");
}

/* Marks the places where look-ahead may begin: states are compared there. */
void
lookahead_mark_starts(Loop_check *s)
{
	const Lookahead *a = s->lookahead;

	for (uint32_t i = s->out.begin; i < s->out.end; i++)
		if (s->out.m->stmts[i].kind == STMT_INSN && output_stmt(&s->out, i)->op != OP_BRA &&
			match_stmt(
				s, i, a->start, LOOKAHEAD_COPY, fn_stmt(s->in.fn, a->start)->guard))
			output_stmt(&s->out, i)->flow.joins = true;
}

/* 1 + index of the register's value in Lane_state.env; 0 if it stands for none that the loop
 * writes. */
static uint32_t
find_slot(const Loop_check *s, uint32_t sym, const Output_reg *r)
{
	uint32_t k = r->kind == REG_UNIFORM ||
			(r->kind == REG_INPUT && !register_is_scoped(&s->out, sym)) ?
		lookahead_number(s, r->input_sym) :
		0;

	return k ? s->layout.nenv + k + (r->kind == REG_INPUT ? s->lookahead->n : 0) : 0;
}

/* Finds the words of selected iterations: machine registers that are operands of `or`. */
bool
lookahead_find_words(Loop_check *s)
{
	Lookahead *a = s->lookahead;
	uint64_t bit[2] = { 0, 0 }, *first = a->selection.first_words;

	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		for (uint32_t k = 0; k < 2 && s->out.m->stmts[i].guard; k++) {
			s->divergence.possible[k] |= output_stmt(&s->out, i)->regs.writes[k];
			if (output_stmt(&s->out, i)->op == OP_ADD)
				a->selection.tallies[k] |= output_stmt(&s->out, i)->regs.writes[k];
		}
		STMT_REFS(&s->out, i, r)
			r->reg->slot = find_slot(s, r->sym, r->reg);
	}
	memcpy(s->divergence.writes, s->divergence.possible, sizeof s->divergence.writes);
	for (uint32_t turn = 0; turn < 2; turn++)
		for (uint32_t i = s->out.begin; i < s->out.end; i++) {
			const Stmt *t = &s->out.m->stmts[i];
			if (t->kind != STMT_INSN || output_stmt(&s->out, i)->op != OP_OR ||
				t->nopnd != 3 || !output_stmt(&s->out, i)->writes_emitted)
				continue;
			const Opnd *to = output_operand(&s->out, i, 0),
				   *from = output_operand(&s->out, i, 1),
				   *with = output_operand(&s->out, i, 2);
			uint32_t k = output_reg(&s->out, to->sym)->index;
			if (s->out.m->syms[to->sym].type == TYPE_PRED || to->sym != from->sym)
				continue;
			a->selection.words[k >> 6] |= UINT64_C(1) << (k & 63);
			if (turn && with->kind == OPND_IMM)
				first[k >> 6] |= UINT64_C(1) << (k & 63);
			if (turn && with->kind == OPND_SYM && !t->guard &&
				!bitset_has(
					a->selection.words, output_reg(&s->out, with->sym)->index))
				bit[k >> 6] |= UINT64_C(1) << (k & 63);
		}
	if (!first[0] && !first[1])
		memcpy(first, bit, sizeof bit);
	if (!first[0] && !first[1])
		return loop_check_fault(s, s->out.begin, "nothing is noted");
	if (__builtin_popcountll(first[0]) + __builtin_popcountll(first[1]) != 1)
		return loop_check_unknown(s, s->out.begin, "sides that are looked at together");
	return true;
}
