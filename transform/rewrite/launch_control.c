/* SPDX-License-Identifier: MIT */
/* Cluster launch control for `grid(dynamic)` (PTX ISA 9.0, 9.7.13.17 and 9.7.13.18; CUDA
 * Programming Guide, "Work Stealing with Cluster Launch Control").
 *
 *   needs:    sm_100, PTX 8.6; the effects of all functions
 *   refuses:  loops and calls that may wait for another thread: all threads of a block wait for
 *             each other after each iteration, and collected paths run later. The loop then has
 *             the form without cluster launch control, as it has if its paths are refused for
 *             the placeholder's sake.
 *   correct because: docs/proofs/grid.md, G7 to G10; validate/grid/launch_control.c checks it.
 *   cost:     15 instructions an iteration, a wait of the block's warps for each other, 48 bytes
 *             of shared memory */
#include <string.h>
#include "analysis/progress/polling.h"
#include "transform/rewrite/launch_control.h"

const char *
launch_control_refuses(const Fn *fn)
{
	enum { LEAST = 86 };

	if (fn->m->version < LEAST)
		return "the PTX version is below 8.6";
	return polling_in_function(fn, POLLING_ANY) ? "a loop may wait for another thread" : NULL;
}

/* ---- the final text -------------------------------------------------------------------------- */

/* Returns the length of the prefix of the placeholder's names; 0: the statement is none. Kernels
 * with a task loop have no other volatile loads of shared memory. */
static size_t
placeholder_prefix(const Module *m, const Stmt *s, const char **prefix)
{
	static const char word[] = "slots";
	size_t len = 0, n = sizeof word - 1;

	if (s->kind != STMT_INSN || ptx_op(m, s) != OP_LD || !s->ordered ||
		ptx_space(m, s) != SPACE_SHARED)
		return 0;
	PTX_REFS(m, s, r)
		if (m->syms[r.sym].kind == SYM_VAR)
			*prefix = ptx_name(m, r.sym, &len);
	return len > n && memcmp(*prefix + len - n, word, n) == 0 ? len - n : 0;
}

static void
write_function(const Module *text, const Func *f, Tpl *t, uint32_t *number, Edits *e)
{
	static const char *const results[] = { "x", "y", "z", "more" };

	PTX_STMTS(f, i) {
		const Stmt *s = &text->stmts[i];
		const Opnd *to = &text->opnds[s->opnd];
		const char *prefix = NULL;
		size_t n = placeholder_prefix(text, s, &prefix);
		if (!n)
			continue;
		tpl_begin(t, arena_strndup(t->arena, prefix, n));
		tpl_value(t, "k", "%u", (*number)++);
		for (uint32_t r = 0; r < 4; r++)
			tpl_value(t, results[r], "%.*s", PTX_NAME(text, to[1 + r].sym));
		tpl_flag(t, "guarded", s->guard != 0);
		tpl_value(t, "guard", "%s%.*s", s->guard == 1 ? "!" : "", PTX_NAME(text, s->sym));
		tpl_write_section(t, "next");
		tpl_end(t);
		edit_replace(e, s->at, t->out.at + 1, t->out.n - 2); /* without tab and newline */
	}
}

void
launch_control_write(const Module *text, const Module *in, const Task_loop *of, Tpl_place omit,
	Edits *e)
{
	Arena *a = arena_new();
	uint32_t number = 0;
	Tpl t;

	tpl_init(&t, TEMPLATE_CANCEL, omit, a);
	for (uint32_t f = 1; f < text->nfuncs; f++) {
		uint32_t func = ptx_func_like(in, text, f);
		if (func && of[func].enabled && of[func].claims)
			write_function(text, &text->funcs[f], &t, &number, e);
	}
	tpl_release(&t);
	arena_free(a);
}
