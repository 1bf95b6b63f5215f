/* CCC: the text of the transformed loop (DESIGN 6.1, policy stack).
 *
 * The whole stands in front of the untouched loop, in a scope of its own:
 *
 *	<begin marker>
 *	{	entry       M, lanes below me, the warp's buffer; not contiguous from lane 0, or
 *		            block too large: goto plain
 *		C           copies of the loop's blocks, on the owner's own registers; the path's
 *		            entry leads to want, ways out to exit<k>
 *		want        this lane has a task
 *		exit<k>     the lane parks: in = false
 *		vote        ballot; are there tasks for all: pop, and on to run; else goto push
 *		run         the path, on its own registers
 *		ran         on with the loop
 *		push        the lanes that want put their tasks on the stack; goto ran
 *		none        no lane wants: goto ran; if no lane is in: drain
 *		leave       all of M go on, each where it left its loop
 *	}
 *	plain:          the untouched loop
 *
 * The vote stands at one of two places. In general (apart) it stands at the back edge: a lane
 * that wants the path copies its context to the path's registers, goes on behind the path to the
 * end of its iteration, and votes; then lanes with iterations left go to the header, parked lanes
 * straight back to the vote. In a loop whose lanes can keep in step (step.c) it stands where the
 * path's branch stood, and the loop is one chain of blocks without a branch.
 */
#include <stdio.h>
#include <string.h>
#include "transform/task.h"

/* ---- entry ------------------------------------------------------------------------------- */

static void
declare(Emit *e)
{
	const Ccc *c = e->c;
	put(e, "\t.reg .pred \t%%^off, %%^want, %%^in, %%^few, %%^more, %%^mine;\n"
		"\t.reg .b32 \t%%^mask, %%^lt, %%^size, %%^top, %%^base, %%^votes, %%^n;\n"
		"\t.reg .b32 \t%%^idle, %%^slot, %%^bits, %%^exit;\n"
		"\t.reg .b32 \t%%^at1, %%^at2, %%^at4, %%^at8, %%^at16;\n");
	for (uint32_t i = 0; i < c->nslots; i++)
		if (e->m->syms[c->slots[i].sym].kind == SYM_SPECIAL)
			put(e, "\t.reg .b32 \t%s;\n", copy_own(e, c->slots[i].sym, c->slots[i].sel));
	for (uint32_t i = 0; i < c->fn->f->nsym; i++) {
		uint32_t sym = c->fn->f->sym0 + i;
		const Sym *y = &e->m->syms[sym];
		const char *type = ptx_type_name((Type)y->type);
		const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";
		if (bits_has(c->own, i))
			put(e, "\t.reg %s.%s \t%s;\n", vec, type, copy_own(e, sym, 0));
		if (bits_has(c->again_syms, i))
			put(e, "\t.reg .%s \t%s;\n", type, copy_recomputed(e, sym));
	}
}

/* The thread's number in its block, into %^n. */
static void
thread_number(Emit *e)
{
	put(e, "\tmov.u32 \t%%^n, %%tid.x;\n");
	if (e->c->launch_dims > 2)
		put(e, "\tmov.u32 \t%%^at1, %%tid.z;\n"
			"\tmov.u32 \t%%^at2, %%ntid.y;\n"
			"\tmov.u32 \t%%^at4, %%tid.y;\n"
			"\tmad.lo.u32 \t%%^at4, %%^at1, %%^at2, %%^at4;\n");
	else if (e->c->launch_dims > 1)
		put(e, "\tmov.u32 \t%%^at4, %%tid.y;\n");
	if (e->c->launch_dims > 1)
		put(e, "\tmov.u32 \t%%^at1, %%ntid.x;\n"
			"\tmad.lo.u32 \t%%^n, %%^at4, %%^at1, %%^n;\n");
}

