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
put_exit_edges(const Plan *x, Buf *out)
{
	buf_puts(out, "\texit edges:");
	for (uint32_t i = 0; i < x->common.nexits; i++) {
		buf_putc(out, ' ');
		if (x->common.exits[i].block)
			dump_block(x->fn->cfg, x->common.exits[i].block, out);
		else
			dump_stmt(x->fn->m, x->common.exits[i].stmt, 20, out);
	}
	buf_putc(out, '\n');
}

static void
put_slot(const Plan *x, const char *what, const Context_slot *s, Buf *out)
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
put_expansion(const Plan *x, const Task_region *k, Buf *out)
{
	const Marker *m = task_region_marker(x, k);

	buf_printf(out, "\t\tinner loop %s:%u is expanded in it%s, row values:", m->cuda.file,
		m->cuda.line, k->lane_loop->most_uneven ? " or executed by the owners" : "");
	for (uint32_t i = 0; i < k->task.nslots; i++) {
		buf_putc(out, ' ');
		dump_sym(x->fn->m, k->task.slots[i].sym, out);
	}
	buf_putc(out, '\n');
	put_stmts(x, "\t\titerations load the bound again: ", k->lane_loop->trips->reloads,
		k->lane_loop->trips->nreloads, out);
	for (uint32_t i = 0; i < k->task.nreductions; i++)
		put_reduction(x, &k->task.reductions[i], out);
}

static void
put_values(const Plan *x, const Task_region *k, Buf *out)
{
	static const char *const hows[] = { "is not live", "is in all lanes",
		"is recomputed by all lanes", "is saved", "is not saved", "is stored once",
		"has a slot" };

	for (uint32_t i = 0; i < k->task.ninputs; i++) {
		const Task_input *in = &k->task.inputs[i];
		buf_puts(out, "\t\t");
		dump_sym(x->fn->m, in->sym, out);
		buf_printf(out, " %s: %s\n", hows[in->kind], in->why);
	}
}

static void
put_task_region(const Plan *x, const Task_region *k, Buf *out)
{
	const Marker *m = task_region_marker(x, k);

	buf_printf(out, "\t%s %s:%u, policy %s, %u slots, cost %llu\n",
		k->by_iteration ? "iterations of inner loop" : "path", m->cuda.file, m->cuda.line,
		annot_policies[k->policy].name, k->slots, (unsigned long long)k->path->cost);
	if (k->threshold)
		buf_printf(out, "\t\truns when %u lanes have a task\n", k->threshold);
	put_blocks(x, "\t\tblocks:", k->path->blocks, out);
	if (k->lane_loop && k->lane_loop->owner_unroll > 1)
		buf_printf(out, "\t\trows that stay with their owners are unrolled by %u\n",
			k->lane_loop->owner_unroll);
	if (k->tail_end) {
		put_blocks(x, "\t\ttail capture, blocks of a task:", k->task_blocks, out);
		buf_puts(out, "\t\tits owner continues at the end of ");
		dump_block(x->fn->cfg, k->tail_end, out);
		buf_putc(out, '\n');
	}
	put_values(x, k, out);
	for (uint32_t i = 0; i < k->task.nslots; i++)
		put_slot(x, "\t\tslot: ", &k->task.slots[i], out);
	for (uint32_t i = 0; i < k->task.ninvariants; i++)
		put_slot(x, "\t\tslot of the owner: ", &k->task.invariants[i], out);
	put_stmts(
		x, "\t\tcomputed before the path: ", k->task.derived, k->task.nderived, out);
	put_stmts(x, "\t\towner slice: ", k->task.slice, k->task.nslice, out);
	if (k->lane_loop)
		put_stmts(x, "\t\titerations load the bound again: ", k->lane_loop->trips->reloads,
			k->lane_loop->trips->nreloads, out);
	for (uint32_t i = 0; i < k->task.nreductions; i++)
		put_reduction(x, &k->task.reductions[i], out);
	const Task_region *rows = plan_expansion_in(x, (uint32_t)(k - x->regions) + 1);
	if (rows)
		put_expansion(x, rows, out);
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
	const Frame *f = &x->tasks.frame;

	buf_printf(out, "\tframe: %u bytes a warp; blocks of up to %u threads%s\n", f->warp_bytes,
		f->threads, f->check_threads ? ", tested at run time" : "");
	buf_printf(out, "\tcost: common code %llu, path %llu, collecting %llu\n",
		(unsigned long long)x->cost.common, (unsigned long long)x->cost.path,
		(unsigned long long)x->cost.collecting);
}

