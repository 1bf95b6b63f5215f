/* SPDX-License-Identifier: MIT */
/* Units as text for people. See unit.h. */
#include <string.h>
#include "report/unit.h"

static void
write_head(const Unit_site *s, Buf *out)
{
	if (s->remap && s->keys) {
		buf_printf(out, "%s:%u: kernel %s, statement ordered by %u keys\n",
			s->loop.file ? s->loop.file : "?", s->loop.line,
			s->kernel ? s->kernel : s->function, s->keys);
		return;
	}
	if (s->remap) {
		buf_printf(out, "%s:%u: kernel %s, branch of %u path%s\n",
			s->loop.file ? s->loop.file : "?", s->loop.line,
			s->kernel ? s->kernel : s->function, s->paths, s->paths == 1 ? "" : "s");
		return;
	}
	buf_printf(out, "%s:%u: %s %s", s->loop.file ? s->loop.file : "?", s->loop.line,
		s->entry ? "kernel" : "function", s->kernel ? s->kernel : s->function);
	if (s->path.file)
		buf_printf(out, ", path %s:%u", s->path.file, s->path.line);
	if (s->inside.file)
		buf_printf(out, ", inside %s:%u", s->inside.file, s->inside.line);
	buf_puts(out, s->branch ? ", arms\n" : "\n");
}

bool
unit_value_has_name(const Unit_value *v, const Unit_value *all, uint32_t n)
{
	const char last = *v->reg ? v->reg[strlen(v->reg) - 1] : '0';

	for (uint32_t i = 0; i < n; i++)
		if (all[i].at.file && last >= '0' && last <= '9') /* not %tid.x */
			return false;
	return true;
}

/* Writes the values of a task to the end of the line: by source line or, if that is unknown, by
 * register or type. */
static void
write_values(const Unit_value *all, uint32_t n, Buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const Unit_value *v = &all[i];
		buf_puts(out, i ? ", " : ": ");
		if (v->at.file)
			buf_printf(out, "%s of line %u", v->type, v->at.line);
		else if (!unit_value_has_name(v, all, n))
			buf_puts(out, v->type);
		else
			buf_printf(out, "%s .%s", v->reg, v->type);
	}
	buf_putc(out, '\n');
}

/* Writes the values of a task, and where tasks are stored. */
static void
write_context(const Unit_site *s, Buf *out)
{
	buf_printf(out, "  context: %u bytes a task", s->context_bytes);
	if (s->uncompressed != s->context_bytes)
		buf_printf(out, " instead of %u", s->uncompressed);
	write_values(s->context.at, s->context.n, out);
	if (s->kept.n) {
		buf_puts(out, "  stored once for each lane");
		write_values(s->kept.at, s->kept.n, out);
	}
	if (s->shared)
		buf_printf(out, "  shared memory: %u bytes a block (blocks of up to %u threads%s)\n",
			s->shared, s->threads,
			s->chosen_threads ? "; others run the original loop" : "");
	if (s->task_loop)
		buf_printf(out, "  task loop: the first %s blocks of a launch take all%s\n",
			s->task_loop, s->shared ? "; it gains from about 4 times as many on" : "");
	if (s->recomputed)
		buf_printf(
			out, "  recomputed at the entry: %u uniform values\n", s->recomputed);
	if (s->owner_slice)
		buf_printf(out,
			"  computed by the owner too: %u values that flow out of the path\n",
			s->owner_slice);
	if (s->stay)
		buf_printf(out, "  coalesced: the owner runs the first %s of the path\n",
			s->stay == 1 ? "load" : "loads");
	if (s->reductions && s->warpwide && s->warpwide < s->reductions)
		buf_printf(out,
			"  reductions: %u, each lane has a slot for each but %u, which stay with the lane that runs the path\n",
			s->reductions, s->warpwide);
	else if (s->reductions)
		buf_printf(out, "  reductions: %u, %s\n", s->reductions,
			s->warpwide ? "partial results stay with the lane that runs the path" :
				      "each lane has a slot for each");
}

