/* SPDX-License-Identifier: MIT */
/* What the cicc hook knows before it starts: its options and what stands in cicc's command line. */
#ifndef ANNOTATE_SETUP_H
#define ANNOTATE_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/vec.h"

typedef struct {
	bool report, strict, markers_only, keep, keep_ptx, verbose;
	bool suggests;                  /* what is worth an annotation is told */
	bool unasked;                   /* code without annotations is transformed, too */
	bool profiled;                  /* there is a profile to choose by */
	bool switchable;                /* kernels as they were stand beside the others */
	bool generates;                 /* code that counts, in place of transformed code */
	bool counts_all;                /* there is no block that does not */
	const char *report_file;        /* NULL: standard error */
	const char *policy, *threads;   /* "--policy=...", NULL if not given */
	/* -W..., --max-regs=... and others that it gets as they are */
	VEC(char *) ptxccc_options;
	const char *ptxccc, *ptxas;     /* "": none */
	const char *maxreg;             /* nvcc's -maxrregcount, NULL if not given */
	Arena *arena;
	char **cicc;                    /* the command as nvcc gave it */
	int ncicc;
	/* indexes in cicc of the source and of -o's file, 0: none */
	int in, to;
	const char *source, *arch;      /* the user's file, compute_90 */
	const char *out;                /* where the PTX goes */
	char *folder;                   /* of the temporary files; NULL: not made yet */
	/* where cicc writes it; what it makes of the source without annotations */
	const char *made, *made_again, *made_plain;
	/* the host code that registers kernels, and what that includes; NULL: none */
	const char *stub, *include;
	const char *switched;           /* where names of kernels that can be switched stand */
	const char *followed, *report_part; /* where ptxccc says what it did */
	/* in the PTX: the user wants them; they are wanted for messages alone */
	bool lines, ask_lines;
	const char *bypass;             /* why nothing can be transformed, NULL if it can */
} Hook;

/* Reads argv as hook_cicc gets it. 0, or the exit status after a message. */
int hook_setup(Hook *h, int argc, char **argv);
void hook_release(Hook *h);

/* Three strings put together; lives as long as h. */
char *hook_join(Hook *h, const char *a, const char *b, const char *c);
/* What kept files are called: as the PTX, or, where that is one of nvcc's temporaries or no regular
 * file, as the source with the architecture. */
char *hook_stem(Hook *h);
/* The path of a temporary file in a folder of this hook's own (mode 700) beside cicc's source. */
char *hook_temporary(Hook *h, const char *name);
/* Removes that folder, if there is one. */
void hook_remove_folder(Hook *h);

#endif
