/* SPDX-License-Identifier: MIT */
/* Register limits for kernels with a transformed loop. See register_budget.h.
 *
 * For block sizes: a launch fails if its registers exceed those of a multiprocessor. So a kernel
 * that takes more than its largest previous block size allows is limited to that number, whatever
 * is spilled; if that does not help, its loops are left unchanged. With launch bounds ptxas takes
 * care of it.
 *
 * For occupancy: the CCC paper keeps the theoretical occupancy, which depends on registers. They
 * are allocated in units of eight per thread, so one too many may cost a fourth of the warps. If
 * the next lower unit restores the original's occupancy, and ptxas spills no more than in the
 * original kernel, the kernel gets that limit: ptxas only shortens live ranges and recomputes
 * values if it must. Larger reductions are not tried; they tend to spill.
 *
 * Kernels whose lanes draw iterations are not limited, since more warps leave fewer iterations to
 * draw for each. Kernels that call functions are not limited for occupancy, because ptxas reports
 * spills in those separately. Kernels that call functions outside the module, or by pointer, must
 * not be limited at all: nvlink rejects a kernel with a limit that calls a function with more
 * registers.
 *
 * For chosen block sizes (block_size.c): larger blocks run the original loop with the registers of
 * the transformed one. If the kernel loses more than a quarter of its resident warps, in blocks of
 * that size or, without a profile of the launches, in blocks of twice that size, a smaller size is
 * tried. The limit for occupancy is also used if it restores three quarters.
 *
 * For streams: data from behind the caches arrive at full speed only if enough warps wait for them.
 * A loop for which that bounds the estimate, and which would lose by the warps that its registers
 * and shared memory cost, is left unchanged, unless its policy was named.
 *
 * Only kernels with new limits are assembled again; if a limit is undone, the previous result is
 * valid again. */
#include "analysis/cost/occupancy.h"
#include "transform/output/register_budget.h"

/* USUAL: assumed threads of a block if larger blocks are possible */
enum { USUAL = 256, WARP = 32, UNIT = 8 };
/* quarters of its resident warps that a kernel keeps if `auto` chose a block size */
enum { QUARTERS = 3 };

void
register_limits_init(Register_limits *h, const Module *m, const Pass_options *opt,
	const Effects *effects, Arena *a)
{
	uint32_t n = m->nfuncs;

	*h = (Register_limits){ .m = m, .opt = opt, .effects = effects, .arena = a };
	h->changed = bits_new(a, n);
	h->asked = bits_new(a, n);
	h->before = arena_array(a, n, sizeof *h->before);
	h->after = arena_array(a, n, sizeof *h->after);
	h->unlimited = arena_array(a, n, sizeof *h->unlimited);
	h->max_registers = arena_array(a, n, sizeof *h->max_registers);
	h->why = arena_array(a, n, sizeof *h->why);
	h->refused = arena_array(a, n, sizeof *h->refused);
	h->block_bound = arena_array(a, n, sizeof *h->block_bound);
}

/* ---- block sizes ----------------------------------------------------------------------------- */

/* Leaves the loops of a kernel, and of all functions that it may call, unchanged. */
static void
refuse_kernel(Register_limits *h, uint32_t kernel, const char *why)
{
	Bits seen = bits_new(h->arena, h->m->nfuncs);

	effects_flood_any(h->m, h->effects, kernel, seen);
	BITS_EACH(f, seen)
		h->refused[f] = why;
	bits_copy(h->asked, h->changed); /* others may call them */
}

static const char *
refuse_warps(const Register_limits *h, uint32_t now, uint32_t was)
{
	Buf b = { 0 };

	buf_printf(&b,
		"with it %u warps of a multiprocessor are resident instead of %u, too few for a loop that waits for memory",
		now, was);
	const char *why = arena_strndup(h->arena, b.at, b.n);
	buf_free(&b);
	return why;
}

static const char *
refuse_register_count(const Register_limits *h, uint32_t kernel, uint32_t warps)
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
limit_kernel(Register_limits *h, uint32_t f, uint32_t most, Limit_reason why)
{
	h->unlimited[f] = h->after[f];
	h->max_registers[f] = most;
	h->why[f] = why;
	bits_set(h->asked, f);
}