/* Writes the registers and spills that ptxas reports for the kernel. */
static void
write_machine(const Unit_site *s, Buf *out)
{
	if (!s->registers)
		return;
	buf_printf(
		out, "  registers: %u a thread instead of %u", s->registers, s->registers_before);
	if (s->spilled || s->spilled_before)
		buf_printf(out, ", %u bytes of them in local memory instead of %u", s->spilled,
			s->spilled_before);
	if (s->block)
		buf_printf(out, "; occupancy: %u warps instead of %u (blocks of %u threads)",
			s->warps, s->warps_before, s->block);
	if (s->registers_unheld)
		buf_printf(out, "; limited to that, otherwise %u registers and %u warps",
			s->registers_unheld, s->warps_unheld);
	buf_putc(out, '\n');
}

static void
write_gain(const Unit_site *s, Buf *out)
{
	if (!s->expected)
		return;
	buf_puts(out, "  expected: ");
	site_gain(s, out);
	buf_putc(out, '\n');
}

static void
write_transformed(const Unit_site *s, Buf *out)
{
	bool waits = s->flow && strcmp(s->flow, "bound") == 0;

	buf_printf(out, "  transformed, policy %s\n", s->policy);
	if (s->steps)
		buf_puts(out,
			"  a task is one iteration of the inner loop; an unfinished task is pushed back\n");
	if (s->shares_vote)
		buf_puts(out, "  one vote for all its paths: an iteration takes one of them at most\n");
	if (s->flow && strcmp(s->flow, "jump") == 0)
		buf_puts(out, "  flow: jump, a task runs the rest of its iteration too\n");
	if (s->stops)
		buf_printf(out, "  lanes wait at %u statements and loops, the inner ones first\n",
			s->stops);
	if (waits && s->drawn && s->shared)
		buf_printf(out,
			"  lanes draw iterations from those of the block\n  shared memory: %u bytes a block (blocks of up to %u threads)\n",
			s->shared, s->threads);
	else if (waits && s->drawn)
		buf_puts(out, "  lanes draw iterations from those of the warp: no shared memory\n");
	else if (waits && s->unified)
		buf_puts(out, "  each lane runs its own iterations, those of one side of the branch first: no shared memory\n");
	else if (waits)
		buf_puts(out, "  each lane runs its own iterations: no shared memory\n");
	else
		write_context(s, out);
	write_machine(s, out);
	write_gain(s, out);
	if (s->retreat)
		buf_printf(out, "  retreat: a warp falls back to the original loop %s\n", s->retreat);
	if (s->validated && strncmp(s->validated, "tried, ", 7) == 0)
		buf_printf(out, "  not validated, but tested on random inputs: %s\n",
			s->validated + 7);
	else if (s->validated && strcmp(s->validated, "yes") != 0)
		buf_printf(out, "  not validated: %s\n", s->validated);
	if (s->instead && (waits || s->steps))
		buf_printf(out, "  its %s: %s\n",
			waits ? "tasks are not collected" : "rows are not expanded", s->instead);
}

static void
write_loop(const Unit_site *s, Buf *out)
{
	write_head(s, out);
	if (s->done)
		write_transformed(s, out);
	else
		buf_printf(out, "  left unchanged: %s\n", s->reason);
	if (!s->done && s->found && s->remedy)
		buf_printf(out, "  remedy: %s\n", s->remedy);
	if (s->measured)
		buf_printf(out, "  profile: %s\n", s->measured);
	if (s->choice && !s->further)
		buf_printf(out, "  chosen by the profile: %s\n", s->choice);
}

static void
write_branch(const Unit_site *s, Buf *out)
{
	write_head(s, out);
	if (s->done)
		buf_printf(out,
			"  melded: of %u instructions %u are one for both, %u issue slots instead of %u\n",
			s->arms, s->both, s->slots, s->slots_before);
	else
		buf_printf(out, "  left unchanged: %s\n", s->reason);
}

