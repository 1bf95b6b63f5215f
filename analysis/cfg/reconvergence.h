/* SPDX-License-Identifier: MIT */
/* Where ptxas makes lanes reconverge that have diverged at a branch: at the BSYNC of its BSSY.
 * Found with ptxas 13.0 for sm_80 and sm_90 (simt/sass/README.md):
 *
 * Lanes that diverge in an iteration of a loop, and do not leave it, wait for each other within
 * that iteration: at the immediate post-dominator of the paths that stay in the loop or, if there
 * is none, at the end of the iteration. Lanes that leave execute a BREAK. Lanes that leave an inner
 * loop in different iterations diverge in an iteration of the loop around it, or in the function.
 * Only if exits of a loop lead to different loops around it, lanes do not wait in its iteration,
 * but in that of the next loop around it without such exits. */
#ifndef ANALYSIS_CFG_RECONVERGENCE_H
#define ANALYSIS_CFG_RECONVERGENCE_H

#include "analysis/cfg/natural_loops.h"

/* Returns the blocks that do nothing but end the kernel. A branch to one is an exit itself, for
 * whose lanes no other waits. */
Bits reconvergence_empty_exits(const Cfg *g, Arena *a);
/* Returns, by block, the block at whose beginning lanes reconverge that diverge at the end of this
 * one; 0: where they end. exits: reconvergence_empty_exits(). If it is the header of a loop around
 * the block, they reconverge at the end of the iteration. */
uint32_t *reconvergence_points(const Cfg *g, const Dom *d, const Loops *l, Bits exits, Arena *a);

#endif
