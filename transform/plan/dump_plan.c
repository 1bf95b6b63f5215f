/* SPDX-License-Identifier: MIT */
/* Dumps plans as text, with the reasons for each decision, or as a graph in which the loop's blocks
 * are coloured by their role. */
#include "analysis/dump/dump.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void
put_blocks(const Plan *x, const char *what, Bits set, Buf *out)
{
	buf_printf(out, "%s", what);
	BITS_EACH(b, set) {
		buf_putc(out, ' ');
		dump_block(x->fn->cfg, b, out);
	}
	buf_putc(out, '\n');
}

static void
put_stmts(const Plan *x, const char *what, const uint32_t *list, uint32_t n, Buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_printf(out, "%s", what);
		dump_stmt(x->fn->m, list[i], 60, out);
		buf_putc(out, '\n');
	}
}

static void
put_ways(const Plan *x, Buf *out)
{
	buf_puts(out, "\tways out:");
	for (uint32_t i = 0; i < x->nways; i++) {
		buf_putc(out, ' ');
		if (x->ways[i].block)
			dump_block(x->fn->cfg, x->ways[i].block, out);
		else
			dump_stmt(x->fn->m, x->ways[i].stmt, 20, out);
	}
	buf_putc(out, '\n');
}

static void
put_slot(const Plan *x, const char *what, const Slot *s, Buf *out)
{
	buf_puts(out, what);
	if (s->sym)
		dump_sym(x->fn->m, s->sym, out);
	else
		buf_puts(out, "the owner's lane");
	if (s->sel)
		buf_printf(out, ".%c", s->sel);
	if (s->size)
		buf_printf(out, ", %u bytes in row %u\n", s->size, s->row);
	else
		buf_printf(out, ", bit %u of row %u\n", s->bit, s->row);
}

static void
put_reduction(const Plan *x, const Reduction *r, Buf *out)
{
	buf_printf(out, "\t\treduction by %s of %s, row %u:", annot_operators[r->op],
		ptx_type_name(r->type), r->row);
	BITS_EACH(i, r->web) {
		buf_putc(out, ' ');
		dump_sym(x->fn->m, fn_sym(x->fn, i), out);
	}
	buf_putc(out, '\n');
}

/* Prints an inner loop that is expanded in the path. */
static void
put_rows(const Plan *x, const Part *k, Buf *out)
{
	const Marker *m = part_marker(x, k);

	buf_printf(out, "\t\tinner loop %s:%u is expanded in it%s, of a row come:", m->cuda.file,
		m->cuda.line, k->rounds->chooses ? " or left with its owners" : "");
	for (uint32_t i = 0; i < k->task.nslots; i++) {
		buf_putc(out, ' ');
		dump_sym(x->fn->m, k->task.slots[i].sym, out);
	}
	buf_putc(out, '\n');
	for (uint32_t i = 0; i < k->task.nsums; i++)
		put_reduction(x, &k->task.sums[i], out);
}

static void
put_values(const Plan *x, const Part *k, Buf *out)
{
	static const char *const hows[] = { "is not live", "is common", "is computed again",
		"is saved", "is not saved", "is kept by its owner", "has a slot" };

	for (uint32_t i = 0; i < k->task.nin; i++) {
		const In *in = &k->task.in[i];
		buf_puts(out, "\t\t");
		dump_sym(x->fn->m, in->sym, out);
		buf_printf(out, " %s: %s\n", hows[in->how], in->why);
	}
}