static void
write_value_sum(const char *what, const Unit_value *all, uint32_t n, Buf *out)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += all[i].bytes;
	buf_printf(out, "  %s: %u bytes a task", what, bytes);
	write_values(all, n, out);
}

static void
write_remap(const Unit_site *s, Buf *out)
{
	write_head(s, out);
	if (!s->done) {
		buf_printf(out, "  left unchanged: %s\n", s->reason);
		return;
	}
	buf_printf(out, "  remapped, policy %s; %s\n", s->policy, s->come);
	write_value_sum("sent to the lane that runs it", s->context.at, s->context.n, out);
	write_value_sum("comes back", s->results.at, s->results.n, out);
	buf_printf(out, "  shared memory: %u bytes a block (blocks of up to %u threads)\n",
		s->shared, s->threads);
}

static void
write_recursion(const Unit_site *s, Buf *out)
{
	write_head(s, out);
	if (!s->done) {
		buf_printf(out, "  left unchanged: %s\n", s->reason);
		return;
	}
	buf_printf(out, "  calls are tasks, policy %s: %u bytes each\n", s->policy,
		s->context_bytes);
	buf_printf(out, "  shared memory: %u bytes a block (blocks of up to %u threads)\n",
		s->shared, s->threads);
}

/* The kinds of sites, in the order of the report. */
typedef enum { FOUND_LOOP, LOOP, BRANCH, REMAP, RECURSION, SITE_KINDS } Site_kind;

static Site_kind
kind_of(const Unit_site *s)
{
	if (s->flow && strcmp(s->flow, "recursion") == 0)
		return RECURSION;
	return s->branch ? BRANCH : s->remap ? REMAP : s->found ? FOUND_LOOP : LOOP;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_place(Cuda_pos a, Cuda_pos b)
{
	return same_text(a.file, b.file) && a.line == b.line;
}

/* Whether two sites of a function belong to one annotation and have the same outcome. Sites without
 * a place are told apart. */
static bool
is_copy(const Unit_site *a, const Unit_site *b)
{
	return a->loop.file && same_place(a->loop, b->loop) && same_place(a->path, b->path) &&
		same_place(a->inside, b->inside) && same_text(a->function, b->function) &&
		a->branch == b->branch && a->remap == b->remap && a->done == b->done &&
		same_text(a->policy, b->policy) && same_text(a->reason, b->reason) &&
		same_text(a->measured, b->measured) && same_text(a->choice, b->choice) &&
		a->context_bytes == b->context_bytes && a->shared == b->shared;
}

uint32_t
unit_copies(const Unit *u, uint32_t site)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < u->sites.n; i++)
		if (is_copy(&u->sites.at[i], &u->sites.at[site])) {
			if (i < site)
				return 0;
			n++;
		}
	return n ? n : 1;
}

/* Whether two sites that --auto found are of one statement. */
static bool
is_same_stmt(const Unit_site *a, const Unit_site *b)
{
	return a == b || (a->loop.file && a->found && b->found && same_place(a->loop, b->loop) &&
		same_place(a->path, b->path) && same_place(a->inside, b->inside) &&
		same_text(a->function, b->function));
}

static bool
is_other_site_of_stmt(const Unit *u, uint32_t site)
{
	for (uint32_t i = 0; i < site; i++)
		if (is_same_stmt(&u->sites.at[i], &u->sites.at[site]))
			return true;
	return false;
}

static bool
stmt_is_done(const Unit *u, uint32_t site)
{
	for (uint32_t i = site; i < u->sites.n; i++)
		if (u->sites.at[i].done && is_same_stmt(&u->sites.at[i], &u->sites.at[site]))
			return true;
	return false;
}

