/* SPDX-License-Identifier: MIT */
/* The settings of the cicc hook: its options, and the relevant parts of cicc's command line. */
#ifndef ANNOTATE_SETUP_H
#define ANNOTATE_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/vec.h"

/* What --ccc-suggest asks for: a table; a patch; or the source compiled as if it were applied. */
typedef enum { SUGGESTS_NOTHING, SUGGESTS_TABLE, SUGGESTS_FIXES, SUGGESTS_APPLIED } Suggests;

/* The --ccc options. */
typedef struct {
	bool report, strict, markers_only, keep, keep_ptx, verbose;
	Suggests suggests;
	bool unasked;                   /* transform code without annotations, too */
	bool unasked_instead;           /* where no annotation is applied, by a profile */
	bool profiled;                  /* there is a profile for choosing policies */
	bool timed;                     /* the program times transformed kernels and originals */
	bool no_timed;                  /* --ccc-auto does not imply that */
	bool switchable;                /* keep the originals of transformed kernels */
	bool generates;                 /* instrument with counters instead of transforming */
	bool counts_all;                /* every block counts */
	const char *report_file;        /* NULL for standard error */
	const char *policy, *threads;   /* "--policy=...", NULL if not given */
	/* -W..., --max-regs=... and other options passed on to ptxccc */
	VEC(char *) ptxccc;
} Hook_options;

/* The command as nvcc or clang gave it, and its relevant options. */
typedef struct {
	char **given;
	char **argv;            /* compiles preprocessed source; clang's is made from `given` */
	int argc;
	/* indexes in argv of the source and of -o's file; 0 if absent */
	int in, to;
	const char *source, *arch;      /* the user's file; compute_90 */
	const char *out;                /* destination of the PTX */
	const char *maxreg;             /* nvcc's -maxrregcount, NULL if not given */
	/* the host code that registers kernels, and the file that it includes; NULL if none */
	const char *stub, *include;
	bool lines;                     /* requests .loc in the PTX */
	bool relocatable;               /* nvcc -rdc=true */
	bool clang;                     /* the compiler is clang (clang.h), not cicc */
} Cicc_command;

/* Paths of the temporary files. */
typedef struct {
	char *folder;                   /* NULL if not created yet */
	/* PTX by cicc: of the rewritten source, of the second compilation, of the source without
	 * annotations */
	const char *made, *made_again, *made_plain;
	const char *switched;           /* names of switchable kernels */
	const char *followed, *report_part; /* output files of ptxccc */
} Hook_files;

typedef struct {
	Hook_options options;
	Cicc_command cicc;
	Hook_files files;
	const char *ptxccc, *ptxas;     /* "" if not used */
	const char *assembled;          /* file for the machine code of the result; NULL: none */
	bool ask_lines;                 /* .loc in the PTX is needed only for messages */
	bool unrolls_whole;             /* cicc is not to copy the bodies of loops that remain */
	const char *bypass;             /* why nothing can be transformed; NULL if it can */
	Arena *arena;
} Hook;

/* Parses the arguments of hook_cicc. Returns 0, or the exit status after printing a message. */
int hook_setup(Hook *h, int argc, char **argv);
void hook_release(Hook *h);

/* Concatenates three strings; the result lives as long as h. */
char *hook_join(Hook *h, const char *a, const char *b, const char *c);
/* Returns the base name of kept files: that of the PTX or, if that is one of nvcc's temporary
 * files or not a regular file, that of the source with the architecture. */
char *hook_stem(Hook *h);
/* Returns the path of a temporary file, in this hook's own folder (mode 700) next to cicc's
 * source. */
char *hook_temporary(Hook *h, const char *name);
/* Removes that folder if it exists. */
void hook_remove_folder(Hook *h);

#endif
