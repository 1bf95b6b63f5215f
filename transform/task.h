/* CCC: a task's context between registers and the buffer.
 *
 * A row of the buffer holds one value of every slot; its place is in Ccc_slot. Predicates are packed
 * into one word on the way. %^slot is the number of a slot, %^base the warp's part of the buffer.
 */
#ifndef TRANSFORM_TASK_H
#define TRANSFORM_TASK_H

#include "transform/copy.h"

/* Addresses of slot %^slot in rows of each width in use, into %^at1 .. %^at16. */
void task_addresses(Emit *e);
/* Loads the context of slot %^slot + shift into the path's registers, on lanes where the guard
 * ("", or "@%^mine " and the like) holds. */
void task_load(Emit *e, const char *guard, int shift);
/* Stores the lane's own context to slot %^slot, on lanes where %^want holds. */
void task_store(Emit *e);
/* The lane's own context into the path's registers. */
void task_take_own(Emit *e);

#endif
