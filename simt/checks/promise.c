/* SPDX-License-Identifier: MIT */
/* The check of a promise: that the iterations of an annotated loop are independent.
 *
 * The annotation lets the compiler run a thread's iterations in any order, at the same time and on
 * other lanes. In the original text, which the emulator runs, only the program order of the thread
 * orders them. So two iterations of one thread that access the same bytes of global or shared
 * memory, one of them writing, are a fault, although the results of this run are right.
 *
 * Iterations of two threads that nothing orders may come in either order in the original program,
 * too, and the race check reports most of these accesses. It only counts reads that race with the
 * only write of a word of global memory. In a loop that promises independent iterations these are a
 * fault as well, between lanes of one warp: the warp usually runs in step, so that the original
 * gives the same results each time, and the transformed loop gives others.
 *
 * Not reported, because the order does not matter or the transformation allows it:
 *
 *	- two atomic operations, even if their results are used, as by iterations that take slots
 *	- a write of the value that is already there
 *	- a read and a mark, a value that all iterations store, such as the level of a search
 *	- a read and an atomic operation on a word that its iteration has read before: searches
 *	  improve values, and retry a compare-and-swap, while others read old ones
 *	- loads through the non-coherent cache, whose memory the kernel does not write
 *	- local memory: the compiler itself determines what passes from one iteration to another
 *
 * A lane's time advances when an iteration begins. A word keeps the times of its accesses by the
 * thread that accessed it last. An access of an earlier iteration in the same execution of a loop
 * is one whose time is at or after the beginning of the first iteration, and before that of the
 * current one, so that one time serves all nested loops. Accesses of earlier executions of the loop
 * are before, and accesses before or after the loop are in no iteration.
 *
 * A word of four bytes keeps one write, and reads of two iterations. Another thread's access, or a
 * later iteration's access to other bytes of the word, replaces the records, which may hide a
 * conflict but never invents one.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/checks/checks.h"
#include "simt/state/shadow.h"

/* Loops nested deeper than this are not checked. */
enum { MOST_NESTED = 6 };

/* The current iteration of a loop. */
typedef struct {
	uint32_t loop;          /* index into Sim.promises.loops */
	uint32_t first;         /* when the first iteration began */
	uint32_t now;           /* when the current iteration began */
	uint32_t number;        /* of the current iteration, from 1 */
} Iteration;

struct Warp_iterations {
	uint32_t paths;         /* lanes that are in a path of a loop whose lanes are in step */
	uint32_t time[LANES];
	uint32_t depth[LANES];
	Iteration at[LANES][MOST_NESTED]; /* outermost first */
};

/* ---- iterations ------------------------------------------------------------------------------ */

/* Leaves the loop, and those inside it, if the lane is in it. */
static void
leave_loop(Warp_iterations *x, uint32_t lane, uint32_t loop)
{
	for (uint32_t k = 0; k < x->depth[lane]; k++)
		if (x->at[lane][k].loop == loop)
			x->depth[lane] = k;
}

void
promise_outside(Warp *w, const Inst *i, uint32_t lanes)
{
	if (w->iterations)
		for EACH_LANE(l, lanes)
			leave_loop(w->iterations, l, (uint32_t)i->imm);
}

static void
begin_iteration(Warp_iterations *x, uint32_t lane, uint32_t loop)
{
	const uint32_t depth = x->depth[lane], now = ++x->time[lane];

	for (uint32_t k = 0; k < depth; k++)
		if (x->at[lane][k].loop == loop) {
			x->at[lane][k].now = now;
			x->at[lane][k].number++;
			x->depth[lane] = k + 1;
			return;
		}
	if (depth < MOST_NESTED)
		x->at[lane][x->depth[lane]++] = (Iteration){ loop, now, now, 1 };
}

void
promise_iteration(Warp *w, const Inst *i, uint32_t lanes)
{
	if (!w->iterations) {
		w->iterations = xmalloc(sizeof *w->iterations);
		promise_start(w);
	}
	for EACH_LANE(l, lanes)
		begin_iteration(w->iterations, l, (uint32_t)i->imm);
	w->sim->promises.loops.at[i->imm].ran = true;
}

