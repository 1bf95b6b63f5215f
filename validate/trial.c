/* SPDX-License-Identifier: MIT */
/* A loop of a form that the validator cannot follow is tried: see trial.h.
 *
 * The lanes of a warp run the input's loop, each for itself, and then the output's text, together.
 * Each must go on at the same place, with the same in the registers that are read there, and all of
 * them must have done the same to memory, in whatever order: the sum of the hashes of what was done
 * is compared. A load gives always the same from an address, so that what a program promises of its
 * iterations holds; whether that promise is needed is not asked here.
 *
 * Between two meetings of lanes nothing depends on which goes first, or trial_meet.c says that no
 * barrier stands there; so one order stands for all. Loops that do not end on the numbers that were
 * made up are tried with others; if none end the text cannot be tried.
 */
#include <string.h>
#include "validate/sums.h"
#include "validate/trial.h"

enum {
	LEAST_TRIALS = 4,       /* if they do not cost too much */
	MOST_TRIALS = 8,
	SEEDS = 5,              /* that are probed for a trial, by three lanes */
	PROBES = 0x08020001,
	CHOICES = 3,            /* of those the best, by all lanes */
	SALTS = 3,              /* for a lane that does not come to an end */
	/* Statements of a lane: at least; times those of the loop; times that, where it is too
	 * little; divided by that, of one that probes */
	LEAST_ALONE = 1500,
	TIMES = 24,
	LONGER = 3,
	SOONER = 2,
	ENOUGH = 45000,         /* statements of all lanes, after which no other trial begins */
	ENDLESS = 100,          /* times as many as in the input */
	MOST_STMTS = 40000,     /* of both texts' functions: a trial has tables of them */
	MOST_WORDS = 64,
	LARGE = 64,             /* a number that makes loops long */
	LEAST_LANES = 17,       /* most of a warp */
	LEAST_SHARE = 50        /* of 100 instructions that lanes have to come to */
};

/* ---- the input ------------------------------------------------------------------------------- */

void
trial_run_alone(Trial *t, Trial_lane *l, uint32_t most)
{
	const Func *f = t->in.f;

	t->steps = 0;
	t->most = most;
	while (l->state == LANE_RUNS && !t->why) {
		if (!ptx_has_stmt(f, l->at) || !bits_has(t->within, ptx_local_stmt(f, l->at))) {
			l->state = LANE_LEFT;
			l->at = cursor_plain(t->s, l->at);
		} else {
			trial_step(t, &t->in, l);
		}
	}
}

static uint32_t
beginning(const Site *s)
{
	return s->fn->m->markers[s->region->marker].stmt + 1;
}

/* Runs the own loops of the lanes; those that do not come to an end are not among them any more.
 * whole: all should. */
static uint64_t
run_input(Trial *t, Trial_lane *lanes, uint32_t most, bool whole)
{
	uint64_t all = 0;
	uint32_t steps = t->all_steps;

	for (uint32_t i = 0; i < TRIAL_LANES && !t->why; i++) {
		if (!(t->m >> i & 1))
			continue;
		t->events = 0;
		trial_local_clear(t);
		trial_lane_init(t, &lanes[i], &t->in, i, beginning(t->s));
		trial_run_alone(t, &lanes[i], most);
		t->all_steps += t->steps;
		if (lanes[i].state != LANE_LOST) {
			all += t->events;
			continue;
		}
		t->m &= ~(UINT32_C(1) << i);
		if (whole)
			break;
	}
	t->work = (t->all_steps - steps) / TRIAL_LANES;
	return all;
}

/* ---- the output ------------------------------------------------------------------------------ */

static void
run_apart(Trial *t, Trial_lane *l)
{
	while (l->state == LANE_RUNS && !t->why) {
		if (l->at < t->s->begin || l->at >= t->s->end)
			l->state = LANE_LEFT;
		else
			trial_step(t, &t->out, l);
	}
}

/* Those that wait for the same, if all of them are there. */
static bool
all_there(Trial *t, const Trial_lane *lanes, const Trial_lane *l, const Act *a)
{
	if (l->mask & ~t->m || !(l->mask >> l->number & 1))
		return trial_wrong(t, l->at, "it waits for lanes that are not there");
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		if (!(l->mask >> i & 1))
			continue;
		if (lanes[i].state != LANE_WAITS || lanes[i].mask != l->mask ||
			trial_read(&t->out, lanes[i].at)->name != a->name)
			return false;
	}
	return true;
}

static bool
meet_any(Trial *t, Trial_lane *lanes)
{
	uint32_t stuck = 0;

	for (uint32_t i = 0; i < TRIAL_LANES && !t->why; i++) {
		Trial_lane *l = &lanes[i];
		if (!(t->m >> i & 1) || l->state != LANE_WAITS)
			continue;
		const Act *a = trial_read(&t->out, l->at);
		stuck = l->at;
		if (all_there(t, lanes, l, a)) {
			trial_meet(t, lanes, a, l->mask);
			return true;
		}
	}
	return stuck && trial_wrong(t, stuck, "lanes wait for others that do not come");
}

