/* SPDX-License-Identifier: MIT */
/* Counts executions of profile points: annotated paths and inner loops
 * (analysis/region/profile_points.h).
 *
 * Pseudo-instructions without issue slots count at each place. Lanes that arrive together are
 * counted together, so the counts depend on the schedule. The trips of an inner loop and the
 * executions of a block are counted per lane, and added when the lane leaves the loop, or the
 * region that contains the block. The maximum over the lanes that entered together is added too, in
 * parts: each lane that leaves adds the amount by which it raises the maximum. For each block, a
 * lane remembers the count it added last, until it has executed the region again or calls the
 * function anew. A launch begins with the grid's first thread.
 */
#include <string.h>
#include "analysis/analyse.h"
#include "simt/decode/profile_counts.h"
#include "simt/memory/cache_model.h"

typedef enum {
	EVENT_REACH,
	EVENT_EXIT,
	EVENT_ITERATION,
	EVENT_ENTER,
	EVENT_TRIP,
	EVENT_GROUP,
	EVENT_LEAVE,
	EVENT_KINDS
} Point_event;

/* Per-lane values of counter k. */
static uint32_t *
lane_trip_counts(Warp *w, uint32_t k)
{
	uint32_t n = w->sim->profile.ncounters;

	if (!w->trips)
		w->trips = memset(xmalloc(n * LANES * sizeof *w->trips), 0,
			n * LANES * sizeof *w->trips);
	return w->trips + (size_t)(k - 1) * LANES;
}

static void
on_reach(Warp *w, const Inst *i, uint32_t lanes)
{
	Execution_counts *f = &w->sim->profile.points.at[i->imm].counts;

	f->entries += count_bits(lanes);
	f->warp_entries++;
}

static void
on_exit_code(Warp *w, const Inst *i, uint32_t lanes)
{
	Execution_counts *f = &w->sim->profile.points.at[i->imm].counts;

	f->exits += count_bits(lanes);
	f->warp_exits++;
}

static void
on_iteration(Warp *w, const Inst *i, uint32_t lanes)
{
	Execution_counts *f = &w->sim->profile.points.at[i->imm].counts;

	f->iterations += count_bits(lanes);
	f->warp_iterations++;
}

/* Gives the lanes that enter together an unused number; its maxima become 0. */
static void
begin_entry(Warp *w, const Sim_profile_point *c, uint32_t lanes)
{
	uint32_t *entry = lane_trip_counts(w, c->entry), used = 0;

	for EACH_LANE(l, ~lanes)
		used |= entry[l] ? UINT32_C(1) << (entry[l] - 1) : 0;
	const uint32_t free = low_bit(~used);
	for EACH_LANE(l, lanes)
		entry[l] = free + 1;
	for (uint32_t k = 0; k <= c->counts.nblocks; k++)
		lane_trip_counts(w, c->maxima + k)[free] = 0;
}

static void
on_enter(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_profile_point *c = &w->sim->profile.points.at[i->imm];

	c->counts.histogram[count_bits(lanes)]++;
	if (c->entry)
		begin_entry(w, c, lanes);
}

static void
on_trip(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t *t = lane_trip_counts(w, (uint32_t)i->imm);

	for EACH_LANE(l, lanes)
		t[l]++;
}

/* Adds an iteration of the lanes that run it together; sim_profile() subtracts `longest`. */
static void
on_group(Warp *w, const Inst *i, uint32_t lanes)
{
	(void)lanes;
	w->sim->profile.points.at[i->imm].counts.apart++;
}

static uint64_t
clamped_square(uint32_t n)
{
	uint64_t x = n < MAX_SQUARED_COUNT ? n : MAX_SQUARED_COUNT;

	return x * x;
}

/* Adds the lanes' counters to the totals and resets them; updates the maximum of this launch.
 * number: of the counter in the profile point. Lanes that are in no entry count as one. */
static void
flush_lane_counts(Warp *w, const Sim_profile_point *c, uint32_t k, uint32_t number, uint32_t lanes,
	Block_counts *to, uint64_t *in_launch)
{
	uint32_t *t = lane_trip_counts(w, k), none = 0;
	const uint32_t *entry = c->entry ? lane_trip_counts(w, c->entry) : NULL;

	for EACH_LANE(l, lanes) {
		uint32_t *most = entry && entry[l] ?
			&lane_trip_counts(w, c->maxima + number)[entry[l] - 1] : &none;
		to->runs += t[l];
		to->squares += clamped_square(t[l]);
		to->longest += t[l] > *most ? t[l] - *most : 0;
		*most = t[l] > *most ? t[l] : *most;
		to->most = t[l] > to->most ? t[l] : to->most;
		*in_launch = t[l] > *in_launch ? t[l] : *in_launch;
		t[l] = 0;
	}
}

