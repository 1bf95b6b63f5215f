/* SPDX-License-Identifier: MIT */
/* Annotations that nobody has written (cccnvcc --ccc-auto): which to put where. */
#ifndef SUGGEST_AUTO_ANNOTATE_H
#define SUGGEST_AUTO_ANNOTATE_H

#include "suggest/suggest.h"

/* Adds a line for each branch or inner loop of the functions without annotations that is to get
 * one, with the loop around it, which is to have `proven`:
 *
 *	if 49 52 46 md.cu         kind; lines of the statement, of its arm's first statement, of
 *	while 12 12 10 a b.cu     the loop around it (0: none; the kernel is to get a task loop);
 *	                          the file of all three
 *
 * No loop is in two of them, nor inside one of another. Depends on the text alone, so that a
 * program that counts and one that is made by its counts have the same. */
Suggest unasked;

#endif