/* Returns true if the kernel lost a launchable block size. */
static bool
limit_for_block_size(Register_limits *h, uint32_t f)
{
	const Func *k = &h->m->funcs[f];
	uint32_t warps = registers_max_warps(h->before[f].used);

	if (k->maxntid[0] || k->reqntid[0] || registers_max_warps(h->after[f].used) >= warps)
		return false;
	if (h->why[f] == LIMIT_FOR_BLOCK_SIZE || h->effects->func[f] & (EFF_EXTERN | EFF_INDIRECT))
		refuse_kernel(h, f, refuse_register_count(h, f, warps));
	else
		limit_kernel(h, f, registers_max_per_thread(warps), LIMIT_FOR_BLOCK_SIZE);
	return true;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* Returns the threads of the largest possible block, or USUAL if that is smaller, rounded up to
 * warps. */
static uint32_t
usual_block(const Func *k)
{
	const uint32_t *n = k->reqntid[0] ? k->reqntid : k->maxntid;
	uint64_t all = (uint64_t)n[0] * n[1] * n[2];

	return all == 0 || all > USUAL ? USUAL : (uint32_t)(all + WARP - 1) / WARP * WARP;
}

static uint32_t
resident_warps(const Register_limits *h, uint32_t registers, uint32_t shared, uint32_t block)
{
	Occupancy o = occupancy_of(h->m->target, registers, shared);

	return occupancy_blocks(&o, block) * (block / WARP);
}

/* Whether `auto` chose the block size of a loop that the kernel may run. */
static bool
has_chosen_size(const Register_limits *h, const Report *r, uint32_t f)
{
	Bits seen = bits_new(h->arena, h->m->nfuncs);
	bool any = false;

	effects_flood_any(h->m, h->effects, f, seen);
	for (uint32_t i = 0; i < r->sites.n; i++)
		any |= r->sites.at[i].done && r->sites.at[i].code.chosen_threads &&
			bits_has(seen, r->sites.at[i].func);
	return any;
}

/* At this register limit, whether occupancy rises to this many quarters of the original's, without
 * exceeding it. */
static bool
limit_raises_occupancy(
	const Register_limits *h, uint32_t f, uint32_t registers, uint32_t quarters)
{
	const Kernel_registers *a = &h->after[f], *b = &h->before[f];
	uint32_t block = usual_block(&h->m->funcs[f]),
		 now = resident_warps(h, a->used, a->shared, block),
		 then = resident_warps(h, registers, a->shared, block),
		 was = resident_warps(h, b->used, b->shared, block);

	/* more shared memory may account for the rest of the difference */
	return now < was && now < then &&
		(4 * then >= quarters * was || then == resident_warps(h, UNIT, a->shared, block));
}

static bool
kernel_has_no_calls(const Register_limits *h, uint32_t f)
{
	const Effects *e = h->effects;

	return e->callee_of[f] == e->callee_of[f + 1] && !(e->func[f] & EFF_INDIRECT);
}

/* Whether lanes of the kernel draw iterations. */
static bool
kernel_draws_iterations(const Report *r, uint32_t f)
{
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		for (uint32_t k = 0; s->func == f && k < s->nregions; k++)
			if (s->regions[k].is_drawn)
				return true;
	}
	return false;
}

/* Returns true if the kernel's limit was set or undone. */
static bool
limit_for_occupancy(Register_limits *h, const Report *r, uint32_t f)
{
	uint32_t most = h->after[f].used ? (h->after[f].used - 1) / UNIT * UNIT : 0;
	uint32_t quarters = has_chosen_size(h, r, f) ? QUARTERS : 4;

	if (h->why[f] == LIMIT_FOR_OCCUPANCY &&
		(h->after[f].used > h->max_registers[f] ||
			h->after[f].spilled > h->before[f].spilled)) {
		h->why[f] = LIMIT_DROPPED;
		h->max_registers[f] = 0;
		h->after[f] = h->unlimited[f];
		return true;
	}
	if (h->why[f] || h->opt->ignore_occupancy || h->opt->max_regs || !most ||
		!h->before[f].used || !kernel_has_no_calls(h, f) || kernel_draws_iterations(r, f) ||
		!limit_raises_occupancy(h, f, most, quarters))
		return false;
	limit_kernel(h, f, most, LIMIT_FOR_OCCUPANCY);
	return true;
}

/* ---- chosen block sizes ---------------------------------------------------------------------- */

/* Whether the kernel keeps most of its resident warps in blocks of n threads. */
static bool
keeps_most_warps(const Register_limits *h, uint32_t f, uint32_t n)
{
	const Kernel_registers *a = &h->after[f], *b = &h->before[f];
	uint32_t block = (n + WARP - 1) / WARP * WARP;

	return 4 * resident_warps(h, a->used, a->shared, block) >=
		QUARTERS * resident_warps(h, b->used, b->shared, block);
}

/* Returns true if loops that the kernel may run must be planned again, for smaller blocks than
 * chosen. */