static void
flush_trips(Warp *w, Sim_profile_point *c, uint32_t lanes)
{
	Block_counts trips = { 0 };

	flush_lane_counts(w, c, c->iterations, 0, lanes, &trips, &c->most);
	c->counts.trips += trips.runs;
	c->counts.longest += trips.longest;
}

/* Adds the squared differences between the current and the previous execution of the region, for
 * lanes that have executed it before. */
static void
compare_with_last_run(Warp *w, Sim_profile_point *c, uint32_t k, uint32_t lanes)
{
	const uint32_t *runs = lane_trip_counts(w, c->runs),
		       *now = lane_trip_counts(w, c->blocks[k]);
	uint32_t *then = lane_trip_counts(w, c->before[k]);

	for EACH_LANE(l, lanes) {
		if (runs[l])
			c->counts.blocks[k].changes += clamped_square(
				now[l] > then[l] ? now[l] - then[l] : then[l] - now[l]);
		then[l] = now[l];
	}
}

static void
on_leave(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_profile_point *c = &w->sim->profile.points.at[i->imm];
	uint32_t *runs = c->runs ? lane_trip_counts(w, c->runs) : NULL;

	if (c->iterations)
		flush_trips(w, c, lanes);
	for (uint32_t k = 0; k < c->counts.nblocks; k++) {
		if (runs)
			compare_with_last_run(w, c, k, lanes);
		flush_lane_counts(w, c, c->blocks[k], 1 + k, lanes, &c->counts.blocks[k],
			&c->most_of[k]);
	}
	for EACH_LANE(l, c->entry ? lanes : 0)
		lane_trip_counts(w, c->entry)[l] = 0;
	for EACH_LANE(l, runs ? lanes : 0) {
		c->counts.repeated += runs[l];
		runs[l] = 1;
	}
}

/* Adds the maxima of the launch that has ended. */
static void
add_launch_maximum(Sim_profile_point *c)
{
	c->counts.launch_maxima += c->most;
	c->most = 0;
	for (uint32_t i = 0; i < c->counts.nblocks; i++) {
		c->counts.blocks[i].launch_maxima += c->most_of[i];
		c->most_of[i] = 0;
	}
}

static uint32_t
block_threads(const Sim_launch *l)
{
	return l->block[0] * l->block[1] * l->block[2];
}

static uint32_t
launch_multiprocessors(const Sim_launch *l)
{
	return l->sms ? l->sms : 1;
}

/* Called when the function of a profile point, and of those that follow it, is entered, or a kernel
 * is launched. */
static void
on_start(Warp *w, const Inst *i, uint32_t lanes)
{
	const Fn *fn = w->sim->profile.points.at[i->imm].fn;
	const uint32_t *at = w->block->id;
	bool first = !(at[0] | at[1] | at[2] | w->index) && lanes & 1 && fn->f->entry;

	for (uint32_t k = (uint32_t)i->imm; k < w->sim->profile.points.n; k++) {
		Sim_profile_point *c = &w->sim->profile.points.at[k];
		if (c->fn != fn)
			break;
		for EACH_LANE(l, c->runs ? lanes : 0)
			lane_trip_counts(w, c->runs)[l] = 0;
		if (!first)
			continue;
		c->counts.launches++;
		if (c->counts.multiprocessors < launch_multiprocessors(w->sim->l))
			c->counts.multiprocessors = launch_multiprocessors(w->sim->l);
		if (c->counts.largest_block < block_threads(w->sim->l))
			c->counts.largest_block = block_threads(w->sim->l);
		add_launch_maximum(c);
	}
}

/* ---- placement ------------------------------------------------------------------------------- */

/* Adds a counting place to each block of the list. of: the profile point; for TURNS the counter. */
static void
register_events(Opcode *h, Block_list l, Point_event place, uint32_t of)
{
	for (uint32_t i = 0; i < l.n; i++)
		*vec_push(&h->added.counted) = (Operand_place){ l.at[i], (uint32_t)place, of };
}

