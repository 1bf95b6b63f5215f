/* SPDX-License-Identifier: MIT */
/* Statements of paths that end the thread or the grid under a condition that never holds: as
 * nvcc compiles __trap(), assert() and inline assembly. __builtin_assume() and
 * __builtin_unreachable() leave no instruction in nvcc's PTX. */
#include "tests/gen/inner.h"

/* A predicate that never holds. */
static uint32_t
never(Gen *g)
{
	uint32_t r = fresh(g, B32), p = fresh(g, PRED);

	line(g, "and.b32 \t%%r%u, %%r%u, 63", r, value_any(g, B32));
	line(g, "setp.eq.u32 \t%%p%u, %%r%u, 64", p, r);
	return p;
}

/* As in asm("... @q OP;"), where each copy declares its own q. */
static void
in_braces(Gen *g, const char *op)
{
	uint32_t r = fresh(g, B32);

	line(g, "and.b32 \t%%r%u, %%r%u, 63", r, value_any(g, B32));
	buf_printf(g->body, "\t{.reg .pred q; setp.gt.u32 q, %%r%u, 63; @q %s;}\n", r, op);
}

static void
failed_assertion(Gen *g)
{
	static const char *const types[] = { "b64", "b64", "b32", "b64", "b64" };

	buf_puts(g->body, "\t{\n");
	for (uint32_t k = 0; k < 5; k++) {
		line(g, ".param .%s param%u", types[k], k);
		line(g, "st.param.%s \t[param%u+0], 1", types[k], k);
	}
	line(g, "call.uni __assertfail, (param0, param1, param2, param3, param4)");
	buf_puts(g->body, "\t}\n");
}

void
stmt_end(Gen *g)
{
	uint32_t how = below(g, 10), over = label(g), p = 0;

	if (how < 3) {
		in_braces(g, how == 0 && g->exits ? "exit" : "trap");
		return;
	}
	p = never(g);
	if (how < 5) {
		line(g, "@%%p%u trap", p);
		return;
	}
	line(g, "not.pred \t%%p%u, %%p%u", p, p);
	line(g, "@%%p%u bra \t$L%u", p, over);
	if (how < 8)
		line(g, "trap");
	else
		failed_assertion(g);
	place_label(g, over);
}
