/* CCC: may this loop and this path be transformed at all? docs/design.md 6.7 lists what is
 * refused.
 *
 * Everything here is about code, not values: which blocks each lane runs for itself (C: those of
 * the region that can come to the loop's header, without the path's), how it leaves them, and
 * whether a statement in C or R does something that a helper must not do in another lane's place,
 * or that would wait for lanes which wait in the vote block.
 */
#include <stdarg.h>
#include "base/buf.h"
#include "transform/ccc.h"

static char *report_at(Ccc *c, Diag_kind kind, uint32_t pos, const char *lead, const char *fmt,
	va_list ap) __attribute__((format(printf, 5, 0)));

/* Reports at the path, or at the loop when it has none; gives the message in the report's arena. */
static char *
report_at(Ccc *c, Diag_kind kind, uint32_t pos, const char *lead, const char *fmt, va_list ap)
{
	const Marker *k = &c->fn->m->markers[c->path ? c->path->r.marker : c->site->r.marker];
	Buf text = { 0 };
	buf_vprintf(&text, fmt, ap);
	diag_cuda(c->diags, kind, k->cuda, pos, "%s%s", lead, text.at);
	char *copy = arena_strndup(c->keep, text.at, text.n);
	buf_free(&text);
	return copy;
}

bool
ccc_refuse(Ccc *c, Diag_kind kind, uint32_t pos, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	c->report->refused = report_at(c, kind, pos, "path left as it was: ", fmt, ap);
	va_end(ap);
	return false;
}

void
ccc_warn(Ccc *c, Diag_kind kind, uint32_t pos, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report_at(c, kind, pos, "", fmt, ap);
	va_end(ap);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* C: what a lane can come to from the begin marker, passing the path over, and still come to the
 * header from. */
static void
find_cloned(Ccc *c)
{
	const Cfg *g = c->fn->cfg;
	Bits may = bits_new(c->arena, g->nblocks);
	c->cloned = bits_new(c->arena, g->nblocks);
	cfg_flood(g, ccc_header(c), true, c->site->r.blocks, may);
	bits_and_not(may, c->path->r.blocks);
	cfg_flood(g, c->site->r.entry, false, may, c->cloned);
	cfg_flood(g, c->path->next, false, may, c->cloned);
}

static void
add_exit(Ccc *c, Ccc_exit x)
{
	for (uint32_t i = 0; i < c->nexits; i++)
		if (c->exits[i].block == x.block && c->exits[i].stmt == x.stmt)
			return;
	c->exits[c->nexits++] = x;
}

/* Ways out of C: to blocks that cannot come back, and threads that end. A trap ends everything
 * and is left as it is. */
static void
find_exits(Ccc *c)
{
	const Cfg *g = c->fn->cfg;
	uint32_t cap = 0;
	BITS_EACH(b, c->cloned)
		cap += g->blocks[b].nsucc;
	c->exits = arena_array(c->arena, cap + 1, sizeof *c->exits);
	BITS_EACH(b, c->cloned)
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++) {
			uint32_t s = cfg_succ(g, b)[i], t = cfg_terminator(g, b);
			if (s == 0 && ptx_op(c->fn->m, fn_stmt(c->fn, t)) != OP_TRAP)
				add_exit(c, (Ccc_exit){ 0, t });
			else if (s && !bits_has(c->cloned, s) && !ccc_in_path(c, s))
				add_exit(c, (Ccc_exit){ s, 0 });
		}
}

/* Position to show for a block: its first statement. */
static uint32_t
block_pos(const Ccc *c, uint32_t b)
{
	return fn_stmt(c->fn, c->fn->cfg->blocks[b].stmt)->at.pos;
}

static bool
check_path_flow(Ccc *c)
{
	const Path *p = c->path;
	if (!p->next && p->other) {
		ccc_refuse(c, D_CONTROL, block_pos(c, p->other),
			"it is left in several ways, and where its owner goes on depends on the path");
		diag_note(c->diags, DIAG_NOWHERE,
			"let the path end in one place: no 'continue', 'break' or 'return' in a part of it");
		return false;
	}
	if (!p->next)
		return ccc_refuse(c, D_CONTROL, block_pos(c, p->r.entry), "it never ends");
	if (!loop_contains(c->fn->loops, c->site->loop, p->next)) {
		ccc_refuse(c, D_CONTROL, block_pos(c, p->next), "it leaves the annotated loop");
		diag_note(
			c->diags, DIAG_NOWHERE, "move 'break', 'return' or 'goto' out of the path");
		return false;
	}
	return true;
}

