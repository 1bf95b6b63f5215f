/* SPDX-License-Identifier: MIT */
/* `#pragma ccc remap`: in front of a divergent branch the threads of the block exchange who runs
 * which path on whose data.
 *
 * Like the melding of arms (distribute.h) it is a step from text to text, with one annotated branch
 * at a time: what it writes has block barriers, which another branch's exchange may have to keep
 * its threads from.
 *
 *	remap.c         which branches, and what is told of them
 *	remap_plan.c    do all threads of the block come, what is exchanged: a Plan with its Remap
 *	remap_policy.c  which way of exchanging, if none is named
 *	remap_layout.c   the shared memory that this takes
 *	emit_remap.c    the text, by remap.tpl
 */
#ifndef TRANSFORM_REWRITE_REMAP_H
#define TRANSFORM_REWRITE_REMAP_H

#include "transform/plan/passes.h"

/* What became of an annotated branch. */
typedef struct {
	uint32_t func;
	uint32_t *markers, nmarkers;    /* begin markers of its paths: indexes in the module */
	bool done;
	Report_remap report;            /* but for its place */
	Verdict why;                    /* why not */
	Verdict hint;
} Remap_told;
typedef VEC(Remap_told) Remaps_told;

/* Queues the edits for the first annotated branch that can be remapped: the text that comes of them
 * is to be parsed and given to this again. False: there is none. What was remapped is told, and,
 * when nothing was, what could not be; texts live in the arena. */
bool remap_run(const Module *m, const Pass_options *opt, Arena *a, Remaps_told *told, Edits *e);

/* Fills the plan, whose paths are known. */
Verdict remap_plan(Plan *x, const Room *room);
/* Chooses the policy, the values being known. The verdict says that none is expected to gain. */
Verdict remap_choose(Plan *x, const Room *room);
/* Bytes of shared memory of its policy for the largest block, with the smallest counts. */
uint32_t remap_bytes(Plan *x, const Room *room);
/* Lays out its shared memory, the values being known. */
Verdict remap_room(Plan *x, const Room *room);
/* 32-bit words that the counts of a warp take: a byte for each path, and one for how many of them
 * the warp has. */
uint32_t remap_words(const Plan *x);
/* Queues the edits. */
void remap_write(const Plan *x, Edits *e);

#endif
