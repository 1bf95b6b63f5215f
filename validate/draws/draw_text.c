/* SPDX-License-Identifier: MIT */
/* Proves the text of a draw (docs/proofs/wait.md, W24).
 *
 * The statements that pair lanes are compared with those for which W9 and W10 are proved.
 * Different capital letters stand for different registers:
 *
 *	A lane number   F lane to draw from   G ballot of H   H has     I idle lanes
 *	J in            K a predicate         L lower lanes   M mask    N a number
 *	O got           P, Q, W words         T ballot of J   V given   X first lane to draw from
 *	C, R, B the copy and the owner's register of a value, and the loop's test
 *
 * Between these are the values that the idle lane gets, and the statements by which the other one
 * advances; both are compared with the input. */
#include <ctype.h>
#include <string.h>
#include "validate/draws/draws.h"

static const char *const pairs[] = {
	"bar.warp.sync M;",
	"shf.r.wrap.b32 N, G, G, X;",
	"brev.b32 N, N;",
	"clz.b32 N, N;",
	"add.s32 X, X, N;",             /* W10 */
	"xor.b32 I, T, M;",
	"and.b32 F, I, L;",
	"popc.b32 F, F;",
	"add.s32 F, F, X;",             /* W9 */
	"shf.r.wrap.b32 N, G, G, F;",
	"and.b32 N, N, 1;",
	"setp.ne.u32 O, N, 0;",
	"not.pred K, J;",
	"and.pred O, O, K;",
};
static const char *const gives[] = {
	"popc.b32 I, I;",
	"sub.s32 N, A, X;",
	"and.b32 N, N, 31;",
	"setp.lt.s32 V, N, I;",
	"and.pred V, V, H;",            /* W9 */
};
static const char *const ends[] = { "add.s32 X, X, I;", "or.pred J, J, O;" };
/* Values by their size in bytes: how the owner splits one, and the idle lane joins its words. */
static const struct { uint8_t size; bool special; const char *split, *join; } values[] = {
	{ 8, false, "mov.b64 {P, Q}, R;", "@O mov.b64 C, {P, Q};" },
	{ 4, false, "mov.b32 P, R;", "@O mov.b32 C, P;" },
	{ 2, false, "mov.b32 P, {R, R};", "@O mov.b32 {C, W}, P;" },
	{ 1, false, "cvt.u32.u8 P, R;", "@O cvt.u8.u32 C, P;" },
	{ 0, false, "selp.b32 P, 1, 0, R;", "@O setp.ne.u32 C, P, 0;" },
	{ 4, true, "mov.u32 P, R;", "@O mov.b32 C, P;" },
};
enum { NVALUES = sizeof values / sizeof *values, FETCHED = UINT32_MAX };

typedef struct { const char *at; uint32_t n, sym; uint8_t sel; } Token;

typedef struct {
	Loop_check *s;
	Draw_text *d;
	uint32_t o;             /* the next statement */
	Token token[26];
	/* by local register of the input: what its copy holds in the lane that draws, FETCHED or
	 * the definition of the input that computed it; 0 if nothing */
	uint32_t *holds;
	Bits specials;          /* copies of special registers, by local symbol of the output */
	Bits advanced;          /* statements of the input that the owner has executed */
	uint32_t once;          /* the next in Draws.once */
} Draw_scan;

#define TOKEN(w, letter) (&(w)->token[(letter) - 'A'])

static bool
wrong(Draw_scan *w, const char *why)
{
	return loop_check_fault(w->s, w->o, "%s", why);
}

/* ---- matching -------------------------------------------------------------------------------- */

/* Finds the symbol that a token of the statement names. */
static void
find_symbol(const Module *m, uint32_t stmt, Token *k)
{
	PTX_REFS(m, &m->stmts[stmt], r) {
		size_t n;
		const char *name = ptx_name(m, r.sym, &n);
		if (n > k->n || memcmp(name, k->at, n) != 0 || (n < k->n && k->at[n] != '.'))
			continue;
		k->sym = r.sym;
		k->sel = n < k->n ? (uint8_t)k->at[n + 1] : 0;
	}
}

