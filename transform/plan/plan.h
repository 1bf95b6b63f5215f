/* SPDX-License-Identifier: MIT */
/* The plan of one annotated loop: everything that is decided about it before any text is written.
 *
 * Making a plan changes nothing in the module, so a plan can be judged and dropped. Checks return
 * verdicts (base/verdict.h), and their caller reports them (plan_driver.c). The pass that made an
 * accepted plan writes it. The steps, and the files that implement them:
 *
 *	plan_read_clauses reads the clauses of the annotations          (clauses.c)
 *	plan_select_regions selects the task regions; calls the next five (path_selection.c)
 *	task_region_check_legal whether other lanes may run the region  (legal.c)
 *	common_code_check_legal whether the common code may be copied   (legal.c)
 *	plan_check_exit_in_time whether the loop still terminates       (forward_progress.c)
 *	task_make       context, owner slice and reductions of a task   (task_inputs.c, liveout.c,
 *	                reduction.c)
 *	tail_extend     tail capture                                    (tail_capture.c)
 *	plan_lockstep   whether the common code runs in lockstep        (lockstep.c)
 *	plan_batch      batch size: iterations of common code per vote  (batch.c)
 *	plan_fallback   whether warps may fall back to the original     (runtime_fallback.c)
 *	frame_layout    layout of the warp's shared memory              (shared_layout.c)
 *	plan_check_groups whether the lanes of a warp meet before the loop (lane_groups.c)
 *	plan_warn_hazards warnings about what only the programmer knows (alias_warnings.c)
 *
 * docs/glossary.md defines the terms. */
#ifndef TRANSFORM_PLAN_PLAN_H
#define TRANSFORM_PLAN_PLAN_H

#include "analysis/interproc/local_escape.h"
#include "base/vec.h"
#include "base/verdict.h"
#include "transform/text/edit.h"
#include "transform/plan/remap_types.h"
#include "transform/plan/gain.h"
#include "transform/plan/options.h"
#include "transform/plan/policy_types.h"

enum {
	WARP = 32,
	MAX_BLOCK = 1024,           /* threads of a block, on every architecture so far */
	/* static shared memory of a block in bytes, on every architecture */
	MAX_SHARED = 48 << 10
};

/* ---- members of a plan ----------------------------------------------------------------------- */

/* The warp's part of the shared memory, and the block sizes that it serves. */
typedef struct {
	uint32_t warp_bytes;
	uint32_t threads;       /* largest block, in threads, that the buffer serves */
	bool check_threads;     /* a launch may have larger blocks: tested at run time */
	uint32_t block;         /* threads of every block; 0: not a constant */
	uint32_t dims;          /* number of block dimensions that may exceed 1 */
} Frame;

/* An exit edge of the common code. */
typedef struct {
	uint32_t block;         /* target in the original code; 0: the thread ends at `stmt` */
	uint32_t stmt;
} Exit_edge;

/* Fallback (runtime_fallback.c): a warp that does not gain continues in the original loop. Decided
 * by a credit, in quarters of issue slots, that every round changes. */
typedef struct {
	/* requested by a clause or an option, even if little can be lost */
	bool enabled, requested;
	int32_t start, max;     /* initial credit; upper limit */
	/* ahead, changes of the credit: for each iteration that some lane has selected; for each
	 * one that the lane with most has selected; for a batch */
	int32_t credit_saved, credit_selected, batch;
	/* active lanes, of 32, at which a round breaks even; for ahead: per cent */
	uint32_t break_even;
} Fallback;

/* Issue slots of a warp. */
typedef struct {
	uint64_t common;        /* an iteration of the common code */
	uint64_t path;          /* one execution of the path by all lanes that run it */
	uint64_t collecting;    /* overhead of a round: ballot, push, pop (docs/design.md 6) */
} Cost;

/* Copies of a loop in its text, as counted by Tpl_place: the one for full warps, and the other one
 * together with text outside of copies. */
enum { COPY_FULL = 1, COPY_PARTIAL };

/* ---- the plan -------------------------------------------------------------------------------- */

typedef VEC(Verdict) Verdicts;

/* A policy that the site could have, as annotations spell it, and its expected gain. */
typedef struct { const char *policy; Speedup gain; } Plan_option;

/* What an annotation requests besides its policy. */
typedef struct {
	/* the path or inner loop whose annotation names the policy; NULL: the loop's annotation, an
	 * option, or none */
	const Region *region;
	uint32_t n, second;     /* numbers of policy(name(...)); 0: none */
	uint32_t threshold;     /* clause; 0: none */
	bool has_retreat;       /* clause */
	/* losing rounds before the fallback; 0: no fallback; ANNOT_AUTO: not given */
	uint32_t retreat;
	/* clause: rounds without work are not skipped */
	bool idle;
} Policy_request;

