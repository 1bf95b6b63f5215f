/* SPDX-License-Identifier: MIT */
/* The text of an exchange of work. The text itself is remap.tpl; here are its values and its
 * pieces. It stands in place of the first path's begin marker; the paths' own code goes, and what
 * led past them leads there. See docs/proofs/remap.md.
 */
#include <string.h>
#include "transform/collect/emit_parts.h"
#include "transform/emit/emit.h"
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/remap.h"
#include "transform/task/task_inputs.h"

/* ---- ways ------------------------------------------------------------------------------------ */

static const char *
path_way(void *user, uint32_t from, uint32_t to)
{
	const Emit *e = user;

	(void)from;
	return bits_has(e->k->span, to) ? emit_label(e, "b", to) : "^ran";
}

/* Replaces a branch's labels of block `to` by another. */
static void
lead_operands(const Emit *e, const Stmt *s, uint32_t to, const char *label)
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

/* Leads an edge to another label. */
static void
lead(const Emit *e, Remap_edge edge, const char *label)
{
	const Fn *fn = e->x->fn;
	const Block *b = &fn->cfg->blocks[edge.from];
	uint32_t t = cfg_terminator(fn->cfg, edge.from);
	const Stmt *s = t ? fn_stmt(fn, t) : NULL;
	Op op = t ? ptx_op(e->m, s) : OP_UNKNOWN;
	Buf text = { 0 };

	if (op == OP_BRX)
		lead_operands(e,
			fn_stmt(fn, e->m->syms[e->m->opnds[ptx_operand(e->m, s, 1)].sym].decl),
			edge.to, label);
	else if (op == OP_BRA)
		lead_operands(e, s, edge.to, label);
	if (!edge.to && t) {
		buf_printf(&text, "bra \t%s;", label);
		edit_replace(e->edits, (Span){ s->head, s->at.end }, text.at, text.n);
	} else if (b->falls && edge.to == edge.from + 1) {
		buf_printf(&text, "\n\tbra.uni \t%s;", label);
		edit_insert(e->edits, fn_stmt(fn, b->end - 1)->at.end, text.at, text.n);
	}
	buf_free(&text);
}

/* Leads what comes past the paths, or leaves, to the text. */
static void
lead_all(const Emit *e)
{
	const Remap *k = e->x->remap;
	Buf label = { 0 };

	buf_printf(&label, "$%snone", e->prefix);
	for (uint32_t i = 0; i < k->nbypass; i++)
		lead(e, k->bypass[i], label.at);
	for (uint32_t i = 0; i < k->nheld; i++) {
		label.n = 0;
		buf_printf(&label, "$%shold%u", e->prefix,
			emit_way(e->x, k->held[i].to, k->held[i].stmt));
		lead(e, k->held[i], label.at);
	}
	buf_free(&label);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void
piece_hold_back(void *user)
{
	Emit *e = user;

	for (uint32_t k = 0; k < e->x->nways; k++) {
		tpl_value(e->t, "k", "%u", k);
		tpl_put(e->t, "hold");
	}
}

static void
piece_path_blocks(void *user)
{
	Emit *e = user;

	for (uint32_t b = bits_next(e->k->span, 0), next; b != UINT32_MAX; b = next) {
		next = bits_next(e->k->span, b + 1);
		copy_block(&e->path, b, emit_label(e, "b", b),
			next == UINT32_MAX ? "^ran" : emit_label(e, "b", next));
	}
	copy_new_line(e->t);
}

static uint32_t
row_size(const Emit *e, const Result *r)
{
	uint32_t size = context_size(e->m, r->sym);

	return size ? size : 4;
}

static void
piece_result_addresses(void *user)
{
	const Emit *e = user;
	uint32_t used = 0;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++)
		used |= row_size(e, &e->x->remap->results[i]);
	for (uint32_t size = 1; size <= 16; size *= 2)
		if (used & size)
			tpl_line(e->t, "\tmad.lo.u32 %%^at%u, %%^slot, %u, %%^base;", size, size);
}

/* From the path's registers to the owner's slots. */
static void
piece_give_results(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++) {
		const Result *r = &e->x->remap->results[i];
		const char *value = emit_own(e, e->k, r->sym, 0);
		if (!context_size(e->m, r->sym)) {
			tpl_line(e->t, "\tselp.b32 %%^bits, 1, 0, %s;", value);
			value = "%^bits";
		}
		tpl_line(e->t, "\tst.shared.b%u [%%^at%u+%u], %s;", 8 * row_size(e, r),
			row_size(e, r), r->row, value);
	}
}

