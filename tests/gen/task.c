/* SPDX-License-Identifier: MIT */
/* A kernel in which each thread executes one task: the item of its own number, with paths
 * outside of loops. The markers or the options request a task loop. */
#include "tests/gen/inner.h"

/* Possibly the thread has no task, or exits. */
static void
maybe_return(Gen *g, uint32_t percent)
{
	uint32_t p;

	if (!chance(g, percent))
		return;
	if (chance(g, 50)) {
		p = fresh(g, PRED);
		line(g, "setp.ge.u32 \t%%p%u, %%r%u, %%r%u", p, g->gid, g->n);
	} else {
		p = expr_cond(g, 20);
	}
	line(g, "@%%p%u %s", p, chance(g, 70) ? "ret" : "exit");
}

/* tail: where a section of it may be placed, after the kernel's last return. */
static void
path(Gen *g, uint32_t marker, Buf *tail)
{
	Buf *body = g->body;
	uint32_t scope = g->nvalues, at = g->at, over = label(g), far = label(g);
	bool away = chance(g, 20);

	line(g, "@%s%%p%u bra \t$L%u", chance(g, 30) ? "!" : "", expr_cond(g, 10 + below(g, 80)),
		away ? far : over);
	if (away) {
		line(g, "bra.uni \t$L%u", over);
		g->body = tail;
		place_label(g, far);
	}
	stmt_marker(g, "begin", "if", marker);
	g->place = PATH;
	g->fuel += 8;
	stmt_some(g, 2 + below(g, 10));
	if (g->calls)
		stmt_call(g);
	stmt_store(g);
	stmt_marker(g, "end", "if", marker);
	if (away)
		line(g, "bra.uni \t$L%u", over);
	g->body = body;
	place_label(g, over);
	g->place = REST;
	g->nvalues = scope;
	g->at = at;
	values_bury(g);
}

void
task_kernel(Gen *g, bool asks, Buf *tail)
{
	uint32_t marker = g->nmarkers;

	g->nmarkers += 3;
	g->paths = chance(g, 85) ? 1 : 2;
	g->plain = chance(g, 50);
	g->words = g->out;
	if (asks)
		stmt_marker(g, "begin", "grid", marker);
	maybe_return(g, 30);
	g->place = PROLOG;
	g->item = g->gid;
	stmt_address(g);
	stmt_some(g, 1 + below(g, 6));
	if (g->calls && chance(g, 50))
		stmt_call(g);
	maybe_return(g, 30);
	for (g->path = 0; g->path < g->paths; g->path++) {
		path(g, marker + 1 + g->path, tail);
		stmt_some(g, below(g, 4));
		maybe_return(g, 10);
	}
	g->path = 0;
	stmt_last(g);
}
