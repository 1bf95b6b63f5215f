/* SPDX-License-Identifier: MIT */
/* ccc-tune: selects the policy of each annotated loop of a program by building and running it
 * (docs/tuning.md).
 *
 *	options.c   the command line
 *	child.c     child processes and ^C
 *	sites.c     reads a build's report: sites with a choice of policies, and whether a plan was
 *	            followed
 *	build.c     builds the program with a plan
 *	timer.c     runs the program and measures its kernels
 *	outputs.c   compares its output with that of the first run
 *	measure.c   measures a plan once, by all of these; cache.c stores the results
 *	search.c    selects the plans to measure and finds the best
 *	suggest.c   --suggest: the sites are advised annotations, and the result is a patch
 *	show.c      prints the result for people and programs */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "annotate/patch.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "tune/json.h"

/* ---- the command line ------------------------------------------------------------------------ */

typedef enum { TIMER_AUTO, TIMER_EMULATOR, TIMER_CUPTI, TIMER_EVENTS } Timer;
extern const char *const timer_names[];
typedef enum { SHOW_TEXT, SHOW_MD, SHOW_JSON } Show;

typedef struct {
	char **program;         /* name and arguments; ends with NULL */
	const char *build, *check, *cache, *to;
	VEC(const char *) outputs;
	bool no_stdout, any_rtol;
	bool suggest, no_promises; /* try advised annotations; without checking their promises */
	double rtol;
	double budget;          /* in seconds; 0: unlimited */
	uint32_t runs, warmup, top; /* runs 0: as many as the timer needs */
	Timer timer;
	Show show;
} Options;

/* Returns 0 to continue, -1 if nothing is left to do, or an exit status. */
int options_read(Options *o, int argc, char **argv);

enum { EXIT_TUNED, EXIT_NOTHING, EXIT_WRONG, EXIT_DIFFER };

/* ---- sites ----------------------------------------------------------------------------------- */

typedef struct { const char *policy; double expected; } Option; /* expected speedup; 0 if unknown */

typedef struct Site {
	const char *key;        /* the source lines by which a profile identifies it */
	const char *name;       /* of its function */
	const char *file; uint32_t line;
	const char *now;        /* what `auto` selects: a policy, or "leave" */
	Option *options; uint32_t noptions; /* alternatives to `now`, best expected speedup first */
	const char *left;       /* why no policy can transform it, with what to do; NULL */
	const char *alone;      /* why its best choice cannot be combined with the others; NULL */
	const struct Site *copy; /* with --suggest: another site of the same annotation; or NULL */
} Site;

typedef VEC(Site) Sites;

/* A choice for each site; NULL: auto or, with --suggest, no annotation there. */
typedef const char **Plan;
extern const char LEAVE[], AUTO[];
/* The plan of the build with --ccc-off. */
#define ORIGINAL ((Plan)NULL)

/* ---- what is known --------------------------------------------------------------------------- */

typedef enum {
	TRIED_WELL,
	TRIED_BUILD,            /* the build failed */
	TRIED_PLAN,             /* the build did not follow the plan */
	TRIED_RUN,              /* the program failed */
	TRIED_OUTPUT            /* the program's output differs */
} Build_result;
extern const char *const tried_names[];

typedef struct {
	const char *plan;       /* as by plan_text */
	Build_result tried;
	double time;            /* median of the runs, in ns or issue slots */
	double spread;          /* difference between the longest and the shortest run */
	const char *why;        /* reason of the failure; NULL */
	/* why larger inputs may gain more, as by timer_few_tasks; NULL */
	const char *few;
	bool fresh;             /* measured in this session */
} Measure;

/* Nested sites: if the outer one is transformed, the inner one is left unchanged. */
typedef struct { uint32_t outer, inner; } Site_nest;

typedef struct {
	Options o;
	Arena *arena;
	Sites sites, left;      /* left: those that no policy can transform */
	Patch_fixes fixes;      /* with --suggest: the advised annotations; of these sites: */
	VEC(uint32_t) fix_of;
	bool checked;           /* and a run on the emulator has checked their promises */
	VEC(Site_nest) nests;
	VEC(Measure) measures;
	double noise;           /* relative difference between two measurements of the same build */
	bool any_noise;
	double until;           /* end of the budget; 0: none */
	bool over;              /* the budget ended before all plans were tried */
	bool stop;              /* an error that affects all plans */
	const char *folder;     /* for the files of this session */
	const char *bin;        /* folder of ptxccc's programs, ending in '/' */
	uint32_t builds;
	const char *built;      /* plan of the current build; NULL */
} Tune;

