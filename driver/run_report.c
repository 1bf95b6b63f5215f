/* SPDX-License-Identifier: MIT */
/* The report of a program's run. See run_report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/source.h"
#include "driver/rt/report.h"
#include "driver/run_report.h"

static char *
copy_name(const char *name)
{
	return strcpy(xmalloc(strlen(name) + 1), name);
}

static Run_kernel *
kernel_of(Run_report *r, const char *name, uint64_t module)
{
	uint32_t others = 0;
	for (uint32_t i = 0; i < r->kernels.n; i++) {
		Run_kernel *k = &r->kernels.at[i];
		if (strcmp(k->name, name) != 0)
			continue;
		if (k->module == module)
			return k;
		k->number = ++others;
	}
	Run_kernel *k = vec_push(&r->kernels);
	*k = (Run_kernel){ .name = copy_name(name), .module = module,
		.number = others ? others + 1 : 0 };
	return k;
}

static void
read_launch(Run_report *r, char *line)
{
	char *name = strtok(line, "\t"), *module = strtok(NULL, "\t"), *value;
	Sim_counts c = {0};
#define X(counter) value = strtok(NULL, "\t"); c.counter = value ? strtoull(value, NULL, 10) : 0;
	REPORT_COUNTERS(X)
#undef X
	if (!name)
		return;
	Run_kernel *k = kernel_of(r, name, module ? strtoull(module, NULL, 16) : 0);
	k->launches++;
	r->launches++;
	sim_counts_add(&k->counts, &c);
	r->faults += c.faults;
}

static void
read_version(Run_report *r, char *line)
{
	char *name = strtok(line, "\t"), *transformed = strtok(NULL, "\t");
	uint32_t i = 0;
	if (!name || !transformed)
		return;
	while (i < r->versions.n && strcmp(r->versions.at[i].name, name) != 0)
		i++;
	if (i == r->versions.n)
		*vec_push(&r->versions) = (Run_versions){ .name = copy_name(name) };
	*(*transformed == '1' ? &r->versions.at[i].transformed : &r->versions.at[i].original) += 1;
}

static void
read_races(Run_report *r, const char *line)
{
	char *end;
	r->races += strtoul(line, &end, 10);
	r->race_lines += strtoul(end, NULL, 10);
}

void
run_report_read(Run_report *r, int fd)
{
	static const char launch[] = "launch\t", table[] = "line\t", note[] = "note\t",
			  cost[] = "cost\t", races[] = "races\t",
			  promises[] = "promises\t", version[] = "version\t";
	char *line = NULL;
	size_t room = 0;
	int again = lseek(fd, 0, SEEK_SET) == 0 ? dup(fd) : -1;
	FILE *f = again >= 0 ? fdopen(again, "r") : NULL;
	while (f && getline(&line, &room, f) > 0) {
		if (!strncmp(line, note, sizeof note - 1)) {
			buf_printf(&r->notes, "ptxrun: %s", line + sizeof note - 1);
			continue;
		}
		r->started = true;
		if (!strncmp(line, launch, sizeof launch - 1))
			read_launch(r, line + sizeof launch - 1);
		else if (!strncmp(line, version, sizeof version - 1))
			read_version(r, line + sizeof version - 1);
		else if (!strncmp(line, races, sizeof races - 1))
			read_races(r, line + sizeof races - 1);
		else if (!strncmp(line, promises, sizeof promises - 1))
			r->promised += strtoul(line + sizeof promises - 1, NULL, 10);
		else if (!strncmp(line, table, sizeof table - 1))
			buf_puts(&r->lines, line + sizeof table - 1);
		else if (!strncmp(line, cost, sizeof cost - 1))
			costs_read(&r->costs, line + sizeof cost - 1);
	}
	free(line);
	if (f)
		fclose(f);
}

void
run_report_free(Run_report *r)
{
	for (uint32_t i = 0; i < r->kernels.n; i++)
		xfree(r->kernels.at[i].name);
	for (uint32_t i = 0; i < r->versions.n; i++)
		xfree(r->versions.at[i].name);
	vec_free(&r->kernels);
	vec_free(&r->versions);
	buf_free(&r->lines);
	buf_free(&r->notes);
}

static double
percentage(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Some libraries have kernels with extremely long names: messages truncate them, the file does
 * not. */
enum { NAME = 90 };

