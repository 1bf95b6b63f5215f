/* CCC: the buffer's layout and size (docs/design.md 6.5).
 *
 * A warp's part holds, row by row, 32 slots of each context value, so that consecutive lanes meet
 * consecutive banks; rows of wide values come first, so that each is aligned to its own size.
 * Predicates share one row of 32-bit words, a bit each. All sites of a function share one buffer:
 * only a group that holds lane 0 uses it, and lane 0 is in one loop at a time. But warps are in
 * different loops at a time, so all sites part the buffer among the warps in the same way, by the
 * largest site's need.
 */
#include "transform/ccc.h"

static void
place_rows(Ccc *c)
{
	static const uint8_t sizes[] = { 16, 8, 4, 2, 1 };
	uint32_t at = 0;
	for (uint32_t k = 0; k < sizeof sizes; k++) {
		for (uint32_t i = 0; i < c->nslots; i++)
			if (c->slots[i].size == sizes[k]) {
				c->slots[i].row = at;
				at += sizes[k] * CCC_WARP;
			}
		for (uint32_t i = 0; sizes[k] == 4 && i < c->nslots; i++)
			if (c->slots[i].size == 0) {
				if (c->npreds % 32 == 0) {
					c->preds_row = c->npreds ? c->preds_row : at;
					at += 4 * CCC_WARP;
				}
				c->slots[i].bit = (uint8_t)(c->npreds % 32);
				c->slots[i].row = c->preds_row + c->npreds++ / 32 * 4 * CCC_WARP;
			}
	}
	c->warp_bytes = at;
}

/* The largest block that launches of this function can have, as far as PTX, clause and option
 * tell. */
static void
find_threads(Ccc *c)
{
	const Func *f = c->fn->f;
	const uint32_t *ntid = f->reqntid[0] ? f->reqntid : f->maxntid;
	c->launch_dims = 3;
	uint64_t n = (uint64_t)ntid[0] * ntid[1] * ntid[2];
	if (n) {
		c->threads = n < CCC_MAX_BLOCK ? (uint32_t)n : CCC_MAX_BLOCK;
		if (f->reqntid[0])
			c->launch_dims = f->reqntid[2] > 1 ? 3 : f->reqntid[1] > 1 ? 2 : 1;
		return;
	}
	if (c->threads == 0)
		c->threads = c->opt->threads ? c->opt->threads : CCC_MAX_BLOCK;
	if (c->threads > CCC_MAX_BLOCK)
		c->threads = CCC_MAX_BLOCK;
	c->check_threads = c->threads < CCC_MAX_BLOCK;
}

bool
ccc_layout(Ccc *c, uint32_t free_shared)
{
	place_rows(c);
	find_threads(c);
	if (c->warp_bytes > free_shared)
		return ccc_refuse(c, D_SHARED, DIAG_NOWHERE,
			"a warp's tasks need %u bytes of shared memory, and %u are left",
			c->warp_bytes, free_shared);
	return true;
}

void
ccc_share(const Ccc *c, Ccc_buffer *b)
{
	uint32_t warps = (c->threads + CCC_WARP - 1) / CCC_WARP;
	b->stride = c->warp_bytes > b->stride ? c->warp_bytes : b->stride;
	b->warps = warps > b->warps ? warps : b->warps;
}

uint32_t
ccc_fit(Ccc_buffer *b, uint32_t free_shared)
{
	if (b->stride && b->stride * b->warps > free_shared)
		b->warps = free_shared / b->stride;
	return b->stride * b->warps;
}

void
ccc_limit(Ccc *c, const Ccc_buffer *b)
{
	if (!c->warp_bytes || c->threads <= b->warps * CCC_WARP)
		return;
	c->threads = b->warps * CCC_WARP;
	c->check_threads = true;
	ccc_warn(c, D_SHARED, DIAG_NOWHERE,
		"shared memory holds the tasks of %u threads a block: larger blocks run the loop as it was",
		c->threads);
	diag_note(c->diags, DIAG_NOWHERE,
		"say 'threads(N)' or __launch_bounds__ if blocks are smaller");
}
