/* SPDX-License-Identifier: MIT */
/* The text of a collected loop. The text itself is ccc.tpl; here are its values, its flags and its pieces: copies of the loop's
 * code (copy.h) and what moves tasks (task.c). It stands in front of the untouched loop, in a scope of its own.
 */
#include <string.h>
#include "transform/emit.h"
#include "transform/passes.h"

/* ---- registers ---------------------------------------------------------------------------------------------------------- */

static void
piece_registers(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;
	const Task *task = &e->k->task;

	for (uint32_t i = 0; i < task->nslots; i++)
		if (e->m->syms[task->slots[i].sym].kind == SYM_SPECIAL)
			tpl_line(e->t, "\t.reg .b32 %s;",
				emit_own(e, task->slots[i].sym, task->slots[i].sel));
	for (uint32_t i = 0; i < x->fn->f->nsym; i++) {
		uint32_t sym = x->fn->f->sym0 + i;
		const Sym *y = &e->m->syms[sym];
		const char *type = ptx_type_name((Type)y->type);
		const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";
		if (bits_has(task->own, i))
			tpl_text(e->t, "\t.reg %s.%s \t%s;\n", vec, type, emit_own(e, sym, 0));
		if (bits_has(x->again_syms, i))
			tpl_text(e->t, "\t.reg .%s \t%s;\n", type, emit_again(e, sym));
	}
}

static void
piece_again(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->nagain; i++)
		copy_line(&e->entry, e->x->again[i]);
}

/* ---- the owner's part, the vote standing apart ------------------------------------------------------------------------------ */

static void
piece_slice(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->k->task.nslice; i++)
		copy_line(&e->slice, e->k->task.slice[i]);
}

/* Label of the unit behind block b: a copied block, want, or the first way out. */
static const char *
label_after(Emit *e, uint32_t b)
{
	const Plan *x = e->x;

	while (++b < x->fn->cfg->nblocks) {
		if (b == e->k->path->entry)
			return "^want";
		if (bits_has(x->own, b))
			return emit_label(e, "b", b);
	}
	return x->nways ? "^exit0" : "^vote";
}

static void
piece_behind_path(void *user)
{
	Emit *e = user;
	uint32_t entry = e->k->path->entry;

	copy_branch(&e->own, entry, e->k->path->next, label_after(e, entry));
}

static void
piece_blocks(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	FN_BLOCKS(x->fn, b)
		if (b == e->k->path->entry)
			copy_new_line(e->t), tpl_put(e->t, "want");
		else if (bits_has(x->own, b))
			copy_block(&e->own, b, emit_label(e, "b", b), label_after(e, b));
}

/* ---- the owner's part in lockstep ------------------------------------------------------------------------------------------ */

static uint32_t
bra_target(const Fn *fn, const Stmt *s)
{
	return fn->cfg->block_of_label[fn_local(fn, fn->m->opnds[ptx_operand(fn->m, s, 0)].sym)];
}

/* A branch that leaves the loop becomes an update of %^in. */
static void
stay(Emit *e, uint32_t b, uint32_t next)
{
	const Plan *x = e->x;
	const Fn *fn = x->fn;
	uint32_t t = cfg_terminator(fn->cfg, b);
	const Stmt *s = fn_stmt(fn, t);

	if (!t || !s->guard)
		return;
	const uint32_t *succ = cfg_succ(fn->cfg, b);
	uint32_t out = fn->cfg->blocks[b].nsucc < 2 ? next : succ[0] == next ? succ[1] : succ[0];
	if (out == next)
		return;
	bool taken_stays = ptx_op(e->m, s) == OP_BRA && bra_target(fn, s) == next;
	bool negated = taken_stays != (s->guard == 1);
	tpl_value(e->t, "p", "%s", copy_name(fn, s->sym, e->arena));
	tpl_flag(e->t, "negated", negated);
	tpl_flag(e->t, "negated_or_many", negated || x->nways > 1);
	if (x->nways > 1)
		tpl_value(e->t, "k", "%u", emit_way(x, out, out ? 0 : t));
	tpl_put(e->t, "stay");
}

static void
piece_prefix(void *user)
{
	Emit *e = user;

	BITS_EACH(b, e->x->lockstep.prefix)
		copy_straight(&e->own, b);
}

/* The branch to the path becomes the lane's wish. */
static void
wish(Emit *e)
{
	const Stmt *branch = fn_stmt(e->x->fn, e->x->lockstep.branch);

	tpl_value(e->t, "p", "%s", copy_name(e->x->fn, branch->sym, e->arena));
	tpl_flag(e->t, "negated", (branch->guard == 2) != e->x->lockstep.want_falls);
	tpl_put(e->t, "wish");
}

