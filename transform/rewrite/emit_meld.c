/* SPDX-License-Identifier: MIT */
/* Emits two arms as one: nodes and control flow, live-ins and live-outs, and the edits
 * (distribute.tpl; distribute.c has the argument why it is correct). */
#include <stdio.h>
#include <string.h>
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/emit_meld.h"
#include "transform/text/copy_code.h"

/* ---- control flow ---------------------------------------------------------------------------- */

/* Returns a label that precedes the block's markers, so that a branch to it passes them; 0:
 * none. */
static uint32_t
first_label(const Fn *fn, uint32_t b)
{
	FN_BLOCK_STMTS(fn, b, s) {
		if (fn_stmt(fn, s)->kind == STMT_MARKER)
			break;
		if (fn_stmt(fn, s)->kind == STMT_LABEL)
			return fn_stmt(fn, s)->sym;
	}
	return 0;
}

/* Returns the label of a block after the arms; adds one if it has none. */
static const char *
block_label(Meld_writer *w, uint32_t b)
{
	uint32_t label = first_label(w->fn, b);
	Buf text = { 0 };

	if (label)
		return copy_name(w->fn, label, w->arena);
	if (!w->labelled[b]) {
		buf_printf(&text, "$ccc%u_out%u:\n\t", w->number, b);
		edit_insert(w->edits, fn_stmt(w->fn, w->fn->cfg->blocks[b].stmt)->at.pos, text.at,
			text.n);
		buf_free(&text);
	}
	w->labelled[b] = true;
	return meld_format(w, "$^out%u", b);
}

static void
emit_move(Meld_writer *w, const char *section, Type type, const char *const names[2])
{
	tpl_value(w->t, "to", "%s", names[0]);
	tpl_value(w->t, "from", "%s", names[1]);
	if (type == TYPE_PRED)
		tpl_value(w->t, "type", "pred");
	else
		tpl_value(w->t, "type", "b%u", 8 * ptx_type_size(type));
	tpl_write_section(w->t, section);
}

static bool
is_live_into(const Meld_writer *w, uint32_t b, uint32_t sym)
{
	return bits_has(w->fn->live->in[b], fn_local(w->fn, sym));
}

/* Whether the register, which is live into the other arm only, may be set on a path that lanes
 * of this arm do not take. */
static bool
is_set_unseen(const Meld_writer *w, uint32_t arm, uint32_t sym)
{
	const uint32_t mine = w->meld->arm[arm].region->entry,
		       other = w->meld->arm[1 - arm].region->entry;

	if (!meld_register_is_movable(w->fn, sym) || is_live_into(w, mine, sym) ||
		meld_merged_register(w->meld, 1 - arm, sym))
		return false;
	Reaching r = defuse_reaching(w->fn, other, sym);
	for (uint32_t i = 0; i < r.n; i++) {
		uint32_t s = fn_def(w->fn, r.at[i])->stmt;
		if (!s || !dom_dominates(w->fn->dom, fn_block(w->fn, s), mine))
			return true;
	}
	return false;
}

static void
emit_zero(Meld_writer *w, uint32_t sym)
{
	emit_move(w, "come", meld_type(w, sym),
		(const char *[2]){ copy_name(w->fn, sym, w->arena), "0" });
}

/* Whether a place, or a register without one, is live into an arm. */
static bool
merged_register_is_live_in(const Meld_writer *w, const Merged_register *p, uint32_t arm)
{
	return is_live_into(w, w->meld->arm[arm].region->entry, p->sym[arm]);
}

static bool
register_is_live_in(const Meld_writer *w, uint32_t arm, uint32_t sym)
{
	return is_live_into(w, w->meld->arm[arm].region->entry, sym);
}

/* Sets the places of an arm from its live-ins. Registers that only one arm writes or reads are
 * set to 0 for the other arm's lanes, unless they are live there. Otherwise they would be live
 * from before the branch and around every loop, because a predicated write does not end a live
 * range. */
