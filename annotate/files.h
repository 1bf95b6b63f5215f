/* SPDX-License-Identifier: MIT */
/* File operations of the hooks. Functions that can fail print a message and return 2, else 0. */
#ifndef ANNOTATE_FILES_H
#define ANNOTATE_FILES_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/diag.h"

/* Returns the program's name in messages. For ccc-annotate, it is that of its caller, cccnvcc. */
const char *message_name(void);
/* Replaces the file atomically, by rename. */
int file_write(const char *path, const char *text, size_t len);
/* Writes in place: for temporary files. */
int file_write_here(const char *path, const char *text, size_t len);
/* Appends in a single write, because concurrent builds may share the file. */
int file_append(const char *path, const char *text, size_t len);
int file_copy(const char *from, const char *to);
/* Copies to a file for which source_is_special is true. */
int file_deliver(const char *from, const char *to);
/* Appends the contents of a file, if it exists, to a buffer, and removes the file. */
void file_read_and_remove(const char *path, Buf *to);
bool file_on_path(const char *program); /* whether it is executable: a path, or a name on PATH */
bool file_has_text(const char *path);   /* whether it exists and is not empty */

/* Style of messages with source lines, coloured on a terminal. */
Diag_style file_style(Source *last);

#endif
