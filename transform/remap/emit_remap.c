/* SPDX-License-Identifier: MIT */
/* Emits a remapped branch. The code is in remap.tpl; this file supplies its values and pieces.
 * The exchange replaces the first path's begin marker, the paths' own code is removed, and edges
 * that bypass the paths are redirected to it. See docs/proofs/remap.md. */
#include <string.h>
#include "transform/collect/emit_sections.h"
#include "transform/emit/emit.h"
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"
#include "transform/task/task_inputs.h"

/* ---- control flow ---------------------------------------------------------------------------- */

static const char *
path_edge_label(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;

	(void)from;
	return bits_has(e->here.region->task_blocks, to) ? emit_label(e, "b", to) : "^ran";
}

/* Replaces a branch's references to block `to` by another label. */
static void
retarget_operands(const Emit *e, const Stmt *s, uint32_t to, const char *label)
{
	const Fn *fn = e->x->fn;
	const Module *m = e->m;
	uint32_t o = s->opnd;

	for (uint32_t k = 0; k < s->nopnd; k++)
		for (uint32_t last = o + m->opnds[o].tree; o < last; o++) {
			const Opnd *p = &m->opnds[o];
			bool is_label = p->kind == OPND_SYM && m->syms[p->sym].kind == SYM_LABEL &&
				p->sym >= fn->f->sym0;
			if (is_label && fn->cfg->block_of_label[fn_local(fn, p->sym)] == to)
				edit_replace(e->edits, p->at, label, strlen(label));
		}
}

/* Redirects an edge to another label. */
static void
retarget_edge(const Emit *e, Remap_edge edge, const char *label)
{
	const Fn *fn = e->x->fn;
	const Block *b = &fn->cfg->blocks[edge.from];
	uint32_t t = cfg_terminator(fn->cfg, edge.from);
	const Stmt *s = t ? fn_stmt(fn, t) : NULL;
	Op op = t ? ptx_op(e->m, s) : OP_UNKNOWN;
	Buf text = { 0 };

	if (op == OP_BRX)
		retarget_operands(e,
			fn_stmt(fn, e->m->syms[e->m->opnds[ptx_operand(e->m, s, 1)].sym].decl),
			edge.to, label);
	else if (op == OP_BRA)
		retarget_operands(e, s, edge.to, label);
	if (!edge.to && t) {
		buf_printf(&text, "bra \t%s;", label);
		edit_replace(e->edits, (Span){ s->head, s->at.end }, text.at, text.n);
	} else if (b->falls && edge.to == edge.from + 1) {
		buf_printf(&text, "\n\tbra.uni \t%s;", label);
		edit_insert(e->edits, fn_stmt(fn, b->end - 1)->at.end, text.at, text.n);
	}
	buf_free(&text);
}

/* Redirects the edges that bypass the paths, enter leaves, or leave the code before the branch. */
static void
retarget_edges(const Emit *e)
{
	const Remap *k = e->x->remap;
	Buf label = { 0 };

	buf_printf(&label, "$%snone", e->prefix);
	for (uint32_t i = 0; i < k->bypass.n; i++)
		retarget_edge(e, k->bypass.at[i], label.at);
	for (uint32_t i = 0; i < k->enter.n; i++) {
		label.n = 0;
		buf_printf(&label, "$%sleaf%u", e->prefix, remap_path_of_edge(e->x, k->enter.at[i]));
		retarget_edge(e, k->enter.at[i], label.at);
	}
	for (uint32_t i = 0; i < k->held.n; i++) {
		label.n = 0;
		buf_printf(&label, "$%shold%u", e->prefix,
			emit_exit_number(e->x, k->held.at[i].to, k->held.at[i].stmt));
		retarget_edge(e, k->held.at[i], label.at);
	}
	buf_free(&label);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void
piece_hold_threads(void *user)
{
	Emit *e = user;

	for (uint32_t k = 0; k < e->x->common.nexits; k++) {
		tpl_value(e->t, "k", "%u", k);
		tpl_write_section(e->t, "hold");
	}
}

static void
piece_enter_leaves(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->npaths; i++)
		if (!remap_arm_of(e->x->remap, i)) {
			tpl_value(e->t, "q", "%u", i);
			tpl_write_section(e->t, "leaf");
		}
}