static void
piece_take_results(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++) {
		const Result *r = &e->x->remap->results[i];
		const char *name = copy_name(e->x->fn, r->sym, e->arena);
		bool bit = !context_size(e->m, r->sym);
		tpl_line(e->t, "\t@%%^want ld.shared.b%u %s, [%%^at%u+%u];", 8 * row_size(e, r),
			bit ? "%^bits" : name, row_size(e, r), r->row);
		if (bit)
			tpl_line(e->t, "\t@%%^want setp.ne.u32 %s, %%^bits, 0;", name);
	}
}

/* Who ran their own path have its results in its registers. */
static void
piece_keep_results(void *user)
{
	Emit *e = user;

	for (uint32_t i = 0; i < e->x->remap->nresults; i++) {
		uint32_t sym = e->x->remap->results[i].sym;
		task_move(e, sym, copy_name(e->x->fn, sym, e->arena), emit_own(e, e->k, sym, 0));
	}
}

/* ---- things that a text has several of ------------------------------------------------------- */

static bool
each_path(void *user, uint32_t i)
{
	Emit *e = user;

	if (i == e->x->remap->npaths)
		return false;
	tpl_value(e->t, "q", "%u", i);
	tpl_value(e->t, "count", "%%^count%u", i / 4);
	tpl_value(e->t, "unit", "%u", UINT32_C(1) << i % 4 * 8);
	tpl_value(e->t, "entry", "^b%u", e->x->remap->paths[i]->entry);
	return true;
}

static bool
each_word(void *user, uint32_t i)
{
	enum { WARP_RUNS = 32, A_TASK = 0xff }; /* what a byte of the gain counts: 32, -1 */
	Emit *e = user;
	uint32_t n = e->x->remap->npaths, ones = 0, gains = 0;

	if (i == remap_words(e->x))
		return false;
	for (uint32_t b = 0; b < 4; b++) {
		uint32_t q = 4 * i + b;
		ones |= (uint32_t)(q < n) << 8 * b;
		gains |= (q < n ? A_TASK : q == n ? (uint32_t)WARP_RUNS : 0) << 8 * b;
	}
	tpl_value(e->t, "count", "%%^count%u", i);
	tpl_value(e->t, "below", "%%^below%u", i);
	tpl_value(e->t, "upto", "%%^upto%u", i);
	tpl_value(e->t, "offset", "%u", 4 * i);
	tpl_value(e->t, "ones", "0x%08x", ones);
	tpl_value(e->t, "gains", "0x%08x", gains);
	tpl_flag(e->t, "later", i > 0);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void
tell_values(Emit *e)
{
	const Plan *x = e->x;
	const Remap *k = x->remap;
	const Frame *f = &x->frame;

	tpl_value(e->t, "line", "%u", plan_marker(x)->cuda.line);
	tpl_value(e->t, "policy", "%s", annot_policies[x->policy].name);
	tpl_value(e->t, "want", "%%^want");
	tpl_value(e->t, "paths", "%u", k->npaths);
	tpl_value(e->t, "stays", "%u", x->nways);
	tpl_value(e->t, "tasks", "%s", "%~base");
	tpl_value(e->t, "threads", "%u", f->threads);
	tpl_value(e->t, "bytes", "%u", f->warp_bytes);
	tpl_value(e->t, "pool", "%u", k->pool);
	tpl_value(e->t, "stride", "%u", 4 * remap_words(x));
	tpl_value(e->t, "last_count", "%%^count%u", k->npaths / 4);
	tpl_value(e->t, "last_unit", "%u", UINT32_C(1) << k->npaths % 4 * 8);
	tpl_value(e->t, "other", "%u", k->npaths > 1 ? 1 : UINT32_MAX);
	tpl_value(e->t, "near", "%u", k->near);
	tpl_value(e->t, "groups", "%u", k->groups);
	tpl_value(e->t, "counters", "%u", k->npaths * k->groups);
	tpl_value(e->t, "shift", "%u", k->near == 16 ? 4 : k->near == 32 ? 5 : 6);
	tpl_value(e->t, "least", "%u", 32 * k->npaths);
	tpl_value(e->t, "mask", f->block && f->block % WARP == 0 ? "0xffffffff" : "%%^mask");
	tpl_value(e->t, "join", "%s", emit_place(e, k->join, x->nways));
	tpl_flag(e->t, "partial_warps", !f->block || f->block % WARP);
	tpl_flag(e->t, "check_threads", f->check_threads);
	tpl_flag(e->t, "three_dims", f->dims > 2);
	tpl_flag(e->t, "two_dims", f->dims == 2);
	tpl_flag(e->t, "many_dims", f->dims > 1);
	tpl_flag(e->t, "holds", x->nways > 0);
	tpl_flag(e->t, "bypass", k->nbypass > 0);
	tpl_flag(e->t, "turns", k->come == COME_IN_TURNS);
	tpl_flag(e->t, "loop", x->fn->loops->loop_of[k->head] != 0);
	tpl_flag(e->t, "settles", k->settles);
	tpl_flag(e->t, "results", k->nresults > 0);
}

static void
piece_sort(void *user)
{
	Emit *e = user;

	tpl_put(e->t, annot_policies[e->x->policy].name);
}

static void
tell_pieces(Emit *e)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "registers", emit_registers },
		{ "again", emit_again_values },
		{ "hold_back", piece_hold_back },
		{ "sort", piece_sort },
		{ "addresses", task_addresses },
		{ "push", task_push },
		{ "pop", task_pop_left },
		{ "take_own", task_take_own },
		{ "compute", part_compute },
		{ "path_blocks", piece_path_blocks },
		{ "ways_out", emit_ways_out },
		{ "result_addresses", piece_result_addresses },
		{ "give_results", piece_give_results },
		{ "take_results", piece_take_results },
		{ "keep_results", piece_keep_results },
	};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(e->t, pieces[i].name, pieces[i].f, e);
	tpl_each(e->t, "path", each_path, e);
	tpl_each(e->t, "word", each_word, e);
}

