/* SPDX-License-Identifier: MIT */
/* Definite initialisation of thread-local memory; see definite_init.h.
 *
 * A forward data-flow problem over the bytes of the function's .local variables: which bytes have
 * been written on all paths since they were last lost. A store to a variable plus a constant writes
 * its bytes. A loop whose branches are all known has a single execution path: it is executed here
 * with the known values of its registers, and all bytes that its stores write are initialised at
 * its exit. This covers code that fills tables, for example in the slow path of sinf and cosf. A
 * load from any other address requires all bytes of the frame. */
#include "analysis/dataflow/constants.h"
#include "analysis/memory/definite_init.h"

enum {
	MOST_BYTES = 4096,      /* size of a frame */
	MOST_BLOCKS = 4096      /* blocks that the execution of a loop visits */
};

typedef struct { uint32_t sym, first, bytes; } Frame_variable;

/* The bytes that a loop has written when control leaves it by the edge from `last` to `behind`. */
typedef struct { uint32_t last, exit_block; Bits bytes; } Loop_writes;

typedef struct {
	const Fn *fn;
	const Locals *locals;
	Arena *arena;
	Undefined_read *lost;
	void *user;
	Frame_variable *vars; uint32_t nvars;
	uint32_t nbytes;
	Loop_writes *fillings; uint32_t nfillings;
	Bits *out;              /* by block: bytes that are written at its end */
} Frame_init;

/* The simulated execution of a loop. */
typedef struct {
	const Frame_init *frame;
	const Fn *fn;
	uint32_t loop;
	Constant *now;             /* values by fn_local, */
	Bits set;               /* of registers that the loop has written */
} Loop_run;

/* ---- accesses -------------------------------------------------------------------------------- */

/* Whether the statement names the frame, or what may be an address in it. A callee has its own
 * frame. */
static bool
stmt_names_frame(const Frame_init *w, uint32_t stmt)
{
	const Module *m = w->fn->m;

	if (fn_effects(w->fn, stmt) & EFF_LOCAL && ptx_op(m, fn_stmt(w->fn, stmt)) != OP_CALL)
		return true;
	FN_REFS(w->fn, stmt, r)
		if (m->syms[r->sym].space == SPACE_LOCAL ||
			(m->syms[r->sym].kind != SYM_VAR &&
				address_origin_of(w->locals, r->sym).func))
			return true;
	return false;
}

/* Returns the address operand of a plain load or store; NULL for other statements. */
static const Opnd *
access_operand(const Fn *fn, uint32_t stmt)
{
	const Module *m = fn->m;
	const Stmt *s = fn_stmt(fn, stmt);
	Op op = ptx_op(m, s);
	const Opnd *o = &m->opnds[ptx_operand(m, s, op == OP_LD)];

	if ((op != OP_LD && op != OP_ST) || o->kind != OPND_ADDR || o->tree < 2 ||
		o[1].kind != OPND_SYM || o[1].sel)
		return NULL;
	return o;
}

static uint32_t
access_bytes(const Module *m, const Stmt *s)
{
	uint32_t n = ptx_has(m, s, "v2") ? 2 : ptx_has(m, s, "v4") ? 4 : ptx_has(m, s, "v8") ? 8 : 1;

	return n * ptx_type_size(ptx_insn_type(m, s));
}

/* Returns the value of the first part of an access's address. */
static Constant
address_base(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	if (!fn_is_reg(fn, sym))
		return constant_symbol(fn->m, sym);
	return constant_use(fn, defuse_find_use(fn, stmt, sym));
}

/* Returns the address of a load or store if it is constant. */
static Constant
frame_offset(const Fn *fn, uint32_t stmt)
{
	const Opnd *o = access_operand(fn, stmt);
	int64_t offset;

	if (!o || !ptx_offset(fn->m, o, &offset))
		return (Constant){ 0 };
	Constant at = address_base(fn, stmt, o[1].sym);
	at.n += (uint64_t)offset;
	return at;
}

/* Computes the first byte of the frame at an address. False: the n bytes are not all in one
 * variable. */
static bool
bytes_at(const Frame_init *w, Constant at, uint32_t n, uint32_t *first)
{
	for (uint32_t i = 0; at.known && i < w->nvars; i++) {
		const Frame_variable *v = &w->vars[i];
		if (v->sym != at.sym || n > v->bytes || at.n > v->bytes - n)
			continue;
		*first = v->first + (uint32_t)at.n;
		return true;
	}
	return false;
}

static void
mark_written(const Frame_init *w, Constant at, uint32_t stmt, Bits bytes)
{
	uint32_t first, n = access_bytes(w->fn->m, fn_stmt(w->fn, stmt));

	if (bytes_at(w, at, n, &first))
		bits_fill(bytes, first, first + n);
}

static bool
is_store(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN && !s->guard && ptx_op(fn->m, s) == OP_ST;
}

static void
record_store(const Frame_init *w, uint32_t stmt, Bits bytes)
{
	if (is_store(w->fn, stmt))
		mark_written(w, frame_offset(w->fn, stmt), stmt, bytes);
}

