/* SPDX-License-Identifier: MIT */
/* Contexts are names here: there is one device with one memory. But a program that has none current
 * where it needs one fails as on a GPU. The runtime makes the primary one current by itself. */
#include "driver/rt/rt.h"

enum { DEPTH = 64 };

static struct CUctx_st primary = { .primary = true };
static _Thread_local struct { Context *at[DEPTH]; uint32_t n; } stack;

Context *context_primary(void) { return &primary; }

Context *
context_new(unsigned flags)
{
	Context *c = xmalloc(sizeof *c);
	*c = (Context){ .flags = flags };
	return c;
}

Context *context_current(void) { return stack.n ? stack.at[stack.n - 1] : NULL; }

bool
context_push(Context *c)
{
	if (stack.n == DEPTH)
		return false;
	stack.at[stack.n++] = c;
	return true;
}

Context *context_pop(void) { return stack.n ? stack.at[--stack.n] : NULL; }

void
context_use(void)
{
	if (context_current())
		return;
	(void)context_pop();
	(void)context_push(&primary);
	if (!primary.retained)
		primary.retained = 1;
}
