/* SPDX-License-Identifier: MIT */
/* Prints the counts of a launch, and those of lines of the PTX or the CUDA source.
 *
 * A statement belongs to the PTX line on which it begins, and to the CUDA line of the preceding
 * .loc. Code inlined at two places counts as two lines, because lanes may be lost at only one of
 * them.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/state/sim.h"

/* ---- a launch -------------------------------------------------------------------------------- */

void
sim_counts_add(Sim_counts *to, const Sim_counts *c)
{
	to->warp_insts += c->warp_insts;
	to->thread_insts += c->thread_insts;
	to->active_insts += c->active_insts;
	to->branches += c->branches;
	to->divergent += c->divergent;
	to->shared_requests += c->shared_requests;
	to->shared_wavefronts += c->shared_wavefronts;
	to->shared_ideal += c->shared_ideal;
	to->global_requests += c->global_requests;
	to->global_sectors += c->global_sectors;
	to->global_lines += c->global_lines;
	to->local_requests += c->local_requests;
	to->local_sectors += c->local_sectors;
	to->benign_races += c->benign_races;
	to->faults += c->faults;
	to->tasks += c->tasks;
	to->slots += c->slots;
	to->collecting += c->collecting;
}

bool
sim_has_few_tasks(const Sim_counts *c)
{
	enum { FEW = 4 };

	return c->tasks < FEW * c->collecting;
}

const Sim_counts *
sim_counts_by_stmt(const Sim *s)
{
	return s->stats.so_far;
}