static void
piece_copy_in(void *user)
{
	Meld_writer *w = user;
	uint32_t arm = w->arm;

	for (uint32_t i = 1; i < w->meld->places.n; i++) {
		const Merged_register *p = &w->meld->places.at[i];
		uint32_t sym = p->sym[arm];
		if (!meld_merged_register(w->meld, arm, sym))
			continue;
		bool live = merged_register_is_live_in(w, p, arm);
		if (live || (p->partial && merged_register_is_live_in(w, p, 1 - arm)))
			emit_move(w, "come", meld_type(w, sym),
				(const char *[2]){ meld_name(w, arm, sym),
					live ? copy_name(w->fn, sym, w->arena) : "0" });
	}
	BITS_EACH(k, w->meld->weak)
		if (!register_is_live_in(w, arm, fn_sym(w->fn, k)) &&
			register_is_live_in(w, 1 - arm, fn_sym(w->fn, k)))
			emit_zero(w, fn_sym(w->fn, k));
	BITS_EACH(k, w->fn->live->in[w->meld->arm[1 - arm].region->entry])
		if (!bits_has(w->meld->weak, k) && is_set_unseen(w, arm, fn_sym(w->fn, k)))
			emit_zero(w, fn_sym(w->fn, k));
}

/* Sets such registers to 0 for both arms if they are live into neither. */
static void
piece_zero_unset(void *user)
{
	Meld_writer *w = user;

	for (uint32_t i = 1; i < w->meld->places.n; i++) {
		const Merged_register *p = &w->meld->places.at[i];
		if (p->partial && meld_merged_register(w->meld, 0, p->sym[0]) &&
			!merged_register_is_live_in(w, p, 0) &&
			!merged_register_is_live_in(w, p, 1))
			emit_move(w, "come", meld_type(w, p->sym[0]),
				(const char *[2]){ meld_name(w, 0, p->sym[0]), "0" });
	}
	BITS_EACH(k, w->meld->weak)
		if (!register_is_live_in(w, 0, fn_sym(w->fn, k)) &&
			!register_is_live_in(w, 1, fn_sym(w->fn, k)))
			emit_zero(w, fn_sym(w->fn, k));
}

/* Copies the values that block b, after the arms, reads from an arm's places to its own
 * registers. */
static void
emit_copy_out(Meld_writer *w, uint32_t arm, uint32_t b)
{
	tpl_value(w->t, "lane", "%s", arm ? "!%^then" : "%^then");
	for (uint32_t i = 1; i < w->meld->places.n; i++) {
		uint32_t sym = w->meld->places.at[i].sym[arm];
		if (meld_merged_register(w->meld, arm, sym) && is_live_into(w, b, sym))
			emit_move(w, "back", meld_type(w, sym),
				(const char *[2]){
					copy_name(w->fn, sym, w->arena), meld_name(w, arm, sym) });
	}
}

static const Arm_node *
node_in_arm(const Meld_writer *w, uint32_t arm)
{
	return &w->meld->arm[arm].nodes.at[w->meld->pairs.at[w->pair].node[arm]];
}

static void
piece_copy_out(void *user)
{
	Meld_writer *w = user;

	for (uint32_t arm = 0; arm < 2; arm++)
		emit_copy_out(w, arm, node_in_arm(w, arm)->exit_target);
}

/* Returns the predicate by which a node of one arm branches, with a ! if negated. */
static const char *
arm_branch_predicate(Meld_writer *w, uint32_t arm)
{
	const Stmt *s = fn_stmt(w->fn, node_in_arm(w, arm)->branch);

	return meld_format(w, "%s%s", s->guard == 2 ? "!" : "", meld_register(w, arm, s->sym));
}

/* Returns the predicate under which lanes of both arms take the first arm's branch, with a ! if
 * negated. */
