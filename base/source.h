/* SPDX-License-Identifier: MIT */
/* Source text and positions in it.
 *
 * A Source holds one file's bytes; everything else refers to them by byte offset (Span). Lines and
 * columns are computed on demand from a line table that is built at the first question.
 */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t pos, end; } Span; /* bytes [pos, end) of the text */

typedef struct {
	char *name;         /* as given on the command line; "<stdin>" for "-" */
	char *text;         /* len bytes, then a NUL */
	uint32_t len;
	uint32_t *line;     /* offset of each line's first byte, built on demand */
	uint32_t nlines;
} Source;

/* Reads a whole file ("-": standard input). On failure false, and *err says why (a static or errno
 * string). Texts of 4 GiB - 1 and more are refused. */
bool source_read(Source *s, const char *path, const char **err);
/* A source over a copy of len bytes. */
void source_from(Source *s, const char *name, const char *text, size_t len);
void source_release(Source *s);

/* Line and column (in bytes) of an offset, both from 1. The first call, or source_line's, makes the
 * table of lines: it must have returned before several threads call. */
void source_position(Source *s, uint32_t pos, uint32_t *line, uint32_t *col);
/* The bytes of the line that holds pos, without its end of line. */
Span source_line(Source *s, uint32_t pos);

/* Writes len bytes to path by way of a temporary file in the same folder and a rename: the old file
 * stays as it was unless all went well. A file with several names, one that cannot be replaced and
 * what is no regular file are written in place. Path "-" or NULL: standard output. On failure
 * false, and *err says why. */
bool source_write(const char *path, const char *text, size_t len, const char **err);

#endif
