/* SPDX-License-Identifier: MIT */
/* Runs cicc for the hook (hook.c), and manages the files for that. */
#ifndef ANNOTATE_CICC_H
#define ANNOTATE_CICC_H

#include "annotate/child.h"
#include "annotate/setup.h"
#include "base/buf.h"
#include "base/source.h"

/* Prints a command if commands are shown. */
void cicc_print_command(const Hook *h, char *const *argv);
/* Compiles text, or the source itself if text is NULL. The PTX is written to the file `to`. */
Ended cicc_run(Hook *h, const Buf *text, const char *to, Caught *said);
/* The compiler's name in messages. */
const char *cicc_program(const Hook *h);
bool cicc_ended_well(Ended e);
/* Whether all file and folder names can be written in PTX, whose strings have no escapes. */
bool cicc_lines_are_reliable(const Source *src);
/* cicc_names chooses names of the temporary files, which are removed even if a signal ends the
 * hook; cicc_remove removes them. */
void cicc_names(Hook *h);
void cicc_remove(const Hook *h);

#endif
