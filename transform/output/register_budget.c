/* SPDX-License-Identifier: MIT */
/* How many registers a kernel may take that has a transformed loop. See register_budget.h.
 *
 * For its blocks: a launch fails for want of registers, so a kernel that takes more than the
 * largest block leaves with which it could be launched is held to as many, whatever is spilled for
 * it; if that does not help, its loops are left as they were. With launch bounds ptxas sees to it.
 *
 * For room: the CCC paper keeps the theoretical occupancy, and registers are a part of it. A
 * thread's are allocated by eights, so one too many may cost a fourth of the warps. Where with the
 * next fewer eights as many warps have room as before, and ptxas spills no more for that than in
 * the kernel as it was, the kernel is held to it: ptxas finds shorter lives, and values that it can
 * compute again, only where it is told to. Of the kernels of bench/ that lose warps none came
 * through without spilling that had to go down by more, so nobody asks there.
 *
 * Measured (H100): the ray tracer gains 1 to 3 % (38 registers to 32), but the path tracer, whose
 * lanes draw iterations, loses 3 to 5 % (38 to 32), perhaps since with more warps each has fewer
 * iterations to draw from. So kernels that draw are not held.
 *
 * Kernels that call functions are not held for room: what is spilled in those is not told of the
 * kernel. Those that call functions that are not in the module, or by pointer, must not be held at
 * all: nvlink refuses a kernel with a limit that calls one which takes more.
 *
 * Cost: an assembler is asked again about kernels that are held, and about no others; if in vain,
 * what it said before holds.
 */
#include "analysis/cost/occupancy.h"
#include "transform/output/register_budget.h"

/* USUAL: threads of the block that room is told for, where blocks may have so many */
enum { USUAL = 256, WARP = 32, UNIT = 8 };

void
held_init(Held *h, const Module *m, const Pass_options *opt, const Effects *effects, Arena *a)
{
	uint32_t n = m->nfuncs;

	*h = (Held){ .m = m, .opt = opt, .effects = effects, .arena = a };
	h->changed = bits_new(a, n);
	h->asked = bits_new(a, n);
	h->before = arena_array(a, n, sizeof *h->before);
	h->after = arena_array(a, n, sizeof *h->after);
	h->free = arena_array(a, n, sizeof *h->free);
	h->most = arena_array(a, n, sizeof *h->most);
	h->why = arena_array(a, n, sizeof *h->why);
	h->leave = arena_array(a, n, sizeof *h->leave);
}

/* ---- for blocks ------------------------------------------------------------------------------ */

/* Leaves the loops of a kernel, and of the functions that it can come to call, as they were. */
static void
leave(Held *h, uint32_t kernel, const char *why)
{
	Bits seen = bits_new(h->arena, h->m->nfuncs);

	effects_flood_any(h->m, h->effects, kernel, seen);
	BITS_EACH(f, seen)
		h->leave[f] = why;
	bits_copy(h->asked, h->changed); /* others may call them */
}

static const char *
too_many(const Held *h, uint32_t kernel, uint32_t warps)
{
	Buf b = { 0 };

	buf_printf(&b,
		"with it the kernel takes %u registers a thread instead of %u, too many for blocks of %u threads",
		h->after[kernel].used, h->before[kernel].used, WARP * warps);
	const char *why = arena_strndup(h->arena, b.at, b.n);
	buf_free(&b);
	return why;
}

static void
hold(Held *h, uint32_t f, uint32_t most, Held_for why)
{
	h->free[f] = h->after[f];
	h->most[f] = most;
	h->why[f] = why;
	bits_set(h->asked, f);
}

/* True: it lost blocks that it could be launched with. */
static bool
for_blocks(Held *h, uint32_t f)
{
	const Func *k = &h->m->funcs[f];
	uint32_t warps = registers_warps(h->before[f].used);

	if (k->maxntid[0] || k->reqntid[0] || registers_warps(h->after[f].used) >= warps)
		return false;
	if (h->why[f] == HELD_FOR_BLOCKS || h->effects->func[f] & (EFF_EXTERN | EFF_INDIRECT))
		leave(h, f, too_many(h, f, warps));
	else
		hold(h, f, registers_most(warps), HELD_FOR_BLOCKS);
	return true;
}

/* ---- for room -------------------------------------------------------------------------------- */

/* Threads of a block that is the largest with these bounds, or the usual one, in whole warps. */
static uint32_t
usual_block(const Func *k)
{
	const uint32_t *n = k->reqntid[0] ? k->reqntid : k->maxntid;
	uint64_t all = (uint64_t)n[0] * n[1] * n[2];

	return all == 0 || all > USUAL ? USUAL : (uint32_t)(all + WARP - 1) / WARP * WARP;
}

