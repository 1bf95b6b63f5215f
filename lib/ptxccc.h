/* SPDX-License-Identifier: MIT */
/* libptxccc: the transformation of ptxccc(1) for programs that hold PTX in memory. It reads PTX
 * text and produces PTX text.
 *
 *	ptxccc *c = ptxccc_new(NULL, NULL);
 *	if (c && ptxccc_transform(c, "k.ptx", ptx, strlen(ptx)) == PTXCCC_OK)
 *		use(ptxccc_text(c, NULL));
 *	ptxccc_free(c);
 *
 * A loop that cannot be transformed correctly is left unchanged. This causes a warning, and the
 * status is still PTXCCC_OK.
 *
 * The library has no state outside its contexts, prints nothing and never terminates the
 * process. A context must not be used by two threads at once; different contexts may be. What a
 * context returns (text, sites, report, message) is owned by the context and valid until the
 * next ptxccc_transform or ptxccc_annotate on it, or until ptxccc_free. All strings are
 * NUL-terminated.
 *
 * Needs C99 or C++. Within the 0.x versions of one soname, structures only grow at their end;
 * programs access them through pointers. */
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
	PTXCCC_ERROR = 1,       /* an error in the text, reported to the diagnostic function */
	PTXCCC_USAGE = 2,       /* an unusable argument or option */
	PTXCCC_NO_MEMORY = 3,
	PTXCCC_INTERNAL = 4     /* a bug in this library */
} ptxccc_status;

/* ---- contexts -------------------------------------------------------------------------------- */

/* Resizes block p (NULL: allocates a new one) to size bytes, aligned as by malloc, and returns
 * its address. Returns NULL on failure, and p stays valid. If size is 0, frees p and returns
 * NULL. `user` is the argument of ptxccc_new. */
typedef void *ptxccc_allocate(void *user, void *p, size_t size);

/* Returns a new context, to be freed with ptxccc_free, or NULL if memory is exhausted. The
 * context takes all its memory from allocate(user, ...), or from the C library if allocate is
 * NULL. */
PTXCCC_API ptxccc *ptxccc_new(ptxccc_allocate *allocate, void *user);
PTXCCC_API void ptxccc_free(ptxccc *c); /* c may be NULL */

/* Sets an option for all later calls, in the syntax of the command line of ptxccc(1):
 *	--policy=POLICY   policy of annotations without a policy() clause
 *	--threads=N       largest block size, in threads, for kernels that have neither .reqntid
 *	                  nor .maxntid (default: 1024)
 *	--max-regs=N      adds .maxnreg N to kernels with a transformed loop (16 to 255)
 *	--no-compress     saves recomputed values and lane invariants in each task, too
 *	--no-costliest    allots shared memory to paths in their order, not the costliest first
 *	--dynamic-shared=BYTES  launches request at most this much dynamic shared memory
 *	--grid            makes a task loop of kernels with paths outside of annotated loops
 *	--grid-blocks=N, --sms=N  blocks per multiprocessor for such a task loop; the GPU's
 *	                          number of multiprocessors
 *	--suggest         finds code in functions without annotations that is worth annotating
 *	                  (PTXCCC_SUGGESTIONS)
 *	--auto            transforms functions without annotations, too, where no promise is
 *	                  needed and a gain is certain, by a profile or the estimate; with
 *	                  --choose=always, wherever no promise is needed
 *	--other-assembler the program would otherwise execute machine code that another
 *	                  assembler makes of this PTX: a module that it may round differently
 *	                  is left unchanged (-Wccc-rounding), except with --fp=relaxed
 *	--profile-generate[=FILE]  instead of transforming, adds code that counts executions
 *	                  (docs/profiles.md); --profile-sampling=N: in one block of 2^N
 *	--check-promise[=N]  instead of transforming, adds code that checks the promises of
 *	                  annotations (docs/annotations.md), with a table of 2^N entries
 *	--explain         keeps what a page about the transformation shows
 *	                  (PTXCCC_EXPLANATION)
 *	--verify          also checks the barriers and votes of the result
 *	--switchable      keeps the original of each kernel with annotations as NAME_ccc_off;
 *	                  --switchable=NAME: keeps this kernel's in any case; may be repeated
 *	--timed           with ptxccc_plain(): the same for kernels with a policy that was chosen
 *	                  without a profile, or by --auto, from that text
 *	--strip-lines     omits .loc from the result: the input has them for diagnostics only
 *	--excerpts=WHAT   source lines that `printed` shows: cuda; ptx, only if the CUDA source
 *	                  is unknown (default); all
 *	--color           colours `printed` for a terminal
 *	-dSTEPS, --stop-after=STEP, --omit-line=FILE:N  for developers of the library: see
 *	                                                ptxccc(1)
 *	--strict          makes an annotated loop that cannot be transformed an error
 *	-WNAME            controls warnings: also -Wno-NAME, -Werror, -Werror=NAME
 * Returns PTXCCC_USAGE, and changes nothing, if the option is unknown or its value invalid. */
PTXCCC_API ptxccc_status ptxccc_option(ptxccc *c, const char *option);

