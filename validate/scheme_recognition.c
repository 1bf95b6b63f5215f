/* SPDX-License-Identifier: MIT */
/* Recognizes the scheme of an inserted text: the paths that it collects, batches and look-ahead.
 *
 * The sources are the path lines in the text's head, which are hints, its votes, and its own
 * instructions. If one of these instructions has no meaning here, the form is unknown, and nothing
 * is proved.
 */
#include <stdlib.h>
#include <string.h>
#include "validate/scheme_recognition.h"
#include "validate/draws/draws.h"
#include "validate/lookahead/lookahead.h"

static bool
path_is_taken(const Collected_paths *paths, const Region *path)
{
	for (uint32_t i = 0; i < paths->n; i++)
		if (paths->at[i].region == path)
			return true;
	return false;
}

/* Adds the path whose annotation is at a source line. The text does not identify one of several on
 * the same line, so the first or the last unused one is tried. */
static bool
add_path(Loop_check *s, unsigned long line)
{
	const Region *r = s->in.region, *found = NULL;

	for (uint32_t i = 0; i < r->npaths; i++) {
		if (s->in.m->markers[r->paths[i]->marker].cuda.line != line ||
			path_is_taken(&s->paths, r->paths[i]))
			continue;
		s->paths.ambiguous |= found != NULL;
		found = found && !s->paths.backward ? found : r->paths[i];
	}
	if (!found || s->paths.n == r->npaths)
		return loop_check_unknown(s, s->out.begin, "an inner loop, or no path, is collected");
	s->paths.at[s->paths.n++].region = found;
	return true;
}

/* Finds the paths that the text says it collects, in the order of their votes. If it names no path
 * and no inner loop, every lane runs its own iterations. */
static bool
find_paths(Loop_check *s)
{
	static const char path[] = "path at line ", inner[] = "inner loop at line ";
	const Stmt *first = &s->out.m->stmts[s->out.begin], *open = first - 1;
	const char *head = arena_strndup(s->arena, s->out.m->src->text + open->at.pos,
		first->at.pos - open->at.pos), *at = head;
	uint32_t n = s->in.region->npaths;

	s->paths.at = arena_array(s->arena, n + 1, sizeof *s->paths.at);
	while ((at = strstr(at, path)) != NULL)
		if (!add_path(s, strtoul(at += sizeof path - 1, NULL, 10)))
			return false;
	if (s->paths.n > MAX_REGIONS)
		return loop_check_unknown(s, s->out.begin, "too many paths");
	if (!s->paths.n && strstr(head, inner))
		return loop_check_unknown(s, s->out.begin, "iterations of an inner loop laid over the lanes");
	return s->paths.n || !strstr(head, "policy ahead") || lookahead_init(s);
}

static bool
op_has_meaning(const Loop_check *s, Op op)
{
	switch (op) {
	case OP_BREV: case OP_BFIND: case OP_CVT: case OP_CVTA: case OP_REDUX:
		return s->lookahead != NULL || s->out.draws != NULL;
	case OP_CLZ: case OP_SHF: case OP_SHFL:
		return s->out.draws != NULL;
	case OP_MOV: case OP_SELP: case OP_SETP: case OP_LD:
	case OP_ADD: case OP_SUB: case OP_MUL: case OP_MAD: case OP_MIN: case OP_MAX:
	case OP_SHL: case OP_SHR: case OP_AND: case OP_OR: case OP_XOR: case OP_NOT: case OP_POPC:
	case OP_VOTE: case OP_ACTIVEMASK:
		return true;
	default: return false;
	}
}

/* One of the two copies of the loop has one iteration per round, and a vote for each path; the
 * other may have batches of several. */
static bool
count_batch(Loop_check *s, uint32_t ballots)
{
	s->batch.n = 1;
	if (s->paths.n == 0 || ballots <= 2 * s->paths.n)
		return true;
	s->batch.n = ballots / s->paths.n - 1;
	return (ballots % s->paths.n == 0 && s->batch.n * s->paths.n <= MAX_BATCHED) ||
		loop_check_unknown(s, s->out.begin, "the batch is too large");
}

/* Whether an instruction names a machine register. */
static bool
stmt_names_emitted_register(const Output_text *output, const Stmt *t)
{
	const Opnd *o = &output->m->opnds[t->opnd], *end = o;

	for (uint32_t k = 0; k < t->nopnd; k++)
		for (end += end->tree; o < end; o++)
			if (o->kind == OPND_SYM && output_reg(output, o->sym)->kind == REG_EMITTED)
				return true;
	return false;
}

/* Whether it writes one. */
static bool
stmt_writes_emitted_register(const Output_text *output, const Stmt *t)
{
	if (!stmt_names_emitted_register(output, t))
		return false;
	PTX_REFS(output->m, t, r)
		if (r.written && output_reg(output, r.sym)->kind == REG_EMITTED)
			return true;
	return false;
}

bool
scheme_read(Loop_check *s)
{
	uint32_t odd = 0, shuffle = 0;

	if (!find_paths(s) || !draws_find(s))
		return false;
	for (uint32_t i = s->out.begin; i < s->out.end; i++) {
		const Stmt *t = &s->out.m->stmts[i];
		Op op = t->kind == STMT_INSN ? ptx_op(s->out.m, t) : OP_MOV;
		if (op_has_meaning(s, op) || (odd && op != OP_SHFL) ||
			!stmt_writes_emitted_register(&s->out, t))
			continue;
		odd = odd ? odd : i;
		shuffle = op == OP_SHFL ? i : shuffle;
	}
	if (shuffle)
		return loop_check_unknown(s, shuffle, "values that go from lane to lane by shuffles");
	return !odd || loop_check_unknown(s, odd, "an instruction that no known form has");
}

bool
scheme_count_votes(Loop_check *s)
{
	uint32_t ballots = 0;

	for (uint32_t i = s->out.begin; i < s->out.end; i++)
		ballots += output_stmt(&s->out, i)->ballot;
	if (s->lookahead)
		lookahead_mark_starts(s);
	return count_batch(s, ballots) && batch_init(s);
}
