/* SPDX-License-Identifier: MIT */
/* Tries a loop whose form the validator does not know (trial.h).
 *
 * The lanes of a warp run the input's loop, each independently, and then the output's text,
 * together. Each lane must leave at the same place, with the same values in live registers, and all
 * lanes together must have had the same effects on memory, in any order: the sums of the effects'
 * hashes are compared. A load always returns the same value from an address, so what a program
 * promises about its iterations holds. Whether the promise is needed is not checked here.
 *
 * Between two collectives the order of lanes does not matter, or else collectives.c reports a
 * missing barrier; so one order stands for all. If loops do not end on the random values, others
 * are used; if none end, the text cannot be tried.
 */
#include <string.h>
#include "validate/task/reductions.h"
#include "validate/trial/trial.h"

enum {
	LEAST_TRIALS = 4,       /* if they are not too expensive */
	MOST_TRIALS = 16,
	SEEDS = 10,             /* probed for a trial */
	PROBES = 3,             /* lanes per seed */
	ALL_PROBES = (1 << PROBES) - 1,
	TWICE = 2,              /* desired iterations of a lane */
	LONGEST_PROBE = 3,      /* and the limit of a probe, if that suffices */
	CHOICES = 3,            /* best seeds that all lanes try */
	SALTS = 3,              /* attempts for a lane that does not end */
	/* Step limits: the minimum for a lane; factor of the loop's statements; factor if that is
	 * too low; divisor for probes. */
	LEAST_ALONE = 1000,
	TIMES = 12,
	LONGER = 3,
	SOONER = 3,
	ENOUGH = 30000,         /* total steps after which no trial begins */
	ENDLESS = 100,          /* factor over the input's steps */
	MOST_STMTS = 40000,     /* both functions, as a trial has tables of their size */
	MOST_WORDS = 64,
	LARGE = 64,             /* a constant that makes loops long */
	LEAST_LANES = 17,       /* a majority of a warp */
	/* percentage of instructions that must be reached; and that suffices */
	LEAST_SHARE = 50,
	GOOD_SHARE = 85
};

/* ---- the input ------------------------------------------------------------------------------- */

static uint32_t
input_start(const Input_text *input)
{
	return input->fn->m->markers[input->region->marker].stmt + 1;
}

/* Runs the input's loop on all lanes. Removes those that do not end, or that trap. whole: all
 * should end. */
static void
run_input(Trial *t, Trial_warp *w, uint32_t most, bool whole)
{
	trial_local_clear(&t->local);
	trial_warp_init(w);
	w->most = most;
	w->whole = whole;
	for (uint32_t i = 0; i < t->nloop; i++)
		trial_loop(t, i)->lanes = 0;
	trial_start_lanes(w, input_start(&t->s->in), t->lanes);
	trial_run(t, w);
	t->lanes &= ~w->lost;
}

/* ---- the output ------------------------------------------------------------------------------ */

/* Whether all lanes have arrived that the lane waits for, at the same operation. */
static bool
all_waiting(Trial *t, const Trial_warp *w, uint32_t lane)
{
	uint32_t mask = w->mask[lane];
	uint64_t name = trial_read(&t->out, w->at[lane])->code.name;

	if (mask & ~t->lanes || !(mask >> lane & 1))
		return trial_wrong(t, w->at[lane], "it waits for lanes that are not there");
	if (mask & ~w->waits)
		return false;
	if (w->last_for == mask && !(mask & ~w->last.mask))
		return true;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);
		if (w->mask[i] != mask || trial_read(&t->out, w->at[i])->code.name != name)
			return false;
	}
	return true;
}

static bool
run_waiting(Trial *t, Trial_warp *w)
{
	uint32_t stuck = 0;

	for (uint32_t rest = w->waits; rest && !t->fault.why; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);
		stuck = w->at[i];
		if (all_waiting(t, w, i)) {
			trial_run_collective(t, w, w->mask[i]);
			return true;
		}
	}
	return stuck && trial_wrong(t, stuck, "lanes wait for others that do not come");
}

