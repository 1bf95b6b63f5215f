/* SPDX-License-Identifier: MIT */
/* Edits of a source text with line markers: what is inserted stands between line markers, so that
 * every byte of the user's keeps its line and column.
 */
#ifndef ANNOTATE_EDITS_H
#define ANNOTATE_EDITS_H

#include "annotate/cxx.h"
#include "base/buf.h"
#include "base/vec.h"

typedef struct {
	uint32_t pos, del;      /* replaces del bytes at pos */
	int64_t order;          /* among edits at one place: ascending */
	Span text;              /* in Edits.texts */
} Edit;

typedef struct {
	const char *name;       /* the file's, for places before the first line marker */
	const char *text;
	uint32_t len;
	Buf texts;
	VEC(Edit) all;
} Edits;

void edits_release(Edits *e);

/* Adds a line marker with its line end. */
void edits_put_marker(const Edits *e, Buf *to, Cxx_place p, uint32_t line);
/* Adds e->name as a line marker has it, between its quotes. */
void cxx_edits_put_name(const Edits *e, Buf *to);
/* Adds the name of the place's file, escapes of the line marker undone. */
void edits_put_file(const Edits *e, Buf *to, Cxx_place p);

/* Inserts text (whole lines) before byte pos, whose place is p: the line is broken there and its
 * rest moved to its old column by blanks. line: what the inserted lines claim to be, 0 for p's own.
 * Among insertions at one byte, the lower order comes first. */
void edits_insert(
	Edits *e, uint32_t pos, Cxx_place p, uint32_t line, int64_t order, const char *text);
void cxx_edits_replace(Edits *e, Span at, const char *text);
/* Removes a directive; its line ends stay. */
void edits_remove_directive(Edits *e, Cxx_token t);

/* Adds the edited text. */
void edits_apply(Edits *e, Buf *out);

#endif
