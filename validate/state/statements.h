/* SPDX-License-Identifier: MIT */
/* Statements of both texts, read once for all lanes that come by, and what registers of the output
 * are. Internal to validate/; see site.h. */
#ifndef VALIDATE_STATE_STATEMENTS_H
#define VALIDATE_STATE_STATEMENTS_H

#include "validate/state/terms.h"

enum {
	MOST_KNOWN = 4,         /* of what a statement has given lately */
	MOST_WITHIN = 32        /* of what addresses are */
};

/* A statement of the input, as a lane that follows the input sees it: read once for all loops of a
 * function. */
typedef struct {
	uint8_t kind;           /* Input_kind */
	uint32_t block;
	uint32_t to;            /* JUMP: the statement that it leads to */
	bool again;             /* BRANCH: behind one by the same register that leads here anyway */
} Input;
/* BRANCH: or the thread may end. */
typedef enum { INPUT_NOTHING, INPUT_PLAIN, INPUT_JUMP, INPUT_BRANCH } Input_kind;

/* What a register's name in the output says of it. A name is a hint: what is made of it is
 * checked. */
typedef enum {
	REG_NONE,
	REG_OWN,        /* the input has it */
	REG_MACHINE,    /* the inserted text's own */
	REG_COPY,       /* stands for one of the input in a task */
	REG_AGAIN,      /* stands for one of the input that is the same in all lanes */
	REG_TURN        /* stands for one of the input in one of several own parts: pop_rounds.c */
} Reg_kind;

typedef struct {
	uint8_t kind;           /* Reg_kind */
	uint8_t sel;            /* COPY: component of a special register */
	/* TURN: which own part, from 1; COPY: where a task of that one waits; 0: none */
	uint8_t turn;
	uint16_t part;          /* COPY: of the task, from 1 */
	/* MACHINE: its number; COPY: 1 + its number among those that are saved, 0: none yet */
	uint32_t index;
	uint32_t in;            /* the symbol of the input that it stands for */
	uint32_t slot;          /* where lanes look ahead: 1 + its place in Lane.env; 0: none */
} Reg;

/* A place in both texts that a stretch leads to, and what is to be known of the way there: has a
 * branch parted those that came together, has a label been passed where states are compared, and
 * was a statement of the input run? */
typedef struct { uint32_t o, in; bool parted, joined, steps; } Stretch_end;

/* What a lane goes by at once: see stretch.c. Its key: where it begins, by in and task. */
typedef struct {
	uint32_t in, task;
	bool parted;
	uint32_t ends, nends;   /* in Site.stretch_ends */
	uint32_t next;          /* 1 + the next one that begins here */
} Stretch;

/* Copies in a row, where lanes look ahead: see ahead_series.c. By place in Lane.env, plus 1, what
 * is read (value: Reg_kind), and what each holds behind it. */
typedef struct { uint32_t slot; Term_id value; } Series_slot;
typedef struct {
	uint32_t in, part;
	uint32_t n;             /* statements */
	uint32_t first, nneeds, ngives; /* in Site.series_slots */
	uint32_t next;          /* 1 + the next one that begins here */
} Series;

/* Which slot of which row an access means. */
typedef struct {
	uint32_t at;
	uint32_t base;          /* 1 + the counter that it is counted from; 0: none */
	uint8_t form;           /* Slot_form */
} Place;

/* A register that a statement of the inserted text names. */
typedef struct {
	Reg *reg;
	uint32_t sym;
	bool written;
} Step_ref;

/* What a statement computes of terms. */
typedef struct { Term_id of[4], value; } Computed;

/* What an address is beside the warp's part of the buffer. */
typedef struct { Term_id address, rest; } Within;

/* Where memory is accessed: what the address's register means, of that width. */
typedef struct { Term_id base, votes; bool full; uint8_t width; Place at; } Placed;

/* What a vote asks for; OTHER: of another form. */
typedef enum { VOTE_OTHER, VOTE_BALLOT, VOTE_ANY, VOTE_ALL } Vote_kind;

