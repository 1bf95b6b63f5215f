/* SPDX-License-Identifier: MIT */
/* Where profile points are counted; see profile_points.h.
 *
 * Markers give the exact positions: lanes enter through a begin marker, leave through an end
 * marker, and each iteration begins with an iteration marker. PTX from other sources may have no
 * iteration markers. Then an iteration begins with the loop's header; if the header decides whether
 * there is another iteration, with its successor in the loop. */
#include <string.h>
#include "analysis/region/branch_arm.h"
#include "analysis/cost/static_cost.h"
#include "analysis/region/exit_code.h"

/* Adds a block to a list without duplicates. Lists are short and double their size, from one. */
static void
append_block(Block_list *l, uint32_t block, Arena *a)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i] == block)
			return;
	if ((l->n & (l->n - 1)) == 0) {
		uint32_t *at = arena_array(a, l->n ? 2 * (size_t)l->n : 1, sizeof *at);
		if (l->n)
			memcpy(at, l->at, l->n * sizeof *at);
		l->at = at;
	}
	l->at[l->n++] = block;
}

/* Adds the block with which an iteration of a loop without iteration markers begins. */
static void
unmarked_iteration_starts(const Fn *fn, uint32_t loop, Block_list *l, Arena *a)
{
	uint32_t header = fn->loops->loops[loop].header, inside = 0, ways = 0;

	FN_SUCC(fn, header, s) {
		ways++;
		if (s && loop_contains(fn->loops, loop, s) && fn->cfg->blocks[s].npred == 1)
			inside = s;
	}
	bool decides = false;
	FN_SUCC(fn, header, s)
		decides |= !s || !loop_contains(fn->loops, loop, s);
	append_block(l, ways > 1 && decides && inside ? inside : header, a);
}

/* Returns the blocks with which an iteration of the region's loop begins. */
static Block_list
iteration_starts(const Fn *fn, const Region *r, Arena *a)
{
	Block_list l = { 0 };

	BITS_EACH(b, r->blocks)
		if (region_iteration(fn, r, b))
			append_block(&l, b, a);
	if (!l.n && r->loop)
		unmarked_iteration_starts(fn, r->loop, &l, a);
	return l;
}

Block_list
profile_exit_targets(const Fn *fn, Bits blocks, Arena *a)
{
	Block_list l = { 0 };

	BITS_EACH(b, blocks)
		FN_SUCC(fn, b, s)
			if (s && !bits_has(blocks, s))
				append_block(&l, s, a);
	return l;
}

static bool
region_is_point(const Fn *fn, const Region *r)
{
	if (fn->m->markers[r->marker].wrong)
		return false;
	return r->kind == REGION_PATH || r->kind == REGION_INNER_LOOP || r->kind == REGION_ARM ||
		r->kind == REGION_REMAPPED;
}

static uint32_t
point_block(const Fn *fn, const Region *r)
{
	return fn_block(fn, fn->m->markers[r->marker].stmt);
}

/* Returns the blocks with which the code of a loop's exits begins. */
static Block_list
exit_code_starts(const Fn *fn, uint32_t loop, Arena *a)
{
	const Exit_codes codes = exit_codes_find(fn, loop, a);
	Block_list l = { 0 };

	for (uint32_t i = 0; i < codes.n; i++)
		append_block(&l, codes.at[i].first, a);
	return l;
}

/* Where iterations of an annotated loop begin, its exits' code, and where lanes come from it. */
typedef struct { Block_list starts, exits, ended; } Site_blocks;

/* Finds where lanes enter the annotated construct around the region, and where an iteration of it
 * begins: of a loop, or of a kernel's body, which may become a loop. known: results for loops, by
 * marker of the function. */
static void
find_instrumented_blocks(
	const Fn *fn, const Region *r, Site_blocks *known, Profile_point *c, Arena *a)
{
	const Region *site = r;

	while (site && site->kind != REGION_LOOP)
		site = site->parent;
	if (site && site->is_site && fn->m->markers[site->marker].annot.kind != ANNOT_GRID) {
		Site_blocks *l = &known[site->marker - fn->f->marker];
		if (!l->starts.n)
			*l = (Site_blocks){ iteration_starts(fn, site, a),
				exit_code_starts(fn, site->loop, a),
				profile_exit_targets(fn, site->blocks, a) };
		c->iteration_starts = l->starts;
		c->exits = l->exits;
	}
	if (c->iteration_starts.n)
		append_block(&c->reached, point_block(fn, site), a);
	else
		append_block(&c->iteration_starts, site ? point_block(fn, site) : 1, a);
}

