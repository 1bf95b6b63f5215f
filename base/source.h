/* SPDX-License-Identifier: MIT */
/* Source text and positions in it.
 *
 * A Source holds the bytes of one file; everything else refers to them by byte offset (Span). Lines
 * and columns are computed on demand from a line table, which the first query builds. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

typedef struct { uint32_t pos, end; } Span; /* bytes [pos, end) of the text */

typedef struct {
	char *name;         /* as on the command line; "<stdin>" for "-" */
	char *text;         /* len bytes, then a NUL */
	uint32_t len;
	uint32_t *line;     /* offset of each line's first byte, built on demand */
	uint32_t nlines;
	/* by line of the text: the line that positions have, of a text that it was made from; NULL:
	 * its own */
	uint32_t *shown;
} Source;

/* Reads a whole file ("-": standard input). Returns false on failure, with the reason in *err (a
 * static or errno string). Rejects texts of 4 GiB - 1 and more. */
bool source_read(Source *s, const char *path, const char **err);
/* Makes a source from a copy of len bytes. */
void source_from(Source *s, const char *name, const char *text, size_t len);
void source_release(Source *s);
/* Appends a file's bytes. Returns false, and appends nothing, if it cannot be read. */
bool source_append(Buf *to, const char *path);
bool source_is_special(const char *path); /* whether it is standard output, a pipe or a device */
/* Returns the text of a CUDA source for messages (a Diag_read); NULL if it cannot be read. last: a
 * Source, initially zero, that holds the most recent file and is to be released. */
const char *source_read_shown(void *last, const char *file, size_t *len);

/* Computes line and column (in bytes) of an offset, both from 1. The first call of this, of
 * source_line or source_line_start builds the line table: it must have returned before other
 * threads call. */
void source_position(Source *s, uint32_t pos, uint32_t *line, uint32_t *col);
/* The same in the text itself, whatever lines are shown. */
void source_text_position(Source *s, uint32_t pos, uint32_t *line, uint32_t *col);
/* Shows the lines of text `of`: origin returns the position there of a byte of s. */
typedef uint32_t Source_origin(const void *user, uint32_t pos);
void source_show_lines_of(Source *s, Source *of, Source_origin *origin, const void *user);
/* Returns the bytes of the line that contains pos, without its line end. */
Span source_line(Source *s, uint32_t pos);
/* Returns the offset of the first byte of a line, from 1; of the text's end if it has fewer. */
uint32_t source_line_start(Source *s, uint32_t line);

/* Writes len bytes to path through a temporary file in the same folder and a rename: the old file
 * is unchanged unless everything succeeds. A file with several links, one that cannot be replaced,
 * and one that is not a regular file are written in place. Path "-" or NULL: standard output.
 * Returns false on failure, with the reason in *err. */
bool source_write(const char *path, const char *text, size_t len, const char **err);

#endif
