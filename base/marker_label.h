/* SPDX-License-Identifier: MIT */
/* Markers as labels. A fat binary keeps no comments of its PTX, and markers are comments
 * (docs/markers.md); a label in front of the code behind each says the same, and does nothing.
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

/* Adds the text to a buffer, with a label behind each of its markers. */
void marker_labels_put(const char *text, size_t len, Buf *to);
/* Is it the name of such a label? */
bool marker_label_is(const char *name, size_t len);
/* Adds the text, with a marker in place of each such label. */
void marker_labels_take(const char *text, size_t len, Buf *to);

#endif
