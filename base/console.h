/* SPDX-License-Identifier: MIT */
/* What only programs do: speak to whoever started them. libptxccc has none of this. */
#ifndef BASE_CONSOLE_H
#define BASE_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

/* What a program calls itself in its messages: its own to define, else name.c has one. */
extern const char program_name[];

/* Keeps the numbers of closed standard streams from files that are opened later, which would get
 * what is written to the streams. Comes first in main(); using the streams fails as before. */
void console_open(void);
/* Writes out what was printed to stdout or stderr; false, after a message, if some is lost. */
bool console_flush(FILE *f);
/* Are messages coloured? when: "always", "never"; "auto", NULL: as the terminal and NO_COLOR say.
 * */
bool console_color(const char *when);

#endif
