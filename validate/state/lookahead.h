/* SPDX-License-Identifier: MIT */
/* Lanes that look ahead (policy `ahead`): what the validator keeps of such a text. Internal to
 * validate/; phases.c has the argument. */
#ifndef VALIDATE_STATE_LOOKAHEAD_H
#define VALIDATE_STATE_LOOKAHEAD_H

#include "analysis/region/region.h"
#include "validate/state/terms.h"

/* In place of a part: a copy on the registers that look. */
#define AT_LOOK (UINT32_MAX - 1)

typedef enum {
	PHASE_FIRST,    /* own code, up to where the lane meets the others for the first time */
	PHASE_LOOK,     /* looks, from the first iteration on that it has not looked at */
	PHASE_RUN,      /* runs what it has noted */
	PHASE_LAST,     /* runs the iteration by which it leaves once more, without the path */
	PHASE_OUT       /* has left the loop, or does not come to it */
} Phase;

/* How many noted iterations are to be run? */
typedef enum { OWED_MAYBE, OWED_SOME, OWED_NONE } Owed;

/* Of a lane. */
typedef struct {
	uint8_t phase;          /* Phase */
	uint8_t looks;          /* iterations of the batch that it has looked at */
	uint8_t pending;        /* 1 + the path that the one it looks at wants, not noted yet */
	uint8_t owed;           /* Owed */
	bool begun;             /* it has gone on from the loop's header */
	bool looked;            /* it is at the end of an iteration, which is not counted yet */
	bool gone;              /* what it looked at last leaves the loop */
	bool ends;              /* that iteration is noted as well */
	bool due;               /* a noted iteration is taken out, and to be run */
	bool in_path;           /* it has come to its path */
	bool ran;               /* and past that */
	bool noted;             /* the iteration that it looks at is noted */
	/* What the index was when lanes voted that all stay in the loop for some time, and what it
	 * holds where the iteration that the lane looks at begins; 0: not known. */
	Term_id sure, sure_begins;
	uint32_t sure_at;       /* the vote */
} Looking;

enum { MOST_SURE = 4, MOST_BRANCHES_SURE = 4, MOST_SERIES = 64 };

/* The loop goes on where index + plus is on this side of the bound, and further from it than
 * far. */
typedef struct {
	uint32_t stmt;          /* the vote */
	uint16_t cmp;           /* Cmp, of range_votes.c */
	bool is_signed, up;
	uint8_t size;           /* bytes */
	uint32_t bound;         /* operand of the output */
	uint32_t number;        /* of the index, among the registers that the loop writes */
	int64_t plus;
	uint64_t far;
	/* What branches of the input say that were looked at last: the lane stays in the loop by
	 * `said`, if that holds of the index, an operand of the input; 0: it is none. former: the
	 * test reads what the index holds where the iteration begins. */
	struct { uint32_t at, index; bool said, former; } branch[MOST_BRANCHES_SURE];
	uint32_t nbranches;
} Sure;

enum { LOOKED_ALL = 255 };

struct Site;
struct Lane;

typedef struct Ahead {
	/* ahead_at, ahead_zero, ahead_all: asked by what knows nothing of looking ahead */
	bool (*at)(struct Site *s, struct Lane *l, bool *moved);
	bool (*zero)(struct Site *s, struct Lane *l, Term_id word, bool zero);
	void (*all)(struct Site *s, struct Lane *l, uint32_t vote);
	uint32_t header;        /* the loop's, a block */
	uint32_t start;         /* the first statement of an iteration that does something */
	/* by local symbol: 1 + its number among the registers that the loop writes, but for those
	 * of paths alone; 0: none */
	uint32_t *number, n;
	uint32_t *syms;         /* by number */
	Bits own_writes;        /* outside of paths; by local symbol */
	Bits written;           /* anywhere in the loop */
	uint32_t *path_at;      /* by block: 1 + the path that begins with it */
	uint32_t *resume, npaths;       /* by path: the statement at which looks go on */
	Bits *writes;           /* by path: what is written in it, by local symbol */
	Bits beyond;            /* blocks that only paths lead to */
	bool stores;            /* a path may write memory */
	Term_id *base;          /* by number; see ahead_base */
	Term_id atom[TERM_BOTH + 1];    /* by op; 0: not made yet */
	/* by number: what an iteration adds; 0: not known, TERM_NONE's: no count. And if a lane has
	 * gone by that. */
	Term_id *step;
	bool *no_count, *used;
	/* by local statement of the input: does it give the same in all iterations? 0: not known
	 * yet, 1: no, 2: yes */
	uint8_t *lasting;
	/* machine registers: words of notes, and those in which notes are made first */
	uint64_t words[2], notes[2];
	uint64_t tallies[2];    /* machine registers to which lanes add apart */
	Sure sure[MOST_SURE]; uint32_t nsure;
} Ahead;

#endif
