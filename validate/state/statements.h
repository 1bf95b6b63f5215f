/* SPDX-License-Identifier: MIT */
/* Statements of the input and the output, decoded once for all lanes, and the meaning of the
 * output's registers. Internal to validate/. */
#ifndef VALIDATE_STATE_STATEMENTS_H
#define VALIDATE_STATE_STATEMENTS_H

#include "analysis/region/region.h"
#include "validate/state/terms.h"

enum {
	MOST_KNOWN = 4          /* cached results of a statement */
};

/* A statement of the input as a lane sees it that follows the input. Decoded once for all loops of
 * a function. */
typedef struct {
	uint8_t kind;           /* Input_stmt_kind */
	uint32_t block;
	uint32_t to;            /* JUMP: its target */
	bool redundant; /* BRANCH: follows one on the same register that leads here in any case */
} Input_stmt;
/* BRANCH includes statements that may end the thread. */
typedef enum { INPUT_NOTHING, INPUT_PLAIN, INPUT_JUMP, INPUT_BRANCH } Input_stmt_kind;

/* The function of the input, and the loop in it that is checked. */
typedef struct {
	const Fn *fn;
	const Module *m;        /* that of fn */
	const Input_stmt *stmts; /* by local statement */
	const Region *region;
} Input_text;

/* The first statement after the function. */
static inline uint32_t
input_end(const Input_text *t)
{
	return t->fn->f->stmt + t->fn->f->nstmt;
}

/* What a register's name in the output tells about it. Names are hints: the proof checks what they
 * suggest. */
typedef enum {
	REG_NONE,
	REG_INPUT,      /* also in the input */
	REG_EMITTED,    /* only in the inserted text */
	REG_COPY,       /* task copy of a register of the input */
	REG_UNIFORM,    /* copy of a uniform register of the input */
	REG_BATCH       /* copy for one iteration of the batch, see pop_rounds.c */
} Reg_kind;

typedef struct {
	uint8_t kind;           /* Reg_kind */
	uint8_t sel;            /* COPY: component of a special register */
	/* BATCH: the iteration of the batch, from 1. COPY: the iteration whose task it holds; 0 if
	 * none. */
	uint8_t batch_index;
	uint16_t region;        /* COPY: of the task, from 1 */
	/* EMITTED: its number. COPY: 1 + its number among the saved registers; 0 if not yet
	 * assigned. */
	uint32_t index;
	uint32_t input_sym;     /* the symbol of the input that it stands for */
	uint32_t slot;          /* with look-ahead: 1 + its index in Lane_state.env */
} Output_reg;

/* A pair of statements at which a Straight_run ends. diverged: a branch on the way diverged.
 * joined: the way passed a label at which states are compared. steps: a statement of the input was
 * executed. */
typedef struct { uint32_t o, in; bool diverged, joined, steps; } Straight_end;

/* Statements that a lane skips in one step (straightline_skip.c). The key is the start: in, task,
 * region and diverged. */
typedef struct {
	uint32_t in, task, region;
	bool diverged;
	uint32_t ends, nends;   /* in Straight_runs.ends */
	uint32_t next;          /* 1 + the next with the same start */
} Straight_run;

/* A sequence of copies in look-ahead code (copy_sequences.c): the values that it needs, by 1 +
 * index in Lane_state.env (value: Reg_kind), and those that it leaves. */
typedef struct { uint32_t slot; Term_id value; } Series_slot;
typedef struct {
	uint32_t in, region;
	uint32_t n;             /* number of statements */
	uint32_t first, nneeds, ngives; /* in Copy_sequences.slots */
	uint32_t next;          /* 1 + the next with the same start */
} Copy_series;

/* A register that a statement of the inserted text names. */
typedef struct {
	Output_reg *reg;
	uint32_t sym;
	bool written;
} Stmt_ref;

/* What a vote computes; VOTE_OTHER: another form. */
typedef enum { VOTE_OTHER, VOTE_BALLOT, VOTE_ANY, VOTE_ALL } Vote_kind;

/* The machine registers of a statement, as bit sets. */
typedef struct {
	uint64_t reads[2], writes[2];
	uint64_t live[2];       /* before the first statement of a block (output_dataflow.c) */
	/* Vote or barrier: registers written by some lanes only since the previous one. */
	uint64_t divergent_since_sync[2];
} Stmt_registers;