static const char *
shared_branch_predicate(Meld_writer *w)
{
	const Stmt *s[2] = { fn_stmt(w->fn, node_in_arm(w, 0)->branch),
		fn_stmt(w->fn, node_in_arm(w, 1)->branch) };
	const char *name[2] = { meld_register(w, 0, s[0]->sym), meld_register(w, 1, s[1]->sym) };
	bool negated[2] = { s[0]->guard == 2,
		(s[1]->guard == 2) != w->meld->pairs.at[w->pair].swapped };

	if (negated[0] == negated[1] && strcmp(name[0], name[1]) == 0)
		return negated[0] ? meld_format(w, "!%s", name[0]) : name[0];
	const char *to = meld_temporary(w, TYPE_PRED);
	tpl_value(w->t, "to", "%s", to);
	tpl_value(w->t, "first", "%s", name[0]);
	tpl_value(w->t, "second", "%s", name[1]);
	tpl_flag(w->t, "first_negated", negated[0]);
	tpl_flag(w->t, "second_negated", negated[1]);
	tpl_write_section(w->t, "select_way");
	return to;
}

static void
emit_leave(Meld_writer *w)
{
	const char *to[2] = { block_label(w, node_in_arm(w, 0)->exit_target),
		block_label(w, node_in_arm(w, 1)->exit_target) };

	tpl_flag(w->t, "ways_differ", strcmp(to[0], to[1]) != 0);
	tpl_value(w->t, "first", "%s", to[0]);
	tpl_value(w->t, "second", "%s", to[1]);
	tpl_write_section(w->t, "leave");
}

static void
piece_marker(void *user)
{
	Meld_writer *w = user;
	Span at = w->m->stmts[w->marker->stmt].at;

	tpl_text(w->t, "\t%.*s\n", (int)(at.end - at.pos), w->m->src->text + at.pos);
}

static void
piece_branch(void *user)
{
	Meld_writer *w = user;
	const Node_pair *p = &w->meld->pairs.at[w->pair];
	uint32_t arm = p->node[0] ? 0 : 1;
	const Arm_node *n = node_in_arm(w, arm);

	if (n->exit_block) {
		emit_leave(w);
	} else if (n->nto == 2) {
		tpl_value(w->t, "p", "%s", meld_node_is_unpaired(p) ? arm_branch_predicate(w, arm) : shared_branch_predicate(w));
		tpl_value(w->t, "taken", "^m%u", p->to[0]);
		tpl_value(w->t, "other", "^m%u", p->to[1]);
		tpl_flag(w->t, "not_next", p->to[1] != w->pair + 1);
		tpl_write_section(w->t, "branch");
	} else if (p->to[0] != w->pair + 1) {
		tpl_line(w->t, "\tbra $^m%u;", p->to[0]);
	}
}

