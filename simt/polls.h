/* SPDX-License-Identifier: MIT */
/* Which loads of a function poll: polls.c says what that means. Internal to simt/. */
#ifndef SIMT_POLLS_H
#define SIMT_POLLS_H

#include "analysis/dom.h"
#include "analysis/refs.h"

/* A bit for each statement, by ptx_local_stmt. Lives in arena a. */
Bits polls_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);

#endif
