/* SPDX-License-Identifier: MIT */
/* The generator's files: values (value.c), expressions (expr.c), statements (stmt.c), live-outs of
 * a path (flow.c), inner loops (rounds.c), loops (site.c, count.c, path.c), annotations (marker.c,
 * clauses.c), conditional ends of threads (ends.c), kernels without an annotated loop (task.c,
 * remaps.c), modules (gen.c).
 *
 * Values in scope are in one list; a scope is a length of the list to restore. A value's kind says
 * which code may write its register: a value written where it must not be live-out is dead
 * afterwards (Value.dead). */
#ifndef GEN_INNER_H
#define GEN_INNER_H

#include <stdbool.h>
#include "tests/gen/gen.h"

typedef enum { B16, B32, B64, F32, F64, PRED, TY_COUNT } Ty;

typedef enum {
	FIXED,          /* never written again: addresses, counters, uniform values */
	CARRIED,        /* loop-carried, and live after the loop */
	LOCAL,          /* of one iteration */
	/* in ordered kernels: like CARRIED, but in the loop only paths read and write it */
	STATE
} Kind;

typedef struct {
	uint8_t ty, kind;
	bool dead;      /* written in the path: code after the path must not read it */
	uint32_t reg;
} Value;

typedef enum { OUTSIDE, PROLOG, PREFIX, PATH, REST, LEAF } Place;

enum { MAX_VALUES = 400, MAX_LEAVES = 3, MAX_FOLDS = 3 };

/* A loop-carried register that the loop only updates by a reduction. */
typedef struct { uint32_t row, reg; } Fold;

typedef struct {
	uint64_t state;         /* state of the random numbers */
	/* state of those for newer features: kernels without them do not change */
	uint64_t more;
	bool grown;             /* it has newer features */
	uint64_t wording;       /* state of the random numbers for clauses.c */
	uint32_t salt;          /* of the kernel, for clauses that several annotations share */
	Buf *body;              /* the function's text so far, without its head */
	/* text of the loop that is placed after the function's return; NULL: none */
	Buf *tail;
	uint32_t nregs[TY_COUNT];
	Value values[MAX_VALUES];
	uint32_t nvalues;
	uint32_t labels;        /* of the module */
	uint32_t nmarkers;      /* annotations of the module */
	uint32_t nleaves;
	bool flat;              /* loops in the common code are annotated */
	bool steps;             /* inner loops that are annotated run in order */
	bool cases;             /* a loop's first paths are the cases of a switch */
	bool ordered;           /* paths carry state */
	/* ordered, and lanes wait at the first path, or at both arms of its branch */
	bool delays;
	bool waits;             /* lanes wait at each of the cases of a switch */
	bool shares;            /* each case of the switch is collected by a queue */
	bool alike;             /* the cases, with queues, read the same values */
	uint32_t arms;          /* the marker of the first path of the current loop */
	bool joins;             /* inner loops of collected paths are expanded */
	bool unifies;           /* lanes run one side of the first branch, then the other */
	/* register that both sides write and the rest of the iteration stores; 0: none */
	uint32_t settled;
	bool merges;            /* flat, and lanes wait for each other at these loops */
	/* lanes also wait before adjacent and nested statements */
	bool nests;
	bool heads;             /* paths begin with loads that their owners may execute */
	bool pads;              /* paths and the rest use one scratch pad */
	bool said;              /* annotations name the scratch pad */
	bool stale;             /* or they read its contents from other paths */
	bool wordy;             /* annotations have random clauses */
	/* only the reductions over all lanes are visible */
	bool together;
	bool rows;              /* it has long inner loops, which mostly only read */
	bool ends;              /* paths have statements that could end the thread or the grid */
	bool exits;             /* also the thread: if paths are not collected */
	bool literal;           /* loops have literal bounds and steps */
	bool calls;             /* a task, which calls functions that read the block's number */
	bool commons;           /* sides of a branch call one function */
	uint32_t retreats;      /* argument of the loops' clause; 0: none */
	bool assigns;           /* lanes draw the iterations of the loops */
	/* ordered, and the common code has no effect and does not read that state */
	bool looks;
	bool turns;             /* as looks; the order of iterations is visible */
	/* two loops on one buffer, the first one for the first lanes of each warp */
	bool pair;
	Place place;
	/* the rest of the iteration reads results of the path, and writes nothing that is live
	 * after it */
	bool jumps;
	bool plain;             /* no branches in the loop outside the path */
	bool task;              /* each thread executes one task */
	bool shared;            /* the thread has a word of shared memory */
	uint32_t depth;         /* of nested statements */
	uint32_t fuel;          /* statements left to the function */
	/* registers of every function */
	uint32_t in, out, last, sums;   /* b64: buffers */
	uint32_t n, x, gid, threads, round;     /* b32 */
	uint32_t item, at;      /* b32: of the iteration; b64: its words, 0: not computed */
	uint32_t words;         /* b64: the site's part of out */
	uint32_t paths, path;   /* of the loop: the maximum, and the number of this one */
	uint32_t next_path;     /* number of the next one */
	bool in_switch;         /* this path is a case */
	uint32_t inside;        /* number of paths around this place */
	uint32_t around;        /* the innermost of them */
	Fold folds[MAX_FOLDS]; uint32_t nfolds; /* of the loop */
	/* 1 + index of the live-out value of the last path; 0: none */
	uint32_t flows;
	uint32_t depot;         /* b64: the thread's local array; 0: none */
	uint32_t pad;           /* b64: its scratch pad; 0: none */
	uint32_t tile;          /* b32: the thread's shared word */
	uint32_t many, nmany;   /* more predicates than a word has bits: the first, the number */
} Gen;

