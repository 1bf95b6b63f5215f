/* SPDX-License-Identifier: MIT */
/* Edits of a source text with line markers. Inserted text is enclosed in line markers, so that
 * every byte of the user's text keeps its line and column. */
#ifndef ANNOTATE_SOURCE_EDITS_H
#define ANNOTATE_SOURCE_EDITS_H

#include "annotate/source/cxx.h"
#include "base/buf.h"
#include "base/vec.h"

typedef struct {
	uint32_t pos, del;      /* replaces del bytes at pos */
	int64_t order;          /* among edits at one position: ascending */
	Span text;              /* in Edits.texts */
} Edit;

typedef struct {
	const char *name;       /* name of the file, for places before the first line marker */
	const char *text;
	uint32_t len;
	Buf texts;
	VEC(Edit) all;
} Edits;

void edits_release(Edits *e);

/* Writes a line marker including its newline. */
void edits_put_marker(const Edits *e, Buf *to, Cxx_place p, uint32_t line);
/* Writes e->name escaped as in a line marker. */
void cxx_edits_put_name(const Edits *e, Buf *to);
/* Writes the name of the place's file without the escapes of the line marker. */
void edits_put_file(const Edits *e, Buf *to, Cxx_place p);

/* Inserts text (whole lines) before byte pos, whose place is p: breaks the line there and pads
 * its rest with spaces to the old column. line: line number of the inserted text, 0 for p's own.
 * Among insertions at one byte, the lower order comes first. */
void edits_insert(
	Edits *e, uint32_t pos, Cxx_place p, uint32_t line, int64_t order, const char *text);
void cxx_edits_replace(Edits *e, Span at, const char *text);
/* Removes a directive but keeps its newlines. */
void edits_remove_directive(Edits *e, Cxx_token t);

/* Writes the edited text. */
void edits_apply(Edits *e, Buf *out);

#endif