static bool
refuse_chosen_sizes(Register_limits *h, const Report *r, uint32_t f)
{
	Bits seen = bits_new(h->arena, h->m->nfuncs);
	bool any = false;

	if (h->opt->ignore_occupancy || !h->before[f].used || !h->after[f].used)
		return false;
	effects_flood_any(h->m, h->effects, f, seen);
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		uint32_t n = s->code.threads;
		if (!s->done || !s->code.chosen_threads || !bits_has(seen, s->func) ||
			(keeps_most_warps(h, f, n) &&
				(s->code.profiled_threads || keeps_most_warps(h, f, 2 * n))))
			continue;
		h->block_bound[s->func] = n;
		any = true;
	}
	if (!any)
		return false;
	h->why[f] = LIMIT_NONE;
	h->max_registers[f] = 0;
	bits_copy(h->asked, h->changed); /* others may call them */
	return true;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Whether the loop, whose kernel keeps this share of its resident warps, would take longer than the
 * original because fewer warps wait for memory. */
static bool
loop_is_starved(const Report_site *s, double kept)
{
	return s->done && s->noptions && s->gain.measured && s->gain.after > 0 &&
		s->gain.streamed / kept > s->gain.before;
}

/* Returns true if loops of the kernel are left unchanged for that. */
static bool
refuse_starved_loops(Register_limits *h, const Report *r, uint32_t f)
{
	const Kernel_registers *a = &h->after[f], *b = &h->before[f];
	uint32_t block = usual_block(&h->m->funcs[f]);
	bool any = false;

	if (h->opt->ignore_occupancy || h->opt->auto_mode != AUTO_BEST || !b->used || !a->used)
		return false;
	uint32_t was = resident_warps(h, b->used, b->shared, block),
		 now = resident_warps(h, a->used, a->shared, block);
	for (uint32_t i = 0; i < r->sites.n; i++)
		any |= r->sites.at[i].func == f && now > 0 && now < was &&
			loop_is_starved(&r->sites.at[i], (double)now / was);
	if (any)
		refuse_kernel(h, f, refuse_warps(h, now, was));
	return any;
}

/* ---- comparison ------------------------------------------------------------------------------ */

bool
register_limits_update(Register_limits *h, const Report *r)
{
	bool again = false;

	bits_clear(h->asked);
	BITS_EACH(f, h->changed)
		if (h->m->funcs[f].entry && !h->refused[f])
			again |= limit_for_block_size(h, f) || limit_for_occupancy(h, r, f) ||
				refuse_chosen_sizes(h, r, f) || refuse_starved_loops(h, r, f);
	return again;
}

/* Returns the annotation that identifies a kernel in messages: its first loop's. */
static Cuda_pos
kernel_place(const Report *r, uint32_t kernel)
{
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].func == kernel)
			return r->sites.at[i].loop;
	return (Cuda_pos){ 0 };
}

static void
report_block_limit(const Register_limits *h, const Report *r, Diags *d)
{
	BITS_EACH(f, h->changed) {
		if (h->why[f] != LIMIT_FOR_BLOCK_SIZE || h->refused[f])
			continue;
		diag_cuda(d, D_MAXNREG, kernel_place(r, f), DIAG_NOWHERE,
			"kernel '%.*s' takes %u registers a thread instead of %u: limited to %u, so that blocks of %u threads can still be launched",
			PTX_NAME(h->m, h->m->funcs[f].sym), h->unlimited[f].used, h->before[f].used,
			h->max_registers[f], WARP * registers_max_warps(h->before[f].used));
		if (h->after[f].spilled > h->before[f].spilled)
			diag_note(d, DIAG_NOWHERE,
				"ptxas stores %u bytes a thread in local memory for that",
				h->after[f].spilled);
		diag_note(d, DIAG_NOWHERE, "say __launch_bounds__(N) if blocks are smaller");
	}
}

static Report_machine
machine_of_registers(const Register_limits *h, const Kernel_registers *r, uint32_t block)
{
	return (Report_machine){ .registers = r->used,
		.spilled = r->spilled,
		.warps = resident_warps(h, r->used, r->shared, block) };
}

void
register_limits_report(const Register_limits *h, Report *r, Diags *d)
{
	report_block_limit(h, r, d);
	for (uint32_t i = 0; i < r->sites.n; i++) {
		Report_site *s = &r->sites.at[i];
		uint32_t f = s->func;
		if (!s->done || !h->before[f].used || !h->after[f].used)
			continue;
		uint32_t most = (s->code.threads + WARP - 1) / WARP * WARP,
			 usual = usual_block(&h->m->funcs[f]),
			 block = most < usual ? most : usual;
		s->resources = (Report_resources){
			.before = machine_of_registers(h, &h->before[f], block),
			.after = machine_of_registers(h, &h->after[f], block),
			.block = block,
		};
		if (h->max_registers[f] && !h->refused[f])
			s->resources.unheld = machine_of_registers(h, &h->unlimited[f], block);
	}
}
