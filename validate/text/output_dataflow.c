/* SPDX-License-Identifier: MIT */
/* Data flow on the inserted text's control flow graph.
 *
 * Few statements are branches, targets or synchronization points. Each of these is a cut. The
 * statements from one cut to the next are summarized once, and the analyses iterate over the cuts
 * to a fixed point.
 */
#include <string.h>
#include "validate/text/text.h"

/* A cut, and the plain statements after it. */
typedef struct {
	uint32_t at, end;       /* statements [at, end) */
	uint64_t reads[2];      /* of the plain ones: upward-exposed */
	uint64_t kills[2];      /* written by all lanes */
	uint64_t writes[2];     /* written at all */
	uint64_t guarded[2];    /* written under a guard */
	/* written by some lanes only since the last vote or barrier, at the cut */
	uint64_t since[2];
	bool begins;            /* one of the plain statements is an action of a round */
	/* result for the cut and what follows: it may act in a round; lanes have diverged */
	bool loud, diverged;
} Output_block;

typedef struct {
	Loop_check *s;
	May_begin *may_begin;
	Output_block *list; uint32_t n;
	uint32_t *of;           /* by inserted statement: its cut */
	uint64_t counters[2];   /* registers that count, except predicates */
	uint64_t varying[2];    /* registers that may vary */
	/* statements that compute machine registers, without duplicates */
	uint32_t *own_stmts, nown;
	uint32_t words;         /* of register sets */
} Output_flow;

/* Whether the group synchronizes at the statement. */
static bool
stmt_synchronises(const Output_stmt *k)
{
	return k->op == OP_VOTE || k->op == OP_BAR_WARP || k->op == OP_REDUX;
}

static bool
stmt_ends_block(const Output_text *output, uint32_t stmt)
{
	const Output_stmt *k = output_stmt(output, stmt);

	return stmt == output->begin || output->m->stmts[stmt].kind == STMT_LABEL ||
		k->flow.joins || k->flow.ends || k->op == OP_BRA || k->op == OP_BRX ||
		stmt_synchronises(k);
}

/* Whether the statement may act in a round: change a task counter, access the buffer, or begin a
 * path. */
static bool
stmt_acts_in_round(const Output_flow *f, uint32_t stmt)
{
	const Output_stmt *k = output_stmt(&f->s->out, stmt);

	if (f->s->out.m->stmts[stmt].kind != STMT_INSN || k->ballot)
		return false;
	return (k->regs.writes[0] & f->counters[0]) | (k->regs.writes[1] & f->counters[1]) ||
		k->buffer || (bits_has(f->s->paths.first_ops, k->op) && f->may_begin(f->s, stmt));
}

/* Summarizes the plain statements, backward. */
static void
summarise_block(Output_text *output, Output_block *p, uint32_t words)
{
	for (uint32_t i = p->end; i-- > p->at + 1;) {
		const Output_stmt *k = output_stmt(output, i);
		bool all = !output->m->stmts[i].guard;
		for (uint32_t j = 0; j < words; j++) {
			p->writes[j] |= k->regs.writes[j];
			p->guarded[j] |= all ? 0 : k->regs.writes[j];
			p->reads[j] =
				(p->reads[j] & ~(all ? k->regs.writes[j] : 0)) | k->regs.reads[j];
			p->kills[j] |= all ? k->regs.writes[j] : 0;
		}
	}
}

static Output_flow
make_blocks(Loop_check *s, May_begin *may_begin)
{
	Output_flow f = {
		.s = s, .may_begin = may_begin, .words = (s->emitted.n + 63) / 64
	};
	uint32_t n = s->out.end - s->out.begin, *starts = arena_alloc(s->arena, n * sizeof *starts);

	f.of = arena_alloc(s->arena, n * sizeof *f.of);
	f.own_stmts = arena_alloc(s->arena, n * sizeof *f.own_stmts);
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		const Output_stmt *k = output_stmt(&s->out, i);
		if (stmt_ends_block(&s->out, i)) {
			f.of[i - s->out.begin] = f.n;
			starts[f.n++] = i;
		}
		if (k->writes_emitted && k->first_identical == i && !stmt_synchronises(k) &&
			k->op != OP_ACTIVEMASK)
			f.own_stmts[f.nown++] = i;
	}
	f.list = arena_alloc(s->arena, f.n * sizeof *f.list);
	for (uint32_t i = 0; i < f.n; i++) {
		f.list[i] = (Output_block){ .at = starts[i],
			.end = i + 1 < f.n ? starts[i + 1] : s->out.end };
		summarise_block(&s->out, &f.list[i], f.words);
	}
	return f;
}

