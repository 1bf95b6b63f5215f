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
#include "validate/lookahead/lookahead.h"

static bool
path_is_taken(const Loop_check *s, const Region *path)
{
	for (uint32_t i = 0; i < s->npaths; i++)
		if (s->paths[i].region == path)
			return true;
	return false;
}

/* Adds the path whose annotation is at a source line. The text does not identify one of several on
 * the same line, so the first or the last unused one is tried. */
static bool
add_path(Loop_check *s, unsigned long line)
{
	const Region *r = s->region, *found = NULL;

	for (uint32_t i = 0; i < r->npaths; i++) {
		if (s->in->markers[r->paths[i]->marker].cuda.line != line ||
			path_is_taken(s, r->paths[i]))
			continue;
		s->ambiguous |= found != NULL;
		found = found && !s->backward ? found : r->paths[i];
	}
	if (!found || s->npaths == r->npaths)
		return loop_check_unknown(s, s->begin, "an inner loop, or no path, is collected");
	s->paths[s->npaths].region = found;
	s->region_of_path[s->npaths + 1] = s->npaths + 1;
	s->path_of_region[++s->nregions] = ++s->npaths;
	return true;
}

/* Finds the paths that the text says it collects, in the order of their votes. If it names no path
 * and no inner loop, every lane runs its own iterations. */
static bool
find_paths(Loop_check *s)
{
	static const char path[] = "path at line ", inner[] = "inner loop at line ";
	const Stmt *first = &s->out->stmts[s->begin], *open = first - 1;
	const char *head = arena_strndup(s->arena, s->out->src->text + open->at.pos,
		first->at.pos - open->at.pos), *at = head;
	uint32_t n = s->region->npaths;

	s->paths = arena_array(s->arena, n + 1, sizeof *s->paths);
	s->path_of_region = arena_array(s->arena, n + 2, sizeof *s->path_of_region);
	s->region_of_path = arena_array(s->arena, n + 2, sizeof *s->region_of_path);
	while ((at = strstr(at, path)) != NULL)
		if (!add_path(s, strtoul(at += sizeof path - 1, NULL, 10)))
			return false;
	if (s->npaths > MAX_REGIONS)
		return loop_check_unknown(s, s->begin, "too many paths");
	if (!s->npaths && strstr(head, inner))
		return loop_check_unknown(s, s->begin, "iterations of an inner loop laid over the lanes");
	s->nothing_collected = s->npaths == 0;
	return !(s->nothing_collected && strstr(head, "policy ahead")) || lookahead_init(s);
}

static bool
op_has_meaning(const Loop_check *s, Op op)
{
	switch (op) {
	case OP_BREV: case OP_BFIND: case OP_CVT: case OP_CVTA: case OP_REDUX:
		return s->lookahead != NULL;
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
	s->batch = 1;
	if (s->nothing_collected || ballots <= 2 * s->nregions)
		return true;
	s->batch = ballots / s->nregions - 1;
	return (ballots % s->nregions == 0 && s->batch * s->npaths <= MAX_BATCHED) ||
		loop_check_unknown(s, s->begin, "too many own parts in a round");
}

/* Whether an instruction names a machine register. */
static bool
stmt_names_emitted_register(const Loop_check *s, const Stmt *t)
{
	const Opnd *o = &s->out->opnds[t->opnd], *end = o;

	for (uint32_t k = 0; k < t->nopnd; k++)
		for (end += end->tree; o < end; o++)
			if (o->kind == OPND_SYM && output_reg(s, o->sym)->kind == REG_EMITTED)
				return true;
	return false;
}

/* Whether it writes one. */
static bool
stmt_writes_emitted_register(const Loop_check *s, const Stmt *t)
{
	if (!stmt_names_emitted_register(s, t))
		return false;
	PTX_REFS(s->out, t, r)
		if (r.written && output_reg(s, r.sym)->kind == REG_EMITTED)
			return true;
	return false;
}

bool
scheme_read(Loop_check *s)
{
	uint32_t odd = 0, shuffle = 0;

	if (!find_paths(s))
		return false;
	for (uint32_t i = s->begin; i < s->end; i++) {
		const Stmt *t = &s->out->stmts[i];
		Op op = t->kind == STMT_INSN ? ptx_op(s->out, t) : OP_MOV;
		if (op_has_meaning(s, op) || (odd && op != OP_SHFL) ||
			!stmt_writes_emitted_register(s, t))
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

	for (uint32_t i = s->begin; i < s->end; i++)
		ballots += output_stmt(s, i)->ballot;
	if (s->lookahead)
		lookahead_mark_starts(s);
	return count_batch(s, ballots) && batch_init(s);
}