/* Where control goes from a statement, and which lanes meet there. */
typedef struct {
	uint32_t to;            /* target of a branch; 0 if it is outside of this text */
	bool ends;              /* control does not reach the next statement from here */
	bool trivial;           /* a branch to the next statement */
	bool redundant;         /* and that statement is an equal branch */
	/* a label with several predecessors, or after a vote: states are compared here */
	bool joins;
	/* such a label, followed only by computation up to a vote or a barrier (collectives.c) */
	bool closes;
	/* no action of a round occurs from here to the next vote on paths */
	bool ends_round;
	/* 1 + the number of the pop label; the point at which all pops meet after the path
	 * (pop_rounds.c) */
	uint8_t pop_label;
	bool reconverges;
} Stmt_flow;

/* An access to the buffer. */
typedef struct {
	uint32_t offset;        /* the address is a register plus this constant */
	bool far;               /* the address has another form */
	uint8_t width;          /* bytes */
} Stmt_access;

/* Result of a statement for given operands. */
typedef struct { Term_id of[4], value; } Computed_value;

/* Whether the statement is a copy of statement `in` of the input, for the region. */
typedef struct { uint32_t in, region; bool known, guarded, yes; } Copy_result;

/* An integer sum (symbolic_values.c). */
typedef struct {
	uint8_t kind;           /* Sum_kind; 0 until known */
	uint8_t size;
	Term_id literal[4];     /* constant operands; 0 if none */
} Integer_sum;

/* Definitions of the input: 2 * the definition + whether the statement is a copy of it. */
typedef struct { uint32_t at[MOST_KNOWN]; uint8_t n; } Copied_defs;

/* What has been found out about a statement while lanes were followed. What depends on its text
 * alone is kept for the first identical statement. */
typedef struct {
	Computed_value *results; /* MOST_KNOWN; NULL if none */
	/* by region, whether a copy of its path may begin here; 0 until known (entry.c) */
	uint64_t begins;
	Copy_result copy;       /* the last one */
	Integer_sum sum;
	Copied_defs copies;
	/* statements of paths that it may copy for the owner: in Owner_copies.copies, once
	 * `sliced` is set */
	uint32_t slices, nslices;
	/* 1 + the number of following statements that a lane skips outside of look-ahead; 0 until
	 * known */
	uint32_t idle_after;
	uint32_t straight_run;  /* 1 + the first that begins here; 0 if none */
	struct { uint32_t run, in; } last_run; /* the last that passed this label */
	uint32_t series;        /* 1 + the first Copy_series that begins here; 0 if none */
	bool sliced;
	uint8_t next_result;    /* the one to replace */
} Stmt_cache;

/* A statement of the inserted text, decoded once. */
typedef struct {
	Stmt_registers regs;
	Stmt_cache known;
	Stmt_flow flow;
	uint32_t flags;         /* OPF_ */
	uint16_t op;            /* Op */
	uint8_t vote;           /* Vote_kind */
	bool ballot;            /* a vote on paths */
	bool buffer;            /* an access with a machine register as address */
	bool writes_emitted;    /* it writes machine registers */
	bool varies;            /* it computes machine registers from other varying values */
	bool computes;          /* it only sets machine registers, for every lane */
	bool copies;            /* it may be a copy of a statement of the input */
	bool reads_predicate;   /* of the input */
	bool writes_scoped;     /* it sets a register declared in a nested scope */
	/* 1 + the machine register that is the operand of such a statement; 0 if none */
	uint8_t machine[4];
	Stmt_access access;     /* if `buffer` */
	uint32_t refs, nrefs;   /* in Output_text.refs */
	uint32_t opnd[4];       /* in Module.opnds */
	Term_id fixed[4];       /* constant values of operands; 0 if they are registers */
	/* the first statement with the same text and symbols (decode.c) */
	uint32_t first_identical;
} Output_stmt;
_Static_assert(sizeof(void *) != 8 || sizeof(Output_stmt) == 256, "indexing must be a shift");

/* From a label's name: the block whose copy begins there, in the region's task. */
typedef struct { uint32_t region, block; } Task_label;

/* A statement of a path that an output statement may copy. */
typedef struct {
	uint32_t path, in;
	uint32_t next; /* 1 + the next with its opcode, from Owner_copies.by_op on; 0 if none */
	uint32_t name;          /* of its first register; 0 if the first operand is no register */
} Owner_copy;

/* The function of the output, and the text that is inserted for the loop. */
typedef struct {
	const Module *m;
	const Func *f;
	uint32_t begin, end;    /* inserted statements, [begin, end) */
	/* by local statement: the input's statement; 0 if inserted */
	const uint32_t *origin;
	const uint32_t *label;  /* by local symbol: the label's statement */
	Output_reg *regs;       /* by local symbol; the last one stands for all other symbols */
	Output_stmt *stmts;     /* by inserted statement */
	VEC(Stmt_ref) refs;
	struct Draws *draws;    /* set if lanes draw iterations, else NULL */
	bool counts_votes; /* there is a ballot or a reduction, so a lane may wait for others */
} Output_text;

#endif
