/* SPDX-License-Identifier: MIT */
/* Machine code that ptxccc keeps when it has run ptxas on its result, so that nvcc's ptxas step
 * need not assemble the same text again. */
#ifndef ANNOTATE_ASSEMBLED_H
#define ANNOTATE_ASSEMBLED_H

#include "base/buf.h"

/* The environment variable that names the folder of the kept files. It lives as long as nvcc. */
#define ASSEMBLED_FOLDER "CCC_ASSEMBLED"

/* Writes a file with the command (a list of the program and the options that affect the code, that
 * ends in NULL), the text that was assembled, and the code. */
void assembled_save(const char *file, const char *const *command, const Buf *text, const Buf *code);
/* Appends to `to` the name of the file for the code of this PTX file, in the folder. */
void assembled_name(const char *folder, const char *ptx, Buf *to);

#endif
