/* SPDX-License-Identifier: MIT */
/* Statements that have the text of an earlier one, and name the same symbols: what is read of that
 * one holds of them. Much of an inserted text stands in it several times, in both copies of the
 * loop, in each iteration that is looked at, in several tasks. Internal to validate/. */
#ifndef VALIDATE_TEXT_STMT_DEDUP_H
#define VALIDATE_TEXT_STMT_DEDUP_H

#include "base/arena.h"
#include "parser/ptx.h"

/* A hash table of statements that differ. */
typedef struct {
	const Module *m;
	uint32_t *table, cap;
} Alike;

/* Of a text of so many statements. */
Alike alike_new(const Module *m, uint32_t n, Arena *a);
/* The first one, of those that were asked for, that is the same as this instruction but for where
 * it stands; itself, if there is none. */
uint32_t alike_first(Alike *x, uint32_t stmt);

#endif