/* How the driver selected the policy (select_policy.c), and the result. */
typedef struct {
	bool is_auto;           /* by the expected gain */
	Annot_policy default_policy; /* policy of paths that name none, selected by the same rule */
	uint32_t default_n;     /* its parameter N */
	/* inner loops whose annotation names no policy are expanded in the enclosing path
	 * (nested_expand.c) */
	bool nests;
	/* why the policy that the driver prefers has no plan; yes: there is none */
	Verdict why_not_better;
	Plan_option *options; uint32_t noptions; /* the legal policies that `auto` compared */
	const char *profile_choice; /* decision of a profile: "queue(4)", "leave"; NULL */
	/* largest block that the plan serves, if `auto` chose it; 0: it did not */
	uint32_t threads;
	bool profiled_threads;  /* that of the profile's launches */
	/* some plan lacks shared memory, or reduces occupancy by it */
	bool short_of_memory;
	Speedup gain;           /* expected gain; `after` is 0 if unknown */
} Policy_selection;

/* What the clauses of the loop and its paths say, apart from Policy_request. */
typedef struct {
	uint32_t max_threads;   /* largest block; 0: not given */
	bool independent;       /* the rest of the iteration does not read what the path writes */
	/* assign: lanes draw iterations of the whole block */
	bool of_block;
	/* bit op: floating-point reductions by this operator may be reordered */
	uint32_t reorder;
} Clauses;

/* The common code: what lanes execute of the loop outside the task regions. */
typedef struct {
	Bits blocks;
	Exit_edge *exits; uint32_t nexits;
	bool gathers;           /* the lanes of the warp meet at the loop's entry (lane_groups.c) */
} Common_code;

/* What the tasks of all regions share. */
typedef struct {
	Frame frame;
	/* statements recomputed at the entry, in order */
	uint32_t *recomputed; uint32_t nrecomputed;
	Bits recomputed_syms;   /* registers that they define */
	Context_slot *invariants; uint32_t ninvariants; /* lane invariants */
} Task_set;

/* The copies of the loop in the output (batch.c). */
typedef struct {
	uint32_t insns;         /* instructions of one copy */
	/* one copy for full warps, with literal masks, and one for all other groups, not in
	 * lockstep */
	bool two;
} Copies;

typedef struct Plan {
	const Fn *fn;
	const Region *site;
	const Locals *locals;
	const Pass_options *opt;
	Arena *arena;           /* lives as long as the function */
	Arena *scratch;         /* lives until the plan is made */
	/* number of the site in the module once it is written; used in names */
	uint32_t number;

	/* policy of the costliest path; POLICY_AUTO only until the driver has selected one */
	Annot_policy policy;
	Policy_selection selection;
	Policy_request request; /* parameters of the policy */
	Clauses clauses;

	Common_code common;
	/* task regions in the order of their votes: a nested region after the enclosing one */
	Task_region *regions; uint32_t nregions;
	/* further regions after those: inner loops expanded in paths (nested_expand.c) */
	uint32_t nexpansions;
	Task_set tasks;
	Copies copies;

	/* What one policy needs; NULL: the plan is for another one. Expansion has a Lane_loop in
	 * its region. */
	Collect_plan *collect;  /* stack, queue */
	Wait_plan *wait;        /* all waiting policies */
	Lookahead_plan *lookahead; /* ahead */
	Remap *remap;           /* a remapping: the plan is for branches, not for a loop */

	Fallback fallback;
	Cost cost;
	Verdict verdict;        /* why the plan is refused */
	Verdicts hints;         /* warnings that do not refuse it */
} Plan;

/* Whether the common code of full warps runs in lockstep. */
static inline bool
plan_is_lockstep(const Plan *x)
{
	return x->collect && x->collect->lockstep.enabled;
}
/* Whether the regions share a vote in the copy for full warps. */
static inline bool
plan_shares_vote(const Plan *x)
{
	return x->collect && x->collect->shares_vote;
}
/* Returns the iterations of common code per vote in the copy for full warps. */
static inline uint32_t
plan_batch_size(const Plan *x)
{
	return x->collect && x->collect->batch > 1 ? x->collect->batch : 1;
}
/* Returns the inner loop expanded in the path of region `number`, from 1; NULL if none. */
static inline const Task_region *
plan_expansion_in(const Plan *x, uint32_t number)
{
	for (uint32_t i = x->nregions; i < x->nregions + x->nexpansions; i++)
		if (x->regions[i].outer == number)
			return &x->regions[i];
	return NULL;
}
/* Whether block b is in the path of the region, or of any region. */
static inline bool
task_region_has(const Task_region *k, uint32_t b)
{
	return bits_has(k->path->blocks, b);
}
static inline bool plan_block_in_region(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (task_region_has(&x->regions[i], b))
			return true;
	return false;
}
/* Issue slots for spreading the rows over the lanes. */
static inline uint64_t
expansion_overhead(const Task_region *k)
{
	return 64 + 4 * (uint64_t)k->task.nslots;
}
/* Returns the innermost region whose copy contains block b; NULL if none. */
static inline const Task_region *
plan_region_of_block(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (bits_has(x->regions[i].blocks, b))
			return &x->regions[i];
	return NULL;
}
/* Returns the region that begins with block b, among those nested in region `outer` (from 1; 0: the
 * common code); NULL if none. */