/* The blocks of the chain up to the branch to the path, or from there to the header. */
static void
piece_chain(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	for (bool branch = false; e->chain < x->lockstep.nchain && !branch; e->chain++) {
		uint32_t b = x->lockstep.chain[e->chain];
		copy_straight(&e->own, b);
		branch = b == x->lockstep.branch_block;
		if (branch)
			wish(e);
		else
			stay(e, b,
				x->lockstep.chain[e->chain + 1 < x->lockstep.nchain ? e->chain + 1 :
										      0]);
	}
}

static void
piece_before_loop(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	FN_BLOCKS(x->fn, b)
		if (bits_has(x->own, b) && !loop_contains(x->fn->loops, x->site->loop, b))
			copy_block(&e->own, b, emit_label(e, "b", b), "");
}

/* ---- the path, on its own registers ------------------------------------------------------------------------------------------ */

/* Control goes on to `following`, which is behind it. word: of its blocks' labels. */
static void
put_path(Emit *e, Copy *c, const char *word, const char *following)
{
	Bits blocks = e->k->path->blocks;
	uint32_t entry = e->k->path->entry;

	if (bits_next(blocks, 0) != entry)
		tpl_line(e->t, "\tbra.uni $%s;", emit_label(e, word, entry));
	for (uint32_t b = bits_next(blocks, 0); b != UINT32_MAX;) {
		uint32_t after = bits_next(blocks, b + 1);
		copy_block(c, b, emit_label(e, word, b),
			after == UINT32_MAX ? following : emit_label(e, word, after));
		b = after;
	}
}

static void
piece_path(void *user)
{
	Emit *e = user;

	put_path(e, &e->path, "b", "^ran");
}

static void
piece_path_again(void *user)
{
	Emit *e = user;

	put_path(e, &e->again_path, "d", "^done");
}

/* The section of the part's policy. */
static void
piece_collect(void *user)
{
	Emit *e = user;

	tpl_put(e->t, annot_policies[e->k->policy].name);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

static void
tell_values(Emit *e, const Buffer *b)
{
	const Plan *x = e->x;
	const char *header = emit_label(e, "b", plan_header(x));
	bool counts = !x->frame.block || x->frame.check_threads;
	bool partial = x->frame.block % WARP != 0 || !x->frame.block;

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", part_marker(x, e->k)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->k->policy].name);
	tpl_value(e->t, "threads", "%u", x->frame.threads);
	if (counts)
		tpl_value(e->t, "block", "%%^block");
	else
		tpl_value(e->t, "block", "%u", x->frame.block);
	tpl_value(e->t, "buffer", "%s", b->name);
	tpl_value(e->t, "stride", "%u", b->stride);
	tpl_value(e->t, "header", "%s", header);
	tpl_value(e->t, "parked", "%s", x->lockstep.on ? header : "^vote");
	tpl_value(e->t, "drained", "%s", x->lockstep.on ? "^done" : "^vote");
	tpl_flag(e->t, "check_threads", x->frame.check_threads);
	tpl_flag(e->t, "counts_block", counts);
	tpl_flag(e->t, "partial_warps", partial);
	tpl_flag(e->t, "uses_thread", partial || x->frame.warp_bytes > 0);
	tpl_flag(e->t, "queue", e->k->policy == POLICY_QUEUE);
	tpl_flag(e->t, "uses_buffer", x->frame.warp_bytes > 0);
	tpl_flag(e->t, "three_dims", x->frame.dims > 2);
	tpl_flag(e->t, "two_dims", x->frame.dims == 2);
	tpl_flag(e->t, "many_dims", x->frame.dims > 1);
	tpl_flag(e->t, "context", e->k->task.nslots > 0);
	tpl_flag(e->t, "lockstep", x->lockstep.on);
	tpl_flag(e->t, "apart", !x->lockstep.on);
	tpl_flag(e->t, "many_exits", x->nways > 1);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "registers", piece_registers }, { "again", piece_again }, { "slice", piece_slice }, { "behind_path", piece_behind_path },
		{ "blocks", piece_blocks }, { "exits", emit_exits }, { "prefix", piece_prefix }, { "before_loop", piece_before_loop },
		{ "to_branch", piece_chain }, { "to_header", piece_chain }, { "path", piece_path }, { "path_again", piece_path_again },
		{ "ways_out", emit_ways_out }, { "collect", piece_collect }, { "addresses", task_addresses }, { "take_own", task_take_own }, { "pop", task_pop },
		{ "pop_left", task_pop_left }, { "push", task_push },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
}

void
ccc_write(const Plan *x, const Buffer *b, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	emit_begin(&e, x, TEMPLATE_CCC, edits);
	e.k = &x->parts[0];
	emit_copies(&e);
	tell_values(&e, b);
	tell_pieces(&e);
	emit_end(&e, "loop");
}