static void
piece_path_blocks(void *user)
{
	Emit *e = user;
	Bits blocks = e->here.region->task_blocks;

	for (uint32_t b = bits_next(blocks, 0), next; b != UINT32_MAX; b = next) {
		next = bits_next(blocks, b + 1);
		copy_block(&e->path, b, emit_label(e, "b", b),
			next == UINT32_MAX ? "^ran" : emit_label(e, "b", next));
	}
	copy_new_line(e->t);
}

static uint32_t
result_row_bytes(const Emit *e, const Remap_result *r)
{
	uint32_t size = task_slot_bytes(e->m, r->sym);

	return size ? size : 4;
}

static void
piece_result_addresses(void *user)
{
	const Emit *e = user;
	uint32_t used = 0;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++)
		used |= result_row_bytes(e, &e->x->remap->results[i]);
	for (uint32_t size = 1; size <= 16; size *= 2)
		if (used & size)
			tpl_line(e->t, "\tmad.lo.u32 %%^at%u, %%^slot, %u, %%^base;", size, size);
}

/* Stores the task's results to the owner's slots. */
static void
piece_store_results(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++) {
		const Remap_result *r = &e->x->remap->results[i];
		const char *value = emit_region_register(e, e->here.region, r->sym, 0);
		if (!task_slot_bytes(e->m, r->sym)) {
			tpl_line(e->t, "\tselp.b32 %%^bits, 1, 0, %s;", value);
			value = "%^bits";
		}
		tpl_line(e->t, "\tst.shared.b%u [%%^at%u+%u], %s;", 8 * result_row_bytes(e, r),
			result_row_bytes(e, r), r->row, value);
	}
}

static void
piece_load_results(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++) {
		const Remap_result *r = &e->x->remap->results[i];
		const char *name = copy_name(e->x->fn, r->sym, e->arena);
		bool bit = !task_slot_bytes(e->m, r->sym);
		tpl_line(e->t, "\t@%%^want ld.shared.b%u %s, [%%^at%u+%u];", 8 * result_row_bytes(e, r),
			bit ? "%^bits" : name, result_row_bytes(e, r), r->row);
		if (bit)
			tpl_line(e->t, "\t@%%^want setp.ne.u32 %s, %%^bits, 0;", name);
	}
}

/* A thread that executed its own path has the results in the task's registers. */
static void
piece_move_own_results(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++) {
		uint32_t sym = e->x->remap->results[i].sym;
		task_move(e, sym, copy_name(e->x->fn, sym, e->arena),
			emit_region_register(e, e->here.region, sym, 0));
	}
}

/* ---- iterations over paths and words --------------------------------------------------------- */

static bool
each_path(void *user, uint32_t i)
{
	Emit *e = user;

	if (i == remap_ids(e->x->remap))
		return false;
	tpl_value(e->t, "q", "%u", i);
	tpl_value(e->t, "count", "%%^count%u", i / 4);
	tpl_value(e->t, "unit", "%u", UINT32_C(1) << i % 4 * 8);
	if (!e->x->remap->key.sym)
		tpl_value(e->t, "entry", "^b%u", e->x->remap->paths[i].begin);
	return true;
}

static bool
each_word(void *user, uint32_t i)
{
	enum { WARP_RUNS = 32, A_TASK = 0xff }; /* weight of a byte of the gain: 32, or -1 */
	Emit *e = user;
	uint32_t n = remap_ids(e->x->remap), ones = 0, gains = 0;

	if (i == remap_count_words(e->x))
		return false;
	for (uint32_t b = 0; b < 4; b++) {
		uint32_t q = 4 * i + b;
		ones |= (uint32_t)(q < n) << 8 * b;
		gains |= (q < n ? A_TASK : q == n ? (uint32_t)WARP_RUNS : 0) << 8 * b;
	}
	tpl_value(e->t, "count", "%%^count%u", i);
	tpl_value(e->t, "below", "%%^below%u", i);
	tpl_value(e->t, "upto", "%%^upto%u", i);
	tpl_value(e->t, "seen", "%%^seen%u", i);
	tpl_value(e->t, "offset", "%u", 4 * i);
	tpl_value(e->t, "ones", "0x%08x", ones);
	tpl_value(e->t, "tops", "0x%08x", ones << 7);
	tpl_value(e->t, "gains", "0x%08x", gains);
	tpl_flag(e->t, "later", i > 0);
	return true;
}

/* ---- entry point ----------------------------------------------------------------------------- */

