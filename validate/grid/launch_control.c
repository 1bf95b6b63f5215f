/* SPDX-License-Identifier: MIT */
/* Checks task loops with cluster launch control (PTX ISA 9.0, 9.7.13.17 and 9.7.13.18; CUDA
 * Programming Guide, 4.12; docs/proofs/grid.md). The proof is about the statements below, so the
 * text must consist of them, except for white space and markers. ^ is the prefix of the loop's
 * names, < a number, and X Y Z M are the registers to which a copy of the placeholder loads.
 *
 * G7. A block of the launch starts, or a request cancels it and returns its number to one block.
 * In a launch with clusters a request would cancel a whole cluster, so none is made. After a
 * request that fails, all threads leave the loop, so there is no further one, which would be
 * undefined. A refused request leaves the remaining blocks to the launch.
 *
 * G8. The mbarrier counts all threads of the block; none ends before the loop does, at a failed
 * request that all of them see. Threads wait at it and at votes only: a loop that may wait for
 * another thread is refused. Two lanes at one vote have passed the latch equally often, since each
 * round executes one iteration of each lane that is in (docs/proofs/collect.md, Termination), and
 * all lanes leave after the same iteration. Policies for which that does not hold get another form
 * of task loop (task_loop_set.c). Take the threads that have passed the fewest latches, j. Phase
 * j of the mbarrier, if they wait for it, is complete, as all have arrived j times. If they wait at
 * a vote, so do the other lanes that it names, or they get there: they have passed j latches, too.
 *
 * G9. A phase ends when all threads have arrived and, as thread 0 expects 16 bytes before it
 * arrives, the response is written; waiting acquires it. The next phase needs the arrival of every
 * thread, so none misses the end of one. A slot is overwritten two phases later: by then, each
 * thread has read it, passed a fence between the generic and the async proxy, and arrived, which
 * thread 0 acquires before its own fence.
 *
 * G10. The passes read a text with the placeholder, which names memory that nothing writes. The
 * validator compares their output with it for all values that the load may return, each thread
 * executing it once an iteration. Then each placeholder is replaced by `next`, which must be the
 * only change, and `mine` are registers that no other statement names. */
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/progress/polling.h"
#include "validate/grid/grid.h"
#include "validate/text/text.h"

static const char *const head[] = {
	".shared .align 16 .b8 ^slots[48];",
	".reg .pred %^over, %^first, %^apart, %^done;",
	".reg .b32 %^x, %^y, %^z, %^more, %^odd, %^slot;",
	".reg .b128 %^response;",
	"mov.u32 %^x, %ctaid.x;",
	"mov.u32 %^y, %ctaid.y;",
	"mov.u32 %^z, %ctaid.z;",
	"mov.u32 %^more, %tid.x;",
	"mov.u32 %^odd, %tid.y;",
	"or.b32 %^more, %^more, %^odd;",
	"mov.u32 %^odd, %tid.z;",
	"or.b32 %^more, %^more, %^odd;",
	"setp.eq.u32 %^first, %^more, 0;",
	"mov.u32 %^more, %ntid.x;",
	"mov.u32 %^odd, %ntid.y;",
	"mul.lo.u32 %^more, %^more, %^odd;",
	"mov.u32 %^odd, %ntid.z;",
	"mul.lo.u32 %^more, %^more, %^odd;",
	"@%^first mbarrier.init.shared::cta.b64 [^slots+32], %^more;",
	"bar.sync 0;",
	"mov.u32 %^more, %cluster_nctarank;",
	"setp.ne.u32 %^apart, %^more, 1;",
	"mov.u32 %^odd, 0;",
	NULL
};
static const char *const start[] = { "$^block:", NULL };
static const char *const latch[] = {
	"$^next:",
	"ld.volatile.shared.v4.u32 {%^x, %^y, %^z, %^more}, [^slots];",
	"setp.ne.u32 %^over, %^more, 0;",
	"@%^over bra $^block;",
	NULL
};
static const char *const next[] = {
	"mov.u32 M, 0;",
	"@%^apart bra $^last<;",
	"mov.u32 %^slot, ^slots;",
	"mad.lo.u32 %^slot, %^odd, 16, %^slot;",
	"fence.proxy.async.shared::cta;",
	"@%^first clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%^slot], [^slots+32];",
	"@%^first mbarrier.arrive.expect_tx.shared::cta.b64 _, [^slots+32], 16;",
	"@!%^first mbarrier.arrive.shared::cta.b64 _, [^slots+32];",
	"$^wait<:",
	"mbarrier.try_wait.parity.shared::cta.b64 %^done, [^slots+32], %^odd;",
	"@!%^done bra $^wait<;",
	"ld.shared.b128 %^response, [%^slot];",
	"xor.b32 %^odd, %^odd, 1;",
	"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %^done, %^response;",
	"selp.u32 M, 1, 0, %^done;",
	"@%^done clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {X, Y, Z, _}, %^response;",
	"$^last<:",
	NULL
};
static const char *const mine[] = { "^slots", "%^first", "%^apart", "%^odd", "%^slot", "%^response",
	"%^done" };
