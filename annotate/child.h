/* SPDX-License-Identifier: MIT */
/* Running a program from the hook: its output caught or passed through, its end handed on.
 *
 * SIGINT, SIGTERM and SIGHUP are passed on to the program that runs; when it has ended, temporary
 * files are removed and this process ends by the same signal.
 */
#ifndef ANNOTATE_CHILD_H
#define ANNOTATE_CHILD_H

#include <stdbool.h>
#include "base/buf.h"

typedef struct {
	int code;       /* exit status; 127 if it could not be started */
	int signal;     /* that ended it, 0 if none */
} Ended;

typedef struct { Buf out, err; } Caught;

void child_catch_signals(void);
/* From here on a broken pipe ends this process as it ends any, unless it was started with that
 * signal ignored. */
void child_end_by_broken_pipe(void);
/* A file, or a folder in front of the files in it, to remove should this process end by a signal:
 * up to 8 at a time. path must hold until child_remove. */
void child_temporary(const char *path);
/* Removes it now. */
void child_remove(const char *path);

/* Runs argv[0] (a path, or a name looked up on PATH) and waits. in: what it reads from standard
 * input, NULL for this process's own;
 * caught: gets its output, NULL for this process's own. Says so itself if the program cannot be
 * started. */
Ended child_run(char *const *argv, const Buf *in, Caught *caught);
/* Becomes argv[0]; returns 127 after a message if that fails. */
int child_become(char *const *argv);

/* Ends as the child did: the exit status, or this process dies by the same signal, without its
 * temporary files. */
int child_status(Ended e);

void child_release(Caught *c);

#endif