void
run_report_table(const Run_report *r, uint64_t sms)
{
	fprintf(stderr,
		"launches  warp instructions  thread instructions  active lanes  not predicated off  divergent branches  kernel\n");
	for (uint32_t i = 0; i < r->kernels.n; i++) {
		const Run_kernel *k = &r->kernels.at[i];
		const Sim_counts *c = &k->counts;
		fprintf(stderr,
			"%8" PRIu64 " %18" PRIu64 " %20" PRIu64
			" %11.2f %% %17.2f %% %17.2f %%  %.*s%s",
			k->launches, c->warp_insts, c->thread_insts,
			percentage(c->thread_insts, 32 * c->warp_insts),
			percentage(c->active_insts, 32 * c->warp_insts),
			percentage(c->divergent, c->branches), NAME, k->name,
			strlen(k->name) > NAME ? "..." : "");
		if (k->number)
			fprintf(stderr, " (module %u)", k->number);
		fputc('\n', stderr);
	}
	for (uint32_t i = 0; i < r->kernels.n; i++)
		run_report_task_loop(r->kernels.at[i].name, &r->kernels.at[i].counts, sms);
}

/* CCC_DISABLE selects the originals of a build with --ccc-switchable. */
void
run_report_versions(const Run_report *r)
{
	const char *off = getenv("CCC_DISABLE");
	if (off && *off && strcmp(off, "0") != 0)
		return;
	for (uint32_t i = 0; i < r->versions.n; i++) {
		const Run_versions *v = &r->versions.at[i];
		if (v->original)
			fprintf(stderr,
				"ptxrun: timed: '%.*s%s': %" PRIu64
				" launch%s of the original, %" PRIu64
				" of the transformed kernel%s\n",
				NAME, v->name, strlen(v->name) > NAME ? "..." : "", v->original,
				v->original == 1 ? "" : "es", v->transformed,
				v->transformed ? "" :
						 "; to run that alone, build with --ccc-choose=always");
	}
}

void
run_report_task_loop(const char *kernel, const Sim_counts *c, uint64_t sms)
{
	const char *dots = strlen(kernel) > NAME ? "..." : "";
	const uint64_t gpu = sms ? sms : 1;

	if (sim_has_few_tasks(c))
		fprintf(stderr,
			"ptxrun: note: '%.*s%s' has %" PRIu64 " tasks for the %" PRIu64
			" threads that stay in its task loop on %" PRIu64
			" multiprocessor%s: with fewer than 4 a thread, collecting costs more than it saves; measure with a larger input\n",
			NAME, kernel, dots, c->tasks, c->collecting, gpu, gpu == 1 ? "" : "s");
	else if (c->slots && !sms)
		fprintf(stderr,
			"ptxrun: note: '%.*s%s' has a task loop and ran on 1 multiprocessor: its counts are for launches N times as large on a GPU with N (--sms N)\n",
			NAME, kernel, dots);
}

int
run_report_write(const Run_report *r, const char *path)
{
	Buf out = {0};
	const char *why;
	buf_puts(&out, "launches");
#define X(counter) buf_puts(&out, "\t" #counter);
	REPORT_COUNTERS(X)
#undef X
	buf_puts(&out, "\tkernel\n");
	for (uint32_t i = 0; i < r->kernels.n; i++) {
		const Run_kernel *k = &r->kernels.at[i];
		buf_printf(&out, "%" PRIu64, k->launches);
#define X(counter) buf_printf(&out, "\t%" PRIu64, k->counts.counter);
		REPORT_COUNTERS(X)
#undef X
		buf_printf(&out, "\t%s", k->name);
		if (k->number)
			buf_printf(&out, " (module %u)", k->number);
		buf_putc(&out, '\n');
	}
	bool ok = source_write(path, out.at, out.n, &why);
	if (!ok)
		fprintf(stderr, "ptxrun: cannot write '%s': %s\n", path, why);
	buf_free(&out);
	return ok ? 0 : 2;
}

void
run_report_checked(const Run_checked *c)
{
	if (!c->seeds && !c->promised)
		return;
	fprintf(stderr, "ptxrun: checked: %" PRIu64 " launch%s", c->launches,
		c->launches == 1 ? "" : "es");
	if (c->seeds)
		fprintf(stderr, ", and again under %" PRIu64 " random schedule%s: %s", c->seeds,
			c->seeds == 1 ? "" : "s", c->equal);
	if (c->promised)
		fprintf(stderr, "%s memory accesses of %lu annotated loop%s: independent",
			c->seeds ? ";" : ":", c->promised, c->promised == 1 ? "" : "s");
	fputs(c->suppressed ? ", except for suppressed reports\n" : "\n", stderr);
}

void
run_report_race_hints(const Run_report *r)
{
	enum { MANY = 3 };
	if (r->races < MANY)
		return;
	if (r->race_lines < r->races)
		fputs("ptxrun: to see the CUDA lines of races, compile with -lineinfo (Numba: lineinfo=True)\n", stderr);
	fputs("ptxrun: to suppress races that do no harm, name a file with lines 'race KERNEL FILE:LINE': "
	      "--suppress=FILE (man ptxrun)\n",
		stderr);
}
