/* SPDX-License-Identifier: MIT */
/* Becoming another program. */
#ifndef BASE_EXEC_H
#define BASE_EXEC_H

/* Becomes argv[0], a path or a name looked up on PATH, as execvp does. But a file that the system
 * cannot run is taken for a script only if it is text: a shell would take a damaged executable's
 * header for commands, whose '>' (e_machine) makes a file. Returns if that fails, with errno. */
void exec_program(char *const *argv);

#endif
