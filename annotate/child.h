/* SPDX-License-Identifier: MIT */
/* Runs a program from the hook: captures its output or passes it through, and forwards how it
 * ended.
 *
 * SIGINT, SIGTERM and SIGHUP are forwarded to the running program. When it has ended, temporary
 * files are removed and this process ends by the same signal. */
#ifndef ANNOTATE_CHILD_H
#define ANNOTATE_CHILD_H

#include <stdbool.h>
#include "base/buf.h"

typedef struct {
	int code;       /* exit status; 127 if it could not be started */
	int signal;     /* signal that ended it; 0 if none */
} Ended;

typedef struct { Buf out, err; } Caught;

void child_catch_signals(void);
/* Makes a broken pipe end this process by SIGPIPE, unless it was started with that signal
 * ignored. */
void child_end_by_broken_pipe(void);
/* Registers a file or folder to be removed if a signal ends this process; a folder before the
 * files in it. At most 8 at a time. path must stay valid until child_remove. */
void child_temporary(const char *path);
/* Removes it now. */
void child_remove(const char *path);

/* Runs argv[0] (a path, or a name to look up on PATH) and waits for it. in: its standard input,
 * NULL for this process's own; caught: receives its output, NULL for this process's own. Prints
 * a message if the program cannot be started. */
Ended child_run(char *const *argv, const Buf *in, Caught *caught);
/* Replaces this process by argv[0]. Returns 127 after printing a message if that fails. */
int child_become(char *const *argv);

/* Ends as the child did: returns its exit status, or kills this process by the same signal after
 * removing the temporary files. */
int child_status(Ended e);

void child_release(Caught *c);

#endif
