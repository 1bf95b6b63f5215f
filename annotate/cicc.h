/* SPDX-License-Identifier: MIT */
/* Running cicc in its hook (hook.c), and the files that this takes. */
#ifndef ANNOTATE_CICC_H
#define ANNOTATE_CICC_H

#include "annotate/child.h"
#include "annotate/setup.h"
#include "base/buf.h"
#include "base/source.h"

/* Shows a command, if commands are shown. */
void cicc_say(const Hook *h, char *const *argv);
/* Runs cicc; its PTX goes to path to. text: compiled in place of the source, NULL: the source
 * itself is. */
Ended cicc_run(Hook *h, const Buf *text, const char *to, Caught *said);
bool cicc_ended_well(Ended e);
/* Can the names of files and folders stand in PTX, where a string has no escapes? */
bool cicc_lines_hold(const Source *src);
/* Names for the temporary files, which go away even if the hook is told to end; removes them. */
void cicc_names(Hook *h);
void cicc_remove(const Hook *h);

#endif