static void
entry(Emit *e, const Ccc_buffer *b)
{
	const Ccc *c = e->c;
	put(e, "\tactivemask.b32 \t%%^mask;\n"
		"\tadd.s32 \t%%^n, %%^mask, 1;\n"
		"\tand.b32 \t%%^n, %%^n, %%^mask;\n"
		"\tsetp.ne.s32 \t%%^off, %%^n, 0;\n\t@%%^off bra \t$^plain;\n");
	if (c->check_threads)
		put(e, "\tmov.u32 \t%%^n, %%ntid.x;\n"
			"\tmov.u32 \t%%^at1, %%ntid.y;\n"
			"\tmov.u32 \t%%^at2, %%ntid.z;\n"
			"\tmul.lo.u32 \t%%^n, %%^n, %%^at1;\n"
			"\tmul.lo.u32 \t%%^n, %%^n, %%^at2;\n"
			"\tsetp.gt.u32 \t%%^off, %%^n, %u;\n"
			"\t@%%^off bra \t$^plain;\n", c->threads);
	if (c->warp_bytes) {
		thread_number(e);
		put(e, "\tshr.u32 \t%%^n, %%^n, 5;\n"
			"\tmov.u32 \t%%^base, %s;\n"
			"\tmad.lo.u32 \t%%^base, %%^n, %u, %%^base;\n",
			b->name, b->stride);
	}
	put(e, "\tmov.u32 \t%%^lt, %%lanemask_lt;\n"
		"\tpopc.b32 \t%%^size, %%^mask;\n"
		"\tmov.u32 \t%%^top, 0;\n"
		"\tmov.pred \t%%^in, -1;\n\tmov.pred \t%%^want, 0;\n");
	e->role = AS_ENTRY;
	for (uint32_t i = 0; i < c->nagain; i++)
		copy_line(e, c->again[i]);
}

/* ---- the owner's part -------------------------------------------------------------------- */

/* The place of the path's entry in the owner's loop, the vote standing apart. */
static void
want(Emit *e, const char *following)
{
	const Ccc *c = e->c;
	copy_new_line(e);
	put(e, "$^want:\n");
	task_take_own(e);
	e->role = AS_SLICE;
	for (uint32_t i = 0; i < c->nslice; i++)
		copy_line(e, c->slice[i]);
	e->role = AS_OWNER;
	e->block = c->path->r.entry;
	put(e, "\tmov.pred \t%%^want, -1;\n");
	copy_branch(e, c->path->next, following);
}

/* Label of the unit behind block b in the owner's part, the vote standing apart: a copied block,
 * want, or the first way out. */
static const char *
label_after(Emit *e, uint32_t b)
{
	const Ccc *c = e->c;
	while (++b < c->fn->cfg->nblocks) {
		if (b == c->path->r.entry)
			return "^want";
		if (bits_has(c->cloned, b))
			return copy_label(e, b);
	}
	return c->nexits ? "^exit0" : "^vote";
}

/* Where a lane parks, and goes on to vote or, in step, to run along. */
static void
exits(Emit *e)
{
	const Ccc *c = e->c;
	for (uint32_t k = 0; k < c->nexits; k++) {
		if (!(e->exit_used >> (k < 63 ? k : 63) & 1))
			continue;
		put(e, "$^exit%u:\n", k);
		if (c->nexits > 1)
			put(e, "\tmov.u32 \t%%^exit, %u;\n", k);
		put(e, "\tmov.pred \t%%^in, 0;\n"
			"\tbra.uni \t$%s;\n", c->in_step ? copy_label(e, ccc_header(c)) : "^vote");
	}
}

/* C, the vote standing apart. */
static void
apart(Emit *e)
{
	const Ccc *c = e->c;
	e->role = AS_OWNER;
	for (uint32_t b = 1; b < c->fn->cfg->nblocks; b++)
		if (b == c->path->r.entry)
			want(e, label_after(e, b));
		else if (bits_has(c->cloned, b))
			copy_block(e, b, label_after(e, b));
	exits(e);
}

static uint32_t
bra_target(const Fn *fn, const Stmt *s)
{
	return fn->cfg->block_of_label[fn_local(fn, fn->m->opnds[ptx_operand(fn->m, s, 0)].sym)];
}

/* In step: a branch that leaves the loop becomes an update of %^in. */
static void
stay(Emit *e, uint32_t b, uint32_t next)
{
	const Ccc *c = e->c;
	const Fn *fn = c->fn;
	uint32_t t = cfg_terminator(fn->cfg, b);
	const Stmt *s = fn_stmt(fn, t);
	if (!t || !s->guard)
		return;
	const uint32_t *succ = cfg_succ(fn->cfg, b);
	uint32_t out = fn->cfg->blocks[b].nsucc < 2 ? next : succ[0] == next ? succ[1] : succ[0];
	if (out == next)
		return;
	bool taken_stays = ptx_op(e->m, s) == OP_BRA && bra_target(fn, s) == next;
	bool positive = taken_stays == (s->guard == 1);
	const char *p = copy_name(e, s->sym);
	if (!positive || c->nexits > 1)
		put(e, "\tnot.pred \t%%^mine, %s;\n", p);
	if (c->nexits > 1) {
		put(e, "\tand.pred \t%%^more, %s, %%^in;\n", positive ? "%^mine" : p);
		put(e, "\t@%%^more mov.u32 \t%%^exit, %u;\n", copy_exit_number(c, out, out ? 0 : t));
	}
	put(e, "\tand.pred \t%%^in, %%^in, %s;\n", positive ? p : "%^mine");
}