static bool
begins_path(const Emit *e, const Stmt *s)
{
	for (uint32_t i = 0; i < e->x->remap->npaths; i++)
		if (&e->m->stmts[e->m->markers[e->x->remap->paths[i]->marker].stmt] == s)
			return true;
	return false;
}

/* The paths' own code goes, but for labels and what debuggers read, and their markers say
 * "done". */
static void
remove_paths(const Emit *e)
{
	const Fn *fn = e->x->fn;

	BITS_EACH(b, e->k->span)
		FN_BLOCK_STMTS(fn, b, s) {
			const Stmt *st = fn_stmt(fn, s);
			const Marker *k = st->kind == STMT_MARKER ? &e->m->markers[st->sym] : NULL;
			Buf text = { 0 };
			if (st->kind == STMT_INSN || st->kind == STMT_OPEN ||
				st->kind == STMT_CLOSE || st->kind == STMT_DECL) {
				edit_replace(e->edits, st->at, "", 0);
			} else if (k && !k->done && !begins_path(e, st)) {
				mark_done(e->m, k, &text);
				edit_replace(e->edits, st->at, text.at, text.n);
			}
			buf_free(&text);
		}
}

/* Puts a section behind the marker of path i, which says "done"; gives the byte of the text where
 * that begins. */
static size_t
put_path(Emit *e, uint32_t i)
{
	size_t from = e->t->out.n;

	tpl_value(e->t, "q", "%u", i);
	mark_done(e->m, &e->m->markers[e->x->remap->paths[i]->marker], &e->t->out);
	buf_putc(&e->t->out, '\n');
	tpl_put(e->t, i ? "come" : "body");
	return from;
}

/* Puts all texts in their places: registers and memory at the head of the kernel, and one at each
 * path's marker. Declarations come to the front of the text at the end, so all other places are
 * counted from its end. */
static void
put_texts(Emit *e)
{
	const Plan *x = e->x;
	uint32_t n = x->remap->npaths;
	size_t *from = arena_array(e->arena, n + 1, sizeof *from);

	buf_putc(&e->t->out, '\n');
	tpl_put(e->t, "head");
	for (uint32_t i = 0; i < n; i++)
		from[i] = put_path(e, i);
	from[n] = e->t->out.n;
	tpl_end(e->t);
	size_t more = e->t->out.n - from[n];
	edit_insert(e->edits, x->fn->f->block.pos + 1, e->t->out.at, from[0] + more - 1);
	for (uint32_t i = 0; i < n; i++) {
		Span at = e->m->stmts[e->m->markers[x->remap->paths[i]->marker].stmt].at;
		edit_replace(
			e->edits, at, e->t->out.at + from[i] + more, from[i + 1] - from[i] - 1);
	}
	if (x->opt->show[STEP_WRITE])
		buf_add(x->opt->shown, e->t->out.at, e->t->out.n);
}

void
remap_write(const Plan *x, Edits *edits)
{
	Tpl t;
	Emit e = { .t = &t };

	emit_begin(&e, x, TEMPLATE_REMAP, edits);
	e.part = 1;
	e.k = &x->parts[0];
	e.lockstep = true; /* who pushes has its values in registers of its own */
	emit_copies(&e);
	e.path.way = path_way;
	tell_values(&e);
	tell_pieces(&e);
	put_texts(&e);
	lead_all(&e);
	remove_paths(&e);
	tpl_release(&t);
}
