/* SPDX-License-Identifier: MIT */
/* A kernel with branches before which the threads of a block exchange work. Values computed by
 * paths are live-out and flow from one branch to the next; threads exit early, or leave loops
 * around a branch at different times. */
#include "tests/gen/inner.h"

static void
marker(Gen *g, const char *what, uint32_t number, uint32_t first)
{
	static const char *const clauses[] = { "", "", "", " threads(64)", " threads(100)",
		" policy(partition)" };
	const char *kind = number == first ? "remap" : "remap-else";

	buf_puts(g->body, "\t// begin inline asm\n");
	if (*what == 'b' && g->wordy && number == first) {
		buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u", kind, number, 10 + first);
		clauses_any(g, kind, 0);
		buf_puts(g->body, "\n");
	} else if (*what == 'b')
		buf_printf(g->body, "\t// .ccc begin %s %u \"gen.cu\":%u%s\n", kind, number,
			10 + first, number == first ? clauses[below(g, 6)] : "");
	else
		buf_printf(g->body, "\t// .ccc end %s %u\n", kind, number);
	buf_puts(g->body, "\t// end inline asm\n");
}

/* Possibly the thread has no work, or exits. */
static void
maybe_return(Gen *g, uint32_t percent)
{
	uint32_t p;

	if (!chance(g, percent))
		return;
	if (chance(g, 50)) {
		uint32_t few = fresh(g, B32);
		p = fresh(g, PRED);
		line(g, "and.b32 \t%%r%u, %%r%u, 255", few, g->n);
		line(g, "setp.ge.u32 \t%%p%u, %%r%u, %%r%u", p, g->gid, few);
	} else {
		p = expr_cond(g, 15);
	}
	line(g, "@%%p%u %s", p, chance(g, 70) ? "ret" : "exit");
}

/* Values that paths may write. */
static void
variables(Gen *g)
{
	for (uint32_t n = 1 + below(g, 5); n; n--) {
		Ty ty = expr_type(g);
		uint32_t r = fresh(g, ty);
		expr_to(g, ty, r);
		value_add(g, ty, r, CARRIED);
	}
}

static bool
sometimes(Gen *g, uint32_t percent)
{
	return (uint32_t)(gen_random(&g->more) >> 33) % 100 < percent;
}

static void chain(Gen *g, uint32_t depth);

/* depth: of branches around it. */
static void
path(Gen *g, uint32_t number, uint32_t first, uint32_t end, uint32_t depth)
{
	uint32_t scope = g->nvalues;

	marker(g, "begin", number, first);
	g->fuel += 6;
	if (depth < 3 && sometimes(g, 25)) {
		if (sometimes(g, 60))
			stmt_some(g, sometimes(g, 50) ? 8 : 1);
		chain(g, depth + 1);
	}
	stmt_some(g, 1 + below(g, 6));
	for (uint32_t n = below(g, 3); n; n--)
		stmt_write(g);
	if (chance(g, 40))
		stmt_last(g);
	marker(g, "end", number, first);
	if (chance(g, 20))
		stmt_write(g);
	line(g, "bra.uni \t$L%u", end);
	g->nvalues = scope;
}

/* if, else if, ... */
static void
chain(Gen *g, uint32_t depth)
{
	uint32_t n = 1 + below(g, chance(g, 85) ? 4 : 9), end = label(g), first = g->nmarkers,
		 scope = g->nvalues;
	bool otherwise = n > 1 && chance(g, 60);

	g->nmarkers += n;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t next = label(g);
		if (k && chance(g, 30))
			stmt_some(g, 1);
		if (k + 1 < n || !otherwise)
			line(g, "@%s%%p%u bra \t$L%u", chance(g, 30) ? "!" : "",
				expr_cond(g, 20 + below(g, 60)), next);
		path(g, first + k, first, end, depth);
		place_label(g, next);
	}
	if (!otherwise && chance(g, 40))
		stmt_write(g);
	place_label(g, end);
	g->nvalues = scope;
}

static void
in_loop(Gen *g)
{
	uint32_t head = label(g), over = label(g), k = fresh(g, B32), p = fresh(g, PRED),
		 trips = fresh(g, B32), scope = g->nvalues;
	bool alike = chance(g, 50);

	if (alike)
		line(g, "and.b32 \t%%r%u, %%r%u, 3", trips, g->n);
	else
		trips = expr_small(g, 3);
	line(g, "mov.u32 \t%%r%u, 0", k);
	value_add(g, B32, k, FIXED);
	place_label(g, head);
	g->fuel += 3;
	stmt_some(g, below(g, 3));
	if (alike && chance(g, 30))
		line(g, "bar.sync \t0");
	if (chance(g, 30))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30), over);
	chain(g, 1);
	place_label(g, over);
	if (chance(g, 40))
		stmt_write(g);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, k, trips);
	line(g, "@%%p%u bra \t$L%u", p, head);
	g->nvalues = scope;
}

/* Any statement, ordered by a key: small numbers, or large ones that are hashed. */
static void
keyed(Gen *g)
{
	uint32_t key = expr_small(g, 1 + below(g, 9)),
		 copy = fresh(g, B32), number = g->nmarkers++, scope;

	if (chance(g, 40))
		expr_to(g, B32, key = fresh(g, B32));
	else
		line(g, "add.u32 \t%%r%u, %%r%u, %u", key, key, below(g, 3));
	buf_puts(g->body, "\t// begin inline asm\n");
	line(g, "mov.b32 \t%%r%u, %%r%u", copy, key);
	buf_printf(g->body,
		"\t// begin inline asm\n\t// .ccc begin remap %u \"gen.cu\":%u%s paths(%u) key(%%r%u)\n\t// end inline asm\n",
		number, 10 + number, chance(g, 20) ? " threads(64)" : "",
		1 + below(g, chance(g, 70) ? 5 : 31), key);
	scope = g->nvalues;
	g->fuel += 6;
	stmt_some(g, 1 + below(g, 5));
	for (uint32_t n = 1 + below(g, 2); n; n--)
		stmt_write(g);
	stmt_last(g);
	g->nvalues = scope;
	marker(g, "end", number, number);
}

/* At the end of some kernels; the text before it is that of kernels without. */
static void
maybe_keyed(Gen *g)
{
	uint64_t state = g->state;
	uint32_t k, p, head;

	if ((uint32_t)(state >> 40) % 3 == 0) {
		keyed(g);
		if (chance(g, 40)) {
			k = fresh(g, B32), p = fresh(g, PRED), head = label(g);
			uint32_t trips = expr_small(g, 2);
			line(g, "mov.u32 \t%%r%u, 0", k);
			place_label(g, head);
			keyed(g);
			line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
			line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, k, trips);
			line(g, "@%%p%u bra \t$L%u", p, head);
		}
		stmt_last(g);
	}
	g->state = state;
}

void
remap_kernel(Gen *g)
{
	g->place = OUTSIDE;
	variables(g);
	if (chance(g, 20))
		line(g, "bar.sync \t0");
	maybe_return(g, 35);
	for (uint32_t n = 1 + below(g, 2); n; n--) {
		g->fuel += 4;
		stmt_some(g, below(g, 4));
		if (chance(g, 35))
			in_loop(g);
		else
			chain(g, 1);
		maybe_return(g, 15);
	}
	g->fuel += 2;
	stmt_some(g, below(g, 3));
	if (chance(g, 85))
		for (uint32_t n = 1 + below(g, 3); n; n--)
			stmt_last(g);
	maybe_keyed(g);
}
