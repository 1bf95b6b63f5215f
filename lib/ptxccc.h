/* SPDX-License-Identifier: MIT */
/* libptxccc: the transformation of ptxccc(1) for programs that hold PTX in memory: PTX text in, PTX
 * text out.
 *
 *	ptxccc *c = ptxccc_new(NULL, NULL);
 *	if (c && ptxccc_transform(c, "k.ptx", ptx, strlen(ptx)) == PTXCCC_OK)
 *		use(ptxccc_text(c, NULL));
 *	ptxccc_free(c);
 *
 * A loop that cannot be transformed rightly stays as it was: that is a warning, and the status is
 * PTXCCC_OK.
 *
 * The library holds no state outside its contexts, prints nothing and never ends the process. A
 * context serves one thread at a time; several threads may use several contexts at once. What a
 * context gives out (text, sites, report, message) belongs to it and holds until the next
 * ptxccc_transform or ptxccc_annotate with it, or ptxccc_free.
 *
 * Needs C99 or C++. Within 0.x versions of one soname, structures only grow at their end; programs
 * get them by pointer.
 */
#ifndef PTXCCC_PTXCCC_H
#define PTXCCC_PTXCCC_H

#include <stddef.h>

#ifdef __GNUC__
#define PTXCCC_API __attribute__((visibility("default")))
#else
#define PTXCCC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ptxccc ptxccc;

typedef enum {
	PTXCCC_OK = 0,
	PTXCCC_ERROR = 1,       /* an error in the text; the diagnostic function was told */
	PTXCCC_USAGE = 2,       /* an argument or option that cannot be used */
	PTXCCC_NO_MEMORY = 3,
	PTXCCC_INTERNAL = 4     /* a bug in this library */
} ptxccc_status;

/* ---- contexts -------------------------------------------------------------------------------- */

/* Resizes the block p (NULL: a new one) to size bytes, aligned as malloc does. NULL if that cannot
 * be; p is then as before. size 0: frees p, and gives NULL. */
typedef void *ptxccc_allocate(void *user, void *p, size_t size);

/* A context that takes all its memory from allocate(user, ...), or from the C library if that is
 * NULL. NULL if there is no memory for it. */
PTXCCC_API ptxccc *ptxccc_new(ptxccc_allocate *allocate, void *user);
PTXCCC_API void ptxccc_free(ptxccc *c); /* c may be NULL */

/* Sets an option for all that follows, as ptxccc(1) has it on its command line:
 *	--policy=POLICY   for annotations without a policy() clause
 *	--threads=N       the largest block, where the PTX has neither .reqntid nor .maxntid (1024)
 *	--max-regs=N      kernels with a transformed loop get .maxnreg N (16 to 255)
 *	--no-compress     tasks save what could be computed, or kept once a lane, too
 *	--no-costliest    paths have shared memory in their order, not the costliest first
 *	--dynamic-shared=BYTES  launches ask for no more dynamic shared memory
 *	--grid            kernels with paths outside of annotated loops get a task loop
 *	--grid-blocks=N, --sms=N  blocks a multiprocessor that take part in it; multiprocessors of
 *	                          the GPU
 *	--suggest         say of functions without annotations what is worth one
 *	                  (PTXCCC_SUGGESTIONS)
 *	--profile-generate[=FILE]  transform nothing: make code that counts how often paths are come
 *	                  to (docs/profiles.md); --profile-sampling=N: one block of 2^N does
 *	--verify          look at the barriers and votes of the result, too
 *	--switchable      kernels with annotations are there as they were, too, as NAME_ccc_off;
 *	                  --switchable=NAME: this kernel in any case, may be repeated
 *	--strip-lines     no .loc in the result: the input has them for the sake of diagnostics
 *	--excerpts=WHAT   which places diagnostics show as printed: cuda; ptx, where nothing is
 *	                  known of the CUDA source (as without
 *	                  this option); all
 *	--color           as printed, with a terminal's colours
 *	-dSTEPS, --stop-after=STEP, --omit-line=FILE:N  for those who work on the library: see
 *	                                                ptxccc(1)
 *	--strict          an annotated loop that cannot be transformed is an error
 *	-WNAME            no-NAME, error, error=NAME: warnings
 * PTXCCC_USAGE: there is no such option, or its value is wrong; nothing is changed. */
PTXCCC_API ptxccc_status ptxccc_option(ptxccc *c, const char *option);

/* ---- diagnostics ----------------------------------------------------------------------------- */

