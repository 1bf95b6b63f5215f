/* SPDX-License-Identifier: MIT */
/* Accesses whose order changes. Internal to validate/. */
#ifndef VALIDATE_DISJOINT_ACCESSES_H
#define VALIDATE_DISJOINT_ACCESSES_H

#include "validate/state/state.h"

/* disjoint_accesses.c: do accesses whose order changes go to different variables, or does the
 * annotation
 * promise that they do not meet? Asked of a site whose form was read, known or not. */
bool apart_holds(Site *s);

#endif
