/* SPDX-License-Identifier: MIT */
/* Finds statements that repeat the text and symbols of an earlier one, so that they are analysed
 * once. Inserted text repeats itself: in both copies of the loop, in each look-ahead iteration, in
 * each task. Internal to validate/. */
#ifndef VALIDATE_TEXT_STMT_DEDUP_H
#define VALIDATE_TEXT_STMT_DEDUP_H

#include "base/arena.h"
#include "parser/ptx.h"

/* A hash table of distinct statements. */
typedef struct {
	const Module *m;
	uint32_t *table, cap;
} Stmt_dedup;

/* For a text of n statements. */
Stmt_dedup stmt_dedup_new(const Module *m, uint32_t n, Arena *a);
/* The first statement passed to this function that has the same text and symbols; stmt itself if
 * there is none. */
uint32_t stmt_dedup_first(Stmt_dedup *x, uint32_t stmt);

#endif