typedef enum { PTXCCC_NOTE, PTXCCC_WARNING, PTXCCC_SEVERE } ptxccc_severity; /* SEVERE: an error */

/* in the CUDA source; file NULL: not known */
typedef struct { const char *file; unsigned line, column; } ptxccc_place;
typedef struct { const char *text; ptxccc_place at; } ptxccc_remark;

typedef struct {
	ptxccc_severity severity;
	/* its kind, as in -WNAME: "ccc-live-out"; "" for a remark on the diagnostics themselves */
	const char *name;
	const char *text;       /* "path left as it was: '%f12' flows out of it" */
	/* further lines: where things are defined, what to do; each ends in a line end; "" if
	 * none */
	const char *notes;
	const char *file;       /* in the CUDA source: NULL, and line and column 0, if not known */
	unsigned line, column;  /* from 1; column 0 if not known */
	unsigned ptx_line, ptx_column; /* in the PTX, from 1; 0 if not known */
	/* all of it as ptxccc(1) prints it, with the line of text and a caret, several lines */
	const char *printed;
	ptxccc_place at;        /* the code at fault, where `file` is the annotation's */
	ptxccc_place caller;    /* where that code was inlined */
	const ptxccc_remark *note; /* the notes, with their places */
	size_t nnotes;
	/* of that place in the module, by templates, inlining or unrolling, of all of which this is
	 * said */
	unsigned copies;
	const char *function;   /* as C++ has it: the first copy's */
} ptxccc_diagnostic;

/* Called for each diagnostic of a call before that call returns, in the order of the text; at most
 * 20 errors. It must return; it may use other contexts, but not the one that calls it. What d
 * points to holds until it returns. */
typedef void ptxccc_diagnose(void *user, const ptxccc_diagnostic *d);
PTXCCC_API void ptxccc_on_diagnostic(ptxccc *c, ptxccc_diagnose *f, void *user); /* f NULL: none */

/* Gives the text of a CUDA source that diagnostics name, for `printed` to show its lines: NULL if
 * it cannot be had. The text must hold until the call that asked for it returns. */
typedef const char *ptxccc_read(void *user, const char *file, size_t *len);
PTXCCC_API void ptxccc_on_source(ptxccc *c, ptxccc_read *f, void *user); /* f NULL: none */

/* ---- the assembler --------------------------------------------------------------------------- */

/* Assembles PTX (len bytes, and a NUL behind them) as the program that uses it will: 0, or not 0 if
 * it is refused. *log: what ptxas -v says, or nvPTXCompiler with the option -v; it must hold until
 * the next call. Such a function is asked about texts that are not handed out: the module with some
 * bodies empty.
 *
 * With one, ptxccc_transform gives out no text that the assembler refuses, sees to it that kernels
 * without launch bounds start with every block that they started with before (-Wccc-registers,
 * -Wccc-maxnreg), and holds kernels to a few registers less where that leaves room for as many
 * warps as before and nothing more is spilled (--occupancy). */
typedef int ptxccc_assemble(void *user, const char *ptx, size_t len, const char **log);
PTXCCC_API void ptxccc_on_assemble(ptxccc *c, ptxccc_assemble *f, void *user); /* f NULL: none */

/* ---- work ------------------------------------------------------------------------------------ */

/* Transforms the annotated loops of a PTX module: len bytes, which may end in NULs. name: what
 * diagnostics call it. PTX without annotations comes out as it is. ptxccc_text() then has the
 * result, ptxccc_site() what was done. */
PTXCCC_API ptxccc_status ptxccc_transform(ptxccc *c, const char *name, const char *ptx, size_t len);

/* Makes the annotations in CUDA source (#pragma ccc ...) visible in the PTX that a compiler makes
 * of it, as cccnvcc does: for NVRTC, which is given source text. name: the file's, as the compiler
 * is told it. ptxccc_text() then has the source to compile; every line of it keeps its number.
 * Misplaced and misspelt annotations are errors.
 *
 * The text is read before the preprocessor: an annotated statement's keywords, parentheses and
 * braces must stand in the text themselves, not come from macros; likewise annotations by _Pragma
 * and by the macros of ccc.h. Of a program with several texts (headers given to NVRTC) each is
 * annotated, by the same context, which numbers the guards of all. So what comes out depends on
 * what the context annotated before: take a new one for each program whose text is to be cached. */
