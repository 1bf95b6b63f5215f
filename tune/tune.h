/* SPDX-License-Identifier: MIT */
/* ccc-tune: which policy each annotated loop of a program shall have, by building and running it
 * (docs/tuning.md).
 *
 *	options.c   the command line
 *	child.c     commands that are run, and ^C
 *	sites.c     the report of a build: loops whose policy is open, and what a plan came to
 *	build.c     a build by a plan
 *	timer.c     a run of the program: what its kernels took
 *	outputs.c   what it wrote, beside what it wrote first
 *	measure.c   all of these for a plan, once; cache.c keeps what came of it
 *	search.c    which plans are measured, and what is the best of them
 *	show.c      the result for people and programs
 */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "tune/json.h"

/* ---- the command line ------------------------------------------------------------------------ */

typedef enum { TIMER_AUTO, TIMER_EMULATOR, TIMER_CUPTI, TIMER_EVENTS } Timer;
extern const char *const timer_names[];
typedef enum { SHOW_TEXT, SHOW_MD, SHOW_JSON } Show;

typedef struct {
	char **program;         /* its name and arguments; NULL behind them */
	const char *build, *check, *cache, *to;
	VEC(const char *) outputs;
	bool no_stdout, any_rtol;
	double rtol;
	double budget;          /* seconds; 0: there is no end */
	uint32_t runs, warmup, top; /* runs 0: as the timer needs */
	Timer timer;
	Show show;
} Options;

/* Gives 0 to go on, -1 when all is done, or the exit status. */
int options_read(Options *o, int argc, char **argv);

enum { EXIT_TUNED, EXIT_NOTHING, EXIT_WRONG, EXIT_DIFFER };

/* ---- sites ----------------------------------------------------------------------------------- */

typedef struct { const char *policy; double expected; } Option; /* 0: nothing is expected */

typedef struct {
	const char *key;        /* the lines by which a profile knows it */
	const char *name;       /* of its function */
	const char *file; uint32_t line;
	const char *now;        /* what `auto` makes of it: a policy, or "leave" */
	Option *options; uint32_t noptions; /* what gains most first; not what `auto` makes of it */
} Site;

typedef VEC(Site) Sites;

/* A choice a site; NULL: auto. */
typedef const char **Plan;
extern const char LEAVE[];

/* ---- what is known --------------------------------------------------------------------------- */

typedef enum {
	TRIED_WELL,
	TRIED_BUILD,            /* it was not built */
	TRIED_PLAN,             /* the build made something else of it */
	TRIED_RUN,              /* the program failed */
	TRIED_OUTPUT            /* it wrote something else */
} Tried;
extern const char *const tried_names[];

typedef struct {
	const char *plan;       /* as plan_text gives it */
	Tried tried;
	double time;            /* ns, or issue slots: the middle of the runs */
	double spread;          /* from the least to the most of the runs */
	const char *why;        /* of what went wrong; NULL */
	bool fresh;             /* of this session */
} Measure;

typedef struct {
	Options o;
	Arena *arena;
	Sites sites;
	VEC(Measure) measures;
	double noise;           /* of two measurements of one build, as a part of it */
	bool any_noise;
	double until;           /* when the budget ends; 0: never */
	bool over;              /* it has: not all was tried */
	bool stop;              /* something is wrong that no other plan would change */
	const char *folder;     /* for files of this session */
	const char *bin;        /* the folder of our programs, with '/' behind it */
	uint32_t builds;
	const char *built;      /* the plan by which the program is built now; NULL */
} Tune;

const char *tune_printf(Tune *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Says on standard error how it goes. */
void tune_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
double tune_now(void);

/* ---- the parts ------------------------------------------------------------------------------- */

typedef struct { int code, signal; } Ended;
typedef struct {
	char *const *argv;      /* or a command for the shell: */
	const char *command;
	const char *out;        /* a file for standard output and for what goes wrong; NULL: ours */
	const char *err;
	const char *const *env; /* pairs of a name and a value, NULL behind them; may be NULL */
} Child;
void child_begin(void);
Ended child_end(const Child *c);
int child_interrupted(void);    /* the signal that shall end ccc-tune; 0: none came */

/* Reads the sites of a build's report. False: there is none. */
bool sites_read(Tune *t, const char *report, Sites *to);
/* What is wrong with the report of a build by that plan: NULL, if each choice was followed. */
const char *sites_wrong(Tune *t, const char *report, Plan plan);
bool sites_same(const Sites *a, const Sites *b);

Plan plan_new(Tune *t);
Plan plan_with(Tune *t, Plan p, uint32_t site, const char *choice);
const char *plan_text(Tune *t, Plan p);
/* The profile of a plan; every: also where it says auto. */
void plan_profile(const Tune *t, Plan p, bool every, Buf *out);

/* Builds the program. report: where its report is then. NULL, or what is wrong. */
const char *build_run(Tune *t, Plan p, const char **report, Tried *tried);

/* Runs the program, its standard output to a file. NULL, or what is wrong. */
const char *timer_run(Tune *t, const char *out, double *time);
const char *timer_choose(Tune *t);
const char *timer_unit(const Tune *t);

/* Compares what the run wrote with the first run's; the first one only keeps it. */
const char *outputs_compare(Tune *t, const char *out);
void outputs_forget(Tune *t);

/* Reads what is known of these sites, if anything is; writes it. */
void cache_read(Tune *t);
bool cache_write(const Tune *t);

/* Measures a plan, if that is not known. NULL: the time is over, or nothing goes on. */
const Measure *measure_plan(Tune *t, Plan p);
/* Measures how far two measurements of one build differ. */
bool measure_noise(Tune *t, Plan p);
const Measure *measure_known(const Tune *t, const char *plan);

/* The best plan; NULL: none is better than auto. */
Plan search_best(Tune *t, Plan base);
/* What a plan is worth beside auto. */
double search_worth(const Tune *t, const Measure *m);

void show_result(Tune *t, Plan best);

#endif