/* ---- blocks of profile points --------------------------------------------------------------- */

/* An arm with at least LONG issue slots is counted if it belongs to the first BRANCHES branches of
 * the profile point. Blocks that only have markers are no arms of other branches: texts with other
 * annotations have the same counted blocks. */
enum { LONG = 32, BRANCHES = 64 };

static bool
region_has_loop(const Region *r)
{
	return r->kind == REGION_INNER_LOOP || r->kind == REGION_LOOP;
}

/* Removes from own those of the region's blocks that are in a nested profile point. A block of two
 * sibling regions belongs to the first. */
static void
without_cuts(const Fn *fn, const Region *r, Bits blocks, Bits own, Arena *a)
{
	Bits left = bits_new(a, fn->cfg->nblocks), in = bits_new(a, fn->cfg->nblocks);

	bits_copy(left, blocks);
	for (const Region *k = r->child; k; k = k->sibling) {
		bits_copy(in, k->blocks);
		bits_and(in, left);
		bits_and_not(left, in);
		if (region_is_point(fn, k))
			bits_and_not(own, in);
		else if (k->child)
			without_cuts(fn, k, in, own, a);
	}
}

/* Whether the region is an annotated loop without a path or an inner loop. */
static bool
is_loop_alone(const Region *r)
{
	return r->kind == REGION_LOOP && r->is_site && !(r->npaths + r->ninner_loops);
}

/* Adds the code of a loop's exits. */
static void
add_exit_code(const Fn *fn, uint32_t loop, Bits to, Arena *a)
{
	const Exit_codes codes = exit_codes_find(fn, loop, a);

	for (uint32_t i = 0; i < codes.n; i++)
		bits_or(to, codes.at[i].blocks);
}

/* Returns the blocks of the region that belong to no nested profile point; with a loop alone, those
 * of its exits' code, too. */
static Bits
own_blocks(const Fn *fn, const Region *r, Arena *a)
{
	Arena *tmp = arena_new();
	Bits own = bits_new(tmp, fn->cfg->nblocks);

	if (!region_has_loop(r) || r->loop) {
		bits_copy(own, r->blocks);
		if (region_has_loop(r))
			bits_and(own, fn->loops->loops[r->loop].blocks);
		without_cuts(fn, r, r->blocks, own, tmp);
		if (is_loop_alone(r))
			add_exit_code(fn, r->loop, own, tmp);
	}
	own = bits_freeze(a, own);
	arena_free(tmp);
	return own;
}

/* Issue slots of blocks without their unconditional branches, since markers add some. */
static double
slots_without_branches(const Fn *fn, Bits blocks, uint32_t entry)
{
	double slots = run_cost_of_blocks(fn, blocks, entry).issue;

	BITS_EACH(b, blocks) {
		uint32_t last = cfg_terminator(fn->cfg, b);
		if (last && ptx_op(fn->m, fn_stmt(fn, last)) == OP_BRA &&
			!fn_stmt(fn, last)->guard)
			slots--;
	}
	return slots;
}

/* Whether the block is the header of an inner loop with unknown trip count. */
static bool
loop_count_is_unknown(const Fn *fn, const Region *r, uint32_t block)
{
	uint32_t loop = fn->loops->loop_of[block];
	const Loop *l = &fn->loops->loops[loop];

	return loop && l->header == block && !l->trips && !(region_has_loop(r) && loop == r->loop);
}

/* Removes the blocks of loops with unknown trip count; these are counted separately. */
static void
remove_open_loops(const Fn *fn, uint32_t block, Bits blocks)
{
	const Loop *loops = fn->loops->loops;
	uint32_t base = loops[fn->loops->loop_of[block]].depth;

	for (uint32_t i = 1; i < fn->loops->nloops; i++)
		if (loops[i].depth > base && !loops[i].trips && bits_has(blocks, loops[i].header))
			bits_and_not(blocks, loops[i].blocks);
}

/* Returns the last of the first BRANCHES branches in `own`. */
static uint32_t
last_counted_branch(const Fn *fn, Bits own)
{
	uint32_t n = 0, last = 0;

	BITS_EACH(b, own)
		if (n < BRANCHES && fn->cfg->blocks[b].nsucc == 2) {
			last = b;
			n++;
		}
	return last;
}

/* Whether a long arm of a branch up to block `last` begins with the block and lies in `own`.
 * *arm: its blocks. */
