/* SPDX-License-Identifier: MIT */
/* Regions: the code between CCC markers as a tree, and which of them form a site.
 *
 * A region is the set of blocks from a begin marker to the blocks that start with an end marker of
 * the same annotation, exclusively. Markers match if every edge that leaves the region leads to
 * such an end marker (a thread may also end inside: exit, trap), every edge into it leads to the
 * begin marker, none comes back from after an end marker, and no begin marker of the same
 * annotation is inside.
 *
 * A site is an annotated loop: a `for` or `grid` region, the natural loop in it, and the paths
 * (`if` and `path` regions) and inner loops (`for var`) of that loop. The flow graph alone does not
 * tell which loop is the annotated one; iteration markers do, if there are any. */
#ifndef ANALYSIS_REGION_REGION_H
#define ANALYSIS_REGION_REGION_H

#include "analysis/dataflow/function.h"

typedef enum {
	REGION_KERNEL,          /* root: the function's body */
	/* `for`; `grid`, after transform/rewrite/task_loop.c has made a loop of the kernel */
	REGION_LOOP,
	/* inner loop: `for var`, `while`, `predict` before a loop */
	REGION_INNER_LOOP,
	/* `if`, `path`, a case of a `switch`, `delay` (each arm), `predict` before another
	 * statement */
	REGION_PATH,
	REGION_CASES,           /* `switch` */
	REGION_ARM,             /* `distribute`: one of its two arms */
	REGION_REMAPPED         /* `remap`: one of the statements of its `if` */
} Region_kind;

typedef struct Region Region;
struct Region {
	Region_kind kind;
	uint32_t marker;        /* begin marker: index into Module.markers */
	/* block that starts with the marker; of a path possibly an earlier one, down from the
	 * branch */
	uint32_t entry;
	Bits blocks;
	Region *parent;         /* innermost region around it */
	Region *child, *sibling; /* in the order of their markers */

	/* Members of a loop: */
	bool is_site;           /* the compiler left a loop in it */
	/* loop to transform, or the loop of an inner-loop region: Loops index; 0: none found */
	uint32_t loop;
	Region **paths;         /* paths whose innermost loop is that loop, costliest first */
	uint32_t npaths;
	/* annotated inner loops directly inside that loop: first those with independent iterations,
	 * then by cost */
	Region **inner_loops;
	uint32_t ninner_loops;
	/* predicted statements and loops inside a predicted inner loop */
	Region **inner;
	uint32_t ninner;
	/* some paths were reported and left out, or annotations have no effect */
	bool refused_paths, off_paths; /* off: by policy(none) */

	/* inner loop: `while`, an iteration may need results of the one before */
	bool in_order;

	/* Members of a path; of an inner loop only cost: */
	/* block where the owner continues after it; 0: it has different exits, see other */
	uint32_t next;
	/* if next is 0: one of the different exits; 0 if the path never ends */
	uint32_t other;
	/* coalesced loads at its beginning that remain before it (coalesced_prefix.c) */
	uint32_t stay;
	/* estimated cost of one execution (cost_blocks) */
	uint64_t cost;
};

typedef struct Regions {
	Region kernel;
	/* sites, in the order of their markers */
	Region **loops;
	uint32_t nloops;
	Region **strays;        /* paths in no annotated loop, in the same order */
	uint32_t nstrays;
	struct Region_left *left, **left_end; /* annotations in no site (region_left.h) */
	Diags *diags;           /* the two of region_build() */
	Arena *arena;
} Regions;

/* Finds the regions of a function. Reports markers that do not match and loops that were optimised
 * away to d; such loops are not sites. If any markers of the function do not match, there are no
 * regions: the others cannot be trusted either. */
Regions *region_build(const Fn *fn, Diags *d, Arena *a);
/* Reports the paths in rs->strays. */
void region_report_strays(const Fn *fn, Regions *rs);
/* Returns the site of a region: the innermost annotated loop around it; NULL if there is none. */
Region *region_enclosing_site(const Region *r);

/* Returns the switch that a path is a case of; NULL if it is not a case. */
Region *region_switch_of_case(const Fn *fn, const Region *path);

/* Whether an iteration of the site's loop begins with block b, according to an iteration marker of
 * its annotation. */
bool region_iteration(const Fn *fn, const Region *site, uint32_t b);

/* Returns the live-in registers of a set of blocks with a single entry, by number in the function:
 * the task's context, except for values that every lane has. *defined: the registers that the
 * blocks define. */
Bits region_live_ins(const Fn *fn, Bits blocks, Bits *defined, Arena *a);

/* Functions of site_paths.c for region.c. region_marker_at returns the marker that a block starts
 * with unless it is done; marker_has_no_effect tells whether an annotation has no effect
 * (report_idle says why); region_find_paths finds the paths, inner loops and the loop of a site
 * whose regions are nested. */
const Marker *region_marker_at(const Fn *fn, uint32_t block);
bool marker_has_no_effect(const Marker *k);
void region_find_paths(const Fn *fn, Region *s, Diags *d, Arena *a);
/* Returns the outermost loop inside a region; 0 if there is none, or several. */
uint32_t region_only_loop(const Fn *fn, const Region *r);

/* For a path with `coalesced`: leaves the coalesced loads at its beginning to the owner, so that it
 * begins after them (coalesced_prefix.c). */
void region_exclude_leading_loads(const Fn *fn, Region *p);
/* Computes next and other of a path in that loop of its site. */
void region_find_next(const Fn *fn, uint32_t loop, Region *p);
/* Returns the only predecessor of the block, if it is in the same innermost loop, is not its header
 * and has no other successor; else 0. */
uint32_t region_nonempty_before(const Fn *fn, uint32_t loop, uint32_t block);
bool region_is_empty(const Fn *fn, const Region *path); /* whether all blocks of a path are empty */
/* Returns the first block reached from b that is not an empty block of the loop. */
uint32_t region_first_nonempty(const Fn *fn, uint32_t loop, uint32_t b);

#endif