static void
define_values(Emit *e)
{
	const Plan *x = e->x;
	const Remap *k = x->remap;
	const Frame *f = &x->tasks.frame;
	uint32_t ids = remap_ids(k);

	tpl_value(e->t, "line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[x->policy].name);
	tpl_value(e->t, "want", "%%^want");
	tpl_value(e->t, "paths", "%u", ids);
	tpl_value(e->t, "stays", "%u", x->common.nexits);
	tpl_value(e->t, "tasks", "%s", "%~base");
	tpl_value(e->t, "threads", "%u", f->threads);
	tpl_value(e->t, "bytes", "%u", f->warp_bytes);
	tpl_value(e->t, "pool", "%u", k->pool);
	tpl_value(e->t, "id_bytes", "%u", k->id_bytes);
	tpl_value(e->t, "id_bits", "%u", 8 * k->id_bytes);
	tpl_value(e->t, "stride", "%u", 4 * remap_count_words(x));
	tpl_value(e->t, "last_count", "%%^count%u", ids / 4);
	tpl_value(e->t, "last_unit", "%u", UINT32_C(1) << ids % 4 * 8);
	tpl_value(e->t, "other", "%u", ids > 1 ? 1 : UINT32_MAX);
	tpl_value(e->t, "near", "%u", k->neighbourhood);
	tpl_value(e->t, "groups", "%u", k->groups);
	tpl_value(e->t, "counters", "%u", ids * k->groups);
	tpl_value(e->t, "shift", "%u", k->neighbourhood == 16 ? 4 : k->neighbourhood == 32 ? 5 : 6);
	tpl_value(e->t, "least", "%u", 32 * ids);
	tpl_value(e->t, "mask", f->block && f->block % WARP == 0 ? "0xffffffff" : "%%^mask");
	tpl_value(e->t, "join", "%s", emit_block_label(e, k->join, x->common.nexits));
	tpl_value(e->t, "entry", "^b%u", k->paths[0].begin);
	tpl_value(e->t, "key", "%s",
		k->key.sym ? copy_name(x->fn, k->key.sym, e->arena) : "");
	tpl_flag(e->t, "keyed", k->key.sym != 0);
	tpl_flag(e->t, "partial_warps", !f->block || f->block % WARP);
	tpl_flag(e->t, "check_threads", f->check_threads);
	tpl_flag(e->t, "three_dims", f->dims > 2);
	tpl_flag(e->t, "two_dims", f->dims == 2);
	tpl_flag(e->t, "many_dims", f->dims > 1);
	tpl_flag(e->t, "holds_threads", x->common.nexits > 0);
	tpl_flag(e->t, "bypass", k->bypass.n > 0);
	tpl_flag(e->t, "arrives_repeatedly", k->arrival == ARRIVE_REPEATEDLY);
	tpl_flag(e->t, "loop", x->fn->loops->loop_of[k->head] != 0);
	tpl_flag(e->t, "waits_for_helpers", k->waits_for_helpers);
	tpl_flag(e->t, "results", k->nresults > 0);
}

static void
piece_sort(void *user)
{
	Emit *e = user;

	tpl_write_section(e->t, annot_policies[e->x->policy].name);
}

static void
define_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", emit_registers },
		{ "again", emit_recompute_values },
		{ "hold_back", piece_hold_threads },
		{ "leaves", piece_enter_leaves },
		{ "sort", piece_sort },
		{ "addresses", task_addresses },
		{ "push", task_push },
		{ "pop", task_pop_remaining },
		{ "take_own", task_load_own },
		{ "compute", emit_derived_values },
		{ "path_blocks", piece_path_blocks },
		{ "ways_out", emit_exit_code },
		{ "result_addresses", piece_result_addresses },
		{ "give_results", piece_store_results },
		{ "take_results", piece_load_results },
		{ "keep_results", piece_move_own_results },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "path", each_path, e);
	tpl_each(e->t, "word", each_word, e);
}

static bool
begins_arm(const Emit *e, const Stmt *s)
{
	for (uint32_t i = 0; i < e->x->remap->narms; i++)
		if (&e->m->stmts[e->m->markers[e->x->remap->arms[i]->marker].stmt] == s)
			return true;
	return false;
}

static void
write_done(const Emit *e, const Stmt *s)
{
	Buf text = { 0 };

	marker_write_done(e->m, &e->m->markers[s->sym], &text);
	edit_replace(e->edits, s->at, text.at, text.n);
	buf_free(&text);
}

/* Whether the statement remains where it is, to find a thread's leaf. */
static bool
is_early(const Emit *e, uint32_t block, uint32_t stmt)
{
	const Fn *fn = e->x->fn;
	const Remap_nest *nest = &e->x->remap->nest;

	return bits_has(nest->again, block) &&
		(bits_has(nest->early, fn_local_stmt(fn, stmt)) ||
			stmt == cfg_terminator(fn->cfg, block));
}

