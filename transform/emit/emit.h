/* SPDX-License-Identifier: MIT */
/* State and helpers that the emitters of one site share. `Emit` holds the plan, the template and
 * the copies of the loop's code, `Here` the place that is being written; the declarations below are
 * grouped by the file that defines them. */
#ifndef TRANSFORM_EMIT_EMIT_H
#define TRANSFORM_EMIT_EMIT_H

#include "transform/text/copy_code.h"
#include "transform/plan/plan.h"

/* The place in the output that is being written: which copy of the loop, and what in it. A piece
 * that changes it for the text inside it restores the value. */
typedef struct {
	/* the copy is for full warps; the copy for other groups drains its tasks */
	bool full;
	bool lockstep;          /* the copy votes at the branches to the paths */
	bool shares_vote;       /* in the copy all regions share a vote */
	/* batch size of the copy: iterations of common code per vote, each with its own registers
	 * for pending tasks; 0: one iteration */
	uint32_t batch;
	uint32_t batch_index;   /* iteration of the batch, from 1 */
	/* lockstep: next block of the chain; ahead: iteration of the group */
	uint32_t chain;
	bool before_loop;       /* the code precedes the loop */
	bool stays;             /* the look-ahead iterations cannot leave the loop */
	bool whole_warp;        /* the code is for the whole warp */

	uint32_t region_number; /* number of the region, from 1; 0: none */
	const Task_region *region; /* the same as a pointer; NULL: none */
	uint32_t outer_region;  /* number of the region to restore after an #each */
	const Reduction *reduction;
	bool refolds;           /* use the register at the path's entry (Reduction.in) */
	/* one of several consecutive iterations: prefix of its labels, and the label after it */
	const char *label_word, *label_done;
} Here;

/* What the emitter of a site works with; constant once the emitter has begun, except `here`, the
 * text, and the exits that were used. */
typedef struct {
	const Plan *x;
	const Module *m;
	Arena *arena;
	Tpl *t;
	Edits *edits;
	Here here;

	char prefix[16];        /* prefix of the site's names */
	const char **prefixes;  /* prefixes of the regions' names, from 1 */
	Bits named_locs;
	bool *exit_used;        /* exits that some emitted branch uses */
	bool *late_exit_used;   /* exits that `rest` uses */
	/* distance in bytes between the rows of consecutive regions, if the contexts of all regions
	 * have the same layout; otherwise 0 */
	uint32_t row_distance;

	Copy common, path, entry, slice, lookahead, straight;
	Copy first;             /* waiting policies: code before the first wait point */
	/* expansion: a second copy of the common code, or of the path around the inner loop, for
	 * the code that follows the inner loop */
	Copy tail;
	Copy second_path;       /* expansion: second copy of the path */
	Copy pass_copy;         /* iteration of the inner loop, on the registers of second_path */
	Copy original_loop;     /* the inner loop as its owner executes it */
	uint32_t nowner_iterations; /* iterations of it that were emitted without the test */
} Emit;

/* ---- emit_frame.c: shared by all passes ------------------------------------------------------ */

/* Starts the emission of a site with the given template. Initialises all of e except e->t,
 * copies and template names. */
void emit_begin_site(Emit *e, const Plan *x, Template_id id, Edits *edits);
/* Expands the section and replaces the loop's begin marker with the result. */
void emit_end_site(Emit *e, const char *section);
/* Sets the template's values and flags for the fallback. */
void emit_define_fallback(Emit *e);
/* Return the label WORD N with the region's prefix (^) or the site's prefix (~), allocated in the
 * arena. */
const char *emit_label(const Emit *e, const char *word, uint32_t n);
const char *emit_site_label(const Emit *e, const char *word, uint32_t n);
/* Returns the label of block b of the original code. If the block has none, inserts label number
 * k of the site. */
const char *emit_block_label(const Emit *e, uint32_t b, uint32_t k);
/* Returns the number of the exit to `block`, or, if block is 0, of the exit by statement `stmt`. */
uint32_t emit_exit_number(const Plan *x, uint32_t block, uint32_t stmt);
/* Returns the label at which a lane that takes exit k parks, and marks the exit as used. */
const char *emit_exit_label(const Emit *e, uint32_t k);
/* section `exit` for each exit used since the last call */
Tpl_piece emit_exits;
/* section `way_out` for each exit: lanes continue in the original code */
Tpl_piece emit_exit_code;
Tpl_piece emit_recompute_values; /* recomputes the values of x->tasks.recomputed */

/* Register names, allocated in the arena: emit_region_register() for the copy of sym (or component
 * sel of a special register) in region k's task, emit_recomputed_register() for a recomputed value.
 * Names derive from the original %r5: %ccc1$r5 in the task (%ccc1p2$r5 if the site has several
 * regions), %ccc1u$r5 for a value recomputed at the entry, %ccc1s$tid_x for a special register of
 * the task. */
