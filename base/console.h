/* SPDX-License-Identifier: MIT */
/* Terminal input and output of the programs. libptxccc does not use it. */
#ifndef BASE_CONSOLE_H
#define BASE_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

/* Name of the program in its messages. Programs define it; name.c has the default. */
extern const char program_name[];

/* Opens closed standard streams, so that files opened later do not get their numbers and their
 * output. To be called first in main(). Using such a stream still fails. */
void console_open(void);
/* Writes out what was printed to stdout or stderr. Returns false, after a message, if some of it is
 * lost. */
bool console_flush(FILE *f);
/* Whether messages are coloured. when: "always", "never"; "auto" or NULL: depends on the terminal
 * and NO_COLOR. */
bool console_color(const char *when);

#endif