static void
put_pool(const Plan *x, const Iteration_pool *p, Buf *out)
{
	buf_puts(out, "\titerations are drawn; their live-ins:\n");
	put_values(x, p->region, out);
	put_stmts(x, "\t\tcomputed by the lane that draws: ", p->region->task.derived,
		p->region->task.nderived, out);
	put_stmts(x, "\t\towner advances by: ", p->advance, p->nadvance, out);
}

static void
put_wait_points(const Plan *x, Buf *out)
{
	const Wait_plan *b = x->wait;

	if (b->npoints) {
		buf_puts(out, "\tlanes wait before");
		for (uint32_t i = 0; i < b->npoints; i++) {
			buf_puts(out, i ? ", " : " ");
			dump_block(x->fn->cfg, b->points[i].block, out);
			if (b->points[i].rank)
				buf_printf(out, " for %u", b->points[i].threshold);
		}
		return;
	}
	buf_puts(out, "\tlanes meet before ");
	dump_block(x->fn->cfg, b->meeting, out);
	if (b->wait_block) {
		buf_puts(out, ", and wait before ");
		dump_block(x->fn->cfg, b->wait_block, out);
	}
}

static void
put_lookahead(const Plan *x, const Lookahead_plan *a, Buf *out)
{
	if (a->group_size)
		buf_printf(out, "\tlook-ahead: %u iterations without a branch\n", a->group_size);
	buf_printf(out, "\tselected iterations: %s%s\n", a->path_alone ? "up to the path" : "whole",
		a->meets_before_run ? ", lanes meet after each" : "");
	if (a->unified)
		buf_printf(out, "\tunified: iterations of line %u first, %s\n",
			task_region_marker(x, &x->regions[a->unified - 1])->cuda.line, "then the others");
	FN_STMTS(x->fn, s)
		if (stmt_is_late(x, s))
			put_stmts(x, "\tomitted by look-ahead: ", &s, 1, out);
	for (uint32_t i = 0; i < a->ncounts; i++) {
		const Opnd *o = &x->fn->m->opnds[a->counts[i].by];
		buf_puts(out, "\tcounter: ");
		dump_sym(x->fn->m, a->counts[i].sym, out);
		buf_printf(out, " %c %.*s an iteration\n", a->counts[i].subtracts ? '-' : '+',
			(int)(o->at.end - o->at.pos), x->fn->m->src->text + o->at.pos);
	}
}

static void
put_wait_plan(const Plan *x, Buf *out)
{
	const Wait_plan *b = x->wait;

	put_wait_points(x, out);
	if (b->rule != RULE_LARGEST && b->rule != RULE_INNERMOST)
		buf_printf(out, "\n\tN: %u", b->n);
	if (b->rule == RULE_ALTERNATE || b->rule == RULE_ROTATE)
		buf_printf(out, ", %u%s", b->second, x->request.idle ? ", idle rounds too" : "");
	buf_putc(out, '\n');
	if (x->lookahead)
		put_lookahead(x, x->lookahead, out);
	if (b->pool)
		put_pool(x, b->pool, out);
	buf_printf(out, "\tcost: common code %llu, path %llu\n", (unsigned long long)x->cost.common,
		(unsigned long long)x->cost.path);
}