enum { NMINE = sizeof mine / sizeof *mine };

typedef struct { const char *at; size_t n; } Word;
/* What the special characters of a line mean. */
typedef struct { Word prefix, to[4]; uint32_t number; } Meaning;

/* ---- lines ----------------------------------------------------------------------------------- */

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

enum { NUMBER_ROOM = 16 };

/* Returns the text that a character of a line represents. number: NUMBER_ROOM bytes. */
static Word
meaning_of(const Meaning *p, const char *c, char *number)
{
	static const char results[] = "XYZM";
	const char *r = strchr(results, *c);

	if (*c == '^')
		return p->prefix;
	if (*c == '<')
		return (Word){ number, (size_t)snprintf(number, NUMBER_ROOM, "%u", p->number) };
	return r ? p->to[r - results] : (Word){ c, 1 };
}

/* Whether the text is the line, apart from white space. */
static bool
text_is(const char *s, const char *end, const char *line, const Meaning *p)
{
	char number[NUMBER_ROOM];

	for (; *line; line++) {
		const Word w = meaning_of(p, line, number);
		if (is_space(*line))
			continue;
		while (s < end && is_space(*s))
			s++;
		if ((size_t)(end - s) < w.n || memcmp(s, w.at, w.n) != 0)
			return false;
		s += w.n;
	}
	while (s < end && is_space(*s))
		s++;
	return s == end;
}

static bool
stmt_is(const Module *m, const Stmt *s, const char *line, const Meaning *p)
{
	const char *text = m->src->text;

	return text_is(text + s->at.pos, text + s->at.end, line, p);
}

/* Whether the statement does nothing. No other code branches to an inserted label. */
static bool
is_mark(const Stmt *s)
{
	return s->kind == STMT_MARKER || s->kind == STMT_LABEL;
}

/* Matches the lines with the statements from *stmt on, before `end`, and moves it after them. */
static bool
match_lines(const Module *m, uint32_t *stmt, uint32_t end, const char *const *lines,
	const Meaning *p)
{
	uint32_t i = *stmt;

	for (; *lines; i++) {
		if (i >= end)
			return false;
		const Stmt *s = &m->stmts[i];
		if (stmt_is(m, s, *lines, p))
			lines++;
		else if (!is_mark(s))
			return false;
	}
	*stmt = i;
	return true;
}

/* Whether the statement declares the slots. *p: the prefix of their name, if it does. */
static bool
declares_slots(const Module *m, const Stmt *s, Meaning *p)
{
	const size_t n = sizeof "slots" - 1;
	size_t len;

	if (s->kind != STMT_DECL || !s->sym || m->syms[s->sym].space != SPACE_SHARED)
		return false;
	Meaning found = { .number = p->number };
	found.prefix.at = ptx_name(m, s->sym, &len);
	found.prefix.n = len > n ? len - n : 0;
	if (!found.prefix.n || !stmt_is(m, s, head[0], &found))
		return false;
	*p = found;
	return true;
}

