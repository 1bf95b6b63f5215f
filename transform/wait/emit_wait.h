/* SPDX-License-Identifier: MIT */
/* The text of loops whose lanes wait for each other. */
#ifndef TRANSFORM_WAIT_EMIT_WAIT_H
#define TRANSFORM_WAIT_EMIT_WAIT_H

#include "transform/emit/emit.h"

/* Of bound plans, what only policy `ahead` asks for: makes its copies, and tells the template
 * (emit_lookahead.c). */
void emit_ahead(Emit *e);
/* Of bound plans with a pool: makes the copies; tells the template (emit_assignment.c). */
void emit_pool(Emit *e);
void emit_pool_pieces(Emit *e);

#endif
