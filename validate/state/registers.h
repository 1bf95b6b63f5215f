/* SPDX-License-Identifier: MIT */
/* The inserted text's registers: their numbers, what is known of them before lanes are followed,
 * and where a lane's state has their values. Internal to validate/.
 */
#ifndef VALIDATE_STATE_REGISTERS_H
#define VALIDATE_STATE_REGISTERS_H

#include "validate/state/statements.h"

enum {
	MAX_EMITTED_REGISTERS = 128, /* machine registers: those that only the inserted text has */
	MAX_SAVED = 400,        /* task registers that are set outside of paths */
	SAVED_LATER = 16,       /* initial room for task registers other than live-ins */
	MAX_BATCHED = 6,        /* common-code iterations in a batch; each doubles the states */
	MAX_POP_LABELS = 8
};

/* Machine registers, by number. */
typedef struct {
	uint32_t *syms, n;
	uint64_t live_across_labels[2];
	uint64_t self_updated[2];       /* computed from themselves */
	uint64_t any_operands[2]; /* of vote.any, which tell whether lanes are in the loop */
	Term_id *before;        /* TERM_BEFORE of each */
	uint32_t *counters, ncounters;  /* those live at labels and computed from themselves */
	/* 1 + its number among the counters that are no predicates; 0 if none */
	uint8_t *level; uint32_t nlevels;
} Emitted_regs;

/* Symbols of the output that stand for registers of the input. */
typedef struct {
	uint32_t *syms, n;
	uint32_t *uniform, nuniform;    /* those of them that are uniform */
	/* by 1 + path: registers of the input that its task has copies of, by local symbol */
	Bits *of_task;
} Input_copies;

/* Common-code iterations between two rounds, and the registers that have a copy for each. */
typedef struct {
	uint32_t n;             /* largest number of iterations in a batch */
	uint32_t npop_labels;
	/* by local symbol of the input: 1 + its number among the registers; 0 if none */
	uint32_t *number, nregs;
	uint32_t *syms;         /* by number */
	uint64_t *live;         /* by local statement of the input, see batch_registers.c */
} Iteration_batch;

/* Machine registers that may differ between lanes, because only some lanes write them. */
typedef struct {
	uint64_t writes[2];     /* written by some lanes only, anywhere */
	uint64_t possible[2];   /* possibly so, according to the data flow */
	uint64_t assumed_uniform[2]; /* that a branch relied on to be uniform */
	/* a vote's divergent_since_sync has grown during the exploration */
	bool grown;
} Divergence;

/* Where Lane_state.env has values: machine registers, then saved registers of tasks, then what
 * env_index_level() and the functions after it describe. */
typedef struct {
	const Output_reg **saved; uint32_t nsaved;      /* by Output_reg.index - 1 */
	uint32_t saved_room;
	bool out_of_room;       /* the room was too small: explore again with more */
	uint32_t nenv;          /* machine registers, and room for saved ones */
	size_t size;            /* bytes of a Lane_state */
} Lane_layout;

#endif