void
promise_path(Warp *w, const Inst *i, uint32_t lanes)
{
	(void)i;
	if (w->iterations)
		w->iterations->paths |= lanes;
}

void
promise_path_end(Warp *w, const Inst *i, uint32_t lanes)
{
	(void)i;
	if (w->iterations)
		w->iterations->paths &= ~lanes;
}

void
promise_start(Warp *w)
{
	if (w->iterations)
		memset(w->iterations, 0, sizeof *w->iterations);
}

/* Returns the outermost loop in which the time belongs to an earlier iteration; NULL if there is
 * none. */
static const Iteration *
loop_of_earlier_iteration(const Warp *w, uint32_t lane, uint32_t time)
{
	const Warp_iterations *x = w->iterations;

	for (uint32_t k = 0; k < x->depth[lane]; k++)
		if (time - x->at[lane][k].first < x->at[lane][k].now - x->at[lane][k].first)
			return &x->at[lane][k];
	return NULL;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

/* The current access of a word, and what the word records of it. */
typedef struct {
	Warp *w;
	const Access *x;
	uint32_t lane;
	bool writes;
	Promised_access now;
} Current_access;

/* Formats the position of a statement: its line in the PTX and, if known, in the CUDA source. */
static void
write_position(const Sim *s, uint32_t stmt, char *to, size_t size)
{
	uint32_t line, col;
	Cuda_pos cuda;

	source_position(s->m->src, s->m->stmts[stmt].at.pos, &line, &col);
	int n = snprintf(to, size, "line %u", line);
	if (ptx_cuda_pos(s->m, stmt, &cuda))
		snprintf(to + n, size - (size_t)n, ", CUDA line %s:%u", cuda.file, cuda.line);
}

/* Reports that the current access depends on another one, of that iteration. */
static void
report_dependence(const Current_access *c, const Iteration *loop, const Promised_access *a,
	const char *of)
{
	const Sim *s = c->w->sim;
	const Marker *k = &s->m->markers[s->promises.loops.at[loop->loop].marker];
	char where[512];

	if (!block_queue_run_serial(c->w->sim))
		return; /* positions are not computed by several threads */
	write_position(s, a->stmt, where, sizeof where);
	sim_fault(c->w, c->x->i, c->lane, FAULT_PROMISE,
		"iteration %u of the loop annotated at %s:%u %s what %s at %s", loop->number,
		k->cuda.file, k->cuda.line, c->writes ? "writes" : "reads", of, where);
}

/* Whether the code of both accesses runs in step, and so in the order of the original. */
static bool
order_is_kept(const Current_access *c, const Iteration *loop, const Promised_access *a)
{
	return c->w->sim->promises.loops.at[loop->loop].in_step && !a->path && !c->now.path;
}

/* Compares the current access with an earlier one of the same word, one of them a write. */
static void
compare_accesses(const Current_access *c, const Promised_access *a, bool wrote)
{
	char of[64] = "an earlier one";
	const Iteration *loop;

	if (!(a->bytes & c->now.bytes) || (a->atomic && c->now.atomic) ||
		(!c->writes && a->mark) || (!wrote && c->now.mark))
		return;
	loop = loop_of_earlier_iteration(c->w, c->lane, a->time);
	if (!loop || order_is_kept(c, loop, a))
		return;
	/* if no nested loop has advanced the time, it counts the iterations */
	if (loop->now - loop->first == loop->number - 1)
		snprintf(of, sizeof of, "iteration %u", a->time - loop->first + 1);
	snprintf(of + strlen(of), 8, wrote ? " wrote" : " read");
	report_dependence(c, loop, a, of);
}

/* Compares the current access with the last one by another lane of the warp, if both are in one
 * loop. Only reads and writes of global memory are compared: all else is reported as a race. */
static void
compare_lanes(const Current_access *c, const Promised_word *at, const Shadow_word *order)
{
	const Warp_iterations *x = c->w->iterations;
	const uint32_t other = at->thread % LANES;
	const Promised_access *a = c->writes ? &at->read[0] : &at->write;

	if (!(a->bytes & c->now.bytes) || a->atomic || c->now.atomic || a->mark || c->now.mark)
		return;
	for (uint32_t k = 0; k < x->depth[other] && k < x->depth[c->lane]; k++) {
		const Iteration *i = &x->at[c->lane][k], *j = &x->at[other][k];
		char of[64];
		if (i->loop != j->loop || a->time < j->first || order_is_kept(c, i, a) ||
			!race_is_unordered(c->w, c->lane, other, order))
			return;
		snprintf(of, sizeof of, "one of lane %u %s", other, c->writes ? "read" : "wrote");
		report_dependence(c, i, a, of);
	}
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Adds the current access to a record of the same iteration, or replaces the record. */
static void
merge_access(Promised_access *a, const Promised_access *now)
{
	Promised_access sum = *now;

	if (a->time == now->time && a->bytes) {
		sum.bytes |= a->bytes;
		sum.atomic &= a->atomic;
		sum.mark &= a->mark;
		sum.path |= a->path;
	}
	*a = sum;
}

/* Whether the iteration has read the word, by a load or a compare-and-swap that failed. */
static bool
was_read_before(const Current_access *c, const Promised_word *at)
{
	return at->read[0].bytes && at->read[0].time == c->now.time;
}

static void
access_word(const Current_access *of, Promised_word *at, const Shadow_word *order)
{
	Current_access c = *of;
	const Iteration *outer = c.w->iterations->at[c.lane];
	const uint32_t block = c.w->block->number, thread = c.w->index * LANES + c.lane;

	if (at->block != block || at->thread != thread) {
		if (order && at->block == block && at->thread / LANES == c.w->index)
			compare_lanes(&c, at, order);
		/* another thread's access may have replaced the record of a read */
		c.now.mark |= c.now.atomic && at->block;
		*at = (Promised_word){ .block = block, .thread = thread };
	}
	c.now.mark |= c.now.atomic && was_read_before(&c, at);
	compare_accesses(&c, &at->write, true);
	if (c.writes) {
		compare_accesses(&c, &at->read[0], false);
		compare_accesses(&c, &at->read[1], false);
		merge_access(&at->write, &c.now);
		return;
	}
	/* keep the read of an earlier iteration of the outermost loop, if there is one */
	if (at->read[0].time != c.now.time &&
		(at->read[0].time < outer->now || at->read[1].time < outer->first ||
			at->read[1].time >= outer->now))
		at->read[1] = at->read[0];
	merge_access(&at->read[0], &c.now);
}

void
promise_access(Warp *w, const Access *x, const Access_target *p)
{
	Current_access c = { w, x, p->lane, x->kind > ACCESS_READ && !p->reads,
		{ .time = w->iterations->time[p->lane],
			.stmt = x->i->stmt & 0x1ffffff,
			.atomic = x->kind == ACCESS_ATOMIC,
			.mark = (x->i->flags & F_MARK) != 0,
			.path = w->iterations->paths >> p->lane & 1 } };

	const bool races = p->buffer && w->causal;

	if (!w->iterations->depth[p->lane] || (c.now.mark && !c.writes))
		return;
	if (!p->shadow->iterations)
		shadow_add_iterations(p->shadow);
	for (uint32_t k = 0, n; k < x->size; k += n) {
		n = x->size - k < 4 ? x->size - k : 4;
		c.now.bytes = (((1u << n) - 1) << (p->offset + k) % 4) & 0xf;
		if (!p->from || memcmp(p->bytes + k, p->from + k, n) != 0)
			access_word(&c, p->shadow->iterations + (p->offset + k) / 4,
				races ? p->shadow->word + (p->offset + k) / 4 : NULL);
	}
}