static bool
tokens_are_equal(const Token *a, const Token *b)
{
	return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

/* Gives the letter this meaning, unless it has another one, or another letter has it. */
static bool
bind(Draw_scan *w, uint32_t stmt, char letter, Token k)
{
	Token *t = TOKEN(w, letter);

	if (t->at)
		return tokens_are_equal(t, &k);
	find_symbol(w->s->out.m, stmt, &k);
	bool emitted = k.sym && output_reg(&w->s->out, k.sym)->kind == REG_EMITTED,
	     value = letter == 'B' || letter == 'C' || letter == 'R';
	if (letter == 'M' ? k.sym && !emitted : value == emitted)
		return false;
	for (uint32_t i = 0; i < 26; i++)
		if (w->token[i].at && tokens_are_equal(&w->token[i], &k))
			return false;
	*t = k;
	return true;
}

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* Whether the next statement is this one. Then moves on. */
static bool
take(Draw_scan *w, const char *pattern)
{
	const Module *m = w->s->out.m;
	const Stmt *t = &m->stmts[w->o];
	const char *at = m->src->text + t->at.pos, *end = m->src->text + t->at.end;
	Token was[26];

	if (w->o >= w->s->out.end || t->kind != STMT_INSN)
		return false;
	memcpy(was, w->token, sizeof was);
	for (; *pattern; pattern++) {
		while (at < end && isspace((unsigned char)*at))
			at++;
		const char *from = at;
		if (isupper((unsigned char)*pattern)) {
			while (at < end && is_word(*at))
				at++;
			if (at > from &&
				bind(w, w->o, *pattern,
					(Token){ .at = from, .n = (uint32_t)(at - from) }))
				continue;
		} else if (*pattern == ' ' || (at < end && *at++ == *pattern)) {
			continue;
		}
		memcpy(w->token, was, sizeof was);
		return false;
	}
	while (++w->o < w->s->out.end && m->stmts[w->o].kind == STMT_LOC) {}
	return true;
}

static bool
take_all(Draw_scan *w, const char *const *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!take(w, list[i]))
			return wrong(w, "this does not pair lanes with iterations");
	return true;
}
#define TAKE_ALL(w, list) take_all(w, list, sizeof list / sizeof *list)

/* ---- values that the idle lane gets ---------------------------------------------------------- */

/* Whether copy C is that of register R, of this size. */
static bool
is_copy_of(const Draw_scan *w, uint8_t size, bool special)
{
	const Token *c = TOKEN(w, 'C'), *r = TOKEN(w, 'R');
	const Output_reg *to = output_reg(&w->s->out, c->sym),
			 *from = output_reg(&w->s->out, r->sym);
	const Sym *y = &w->s->out.m->syms[r->sym], *x = &w->s->in.m->syms[to->input_sym];

	if (to->kind != REG_COPY || to->region != ITERATION_COPY || to->batch_index || c->sel)
		return false;
	if (special)
		return y->kind == SYM_SPECIAL && x->kind == SYM_SPECIAL && y->aux == x->aux &&
			to->sel == r->sel;
	return from->kind == REG_INPUT && from->input_sym == to->input_sym && !r->sel &&
		!register_is_scoped(&w->s->out, r->sym) &&
		ptx_type_size((Type)y->type) == size && (size || y->type == TYPE_PRED);
}

static bool
take_value(Draw_scan *w, uint32_t k)
{
	static const char *const shuffles[] = {
		"shfl.sync.idx.b32 P, P, F, 31, M;", "shfl.sync.idx.b32 Q, Q, F, 31, M;"
	};
	bool special = values[k].special;

	if (!take_all(w, shuffles, 1 + (values[k].size == 8)) || !take(w, values[k].join) ||
		!is_copy_of(w, values[k].size, special))
		return wrong(w, "an iteration does not get what its owner has");
	uint32_t c = TOKEN(w, 'C')->sym;
	if (special)
		bits_set(w->specials, ptx_local_sym(w->s->out.f, c));
	else
		w->holds[fn_local(w->s->in.fn, output_reg(&w->s->out, c)->input_sym)] = FETCHED;
	return true;
}

static bool
take_values(Draw_scan *w)
{
	for (uint32_t k = 0; k < NVALUES; k++) {
		*TOKEN(w, 'C') = *TOKEN(w, 'R') = (Token){ 0 };
		if (take(w, values[k].split)) {
			if (!take_value(w, k))
				return false;
			k = UINT32_MAX; /* the next value */
		}
	}
	*TOKEN(w, 'C') = *TOKEN(w, 'R') = (Token){ 0 };
	return true;
}

/* Whether the statement reads what the input's reads, if that is the last value of these registers
 * before the loop's header. */
static bool
reads_values(Draw_scan *w, uint32_t in)
{
	Loop_check *s = w->s;
	uint32_t header = iteration_loop(s)->header;

	STMT_REFS(&s->out, w->o, r) {
		if (r->written || r->reg->kind != REG_COPY)
			continue;
		if (!fn_is_reg(s->in.fn, r->reg->input_sym)) {
			if (!bits_has(w->specials, ptx_local_sym(s->out.f, r->sym)))
				return false;
			continue;
		}
		uint32_t x = r->reg->input_sym, holds = w->holds[fn_local(s->in.fn, x)];
		if (!holds ||
			!(holds == FETCHED ? value_lasts(s, in, x, header) :
					     use_has_only_def(s->in.fn, in, x, holds)))
			return false;
	}
	return iteration_reads_uniform(s, w->o, in);
}