static void
put_part(const Plan *x, const Part *k, Buf *out)
{
	const Marker *m = part_marker(x, k);

	buf_printf(out, "\t%s %s:%u, policy %s, %u slots, cost %llu\n",
		k->steps ? "iterations of inner loop" : "path", m->cuda.file, m->cuda.line,
		annot_policies[k->policy].name, k->slots, (unsigned long long)k->path->cost);
	if (k->threshold)
		buf_printf(out, "\t\truns when %u lanes have a task\n", k->threshold);
	put_blocks(x, "\t\tblocks:", k->path->blocks, out);
	if (k->join) {
		put_blocks(x, "\t\tjump, its task runs:", k->span, out);
		buf_puts(out, "\t\tits owner continues at the end of ");
		dump_block(x->fn->cfg, k->join, out);
		buf_putc(out, '\n');
	}
	put_values(x, k, out);
	for (uint32_t i = 0; i < k->task.nslots; i++)
		put_slot(x, "\t\tslot: ", &k->task.slots[i], out);
	for (uint32_t i = 0; i < k->task.nkept; i++)
		put_slot(x, "\t\tslot of its owner: ", &k->task.kept[i], out);
	put_stmts(
		x, "\t\tcomputed before the path: ", k->task.computed, k->task.ncomputed, out);
	put_stmts(x, "\t\tits owner computes too: ", k->task.slice, k->task.nslice, out);
	for (uint32_t i = 0; i < k->task.nsums; i++)
		put_reduction(x, &k->task.sums[i], out);
	const Part *rows = plan_rows_in(x, (uint32_t)(k - x->parts) + 1);
	if (rows)
		put_rows(x, rows, out);
	if (k->scratch)
		buf_puts(out, "\t\tthread-local memory is a scratch pad of the path\n");
}

static void
put_verdict(const char *what, const Verdict *v, Buf *out)
{
	buf_printf(out, "\t%s: %s\n", what, v->text);
}

static void
put_frame(const Plan *x, Buf *out)
{
	const Frame *f = &x->frame;

	buf_printf(out, "\tframe: %u bytes a warp; blocks of up to %u threads%s\n", f->warp_bytes,
		f->threads, f->check_threads ? ", looked at" : "");
	buf_printf(out, "\tcost: own part %llu, path %llu, collecting %llu\n",
		(unsigned long long)x->cost.own, (unsigned long long)x->cost.path,
		(unsigned long long)x->cost.collecting);
}

static void
put_pool(const Plan *x, const Pool *p, Buf *out)
{
	buf_puts(out, "\titerations are drawn: what they read\n");
	put_values(x, p->part, out);
	put_stmts(x, "\t\tcomputed by the lane that draws: ", p->part->task.computed,
		p->part->task.ncomputed, out);
	put_stmts(x, "\t\towners continue by: ", p->advance, p->nadvance, out);
}

static void
put_places(const Plan *x, Buf *out)
{
	const Bound *b = &x->bound;

	if (b->nplaces) {
		buf_puts(out, "\tlanes wait before");
		for (uint32_t i = 0; i < b->nplaces; i++) {
			buf_puts(out, i ? ", " : " ");
			dump_block(x->fn->cfg, b->places[i].block, out);
			if (b->places[i].rank)
				buf_printf(out, " for %u", b->places[i].least);
		}
		return;
	}
	buf_puts(out, "\tlanes meet before ");
	dump_block(x->fn->cfg, b->meet, out);
	if (b->cut) {
		buf_puts(out, ", and wait before ");
		dump_block(x->fn->cfg, b->cut, out);
	}
}

static void
put_bound(const Plan *x, Buf *out)
{
	const Bound *b = &x->bound;

	put_places(x, out);
	if (b->rule != RULE_MOST && b->rule != RULE_INNERMOST)
		buf_printf(out, "\n\tN: %u", b->n);
	if (b->rule == RULE_TURNS || b->rule == RULE_ROUND)
		buf_printf(out, ", %u%s", b->second, x->asked.idle ? ", idle rounds too" : "");
	buf_putc(out, '\n');
	if (x->policy == POLICY_AHEAD && b->group)
		buf_printf(out, "\tlooks: %u in a row\n", b->group);
	if (x->policy == POLICY_AHEAD)
		buf_printf(out, "\tnoted iterations: %s%s\n",
			b->straight ? "up to the path" : "whole",
			b->gathers ? ", lanes meet behind each" : "");
	if (b->unified)
		buf_printf(out, "\tunified: those of line %u first, %s\n",
			part_marker(x, &x->parts[b->unified - 1])->cuda.line, "then the others");
	for (uint32_t i = 0; i < b->ncounts; i++) {
		const Opnd *o = &x->fn->m->opnds[b->counts[i].by];
		buf_puts(out, "\tcounts: ");
		dump_sym(x->fn->m, b->counts[i].sym, out);
		buf_printf(out, " %c %.*s an iteration\n", b->counts[i].minus ? '-' : '+',
			(int)(o->at.end - o->at.pos), x->fn->m->src->text + o->at.pos);
	}
	if (b->pool)
		put_pool(x, b->pool, out);
	buf_printf(out, "\tcost: own part %llu, path %llu\n", (unsigned long long)x->cost.own,
		(unsigned long long)x->cost.path);
}