static void
run_output(Trial *t, Trial_warp *w)
{
	t->buffer.run++; /* all words are unused again */
	trial_local_clear(&t->local);
	t->buffer.nwords = t->buffer.epoch = 0;
	trial_warp_init(w);
	w->most = ENDLESS * (t->steps.work + LEAST_ALONE);
	w->whole = true;
	trial_start_lanes(w, t->s->out.begin, t->lanes);
	do {
		trial_run(t, w);
		if (w->lost)
			trial_wrong(t, w->at[__builtin_ctz(w->lost)],
				"a lane does not terminate, or traps");
	} while (!t->fault.why && run_waiting(t, w));
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Full warps and partial ones take turns. A full warp gets the same range of numbers as the partial
 * one before it, so that it can use the same probes. */
static Number_range
number_style(uint32_t n)
{
	static const Number_range styles[] = { RANGE_SMALL, RANGE_ALIKE, RANGE_WIDE };

	return styles[(n % 2 + n / 2) % 3];
}

static uint64_t
seed_of(const Trial *t, uint32_t k)
{
	return trial_mix(SEEDS * t->probes.trial + k, 77);
}

/* Runs three lanes of the input with each seed, for some iterations. */
static void
run_probes(Trial *t, Trial_warp *w, uint32_t n)
{
	static const uint32_t who[PROBES] = { 0, 17, 27 };
	Probes *p = &t->probes;

	p->trial = n;
	p->used = 0;
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		t->block.number[i] = who[i % PROBES];
		t->by.seed[i] = seed_of(t, i / PROBES);
	}
	trial_start(t, n, number_style(n));
	t->lanes = (UINT32_C(1) << PROBES * SEEDS) - 1;
	run_input(t, w, t->steps.soonest, false);
	p->ended = t->lanes;
	memcpy(p->steps, w->steps, sizeof p->steps);
	for (uint32_t i = 0; i < t->nloop; i++)
		p->came[i] = trial_loop(t, i)->lanes;
}

/* Scores the seeds. Loops should end, and the lanes should reach as much as possible that no trial
 * of the same kind has reached, several times, but not too often. */
static void
score_seeds(Trial *t, Trial_warp *w, uint32_t n, uint32_t *score)
{
	uint32_t ideal = TWICE * PROBES * t->nloop, good = 0, all = 0;
	const Probes *p = &t->probes;

	/* otherwise the previous trial's results are reused */
	if (n % 2 || !p->used || t->coverage.share < GOOD_SHARE)
		run_probes(t, w, n);
	for (uint32_t k = 0; k < SEEDS; k++) {
		uint32_t ended = p->ended >> PROBES * k & ALL_PROBES, steps = 0;
		for (uint32_t i = PROBES * k; i < PROBES * (k + 1); i++)
			steps += p->steps[i];
		score[k] = ended != ALL_PROBES ? (uint32_t)__builtin_popcount(ended) :
			steps < ideal          ? PROBES + steps :
						 PROBES + ideal * ideal / steps;
		score[k] = p->used >> k & 1 ? 0 : score[k];
		good |= (uint32_t)(score[k] >= PROBES) << PROBES * k;
	}
	for (uint32_t i = 0; i < t->nloop; i++) {
		uint32_t lanes = p->came[i]; /* any of the three lanes */
		uint32_t came = (lanes | lanes >> 1 | lanes >> 2) & good;
		if (!came || bits_has(t->coverage.came[n % 2], i))
			continue;
		all += came == good;
		for (; came != good && came; came &= came - 1)
			score[__builtin_ctz(came) / PROBES] += ideal;
	}
	for (uint32_t k = 0; k < SEEDS; k++)
		score[k] += good >> PROBES * k & 1 ? all * ideal : 0;
}

/* Runs the input. Lanes that do not end get other values. */
static bool
run_input_with(Trial *t, Trial_warp *w, uint32_t n, uint32_t k, uint32_t who)
{
	for (uint32_t i = 0; i < TRIAL_LANES; i++) {
		t->block.number[i] = i;
		t->by.seed[i] = seed_of(t, k);
	}
	trial_start(t, n, number_style(n));
	for (uint32_t again = 0; again < SALTS && !t->fault.why; again++) {
		t->lanes = who;
		t->block.salted = false;
		run_input(t, w, who == UINT32_MAX ? t->steps.longest : t->steps.soon,
			who == UINT32_MAX);
		uint32_t left = (uint32_t)__builtin_popcount(t->lanes);
		if (t->lanes == who || (who != UINT32_MAX && left >= LEAST_LANES))
			return !t->fault.why;
		if (!t->block.salted)
			break;
		for (uint32_t i = 0; i < TRIAL_LANES; i++)
			if ((who & ~t->lanes) >> i & 1)
				t->block.salt[i] += TRIAL_LANES;
		trial_clear_values(t);
	}
	return false;
}