static uint32_t
warps(const Held *h, uint32_t registers, uint32_t shared, uint32_t block)
{
	Occupancy o = occupancy_of(h->m->target, registers, shared);

	return occupancy_blocks(&o, block) * (block / WARP);
}

/* Would the kernel have room for more warps, but not for more than before, with so many
 * registers? */
static bool
helps(const Held *h, uint32_t f, uint32_t registers)
{
	const Registers *a = &h->after[f], *b = &h->before[f];
	uint32_t block = usual_block(&h->m->funcs[f]),
		 now = warps(h, a->used, a->shared, block),
		 then = warps(h, registers, a->shared, block),
		 was = warps(h, b->used, b->shared, block);

	/* more shared memory may be all that is in the way of the rest */
	return now < was && now < then &&
		(then >= was || then == warps(h, UNIT, a->shared, block));
}

static bool
calls_nothing(const Held *h, uint32_t f)
{
	const Effects *e = h->effects;

	return e->callee_of[f] == e->callee_of[f + 1] && !(e->func[f] & EFF_INDIRECT);
}

/* Do lanes of the kernel draw iterations from those of their warp? */
static bool
draws(const Report *r, uint32_t f)
{
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		for (uint32_t k = 0; s->func == f && k < s->nparts; k++)
			if (s->parts[k].drawn)
				return true;
	}
	return false;
}

/* True: it is to be held, or not any more. */
static bool
for_room(Held *h, const Report *r, uint32_t f)
{
	uint32_t most = h->after[f].used ? (h->after[f].used - 1) / UNIT * UNIT : 0;

	if (h->why[f] == HELD_FOR_ROOM &&
		(h->after[f].used > h->most[f] || h->after[f].spilled > h->before[f].spilled)) {
		h->why[f] = HELD_IN_VAIN;
		h->most[f] = 0;
		h->after[f] = h->free[f];
		return true;
	}
	if (h->why[f] || h->opt->ignore_occupancy || h->opt->max_regs || !most ||
		!h->before[f].used || !calls_nothing(h, f) || draws(r, f) || !helps(h, f, most))
		return false;
	hold(h, f, most, HELD_FOR_ROOM);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool
held_compare(Held *h, const Report *r)
{
	bool again = false;

	bits_clear(h->asked);
	BITS_EACH(f, h->changed)
		if (h->m->funcs[f].entry && !h->leave[f])
			again |= for_blocks(h, f) || for_room(h, r, f);
	return again;
}

/* The annotation by which a kernel is known: its first loop's. */
static Cuda_pos
place(const Report *r, uint32_t kernel)
{
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].func == kernel)
			return r->sites.at[i].loop;
	return (Cuda_pos){ 0 };
}

static void
tell_blocks(const Held *h, const Report *r, Diags *d)
{
	BITS_EACH(f, h->changed) {
		if (h->why[f] != HELD_FOR_BLOCKS || h->leave[f])
			continue;
		diag_cuda(d, D_MAXNREG, place(r, f), DIAG_NOWHERE,
			"kernel '%.*s' takes %u registers a thread instead of %u: limited to %u, so that blocks of %u threads can still be launched",
			PTX_NAME(h->m, h->m->funcs[f].sym), h->free[f].used, h->before[f].used,
			h->most[f], WARP * registers_warps(h->before[f].used));
		if (h->after[f].spilled > h->before[f].spilled)
			diag_note(d, DIAG_NOWHERE,
				"ptxas stores %u bytes a thread in local memory for that",
				h->after[f].spilled);
		diag_note(d, DIAG_NOWHERE, "say __launch_bounds__(N) if blocks are smaller");
	}
}

static Report_machine
machine(const Held *h, const Registers *r, uint32_t block)
{
	return (Report_machine){ .registers = r->used,
		.spilled = r->spilled,
		.warps = warps(h, r->used, r->shared, block) };
}

void
held_tell(const Held *h, Report *r, Diags *d)
{
	tell_blocks(h, r, d);
	for (uint32_t i = 0; i < r->sites.n; i++) {
		Report_site *s = &r->sites.at[i];
		uint32_t f = s->func;
		if (!s->done || !h->before[f].used || !h->after[f].used)
			continue;
		s->block = s->threads >= USUAL ? USUAL : (s->threads + WARP - 1) / WARP * WARP;
		s->before = machine(h, &h->before[f], s->block);
		s->after = machine(h, &h->after[f], s->block);
		if (h->most[f] && !h->leave[f])
			s->unheld = machine(h, &h->free[f], s->block);
	}
}