static double
percentage(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static double
per_request(uint64_t n, uint64_t requests)
{
	return requests ? (double)n / (double)requests : 0;
}

static unsigned long long print_u64(uint64_t v) { return v; } /* converts for printf's %llu */

void
sim_counts_print(const Sim_counts *c, Buf *out)
{
	buf_printf(out, "warp instructions: %llu\nthread instructions: %llu\n",
		print_u64(c->warp_insts), print_u64(c->thread_insts));
	buf_printf(out, "warp execution efficiency: %.2f %% (%.2f %% with predication)\n",
		percentage(c->thread_insts, LANES * c->warp_insts),
		percentage(c->active_insts, LANES * c->warp_insts));
	buf_printf(out, "branches: %llu, divergent: %llu (%.2f %%)\n", print_u64(c->branches),
		print_u64(c->divergent), percentage(c->divergent, c->branches));
	if (c->shared_requests)
		buf_printf(out,
			"shared memory: %llu requests, %llu wavefronts, %llu of them bank conflicts\n",
			print_u64(c->shared_requests), print_u64(c->shared_wavefronts),
			print_u64(c->shared_wavefronts - c->shared_ideal));
	if (c->global_requests)
		buf_printf(out,
			"global memory: %llu requests, %llu sectors (%.2f a request), %llu lines (%.2f a request)\n",
			print_u64(c->global_requests), print_u64(c->global_sectors),
			per_request(c->global_sectors, c->global_requests),
			print_u64(c->global_lines),
			per_request(c->global_lines, c->global_requests));
	if (c->local_requests)
		buf_printf(out, "local memory: %llu requests, %llu sectors (%.2f a request)\n",
			print_u64(c->local_requests), print_u64(c->local_sectors),
			per_request(c->local_sectors, c->local_requests));
	if (c->benign_races)
		buf_printf(out, "races counted, not reported: %llu\n", print_u64(c->benign_races));
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int
compare_files(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int
compare_positions(const Cuda_pos *a, const Cuda_pos *b)
{
	int files = compare_files(a->file, b->file);
	return files ? files : (a->line > b->line) - (a->line < b->line);
}

static int
by_place(const void *x, const void *y)
{
	const Sim_line *a = x, *b = y;
	int files = compare_files(a->file, b->file),
	    lines = (a->line > b->line) - (a->line < b->line);
	return files ? files : lines ? lines : compare_positions(&a->caller, &b->caller);
}

/* Returns the line of a statement, with its counts. */
static Sim_line
line_of(const Sim *s, Sim_lines_of of, uint32_t stmt)
{
	Sim_line l = { .counts = s->stats.so_far[stmt] };
	uint32_t col;
	if (of == LINES_PTX || !ptx_cuda_pos(s->m, stmt, &l.cuda) ||
		!ptx_cuda_caller(s->m, stmt, &l.caller))
		l.caller = (Cuda_pos){0};
	if (of == LINES_CUDA && l.cuda.file) {
		l.file = l.cuda.file;
		l.line = l.cuda.line;
	} else {
		source_position(s->m->src, s->m->stmts[stmt].at.pos, &l.line, &col);
	}
	return l;
}

uint32_t
sim_lines(const Sim *s, Sim_lines_of of, Sim_line **lines)
{
	VEC(Sim_line) all = {0};
	for (uint32_t i = 0; s->stats.so_far && i < s->m->nstmts; i++)
		if (s->stats.so_far[i].warp_insts)
			*vec_push(&all) = line_of(s, of, i);
	if (of == LINES_CUDA && all.n)
		qsort(all.at, all.n, sizeof *all.at, by_place);
	uint32_t n = 0;
	for (uint32_t i = 0; i < all.n; i++)
		if (n && by_place(&all.at[n - 1], &all.at[i]) == 0)
			sim_counts_add(&all.at[n - 1].counts, &all.at[i].counts);
		else
			all.at[n++] = all.at[i];
	*lines = all.at;
	return n;
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct { const char *name; Source text; bool read; } Source_file;
typedef VEC(Source_file) Source_files;

static uint64_t lost_lanes(const Sim_counts *c) { return LANES * c->warp_insts - c->thread_insts; }

static int
by_warp_insts(const void *x, const void *y)
{
	const Sim_line *a = x, *b = y;
	uint64_t m = a->counts.warp_insts, n = b->counts.warp_insts;
	return m != n ? (m < n) - (m > n) : by_place(x, y);
}

static int
by_lost_lanes(const void *x, const void *y)
{
	const Sim_line *a = x, *b = y;
	uint64_t m = lost_lanes(&a->counts), n = lost_lanes(&b->counts);
	return m != n ? (m < n) - (m > n) : by_warp_insts(x, y);
}

/* Returns the text of a file; NULL if it cannot be read. */
static Source *
file_text(Source_files *f, const char *name)
{
	const char *why;
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].name, name))
			return f->at[i].read ? &f->at[i].text : NULL;
	Source_file *x = vec_push(f);
	x->name = name;
	x->read = source_read(&x->text, name, &why);
	return x->read ? &x->text : NULL;
}

/* Prints the text of a line without surrounding blanks, at most 70 bytes. */
static void
print_text(Source *src, uint32_t line, Buf *out)
{
	const char *s = src->text + source_line_start(src, line), *end = src->text + src->len;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	size_t n = strcspn(s, "\r\n");
	buf_puts(out, "  ");
	buf_add(out, s, n < 70 ? n : 70);
}

static void
print_place(const Sim *s, const Sim_line *l, Source_files *files, Buf *out)
{
	Source *src = l->file ? file_text(files, l->file) : s->m->src;
	buf_printf(out, "  %s:%u", l->file ? l->file : s->m->src->name, l->line);
	if (!l->file && l->cuda.file)
		buf_printf(out, "  %s:%u", l->cuda.file, l->cuda.line);
	if (l->caller.file)
		buf_printf(out, " inlined at %s:%u", l->caller.file, l->caller.line);
	if (src)
		print_text(src, l->line, out);
	buf_putc(out, '\n');
}

/* Prints a number in a column of the given width; "-" if the line has no such instructions. */
static void
print_cell(Buf *out, int width, bool any, int digits, double v)
{
	char cell[32] = "-";
	if (any)
		snprintf(cell, sizeof cell, "%.*f", digits, v);
	buf_printf(out, " %*s", width, cell);
}

static void
print_row(const Sim_counts *c, uint64_t all, Buf *out)
{
	uint64_t lanes = LANES * c->warp_insts;
	buf_printf(out, "%12llu %5.1f%% %6.1f%% %6.1f%% %13llu", print_u64(c->warp_insts),
		percentage(c->warp_insts, all), percentage(c->thread_insts, lanes),
		percentage(c->active_insts, lanes), print_u64(lost_lanes(c)));
	print_cell(out, 10, c->branches != 0, 0, (double)c->divergent);
	print_cell(out, 10, c->shared_requests != 0, 0,
		(double)(c->shared_wavefronts - c->shared_ideal));
	print_cell(out, 8, c->global_requests != 0, 2,
		per_request(c->global_sectors, c->global_requests));
	print_cell(out, 8, c->local_requests != 0, 2,
		per_request(c->local_sectors, c->local_requests));
}

void
sim_lines_print(const Sim *s, Sim_lines_of of, bool by_lost, Buf *out)
{
	Sim_line *lines;
	Source_files files = {0};
	uint32_t n = sim_lines(s, of, &lines);
	uint64_t all = 0;
	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++)
		all += lines[i].counts.warp_insts;
	qsort(lines, n, sizeof *lines, by_lost ? by_lost_lanes : by_warp_insts);
	buf_puts(out,
		"        warp        active not pred-          lost  divergent       bank sectors/  local\n"
		"instructions  share  lanes icated off        lanes   branches  conflicts  request  sectors  line\n");
	for (uint32_t i = 0; i < n; i++) {
		print_row(&lines[i].counts, all, out);
		print_place(s, &lines[i], &files, out);
	}
	for (uint32_t i = 0; i < files.n; i++)
		if (files.at[i].read)
			source_release(&files.at[i].text);
	vec_free(&files);
	xfree(lines);
}
