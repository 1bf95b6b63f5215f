/* CCC: copying statements of the module with their registers and labels replaced (docs/design.md 3:
 * a clone is a copy of its span).
 *
 * ^ stands for "ccc<number>_", so that %^top is the register %ccc1_top. A register of the path is called %ccc1$r5 after the %r5 it stands for; a value
 * computed again at the entry, %ccc1u$r5; a task's value of a special register, %ccc1s$tid_x.
 */
#ifndef TRANSFORM_COPY_H
#define TRANSFORM_COPY_H

#include "transform/ccc.h"
#include "transform/tpl.h"

typedef enum {
	AS_OWNER,       /* a lane's own iteration: its own registers, labels of the copy */
	AS_PATH,        /* the path: the path's registers */
	AS_ENTRY,       /* a value computed again at the entry */
	AS_SLICE        /* what the owner runs of the path: as it stands */
} Role;

typedef struct {
	const Ccc *c;
	const Module *m;
	Tpl *t;
	Edits *edits;
	uint32_t chain;     /* in lockstep: the next block of the chain to be copied */
	Role role;
	uint32_t block;     /* whose statements are being copied */
	bool drain;         /* the path's second copy: other labels */
	Bits told;          /* .loc statements whose places the copy has named */
	uint64_t exit_used; /* ways out that something branches to; bit 63: the 64th or a later one */
} Emit;

/* Names, in the arena: the path's register for sym (a component of it, if special), and the
 * recomputed value's. */
const char *copy_own(Emit *e, uint32_t sym, uint8_t sel);
const char *copy_recomputed(Emit *e, uint32_t sym);
/* The name of sym itself, NUL-terminated. */
const char *copy_name(Emit *e, uint32_t sym);

/* Label, with ^ and without the $, that an edge from e->block to block s leads to in the copy. */
const char *copy_target(Emit *e, uint32_t s);

/* Label of the copy of block b. */
const char *copy_label(Emit *e, uint32_t b);
/* Number of the way out of C to a block, or, where that is 0, by the statement. */
uint32_t copy_exit_number(const Ccc *c, uint32_t block, uint32_t stmt);

void copy_insn(Emit *e, const Stmt *s);
/* A statement with the white space in front of it; in step, predicated where it must be. Labels
 * and markers are left out. */
void copy_stmt(Emit *e, uint32_t stmt);
/* A statement of a slice on a line of its own. */
void copy_line(Emit *e, uint32_t stmt);
/* A branch from e->block to where the edge to block s leads, unless that label follows. */
void copy_branch(Emit *e, uint32_t s, const char *following);
/* A block under its label, and a branch to where control goes on from it unless the label
 * `following` does. */
void copy_block(Emit *e, uint32_t b, const char *following);
/* Ends the line, unless it is ended. */
void copy_new_line(Emit *e);

#endif
