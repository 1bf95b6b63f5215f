/* SPDX-License-Identifier: MIT */
/* Regions: what stands between CCC markers, as a tree, and which of them make a site.
 *
 * A region is the set of blocks from a begin marker up to, and without, the blocks that start
 * with an end marker of the same annotation. Markers match if no way leads out of the region but
 * through such an end marker (a thread may also end there: exit, trap), no way leads in but
 * through the begin marker, none leads back from behind an end marker, and no begin marker of the
 * same annotation stands inside.
 *
 * A site is an annotated loop: a `for` or `grid` region, the natural loop in it, and the paths
 * (`if` and `path` regions) and inner loops (`for var`) of that loop. Which loop that is the graph
 * alone cannot
 * tell: markers of the annotation's iterations do, where there are any.
 */
#ifndef ANALYSIS_REGION_REGION_H
#define ANALYSIS_REGION_REGION_H

#include "analysis/dataflow/function.h"

typedef enum {
	REGION_KERNEL,          /* the function's body: the root */
	/* `for`; `grid`, once transform/rewrite/task_loop.c made a loop of the kernel */
	REGION_LOOP,
	/* `for var`, `while`, `predict` before a loop: its trip count is the lane's own */
	REGION_ROUNDS,
	/* `if`, `path`, a case of a `switch`, `delay` (each arm), `predict` before another
	 * statement */
	REGION_PATH,
	REGION_CASES,           /* `switch` */
	REGION_ARM,             /* `distribute`: one of its two */
	REGION_REMAPPED         /* `remap`: one of the statements of its if */
} Region_kind;

typedef struct Region Region;
struct Region {
	Region_kind kind;
	uint32_t marker;        /* its begin marker: index into Module.markers */
	/* the block that starts with it; of a path also one before it, down from the branch */
	uint32_t entry;
	Bits blocks;
	Region *parent;         /* the innermost region around it */
	Region *child, *sibling; /* in the order of their markers */

	/* Of a loop: */
	bool is_site;           /* the compiler left a loop in it */
	/* the loop to transform, or of rounds the loop meant: Loops index, 0 = none found */
	uint32_t loop;
	Region **paths;         /* those whose innermost loop is that loop, costliest first */
	uint32_t npaths;
	/* annotated loops right inside that loop: those whose iterations are independent first,
	 * then by cost */
	Region **rounds;
	uint32_t nrounds;
	/* predicted statements and loops inside one of those that is predicted too */
	Region **inner;
	uint32_t ninner;
	/* some were reported and left out; so were annotations without effect */
	bool refused_paths;

	/* of rounds: `while`, an iteration may need what the one before it has computed */
	bool in_order;

	/* Of a path; of rounds, cost alone: */
	/* block at which the owner goes on behind it; 0: ways out differ, see below */
	uint32_t next;
	/* if next is 0: one of the ways out that differ; 0 when the path never ends */
	uint32_t other;
	/* loads that were its first and stay in front of it, coalesced (coalesced_prefix.c) */
	uint32_t stay;
	/* estimate of one run, in issue slots (analysis/cost/static_cost.h) */
	uint64_t cost;
};

typedef struct Regions {
	Region kernel;
	/* sites: annotated loops that the compiler left a loop in, in the order of their markers */
	Region **loops;
	uint32_t nloops;
	Region **strays;        /* paths that are in no annotated loop, likewise */
	uint32_t nstrays;
} Regions;

/* Finds the regions of a function. Markers that do not match and loops that were optimised away are
 * reported to d; such loops are no sites. If any markers of the function do not match there are no
 * regions: what else stands there cannot be trusted. */
Regions *region_build(const Fn *fn, Diags *d, Arena *a);
/* Reports the strays. */
void region_strays(const Fn *fn, const Regions *rs, Diags *d);
/* The site that a region belongs to: the innermost annotated loop around it; NULL: there is
 * none. */
Region *region_site(const Region *r);

/* The switch that a path is a case of; NULL: it is none. */
Region *region_switch(const Fn *fn, const Region *path);

/* Does an iteration of the site's loop begin with block b, by a marker of its annotation? */
bool region_iteration(const Fn *fn, const Region *site, uint32_t b);

/* The registers, by number in the function, that come into a set of blocks from outside: what a
 * task is made of, less what every lane has. Control comes in by one entry alone. *defined: those
 * that the blocks define. */
Bits region_inputs(const Fn *fn, Bits blocks, Bits *defined, Arena *a);

/* region.c asks these of site_paths.c: the marker that a block starts with, if it is of an
 * annotation still to be followed; does an annotation stay without effect? (report_idle says why);
 * the paths, inner loops and the loop of a site, whose regions are nested. */
const Marker *region_marker_at(const Fn *fn, uint32_t block);
bool region_is_idle(const Marker *k);
void region_find_paths(const Fn *fn, Region *s, Diags *d, Arena *a);

/* Of a path whose annotation says so: loads from places side by side, with which it begins, become
 * its owner's, and it begins behind them (coalesced_prefix.c). */
void region_leave_head(const Fn *fn, Region *p);
/* Finds next and other of a path in that loop of its site. */
void region_find_next(const Fn *fn, uint32_t loop, Region *p);
/* The block of the loop, not its header nor in a loop in it, that alone leads to this one, and
 * nowhere else; 0: there is none. */
uint32_t region_before(const Fn *fn, uint32_t loop, uint32_t block);
bool region_empty(const Fn *fn, const Region *path); /* of all blocks of a path */
/* The block that control comes to from b through empty blocks of the loop. */
uint32_t region_resolve(const Fn *fn, uint32_t loop, uint32_t b);

#endif
