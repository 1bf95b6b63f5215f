/* SPDX-License-Identifier: MIT */
/* What the parts of one text share, while a plan is written (emit.c, emit_context.c). */
#ifndef TRANSFORM_EMIT_EMIT_H
#define TRANSFORM_EMIT_EMIT_H

#include "transform/text/copy_code.h"
#include "transform/plan/plan.h"

typedef struct {
	const Plan *x;
	uint32_t part;          /* the part at hand, from 1; 0: none */
	const Part *k;          /* the same; NULL */
	uint32_t held;          /* the one to take up again behind an #each */
	const char **prefixes;  /* of the parts' names, from 1 */
	const Module *m;
	Arena *arena;
	Tpl *t;
	char prefix[16];        /* of the site's names */
	Edits *edits;
	Copy own, path, entry, slice, look, straight;
	Copy first;             /* of a bound plan: what is run up to the first meeting */
	Copy again_path;        /* a second copy of the path (emit_expand.c) */
	bool sure;              /* the looks at hand stay in the loop */
	/* the copy of the loop at hand is for full warps: the other one drains for it */
	bool full;
	bool lockstep;          /* the votes of the copy at hand stand at the branches */
	/* own parts a round of the copy at hand, whose tasks wait in registers of their own; 0:
	 * one */
	uint32_t turns;
	uint32_t turn;          /* whose task is at hand, from 1 */
	bool early;             /* what is copied stands in front of the loop */
	Bits told;
	uint32_t chain;         /* in lockstep: the next block of the chain to be copied */
	bool *way_used;         /* ways out that something branches to */
	/* of an expanded loop: the own part, or the path around it, once more, behind the inner
	 * loop */
	Copy rest;
	bool *gone;             /* and the ways out that it branches to */
	Copy lap;               /* an iteration of the inner loop, as again_path is */
	Copy kept;              /* the inner loop as its owner runs it */
	const char *word;       /* of the labels of the lap at hand */
	const Reduction *sum;   /* the one at hand */
	bool again;             /* it is held as it is in front of the path */
	bool grouped;           /* in the copy at hand all parts share a vote */
	/* bytes from the rows of a part's task to those of the next one's, if all take the same
	 * along; 0: they do not */
	uint32_t alike;
	bool whole;             /* is the text for the whole warp at hand? */
} Emit;

/* What the texts of all passes share (emit_frame.c). */

/* Begins a site's text, in a template: fills e, but for its t. The copies and the template's names
 * are told next. */
void emit_begin(Emit *e, const Plan *x, Template_id id, Edits *edits);
/* Writes the section and ends: the text stands in place of the loop's begin marker. */
void emit_end(Emit *e, const char *section);
/* Tells the template what it needs for a retreat. */
void emit_tell_retreat(Emit *e);
/* A label made of a word and a number, in the arena, with ^ in front; with ~. */
const char *emit_label(const Emit *e, const char *word, uint32_t n);
const char *emit_site_label(const Emit *e, const char *word, uint32_t n);
/* The label of a block of the untouched code; if it has none, it gets one of the site's, the
 * k-th. */
const char *emit_place(const Emit *e, uint32_t b, uint32_t k);
/* The number of the way out to a block, or, where that is 0, by the statement. */
uint32_t emit_way(const Plan *x, uint32_t block, uint32_t stmt);
/* The label where a lane parks that leaves by way k. */
const char *emit_exit_label(const Emit *e, uint32_t k);
/* section `exit` for each way out that something has branched to since the last ones */
Tpl_piece emit_exits;
Tpl_piece emit_ways_out;    /* section `way_out` for each: a lane goes on where it left its loop */
Tpl_piece emit_again_values; /* computes again what only some lanes may have come past */


/* Names, in the arena: the register of part k's path for sym (a component of it, if special), and
 * the one of a value that is computed again. A register of the path is called %ccc1$r5 after the
 * %r5 it stands for (of several parts' paths: %ccc1p2$r5); a value computed again at the entry,
 * %ccc1u$r5; a task's value of a special register, %ccc1s$tid_x. */
const char *emit_own(const Emit *e, const Part *k, uint32_t sym, uint8_t sel);
/* Of the own part at hand, of several a round: the register of its own for sym, %ccc1t2$r5, and
 * that in which sym's value waits with a task for the vote, %ccc1w2$r5. */
