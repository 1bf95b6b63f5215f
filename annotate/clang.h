/* SPDX-License-Identifier: MIT */
/* clang as the compiler of the hook: the command line of its device step, `clang -cc1 ... -S -o
 * OUT.s -x cuda SOURCE`, in place of cicc's. */
#ifndef ANNOTATE_CLANG_H
#define ANNOTATE_CLANG_H

#include "annotate/setup.h"

/* Whether the command is clang's and not cicc's. */
bool clang_is_command(char *const *argv);
/* Reads h->cicc from the command in h->cicc.argv. */
void clang_read(Hook *h);
/* Preprocesses the source if the compiler is clang. h->cicc then compiles the result, and
 * h->cicc.given remains the whole command; h->cicc.in is 0 if that is to be executed unchanged.
 * Returns an exit status. */
int clang_preprocess(Hook *h);

#endif