/* Liveness: backward, to a fixed point. */
static void
find_live(const Output_flow *f)
{
	Loop_check *s = f->s;
	uint32_t words = f->words;
	bool changed = true;

	while (changed) {
		uint64_t now[2] = { 0, 0 };
		changed = false;
		for (uint32_t i = f->n; i-- > 0;) {
			const Output_block *p = &f->list[i];
			Output_stmt *k = output_stmt(&s->out, p->at);
			uint64_t behind[2] = { 0, 0 };
			bool guarded = s->out.m->stmts[p->at].guard;
			for (uint32_t n = 0, to; output_branch_target(&s->out, p->at, n, &to); n++)
				for (uint32_t j = 0; to && j < words; j++)
					behind[j] |= output_stmt(&s->out, to)->regs.live[j];
			for (uint32_t j = 0; j < words; j++) {
				now[j] = (now[j] & ~p->kills[j]) | p->reads[j];
				now[j] = ((k->flow.ends ? 0 : now[j]) &
						 ~(guarded ? 0 : k->regs.writes[j])) |
					behind[j] | k->regs.reads[j];
				changed |= now[j] != k->regs.live[j];
				k->regs.live[j] = now[j];
			}
		}
	}
	for (uint32_t i = 0; i < f->n; i++) {
		const Output_stmt *k = output_stmt(&s->out, f->list[i].at);
		bool label = s->out.m->stmts[f->list[i].at].kind == STMT_LABEL || k->flow.joins;
		for (uint32_t j = 0; j < words && label; j++)
			s->emitted.live_across_labels[j] |= k->regs.live[j];
	}
}

/* Finds registers that may vary: only some lanes write them, or they are computed from varying
 * values. */
static void
find_varying(Output_flow *f)
{
	const Loop_check *s = f->s;
	bool changed = true;

	for (uint32_t j = 0; j < f->words; j++)
		f->varying[j] |= s->divergence.possible[j];
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < f->nown; i++) {
			const Output_stmt *k = output_stmt(&s->out, f->own_stmts[i]);
			uint64_t reads = 0, more = 0;
			for (uint32_t j = 0; j < f->words; j++) {
				reads |= k->regs.reads[j] & f->varying[j];
				more |= k->regs.writes[j] & ~f->varying[j];
			}
			if (!more || !(reads || k->varies || !(k->flags & OPF_PURE)))
				continue;
			for (uint32_t j = 0; j < f->words; j++)
				f->varying[j] |= k->regs.writes[j];
			changed = true;
		}
	}
}

/* Whether the branch may make the lanes diverge. */
static bool
branch_diverges(const Output_flow *f, const Output_block *p, const Output_stmt *k)
{
	const Loop_check *s = f->s;
	const Stmt *t = &s->out.m->stmts[p->at];
	const Output_reg *r = t->guard ? output_reg(&s->out, t->sym) : output_reg(&s->out, 0);

	if (k->op == OP_BRX || k->op != OP_BRA || !t->guard || ptx_has(s->out.m, t, "uni"))
		return k->op == OP_BRX;
	return r->kind != REG_EMITTED || f->varying[r->index >> 6] >> (r->index & 63) & 1;
}

/* Collects what diverged lanes write, up to where they meet. */
static bool
mark_divergent_writes(const Output_flow *f)
{
	Loop_check *s = f->s;
	bool changed = false;

	for (uint32_t i = 0; i < f->n; i++) {
		Output_block *p = &f->list[i];
		const Output_stmt *k = output_stmt(&s->out, p->at);
		bool alone = p->diverged && !stmt_synchronises(k) && !k->flow.reconverges &&
			!(k->flow.closes && !s->lookahead),
		     out = alone || branch_diverges(f, p, k);
		for (uint32_t m = 0, to; out && output_branch_target(&s->out, p->at, m, &to); m++) {
			Output_block *q = to ? &f->list[f->of[to - s->out.begin]] : p;
			changed |= to && !q->diverged && q < p;
			q->diverged |= to != 0;
		}
		if (i + 1 < f->n)
			f->list[i + 1].diverged |= out && !k->flow.ends;
		for (uint32_t j = 0; j < f->words; j++)
			s->divergence.possible[j] |= (alone ? k->regs.writes[j] : 0) |
				(out && !k->flow.ends ? p->writes[j] : 0);
	}
	return changed;
}

