/* SPDX-License-Identifier: MIT */
/* Contexts. There is one device with one memory, so contexts are only names. However, a program
 * that needs a current context and has none fails as on a GPU. The runtime makes the primary
 * context current automatically. */
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
