/* CCC: the text of the transformed loop. The text itself is ccc.tpl; here are its values, its flags and its pieces, which are
 * copies of the loop's code (copy.c) and what moves tasks (task.c).
 *
 * The whole stands in front of the untouched loop, in a scope of its own.
 */
#include <stdio.h>
#include <string.h>
#include "transform/task.h"

static const char *const template[] = {
#include "ccc.tpl.h"
	NULL
};

/* ---- registers ---------------------------------------------------------------------------------------------------------- */

static void
piece_registers(Tpl *t, void *user)
{
	Emit *e = user;
	const Ccc *c = e->c;

	for (uint32_t i = 0; i < c->nslots; i++)
		if (e->m->syms[c->slots[i].sym].kind == SYM_SPECIAL)
			tpl_line(t, "\t.reg .b32 %s;", copy_own(e, c->slots[i].sym, c->slots[i].sel));
	for (uint32_t i = 0; i < c->fn->f->nsym; i++) {
		uint32_t sym = c->fn->f->sym0 + i;
		const Sym *y = &e->m->syms[sym];
		const char *type = ptx_type_name((Type)y->type);
		const char *vec = y->vec == 2 ? ".v2 " : y->vec == 4 ? ".v4 " : "";
		if (bits_has(c->own, i))
			tpl_text(t, "\t.reg %s.%s \t%s;\n", vec, type, copy_own(e, sym, 0));
		if (bits_has(c->again_syms, i))
			tpl_text(t, "\t.reg .%s \t%s;\n", type, copy_recomputed(e, sym));
	}
}

static void
piece_again(Tpl *t, void *user)
{
	Emit *e = user;

	(void)t;
	e->role = AS_ENTRY;
	for (uint32_t i = 0; i < e->c->nagain; i++)
		copy_line(e, e->c->again[i]);
	e->role = AS_OWNER;
}

/* ---- the owner's part, the vote standing apart ------------------------------------------------------------------------------ */

static void
piece_slice(Tpl *t, void *user)
{
	Emit *e = user;

	(void)t;
	e->role = AS_SLICE;
	for (uint32_t i = 0; i < e->c->nslice; i++)
		copy_line(e, e->c->slice[i]);
	e->role = AS_OWNER;
}

/* Label of the unit behind block b: a copied block, want, or the first way out. */
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

static void
piece_behind_path(Tpl *t, void *user)
{
	Emit *e = user;

	(void)t;
	e->block = e->c->path->r.entry;
	copy_branch(e, e->c->path->next, label_after(e, e->block));
}

static void
piece_blocks(Tpl *t, void *user)
{
	Emit *e = user;
	const Ccc *c = e->c;

	for (uint32_t b = 1; b < c->fn->cfg->nblocks; b++)
		if (b == c->path->r.entry)
			copy_new_line(e), tpl_put(t, "want");
		else if (bits_has(c->cloned, b))
			copy_block(e, b, label_after(e, b));
}