static bool
starts_long_arm(const Fn *fn, Bits own, uint32_t last, uint32_t block, Bits *arm, Arena *a)
{
	uint32_t from = 0;

	FN_PRED(fn, block, p)
		from = p;
	if (fn->cfg->blocks[block].npred != 1 || !from || fn->cfg->blocks[from].nsucc != 2 ||
		!bits_has(own, from) || from > last || block == fn->dom->ipdom[from] ||
		branch_exits_or_repeats_loop(fn, from))
		return false;
	*arm = arm_blocks(fn, block, fn->dom->ipdom[from], a);
	if (!bits_within(*arm, own))
		return false;
	Bits rest = bits_new(a, fn->cfg->nblocks);
	bits_copy(rest, *arm);
	remove_open_loops(fn, block, rest);
	return slots_without_branches(fn, rest, block) >= LONG;
}

/* Finds the counted blocks of a region, given its own blocks. Returns their number. */
static uint32_t
counted_blocks(const Fn *fn, const Region *r, Bits own, Counted_block *blocks, Arena *a)
{
	const uint32_t last = last_counted_branch(fn, own);
	uint32_t n = 0;

	BITS_EACH(b, own) {
		if (n == MAX_COUNTED_BLOCKS)
			break;
		Counted_block *k = &blocks[n];
		*k = (Counted_block){ 0 };
		if (loop_count_is_unknown(fn, r, b)) {
			k->loop = fn->loops->loop_of[b];
			k->blocks = fn->loops->loops[k->loop].blocks;
			unmarked_iteration_starts(fn, k->loop, &k->trips, a);
			n++;
		} else if (starts_long_arm(fn, own, last, b, &k->blocks, a)) {
			append_block(&k->trips, b, a);
			n++;
		}
	}
	return n;
}