/* Does the declaration make a variable that a copy of it would make again? */
static bool
declares_memory(const Fn *fn, const Stmt *s)
{
	Space space = s->sym ? (Space)fn->m->syms[s->sym].space : SPACE_NONE;
	return space != SPACE_NONE && space != SPACE_REG && space != SPACE_PARAM;
}

/* The copy is one new scope, so each block must begin and end in the scope of the loop, and
 * declare nothing there. */
static bool
check_scopes(Ccc *c)
{
	const Fn *fn = c->fn;
	uint32_t at = fn_depth(fn, fn->m->markers[c->site->r.marker].stmt);
	for (uint32_t b = 1; b < fn->cfg->nblocks; b++) {
		const Block *k = &fn->cfg->blocks[b];
		if (!bits_has(c->cloned, b) && !ccc_in_path(c, b))
			continue;
		if (k->stmt < k->end && (fn_depth(fn, k->stmt) != at || fn_depth(fn, k->end) != at))
			return ccc_refuse(c, D_CONTROL, block_pos(c, b),
				"a label or branch inside a nested scope of the loop");
		for (uint32_t s = k->stmt; s < k->end; s++)
			if (fn_stmt(fn, s)->kind == STMT_DECL &&
				(fn_depth(fn, s) == at || declares_memory(fn, fn_stmt(fn, s))))
				return ccc_refuse(c, D_CONTROL, fn_stmt(fn, s)->at.pos,
					fn_depth(fn, s) == at
						? "a declaration inside the loop, outside braces"
						: "a variable declared inside the loop");
	}
	return true;
}

static bool
check_irreducible(Ccc *c)
{
	BITS_EACH(b, c->fn->loops->irreducible)
		if (bits_has(c->site->r.blocks, b))
			return ccc_refuse(c, D_CONTROL, block_pos(c, b),
				"the loop has irreducible control flow: a cycle with several entries");
	return true;
}

/* ---- statements -------------------------------------------------------------------------- */

/* The carry flag is no register that a task could take along, and a helper's own is lost when it
 * runs a task: it may neither come into a block of C or R nor leave it. The text that stands between
 * the blocks' copies does not touch it. */
static bool
check_carry(Ccc *c, uint32_t b)
{
	const Cfg *g = c->fn->cfg;
	uint32_t read = c->fn->carry[b];
	for (uint32_t i = 0; i < g->blocks[b].nsucc && !read; i++)
		read = c->fn->carry[cfg_succ(g, b)[i]];
	if (!read)
		return true;
	uint32_t at = cfg_block_of(g, read);
	return ccc_refuse(c, D_CONTEXT, fn_stmt(c->fn, read)->at.pos,
		ccc_in_path(c, at) || bits_has(c->cloned, at)
			? "the carry flag that this reads is not set right before it"
			: "the carry flag that this reads, behind the loop, was set before it or in it");
}

static bool
check_call(Ccc *c, uint32_t s, uint32_t eff, bool in_path)
{
	const Stmt *st = fn_stmt(c->fn, s);
	const char *where = in_path ? "path" : "loop";
	uint32_t callee = effects_callee(c->fn->m, s);
	if (eff & EFF_INDIRECT)
		return ccc_refuse(
			c, D_CALL, st->at.pos, "a call through a pointer in the %s", where);
	if (eff & EFF_EXTERN) {
		ccc_refuse(c, D_CALL, st->at.pos,
			"a call in the %s to a function whose body is not in this module", where);
		diag_note(c->diags, DIAG_NOWHERE,
			"make the function inline, or define it in the same file");
		return false;
	}
	if (eff & EFF_EXIT)
		return ccc_refuse(c, D_CALL, st->at.pos,
			"a call in the %s to a function that may end the thread", where);
	if (eff & EFF_RECURSE) {
		ccc_refuse(
			c, D_CALL, st->at.pos, "a call in the %s to a recursive function", where);
		diag_note(c->diags, DIAG_NOWHERE,
			"behind recursion ptxas takes the lanes for together when they are not, and votes go wrong; "
			"make it a loop");
		return false;
	}
	if (callee &&
		(callee == c->fn->func ||
			effects_reaches(c->fn->m, c->fn->effects, callee, c->fn->func)))
		return ccc_refuse(c, D_CALL, st->at.pos,
			"a call in the %s that can come back to this function", where);
	return true;
}

/* ---- thread-local memory ----------------------------------------------------------------- */

