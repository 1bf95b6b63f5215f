/* SPDX-License-Identifier: MIT */
/* Edit list: passes queue changes of the text, and edit_apply produces the new text. All bytes
 * outside of edits are copied. Insertions at one position keep the order in which they were queued
 * and precede a replacement that starts there; overlapping replacements are an internal error. (The
 * idea is from Go's cmd/internal/edit.) */
#ifndef TRANSFORM_TEXT_EDIT_H
#define TRANSFORM_TEXT_EDIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"

typedef struct Edits Edits;

Edits *edit_new(Arena *a);
/* Frees what is not in the arena; e itself is in the arena. */
void edit_release(Edits *e);
/* These copy the text. */
void edit_insert(Edits *e, uint32_t pos, const char *text, size_t len);
void edit_replace(Edits *e, Span at, const char *text, size_t len);
/* The span in a text that starts at position `from` of this one. */
static inline Span
edit_span_from(Span at, uint32_t from)
{
	return (Span){ at.pos - from, at.end - from };
}
bool edit_any(const Edits *e);
void edit_apply(Edits *e, const Source *src, Buf *out);
/* Returns the position in the original text of a byte of the edited text, after edit_apply(); for
 * new text, the position where it was inserted. */
uint32_t edit_origin(const Edits *e, uint32_t pos);
/* Whether a byte of the edited text is new. */
bool edit_is_new(const Edits *e, uint32_t pos);

#endif