uint32_t
profile_point_blocks(const Fn *fn, const Region *r, Counted_block *blocks, Arena *a)
{
	return counted_blocks(fn, r, own_blocks(fn, r, a), blocks, a);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool
may_be_global(const Module *m, const Stmt *s)
{
	Space space = ptx_space(m, s);

	return space == SPACE_GLOBAL || space == SPACE_GENERIC;
}

static bool
is_atomic(const Fn *fn, uint32_t stmt)
{
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_INSN && may_be_global(fn->m, s) &&
		(ptx_op(fn->m, s) == OP_ATOM || ptx_op(fn->m, s) == OP_RED);
}

/* Computes the profile point's own blocks, which of them are counted, and how they access global
 * memory. */
static void
find_own_blocks(const Fn *fn, Profile_point *c, Arena *a)
{
	uint32_t n = 0;

	c->own_blocks = own_blocks(fn, c->region, a);
	c->blocks = arena_array(a, MAX_COUNTED_BLOCKS, sizeof *c->blocks);
	c->nblocks = counted_blocks(fn, c->region, c->own_blocks, c->blocks, a);
	BITS_EACH(b, c->own_blocks)
		FN_BLOCK_STMTS(fn, b, s) {
			const Stmt *x = fn_stmt(fn, s);
			n += is_atomic(fn, s);
			c->loads |= x->kind == STMT_INSN && ptx_op(fn->m, x) == OP_LD &&
				may_be_global(fn->m, x);
		}
	c->atomics = arena_array(a, n + 1, sizeof *c->atomics);
	BITS_EACH(b, c->own_blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (is_atomic(fn, s))
				c->atomics[c->natomics++] = s;
}

static Profile_point
make_point(const Fn *fn, const Region *r, Site_blocks *known, Arena *a)
{
	Profile_point c = { .region = r, .comparable = true };

	find_instrumented_blocks(fn, r->parent, known, &c, a);
	append_block(&c.entered, point_block(fn, r), a);
	c.ended = profile_exit_targets(fn, r->blocks, a);
	if (r->kind == REGION_INNER_LOOP)
		c.trips = iteration_starts(fn, r, a);
	find_own_blocks(fn, &c, a);
	return c;
}

/* Makes a second profile point of a path or an inner loop of an annotated loop, unless its trip
 * count is constant: that of whole executions of the annotated loop. */
static bool
make_whole_point(
	const Fn *fn, const Profile_point *of, const Site_blocks *known, Profile_point *c)
{
	const Region *site = of->region->parent;

	while (site && site->kind != REGION_LOOP)
		site = site->parent;
	const bool inner = of->region->kind == REGION_INNER_LOOP;
	if (!of->reached.n || !site || (inner && (!of->trips.n || !of->region->loop ||
		fn->loops->loops[of->region->loop].trips)))
		return false;
	*c = (Profile_point){ .region = of->region, .entered = of->reached,
		.trips = inner ? of->trips : of->entered,
		.ended = known[site->marker - fn->f->marker].ended, .whole = true };
	return true;
}

/* Makes a profile point of an annotated loop's common code, if that has counted blocks or atomic
 * operations, or if the loop is alone and has exits with code of their own. It ends where the next
 * iteration begins, and after the loop or that code. */
static bool
make_common_code_point(
	const Fn *fn, const Region *r, Site_blocks *known, Profile_point *c, Arena *a)
{
	*c = (Profile_point){ .region = r };
	if (r->kind != REGION_LOOP || !r->is_site || !r->loop || fn->m->markers[r->marker].wrong)
		return false;
	find_own_blocks(fn, c, a);
	find_instrumented_blocks(fn, r, known, c, a);
	if (!c->nblocks && !c->natomics && !(c->exits.n && is_loop_alone(r)))
		return false;
	Bits all = bits_new(a, fn->cfg->nblocks);
	bits_copy(all, r->blocks);
	if (is_loop_alone(r))
		add_exit_code(fn, r->loop, all, a);
	c->entered = c->iteration_starts;
	c->ended = profile_exit_targets(fn, all, a);
	for (uint32_t i = 0; i < c->iteration_starts.n; i++)
		append_block(&c->ended, c->iteration_starts.at[i], a);
	return true;
}

/* Returns the region after r in a pre-order traversal; NULL at the end. */
static const Region *
next_region(const Region *kernel, const Region *r)
{
	if (r->child)
		return r->child;
	while (r != kernel && !r->sibling)
		r = r->parent;
	return r == kernel ? NULL : r->sibling;
}

/* profile_points_find() for given regions of the function. */
static Profile_points
profile_points_of_regions(const Fn *fn, const Regions *rs, Arena *a)
{
	Profile_points c = { arena_array(a, fn->f->nmarkers + 1u, sizeof *c.at), 0 };
	Site_blocks *known = arena_array(a, fn->f->nmarkers + 1u, sizeof *known);

	for (const Region *r = next_region(&rs->kernel, &rs->kernel); r;
		r = next_region(&rs->kernel, r)) {
		if (region_is_point(fn, r)) {
			c.at[c.n++] = make_point(fn, r, known, a);
			if (make_whole_point(fn, &c.at[c.n - 1], known, &c.at[c.n]))
				c.n++;
		} else if (make_common_code_point(fn, r, known, &c.at[c.n], a))
			c.n++;
	}
	return c;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Adds the profile points of a function, given which of its markers count. */
static void
add_points(const Fn *fn, Marker *markers, Profile_points *to, Arena *a)
{
	Diags *quiet = diags_new(NULL);
	Module m = *fn->m;
	Fn layer = *fn;

	m.markers = markers;
	layer.m = &m;
	const Regions *rs = region_build(&layer, quiet, a);
	const Profile_points c = profile_points_of_regions(&layer, rs, a);
	if (c.n)
		memcpy(to->at + to->n, c.at, c.n * sizeof *c.at);
	to->n += c.n;
	diags_free(quiet);
}

static uint32_t
layer_of(const Marker *k)
{
	return k->id / 2;
}

/* Returns the profile points of each layer of a function: the markers of the others are done. */
static Profile_points
points_of_layers(const Fn *fn, Arena *a)
{
	const uint32_t from = fn->f->marker, to = from + fn->f->nmarkers;
	Profile_points c = { arena_array(a, fn->f->nmarkers + 1u, sizeof *c.at), 0 };
	Marker *markers = arena_array(a, to, sizeof *markers);

	for (uint32_t i = from; i < to; i++) {
		const Marker *k = &fn->m->markers[i];
		uint32_t first = from;
		while (layer_of(&fn->m->markers[first]) != layer_of(k))
			first++;
		if (first < i)
			continue;
		memcpy(markers, fn->m->markers, to * sizeof *markers);
		for (uint32_t j = from; j < to; j++)
			markers[j].done |= layer_of(&markers[j]) != layer_of(k);
		add_points(fn, markers, &c, a);
	}
	return c;
}

Profile_points
profile_points_find(const Fn *fn, Arena *a)
{
	Profile_points c = { arena_array(a, fn->f->nmarkers + 1u, sizeof *c.at), 0 };

	if (fn->f->nmarkers && fn->m->markers[fn->f->marker].id >= LAYERS_OF_MARKERS)
		return points_of_layers(fn, a);
	add_points(fn, fn->m->markers, &c, a);
	return c;
}
