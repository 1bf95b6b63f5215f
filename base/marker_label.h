/* SPDX-License-Identifier: MIT */
/* Markers as labels. A fat binary does not keep comments of its PTX, and markers are comments
 * (docs/markers.md). A label after each marker carries the same information and has no effect.
 *
 *	// begin inline asm
 *	// .ccc begin if 0 "a.cu":5
 *	// end inline asm
 *	$ccc__7_begin_20if_200_20_22a_2Ecu_22_3A5:
 */
#ifndef BASE_MARKER_LABEL_H
#define BASE_MARKER_LABEL_H

#include <stdbool.h>
#include "base/buf.h"

/* Appends the text to a buffer, with a label after each of its markers. */
void marker_labels_encode(const char *text, size_t len, Buf *to);
/* Whether it is the name of such a label. */
bool marker_label_is(const char *name, size_t len);
/* Appends the text, with each such label replaced by its marker. */
void marker_labels_decode(const char *text, size_t len, Buf *to);

#endif
