/* The CCC transformation's own data: what the parts of p_ccc.c tell one another.
 *
 *	ccc_legal      may the region be transformed at all?             (legal.c)
 *	ccc_context    what a task is made of, what flows out of it       (context.c, liveout.c)
 *	ccc_step       where the vote stands                             (step.c)
 *	ccc_layout     slots and bytes of the buffer                      (layout.c)
 *	ccc_emit       the text                                           (emit.c, task.c, copy.c)
 *
 * Words: the *owner* of a task is the lane whose iteration it belongs to, a *helper* runs
 * somebody else's; a *parked* lane has left its loop and stays to help. C are the blocks every
 * lane runs for itself, R the blocks of the path.
 */
#ifndef TRANSFORM_CCC_H
#define TRANSFORM_CCC_H

#include "analysis/local.h"
#include "analysis/region.h"
#include "base/buf.h"
#include "transform/edit.h"
#include "transform/pass.h"
#include "transform/report.h"

#define CCC_WARP 32
#define CCC_MAX_BLOCK 1024          /* threads a block, every architecture so far */
#define CCC_MAX_SHARED (48u << 10)  /* static shared memory a block, every architecture */

/* Where a register named in the path comes from when a helper runs it. */
typedef enum {
	FROM_NOWHERE,       /* not live into the path */
	FROM_ENTRY,         /* uniform, computed before the annotated loop: every lane has it, under its own name */
	FROM_AGAIN,         /* uniform, computed by some lanes only: computed again for all of M at the entry */
	FROM_CONTEXT        /* saved with the task */
} Ccc_from;

/* One saved value: a register, or one component of a special register. */
typedef struct {
	uint32_t sym;
	uint8_t sel;        /* component of a special register, 'x' ...; 0 */
	uint8_t size;       /* bytes of a slot in its row; 0: a predicate, bit `bit` of the row of packed predicates */
	uint8_t bit;
	uint32_t row;       /* offset of its row from the warp's part of the buffer, in bytes */
} Ccc_slot;

/* A way out of the cloned loop. */
typedef struct {
	uint32_t block;     /* in the untouched code; 0: the thread ends by `stmt` */
	uint32_t stmt;
} Ccc_exit;

typedef struct {
	const Fn *fn;
	const Site *site;
	const Path *path;
	const Locals *locals;
	const Pass_options *opt;
	Arena *arena;           /* until the function is done */
	Arena *keep;            /* the report's */
	Diags *diags;
	Report_site *report;
	uint32_t number;        /* of the site in the module: names are made from it */

	bool scratch;           /* the frame's .local memory, which the path names, is the path's alone */
	Bits cloned;            /* C */
	Ccc_exit *exits; uint32_t nexits;

	uint8_t *from;          /* Ccc_from by local symbol */
	Bits own;               /* registers renamed in the path: its context and what it defines */
	Ccc_slot *slots; uint32_t nslots;
	uint32_t *again; uint32_t nagain;       /* statements to compute again at the entry, in order */
	Bits again_syms;                        /* registers they define */
	uint32_t *slice; uint32_t nslice;       /* statements of the path that the owner runs for itself, in order */

	bool in_step;           /* the vote stands at the path's branch, and parked lanes run along */
	uint32_t *chain;        /* in step: the loop's blocks in the order in which every iteration runs them, */
	uint32_t nchain;
	uint32_t branch;        /* the branch to the path (a guarded bra), */
	uint32_t branch_block;  /* its block, */
	bool want_falls;        /* whether the path is where it does not go, */
	uint32_t pass_over;     /* the block that it leads to otherwise, */
	Bits prefix;            /* blocks between it and the path's marker, */
	Bits predicated;        /* and statements (less Func.stmt) that run under %^in, or in the prefix %^want */

	uint32_t npreds;        /* packed predicates */
	uint32_t preds_row;
	uint32_t warp_bytes;    /* buffer of one warp */
	uint32_t threads;       /* largest block the buffer serves */
	bool independent;       /* clause: the rest of the iteration does not read what the path writes */
	bool check_threads;     /* a launch may have more: look at run time */
	uint32_t launch_dims;   /* dimensions of the block that may be larger than 1 */
} Ccc;

/* Reports why the site stays as it was, and notes it for the report; gives false. pos: byte in
 * the PTX. */
bool ccc_refuse(Ccc *c, Diag_kind kind, uint32_t pos, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same for what does not stop the transformation. */
void ccc_warn(Ccc *c, Diag_kind kind, uint32_t pos, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Fills cloned and exits. False: refused. */
bool ccc_legal(Ccc *c);
/* Could the loop go on for ever, as what ends it comes late? False: refused (hints.c). */
bool ccc_ends(Ccc *c);
/* Warns of what may go wrong and is up to the programmer (hints.c). */
void ccc_hints(Ccc *c);
/* Fills from, own, slots (without rows), again, slice. False: refused. */
bool ccc_context(Ccc *c);
/* Fills slice, for what of `defined`, the registers that the path defines, flows out of it. */
bool ccc_live_outs(Ccc *c, Bits defined);
/* Fills rows, warp_bytes, threads. free_shared: bytes of static shared memory that the function
 * may take. False: refused. */
bool ccc_layout(Ccc *c, uint32_t free_shared);

/* Bytes of static shared memory that each function declares itself; [0]: the module (shared.c). */
uint64_t *ccc_shared_declared(const Module *m, Arena *a);
/* What of it is left for fn: no kernel that can come to run fn may take more than there is. */
uint32_t ccc_shared_free(const Fn *fn, const uint64_t *declared);

/* Functions that name memory whose size the launch decides (shared.c). */
Bits ccc_dynamic_named(const Module *m, Arena *a);
/* Can a kernel that can come to run fn be launched with such memory? */
bool ccc_dynamic(const Fn *fn, Bits named);

/* What such memory takes at most, with the gap in front of it, when a launch asks for so many bytes. */
uint64_t ccc_dynamic_bytes(const Module *m, uint32_t asked);

/* The buffer of all sites of a function. */
typedef struct {
	const char *name;       /* of the shared variable */
	uint32_t stride;        /* bytes of a warp's part */
	uint32_t warps;
} Ccc_buffer;
/* Widens the buffer to what the site needs. */
void ccc_share(const Ccc *c, Ccc_buffer *b);
/* Cuts it to the bytes there are; gives its size in bytes. */
uint32_t ccc_fit(Ccc_buffer *b, uint32_t free_shared);
/* Lets larger blocks than the buffer serves run the untouched loop. */
void ccc_limit(Ccc *c, const Ccc_buffer *b);
/* Decides in_step and fills what belongs to it (step.c). */
void ccc_step(Ccc *c);
/* Queues the edits that put the transformed loop in front of the untouched one. */
void ccc_emit(const Ccc *c, const Ccc_buffer *b, Edits *e);

/* Queues the edit that makes .maxnreg of a kernel no more than n (maxnreg.c). */
void maxnreg_put(const Module *m, uint32_t func, uint32_t n, Edits *e);

/* Adds a marker's text with "done" for "begin" or "end". */
void ccc_done_marker(const Module *m, const Marker *k, Buf *out);
/* Queues the edits that do so to every marker of the site but its begin marker, which ccc_emit
 * replaces. */
void ccc_mark_done(const Ccc *c, Edits *e);

/* Is block b part of the path? */
static inline bool ccc_in_path(const Ccc *c, uint32_t b) { return bits_has(c->path->r.blocks, b); }
static inline uint32_t ccc_header(const Ccc *c) { return c->fn->loops->loops[c->site->loop].header; }

#endif