/* Whether the statement computes in the idle lane what the definition computed in the owner. */
static bool
computes_def(Draw_scan *w, uint32_t def)
{
	const Fn *fn = w->s->in.fn;
	uint32_t in = fn_def(fn, def)->stmt;

	return in && fn_def(fn, def)->kills && stmt_is_repeatable(fn, in) &&
		match_stmt(w->s, w->o, in, ITERATION_COPY, false) && reads_values(w, in);
}

/* A value that the idle lane computes from those, as the input did for its owner. */
static bool
take_computed(Draw_scan *w)
{
	Loop_check *s = w->s;
	const Fn *fn = s->in.fn;
	uint32_t in = 0;

	STMT_REFS(&s->out, w->o, r)
		if (r->written && r->reg->kind == REG_COPY && fn_is_reg(fn, r->reg->input_sym))
			FN_DEFS_OF_SYM(fn, r->reg->input_sym, d)
				if (!in && computes_def(w, d))
					in = fn_def(fn, d)->stmt;
	if (!in)
		return wrong(w, "this computes a different value than the iteration reads");
	FN_DEFS_OF_STMT(fn, in, d)
		w->holds[fn_local(fn, fn_def(fn, d)->sym)] = d;
	w->o++;
	return true;
}

/* Whether the copy has what the iteration needs, if it needs anything. */
static bool
has_value(const Draw_scan *w, uint32_t copy)
{
	const Loop_check *s = w->s;
	const Fn *fn = s->in.fn;
	uint32_t sym = output_reg(&s->out, copy)->input_sym;

	if (output_reg(&s->out, copy)->kind != REG_COPY)
		return true;
	if (!fn_is_reg(fn, sym))
		return bits_has(w->specials, ptx_local_sym(s->out.f, copy));
	uint32_t holds = w->holds[fn_local(fn, sym)];
	return holds == FETCHED || !bits_has(s->out.draws->needed, fn_local(fn, sym)) ||
		(holds && block_only_def(fn, iteration_loop(s)->header, sym) == holds);
}

static bool
has_values(Draw_scan *w)
{
	Loop_check *s = w->s;

	for (uint32_t i = 0; i < s->copies.n; i++)
		if (!has_value(w, s->copies.syms[i]))
			return loop_check_fault(s, w->o, "an iteration lacks its '%.*s'",
				PTX_NAME(s->in.m,
					output_reg(&s->out, s->copies.syms[i])->input_sym));
	return true;
}

/* ---- the owner's next iteration -------------------------------------------------------------- */

/* Whether every definition in the loop that reaches is one that the owner has executed. */
static bool
all_advanced(const Draw_scan *w, const uint32_t *defs, uint32_t n)
{
	const Fn *fn = w->s->in.fn;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t stmt = fn_def(fn, defs[i])->stmt;
		if (fn_def(fn, defs[i])->crowded ||
			(stmt && bits_has(iteration_loop(w->s)->blocks, fn_block(fn, stmt)) &&
				!bits_has(w->advanced, fn_local_stmt(fn, stmt))))
			return false;
	}
	return true;
}

static bool
use_is_advanced(const Draw_scan *w, uint32_t use)
{
	const Defuse *u = w->s->in.fn->defuse;

	return all_advanced(w, u->reach + u->uses[use].def, u->uses[use].ndef);
}

/* Whether the register is read after the iteration. */
static bool
is_live_after(const Draw_scan *w, uint32_t local)
{
	const Fn *fn = w->s->in.fn;

	return bits_has(fn->live->in[iteration_loop(w->s)->header], local) ||
		bits_has(fn->live->in[w->s->out.draws->exit], local);
}

/* A statement of the iteration that the owner executes. */
static bool
take_advance(Draw_scan *w)
{
	Loop_check *s = w->s;
	const Fn *fn = s->in.fn;
	const Stmt *t = &s->out.m->stmts[w->o];
	const Draws *d = s->out.draws;
	bool given = t->guard == 1 && t->sym == TOKEN(w, 'V')->sym;

	while (w->once < d->nonce && !match_stmt(s, w->o, d->once[w->once], 0, !given))
		w->once++;
	if (w->once == d->nonce)
		return wrong(w, "this is no statement of the iteration that its owner gives away");
	uint32_t in = d->once[w->once++];
	FN_DEFS_OF_STMT(fn, in, def)
		if (!given && is_live_after(w, fn_local(fn, fn_def(fn, def)->sym)))
			return wrong(w, "lanes that give no iteration away advance too");
	bits_set(w->advanced, fn_local_stmt(fn, in));
	w->o++;
	return true;
}