const char *emit_region_register(const Emit *e, const Task_region *k, uint32_t sym, uint8_t sel);
/* Names for the current iteration of a batch: the iteration's own register for sym, %ccc1t2$r5,
 * and the register that holds sym's value for a pending task until the vote, %ccc1w2$r5. */
const char *emit_batch_register(const Emit *e, uint32_t sym);
const char *emit_waiting_register(const Emit *e, const Task_region *k, uint32_t sym);
/* Returns the name of sym in the lockstep chain. */
const char *emit_chain_register(const Emit *e, uint32_t sym);
const char *emit_recomputed_register(const Emit *e, uint32_t sym);
/* Returns the register that holds an induction variable's value at the start of a look-ahead
 * batch: %ccc1f$r5. */
const char *emit_batch_start_register(const Emit *e, uint32_t sym);
/* Returns the owner's name of a register that is live at the current region's path: its name in
 * the common code, or in the copy of the enclosing path. */
const char *emit_owner_register(const Emit *e, uint32_t sym, uint8_t sel);

/* Emits a load from constant memory whose address may differ between lanes in the transformed
 * loop. Returns false, and emits nothing, for any other statement (emit_constant.c). */
bool emit_constant_load(void *emit, uint32_t stmt);
/* Initialises the copies: common code, path, recomputed values, owner slice and inner loops. */
void emit_init_copies(Emit *e);
/* Returns the label of the first vote. */
const char *emit_first_vote_label(const Emit *e);
/* Returns the label of block b in the current path's copy; the common code may contain b too. */
const char *emit_path_block_label(const Emit *e, uint32_t b);
/* Returns the label that follows the current region's path. */
const char *emit_after_path_label(const Emit *e);
/* Returns a label with the prefix of the given region. */
const char *emit_region_label(const Emit *e, uint32_t number, const char *word);
/* Returns the label of the code that replaces the region's path. */
const char *emit_wanted_label(const Emit *e, const Task_region *k);

/* ---- emit_context.c: a task's context between registers and the buffer ----------------------- */

/* A row of the buffer holds one context value of all slots (see Slot). Predicates are packed into
 * one word. %~slot is a slot's number, %~base the warp's part of the buffer. */
Tpl_piece task_addresses;   /* computes the addresses of %~slot, by width, into %~at1 .. %~at16 */
Tpl_piece task_load_own;    /* copies the lane's own context to the task's registers */
Tpl_piece task_save_own_in_batch; /* copies it to the registers of the batch's iteration */
Tpl_piece task_push;        /* stores it to slot %~slot, on lanes with %^want */
Tpl_piece task_pop;         /* loads slot %~slot - 1, on lanes without an own task */
Tpl_piece task_pop_selected; /* loads slot %~slot, on lanes with %~mine */
Tpl_piece task_pop_remaining; /* loads slot %~slot, on all lanes that reach it */
/* Pack a predicate into %~bits (the row's first predicate initialises the word), and unpack it. */
void task_pack_predicate(const Emit *e, const Context_slot *s, const char *value);
void task_unpack_predicate(const Emit *e, const Context_slot *s, const char *guard, const char *to);
/* Whether the predicate in slots[i] is the last one of its row. */
bool task_predicate_ends_row(const Context_slot *slots, uint32_t n, uint32_t i);
/* Whether any of the rows has slots of `size` bytes. */
bool task_has_width(const Context_slot *slots, uint32_t n, uint32_t size);
/* Emits a move between two registers of sym's type. */
void task_move(Emit *e, uint32_t sym, const char *to, const char *what);
/* Emits a read of a special register, or a component of one, to the task's register for it. */
void task_read_special(Emit *e, const Context_slot *s);

/* ---- emit_reduction.c: reductions ------------------------------------------------------------ */

/* %~sum4 and %~sum8 are the addresses of a lane's slots, by width. */

/* Declares the accumulators of warpwide reductions. */
void reduction_declare_registers(Emit *e, const Task_region *k);
Tpl_piece reduction_own_address; /* addresses of the lane's own slots */
Tpl_piece reduction_init_slots; /* sets the slots to the operation's identity */
Tpl_piece reduction_collect_slots; /* combines the slots with the lane's registers */
Tpl_piece reduction_init_path; /* sets the task's registers to the identity */
/* combines the task's results with the slots of lane %^owner */
Tpl_piece reduction_fold_into_owner;
/* the same between two iterations of an inner loop */
Tpl_piece reduction_refold_into_owner;
/* copies the variable to the register that holds it after the path, for the owner */
Tpl_piece reduction_forward;

/* Whether a pending task of the region waits in the task's registers. Otherwise it waits in the
 * owner's registers, or in those of the batch's iteration. */
bool emit_task_waits_in_registers(const Emit *e);
/* Declares a register of sym's type with the given name; declares all registers of a site,
 * except those of a batch's iterations. */
void emit_declare_register(Emit *e, uint32_t sym, const char *name);
Tpl_piece emit_registers;

#endif