/* Finds the best seed with which the loops end. Returns false if there is none. */
static bool
find_numbers(Trial *t, Trial_warp *w, uint32_t n)
{
	uint32_t score[SEEDS], some = (uint32_t)trial_mix(n, 1) | (uint32_t)trial_mix(n, 2);

	score_seeds(t, w, n, score);
	for (uint32_t i = 0; i < CHOICES && !t->fault.why; i++) {
		uint32_t best = 0;
		for (uint32_t k = 1; k < SEEDS; k++)
			best = score[k] > score[best] ? k : best;
		if (!score[best])
			break;
		score[best] = 0;
		if (!run_input_with(t, w, n, best, n % 2 == 0 ? UINT32_MAX : some))
			continue;
		t->probes.used |= UINT32_C(1) << best;
		t->steps.work = 0;
		for (uint32_t k = 0; k < TRIAL_LANES; k++)
			t->steps.work += w->steps[k] / TRIAL_LANES;
		for (uint32_t k = 0; k < t->nloop; k++)
			if (trial_loop(t, k)->lanes)
				bits_set(t->coverage.came[n % 2], k);
		return true;
	}
	return false;
}

/* Collects integers that the loop compares with, and their successors, except large ones. */
static void
find_words(Trial *t)
{
	uint64_t *words = arena_array(t->in.arena, MOST_WORDS, sizeof *words);

	for (uint32_t i = 0; i < t->nloop; i++) {
		const Trial_insn *a = trial_loop(t, i);
		for (uint32_t k = 0; k < a->noperands && a->code.op == OP_SETP; k++)
			if (a->operands[k].kind == ARG_CONST &&
				!trial_is_float((Type)a->code.type) &&
				(int32_t)a->operands[k].value < LARGE &&
				t->by.nwords + 2 <= MOST_WORDS) {
				words[t->by.nwords++] = a->operands[k].value;
				words[t->by.nwords++] = a->operands[k].value + 1;
			}
	}
	t->by.words = words;
}

static void
find_silent(Trial *t)
{
	const uint32_t quiet = EFF_LOCAL | EFF_STACK | EFF_READ | EFF_GENERIC | EFF_LANE;

	for (uint32_t i = 0; i < t->nloop; i++) {
		const Trial_insn *a = trial_loop(t, i);
		if (a->does == DO_CALL && a->noperands && a->operands[0].kind == ARG_CONST &&
			!(fn_effects(t->s->in.fn, a->stmt) & ~quiet) && t->nsilent < TRIAL_WINDOWS)
			t->silent[t->nsilent++] = a->operands[0].value;
	}
}

/* n: number of statements that lanes may reach */
static Trial_text
trial_text_new(const Module *m, const Func *f, uint32_t n, Arena *a)
{
	Trial_text c = { .m = m, .f = f, .arena = a };

	c.acts = arena_array(a, f->nstmt + 1, sizeof *c.acts);
	c.seen = stmt_dedup_new(m, n, a);
	c.holders = arena_array(a, f->nsym + 1, sizeof *c.holders);
	c.known = arena_array(a, TRIAL_KNOWN, sizeof *c.known);
	c.within = bits_new(a, f->nstmt);
	return c;
}

/* Finds the input's labels and the loop's statements. */
static void
find_loop(Trial *t)
{
	const Loop_check *s = t->s;
	Trial_text *c = &t->in;
	uint32_t *label = arena_array(c->arena, c->f->nsym + 1, sizeof *label);

	PTX_STMTS(c->f, i)
		if (s->in.m->stmts[i].kind == STMT_LABEL)
			label[ptx_local_sym(c->f, s->in.m->stmts[i].sym)] = i;
	c->label = label;
	t->loop = arena_alloc(c->arena, (c->f->nstmt + 1) * sizeof *t->loop);
	BITS_EACH(b, s->in.region->blocks)
		CFG_STMTS(s->in.fn->cfg, b, i)
			bits_set(c->within, ptx_local_stmt(c->f, i));
	BITS_EACH(i, c->within)
		t->loop[t->nloop++] = i;
}

