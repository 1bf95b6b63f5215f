/* SPDX-License-Identifier: MIT */
/* `#pragma ccc remap`: before a divergent branch, the threads of the block exchange which of
 * them executes which path on whose data.
 *
 * Like melding (distribute.h), it is a text-to-text step, for one annotated branch at a time:
 * the emitted code has block barriers, which the exchange of another branch may have to keep
 * threads from.
 *
 *	remap.c           selection of branches, and reports
 *	remap_key.c       an expression instead of paths
 *	remap_leaves.c    nested branches: their leaves as paths
 *	remap_defer.c     code before nested branches
 *	remap_plan.c      legality and values: a Plan with its Remap
 *	remap_barriers.c  barriers of the program before the exchange
 *	remap_policy.c    choice of a policy, if none is named
 *	remap_layout.c    layout of shared memory
 *	emit_remap.c      emission, by remap.tpl */
#ifndef TRANSFORM_REMAP_REMAP_H
#define TRANSFORM_REMAP_REMAP_H

#include "transform/plan/passes.h"

/* Result for an annotated branch. */
typedef struct {
	uint32_t func;
	uint32_t *markers, nmarkers;    /* begin markers of its paths, as module indexes */
	bool done;
	Report_remap report;            /* without its position */
	Verdict why;                    /* why not */
	Verdict hint;
} Remap_outcome;
typedef VEC(Remap_outcome) Remap_outcomes;

typedef struct {
	const Module *m;
	/* whether an earlier step wrote the text at a position */
	bool (*is_emitted)(const void *texts, uint32_t pos);
	const void *texts;
} Remap_input;

/* Queues the edits for the first annotated branch that can be remapped. The caller parses the
 * resulting text and calls again. Returns false if there is none. Reports the remapped branch in
 * `told` or, if there was none, the refused ones; texts are allocated in the arena. */
bool remap_run(
	const Remap_input *in, const Pass_options *opt, Arena *a, Remap_outcomes *told, Edits *e);

enum { REMAP_MOST_PATHS = 31 };

/* The statements of one annotated branch. */
typedef struct { const Region *at[128]; uint32_t n; } Remap_statements;

/* Returns r, the first statement of an `if`, with its other ones. */
Remap_statements remap_statements(const Fn *fn, const Region *r);
/* Whether r is the first remaining statement of its branch; the compiler may have dropped earlier
 * ones. */
bool remap_is_first(const Fn *fn, const Region *r);
/* Returns the number of values that order threads: of paths, or of a key's buckets. */
uint32_t remap_ids(const Remap *k);
/* Reads what the annotation says about a key, for which x->remap is empty otherwise. */
void remap_count_buckets(Plan *x, const Threads *threads);
/* Finds the register of the key, and the blocks before and after the only path. */
Verdict remap_find_key(Plan *x);
/* Replaces arms that are nested branches among the paths by their leaves; head and join are
 * known. */
void remap_find_leaves(Plan *x);
/* Lets tasks begin before nested branches, if what is before these can be deferred. */
void remap_defer_prefixes(Plan *x);
/* Returns all blocks but this one, and the blocks that are reached from the paths' entries before
 * the join; in the scratch arena. */
Bits remap_blocks_except(const Plan *x, uint32_t block);
Bits remap_path_blocks(const Plan *x, const Remap_path *paths, uint32_t n);
/* Returns the arm whose marker the path begins with; NULL if it begins without. */
const Region *remap_arm_of(const Remap *k, uint32_t path);
/* Returns the path with that entry; npaths if there is none. */
uint32_t remap_path_at(const Remap *k, uint32_t block);
/* Returns the path that the edge from a condition selects; npaths if there is none. */
uint32_t remap_path_of_edge(const Plan *x, Remap_edge edge);
/* Refuses barriers of the program that may conflict with the exchange. before: the blocks that
 * reach the branch; adds those of its conditions. */
Verdict remap_check_barriers(const Plan *x, Bits before);
/* Fills in the plan, whose paths are known. */
Verdict remap_plan(Plan *x, const Shared_budget *budget);
/* Selects the policy; the plan's values are known. The verdict says that none is expected to
 * gain. */
Verdict remap_select_policy(Plan *x, const Shared_budget *budget);
/* Predicts the issue slots of a warp for sorting tasks of that many paths, and for blocks. */
double remap_sort_cost(const Plan *x, uint32_t npaths);
double remap_cost_of_blocks(const Plan *x, Bits blocks, uint32_t entry);
/* Returns the bytes of shared memory of x's policy for the largest block, with the smallest
 * counters. */
uint32_t remap_shared_bytes(Plan *x, const Shared_budget *budget);
/* Lays out shared memory; the plan's values are known. */
Verdict remap_layout(Plan *x, const Shared_budget *budget);
/* Returns the 32-bit words for a warp's counts: a byte for each path, and one for the number of
 * paths that the warp has. */
uint32_t remap_count_words(const Plan *x);
/* Queues the edits. */
void remap_write(const Plan *x, Edits *e);

#endif
