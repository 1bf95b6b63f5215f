/* SPDX-License-Identifier: MIT */
/* The text of a collected loop. The text itself is ccc.tpl; here are its values, its flags and its pieces: copies of the loop's
 * code (copy.h) and what moves tasks (task.c). It stands in front of the untouched loop, in a scope of its own.
 */
#include <stdio.h>
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

/* Where lanes park, for the ways out that something branches to. */
static void
piece_exits(void *user)
{
	Emit *e = user;

	for (uint32_t k = 0; k < e->x->nways; k++) {
		if (!e->way_used[k])
			continue;
		tpl_value(e->t, "k", "%u", k);
		tpl_put(e->t, "exit");
	}
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

/* ---- leaving ------------------------------------------------------------------------------------------------------------------ */

/* The first code label of a block, 0 if there is none. */
static uint32_t
block_label(const Fn *fn, uint32_t b)
{
	FN_BLOCK_STMTS(fn, b, s)
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	return 0;
}

/* A label of our own in front of a block that has none. */
static void
label_block(const Emit *e, uint32_t b, uint32_t k)
{
	Buf text = { 0 };

	buf_printf(&text, "$ccc%u_out%u:\n\t", e->x->number, k);
	edit_insert(e->edits, fn_stmt(e->x->fn, e->x->fn->cfg->blocks[b].stmt)->at.pos, text.at,
		text.n);
	buf_free(&text);
}

static void
piece_ways_out(void *user)
{
	Emit *e = user;
	const Plan *x = e->x;

	for (uint32_t k = x->nways; k-- > 0;) {
		uint32_t b = x->ways[k].block, at = b ? block_label(x->fn, b) : 0;
		if (!b)
			tpl_value(e->t, "go", "%s",
				ptx_ops[ptx_op(e->m, fn_stmt(x->fn, x->ways[k].stmt))].name);
		else if (at)
			tpl_value(e->t, "go", "bra \t%s", copy_name(x->fn, at, e->arena));
		else
			tpl_value(e->t, "go", "bra \t$^out%u", k);
		if (b && !at)
			label_block(e, b, k);
		tpl_value(e->t, "k", "%u", k);
		tpl_flag(e->t, "last", k == 0);
		tpl_put(e->t, "way_out");
	}
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

static void
tell_values(Emit *e, const Buffer *b)
{
	const Plan *x = e->x;
	const char *header = emit_label(e, "b", plan_header(x));

	tpl_value(e->t, "loop_line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "path_line", "%u", part_marker(x, e->k)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[e->k->policy].name);
	tpl_value(e->t, "threads", "%u", x->frame.threads);
	tpl_value(e->t, "buffer", "%s", b->name);
	tpl_value(e->t, "stride", "%u", b->stride);
	tpl_value(e->t, "header", "%s", header);
	tpl_value(e->t, "parked", "%s", x->lockstep.on ? header : "^vote");
	tpl_value(e->t, "drained", "%s", x->lockstep.on ? "^done" : "^vote");
	tpl_flag(e->t, "check_threads", x->frame.check_threads);
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
		{ "blocks", piece_blocks }, { "exits", piece_exits }, { "prefix", piece_prefix }, { "before_loop", piece_before_loop },
		{ "to_branch", piece_chain }, { "to_header", piece_chain }, { "path", piece_path }, { "path_again", piece_path_again },
		{ "ways_out", piece_ways_out }, { "collect", piece_collect }, { "addresses", task_addresses }, { "take_own", task_take_own }, { "pop", task_pop },
		{ "pop_left", task_pop_left }, { "push", task_push },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
}

void
ccc_write(const Plan *x, const Buffer *b, Edits *edits)
{
	const Module *m = x->fn->m;
	const Marker *loop = plan_marker(x);
	Tpl t;
	Emit e = { .x = x, .k = &x->parts[0], .m = m, .arena = x->arena, .t = &t, .edits = edits };
	char prefix[32];

	if (x->fn->locs)
		e.told = bits_new(x->arena, x->fn->f->nstmt);
	e.way_used = arena_array(x->arena, x->nways + 1, sizeof *e.way_used);
	snprintf(prefix, sizeof prefix, "ccc%u_", x->number);
	tpl_init(&t, TEMPLATE_CCC, x->opt->omit, x->arena);
	tpl_begin(&t, prefix);
	emit_copies(&e);
	tell_values(&e, b);
	tell_pieces(&e);
	marks_done(x, edits);
	mark_done(m, loop, &t.out);
	buf_putc(&t.out, '\n');
	tpl_put(&t, "loop");
	tpl_end(&t);
	edit_replace(edits, m->stmts[loop->stmt].at, t.out.at, t.out.n - 1);
	if (x->opt->show[STEP_WRITE])
		buf_add(x->opt->shown, t.out.at, t.out.n);
	tpl_release(&t);
}