static void
put_retreat(const Plan *x, Buf *out)
{
	const Retreat *r = &x->retreat;

	if (!r->on)
		return;
	buf_printf(out, "\tretreat: credit %d, at most %d", r->start, r->most);
	if (x->bound.meet)
		buf_printf(out, "; %+d, %+d for each that a lane has noted, %+d a batch", r->saved,
			r->noted, r->batch);
	for (uint32_t i = 0; i < x->nparts && !x->bound.meet; i++)
		if (!x->parts[i].outer)
			buf_printf(out, "; wanted %+d, not wanted %+d, a run %+d",
				x->parts[i].gained, x->parts[i].unwanted, x->parts[i].spent);
	buf_putc(out, '\n');
}

/* Prints the policies that were compared. */
static void
put_options(const Plan *x, Buf *out)
{
	for (uint32_t i = 0; i < x->noptions; i++) {
		const Gain *g = &x->options[i].gain;
		if (g->after > 0)
			buf_printf(out,
				"\tauto: %s, %.0f issue slots instead of %.0f: %.2fx, from %.2fx to %.2fx\n",
				x->options[i].policy, g->after, g->before, gain_ratio(g), g->least,
				g->most);
	}
	if (x->chosen)
		buf_printf(out, "\tchosen by the profile: %s\n", x->chosen);
}

static void
text(const Plan *x, const char *pass, Buf *out)
{
	const Marker *m = plan_marker(x);

	buf_printf(out, "loop %s:%u: ", m->cuda.file, m->cuda.line);
	if (!pass) {
		buf_printf(out, "left unchanged: %s\n", x->why.text);
		put_options(x, out);
		return;
	}
	buf_printf(out, "%s, %s\n", pass,
		x->bound.meet	     ? annot_policies[x->policy].name :
			x->lockstep.on ? "lockstep" :
					 "apart");
	if (x->two_copies)
		buf_printf(out, "\tcopies: for full warps; for other groups%s\n",
			x->bound.meet ? "" : ", apart");
	else if (x->copied)
		buf_printf(
			out, "\tcopies: one, for all groups: it has %u instructions\n", x->copied);
	put_blocks(x, "\town part:", x->own, out);
	put_ways(x, out);
	put_stmts(x, "\trecomputed at the entry: ", x->again, x->nagain, out);
	if (x->bound.meet) {
		put_bound(x, out);
	} else {
		for (uint32_t i = 0; i < x->nparts; i++)
			put_part(x, &x->parts[i], out);
		put_frame(x, out);
	}
	put_retreat(x, out);
	put_options(x, out);
	for (uint32_t i = 0; i < x->hints.n; i++)
		put_verdict("hint", &x->hints.at[i], out);
}

/* ---- graph ----------------------------------------------------------------------------------- */

static void
put_node(const Plan *x, uint32_t b, Buf *out)
{
	const char *style = plan_in_path(x, b) ? "filled\", fillcolor=\"gold" :
		bits_has(x->own, b)            ? "solid" :
						 "dashed";

	buf_printf(out, "\t\"%u.%u\" [label=\"", x->site->marker, b);
	dump_block(x->fn->cfg, b, out);
	buf_printf(out, "\", style=\"%s\"];\n", style);
	for (uint32_t i = 0; i < x->fn->cfg->blocks[b].nsucc; i++)
		buf_printf(out, "\t\"%u.%u\" -> \"%u.%u\";\n", x->site->marker, b, x->site->marker,
			cfg_succ(x->fn->cfg, b)[i]);
}

static void
graph(const Plan *x, const char *pass, Buf *out)
{
	const Marker *m = plan_marker(x);

	buf_printf(out, "digraph \"%s:%u\" {\n\tlabel=\"%s:%u, %s\";\n\tnode [shape=box];\n",
		m->cuda.file, m->cuda.line, m->cuda.file, m->cuda.line, pass);
	BITS_EACH(b, x->site->blocks)
		put_node(x, b, out);
	buf_puts(out, "}\n");
}

void
plan_dump(const Plan *x, const char *pass, bool dot, Buf *out)
{
	if (!dot)
		text(x, pass, out);
	else if (pass)
		graph(x, pass, out);
}
