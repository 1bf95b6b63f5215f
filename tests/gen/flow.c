/* SPDX-License-Identifier: MIT */
/* What flows out of a path: a value that it computes and the rest of the iteration reads. */
#include <stdio.h>
#include "tests/gen/inner.h"

/* One statement that writes the value, from what its owner has at the entry, or from what the path
 * itself computed of that. guard: 0 or a predicate. */
static void
write_owned(Gen *g, const Value *v, uint32_t guard)
{
	uint32_t from = v->ty == B32 && chance(g, 50) ? v->reg : chance(g, 50) ? g->item : g->gid;
	char at[24] = "";
	if (chance(g, 30)) {
		uint32_t t = fresh(g, B32);
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, 5, %%r%u", t, from, g->x);
		from = t;
	}
	if (guard)
		snprintf(at, sizeof at, "@%s%%p%u ", chance(g, 50) ? "!" : "", guard);
	if (v->ty == B32)
		line(g, "%sadd.s32 \t%%r%u, %%r%u, 7", at, v->reg, from);
	else
		line(g, "%smul.wide.u32 \t%%rd%u, %%r%u, 7", at, v->reg, from);
}

/* The same several times: its owner cannot tell how often, at least once. */
static void
write_in_loop(Gen *g, const Value *v)
{
	uint32_t trip = expr_small(g, 3), k = fresh(g, B32), p = fresh(g, PRED), head = label(g);
	line(g, "mov.u32 \t%%r%u, 0", k);
	place_label(g, head);
	write_owned(g, v, 0);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, k, trip);
	line(g, "@%%p%u bra \t$L%u", p, head);
}

/* Nothing else may write the value in the path, hence its kind then. */
Value *
flow_out(Gen *g, uint8_t *kind)
{
	g->place = REST;
	Value *v = chance(g, 20) ? value_to_write(g, chance(g, 60) ? B32 : B64) : NULL;
	g->place = PATH;
	if (!v)
		return NULL;
	*kind = v->kind;
	v->kind = FIXED;
	uint32_t how = below(g, 10), over = label(g);
	if (how == 0) {
		write_owned(g, v, expr_cond(g, 50));
	} else if (how == 1) {
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), over);
		write_owned(g, v, 0);
		place_label(g, over);
	} else if (how == 2) {
		write_in_loop(g, v);
	} else {
		write_owned(g, v, 0);
	}
	return v;
}

void
flow_out_truly(Gen *g)
{
	for (uint32_t i = 0; i < g->nvalues; i++) {
		uint32_t reg = g->values[i].reg;
		if (g->values[i].kind == CARRIED && g->values[i].ty == B32) {
			line(g, "xor.b32 \t%%r%u, %%r%u, %%r%u", reg, reg, value_any(g, B32));
			return;
		}
	}
}