static void
trial_init(Trial *t, Loop_check *s)
{
	Arena *a = s->arena;

	*t = (Trial){ .s = s };
	t->in = trial_text_new(s->in.m, s->in.fn->f, s->in.fn->f->nstmt, a);
	t->out = trial_text_new(s->out.m, s->out.f, s->out.end - s->out.begin, a);
	t->out.inserted = true;
	t->out.regs = s->out.regs;
	t->out.label = s->out.label;
	t->in.heads = t->out.heads = arena_array(a, TRIAL_HEADS, sizeof *t->in.heads);
	find_loop(t);
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		bits_set(t->out.within, ptx_local_stmt(t->out.f, i));
		t->coverage.all += s->out.m->stmts[i].kind == STMT_INSN;
	}
	for (uint32_t k = 0; k < 2; k++)
		t->coverage.came[k] = bits_new(a, t->nloop + 1);
	t->probes.came = arena_array(a, t->nloop + 1, sizeof *t->probes.came);
	find_words(t);
	find_silent(t);
	trial_local_init(t);
	t->buffer.words_cap = FIRST_WORDS;
	t->buffer.words = arena_array(a, t->buffer.words_cap, sizeof *t->buffer.words);
	if (reductions_find_warpwide(&s->in))
		t->exit.totals = arena_array(a, t->in.f->nsym + 1, sizeof *t->exit.totals);
}

/* Whether the parts of the buffer of two warps overlap. */
static bool
ranges_overlap(const Variable_range *a, const Variable_range *b)
{
	return a->bytes && b->bytes && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* Alternates trials of full warps and of other groups, until they reach no new statement or the
 * budget is spent. */
static void
run_trials(Trial *t)
{
	Trial_warp *input = trial_warp(t, &t->in, 0), *rest = trial_warp(t, &t->in, 1),
	     *output = trial_warp(t, &t->out, 0);
	uint32_t had = 0, came = 0, idle = 0, alone = TIMES * t->nloop;

	alone = alone > LEAST_ALONE ? alone : LEAST_ALONE;
	for (uint32_t n = 0; n < MOST_TRIALS && !t->fault.why; n++) {
		uint32_t share = t->coverage.share = 100 * came / t->coverage.all;
		bool needed = n < LEAST_TRIALS || share < LEAST_SHARE;
		if (had == 3 && (t->steps.all > (needed ? 2 : 1) * ENOUGH ||
			(idle > 1 && share >= GOOD_SHARE && n >= LEAST_TRIALS)))
			break;
		t->steps.longest = n > 1 && had != 3 ? LONGER * alone : alone;
		t->steps.soon = t->steps.longest / SOONER;
		t->steps.soonest = LONGEST_PROBE * t->nloop;
		if (t->steps.soonest > t->steps.soon ||
			(n > 1 && (had != 3 || share < LEAST_SHARE)))
			t->steps.soonest = t->steps.soon;
		if (find_numbers(t, input, n)) {
			run_output(t, output);
			trial_compare(t, input, output, rest);
			had |= 1u << n % 2; /* bit 0: a full warp, bit 1: a partial one */
		}
		idle = t->out.came > came ? 0 : idle + 1;
		came = t->out.came;
	}
	if (!t->fault.why && ranges_overlap(&t->buffer.warps[0], &t->buffer.warps[1]))
		trial_wrong(t, t->s->out.begin, "warps share their parts of the buffer");
	t->coverage.share = 100 * came / t->coverage.all;
	if (!t->fault.why && (had != 3 || t->coverage.share < LEAST_SHARE))
		trial_unknown(t, t->s->out.begin, "no inputs were found that reach most of it");
}

Trial_result
trial_site(Loop_check *s, uint32_t *share)
{
	Trial t;

	if (s->in.fn->f->nstmt + s->out.f->nstmt > MOST_STMTS) {
		t = (Trial){ .s = s };
		trial_unknown(&t, s->out.begin, "the function is too large");
	} else {
		trial_init(&t, s);
		run_trials(&t);
	}
	*share = t.coverage.share;
	if (!t.fault.why)
		return TRIAL_SAME;
	if (!t.fault.unknown) {
		s->fault.why = t.fault.why;
		s->fault.stmt = t.fault.stmt;
		return TRIAL_OTHER;
	}
	if (!s->fault.why)
		return TRIAL_CANNOT;
	Buf b = { 0 };
	buf_printf(&b, "%s; no trial: %s", s->fault.why, t.fault.why);
	s->fault.why = arena_strndup(s->arena, b.at, b.n);
	buf_free(&b);
	return TRIAL_CANNOT;
}
