/* SPDX-License-Identifier: MIT */
/* Accesses whose order changes. Internal to validate/. */
#ifndef VALIDATE_APART_H
#define VALIDATE_APART_H

#include "validate/parts.h"

/* apart.c: do accesses whose order changes go to different variables, or does the annotation
 * promise that they do not meet? Asked of a site whose form was read, known or not. */
bool apart_holds(Site *s);

#endif