static void
register_point(Opcode *h, const Fn *fn, const Profile_point *c)
{
	Sim *s = h->sim;
	uint32_t k = s->profile.points.n;
	Sim_profile_point *point = vec_push(&s->profile.points);

	*point = (Sim_profile_point){ .fn = fn, .region = c->region, .own = c->own_blocks };
	point->atomics = c->natomics != 0;
	point->loads = c->loads;
	point->whole = c->whole;
	if (c->trips.n)
		point->iterations = ++s->profile.ncounters;
	point->counts.nblocks = c->nblocks;
	if (c->nblocks && c->comparable)
		point->runs = ++s->profile.ncounters;
	for (uint32_t i = 0; i < c->nblocks; i++) {
		point->blocks[i] = ++s->profile.ncounters;
		register_events(h, c->blocks[i].trips, EVENT_TRIP, s->profile.ncounters);
		if (c->comparable)
			point->before[i] = ++s->profile.ncounters;
	}
	if (c->entered.n && (c->trips.n || c->nblocks)) {
		point->entry = ++s->profile.ncounters;
		point->maxima = s->profile.ncounters + 1;
		s->profile.ncounters += 1 + c->nblocks;
	}
	/* lanes that leave and enter again at one place leave first */
	if (c->trips.n || c->nblocks)
		register_events(h, c->ended, EVENT_LEAVE, k);
	register_events(h, c->reached, EVENT_REACH, k);
	register_events(h, c->exits, EVENT_EXIT, k);
	register_events(h, c->iteration_starts, EVENT_ITERATION, k);
	register_events(h, c->entered, EVENT_ENTER, k);
	register_events(h, c->trips, EVENT_TRIP, point->iterations);
	register_events(h, c->trips, EVENT_GROUP, k);
}

/* Adds the function's profile points. */
static void
register_points(Opcode *h, const Fn *fn)
{
	Profile_points c = profile_points_find(fn, h->sim->arena);

	for (uint32_t i = 0; i < c.n; i++)
		register_point(h, fn, &c.at[i]);
}

void
profile_points_register(Opcode *h)
{
	Sim *s = h->sim;
	uint32_t func = h->p->codes.at[h->code].func, first = s->profile.points.n;

	h->added.counted.n = 0;
	if (!s->profile.count_points || !h->f->nmarkers)
		return;
	if (!s->effects)
		s->effects = effects_build(s->m, s->arena);
	const Fn *fn = fn_build(s->m, func, s->effects, s->arena);
	register_points(h, fn);
	if (s->profile.points.n > first)
		*vec_push(&h->p->insts) =
			(Inst){ .run = on_start, .stmt = h->cfg->blocks[1].stmt, .imm = first };
}

void
profile_points_decode_block(Opcode *h, uint32_t block)
{
	static Run *const run[EVENT_KINDS] = { on_reach, on_exit_code, on_iteration, on_enter,
		on_trip, on_group, on_leave };

	for (uint32_t i = 0; i < h->added.counted.n; i++)
		if (h->added.counted.at[i].block == block)
			*vec_push(&h->p->insts) = (Inst){ .run = run[h->added.counted.at[i].place],
				.stmt = h->cfg->blocks[block].stmt,
				.imm = h->added.counted.at[i].of };
}

void
sim_count_profile_points(Sim *s)
{
	s->profile.count_points = true;
	cache_begin_launch(s);
}

/* Executions to which the counts of its own blocks refer. */
static uint64_t
point_runs(const Sim_profile_point *c)
{
	uint64_t lanes = 0;

	for (uint32_t k = 1; k <= LANES; k++)
		lanes += k * c->counts.histogram[k];
	return c->region->kind == REGION_INNER_LOOP ? c->counts.trips : lanes;
}

/* Adds the cache statistics of its blocks. */
static void
add_cache_counts(const Sim *s, Sim_profile_point *c)
{
	Cache_counts n = { 0 };
	uint64_t runs = point_runs(c);

	BITS_EACH(b, c->own)
		cache_add_counts(s, c->fn, b, &n);
	if (c->atomics)
		c->counts.atomics = (Atomic_counts){ runs, n.atomics, n.compared, n.same };
	if (c->loads)
		c->counts.loads = (Load_counts){ runs, n.sectors, n.missed };
}

void
sim_profile(const Sim *s, Profile *to)
{
	Arena *a = arena_new();

	for (uint32_t i = 0; s->profile.count_points && i < s->profile.points.n; i++) {
		Sim_profile_point c = s->profile.points.at[i];
		Profile_key key = profile_key(c.fn, c.region, a);
		if (c.whole) {
			profile_add(to, &key, &(Execution_counts){ .whole_trips = c.counts.trips,
						      .whole_longest = c.counts.longest });
			continue;
		}
		if (c.counts.launches)
			add_launch_maximum(&c);
		add_cache_counts(s, &c);
		c.counts.apart = c.counts.apart > c.counts.longest ?
			c.counts.apart - c.counts.longest : 0;
		profile_add(to, &key, &c.counts);
	}
	arena_free(a);
}
