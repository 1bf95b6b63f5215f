/* SPDX-License-Identifier: MIT */
/* Verifies that output text is PTX that ptxas accepts. */
#ifndef TRANSFORM_OUTPUT_VERIFY_H
#define TRANSFORM_OUTPUT_VERIFY_H

#include "base/buf.h"
#include "parser/ptx.h"

/* An additional check of a module that passed. False: *why receives the fault. */
typedef bool Verify_hook(void *user, const Module *m, Buf *why);

/* Parses the text, which checks names, scopes, labels and operands; then checks what the parser
 * accepts but ptxas rejects: an inlined_at whose location no .loc has named before. False: *why
 * receives the first fault and its line. name: file name for messages. */
bool verify_text(const char *name, const char *text, size_t len, Buf *why);
/* The same with an additional check. whole: also checks that every lane of a group reaches every
 * barrier and vote that names it (convergence_check.h), which analyses each changed function. */
bool verify_with(const char *name, const char *text, size_t len, bool whole, Verify_hook *more,
	void *user, Buf *why);

#endif