/* marker.c: whether a path of that kind begins with loads that its owner may execute */
bool has_head(const Gen *g, const char *kind);
/* value.c */
uint32_t below(Gen *g, uint32_t n);             /* a random number less than n */
bool chance(Gen *g, uint32_t percent);
/* chance() in kernels with newer features; false in others */
bool also(Gen *g, uint32_t percent);
bool turns(Gen *g, uint32_t percent);           /* chance() if Gen.turns; else false */
void line(Gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t fresh(Gen *g, Ty ty);                  /* a new register */
const char *reg_name(Ty ty);                    /* "%r" */
uint32_t label(Gen *g);
void place_label(Gen *g, uint32_t l);
void value_add(Gen *g, Ty ty, uint32_t reg, Kind kind);
bool in_own_part(const Gen *g);                 /* whether this place is in the common code */
uint32_t value_any(Gen *g, Ty ty);              /* a register of the type that can be read here */
/* one that may be written here; NULL: none */
Value *value_to_write(Gen *g, Ty ty);
void values_bury(Gen *g);                       /* dead ones can no longer be read */

/* expr.c */
void expr_to(Gen *g, Ty ty, uint32_t reg);      /* assigns a random expression */
/* a new value in scope, with the kind of the place */
uint32_t expr_new(Gen *g, Ty ty);
/* a predicate that is true with about this probability */
uint32_t expr_cond(Gen *g, uint32_t percent);
void expr_uniform(Gen *g);                      /* some uniform values */
void expr_special(Gen *g, uint32_t reg);        /* assigns a special register */
void expr_many(Gen *g);                         /* more predicates than a word has bits */
uint32_t expr_small(Gen *g, uint32_t mask);     /* a b32 of random bits within mask */
Ty expr_type(Gen *g);

/* stmt.c */
void stmt_some(Gen *g, uint32_t n);
void stmt_loop(Gen *g);
void stmt_nested(Gen *g, uint32_t n);           /* in a separate scope */
void stmt_write(Gen *g);                        /* assigns a new value to an existing register */
void stmt_store(Gen *g);                        /* stores values to the item's words */
void stmt_store_value(Gen *g, const Value *v);  /* stores a b32 or b64 there */
void stmt_store_many(Gen *g);                   /* stores the predicates of expr_many, if any */
void stmt_last(Gen *g);                         /* stores values to the thread's words */
void stmt_last_of(Gen *g, uint32_t word);       /* stores a b64 there */
void stmt_update(Gen *g);                       /* of a word of sums, atomic */
void stmt_update_by(Gen *g, Ty ty, uint32_t v); /* adds a value to one */
/* combines a b32 into one, by operation number k of stmt_update */
void stmt_update_total(Gen *g, uint32_t k, uint32_t v);
void stmt_update_by_any(Gen *g);                /* and one of any type */
/* loads a b64 that this section of the iteration, or an earlier one, owns */
uint32_t stmt_load_own(Gen *g);
/* After the loop, reads a word that the path wrote in one of the thread's own iterations. */
void stmt_read_behind(Gen *g, uint32_t item);
void stmt_address(Gen *g);                      /* computes the address of the item's words */
void stmt_marker(Gen *g, const char *what, const char *kind, uint32_t number);
/* clauses.c: random clauses of the kind; at: all annotations with this number share them; 0: only
 * this one has them. */
void clauses_any(Gen *g, const char *kind, uint32_t at);
void stmt_call(Gen *g);                         /* call of a leaf, if there is one */
/* call of that one with a value */
void stmt_call_leaf(Gen *g, uint32_t leaf, uint32_t value, uint32_t result);
void common_calls(Gen *g);                      /* calls on the sides of a branch (arms.c) */
void arms_alike(Gen *g);                        /* a branch of two annotated arms (arms.c) */

/* flow.c: the path writes a value that the rest reads. This is legal if the value is a pure
 * function of the owner's state and does not depend on the path's control flow: guards, branches,
 * loops. NULL: none; *kind: its previous kind. */
Value *flow_out(Gen *g, uint8_t *kind);
void flow_folds(Gen *g);                        /* selects the reduction variables of the loop */
/* the same for one variable of an inner loop; updates it; */
void flow_fold_begin(Gen *g, Fold *f);
void flow_fold_one(Gen *g, const Fold *f);
/* other: a register; 0: a new one; what it is */
uint32_t flow_fold_into_other(Gen *g, const Fold *f, uint32_t other);
void flow_fold_move(Gen *g, const Fold *f, uint32_t to, uint32_t from);
void flow_fold_end(Gen *g, const Fold *f);      /* its result is a value */

/* rounds.c: an inner loop whose trip count differs from lane to lane; steps.c: one whose iterations
 * run in order. */
void stmt_rounds(Gen *g);
void stmt_steps(Gen *g);
void flow_fold(Gen *g);                         /* updates a reduction, if the loop has one */
void flow_folds_end(Gen *g);                    /* the results are values from here on */
/* an update that is no reduction: the site must be refused */
void flow_out_truly(Gen *g);

/* choose.c: selects the properties of a kernel; fills info */
Gen choose(uint64_t seed, Gen_info *info);

/* ends.c */
void stmt_end(Gen *g);

/* pads.c */
void pad_begin(Gen *g);
void stmt_pad(Gen *g);

/* task.c */
void task_kernel(Gen *g, bool asks, Buf *tail); /* asks: a marker requests it */

/* remaps.c */
void remap_kernel(Gen *g);

/* site.c */
/* tail: code that is placed after the function's return */
void site_loop(Gen *g, Buf *tail);
void stmt_small_site(Gen *g);                   /* an annotated loop inside another's iteration */

#endif