/* ---- diagnostics ----------------------------------------------------------------------------- */

typedef enum { PTXCCC_NOTE, PTXCCC_WARNING, PTXCCC_SEVERE } ptxccc_severity; /* SEVERE: an error */

/* a place in the CUDA source; file is NULL if unknown */
typedef struct { const char *file; unsigned line, column; } ptxccc_place;
typedef struct { const char *text; ptxccc_place at; } ptxccc_remark;

typedef struct {
	ptxccc_severity severity;
	/* the kind, as in -WNAME: "ccc-live-out"; "" for a remark about the diagnostics
	 * themselves */
	const char *name;
	const char *text;       /* "path left unchanged: a call in the path to 'log'" */
	/* further lines: definitions, advice; each ends in a newline; "" if there are none */
	const char *notes;
	const char *file;       /* in the CUDA source; NULL if unknown */
	unsigned line, column;  /* both from 1; 0 if unknown */
	unsigned ptx_line, ptx_column; /* in the PTX, from 1; 0 if unknown */
	/* the whole diagnostic as ptxccc(1) prints it: several lines, with source line and caret */
	const char *printed;
	ptxccc_place at; /* the code that causes the diagnostic; `file` is the annotation's */
	ptxccc_place caller;    /* the call, if that code was inlined */
	const ptxccc_remark *note; /* nnotes entries: the notes with their places */
	size_t nnotes;
	/* copies of the place (by templates, inlining or unrolling) that the diagnostic applies
	 * to */
	unsigned copies;
	const char *function;   /* name as in C++; of the first copy */
} ptxccc_diagnostic;

/* Called for each diagnostic before the library call returns, in the order of the text, with at
 * most 20 errors per call. The function must return, and must not use the context that calls it;
 * it may use other contexts. *d and what it points to are valid until the function returns. */
typedef void ptxccc_diagnose(void *user, const ptxccc_diagnostic *d);
/* f NULL: discards diagnostics */
PTXCCC_API void ptxccc_on_diagnostic(ptxccc *c, ptxccc_diagnose *f, void *user);

/* Returns the text of a CUDA source file that a diagnostic names, and sets *len to its length in
 * bytes; returns NULL if it is unavailable. `printed` shows lines of it. The text must stay
 * valid until the library call that asked for it returns. */
typedef const char *ptxccc_read(void *user, const char *file, size_t *len);
PTXCCC_API void ptxccc_on_source(ptxccc *c, ptxccc_read *f, void *user); /* f NULL: no sources */

/* ---- the assembler --------------------------------------------------------------------------- */

/* Assembles PTX (len bytes, followed by a NUL) with the options that the program uses for the
 * result. Returns 0 on success, and nonzero if the PTX is rejected. Sets *log to the output of
 * ptxas -v, or of nvPTXCompiler with the option -v; the log must stay valid until the next call.
 * The function is also called with texts that the library does not return: the module with some
 * bodies emptied. With --assemble-whole the result itself is assembled.
 *
 * With an assembler, ptxccc_transform never returns a text that the assembler rejects. It keeps
 * kernels without launch bounds launchable with every block size that was possible before
 * (-Wccc-registers, -Wccc-maxnreg). It also lowers a kernel's register limit if that restores
 * the original occupancy without more spills (--occupancy). */
typedef int ptxccc_assemble(void *user, const char *ptx, size_t len, const char **log);
PTXCCC_API void ptxccc_on_assemble(ptxccc *c, ptxccc_assemble *f, void *user); /* f NULL: none */

/* Returns the machine code that the last call of the function of ptxccc_on_assemble made, and sets
 * *len to its length in bytes; NULL if there is none. It must stay valid until the next call.
 * `user` is that function's.
 *
 * With machine code, ptxccc_transform can prove how the assembler contracts multiplications with
 * additions, and transforms loops that it would leave unchanged to keep floating-point results. */
typedef const char *ptxccc_machine_code(void *user, size_t *len);
PTXCCC_API void ptxccc_on_machine_code(ptxccc *c, ptxccc_machine_code *f); /* f NULL: none */

/* ---- work ------------------------------------------------------------------------------------ */

/* Transforms the annotated loops of a PTX module of len bytes, which may end in NULs. `name` is
 * the module's name in diagnostics. PTX without annotations is returned unchanged, unless --auto is
 * set. On PTXCCC_OK,
 * ptxccc_text returns the result; ptxccc_site_at tells what was done. */
PTXCCC_API ptxccc_status ptxccc_transform(ptxccc *c, const char *name, const char *ptx, size_t len);

/* Makes the annotations (#pragma ccc ...) of a CUDA source of len bytes visible in the PTX
 * compiled from it, as cccnvcc does. This is for NVRTC, which compiles source text. `name` is
 * the file name that the compiler is given. On PTXCCC_OK, ptxccc_text returns the source to
 * compile, whose lines keep their numbers. Misplaced and misspelt annotations are errors.
 *
 * The text has not been preprocessed: keywords, parentheses and braces of an annotated statement
 * must be in the text itself, not come from macros; so must annotations by _Pragma and by the
 * macros of ccc.h. If a program consists of several texts (headers given to NVRTC), annotate all
 * of them with one context, which numbers their guards consecutively. The result therefore
 * depends on earlier calls: use a new context for each program whose text is to be cached. */
