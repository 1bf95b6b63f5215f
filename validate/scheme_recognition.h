/* SPDX-License-Identifier: MIT */
/* Recognition of the scheme of a transformed text. Internal to validate/. */
#ifndef VALIDATE_SCHEME_RECOGNITION_H
#define VALIDATE_SCHEME_RECOGNITION_H

#include "validate/state/state.h"

/* form_read: finds what the text collects, before its statements are decoded; false if the form is
 * unknown. form_rounds: after decoding, finds the number of votes of a round. */
bool form_read(Site *s);
bool form_rounds(Site *s);

#endif