/* Whether the owner's registers, and B, are those of the end of the iteration. */
static bool
is_advanced(Draw_scan *w)
{
	Loop_check *s = w->s;
	const Fn *fn = s->in.fn;
	uint32_t to[2] = { iteration_loop(s)->header, s->out.draws->exit };
	const Stmt *test = fn_stmt(fn, s->out.draws->test);
	uint32_t use = defuse_find_use(fn, s->out.draws->test, test->sym);

	BITS_EACH(i, w->advanced)
		FN_USES_OF_STMT(fn, fn->f->stmt + i, u)
			if (!use_is_advanced(w, u))
				return wrong(w, "the owner of an iteration computes the next from what it has not");
	for (uint32_t k = 0; k < 2; k++)
		BITS_EACH(i, fn->live->in[to[k]]) {
			if (!fn_is_reg(fn, fn_sym(fn, i)))
				continue;
			Reaching r = defuse_reaching(fn, to[k], fn_sym(fn, i));
			if (!all_advanced(w, r.at, r.n))
				return loop_check_fault(s, w->o, "the owner of an iteration lacks its next '%.*s'",
					PTX_NAME(s->in.m, fn_sym(fn, i)));
		}
	return (use && use_is_advanced(w, use) &&
		       output_reg(&s->out, TOKEN(w, 'B')->sym)->kind == REG_INPUT &&
		       match_sym(s, TOKEN(w, 'B')->sym, test->sym, 0)) ||
		wrong(w, "this is not the loop's test");
}

static bool
take_test(Draw_scan *w)
{
	const Fn *fn = w->s->in.fn;
	const Stmt *test = fn_stmt(fn, w->s->out.draws->test);
	uint32_t to = cfg_label_block(fn->cfg, fn->m->opnds[ptx_operand(fn->m, test, 0)].sym);
	bool taken = to && bits_has(iteration_loop(w->s)->blocks, to);

	return take(w, (test->guard == 1) == taken ? "@V mov.pred H, B;" : "@V not.pred H, B;");
}

/* ---- a draw ---------------------------------------------------------------------------------- */

static bool
is_guarded_by(const Draw_scan *w, char letter)
{
	const Stmt *t = &w->s->out.m->stmts[w->o];

	return w->o < w->s->out.end && t->kind == STMT_INSN && t->guard == 1 &&
		t->sym == TOKEN(w, letter)->sym;
}

/* Whether the branch leads to nothing but the next vote. */
static bool
leads_to_vote(const Output_text *output, uint32_t stmt)
{
	stmt = output_stmt(output, stmt)->flow.to;
	while (stmt && stmt < output->end && output->m->stmts[stmt].kind != STMT_INSN)
		stmt++;
	return stmt && output_stmt(output, stmt)->op == OP_VOTE;
}

/* W6, W11: lanes that do not draw, because all have an iteration or none is left, continue as the
 * policy says; they would vote for ever otherwise. */
static bool
others_continue(Loop_check *s, const Draw_text *d)
{
	for (uint32_t i = d->first; i-- > s->out.begin && s->out.m->stmts[i].kind != STMT_LABEL;)
		if (output_stmt(&s->out, i)->op == OP_BRA && leads_to_vote(&s->out, i))
			return loop_check_fault(s, i, "lanes that draw nothing only vote again");
	return true;
}

bool
draw_check_text(Loop_check *s, Draw_text *d)
{
	const Fn *fn = s->in.fn;
	Draw_scan w = { .s = s, .d = d, .o = d->first - 1,
		.holds = arena_array(s->arena, fn->f->nsym + 1, sizeof *w.holds),
		.specials = bits_new(s->arena, s->out.f->nsym + 1),
		.advanced = bits_new(s->arena, fn->f->nstmt) };

	if (!others_continue(s, d) || !TAKE_ALL(&w, pairs) || !take_values(&w))
		return false;
	while (is_guarded_by(&w, 'O'))
		if (!take_computed(&w))
			return false;
	if (!has_values(&w) || !TAKE_ALL(&w, gives))
		return false;
	while (!take_test(&w))
		if (!take_advance(&w))
			return false;
	if (!is_advanced(&w) || !TAKE_ALL(&w, ends))
		return false;
	*d = (Draw_text){ .first = d->first,
		.end = w.o,
		.there = TOKEN(&w, 'T')->sym,
		.givers = TOKEN(&w, 'G')->sym,
		.in = TOKEN(&w, 'J')->sym,
		.has = TOKEN(&w, 'H')->sym,
		.got = TOKEN(&w, 'O')->sym,
		.next = TOKEN(&w, 'X')->sym,
		.lane = TOKEN(&w, 'A')->sym,
		.lower = TOKEN(&w, 'L')->sym };
	return true;
}