/* A block's statements but its branch. */
static void
straight(Emit *e, uint32_t b)
{
	const Block *k = &e->c->fn->cfg->blocks[b];
	uint32_t t = cfg_terminator(e->c->fn->cfg, b);
	e->block = b;
	for (uint32_t s = k->stmt; s < k->end; s++)
		if (s != t)
			copy_stmt(e, s);
	copy_new_line(e);
}

/* In step, what stands for the branch to the path: the lane's wish, and its part of the path. */
static void
wish(Emit *e)
{
	const Ccc *c = e->c;
	const Stmt *branch = fn_stmt(c->fn, c->branch);
	if ((branch->guard == 2) != c->want_falls)
		put(e, "\tnot.pred \t%%^want, %s;\n"
			"\tand.pred \t%%^want, %%^want, %%^in;\n", copy_name(e, branch->sym));
	else
		put(e, "\tand.pred \t%%^want, %s, %%^in;\n", copy_name(e, branch->sym));
	BITS_EACH(b, c->prefix)
		straight(e, b);
	e->role = AS_SLICE;
	for (uint32_t i = 0; i < c->nslice; i++)
		copy_line(e, c->slice[i]);
	e->role = AS_OWNER;
}

/* In step: the blocks of the chain from its i-th on, up to the branch to the path or to the end.
 * Gives the next one's index. */
static uint32_t
chain(Emit *e, uint32_t i)
{
	const Ccc *c = e->c;
	e->role = AS_OWNER;
	for (bool branch = false; i < c->nchain && !branch; i++) {
		straight(e, c->chain[i]);
		branch = c->chain[i] == c->branch_block;
		if (branch)
			wish(e);
		else
			stay(e, c->chain[i], i + 1 < c->nchain ? c->chain[i + 1] : c->chain[0]);
	}
	return i;
}

/* In step: what precedes the loop, and the loop up to the vote. Gives the index of the chain's
 * next block. */
static uint32_t
in_step(Emit *e)
{
	const Ccc *c = e->c;
	const char *header = copy_label(e, ccc_header(c));
	e->role = AS_OWNER;
	for (uint32_t b = 1; b < c->fn->cfg->nblocks; b++)
		if (bits_has(c->cloned, b) && !loop_contains(c->fn->loops, c->site->loop, b))
			copy_block(e, b, "");
	exits(e);
	put(e, "$%s:\n", header);
	return chain(e, 0);
}

/* ---- the warp's part --------------------------------------------------------------------- */

static void
vote(Emit *e)
{
	put(e, "$^vote:\n"
		"\tvote.sync.ballot.b32 \t%%^votes, %%^want, %%^mask;\n"
		"\tbar.warp.sync \t%%^mask;\n"
		"\tpopc.b32 \t%%^n, %%^votes;\n"
		"\tsub.s32 \t%%^idle, %%^size, %%^n;\n"
		"\tsetp.lt.s32 \t%%^few, %%^top, %%^idle;\n"
		"\t@%%^few bra.uni \t$^push;\n");
	if (e->c->nslots) {
		put(e, "\tnot.b32 \t%%^slot, %%^votes;\n"
			"\tand.b32 \t%%^slot, %%^slot, %%^lt;\n"
			"\tpopc.b32 \t%%^slot, %%^slot;\n"
			"\tsub.s32 \t%%^slot, %%^top, %%^slot;\n");
		task_addresses(e);
		if (e->c->in_step)
			task_take_own(e);
		task_load(e, "@!%^want ", -1);
	}
	put(e, "\tsub.s32 \t%%^top, %%^top, %%^idle;\n");
}

/* The path on its own registers; control goes on to `following`, which is behind it. */
static void
path(Emit *e, const char *following)
{
	const Ccc *c = e->c;
	e->role = AS_PATH;
	if (bits_next(c->path->r.blocks, 0) != c->path->r.entry)
		put(e, "\tbra.uni \t$%s;\n", copy_label(e, c->path->r.entry));
	for (uint32_t b = bits_next(c->path->r.blocks, 0); b != UINT32_MAX;) {
		uint32_t after = bits_next(c->path->r.blocks, b + 1);
		copy_block(e, b, after == UINT32_MAX ? following : copy_label(e, after));
		b = after;
	}
}

/* Behind the path: on with the loop. */
static void
ran(Emit *e, uint32_t next_in_chain)
{
	const Ccc *c = e->c;
	const char *header = copy_label(e, ccc_header(c));
	put(e, "$^ran:\n");
	if (c->in_step) {
		chain(e, next_in_chain);
		put(e, "\tbra.uni \t$%s;\n", header);
	} else {
		put(e, "\tmov.pred \t%%^want, 0;\n"
			"\t@%%^in bra \t$%s;\n"
			"\tbra \t$^vote;\n", header);
	}
}