/* Removes the paths' own code, except labels and debug information, and marks their markers as
 * done. */
static void
remove_paths(const Emit *e)
{
	const Fn *fn = e->x->fn;

	BITS_EACH(b, e->here.region->task_blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			const Stmt *st = fn_stmt(fn, s);
			if (is_early(e, b, s))
				continue;
			if (st->kind == STMT_INSN || st->kind == STMT_OPEN ||
				st->kind == STMT_CLOSE || st->kind == STMT_DECL ||
				st->kind == STMT_PROTO)
				edit_replace(e->edits, st->at, "", 0);
			else if (st->kind == STMT_MARKER && !e->m->markers[st->sym].done &&
				!begins_arm(e, st))
				write_done(e, st);
		}
}

/* Marks the end markers of a statement with a key as done, where threads continue after it. */
static void
mark_ended(const Emit *e)
{
	const Remap *k = e->x->remap;
	const Stmt *s = fn_stmt(e->x->fn, e->x->fn->cfg->blocks[k->join].stmt);

	if (k->key.sym && s->kind == STMT_MARKER && e->m->markers[s->sym].end &&
		e->m->markers[s->sym].id == plan_marker(e->x)->id)
		write_done(e, s);
}

/* Marks the markers of nested branches as done that are among the conditions. */
static void
mark_merged(const Emit *e)
{
	const Remap *k = e->x->remap;

	for (uint32_t i = 0; i < k->nest.nmerged; i++) {
		uint32_t stmt = e->m->markers[k->nest.merged[i]].stmt;
		uint32_t b = fn_block(e->x->fn, stmt);
		if (bits_has(k->decides, b) && !bits_has(k->nest.again, b))
			write_done(e, &e->m->stmts[stmt]);
	}
}

/* Marks the marker of arm i as done and expands a section after it, if a path begins with it.
 * Returns where this starts in the output. */
static size_t
write_arm_section(Emit *e, uint32_t i)
{
	const Remap *k = e->x->remap;
	size_t from = e->t->out.n;
	uint32_t path = remap_path_at(k, k->arms[i]->entry);

	tpl_value(e->t, "q", "%u", path);
	tpl_flag(e->t, "is_path", path < k->npaths);
	marker_write_done(e->m, &e->m->markers[k->arms[i]->marker], &e->t->out);
	buf_putc(&e->t->out, '\n');
	if (!i || path < k->npaths)
		tpl_write_section(e->t, i ? "come" : "body");
	return from;
}

/* Inserts all texts: registers and shared memory at the start of the kernel, and one section at
 * each arm's marker. Declarations are prepended to the output at the end, so all other
 * positions are counted from its end. */
static void
write_texts(Emit *e)
{
	const Plan *x = e->x;
	uint32_t n = x->remap->narms;
	size_t *from = arena_array(e->arena, n + 1, sizeof *from);

	buf_putc(&e->t->out, '\n');
	tpl_write_section(e->t, "head");
	for (uint32_t i = 0; i < n; i++)
		from[i] = write_arm_section(e, i);
	from[n] = e->t->out.n;
	tpl_end(e->t);
	size_t more = e->t->out.n - from[n];
	edit_insert(e->edits, x->fn->f->block.pos + 1, e->t->out.at, from[0] + more - 1);
	for (uint32_t i = 0; i < n; i++) {
		Span at = e->m->stmts[e->m->markers[x->remap->arms[i]->marker].stmt].at;
		edit_replace(
			e->edits, at, e->t->out.at + from[i] + more, from[i + 1] - from[i] - 1);
	}
	if (x->opt->debug.show[STEP_WRITE])
		buf_add(x->opt->debug.dump, e->t->out.at, e->t->out.n);
}

void
remap_write(const Plan *x, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	emit_begin_site(&e, x, TEMPLATE_REMAP, edits);
	e.here.region_number = 1;
	e.here.region = &x->regions[0];
	e.here.lockstep = true; /* the pushing thread has the values in its own registers */
	emit_init_copies(&e);
	e.path.edge_label = path_edge_label;
	define_values(&e);
	define_pieces(&e);
	write_texts(&e);
	retarget_edges(&e);
	remove_paths(&e);
	mark_merged(&e);
	mark_ended(&e);
	tpl_release(&t);
}
