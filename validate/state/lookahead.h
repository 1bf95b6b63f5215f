/* SPDX-License-Identifier: MIT */
/* The state of lanes that look ahead (policy `ahead`). iteration_tracking.c explains the proof.
 * Internal to validate/. */
#ifndef VALIDATE_STATE_LOOKAHEAD_H
#define VALIDATE_STATE_LOOKAHEAD_H

#include "analysis/region/region.h"
#include "validate/state/terms.h"

/* In place of a region number: a copy on the look-ahead registers. */
#define LOOKAHEAD_COPY (UINT32_MAX - 1)

typedef enum {
	PHASE_FIRST,    /* common code, up to the first meeting point */
	PHASE_LOOKAHEAD, /* executes look-ahead iterations */
	PHASE_SELECTED, /* executes the selected iterations */
	PHASE_LAST,     /* executes its last iteration again, without the path */
	PHASE_OUT       /* has left the loop or does not reach it */
} Phase;

/* Whether selected iterations remain to be executed. */
typedef enum { OWED_MAYBE, OWED_SOME, OWED_NONE } Pending_runs;

/* The state of a lane. */
typedef struct {
	uint8_t phase;          /* Phase */
	uint8_t iterations_seen; /* look-ahead iterations of the batch so far */
	uint8_t pending; /* 1 + the path that the current one needs and that is not recorded yet */
	uint8_t owed;           /* Pending_runs */
	bool begun;             /* it has moved on from the loop header */
	bool looked; /* it is at the end of a look-ahead iteration that is not counted yet */
	bool leaves_loop;       /* the last look-ahead iteration leaves the loop */
	bool ends;              /* that iteration is selected too */
	bool due; /* a selected iteration has been removed from the word and must be executed */
	bool in_path;           /* it has reached its path */
	bool ran;               /* it has left that path */
	bool selected;          /* the current look-ahead iteration is selected */
	/* The index at the vote that all lanes stay in the loop for some iterations, and at the
	 * start of the current look-ahead iteration; 0 if unknown. */
	Term_id stay_index, stay_index_at_start;
	uint32_t stay_vote;     /* that vote */
} Lookahead_state;

enum { MAX_STAY_PROOFS = 4, MAX_STAY_BRANCHES = 4, MAX_SERIES = 64 };

/* The loop continues while index + plus is on one side of the bound, at a distance above far. */
typedef struct {
	uint32_t stmt;          /* the vote */
	uint16_t cmp;           /* Cmp, of range_votes.c */
	bool is_signed, up;
	uint8_t size;           /* bytes */
	uint32_t bound;         /* operand of the output */
	uint32_t number;        /* of the index, among the registers that the loop writes */
	int64_t plus;
	uint64_t far;
	/* Cached for branches of the input: the lane stays in the loop if the predicate is `said`,
	 * and the index is this operand of the input; 0 if the branch is unrelated. former: the
	 * test reads the index of the iteration's start. */
	struct { uint32_t at, index; bool said, former; } branch[MAX_STAY_BRANCHES];
	uint32_t nbranches;
} Stay_proof;

enum { LOOKED_AT_ALL = 255 };

struct Loop_check;
struct Lane_state;

/* Functions of lookahead/ that lower folders call. */
typedef struct {
	/* lookahead_reached, lookahead_assume_zero, lookahead_vote_all */
	bool (*reached)(struct Loop_check *s, struct Lane_state *l, bool *moved);
	bool (*assume_zero)(struct Loop_check *s, struct Lane_state *l, Term_id word, bool zero);
	void (*vote_all)(struct Loop_check *s, struct Lane_state *l, uint32_t vote);
} Lookahead_hooks;

/* The annotated paths that are not nested in others. */
typedef struct {
	uint32_t *of_block;     /* by block: 1 + the path that begins there */
	uint32_t *resume;       /* by path: the statement at which look-ahead continues */
	Bits *writes;           /* by path: registers that it writes, by local symbol */
	Bits only;              /* blocks that only paths reach */
	bool stores;            /* a path may write memory */
} Lookahead_paths;

/* A register that the loop writes outside of paths. */
typedef struct {
	uint32_t sym;
	Term_id start;          /* see lookahead_batch_start(); 0 until made */
	Term_id step;           /* what an iteration adds to it; 0 until known */
	bool irregular;         /* iterations add different values */
	bool used;              /* the proof has used the step */
} Loop_register;

/* Bit sets of machine registers. */
typedef struct {
	uint64_t words[2];      /* words of selected iterations */
	uint64_t first_words[2]; /* those of them in which bits are set first */
	uint64_t tallies[2];    /* registers that lanes increment separately */
} Selection_registers;

typedef struct Lookahead {
	Lookahead_hooks hooks;
	uint32_t header;        /* block of the loop header */
	uint32_t start;         /* first statement of an iteration with an effect */
	Lookahead_paths paths;
	uint32_t *number;       /* by local symbol: 1 + its index in `regs`; 0 if none */
	Loop_register *regs; uint32_t n;
	Bits own_writes;        /* written outside of paths, by local symbol */
	Bits written;           /* written anywhere in the loop */
	Term_id atom[TERM_BOTH + 1];    /* by op; 0 until made */
	/* by local statement of the input, whether it is loop-invariant: 0 not known yet, 1 no, 2
	 * yes */
	uint8_t *invariant;
	Selection_registers selection;
	Stay_proof stay_proofs[MAX_STAY_PROOFS]; uint32_t nstay_proofs;
} Lookahead;

#endif