/* ---- loops that initialise ------------------------------------------------------------------- */

/* Returns the value of a register on entry to the loop. */
static Constant
value_at_loop_start(const Loop_run *r, uint32_t sym)
{
	Reaching defs = defuse_reaching(r->fn, r->fn->loops->loops[r->loop].header, sym);
	uint32_t outer = 0, n = 0;

	for (uint32_t i = 0; i < defs.n; i++) {
		uint32_t s = fn_def(r->fn, defs.at[i])->stmt;
		if (s && loop_contains(r->fn->loops, r->loop, fn_block(r->fn, s)))
			continue;
		outer = defs.at[i];
		n++;
	}
	return n == 1 ? constant_def(r->fn, outer) : (Constant){ 0 };
}

static Constant
current_value(const Loop_run *r, uint32_t sym)
{
	if (!fn_is_reg(r->fn, sym))
		return constant_symbol(r->fn->m, sym);
	if (!bits_has(r->set, fn_local(r->fn, sym)))
		return value_at_loop_start(r, sym);
	return r->now[fn_local(r->fn, sym)];
}

/* Whether the statement is executed. *known: whether that could be decided. */
static bool
stmt_executes(const Loop_run *r, const Stmt *s, bool *known)
{
	Constant guard = s->guard ? current_value(r, s->sym) : (Constant){ true, 0, 1 };

	*known = guard.known;
	return guard.known && (guard.n != 0) == (s->guard != 2);
}

static void
run_stmt(Loop_run *r, uint32_t stmt, Bits bytes)
{
	const Module *m = r->fn->m;
	const Stmt *s = fn_stmt(r->fn, stmt);
	const Opnd *to = access_operand(r->fn, stmt);
	Constant v[2] = { { 0 } }, result;
	bool known, is = stmt_executes(r, s, &known);
	int64_t offset;

	if (s->kind != STMT_INSN || (known && !is))
		return;
	if (is && is_store(r->fn, stmt) && to && ptx_offset(m, to, &offset)) {
		Constant at = current_value(r, to[1].sym);
		at.n += (uint64_t)offset;
		mark_written(r->frame, at, stmt, bytes);
	}
	for (uint32_t k = 1; k < 3 && k < s->nopnd; k++) {
		const Opnd *o = &m->opnds[ptx_operand(m, s, k)];
		if (o->kind == OPND_IMM)
			v[k - 1] = constant_immediate(m, o);
		else if (o->kind == OPND_SYM && !o->sel)
			v[k - 1] = current_value(r, o->sym);
	}
	result = is ? constant_of(m, s, v) : (Constant){ 0 };
	FN_WRITES(r->fn, stmt, w) {
		bits_set(r->set, fn_local(r->fn, w->sym));
		r->now[fn_local(r->fn, w->sym)] = result;
	}
}

/* Returns the next block; 0 if it is unknown, or the thread ends. */
static uint32_t
next_block(const Loop_run *r, uint32_t block)
{
	const Fn *fn = r->fn;
	uint32_t end = cfg_terminator(fn->cfg, block), target, other = 0, n = 0;
	const Stmt *s = end ? fn_stmt(fn, end) : NULL;
	bool known;

	FN_SUCC(fn, block, to) {
		other = to;
		n++;
	}
	if (n == 1)
		return other;
	if (n != 2 || !s || ptx_op(fn->m, s) != OP_BRA)
		return 0;
	target = cfg_label_block(fn->cfg, fn->m->opnds[ptx_operand(fn->m, s, 0)].sym);
	FN_SUCC(fn, block, to)
		if (to != target)
			other = to;
	bool taken = stmt_executes(r, s, &known);
	return !known ? 0 : taken ? target : other;
}

static bool
loop_loses_contents(const Frame_init *w, uint32_t loop)
{
	BITS_EACH(b, w->fn->loops->loops[loop].blocks)
		FN_SUCC(w->fn, b, to)
			if (to && loop_contains(w->fn->loops, loop, to) &&
				w->lost(w->user, b, to))
				return true;
	return false;
}

static void
run_loop(Frame_init *w, uint32_t loop)
{
	const Fn *fn = w->fn;
	Loop_run r = { .frame = w, .fn = fn, .loop = loop,
		.now = arena_alloc(w->arena, fn->f->nsym * sizeof *r.now),
		.set = bits_new(w->arena, fn->f->nsym) };
	Loop_writes f = { 0, fn->loops->loops[loop].header, bits_new(w->arena, w->nbytes) };

	for (uint32_t n = 0; n < MOST_BLOCKS && f.exit_block; n++) {
		if (!loop_contains(fn->loops, loop, f.exit_block)) {
			w->fillings[w->nfillings++] = f;
			return;
		}
		f.last = f.exit_block;
		FN_BLOCK_STMTS(fn, f.last, s)
			run_stmt(&r, s, f.bytes);
		f.exit_block = next_block(&r, f.last);
	}
}