static void
run_output(Trial *t, Trial_lane *lanes)
{
	uint32_t first = (uint32_t)t->by.seed % TRIAL_LANES;

	memset(t->words, 0, TRIAL_WORDS * sizeof *t->words);
	trial_local_clear(t);
	t->nwords = t->epoch = t->steps = 0;
	t->events = 0;
	t->most = ENDLESS * (t->work + LEAST_ALONE) * TRIAL_LANES;
	for (uint32_t i = 0; i < TRIAL_LANES; i++)
		trial_lane_init(t, &lanes[i], &t->out, i, t->s->begin);
	do {
		for (uint32_t k = 0; k < TRIAL_LANES && !t->why; k++) {
			uint32_t i = (first + k) % TRIAL_LANES;
			if (t->m >> i & 1)
				run_apart(t, &lanes[i]);
			if (t->m >> i & 1 && lanes[i].state == LANE_LOST)
				trial_wrong(t, lanes[i].at, "a lane does not come to an end");
		}
	} while (!t->why && meet_any(t, lanes));
	t->all_steps += t->steps;
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Whole warps and others have each kind of numbers in turn. */
static Range
style(uint32_t n)
{
	static const Range styles[] = { RANGE_SMALL, RANGE_ALIKE, RANGE_WIDE };

	return styles[(n % 2 + n / 2) % 3];
}

/* How good are the numbers? Three lanes run the input with them: to as much as possible that no
 * trial of its kind has come to, and often; all of them should come to an end soon. */
static uint32_t
probe(Trial *t, Trial_lane *lanes, uint64_t seed, Range loads, bool whole)
{
	uint32_t steps = t->all_steps;

	trial_begin(t, seed, loads);
	t->m = PROBES;
	run_input(t, lanes, t->soon, false);
	bits_and_not(t->come, t->came[whole ? 0 : 1]);
	steps = t->all_steps - steps;
	return t->m == PROBES ? 1 + 3 * t->soon * bits_count(t->come) + steps : t->m != 0;
}

/* The input runs with the numbers; lanes that do not come to an end get others, each. */
static bool
run_with(Trial *t, Trial_lane *lanes, uint64_t seed, Range loads, uint32_t who, uint64_t *events)
{
	trial_begin(t, seed, loads);
	for (uint32_t i = 0; i < SALTS && !t->why; i++) {
		t->m = who;
		*events = run_input(t, lanes, t->longest, who == UINT32_MAX);
		uint32_t left = (uint32_t)__builtin_popcount(t->m);
		if (t->m == who || (who != UINT32_MAX && left >= LEAST_LANES))
			return !t->why;
		for (uint32_t k = 0; k < TRIAL_LANES; k++)
			if ((who & ~t->m) >> k & 1)
				t->salt[k] += TRIAL_LANES;
		trial_forget(t);
	}
	return false;
}

/* The best numbers of those probed with which loops end; false: none are found. */
static bool
find_numbers(Trial *t, Trial_lane *lanes, uint32_t n, uint64_t *events)
{
	uint32_t score[SEEDS], some = (uint32_t)trial_mix(n, 1) | (uint32_t)trial_mix(n, 2);
	uint32_t who = n % 2 == 0 ? UINT32_MAX : some;

	for (uint32_t k = 0; k < SEEDS && !t->why; k++)
		score[k] = probe(t, lanes, SEEDS * n + k, style(n), n % 2 == 0);
	for (uint32_t i = 0; i < CHOICES && !t->why; i++) {
		uint32_t best = 0;
		for (uint32_t k = 1; k < SEEDS; k++)
			best = score[k] > score[best] ? k : best;
		if (!score[best])
			break;
		score[best] = 0;
		if (!run_with(t, lanes, SEEDS * n + best, style(n), who, events))
			continue;
		bits_or(t->came[n % 2], t->come);
		return true;
	}
	return false;
}

/* Integers with which the loop compares, and those behind them, but for large ones. */
static void
find_words(Trial *t)
{
	uint64_t *words = arena_array(t->in.arena, MOST_WORDS, sizeof *words);

	BITS_EACH(i, t->within) {
		const Act *a = trial_read(&t->in, t->in.f->stmt + i);
		for (uint32_t k = 0; k < a->ntakes && a->op == OP_SETP; k++)
			if (a->takes[k].kind == ARG_CONST && !trial_is_float((Type)a->type) &&
				(int32_t)a->takes[k].value < LARGE &&
				t->by.nwords + 2 <= MOST_WORDS) {
				words[t->by.nwords++] = a->takes[k].value;
				words[t->by.nwords++] = a->takes[k].value + 1;
			}
	}
	t->by.words = words;
}

static void
find_silent(Trial *t)
{
	const uint32_t quiet = EFF_LOCAL | EFF_STACK | EFF_READ | EFF_GENERIC | EFF_LANE;

	BITS_EACH(i, t->within) {
		const Act *a = trial_read(&t->in, t->in.f->stmt + i);
		if (a->does == DO_CALL && a->ntakes && a->takes[0].kind == ARG_CONST &&
			!(fn_effects(t->s->fn, a->stmt) & ~quiet) && t->nsilent < TRIAL_WINDOWS)
			t->silent[t->nsilent++] = a->takes[0].value;
	}
}

static void
init(Trial *t, Site *s)
{
	Arena *a = s->arena;

	*t = (Trial){ .s = s };
	t->in = (Code){ .m = s->in, .f = s->fn->f, .arena = a };
	t->out = (Code){ .m = s->out, .f = s->f, .arena = a, .inserted = true, .regs = s->regs,
		.label = s->label };
	t->in.acts = arena_array(a, t->in.f->nstmt + 1, sizeof *t->in.acts);
	t->out.acts = arena_array(a, t->out.f->nstmt + 1, sizeof *t->out.acts);
	uint32_t *label = arena_array(a, t->in.f->nsym + 1, sizeof *label);
	PTX_STMTS(t->in.f, i)
		if (s->in->stmts[i].kind == STMT_LABEL)
			label[ptx_local_sym(t->in.f, s->in->stmts[i].sym)] = i;
	t->in.label = label;
	t->come = bits_new(a, t->in.f->nstmt);
	for (uint32_t k = 0; k < 2; k++)
		t->came[k] = bits_new(a, t->in.f->nstmt);
	t->within = bits_new(a, t->in.f->nstmt);
	t->reached = bits_new(a, t->out.f->nstmt);
	BITS_EACH(b, s->region->blocks)
		CFG_STMTS(s->fn->cfg, b, i)
			bits_set(t->within, ptx_local_stmt(t->in.f, i));
	find_words(t);
	find_silent(t);
	trial_local_init(t);
	t->words = arena_array(a, TRIAL_WORDS, sizeof *t->words);
	if (sums_warpwide(s))
		t->totals = arena_array(a, t->in.f->nsym + 1, sizeof *t->totals);
}

/* Instructions of the inserted text, those alone that some lane has come to, or all. */
static uint32_t
inserted(const Trial *t, bool all)
{
	uint32_t n = 0;

	for (uint32_t i = t->s->begin; i < t->s->end; i++)
		n += t->s->out->stmts[i].kind == STMT_INSN &&
			(all || bits_has(t->reached, ptx_local_stmt(t->out.f, i)));
	return n;
}

/* Do the parts of the buffer that two warps come to overlap? */
static bool
overlap(const Window *a, const Window *b)
{
	return a->bytes && b->bytes && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* Whole warps and others by turns, until nothing new is come to, or it has cost much. */
static void
try_all(Trial *t, Trial_lane *lanes, Trial_lane *output)
{
	uint64_t events = 0;
	uint32_t had = 0, all = inserted(t, true), came = 0, idle = 0;
	uint32_t alone = TIMES * bits_count(t->within);

	alone = alone > LEAST_ALONE ? alone : LEAST_ALONE;
	for (uint32_t n = 0; n < MOST_TRIALS && !t->why; n++) {
		uint32_t enough = n < LEAST_TRIALS ? 3 * ENOUGH : ENOUGH;
		if (had == 3 && (t->all_steps > enough || (idle > 1 && n >= LEAST_TRIALS)))
			break;
		t->longest = n > 1 && had != 3 ? LONGER * alone : alone;
		t->soon = t->longest / SOONER;
		if (find_numbers(t, lanes, n, &events)) {
			run_output(t, output);
			trial_compare(t, lanes, output, events);
			had |= 1u << n % 2; /* a whole warp's, most of one's */
		}
		uint32_t more = inserted(t, false);
		idle = more > came ? 0 : idle + 1;
		came = more;
	}
	if (!t->why && overlap(&t->warps[0], &t->warps[1]))
		trial_wrong(t, t->s->begin, "warps share their parts of the buffer");
	t->share = 100 * inserted(t, false) / all;
	if (!t->why && (had != 3 || t->share < LEAST_SHARE))
		trial_unknown(t, t->s->begin, "no numbers by which lanes come to most of it");
}

Trial_result
trial_site(Site *s, uint32_t *share)
{
	Trial t;
	Trial_lane *lanes = arena_array(s->arena, TRIAL_LANES, sizeof *lanes),
		   *output = arena_array(s->arena, TRIAL_LANES, sizeof *output);

	if (s->fn->f->nstmt + s->f->nstmt > MOST_STMTS) {
		t = (Trial){ .s = s };
		trial_unknown(&t, s->begin, "so large a function");
	} else {
		init(&t, s);
		try_all(&t, lanes, output);
	}
	*share = t.share;
	if (!t.why)
		return TRIAL_SAME;
	if (!t.unknown) {
		s->why = t.why;
		s->why_at = t.why_at;
		return TRIAL_OTHER;
	}
	Buf b = { 0 };
	buf_printf(&b, "%s; nor can it be tried: %s", s->why, t.why);
	s->why = arena_strndup(s->arena, b.at, b.n);
	buf_free(&b);
	return TRIAL_CANNOT;
}