PTXCCC_API ptxccc_status ptxccc_annotate(ptxccc *c, const char *name, const char *cuda, size_t len);

/* Gives a profile (docs/profiles.md; name: its file's) to all ptxccc_transform that follow: len
 * bytes of text, which are copied. Several add up. What is wrong with one is told as warnings
 * (-Wccc-profile-stale) by those calls. text NULL: none any more. */
PTXCCC_API ptxccc_status ptxccc_profile(ptxccc *c, const char *name, const char *text, size_t len);

/* Gives what the compiler makes of the same source without its annotations (len bytes of PTX, which
 * are copied; name: what diagnostics call it) to all ptxccc_transform that follow. With
 * --profile-generate and --profile-sampling blocks that do not count run its functions, as far as
 * they can stand in the others' place, which nothing keeps from being unrolled; without it, copies
 * of the annotated ones. ptx NULL: it is none any more. */
PTXCCC_API ptxccc_status ptxccc_plain(ptxccc *c, const char *name, const char *ptx, size_t len);

/* ---- results of the last call ---------------------------------------------------------------- */

/* The text that came out, NUL-terminated; its length to *len unless that is NULL. NULL if the call
 * failed. */
PTXCCC_API const char *ptxccc_text(const ptxccc *c, size_t *len);
/* Why the last call, of ptxccc_option too, failed: one line, without line end. "" if it did not. */
PTXCCC_API const char *ptxccc_message(const ptxccc *c);

typedef struct {
	const char *reg;        /* register as the PTX names it */
	const char *type;       /* "b32" */
	unsigned bytes;         /* a task; 0 for a predicate, which takes a bit */
} ptxccc_value;

typedef struct {
	const char *function;   /* as the PTX names it */
	const char *loop_file;  /* where the loop's annotation stands in the CUDA source */
	unsigned loop_line;
	const char *path_file;  /* the path's annotation; NULL if there is none */
	unsigned path_line;
	int transformed;
	const char *reason;     /* why not; NULL if transformed. All that follows is 0 if not. */
	const char *policy;     /* "stack" */
	unsigned task_bytes;    /* what a task takes */
	unsigned shared_bytes;  /* static shared memory that the kernel takes for it, for a block */
	unsigned max_threads;   /* larger blocks run the loop as it was */
	const ptxccc_value *context; /* what a task is made of */
	size_t ncontext;
	/* of the loop's annotation (ptxccc_annotation); also if it was not transformed */
	unsigned number;
	const char *choice;     /* of a profile, that was followed: "queue(4)", "leave"; NULL */
} ptxccc_site;

/* The annotated loops of the module, in the order of the text: the i-th from 0; NULL: there are no
 * more. Also after PTXCCC_ERROR, where the PTX could be read. */
PTXCCC_API const ptxccc_site *ptxccc_site_at(const ptxccc *c, size_t i);

/* An annotation, with all copies that templates, inlining and unrolling made of it. One of which no
 * copy is followed costs something all the same, since the compiler does not unroll its loop: a
 * source that is compiled without it may run faster. */
typedef struct {
	unsigned number;        /* of its guard, as markers have it */
	const char *file;       /* in the CUDA source; NULL if not known */
	unsigned line;
	unsigned copies;        /* in the code */
	unsigned followed;      /* of those, in loops that were transformed by what they say */
} ptxccc_annotation;

/* The annotations of the module, by number: the i-th from 0; NULL: there are no more. */
PTXCCC_API const ptxccc_annotation *ptxccc_annotation_at(const ptxccc *c, size_t i);

typedef enum {
	PTXCCC_TEXT, PTXCCC_JSON,       /* as from ptxccc --report */
	PTXCCC_STEPS,                   /* what the steps behind ptxccc -d found */
	PTXCCC_SARIF,                   /* 2.1.0 */
	PTXCCC_REMARKS,                 /* LLVM's, as YAML (.opt.yaml) */
	/* a page, with the sources that ptxccc_on_source's function gives */
	PTXCCC_HTML,
	PTXCCC_RECORDS,                 /* for cccnvcc, which puts those of a build together */
	PTXCCC_SUGGESTIONS              /* what --suggest asks for, as text */
} ptxccc_format;
/* The same as a text for people or for programs. */
PTXCCC_API const char *ptxccc_report(const ptxccc *c, ptxccc_format format);

/* The library's version: "0.2.0". */
PTXCCC_API const char *ptxccc_version(void);

#ifdef __cplusplus
}
#endif
#endif