void
unit_text(const Unit *u, Buf *out)
{
	static const struct {
		void (*write)(const Unit_site *, Buf *);
		const char *what;
	} kinds[SITE_KINDS] = {
		[FOUND_LOOP] = { write_loop, "branches and loops found transformed" },
		[LOOP] = { write_loop, "annotated loops transformed" },
		[BRANCH] = { write_branch, "annotated branches melded" },
		[REMAP] = { write_remap, "annotated branches remapped" },
		[RECURSION] = { write_recursion, "annotated functions transformed" },
	};
	bool any = false;

	for (uint32_t k = 0; k < SITE_KINDS; k++) {
		uint32_t n = 0, done = 0;
		for (uint32_t i = 0; i < u->sites.n; i++) {
			const Unit_site *s = &u->sites.at[i];
			if (kind_of(s) != (Site_kind)k)
				continue;
			uint32_t copies = unit_copies(u, i);
			if (copies)
				kinds[k].write(s, out);
			if (copies > 1)
				buf_printf(out, "  sites of this %s: %u (both arms, or copies by unrolling or inlining)\n",
					s->found ? "statement" : "annotation", copies);
			if (s->found && is_other_site_of_stmt(u, i))
				continue;
			n += !s->further;
			done += !s->further && (s->found ? stmt_is_done(u, i) : s->done);
		}
		if (n || (k == LOOP && !any))
			buf_printf(out, "%u of %u %s\n", done, n, kinds[k].what);
		any |= n > 0;
	}
}

void
units_text(const Units_report *r, Buf *out)
{
	for (uint32_t i = 0; i < r->units->n; i++) {
		const Unit *u = &r->units->at[i];
		buf_printf(out, "%s== %s, %s\n", i ? "\n" : "", u->source, u->arch ? u->arch : "?");
		unit_text(u, out);
	}
}

/* ---- parts of lines ----------------------------------------------------------------------------
 * */

static void
write_ratio(Buf *out, uint32_t percent)
{
	buf_printf(out, "%u.%02ux", percent / 100, percent % 100);
}

void
site_gain(const Unit_site *s, Buf *out)
{
	if (!s->expected)
		return;
	if (s->question) {
		buf_printf(out,
			"unclear, profile it: gains if %s (assumed: %u issue slots an iteration instead of %u)",
			s->question, s->slots, s->slots_before);
		return;
	}
	write_ratio(out, s->expected);
	buf_printf(out, " (%u issue slots an iteration instead of %u; ", s->slots,
		s->slots_before);
	if (s->by_profile) {
		buf_puts(out, "by the profile)");
		return;
	}
	if (s->least == s->most) {
		buf_puts(out, "without a profile)");
		return;
	}
	write_ratio(out, s->least);
	buf_puts(out, " to ");
	write_ratio(out, s->most);
	buf_puts(out, " by how many lanes need it)");
}

/* ---- one line -------------------------------------------------------------------------------- */

Cuda_pos
site_place(const Unit_site *s)
{
	return s->fault.file && !s->done ? s->fault : s->path.file ? s->path : s->loop;
}

static void
write_collected(const Unit_site *s, Buf *out)
{
	buf_printf(out, "%s, policy %s", s->remap ? "remapped" : "transformed", s->policy);
	if (s->shared)
		buf_printf(out, ": %u bytes a task, %u bytes of shared memory a block",
			s->context_bytes, s->shared);
	if (s->registers)
		buf_printf(out, ", %u registers instead of %u", s->registers, s->registers_before);
	if (s->question) {
		buf_puts(out, ", gain unclear without a profile");
	} else if (s->expected) {
		buf_puts(out, ", expected ");
		write_ratio(out, s->expected);
	}
}

void
site_line(const Unit_site *s, Buf *out)
{
	if (!s->done)
		buf_printf(out, "left unchanged: %s", s->reason);
	else if (s->branch)
		buf_printf(out, "melded: %u issue slots instead of %u", s->slots, s->slots_before);
	else
		write_collected(s, out);
}