static void
push(Emit *e)
{
	put(e, "$^push:\n"
		"\tsetp.eq.u32 \t%%^more, %%^votes, 0;\n"
		"\t@%%^more bra.uni \t$^none;\n");
	if (e->c->nslots) {
		put(e, "\tand.b32 \t%%^slot, %%^votes, %%^lt;\n"
			"\tpopc.b32 \t%%^slot, %%^slot;\n"
			"\tadd.s32 \t%%^slot, %%^top, %%^slot;\n");
		task_addresses(e);
		task_store(e);
	}
	put(e, "\tadd.s32 \t%%^top, %%^top, %%^n;\n\tbra.uni \t$^ran;\n");
}

/* A round without a task. If no lane is in, what is left on the stack is run by as many lanes.
 * The vote standing apart, they use the path's one copy, and the next vote finds nothing left; in
 * step a copy of its own keeps the divergence out of the loop. */
static void
none(Emit *e)
{
	const Ccc *c = e->c;
	put(e, "$^none:\n"
		"\tvote.sync.any.pred \t%%^more, %%^in, %%^mask;\n"
		"\t@%%^more bra.uni \t$^ran;\n");
	if (!c->in_step)
		put(e, "\tsetp.eq.s32 \t%%^more, %%^top, 0;\n\t@%%^more bra.uni \t$^leave;\n");
	put(e, "\tpopc.b32 \t%%^slot, %%^lt;\n"
		"\tsetp.lt.s32 \t%%^mine, %%^slot, %%^top;\n"
		"\tmov.u32 \t%%^top, 0;\n");
	put(e, "\t@!%%^mine bra \t$%s;\n", c->in_step ? "^done" : "^vote");
	if (c->nslots) {
		task_addresses(e);
		task_load(e, "", 0);
	}
	if (!c->in_step) {
		put(e, "\tbra \t$^run;\n");
		return;
	}
	e->drain = true;
	path(e, "^done");
	put(e, "$^done:\n");
	e->drain = false;
}

/* The first code label of a block, 0 if there is none. */
static uint32_t
block_label(const Fn *fn, uint32_t b)
{
	for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end; s++)
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	return 0;
}

static void
leave(Emit *e, Edits *edits)
{
	const Ccc *c = e->c;
	put(e, "$^leave:\n\tbar.warp.sync \t%%^mask;\n");
	for (uint32_t k = c->nexits; k-- > 0;) {
		uint32_t b = c->exits[k].block;
		if (k)
			put(e, "\tsetp.eq.u32 \t%%^more, %%^exit, %u;\n\t@%%^more ", k);
		else
			put(e, "\t");
		if (!b) {
			put(e, "%s;\n", ptx_ops[ptx_op(e->m, fn_stmt(c->fn, c->exits[k].stmt))].name);
		} else if (block_label(c->fn, b)) {
			put(e, "bra \t%s;\n", copy_name(e, block_label(c->fn, b)));
		} else {
			Buf label = {0};
			put(e, "bra \t$^out%u;\n", k);
			buf_printf(&label, "$ccc%u_out%u:\n\t", c->number, k);
			edit_insert(edits, fn_stmt(c->fn, c->fn->cfg->blocks[b].stmt)->at.pos, label.at,
				label.n);
			buf_free(&label);
		}
	}
}

void
ccc_emit(const Ccc *c, const Ccc_buffer *b, Edits *edits)
{
	const Module *m = c->fn->m;
	const Marker *loop = &m->markers[c->site->r.marker];
	Emit e = { .c = c, .m = m, .role = AS_OWNER };

	if (c->fn->locs)
		e.told = bits_new(c->arena, c->fn->f->nstmt);
	ccc_mark_done(c, edits);
	ccc_done_marker(m, loop, &e.out);
	put(&e, "\n\t{ // ccc: loop at line %u, path at line %u, policy %s\n", loop->cuda.line,
		m->markers[c->path->r.marker].cuda.line, c->report->policy);
	declare(&e);
	entry(&e, b);
	uint32_t next_in_chain = 0;
	if (c->in_step)
		next_in_chain = in_step(&e);
	else
		apart(&e);
	vote(&e);
	put(&e, "$^run:\n");
	path(&e, "^ran");
	ran(&e, next_in_chain);
	push(&e);
	none(&e);
	leave(&e, edits);
	put(&e, "\t}\n$^plain:");
	edit_replace(edits, m->stmts[loop->stmt].at, e.out.at, e.out.n);
	buf_free(&e.out);
}
