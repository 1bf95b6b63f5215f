/* SPDX-License-Identifier: MIT */
/* Lanes that draw iterations from each other (docs/proofs/wait.md, W8 to W11 and W24). Internal to
 * validate/.
 *
 * A lane has two positions in the input: that of its own loop, at the header or after the exit, and
 * that of the iteration that it executes, if it does (Lane_position.home is then the first one). In
 * an iteration it names the copies of registers, and writes no other register of the input. So
 * between draws its own registers are what they were at its own position.
 *
 * draw_text.c proves of the text of a draw that, if all lanes of M execute it, with `there` and
 * `givers` the ballots of in and has,
 *
 * - idle lanes and lanes with an iteration are paired, and as many as possible (W9, W10);
 * - the idle lane of a pair gets what the other has at its header, in all registers that the
 *   iteration reads from before (W8);
 * - the other lane's registers, and has, become what they are an iteration later (W8).
 *
 * So transfer.c follows a lane: it may get an iteration if it has none, at the header on its
 * copies, and may give one if it has one, which moves it to the header or to the exit. explore/
 * shows that all of M reach each draw, that each iteration drawn is executed up to the loop's test,
 * and that a lane leaves at the exit. */
#ifndef VALIDATE_DRAWS_DRAWS_H
#define VALIDATE_DRAWS_DRAWS_H

#include "validate/warp/warp.h"

/* Finds the draws of an `assign` loop, and sets Loop_check.draws unless the iterations are those of
 * the block. False on a fault. */
bool draws_find(Loop_check *s);
/* Checks the text of the draws. */
bool draws_check(Loop_check *s);

/* transfer.c: whether a draw begins with the statement. */
bool draw_begins(const Loop_check *s, uint32_t stmt);
/* Executes the draw at the lane's position. False: the lane ends, its successors are queued. */
bool draw_run(Loop_check *s, Lane_state *l);
/* Before a statement of the output's own that the lane executes: it ends the iteration if it writes
 * `in`. False on a fault. */
bool draw_before_stmt(Loop_check *s, Lane_state *l, uint32_t stmt);
/* Whether the lane executes no iteration, and has passed a barrier after the last vote. */
bool draw_may_leave(const Loop_check *s, const Lane_state *l);
/* In an iteration: passes statements that it may omit, up to the next branch of the input. */
bool iteration_reach_branch(Loop_check *s, Lane_state *l);
/* In an iteration: passes one such statement; false if it is none. */
bool iteration_omit(Loop_check *s, Lane_state *l);
/* Whether the statement, a copy of the input's for an iteration, reads uniform values that are
 * those of the input. */
bool iteration_reads_uniform(const Loop_check *s, uint32_t stmt, uint32_t in);

static inline const Loop *
iteration_loop(const Loop_check *s)
{
	return &s->in.fn->loops->loops[s->in.region->loop];
}
/* iteration.c: fills in the facts of the input. */
bool iteration_init(Loop_check *s);
/* draw_text.c: checks the text of a draw that begins there, and fills in the rest. */
bool draw_check_text(Loop_check *s, Draw_text *d);

#endif