static void
put_fallback(const Plan *x, Buf *out)
{
	const Fallback *r = &x->fallback;

	if (!r->enabled)
		return;
	buf_printf(out, "\tfallback: credit %d, at most %d", r->start, r->max);
	if (x->wait)
		buf_printf(out, "; %+d for each selected iteration, %+d for each of the lane with most, %+d a batch", r->credit_saved,
			r->credit_selected, r->batch);
	for (uint32_t i = 0; i < x->nregions && !x->wait; i++)
		if (!x->regions[i].outer)
			buf_printf(out, "; vote with tasks %+d, vote without %+d, execution %+d",
				x->regions[i].credit_wanted, x->regions[i].credit_idle,
				x->regions[i].credit_run);
	buf_putc(out, '\n');
}

/* Prints the policies that were compared. */
static void
put_options(const Plan *x, Buf *out)
{
	const Policy_selection *c = &x->selection;

	for (uint32_t i = 0; i < c->noptions; i++) {
		const Speedup *g = &c->options[i].gain;
		if (g->after > 0)
			buf_printf(out,
				"\tauto: %s, %.0f issue slots instead of %.0f: %.2fx, from %.2fx to %.2fx\n",
				c->options[i].policy, g->after, g->before, speedup_ratio(g),
				g->least, g->most);
	}
	if (c->profile_choice)
		buf_printf(out, "\tchosen by the profile: %s\n", c->profile_choice);
}

static void
dump_text(const Plan *x, const char *pass, Buf *out)
{
	const Marker *m = plan_marker(x);

	buf_printf(out, "loop %s:%u: ", m->cuda.file, m->cuda.line);
	if (!pass) {
		buf_printf(out, "left unchanged: %s\n", x->verdict.text);
		put_options(x, out);
		return;
	}
	buf_printf(out, "%s, %s\n", pass,
		x->wait                 ? annot_policies[x->policy].name :
			plan_is_lockstep(x) ? "lockstep" :
					      "apart");
	if (x->copies.two)
		buf_printf(out, "\tcopies: for full warps; for other groups%s\n",
			x->wait ? "" : ", apart");
	else if (x->copies.insns)
		buf_printf(
			out, "\tcopies: one, for all groups: it has %u instructions\n", x->copies.insns);
	put_blocks(x, "\tcommon code:", x->common.blocks, out);
	put_exit_edges(x, out);
	put_stmts(x, "\trecomputed at the entry: ", x->tasks.recomputed, x->tasks.nrecomputed, out);
	if (x->wait) {
		put_wait_plan(x, out);
	} else {
		for (uint32_t i = 0; i < x->nregions; i++)
			put_task_region(x, &x->regions[i], out);
		put_frame(x, out);
	}
	put_fallback(x, out);
	put_options(x, out);
	for (uint32_t i = 0; i < x->hints.n; i++)
		put_verdict("hint", &x->hints.at[i], out);
}

/* ---- graph ----------------------------------------------------------------------------------- */

static void
put_node(const Plan *x, uint32_t b, Buf *out)
{
	const char *style = plan_block_in_region(x, b) ? "filled\", fillcolor=\"gold" :
		bits_has(x->common.blocks, b)         ? "solid" :
						 "dashed";

	buf_printf(out, "\t\"%u.%u\" [label=\"", x->site->marker, b);
	dump_block(x->fn->cfg, b, out);
	buf_printf(out, "\", style=\"%s\"];\n", style);
	for (uint32_t i = 0; i < x->fn->cfg->blocks[b].nsucc; i++)
		buf_printf(out, "\t\"%u.%u\" -> \"%u.%u\";\n", x->site->marker, b, x->site->marker,
			cfg_succ(x->fn->cfg, b)[i]);
}

static void
dump_graph(const Plan *x, const char *pass, Buf *out)
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
		dump_text(x, pass, out);
	else if (pass)
		dump_graph(x, pass, out);
}
