/* SPDX-License-Identifier: MIT */
/* Random kernels with CCC markers: the same seed gives the same PTX text.
 *
 * A module has one kernel, `k`, and possibly functions that it calls. The kernel's results do
 * not depend on the order in which tasks run, so the transformed kernel must leave the same
 * memory. An iteration owns the words of its item in `out`, a thread those of its number in
 * `last`, and all other writes are commutative updates of `sums`. Nothing reads what another
 * iteration writes, and the rest of an iteration does not access what its path reads or writes.
 * After the loop a thread may read words of its own items.
 *
 * One kernel in five is `ordered`: its paths read and write state that is carried from iteration
 * to iteration and that the code after the loop reads, so that tasks must run in their owner's
 * order. In most of these the rest of the loop has no effect and does not read that state, so
 * that look-ahead is possible.
 *
 * Some kernels have reductions of which only the result over all lanes is visible.
 *
 * One in eleven has its iterations assigned to lanes: only counts are carried between
 * iterations.
 *
 * The second line of the text is a launch line of tests/diff: a failing kernel can be added
 * there unchanged. */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

enum {
	GEN_IN_WORDS = 1024,    /* words of the input, filled as ptxrun's rand:SEED does */
	GEN_ITEMS = 4096,       /* items of a site */
	GEN_SITES = 2,
	GEN_PATHS = 6,          /* paths of a loop, at most */
	GEN_SLOTS = 8,          /* 8-byte words of an item */
	GEN_THREADS = 256,      /* largest launch, in threads */
	GEN_LAST = 8,           /* 8-byte words of a thread */
	GEN_SUMS = 64,          /* 4-byte words */
	GEN_MOST_COUNTED = 100  /* the largest of clauses threads(N) */
};

/* Properties of a kernel that the driver needs. */
typedef struct {
	uint32_t in_seed, n, x; /* arguments: of the input, the number of items, a random word */
	uint32_t nsites;
	uint32_t block[3];      /* the only block shape that it supports; 0: any */
	bool task;              /* each thread executes one task, for grids of any shape */
	bool asks;              /* a marker requests its task loop; otherwise an option must */
	bool flat;              /* its loops have annotated loops inside */
	bool assigns;           /* lanes draw the iterations of its loops */
	bool old;               /* it is for GPUs that cannot sum over a warp at once */
	bool exchanges;         /* its branches are remapped */
	/* losing rounds until the fallback, by a clause or an option; 0: no fallback */
	uint32_t retreats;
	bool says_retreat;
	/* results of paths are loop-carried: nothing can be collected */
	bool ordered;
	bool looks;             /* ordered, but lanes can look ahead in most loops */
} Gen_info;

void gen_kernel(uint64_t seed, Buf *out, Gen_info *info);
uint64_t gen_random(uint64_t *state);

#endif