/* Where lanes park, for the ways out that something branches to. */
static void
piece_exits(Tpl *t, void *user)
{
	Emit *e = user;

	for (uint32_t k = 0; k < e->c->nexits; k++) {
		if (!(e->exit_used >> (k < 63 ? k : 63) & 1))
			continue;
		tpl_value(t, "k", "%u", k);
		tpl_put(t, "exit");
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
	bool negated = taken_stays != (s->guard == 1);
	tpl_value(e->t, "p", "%s", copy_name(e, s->sym));
	tpl_flag(e->t, "negated", negated);
	tpl_flag(e->t, "negated_or_many", negated || c->nexits > 1);
	if (c->nexits > 1)
		tpl_value(e->t, "k", "%u", copy_exit_number(c, out, out ? 0 : t));
	tpl_put(e->t, "stay");
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

static void
piece_prefix(Tpl *t, void *user)
{
	Emit *e = user;

	(void)t;
	BITS_EACH(b, e->c->prefix)
		straight(e, b);
}

/* The branch to the path becomes the lane's wish. */
static void
wish(Emit *e)
{
	const Stmt *branch = fn_stmt(e->c->fn, e->c->branch);

	tpl_value(e->t, "p", "%s", copy_name(e, branch->sym));
	tpl_flag(e->t, "negated", (branch->guard == 2) != e->c->want_falls);
	tpl_put(e->t, "wish");
}

/* The blocks of the chain up to the branch to the path, or from there to the header. */
static void
piece_chain(Tpl *t, void *user)
{
	Emit *e = user;
	const Ccc *c = e->c;

	(void)t;
	for (bool branch = false; e->chain < c->nchain && !branch; e->chain++) {
		uint32_t b = c->chain[e->chain];
		straight(e, b);
		branch = b == c->branch_block;
		if (branch)
			wish(e);
		else
			stay(e, b, c->chain[e->chain + 1 < c->nchain ? e->chain + 1 : 0]);
	}
}

static void
piece_before_loop(Tpl *t, void *user)
{
	Emit *e = user;
	const Ccc *c = e->c;

	(void)t;
	for (uint32_t b = 1; b < c->fn->cfg->nblocks; b++)
		if (bits_has(c->cloned, b) && !loop_contains(c->fn->loops, c->site->loop, b))
			copy_block(e, b, "");
}

/* ---- the path, on its own registers ------------------------------------------------------------------------------------------ */

/* Control goes on to `following`, which is behind it. */
static void
path(Emit *e, const char *following)
{
	Bits blocks = e->c->path->r.blocks;

	e->role = AS_PATH;
	if (bits_next(blocks, 0) != e->c->path->r.entry)
		tpl_line(e->t, "\tbra.uni $%s;", copy_label(e, e->c->path->r.entry));
	for (uint32_t b = bits_next(blocks, 0); b != UINT32_MAX;) {
		uint32_t after = bits_next(blocks, b + 1);
		copy_block(e, b, after == UINT32_MAX ? following : copy_label(e, after));
		b = after;
	}
	e->role = AS_OWNER;
}

static void
piece_path(Tpl *t, void *user)
{
	(void)t;
	path(user, "^ran");
}

static void
piece_path_again(Tpl *t, void *user)
{
	Emit *e = user;

	(void)t;
	e->drain = true;
	path(e, "^done");
	e->drain = false;
}

/* ---- leaving ------------------------------------------------------------------------------------------------------------------ */

/* The first code label of a block, 0 if there is none. */
static uint32_t
block_label(const Fn *fn, uint32_t b)
{
	for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end; s++)
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	return 0;
}

/* A label of our own in front of a block that has none. */
static void
label_block(const Emit *e, uint32_t b, uint32_t k)
{
	Buf label = { 0 };

	buf_printf(&label, "$ccc%u_out%u:\n\t", e->c->number, k);
	edit_insert(e->edits, fn_stmt(e->c->fn, e->c->fn->cfg->blocks[b].stmt)->at.pos, label.at, label.n);
	buf_free(&label);
}

static void
piece_ways_out(Tpl *t, void *user)
{
	Emit *e = user;
	const Ccc *c = e->c;

	for (uint32_t k = c->nexits; k-- > 0;) {
		uint32_t b = c->exits[k].block, label = b ? block_label(c->fn, b) : 0;
		if (!b)
			tpl_value(t, "go", "%s", ptx_ops[ptx_op(e->m, fn_stmt(c->fn, c->exits[k].stmt))].name);
		else if (label)
			tpl_value(t, "go", "bra \t%s", copy_name(e, label));
		else
			tpl_value(t, "go", "bra \t$^out%u", k);
		if (b && !label)
			label_block(e, b, k);
		tpl_value(t, "k", "%u", k);
		tpl_flag(t, "last", k == 0);
		tpl_put(t, "way_out");
	}
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

static void
tell_values(Emit *e, const Ccc_buffer *b)
{
	const Ccc *c = e->c;
	const Marker *loop = &e->m->markers[c->site->r.marker], *path = &e->m->markers[c->path->r.marker];
	const char *header = copy_label(e, ccc_header(c));
	Tpl *t = e->t;

	tpl_value(t, "loop_line", "%u", loop->cuda.line);
	tpl_value(t, "path_line", "%u", path->cuda.line);
	tpl_value(t, "policy", "%s", c->report->policy);
	tpl_value(t, "threads", "%u", c->threads);
	tpl_value(t, "buffer", "%s", b->name);
	tpl_value(t, "stride", "%u", b->stride);
	tpl_value(t, "header", "%s", header);
	tpl_value(t, "parked", "%s", c->in_step ? header : "^vote");
	tpl_value(t, "drained", "%s", c->in_step ? "^done" : "^vote");
	tpl_flag(t, "check_threads", c->check_threads);
	tpl_flag(t, "uses_buffer", c->warp_bytes > 0);
	tpl_flag(t, "three_dims", c->launch_dims > 2);
	tpl_flag(t, "two_dims", c->launch_dims == 2);
	tpl_flag(t, "many_dims", c->launch_dims > 1);
	tpl_flag(t, "context", c->nslots > 0);
	tpl_flag(t, "lockstep", c->in_step);
	tpl_flag(t, "apart", !c->in_step);
	tpl_flag(t, "many_exits", c->nexits > 1);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f; } pieces[] = {
		{ "registers", piece_registers }, { "again", piece_again }, { "slice", piece_slice }, { "behind_path", piece_behind_path },
		{ "blocks", piece_blocks }, { "exits", piece_exits }, { "prefix", piece_prefix }, { "before_loop", piece_before_loop },
		{ "to_branch", piece_chain }, { "to_header", piece_chain }, { "path", piece_path }, { "path_again", piece_path_again },
		{ "ways_out", piece_ways_out }, { "addresses", task_addresses }, { "take_own", task_take_own }, { "pop", task_pop },
		{ "pop_left", task_pop_left }, { "push", task_push },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
}

void
ccc_emit(const Ccc *c, const Ccc_buffer *b, Edits *edits)
{
	const Module *m = c->fn->m;
	const Marker *loop = &m->markers[c->site->r.marker];
	Tpl t;
	Emit e = { .c = c, .m = m, .t = &t, .edits = edits, .role = AS_OWNER };
	char prefix[32];

	if (c->fn->locs)
		e.told = bits_new(c->arena, c->fn->f->nstmt);
	snprintf(prefix, sizeof prefix, "ccc%u_", c->number);
	tpl_init(&t, template, c->arena);
	tpl_begin(&t, prefix);
	tell_values(&e, b);
	tell_pieces(&e);
	ccc_mark_done(c, edits);
	ccc_done_marker(m, loop, &t.out);
	buf_putc(&t.out, '\n');
	tpl_put(&t, "loop");
	edit_replace(edits, m->stmts[loop->stmt].at, t.out.at, t.out.n - 1);
	tpl_release(&t);
}
