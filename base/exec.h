/* SPDX-License-Identifier: MIT */
/* Replaces the process by another program. */
#ifndef BASE_EXEC_H
#define BASE_EXEC_H

/* Executes argv[0], a path or a name looked up in PATH, as execvp does. Unlike execvp, it runs a
 * file that the system cannot execute as a script only if the file is text: a shell would interpret
 * the header of a damaged executable as commands, whose '>' (e_machine) creates a file. Returns
 * only on failure, with errno. */
void exec_program(char *const *argv);

#endif