static void
piece_nodes(void *user)
{
	Meld_writer *w = user;

	for (w->pair = 0; w->pair < w->meld->pairs.n; w->pair++) {
		const Node_pair *p = &w->meld->pairs.at[w->pair];
		tpl_flag(w->t, "jumped_over", p->jumps);
		tpl_value(w->t, "others", "%s", p->node[0] ? "!%^then" : "%^then");
		tpl_value(w->t, "over", "^m%u", p->over);
		tpl_value(w->t, "k", "%u", w->pair);
		tpl_write_section(w->t, "node");
	}
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Declares the melded code's registers at the start of the function, as both arms use them. */
static void
emit_declarations(Meld_writer *w)
{
	Buf text = { 0 };

	buf_printf(&text, "\n\t.reg .pred %%ccc%u_then;", w->number);
	for (uint32_t i = 1; i < w->meld->places.n; i++)
		if (meld_merged_register(w->meld, 0, w->meld->places.at[i].sym[0]))
			buf_printf(&text, "\n\t.reg .%s %%ccc%u_s%u;",
				ptx_type_name(meld_type(w, w->meld->places.at[i].sym[0])),
				w->number, i);
	for (uint32_t type = 0; type <= TYPE_F64; type++)
		for (uint32_t i = 0; i < w->most[type]; i++)
			buf_printf(&text, "\n\t.reg .%s %%ccc%u_%s%u;", ptx_type_name((Type)type),
				w->number, ptx_type_name((Type)type), i);
	edit_insert(w->edits, w->fn->f->block.pos + 1, text.at, text.n);
	buf_free(&text);
}

/* Removes the arms' own code, except labels and debug information. */
static void
remove_arm(Meld_writer *w, const Region *r)
{
	BITS_EACH(b, r->blocks)
		FN_BLOCK_STMTS(w->fn, b, s) {
			const Stmt *st = fn_stmt(w->fn, s);
			if (st->kind == STMT_INSN || st->kind == STMT_OPEN ||
				st->kind == STMT_CLOSE || st->kind == STMT_DECL)
				edit_replace(w->edits, st->at, "", 0);
		}
}

/* Marks the arms' end markers as done. If a call stays open, the first one of the first arm ends
 * its statement instead. */
static void
replace_end_markers(Meld_writer *w)
{
	Bits seen = bits_new(w->arena, w->fn->cfg->nblocks);
	bool open = w->meld->open != NULL;

	for (w->pair = 0; w->pair < w->meld->pairs.n; w->pair++)
		for (uint32_t arm = 0; arm < 2; arm++) {
			uint32_t b = node_in_arm(w, arm)->exit_block;
			const Marker *k = b ? region_marker_at(w->fn, b) : NULL;
			if (!k || bits_has(seen, b))
				continue;
			bits_set(seen, b);
			if (open && arm == 0) {
				w->t->out.n = 0;
				w->marker = k;
				tpl_write_section(w->t, "close");
				edit_replace(w->edits, w->m->stmts[k->stmt].at, w->t->out.at,
					w->t->out.n - 1);
				open = false;
			} else {
				marker_queue_done(w->m, k, w->edits);
			}
		}
	ASSERT(!open);
}

/* Replaces an arm's begin marker by a section, and marks it as done. */
static void
emit_section(Meld_writer *w, uint32_t arm, const char *section)
{
	const Marker *k = &w->m->markers[w->meld->arm[arm].region->marker];

	w->t->out.n = 0;
	w->arm = arm;
	w->marker = k;
	if (!w->meld->open || arm != 0) {
		marker_write_done(w->m, k, &w->t->out);
		buf_putc(&w->t->out, '\n');
	}
	tpl_write_section(w->t, section);
	edit_replace(w->edits, w->m->stmts[k->stmt].at, w->t->out.at, w->t->out.n - 1);
}

static void
define_names(Meld_writer *w)
{
	static const struct { const char *name; Tpl_piece *f;
	} pieces[] = {
		{ "marker", piece_marker },
		{ "call", meld_emit_open_call },
		{ "take", piece_copy_in },
		{ "begin", piece_zero_unset },
		{ "nodes", piece_nodes },
		{ "rows", meld_emit_rows },
		{ "go", piece_branch },
		{ "give", piece_copy_out },
		{ "statements", meld_emit_statements },
	};
	const Module *m = w->m;

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tpl_piece(w->t, pieces[i].name, pieces[i].f, w);
	tpl_value(w->t, "first_line", "%u", m->markers[w->meld->arm[0].region->marker].cuda.line);
	tpl_value(w->t, "second_line", "%u", m->markers[w->meld->arm[1].region->marker].cuda.line);
}

void
meld_write(const Meld *x, uint32_t number, const Pass_options *opt, Edits *e)
{
	const Fn *fn = x->fn;
	char prefix[32];
	Tpl t;
	Meld_writer w = { .meld = x,
		.fn = fn,
		.m = fn->m,
		.arena = fn->arena,
		.t = &t,
		.edits = e,
		.number = number };

	w.labelled = arena_array(w.arena, fn->cfg->nblocks, sizeof *w.labelled);
	snprintf(prefix, sizeof prefix, "ccc%u_", number);
	tpl_init(&t, TEMPLATE_DISTRIBUTE, opt->debug.omit, w.arena);
	tpl_begin(&t, prefix);
	define_names(&w);
	emit_section(&w, 0, "first");
	if (opt->debug.show[STEP_WRITE])
		buf_add(opt->debug.dump, t.out.at, t.out.n);
	emit_section(&w, 1, "second");
	for (uint32_t arm = 0; arm < 2; arm++)
		remove_arm(&w, x->arm[arm].region);
	replace_end_markers(&w);
	emit_declarations(&w);
	vec_free(&w.selects);
	tpl_release(&t);
}
