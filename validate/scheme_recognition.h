/* SPDX-License-Identifier: MIT */
/* Of what form a text is. Internal to validate/. */
#ifndef VALIDATE_SCHEME_RECOGNITION_H
#define VALIDATE_SCHEME_RECOGNITION_H

#include "validate/state/state.h"

/* scheme_recognition.c: what the text says that it collects, before its statements are read;
 * false: its form is
 * not known. How many votes a round has, behind that. */
bool form_read(Site *s);
bool form_rounds(Site *s);

#endif