/* A statement of the inserted text, read once; and what was found out about it last, for the next
 * lane that comes by. */
typedef struct {
	/* of its own registers; those that are read behind a label */
	uint64_t reads[2], writes[2], live[2];
	/* Of a vote or a barrier: registers that some lanes alone have written since the last
	 * one. */
	uint64_t since[2];
	uint32_t to;            /* a branch's statement; 0: it is none in this text */
	bool ends;              /* nothing comes behind it */
	bool leads_on;          /* a branch, to what comes behind it anyway */
	bool spare;             /* and one alike stands there */
	/* a label that several ways lead to, or behind a vote: states are compared */
	bool joins;
	/* Such a label, behind which the text only computes, up to a vote or a barrier: votes.c. */
	bool closes;
	/* From here to the next vote on who wants a path, nothing of a round is done. */
	bool quiet;
	/* 1 + the label of pops; the place to which all of them come behind the path:
	 * pop_rounds.c */
	uint8_t head;
	bool meets;
	bool own;               /* it writes the text's own registers */
	bool alien;             /* it computes those of what else varies between lanes */
	bool copies;            /* it may be a copy of the input's */
	bool computes;          /* it only sets the text's own registers, whoever comes by */
	/* 1 + the number of the text's own register that is an operand of such a statement; 0 */
	uint8_t machine[4];
	bool asks;              /* it reads a predicate of the input */
	bool buffer;            /* an access by such a register */
	bool ballot;            /* a vote on who wants a path */
	uint8_t width;          /* bytes; of that */
	uint16_t op;            /* Op */
	uint8_t vote;           /* Vote_kind */
	bool inner;             /* it sets a register that is declared in braces */
	uint32_t flags;
	uint32_t refs, nrefs;   /* in Site.refs */
	uint32_t opnd[4];       /* in Module.opnds */
	Term_id fixed[4];       /* what they hold, if that is no register's value; else 0 */
	/* Is it a copy of a statement of the input? */
	struct { uint32_t in, part; bool known, guarded, yes; } copy;
	/* An integer statement that is a sum: ahead_values.c. 0: not read yet. */
	uint8_t sum, size;
	Term_id literal[4];     /* of its operands, as that reads them; 0 */
	/* 1 + the statements behind it that a lane goes by which does not look; 0: not known */
	uint32_t idle;
	/* 1 + the first one from here on: straightline_skip.c; 0: none yet */
	uint32_t stretch;
	uint32_t series;        /* 1 + the first one from here on; 0: none yet */
	struct { uint32_t stretch, in; } met;   /* the last one that came by this label */
	/* Of paths' statements, that an owner may run: in Site.slices, once they are looked for. */
	uint32_t slices, nslices;
	bool sliced;
	/* What it gave to the lanes before, MOST_KNOWN of them; NULL: none was there. */
	Computed *computed;
	uint8_t next;           /* the one that is forgotten next */
	bool far;               /* an address that is no register and a number */
	uint32_t offset;
	/* By part: a copy of its path may begin here; 0: it is not known yet. */
	uint64_t begins;
	/* 2 * a definition of the input, and whether it is a copy of that. */
	uint32_t gives[MOST_KNOWN];
	uint8_t ngives;
	/* The first statement that is the same, but for where it stands: decode.c. */
	uint32_t like;
	/* Its number among those at which segments end, from 1: barriers.c. All of it are 256
	 * bytes, so that one is found by a shift. */
	uint32_t place;
} Step;

/* What a label's name says: of which block's copy it is, in a task of the part. */
typedef struct { uint32_t part, block; } Task_label;

/* A statement of a path that one of the output is a copy of. */
typedef struct {
	uint32_t path, in;
	uint32_t next;          /* 1 + the next one of its opcode, in the chain of Site.owned; 0 */
	uint32_t name;          /* of the register that it begins with; 0: it begins with none */
} Slice;

#endif