const char *emit_turned(const Emit *e, uint32_t sym);
const char *emit_waiting(const Emit *e, const Part *k, uint32_t sym);
/* What a register is called in the chain. */
const char *emit_in_chain(const Emit *e, uint32_t sym);
const char *emit_again(const Emit *e, uint32_t sym);
/* The register of what a count was where a batch of looks began: %ccc1f$r5. */
const char *emit_from(const Emit *e, uint32_t sym);
/* What the register that is live at the path of the part at hand is called where its owner is: in
 * the own part, or in the copy of the path around it. */
const char *emit_owner(const Emit *e, uint32_t sym, uint8_t sel);


/* Puts another text for a load of a constant of which lanes have different ones; false: it is no
 * such load (emit_constant.c). */
bool emit_constant(void *emit, uint32_t stmt);
/* Makes the copies: of the own part, of the path, of what is computed again, of what the owner
 * computes for itself. */
void emit_copies(Emit *e);
/* The label of the first vote. */
const char *emit_vote(const Emit *e);
/* The label of a block of the path at hand: the own part may have another copy of it. */
const char *emit_block(const Emit *e, uint32_t b);
/* The label behind the path of the part at hand. */
const char *emit_behind(const Emit *e);
/* The label where a run of the path at hand goes at its end: there, or to the meeting. */
const char *emit_end_of_path(const Emit *e);
/* A label of part number `part`. */
const char *emit_of_part(const Emit *e, uint32_t part, const char *word);
/* The label that stands in place of the part's path. */
const char *emit_want(const Emit *e, const Part *k);




/* A task's context between registers and the buffer: pieces of the template, whose user is an Emit
 * (emit_context.c).
 *
 * A row of the buffer holds one value of every slot; its place is in Slot. Predicates are packed
 * into one word on the way. %~slot is the number of a slot, %~base the warp's part of the
 * buffer. */
Tpl_piece task_addresses;   /* of slot %~slot in rows of each width in use, into %~at1 .. %~at16 */
Tpl_piece task_take_own;    /* the lane's own context into the path's registers */
Tpl_piece task_hold;        /* the same into the turn's */
Tpl_piece task_push;        /* stores it to slot %~slot, on lanes where %^want holds */
Tpl_piece task_pop;         /* loads slot %~slot - 1, on lanes without a task of their own */
Tpl_piece task_pop_mine;    /* loads slot %~slot, on lanes where %~mine holds */
Tpl_piece task_pop_left;    /* loads slot %~slot, on all lanes that come here */
/* Packed predicates: to its bit of %~bits, the first one of a row or one more; out of it. */
void task_put_bit(const Emit *e, const Slot *s, const char *value);
void task_take_bit(const Emit *e, const Slot *s, const char *guard, const char *to);
/* Is the predicate the last one of its row? */
bool task_ends_row(const Slot *slots, uint32_t n, uint32_t i);
/* Have any of these rows slots of so many bytes? */
bool task_has_width(const Slot *slots, uint32_t n, uint32_t size);
/* Moves between registers of a symbol's type. */
void task_move(Emit *e, uint32_t sym, const char *to, const char *what);
/* Reads a special register, or a component of one, into the path's register for it. */
void task_read_special(Emit *e, const Slot *s);

/* Reductions: pieces of the template (emit_reduction.c). A lane's slots are at %~sum4 and %~sum8,
 * by their width. */
/* Declares the registers of those that whoever runs the path keeps. */
void update_registers(Emit *e, const Part *k);
Tpl_piece update_mine;      /* the addresses of the lane's own slots */
Tpl_piece update_begin;     /* sets them to what folding does not change */
Tpl_piece update_end;       /* folds them into the lane's registers */
Tpl_piece update_path;      /* the path's registers begin with what folding does not change */
Tpl_piece update_slots;     /* folds them into the slots of lane %^owner */
/* the same where an iteration of an inner loop ends, and the next one begins */
Tpl_piece update_slots_again;
Tpl_piece update_hand_on;   /* what the variable is called behind the path, for its owner */

/* Does the part's task wait in the path's registers until the vote? Else its owner stands at the
 * vote with it, or it waits in those of its turn. */
bool emit_kept(const Emit *e);
/* Declares a register for sym, of this name; all registers of a site but those of turns. */
void emit_declare(Emit *e, uint32_t sym, const char *name);
Tpl_piece emit_registers;

#endif
