/* SPDX-License-Identifier: MIT */
/* Recognition of the scheme of a transformed text. Internal to validate/. */
#ifndef VALIDATE_SCHEME_RECOGNITION_H
#define VALIDATE_SCHEME_RECOGNITION_H

#include "validate/state/state.h"

/* scheme_read: finds what the text collects, before its statements are decoded; false if the form
 * is unknown. scheme_count_votes: after decoding, finds the number of votes of a round. */
bool scheme_read(Loop_check *s);
bool scheme_count_votes(Loop_check *s);

#endif
