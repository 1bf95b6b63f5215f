/* SPDX-License-Identifier: MIT */
/* What the parts of the validator give each other, by their files; site.h has the types.
 * Internal to validate/. */
#ifndef VALIDATE_PARTS_H
#define VALIDATE_PARTS_H

#include "validate/site.h"

/* Says what is wrong; always false. */
bool site_fault(Site *s, uint32_t stmt, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, of something that the validator does not know. */
bool site_unknown(Site *s, uint32_t stmt, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline Reg *
site_reg(const Site *s, uint32_t sym)
{
	return ptx_has_sym(s->f, sym) ? &s->regs[ptx_local_sym(s->f, sym)] : s->none;
}

static inline const Input *
input_at(const Site *s, uint32_t stmt)
{
	return &s->input[ptx_local_stmt(s->fn->f, stmt)];
}

static inline Step *step_at(const Site *s, uint32_t stmt) { return &s->steps[stmt - s->begin]; }
/* The first one that is the same, but for where it stands: who has what its text alone says. */
static inline Step *
step_like(const Site *s, uint32_t stmt)
{
	return step_at(s, step_at(s, stmt)->like);
}
#define STEP_REFS(s, stmt, r) \
	for (const Step_ref *r = (s)->refs.at + step_at(s, stmt)->refs, \
			    *r##_end = r + step_at(s, stmt)->nrefs; \
		r < r##_end; r++)
/* Operand k, below 4; the statement has it. */
static inline const Opnd *
step_operand(const Site *s, uint32_t stmt, uint32_t k)
{
	return &s->out->opnds[step_at(s, stmt)->opnd[k]];
}

/* Is the branch passed over? It leads on anyway, and stands in front of one that is alike; the lane
 * is at that one of two of the input, as it goes by the first. */
static inline bool
step_is_spare(const Site *s, uint32_t stmt, uint32_t in)
{
	return step_at(s, stmt)->spare && input_at(s, in)->again;
}

/* A task that a lane has in hand, by its path and the own part that came to it. */
static inline uint32_t
task_number(const Site *s, uint32_t path, uint32_t turn)
{
	return path + s->npaths * turn;
}
static inline uint32_t task_path(const Site *s, uint32_t task) { return task % s->npaths; }
/* All of a path; the paths of some. */
static inline uint64_t
task_all(const Site *s, uint32_t path)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < s->turns; k++)
		all |= UINT64_C(1) << task_number(s, path, k);
	return all;
}
static inline uint32_t
task_paths(const Site *s, uint64_t tasks)
{
	uint32_t paths = 0;

	for (; tasks; tasks &= tasks - 1)
		paths |= UINT32_C(1) << task_path(s, (uint32_t)__builtin_ctzll(tasks));
	return paths;
}
/* The tasks for which the round's vote may be. */
static inline uint64_t
task_wanted(const Site *s, uint32_t wish)
{
	return wish ? s->wants[wish - 1] : 0;
}

/* Puts a value, which is none if it is 0, into a register of the text's own. */
static inline void
lane_hold(Lane *l, uint32_t reg, Term_id value)
{
	uint64_t bit = UINT64_C(1) << (reg & 63);

	l->env[reg] = value;
	l->holds[reg >> 6] = (l->holds[reg >> 6] & ~bit) | (value ? bit : 0);
}

/* Places in Lane.env, 0: there is none. What a counter of tasks holds, in times of the lanes; which
 * own part's register holds one of the input, 0 there: its own; the own part that came to a path
 * last, where a round has several. */
static inline uint32_t
env_level(const Site *s, uint32_t reg)
{
	return s->level[reg] ? s->nenv + s->level[reg] - 1 : 0;
}
static inline uint32_t
env_holder(const Site *s, uint32_t in)
{
	uint32_t k = s->nturned && ptx_has_sym(s->fn->f, in) ?
		s->turned[fn_local(s->fn, in)] : 0;

	return k ? s->nenv + s->nlevels + k - 1 : 0;
}
static inline uint32_t
env_newest(const Site *s, uint32_t path)
{
	return s->turns > 1 ? s->nenv + s->nlevels + s->nturned + path : 0;
}

/* decode.c: reads the inserted text's statements */
void decode(Site *s);
/* Where the n-th way of a branch leads, in the inserted text; 0: elsewhere. False: it has none. */
bool step_way(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to);
static inline bool
step_target(const Site *s, uint32_t stmt, uint32_t n, uint32_t *to)
{
	const Step *k = step_at(s, stmt);

	if (k->op == OP_BRX)
		return step_way(s, stmt, n, to);
	*to = k->to;
	return k->to && n == 0;
}

/* form.c: what the text says that it collects, before its statements are read; false: its form is
 * not known. How many votes a round has, behind that. */
bool form_read(Site *s);
bool form_rounds(Site *s);

/* cursor.c: the input, as a lane goes through it */
Input *cursor_read(const Fn *fn, Arena *a);
bool cursor_init(Site *s);
/* Goes on to the next statement that does something, by way of labels and branches that all take;
 * paths that are collected are taken to hand. False: a fault. */
bool cursor_settle(Site *s, Lane *l);
/* The same without paths. */
uint32_t cursor_plain(const Site *s, uint32_t stmt);
/* The statement that does something first, from one on, in a task or (0) in the lane's own
 * iteration; 0: control leaves that before, or comes to a path that is collected. */
uint32_t cursor_first(const Site *s, uint32_t task, uint32_t stmt);
/* Is the lane at a branch of the input that it may take or not? */
uint32_t cursor_branch(const Site *s, const Lane *l);
/* Takes the branch or does not. */
bool cursor_take(Site *s, Lane *l, bool taken);
/* Is the lane in its loop still? */
bool cursor_inside(const Site *s, const Lane *l);
/* Is a register of the input read from a statement on, before it is written? */
bool cursor_live(const Site *s, uint32_t stmt, uint32_t sym);
/* All that are, by local symbol. */
Bits cursor_all_live(const Site *s, uint32_t stmt);
static inline uint32_t *cursor_of(Lane *l) { return l->task ? &l->task_at : &l->at; }
static inline uint32_t cursor_now(const Lane *l) { return l->task ? l->task_at : l->at; }

/* span.c: reads labels of tasks; then, by path, fills what a task is. */
void span_labels(Site *s);
bool span_init(Site *s, Path *p);
/* Need a task of the path not run the statement? */
bool span_is_idle(const Site *s, uint32_t path, uint32_t stmt);

/* match.c: is a statement of the output a copy of one of the input? */
/* part: of the task whose registers stand for the input's; 0: own. guarded: the copy's guard is
 * looked at. */
bool match_stmt(const Site *s, uint32_t out, uint32_t in, uint32_t part, bool guarded);
/* Is the register of the output, in a copy for that part, the input's symbol? */
bool match_sym(const Site *s, uint32_t out, uint32_t in, uint32_t part);
/* Is it declared in braces that the inserted text has a copy of? */
static inline bool
match_inner(const Site *s, uint32_t out)
{
	uint32_t decl = s->out->syms[out].decl;

	return decl >= s->begin && decl < s->end;
}

/* inserted.c: the inserted text's own statements that compute */
/* What a predicate of the output holds: constant, or not known. */
Term_id inserted_predicate(Site *s, Lane *l, uint32_t sym);
/* What operand k holds; 0: nothing, which is a fault. */
Term_id inserted_operand(Site *s, Lane *l, uint32_t stmt, uint32_t k);
void inserted_set(Site *s, Lane *l, uint32_t sym, Term_id value, bool varies);
bool inserted_compute(Site *s, Lane *l, uint32_t stmt);
/* From one on by those that do nothing else, as far as none of another kind stands there. */
void inserted_go_on(Site *s, Lane *l);
/* Does what the statement gives vary between lanes? */
bool inserted_gives(const Site *s, const Lane *l, uint32_t stmt);
/* The k-th word of the opcode, from 0, and its characters; is it that one? */
const char *inserted_word(const Site *s, uint32_t stmt, uint32_t k, uint32_t *n);
bool inserted_word_is(const Site *s, uint32_t stmt, uint32_t k, const char *word);
/* Does the register vary between lanes? */
bool inserted_varies(const Site *s, const Lane *l, uint32_t sym);

/* votes.c: votes and barriers */
/* Runs one of the text's own statements that is no branch; its guard holds. */
bool votes_run(Site *s, Lane *l, uint32_t stmt);
/* At a label. Where no branch has parted them all lanes that came together are there: so it ends a
 * segment, as a vote or a barrier does. And a round is over where nothing of it can come any more.
 * What lanes have done before needs not be told apart behind that. */
bool votes_pass(Site *s, Lane *l);
/* At a place that all lanes come to that came together, wherever branches have parted them. */
bool votes_meet(Site *s, Lane *l);
bool votes_leave(Site *s, Lane *l, uint32_t stmt);

/* assume.c: what is known of terms, and the end of a round */
/* Takes a truth for granted; false: it cannot be (no fault). */
bool assume_truth(Site *s, Lane *l, Term_id truth, bool value);
/* Was all done that the round's vote has asked for? */
bool round_ended(const Site *s, const Lane *l);
/* The round is over: counters are compared with what was done. to: the vote that ends it, or 0;
 * UINT32_MAX: some vote will. */
void round_close(Site *s, Lane *l, uint32_t to);

/* buffer.c: shared memory, rows, and what rounds did */
bool buffer_store(Site *s, Lane *l, uint32_t stmt);
bool buffer_load(Site *s, Lane *l, uint32_t stmt);
Row *buffer_row(Site *s, Row r);
bool buffer_check(Site *s);
/* What an address means beside the warp's part of the buffer, operand k being it; 0: a fault. The
 * same of its register alone, without the number behind that. */
Term_id buffer_rest(Site *s, Lane *l, uint32_t stmt, uint32_t k);
Term_id buffer_part(Site *s, Lane *l, uint32_t stmt, uint32_t k);

/* known.c: what a counter held when the round began, and with those voted for; who came together */
Term_id round_before(Site *s, uint32_t counter);
Term_id round_waiting(Site *s, const Change *c);
Term_id round_mask(Site *s);
bool round_holds(const Change *c, Term_id fact);
/* Is it known that as many tasks wait as there are lanes, or fewer, with those voted for? */
bool round_enough(Site *s, const Change *c);
bool round_few(Site *s, const Change *c);
/* Were as many taken as there are lanes? Or all, where there are fewer? */
bool round_took_all(Site *s, const Change *c);
bool round_took_some(Site *s, const Change *c);
/* The counter's bound behind the round: see Change.level. */
uint8_t change_level(Site *s, const Change *c);

/* turns.c: several own parts in a round, and several rounds of pops */
bool turns_init(Site *s);
/* Do the registers of the statement hold what they stand for? Those that it writes do, from here
 * on. Does the register? */
bool turns_read(const Site *s, const Lane *l, uint32_t stmt);
void turns_written(const Site *s, Lane *l, uint32_t stmt);
bool turns_holds(const Site *s, const Lane *l, const Reg *r);
/* The first one whose value the lane leaves behind, and that is read from a statement on; 0. */
uint32_t turns_lost(const Site *s, const Lane *l, uint32_t in);
/* At a label, where nothing is assumed: of a register that nothing reads any more, and of paths
 * that the lane has not just come past, it does not matter which own part they were of. */
void turns_forget(const Site *s, Lane *l);
/* At a label of pops: a round of its own begins. */
bool turns_begin(Site *s, Lane *l);

/* barriers.c */
bool barriers_check(Site *s);
/* Do lanes come to a vote or barrier before they leave, and none of them round for ever? */
bool segments_check(Site *s);

/* begin.c: where a path's copy begins; fills what may be first there */
void begin_init(Site *s);
/* Does a copy of a path begin with the statement? The lane is there then. */
bool path_begin(Site *s, Lane *l, uint32_t stmt);
/* Might one begin with it? */
bool path_may_begin(Site *s, uint32_t stmt);

/* lasting.c: what lanes keep while the loop runs */
/* Is the access to a slot of a lane, by its number? */
bool lasting_is(Site *s, Lane *l, uint32_t stmt);
bool lasting_store(Site *s, Lane *l, uint32_t stmt);
bool lasting_load(Site *s, Lane *l, uint32_t stmt);
/* Sets the path's register, a predicate, to the bit of that number of a word that the lane has
 * loaded; false: that is not what it stands for, or none. */
bool lasting_bit(Site *s, Lane *l, const Reg *r, Term word, uint32_t bit);

/* path.c: values of tasks */
bool path_set(Site *s, Lane *l, uint32_t stmt);
/* The number of the task that a register stands for something in; it does in one. */
uint32_t path_task(const Site *s, const Reg *r);
/* 1 + the path whose task the register stands for something in; 0: none. */
static inline uint32_t
path_of_reg(const Site *s, const Reg *r)
{
	return r->kind == REG_COPY && r->part <= s->nparts ? s->path_of_part[r->part] : 0;
}
/* Where the lane has what the register holds; NULL: nowhere. */
static inline Term_id *
path_slot(const Site *s, Lane *l, const Reg *r)
{
	return r->kind == REG_COPY && r->index ? &l->env[s->nmachine + r->index - 1] : NULL;
}
/* The same, for a register that may not have had a value yet: there is room for so many. */
Term_id *path_room(Site *s, Lane *l, Reg *r);
/* Does every lane have the register's value at the block under its own name? It varies nowhere, and
 * the loop does not write it. */
bool path_common(const Site *s, uint32_t block, uint32_t sym);
/* The definition that alone reaches a block; 0: there is none. */
uint32_t path_only_def(const Site *s, uint32_t block, uint32_t sym);
/* The value of a register of the output as a part of a task, for pushing. */
Term_id path_value(Site *s, Lane *l, uint32_t sym, uint32_t task);
/* Computes again what is the same in all lanes. */
bool path_again(Site *s, uint32_t stmt);
/* Does the statement of the input give the same whenever it runs, from the same registers? */
bool path_repeatable(const Site *s, uint32_t stmt);

/* owner.c: what an owner computes for itself */
/* Does the register hold, in the owner, what it did when the owner came to the path? Paths that it
 * came past directly in front of that may have given it a value. */
bool owner_holds(const Site *s, const Lane *l, uint32_t path, uint32_t sym);
/* Fills flows. */
void owner_init(Site *s, Path *p);
/* A statement of a path that the lane came past; false: it is none. */
bool owner_slice(Site *s, Lane *l, uint32_t stmt);
/* A register of the input is overwritten by something else than what the lane's iteration makes of
 * it: it does not hold any more what paths that the lane came past may read. False: a fault. */
bool owner_overwrites(Site *s, Lane *l, uint32_t sym);
/* Is anything missing of what flows out of the paths that it came past, in its iteration or
 * (around) in a path? */
bool owner_owes(const Site *s, const Lane *l, uint32_t around);
/* If the lane has no task in hand of the paths that it came past, and nothing is missing of what
 * flows out of them, it is as if it had gone on. */
void owner_forget(const Site *s, Lane *l);
/* It goes on: nothing may be missing. */
bool owner_sliced_all(Site *s, Lane *l, uint32_t around);

/* names.c: what registers of the inserted text are */
bool names_init(Site *s);
/* Lanes have room for more registers of tasks than they had. */
void names_widen(Site *s);

/* flow.c: on the graph of the inserted text, what is live, who may write what alone, and from where
 * on nothing of a round is done */
void flow_init(Site *s);

/* step.c: is it a copy, as match_stmt says? */
bool step_is_copy(const Site *s, uint32_t stmt, uint32_t in, uint32_t part, bool guarded);
/* Of a copy that sets a register of braces: such have the same name in many. Is the rest of its
 * braces a copy of what follows in the input's? */
bool step_braces_alike(const Site *s, uint32_t stmt, uint32_t in, uint32_t part);
/* A guarded branch that lanes need not agree on: it must not say that they do (.uni). */
bool step_may_part(Site *s, const Lane *l, uint32_t stmt);
/* A statement of the output that is no branch; *again: it is to be looked at once more.
 * False: the lane ends, or a fault. */
bool step_run(Site *s, Lane *l, uint32_t stmt, bool *again);
/* A task goes by statements that its copy need not have, and has not here; false: a fault. */
bool step_idle(Site *s, Lane *l);

/* stretch.c: from a statement that may be one, goes by copies of what the input does, as many as
 * follow. *end: the lane ends, or a fault; false: none follow. */
bool stretch_run(Site *s, Lane *l, bool *end);

/* seen.c: leaves what states are told apart by. Was a lane in this one before? It is noted. */
void lane_settle(Site *s, Lane *l);
bool lane_seen(Site *s, Lane *l);
/* Does each lane make progress before it returns to a state? See Lane.idle. */
bool seen_go_on(Site *s);
Lane *lane_copy(Site *s, const Lane *l);
/* Looks at the lane as well, later. */
void lane_later(Site *s, Lane *l);

/* ahead_loop.c: a loop whose lanes look ahead */
bool ahead_init(Site *s);
void ahead_begins(Site *s);
bool ahead_words(Site *s);
bool ahead_in_loop(const Site *s, uint32_t stmt);
/* Can control come from a block to a path, in the same iteration? */
bool ahead_to_path(Site *s, uint32_t block);

/* ahead.c: what lanes are at there */
static inline bool
ahead_is_looking(const Lane *l)
{
	return l->look.phase == PHASE_LOOK && !l->look.gone;
}
/* 1 + the number of a register that the loop writes; 0: it is none. */
uint32_t ahead_number(const Site *s, uint32_t in);
/* What the register holds that looks for it, and what it holds itself. */
Term_id *ahead_look(const Site *s, Lane *l, uint32_t number);
Term_id *ahead_own(const Site *s, Lane *l, uint32_t number);
/* What it held when the batch began; a term that has no parts. */
Term_id ahead_base(Site *s, uint32_t number);
Term_id ahead_atom(Site *s, Term_op op);
/* The lane has come to the next statement of its input, *moved: to another one. False: it ends. */
bool ahead_at(Site *s, Lane *l, bool *moved);
/* In front of each statement; where states are compared; at a vote; when the lane leaves. */
bool ahead_pause(Site *s, Lane *l);
void ahead_join(Site *s, Lane *l);
bool ahead_vote(Site *s, Lane *l);
bool ahead_leaves(Site *s, Lane *l, uint32_t in);
/* A word is 0, or it is not; false: it cannot be, or a fault. */
bool ahead_zero(Site *s, Lane *l, Term_id word, bool zero);
/* The lowest noted iteration is taken out, and to be run. */
bool ahead_take(Site *s, Lane *l);

/* ahead_run.c: what statements do there */
bool ahead_run(Site *s, Lane *l, uint32_t stmt, bool *again);
/* A branch on a register of the input, or of one that looks: does that hold what it should? */
bool ahead_branch(Site *s, Lane *l, uint32_t stmt, bool *again);
/* The part whose registers stand for the input's where the lane is. */
uint32_t ahead_part(const Site *s, const Lane *l);
bool ahead_asks(const Lane *l, const Reg *r);
/* twins.c: two copies of the loop that do the same: only one is walked */
void twins_find(Site *s);
/* Where lanes would have come in the other one. */
void twins_reached(Site *s);

/* ahead_ways.c: ways that a text need not ask for */
/* From a place that leads to a path alone, to that. */
void ahead_skip(Site *s, Lane *l);
/* The input's statement is another one than the text's: the lane may be at a branch that the text
 * goes by. *again: it has gone on. False: it has not, or ends. */
bool ahead_other_way(Site *s, Lane *l, bool *again);
/* Where does the lane come to by a way of the branch, in its last iteration? 0: it ends. */
uint32_t ahead_comes_to(Site *s, const Lane *l, bool taken);

/* ahead_notes.c: one of the text's own statements that computes */
bool ahead_machine(Site *s, Lane *l, uint32_t stmt);

/* ahead_values.c */
/* What a register of the output holds that stands for one that the loop writes; NULL: it is
 * none. */
static inline Term_id *
ahead_slot(const Site *s, Lane *l, uint32_t sym)
{
	uint32_t slot = site_reg(s, sym)->slot;

	return slot ? &l->env[slot - 1] : NULL;
}
/* That, if it is known; 0. */
Term_id ahead_operand(Site *s, Lane *l, uint32_t sym);
/* What an integer statement gives, as a sum; 0: that is not known. */
Term_id ahead_value(Site *s, Lane *l, uint32_t stmt);
/* What a statement of the input writes to a register that is no predicate, if that is the same in
 * all iterations; 0. */
Term_id ahead_lasting(Site *s, uint32_t in, uint32_t sym);
/* Is v that, or the literal that is moved there? */
bool ahead_holds(Site *s, uint32_t in, uint32_t sym, Term_id v);
/* The statement in the loop by which alone register sym has what a statement of the input reads,
 * if that is the same in all iterations; 0. */
uint32_t ahead_gives(const Site *s, uint32_t in, uint32_t sym);
/* Is it something that is worth keeping? All else is a number that nobody knows: such may change
 * from batch to batch. */
bool ahead_plain(const Site *s, Term_id v);
/* A product of a number of iterations is made piece by piece. */
Term_id ahead_times(Site *s, Term_id a, Term_id b);

/* Is it an integer statement that is a sum? */
bool ahead_is_sum(const Site *s, uint32_t stmt);

/* ahead_series.c: behind a copy for that part, goes by those that follow */
bool ahead_series(Site *s, Lane *l, uint32_t stmt, uint32_t part);

/* ahead_const.c: does the statement, with the one in front of it, load the constant that the
 * input's loads? */
bool ahead_constant(const Site *s, uint32_t stmt, uint32_t in);

/* ahead_sure.c: all lanes have voted that they stay in the loop for some time */
void ahead_all(Site *s, Lane *l, uint32_t vote);
/* Is the lane sure to stay at the branch of the input? said: whether that is taken. */
bool ahead_stays(Site *s, Lane *l, uint32_t at, bool *said);

/* apart.c: do accesses whose order changes go to different variables, or does the annotation
 * promise that they do not meet? Asked of a site whose form was read, known or not. */
bool apart_holds(Site *s);

/* walk.c */
bool walk_site(Site *s);
/* The lane assumes that a register of the input, a predicate, holds the value. */
void lane_know(Lane *l, uint32_t in, bool value);
void lane_unknow(Lane *l, uint32_t in);
/* What a predicate of the inserted text holds: this lane takes one way of it, and another lane the
 * other one, where that is not known. */
bool lane_decide(Site *s, Lane *l, uint32_t sym, bool *value);
/* Both ways of the branch that the lane is at in the input. said: what its predicate holds on the
 * way that this lane goes. */
bool lane_split(Site *s, Lane *l, bool *said);

#endif