typedef struct {
	const Ccc *c;
	bool own;       /* names memory of the function's own frame, or a register that may hold its address */
	bool other;     /* of another: a .func's parameter or result, a variable of the module */
	Local_from from; /* where the register's comes from */
} Local_use;
static void
see_local(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Local_use *u = user;
	const Sym *y = &u->c->fn->m->syms[sym];
	Local_from from = local_held(u->c->locals, sym);
	(void)opnd;
	(void)written;
	/* The .param variables of a call's own braces are the callee's arguments: checked by what
	 * is stored in them. */
	if (y->space == SPACE_LOCAL)
		*(y->func == u->c->fn->func ? &u->own : &u->other) = true;
	else if (y->kind != SYM_VAR && from.func) {
		u->own = true;
		u->from = u->from.func ? u->from : from;
	}
	if (y->kind == SYM_PARAM && y->space == SPACE_PARAM && !u->c->fn->f->entry)
		u->other = true;
}

/* Does the path name the frame's memory? Most do not, and need no look at the whole function. */
static bool
path_has_frame(const Ccc *c)
{
	const Fn *fn = c->fn;
	Local_use u = { .c = c };
	BITS_EACH(b, c->path->r.blocks)
		for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end && !u.own; s++)
			if (fn_stmt(fn, s)->kind == STMT_INSN) {
				ptx_visit(fn->m, fn_stmt(fn, s), see_local, &u);
				u.own |= (effects_stmt(fn->m, fn->effects, s) & EFF_LOCAL) != 0;
			}
	return u.own;
}

/* Is the frame's memory a scratch pad of the path: read and written there alone, by addresses that stay in registers? Then
 * whoever runs a task uses its own, at the same address. What another task left there means nothing to this one, or iterations
 * would depend on each other. (The slow way of sinf and cosf is such code.) */
static bool
scratch_of_path(const Ccc *c)
{
	const Fn *fn = c->fn;
	if (!local_private(c->locals))
		return false;
	for (uint32_t s = fn->f->stmt; s < fn->f->stmt + fn->f->nstmt; s++) {
		const Stmt *st = fn_stmt(fn, s);
		Local_use u = { .c = c };
		if (st->kind != STMT_INSN || ccc_in_path(c, cfg_block_of(fn->cfg, s)))
			continue;
		uint32_t flags = ptx_flags(fn->m, st), eff = effects_stmt(fn->m, fn->effects, s);
		ptx_visit(fn->m, st, see_local, &u);
		if (eff & EFF_STACK || (flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC | OPF_CALL) && (u.own || eff & EFF_LOCAL)))
			return false;
	}
	return true;
}

/* A function that is called may find such an address in memory, if one was put there. from: where
 * the address comes from that is in the way, if it is in a register or in memory. */
static bool
uses_local(const Ccc *c, uint32_t stmt, uint32_t eff, Local_from *from)
{
	Local_use u = { .c = c };
	bool call = ptx_op(c->fn->m, fn_stmt(c->fn, stmt)) == OP_CALL;
	ptx_visit(c->fn->m, fn_stmt(c->fn, stmt), see_local, &u);
	*from = u.from;
	if (eff & EFF_STACK || u.other)
		return true;
	if ((u.own || (!call && eff & EFF_LOCAL)) && !c->scratch)
		return true;
	*from = local_stored(c->locals);
	return call && eff & (EFF_GENERIC | EFF_LOCAL) && from->func;
}

/* Notes what lets an address of thread-local memory come to the path, unless the function takes it
 * itself. */
static void
tell_local(const Ccc *c, Local_from from)
{
	const Module *m = c->fn->m;
	const Stmt *s = &m->stmts[from.stmt];
	const char *does = "takes";
	if (!from.func)
		return;
	uint32_t name = m->funcs[from.func].sym;
	if (!from.stmt) {
		diag_note(c->diags, m->syms[name].pos,
			"other modules can call '%.*s', and pass or store the address of thread-local memory",
			PTX_NAME(m, name));
		return;
	}
	if (ptx_op(m, s) == OP_CALL)
		does = "passes";
	else if (ptx_flags(m, s) & OPF_STORE)
		does = "stores";
	else if (from.func == c->fn->func)
		return;
	diag_note(c->diags, s->at.pos, "'%.*s' %s the address of thread-local memory here",
		PTX_NAME(m, name), does);
}

/* ---- statements -------------------------------------------------------------------------- */

