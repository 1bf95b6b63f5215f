/* SPDX-License-Identifier: MIT */
/* A thread-local table that both the paths and the rest of their loops use. It may be a scratch pad
 * that is filled before it is read, as in nvcc's slow path of sinf; or its old contents are read,
 * and then no other lane may execute a path, and no lane may look ahead; or only the annotation's
 * clause says that it is a scratch pad. */
#include "tests/gen/inner.h"

enum { WORDS = 4 };     /* of it */

void
pad_begin(Gen *g)
{
	g->pad = fresh(g, B64);
	line(g, "mov.u64 \t%%rd%u, pad", g->pad);
	for (uint32_t k = 0; k < WORDS; k++)
		line(g, "st.local.u32 \t[%%rd%u+%u], %%r%u", g->pad, 4 * k, g->gid);
}

/* Computes a word's address from a number known at run time. */
static uint32_t
some_word(Gen *g)
{
	uint32_t k = expr_small(g, WORDS - 1), offset = fresh(g, B64), at = fresh(g, B64);

	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, 4", offset, k);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, g->pad, offset);
	return at;
}

static void
write_word(Gen *g, uint32_t k)
{
	line(g, "st.local.u32 \t[%%rd%u+%u], %%r%u", g->pad, 4 * k, value_any(g, B32));
}

/* by: register with a word's address; 0: the k-th word. */
static void
read_word(Gen *g, uint32_t by, uint32_t k)
{
	uint32_t r = fresh(g, B32);
	const Value read = { .ty = B32, .reg = r };

	line(g, "ld.local.u32 \t%%r%u, [%%rd%u+%u]", r, by ? by : g->pad, by ? 0 : 4 * k);
	value_add(g, B32, r, g->place == OUTSIDE ? FIXED : LOCAL);
	if (g->place == PATH || g->place == REST)
		stmt_store_value(g, &read);
}

static void
fill_word_by_word(Gen *g, uint32_t words)
{
	uint32_t first = below(g, WORDS);

	for (uint32_t k = 0; k < words; k++)
		write_word(g, (first + k) % WORDS);
}

/* Fills the table by a loop, like one that is too long to be unrolled. The address is an induction
 * variable, or computed from the index, which may have been widened. */
static void
fill_by_loop(Gen *g)
{
	uint32_t at = fresh(g, B64), wide = fresh(g, B64), i = fresh(g, B32), word = fresh(g, B32);
	uint32_t from = value_any(g, B32), p = fresh(g, PRED), head = label(g), form = below(g, 3);

	line(g, "mov.u64 \t%%rd%u, %%rd%u", at, g->pad);
	line(g, "mov.u32 \t%%r%u, 0", i);
	line(g, "mov.u64 \t%%rd%u, 0", wide);
	place_label(g, head);
	line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", word, from, i);
	if (form == 1) {
		line(g, "mul.wide.s32 \t%%rd%u, %%r%u, 4", at, i);
		line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, at, g->pad);
	} else if (form == 2) {
		line(g, "shl.b64 \t%%rd%u, %%rd%u, 2", at, wide);
		line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, g->pad, at);
	}
	line(g, "st.local.u32 \t[%%rd%u], %%r%u", at, word);
	if (form == 0)
		line(g, "add.s64 \t%%rd%u, %%rd%u, 4", at, at);
	if (form == 2)
		line(g, "cvt.u32.u64 \t%%r%u, %%rd%u", i, wide);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", i, i);
	if (form == 2)
		line(g, "cvt.s64.s32 \t%%rd%u, %%r%u", wide, i);
	line(g, "setp.%s.s32 \t%%p%u, %%r%u, %u", chance(g, 50) ? "ne" : "lt", p, i, WORDS);
	line(g, "@%%p%u bra \t$L%u", p, head);
}

/* Writes words, and reads them again. */
static void
scratch(Gen *g)
{
	if (chance(g, 30)) {
		uint32_t k = below(g, WORDS);
		write_word(g, k);
		read_word(g, 0, k);
		return;
	}
	if (chance(g, 50))
		fill_word_by_word(g, WORDS);
	else
		fill_by_loop(g);
	read_word(g, some_word(g), 0);
}

void
stmt_pad(Gen *g)
{
	if (g->said) {
		uint32_t at = some_word(g);
		line(g, "st.local.u32 \t[%%rd%u], %%r%u", at, value_any(g, B32));
		read_word(g, at, 0);
	} else if (!g->stale || g->unifies || chance(g, 60)) {
		scratch(g);
	} else if (chance(g, 30)) {
		fill_word_by_word(g, WORDS - 1);
		read_word(g, some_word(g), 0);
	} else if (chance(g, 50)) {
		write_word(g, below(g, WORDS));
	} else {
		read_word(g, chance(g, 50) ? some_word(g) : 0, below(g, WORDS));
	}
}