/* Whether the loop has stores to the frame. */
static bool
loop_stores(const Frame_init *w, uint32_t loop)
{
	BITS_EACH(b, w->fn->loops->loops[loop].blocks)
		FN_BLOCK_STMTS(w->fn, b, s)
			if (is_store(w->fn, s) && stmt_names_frame(w, s))
				return true;
	return false;
}

/* ---- data flow ------------------------------------------------------------------------------- */

/* Computes the bytes that are written at the beginning of block b. */
static void
written_at_block_start(const Frame_init *w, uint32_t b, Bits bytes, Bits edge)
{
	bits_fill(bytes, 0, w->nbytes);
	FN_PRED(w->fn, b, p) {
		if (w->lost(w->user, p, b))
			bits_clear(edge);
		else
			bits_copy(edge, w->out[p]);
		for (uint32_t i = 0; i < w->nfillings; i++)
			if (w->fillings[i].last == p && w->fillings[i].exit_block == b)
				bits_or(edge, w->fillings[i].bytes);
		bits_and(bytes, edge);
	}
}

static bool
solve_writes(const Frame_init *w)
{
	Bits bytes = bits_new(w->arena, w->nbytes), edge = bits_new(w->arena, w->nbytes);
	bool changed = false;

	FN_BLOCKS(w->fn, b) {
		written_at_block_start(w, b, bytes, edge);
		FN_BLOCK_STMTS(w->fn, b, s)
			record_store(w, s, bytes);
		changed |= !bits_within(w->out[b], bytes);
		bits_copy(w->out[b], bytes);
	}
	return changed;
}

static bool
may_read(const Module *m, const Stmt *s)
{
	return ptx_flags(m, s) & (OPF_LOAD | OPF_ATOMIC | OPF_CALL) || ptx_op(m, s) == OP_UNKNOWN;
}

/* Whether all bytes that the statement reads are written. */
static bool
read_is_initialised(const Frame_init *w, uint32_t stmt, Bits bytes)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	uint32_t first = 0, n = w->nbytes;

	if (s->kind != STMT_INSN || !may_read(w->fn->m, s) || !stmt_names_frame(w, stmt))
		return true;
	if (ptx_op(w->fn->m, s) == OP_LD &&
		bytes_at(w, frame_offset(w->fn, stmt), access_bytes(w->fn->m, s), &first))
		n = access_bytes(w->fn->m, s);
	for (uint32_t i = first; i < first + n; i++)
		if (!bits_has(bytes, i))
			return false;
	return true;
}

static bool
all_reads_initialised(const Frame_init *w)
{
	Bits bytes = bits_new(w->arena, w->nbytes), edge = bits_new(w->arena, w->nbytes);

	FN_BLOCKS(w->fn, b) {
		written_at_block_start(w, b, bytes, edge);
		FN_BLOCK_STMTS(w->fn, b, s) {
			if (!read_is_initialised(w, s, bytes))
				return false;
			record_store(w, s, bytes);
		}
	}
	return true;
}

/* Assigns offsets to the variables. False: the frame is too large, or its size is unknown. */
static bool
layout_variables(Frame_init *w)
{
	const Module *m = w->fn->m;

	w->vars = arena_alloc(w->arena, w->fn->f->nsym * sizeof *w->vars);
	FN_SYMS(w->fn, sym) {
		if (m->syms[sym].space != SPACE_LOCAL)
			continue;
		const Var *v = ptx_var(m, sym);
		if (!v || m->syms[sym].kind != SYM_VAR || !v->bytes ||
			v->bytes > MOST_BYTES - w->nbytes)
			return false;
		w->vars[w->nvars++] = (Frame_variable){ sym, w->nbytes, (uint32_t)v->bytes };
		w->nbytes += (uint32_t)v->bytes;
	}
	FN_STMTS(w->fn, s)
		if (fn_effects(w->fn, s) & EFF_STACK)
			return false;
	return w->nbytes > 0;
}

bool
definite_init_reads(const Fn *fn, const Locals *l, Undefined_read *lost, void *user, Arena *a)
{
	Arena_mark mark = arena_mark(a);
	Frame_init w = { .fn = fn, .locals = l, .arena = a, .lost = lost, .user = user };
	bool all = layout_variables(&w);

	if (all) {
		w.fillings = arena_alloc(a, fn->loops->nloops * sizeof *w.fillings);
		for (uint32_t i = 1; i < fn->loops->nloops; i++)
			if (loop_stores(&w, i) && !loop_loses_contents(&w, i))
				run_loop(&w, i);
		w.out = arena_alloc(a, fn->cfg->nblocks * sizeof *w.out);
		for (uint32_t b = 0; b < fn->cfg->nblocks; b++)
			bits_fill(w.out[b] = bits_new(a, w.nbytes), 0, w.nbytes);
		while (solve_writes(&w))
			;
		all = all_reads_initialised(&w);
	}
	arena_release(a, mark);
	return all;
}