const char *tune_printf(Tune *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints progress to standard error. */
void tune_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
double tune_now(void);

/* ---- the parts ------------------------------------------------------------------------------- */

typedef struct { int code, signal; } Exit_status;
typedef struct {
	char *const *argv;      /* program and arguments; or a command for the shell: */
	const char *command;
	const char *out; /* file for standard output and standard error; NULL: ccc-tune's own */
	const char *err;
	const char *const *env; /* pairs of name and value, ending with NULL; may be NULL */
} Child;
void child_begin(void);
Exit_status child_end(const Child *c);
int child_interrupted(void);    /* the signal that requests termination; 0 if none */

/* Reads the sites of a build's report, and t->left. Returns false if there is no report. */
bool sites_read(Tune *t, const char *report, Sites *to);
/* Sorts options by their expected speedup, the best first. */
void options_sort(Option *of, uint32_t n);
/* Returns NULL if the build followed each choice of the plan, else a message. */
const char *sites_wrong(Tune *t, const char *report, Plan plan);
bool sites_same(const Sites *a, const Sites *b);
/* Adds the sites that the report of a build with one choice leaves unchanged because of it. */
void sites_add_nests(Tune *t, const char *report, Plan plan);

Json *report_read(Tune *t, const char *report);
#define EACH_SITE(report, unit, j) \
	JSON_EACH(json_member(report, "units"), unit) JSON_EACH(json_member(unit, "sites"), j)

Plan plan_new(Tune *t);
Plan plan_with(Tune *t, Plan p, uint32_t site, const char *choice);
const char *plan_text(Tune *t, Plan p);
/* Returns what a plan is called in messages: plan_text, except of the original. */
const char *plan_title(Tune *t, Plan p);
/* Writes a plan as a profile; every: including sites whose choice is auto. */
void plan_profile(const Tune *t, Plan p, bool every, Buf *out);
/* Writes the places of the advised annotations in a plan, as CCC_FIXES_ONLY (annotate/fixes.h). */
void plan_annotations(const Tune *t, Plan p, Buf *out);
/* Returns the plan that a result is compared with: the original, or the sources without advised
 * annotations. */
Plan plan_baseline(Tune *t);

/* Builds the program; *report receives the path of the report. Returns NULL, or an error
 * message. */
const char *build_run(Tune *t, Plan p, const char **report, Build_result *tried);
/* Builds the program with markers at the advised annotations, without transforming it. */
const char *build_with_markers(Tune *t);
/* Returns the first line of a file that reports an error, else its last one; NULL: it is empty. */
const char *last_error(Tune *t, const char *log);
const char *build_fixes_file(Tune *t); /* the records of advised annotations of a build */

/* Runs the program with its standard output in the file `out`. Returns NULL, or an error
 * message. */
const char *timer_run(Tune *t, const char *out, double *time);
/* Returns how a program ended, with the error in its standard error, which is the file `log`. */
const char *exit_reason(Tune *t, Exit_status e, const char *log);
/* Returns why the last run is too small to show what task loops gain: the tasks and threads of the
 * kernel with such a loop that ran longest. NULL: it is not. */
const char *timer_few_tasks(Tune *t);
const char *timer_choose(Tune *t);
/* Returns the program's command line on the emulator; options: n strings. */
char **timer_on_emulator(Tune *t, const char *const *options, uint32_t n);
const char *timer_unit(const Tune *t);

/* Compares the run's output with the first run's; the first call only stores it. Returns NULL,
 * or an error message. */
const char *outputs_compare(Tune *t, const char *out);
void outputs_forget(Tune *t);

/* Read and write the stored measurements of these sites. */
void cache_read(Tune *t);
bool cache_write(const Tune *t);

/* Returns the measurement of a plan, from the cache if possible. Returns NULL if the budget has
 * ended or nothing can be measured. */
const Measure *measure_plan(Tune *t, Plan p);
/* Measures the difference between two measurements of the same build. */
bool measure_noise(Tune *t, Plan p);
const Measure *measure_known(const Tune *t, const char *plan);

/* Returns the best plan; NULL if none is better than auto. */
Plan search_best(Tune *t, Plan base);
/* Returns the speedup of a plan over auto. */
double search_worth(const Tune *t, const Measure *m);
/* Returns the speedup of auto over the original; 0 if it is within the noise. */
double search_auto_gain(Tune *t, Plan base);

void show_result(Tune *t, Plan best);
/* Prints the loops that no policy can transform, with what to do. */
void show_left(const Tune *t);

/* Finds the sites of the advised annotations in the report of a build with all of them. Returns
 * false if it cannot be read. */
bool suggest_sites(Tune *t, const char *report);
/* Refuses annotations whose promise a run of the program on the emulator breaks. */
void suggest_check_promises(Tune *t);
/* Prints what became of each annotation to standard error, and the patch of those in the plan
 * `best` (NULL: none) to standard output. */
void suggest_show(Tune *t, Plan best);

#endif