PTXCCC_API ptxccc_status ptxccc_annotate(ptxccc *c, const char *name, const char *cuda, size_t len);

/* Adds a profile (docs/profiles.md) for all later ptxccc_transform calls: len bytes of text,
 * which are copied. `name` is its file name in diagnostics. Several profiles add up. Those calls
 * report faults of a profile as warnings (-Wccc-profile-stale). text NULL: removes all profiles. */
PTXCCC_API ptxccc_status ptxccc_profile(ptxccc *c, const char *name, const char *text, size_t len);

/* Supplies the PTX that the compiler makes of the same source without its annotations, for all
 * later ptxccc_transform calls: len bytes, which are copied. `name` is the module's name in
 * diagnostics. With --profile-generate and --profile-sampling, blocks that do not count execute
 * its functions where these can replace the annotated ones, because the compiler was free to
 * unroll them; without it, they execute copies of the annotated functions. ptx NULL: removes it. */
PTXCCC_API ptxccc_status ptxccc_plain(ptxccc *c, const char *name, const char *ptx, size_t len);

/* ---- results of the last call ---------------------------------------------------------------- */

/* Returns the resulting text and sets *len, if len is not NULL, to its length in bytes. Returns
 * NULL if the call failed. */
PTXCCC_API const char *ptxccc_text(const ptxccc *c, size_t *len);
/* Returns why the last call, which may be of ptxccc_option, failed: one line without newline.
 * Returns "" if it succeeded. */
PTXCCC_API const char *ptxccc_message(const ptxccc *c);

typedef struct {
	const char *reg;        /* register name in the PTX */
	const char *type;       /* "b32" */
	unsigned bytes; /* size in a task, in bytes; 0 for a predicate, which takes one bit */
} ptxccc_value;

typedef struct {
	const char *function;   /* name in the PTX */
	const char *loop_file;  /* place of the loop's annotation in the CUDA source */
	unsigned loop_line;
	const char *path_file;  /* place of the path's annotation; NULL if there is none */
	unsigned path_line;
	int transformed;
	/* why not; NULL if transformed. If not, all members from here to ncontext are 0. */
	const char *reason;
	const char *policy;     /* "stack" */
	unsigned task_bytes;    /* size of a task, in bytes */
	unsigned shared_bytes;  /* static shared memory that this adds to a block, in bytes */
	unsigned max_threads;   /* larger blocks execute the original loop */
	const ptxccc_value *context; /* ncontext entries: the values that a task consists of */
	size_t ncontext;
	/* of the loop's annotation (ptxccc_annotation); set in any case */
	unsigned number;
	const char *choice;     /* choice that a profile made: "queue(4)", "leave"; NULL if none */
	const char *kind;       /* of `reason`, as in -WNAME: "ccc-rounding"; NULL if it has none */
} ptxccc_site;

/* Returns the i-th (from 0) annotated loop of the module, in the order of the text; NULL beyond
 * the last one. Also available after PTXCCC_ERROR if the PTX could be parsed. */
PTXCCC_API const ptxccc_site *ptxccc_site_at(const ptxccc *c, size_t i);

/* An annotation with all copies that templates, inlining and unrolling made of it. An annotation
 * of which no copy is applied still costs time, because the compiler does not unroll its loop:
 * the source may run faster without it. */
typedef struct {
	unsigned number;        /* of its guard, as in the markers */
	const char *file;       /* in the CUDA source; NULL if unknown */
	unsigned line;
	unsigned copies;        /* number of copies in the code */
	/* number of copies in loops that were transformed as the annotation says */
	unsigned followed;
} ptxccc_annotation;

/* Returns the i-th (from 0) annotation of the module, ordered by number; NULL beyond the last
 * one. */
PTXCCC_API const ptxccc_annotation *ptxccc_annotation_at(const ptxccc *c, size_t i);

typedef enum {
	PTXCCC_TEXT, PTXCCC_JSON,       /* as by ptxccc --report */
	PTXCCC_STEPS,                   /* dumps requested by -dSTEPS */
	PTXCCC_SARIF,                   /* version 2.1.0 */
	PTXCCC_REMARKS,                 /* LLVM optimization remarks, as YAML (.opt.yaml) */
	/* a page with the sources that the function of ptxccc_on_source returns */
	PTXCCC_HTML,
	PTXCCC_RECORDS,                 /* for cccnvcc, which merges the records of a build */
	PTXCCC_SUGGESTIONS,             /* result of --suggest, as text */
	PTXCCC_EXPLANATION              /* result of --explain, as a page of HTML */
} ptxccc_format;
/* Returns the result of the last call in the given format; "" if there is none. Never NULL. */
PTXCCC_API const char *ptxccc_report(const ptxccc *c, ptxccc_format format);

/* Returns the library's version: "0.2.0". */
PTXCCC_API const char *ptxccc_version(void);

#ifdef __cplusplus
}
#endif
#endif