static inline const Task_region *
plan_region_entered_at(const Plan *x, uint32_t b, uint32_t outer)
{
	for (uint32_t i = 0; i < x->nregions + x->nexpansions; i++)
		if (x->regions[i].path->entry == b && x->regions[i].outer == outer)
			return &x->regions[i];
	return NULL;
}
/* Whether block b executes as part of a path. */
static inline bool
block_is_path_only(const Plan *x, uint32_t b)
{
	return bits_has(x->lookahead->path_only, b);
}
/* Whether look-ahead omits the common statement (late_statements.c). */
static inline bool
stmt_is_late(const Plan *x, uint32_t stmt)
{
	return bits_has(x->lookahead->late, fn_local_stmt(x->fn, stmt));
}
/* With unification, the group of path k: 0 for the one whose iterations run first, 1 for the
 * others. */
static inline uint32_t
unify_side(const Plan *x, uint32_t k)
{
	return x->lookahead->unified && x->lookahead->unified != k + 1;
}
/* Whether a task also runs the rest of its iteration. */
static inline bool
plan_has_tail_capture(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].tail_end)
			return true;
	return false;
}
/* Whether the tasks of some region are single iterations of an inner loop. */
static inline bool
plan_has_iteration_tasks(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].by_iteration)
			return true;
	return false;
}
static inline uint32_t
plan_header(const Plan *x)
{
	return x->fn->loops->loops[x->site->loop].header;
}
static inline const Marker *
plan_marker(const Plan *x)
{
	return &x->fn->m->markers[x->site->marker];
}
static inline const Marker *
task_region_marker(const Plan *x, const Task_region *k)
{
	return &x->fn->m->markers[k->path->marker];
}
/* Returns the annotation that messages refer to: the path's, or the loop's if it has no path or
 * none was examined. */
static inline const Marker *
plan_reported_marker(const Plan *x)
{
	const Wait_plan *w = x->wait;

	if (x->nregions)
		return task_region_marker(x, &x->regions[0]);
	return w && w->region ? &x->fn->m->markers[w->region->marker] : plan_marker(x);
}

/* Records what the clauses of the loop and its paths say. */
void plan_read_clauses(Plan *x);
/* Whether no clause names the policy that was read, but the kind of an annotation implies it. */
bool plan_policy_is_implied(const Plan *x);
/* Whether the annotation that decides the policy says `policy(auto)`, or is an `assign` that names
 * none. */
bool plan_leaves_policy_to_auto(const Plan *x);
/* Returns the policy that an annotation requests by its clause or kind; POLICY_AUTO if that is none
 * that a loop can have. */
Annot_policy policy_requested_by(const Annot *a);
/* Whether the policy allows lanes to draw iterations. */
bool policy_draws_iterations(Annot_policy policy);
/* Adds hints for clauses that the plan's policy ignores. */
void plan_hint_ignored_clauses(Plan *x);

/* task_region_has_loops: whether the path of the region contains loops. plan_tests_vote_first:
 * whether full warps first vote on whether any lane has a task. */
bool task_region_has_loops(const Plan *x, const Task_region *k);
bool plan_tests_vote_first(const Plan *x, const Task_region *k);
/* Whether the annotation of the loop, or of a path in it, has the clause `proven`. */
bool plan_has_proven_clause(const Plan *x);
/* Whether the iterations of the inner loop may run concurrently. Only 'for var' says so. */
bool plan_iterations_independent(const Plan *x, const Region *inner);
/* Whether the inner loop's annotation requests expansion within a path that is collected. */
bool plan_expands_in_path(const Plan *x, const Region *inner);

/* Returns the innermost annotated path around an inner loop; NULL if none. */
const Region *plan_path_around(const Plan *x, const Region *inner);

/* ---- the text -------------------------------------------------------------------------------- */

/* The shared memory that all plans of a function use. */
typedef struct {
	const char *name;       /* name of the variable */
	uint32_t stride;        /* bytes of a warp's part */
	uint32_t warps;
} Buffer;

#endif
