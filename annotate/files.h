/* SPDX-License-Identifier: MIT */
/* Files of the hooks. What can fail says so itself and returns 2, else 0. */
#ifndef ANNOTATE_FILES_H
#define ANNOTATE_FILES_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/diag.h"

/* in one step, by a rename */
int file_write(const char *path, const char *text, size_t len);
/* without one: for temporary files */
int file_write_here(const char *path, const char *text, size_t len);
/* in one piece: builds side by side may share it */
int file_append(const char *path, const char *text, size_t len);
int file_copy(const char *from, const char *to);
/* to what file_is_special says */
int file_deliver(const char *from, const char *to);
/* adds what it holds, if it is there, and removes it */
void file_take(const char *path, Buf *to);
bool file_on_path(const char *program); /* can it be run: a path, or a name on PATH? */
bool file_has_text(const char *path);   /* is it there, and not empty? */
bool file_is_special(const char *path); /* standard output, a pipe, a device? */

/* The text of a CUDA source that messages show lines of (Diag_read); NULL: it cannot be had. last:
 * a Source, all zeros at first: the file that was asked for last stays in it. */
const char *file_read_shown(void *last, const char *file, size_t *len);
/* Messages with such lines, in colour on a terminal. */
Diag_style file_style(Source *last);

#endif