/* ---- the text that the passes read ----------------------------------------------------------- */

bool
launch_control_is_used(const Grid_text *t)
{
	Meaning p = { 0 };

	return t->head && declares_slots(t->out, &t->out->stmts[t->head], &p);
}

/* Whether the registers that the body has for %ctaid are x, y and z. */
static bool
check_places(const Grid_text *t, const Meaning *p)
{
	static const char *const names[] = { "%^x", "%^y", "%^z" };
	bool ok = true;

	for (uint32_t d = 0; d < 3; d++) {
		size_t len;
		const char *name = t->place[d] ? ptx_name(t->out, t->place[d], &len) : NULL;
		ok &= !name || text_is(name, name + len, names[d], p);
	}
	return ok;
}

/* Whether all that follows is the end of the thread. */
static bool
ends(const Grid_text *t, uint32_t stmt)
{
	for (; stmt < t->end; stmt++) {
		const Stmt *s = &t->out->stmts[stmt];
		if (!is_mark(s) &&
			(s->kind != STMT_INSN || s->guard || ptx_op(t->out, s) != OP_RET))
			return false;
	}
	return true;
}

Grid_fault
launch_control_check_loop(const Grid_text *t, uint32_t kernel, const Effects *effects)
{
	Grid_fault f = { 0 };
	Meaning p = { 0 };
	uint32_t stmt = t->head;
	Arena *a = arena_new();

	declares_slots(t->out, &t->out->stmts[stmt], &p);
	if (!match_lines(t->out, &stmt, t->body, head, &p) ||
		!match_lines(t->out, &stmt, t->body, start, &p) || !check_places(t, &p))
		grid_fault(&f, t, stmt, false, "the loop does not begin at the block itself");
	for (; stmt < t->body; stmt++)
		if (!is_mark(&t->out->stmts[stmt]))
			grid_fault(&f, t, stmt, false, "a statement before the body");
	stmt = t->latch;
	if (!match_lines(t->out, &stmt, t->end, latch, &p) || !ends(t, stmt))
		grid_fault(&f, t, t->latch, false, "the latch is not that of launch control");
	if (t->out->target < 100 || t->out->version < 86)
		grid_fault(&f, t, t->head, false, "the target has no cluster launch control");
	if (polling_in_function(fn_build(t->in, kernel, effects, a), POLLING_ANY))
		grid_fault(&f, t, t->head, true, "a loop may wait for another thread");
	arena_free(a);
	return f;
}

/* ---- the final text -------------------------------------------------------------------------- */

typedef struct {
	const Module *in, *out;
	Meaning names;          /* names.prefix.n: 0 before the slots are declared */
	uint32_t first, end;    /* statements of the head */
	uint32_t last;          /* after the last statement of the function before */
	Grid_fault fault;
} Claim_check;

static bool
claim_fault(Claim_check *w, uint32_t stmt, const char *why)
{
	const Grid_text t = { .in = w->in, .out = w->out };

	return grid_fault(&w->fault, &t, stmt, false, why);
}

/* Whether a statement outside of the head names what only the placeholder's replacement may. */
static bool
names_mine(const Claim_check *w, const Stmt *s)
{
	bool found = false;

	PTX_REFS (w->in, s, r) {
		size_t len;
		const char *name = ptx_name(w->in, r.sym, &len);
		for (uint32_t i = 0; i < NMINE; i++)
			found |= text_is(name, name + len, mine[i], &w->names);
	}
	return found;
}

/* Whether the statement is a copy of the placeholder, perhaps guarded. Sets the names of its
 * registers. */
