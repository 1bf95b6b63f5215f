/* SPDX-License-Identifier: MIT */
/* Edit list: a pass says what is to change in the text, edit_apply gives the new text. All bytes
 * that no edit names are copied. Insertions at one place keep the order in which they were queued
 * and come before a replacement that starts there; replacements that overlap are an internal
 * error. (The idea of go's cmd/internal/edit.)
 */
#ifndef TRANSFORM_TEXT_EDIT_H
#define TRANSFORM_TEXT_EDIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"

typedef struct Edits Edits;

Edits *edit_new(Arena *a);
/* frees what does not live in the arena; e itself stays the arena's */
void edit_release(Edits *e);
/* The text is copied. */
void edit_insert(Edits *e, uint32_t pos, const char *text, size_t len);
void edit_replace(Edits *e, Span at, const char *text, size_t len);
bool edit_any(const Edits *e);
void edit_apply(Edits *e, const Source *src, Buf *out);
/* The byte that a byte of the edited text comes from, once the edits were applied; of new text,
 * where it was put. */
uint32_t edit_origin(const Edits *e, uint32_t pos);

#endif