static bool
check_path_stmt(Ccc *c, uint32_t s, uint32_t eff)
{
	const Stmt *st = fn_stmt(c->fn, s);
	Op op = ptx_op(c->fn->m, st);
	if (eff & EFF_BARRIER) {
		ccc_refuse(c, D_BARRIER, st->at.pos, "a block barrier in the path");
		diag_note(c->diags, DIAG_NOWHERE,
			"a task waits until the warp runs it: a barrier in it may wait for ever");
		return false;
	}
	if (eff & EFF_CROSS)
		return ccc_refuse(
			c, D_WARP_SYNC, st->at.pos, "a warp-synchronous operation in the path");
	if (eff & EFF_ASYNC)
		return ccc_refuse(c, D_WARP_SYNC, st->at.pos,
			"an asynchronous copy, or a wait for one, in the path");
	if (eff & EFF_LANE && op == OP_CALL)
		return ccc_refuse(c, D_CALL, st->at.pos,
			"a call in the path to a function that reads the thread's own index or lane");
	Local_from from;
	if (uses_local(c, s, eff, &from)) {
		ccc_refuse(c, D_LOCAL, st->at.pos, "it may touch thread-local memory of its owner");
		tell_local(c, from);
		diag_note(c->diags, DIAG_NOWHERE,
			"keep arrays indexed at run time, and variables whose address is taken, in the path alone, or out of it "
			"(sinf, cosf and tanf use such an array, with -use_fast_math they do not)");
		return false;
	}
	if (op == OP_EXIT || op == OP_RET)
		return ccc_refuse(c, D_CONTROL, st->at.pos, "the thread may end inside it");
	return true;
}

/* In the loop outside the path: whatever waits for other lanes by name would stand in two copies
 * of the loop, and lanes that the program names together may be in different ones, since a group
 * that arrives alone takes the untouched loop. (LLVM: convergent operations must not become
 * control dependent on more.) So also bar.sync, which all lanes of a warp must execute at one
 * place. And a lane that would have ended its thread, and so be waited for no more, is parked. */
static bool
check_waits(Ccc *c, uint32_t pos, uint32_t eff)
{
	if (!(eff & (EFF_BARRIER | EFF_CROSS)))
		return true;
	ccc_refuse(c, eff & EFF_BARRIER ? D_BARRIER : D_WARP_SYNC, pos, "%s in the loop",
		eff & EFF_BARRIER ? "a block barrier" : "a warp-synchronous operation");
	diag_note(c->diags, DIAG_NOWHERE,
		"some lanes of a warp may run the loop as it was, others the transformed one: they cannot meet there");
	return false;
}

typedef struct { const Module *m; bool found; } Label_use;
static void
see_label(void *user, uint32_t sym, uint32_t opnd, bool written)
{
	Label_use *u = user;
	(void)opnd, (void)written;
	u->found |= u->m->syms[sym].kind == SYM_LABEL;
}

/* Does a statement that is neither branch nor call name a label? It has no address in PTX. */
static bool
stray_label(const Module *m, const Stmt *s)
{
	Label_use u = { m, false };
	if (!(ptx_flags(m, s) & (OPF_BRANCH | OPF_CALL)))
		ptx_visit(m, s, see_label, &u);
	return u.found;
}

static bool
check_stmt(Ccc *c, uint32_t s, bool in_path)
{
	const Stmt *st = fn_stmt(c->fn, s);
	uint32_t eff = effects_stmt(c->fn->m, c->fn->effects, s);
	if (st->kind != STMT_INSN)
		return true;
	if (stray_label(c->fn->m, st))
		return ccc_refuse(c, D_OPCODE, st->head, "a label is named where no branch is");
	if (eff & EFF_UNKNOWN)
		return ccc_refuse(c, D_OPCODE, st->head,
			"the opcode '%.*s' is not known to this program",
			(int)(st->head_end - st->head), c->fn->m->src->text + st->head);
	if (ptx_op(c->fn->m, st) == OP_CALL && !check_call(c, s, eff, in_path))
		return false;
	return in_path ? check_path_stmt(c, s, eff) : check_waits(c, st->at.pos, eff);
}

bool
ccc_legal(Ccc *c)
{
	if (!check_path_flow(c) || !check_irreducible(c))
		return false;
	find_cloned(c);
	find_exits(c);
	if (!check_scopes(c))
		return false;
	c->scratch = path_has_frame(c) && scratch_of_path(c);
	for (uint32_t b = 1; b < c->fn->cfg->nblocks; b++) {
		bool in_path = ccc_in_path(c, b);
		if (!in_path && !bits_has(c->cloned, b))
			continue;
		if (!check_carry(c, b))
			return false;
		for (uint32_t s = c->fn->cfg->blocks[b].stmt; s < c->fn->cfg->blocks[b].end; s++)
			if (!check_stmt(c, s, in_path))
				return false;
	}
	return true;
}