/* Finds registers that only some lanes may write. The exploration checks this; a good estimate
 * saves a repetition. */
static void
find_divergent_writes(Output_flow *f)
{
	Loop_check *s = f->s;
	uint64_t was[2];

	do {
		memcpy(was, s->divergence.possible, sizeof was);
		find_varying(f);
		while (mark_divergent_writes(f))
			;
	} while (memcmp(was, s->divergence.possible, sizeof was) != 0);
	memcpy(s->divergence.writes, s->divergence.possible, sizeof s->divergence.writes);
}

/* Those written since the last vote or barrier: forward, to a fixed point. */
static void
find_writes_since_sync(const Output_flow *f)
{
	Loop_check *s = f->s;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < f->n; i++) {
			Output_block *p = &f->list[i];
			const Output_stmt *k = output_stmt(&s->out, p->at);
			bool sync = stmt_synchronises(k), alone = p->diverged && !sync,
			     behind = i + 1 < f->n && !k->flow.ends;
			uint64_t guard = s->out.m->stmts[p->at].guard ? UINT64_MAX : 0;
			for (uint32_t j = 0; j < f->words; j++) {
				uint64_t out = (sync ? 0 : p->since[j]) | p->guarded[j] |
					(alone ? p->writes[j] : 0) |
					(alone || guard ? k->regs.writes[j] : 0);
				for (uint32_t m = 0, to;
					output_branch_target(&s->out, p->at, m, &to); m++) {
					Output_block *q =
						to ? &f->list[f->of[to - s->out.begin]] : p;
					changed |= to && (out & ~q->since[j]);
					q->since[j] |= to ? out : 0;
				}
				if (!behind)
					continue;
				changed |= (out & ~p[1].since[j]) != 0;
				p[1].since[j] |= out;
			}
		}
	}
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t j = 0; j < f->words; j++)
			output_stmt(&s->out, f->list[i].at)->regs.divergent_since_sync[j] =
				f->list[i].since[j];
}

/* Finds statements after which the round does nothing: backward, to a fixed point. */
static void
find_quiet_stmts(Output_flow *f)
{
	Loop_check *s = f->s;
	bool changed = true;

	for (uint32_t i = 0; i < s->emitted.n; i++)
		if (s->out.m->syms[s->emitted.syms[i]].type != TYPE_PRED)
			f->counters[i >> 6] |= s->emitted.live_across_labels[i >> 6] &
				s->emitted.self_updated[i >> 6] & UINT64_C(1) << (i & 63);
	for (uint32_t i = 0; i < f->n; i++) {
		Output_block *p = &f->list[i];
		p->loud = stmt_acts_in_round(f, p->at);
		for (uint32_t k = p->at + 1; k < p->end && !p->begins; k++)
			p->begins = stmt_acts_in_round(f, k);
	}
	while (changed) {
		changed = false;
		for (uint32_t i = f->n; i-- > 0;) {
			Output_block *p = &f->list[i];
			const Output_stmt *k = output_stmt(&s->out, p->at);
			bool next = p->begins || (i + 1 < f->n && f->list[i + 1].loud),
			     is = p->loud || (!k->ballot && !k->flow.ends && next);
			for (uint32_t m = 0, to; output_branch_target(&s->out, p->at, m, &to); m++)
				is |= to && f->list[f->of[to - s->out.begin]].loud;
			changed |= is && !p->loud;
			p->loud = is;
		}
	}
	for (uint32_t i = 0; i < f->n; i++)
		output_stmt(&s->out, f->list[i].at)->flow.ends_round = !f->list[i].loud;
}

void
output_flow_init(Loop_check *s, May_begin *may_begin)
{
	Output_flow f = make_blocks(s, may_begin);

	find_live(&f);
	find_divergent_writes(&f);
	if (s->lookahead)
		find_writes_since_sync(&f);
	if (s->paths.n)
		find_quiet_stmts(&f);
}