static bool
is_placeholder(Claim_check *w, const Stmt *s)
{
	const Module *m = w->in;
	const char *text = m->src->text;
	const Opnd *to = &m->opnds[s->opnd];

	if (!w->names.prefix.n || s->kind != STMT_INSN || s->nopnd != 2 || to->kind != OPND_VEC ||
		to->tree != 5)
		return false;
	for (uint32_t i = 0; i < 4; i++)
		w->names.to[i].at = ptx_name(m, to[1 + i].sym, &w->names.to[i].n);
	return text_is(text + s->head, text + s->at.end,
		"ld.volatile.shared.v4.u32 {X, Y, Z, M}, [^slots];", &w->names);
}

/* Whether statement o is the branch of lanes for which the guard does not hold. */
static bool
is_skip(const Claim_check *w, const Stmt *s, uint32_t o)
{
	const Module *m = w->out;
	const Stmt *k = &m->stmts[o];
	Word name, other;

	if (k->kind != STMT_INSN || k->guard == s->guard || !k->guard)
		return false;
	name.at = ptx_name(w->in, s->sym, &name.n);
	other.at = ptx_name(m, k->sym, &other.n);
	return name.n == other.n && memcmp(name.at, other.at, name.n) == 0 &&
		text_is(m->src->text + k->head, m->src->text + k->at.end, "bra $^last<;",
			&w->names);
}

/* Compares statement i of the text before with statement *o, and moves *o after it. */
static bool
check_stmt(Claim_check *w, uint32_t i, uint32_t *o, uint32_t end)
{
	const Stmt *s = &w->in->stmts[i];
	uint32_t at = *o, stmt = i;

	if (at >= end)
		return claim_fault(w, end - 1, "a statement is missing");
	if (!w->names.prefix.n && declares_slots(w->in, s, &w->names)) {
		w->first = i;
		if (!match_lines(w->in, &stmt, w->last, head, &w->names))
			return claim_fault(w, at, "the head is not that of launch control");
		w->end = stmt;
	}
	if (is_placeholder(w, s)) {
		*o += s->guard != 0;
		if ((s->guard && !is_skip(w, s, at)) ||
			!match_lines(w->out, o, end, next, &w->names))
			return claim_fault(w, at, "this does not take the launch's next block");
		w->names.number++;
		return true;
	}
	*o = at + 1;
	if (w->names.prefix.n && s->kind == STMT_INSN && (i < w->first || i >= w->end) &&
		names_mine(w, s))
		return claim_fault(w, at, "a register of launch control is used elsewhere");
	return texts_are_equal(w->in, s->at, w->out, w->out->stmts[at].at) ||
		claim_fault(w, at, "a statement changes with the placeholders");
}

static bool
check_function(Claim_check *w, uint32_t func)
{
	const Func *f = &w->in->funcs[func], *g = &w->out->funcs[func];
	uint32_t o = g->stmt, end = g->stmt + g->nstmt;
	bool ok = texts_are_equal(w->in, (Span){ f->at.pos, f->block.pos }, w->out,
		(Span){ g->at.pos, g->block.pos });

	w->names = (Meaning){ .number = w->names.number };
	w->last = f->stmt + f->nstmt;
	if (!ok)
		return claim_fault(w, o, "a function's header changes with the placeholders");
	PTX_STMTS (f, i)
		ok = ok && check_stmt(w, i, &o, end);
	return ok && (o == end || claim_fault(w, o, "a statement is new"));
}

Grid_fault
launch_control_check(const Module *in, const Module *out)
{
	Claim_check w = { .in = in, .out = out };
	bool ok = in->nfuncs == out->nfuncs;

	for (uint32_t f = 1; f < in->nfuncs && ok; f++)
		ok = in->funcs[f].body == out->funcs[f].body &&
			(!in->funcs[f].body || check_function(&w, f));
	if (!ok && !w.fault.why)
		w.fault.why = "the functions change with the placeholders";
	return w.fault;
}
