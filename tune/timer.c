/* SPDX-License-Identifier: MIT */
/* Measures a run of the program.
 *
 * On the emulator: the warp instructions of all kernels, which are the same in every run. On a
 * GPU: the total time of all kernels, measured by a library that is loaded into the program.
 * This is either CUPTI's activity records (cupti.c), which the driver loads however the program
 * is linked, or events around launches (events.c), which need a shared CUDA runtime. Only
 * kernels are counted. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/files.h"
#include "base/source.h"
#include "tune/tune.h"

static bool
file_exists(const char *path)
{
	return access(path, R_OK) == 0;
}

static const char *
timer_library(Tune *t, const char *name)
{
	return tune_printf(t, "%s../lib/ptxccc/%s", t->bin, name);
}

/* Returns a message if the command runs the emulator itself, whose launches another one would not
 * see; NULL: it does not. */
static const char *
emulator_in_command(Tune *t)
{
	char **word = t->o.program, *slash = strrchr(*word, '/');
	Buf b = { 0 };

	if (strcmp(slash ? slash + 1 : *word, "ptxrun") != 0)
		return NULL;
	while (*word && strcmp(*word, "--") != 0)
		word++;
	buf_puts(&b, "the command runs 'ptxrun' itself, but without a GPU the program is run on the emulator anyway: name the program alone");
	for (bool first = true; *word && *++word; first = false)
		buf_printf(&b, "%s%s", first ? ": " : " ", *word);
	const char *text = tune_printf(t, "%s", b.at);
	buf_free(&b);
	return text;
}

const char *
timer_choose(Tune *t)
{
	bool gpu = file_exists("/dev/nvidiactl") || file_exists("/dev/dxg");
	const char *cupti = timer_library(t, "libccc-cupti.so"), *events = timer_library(t, "libccc-events.so");

	if (t->o.timer == TIMER_AUTO)
		t->o.timer = !gpu          ? TIMER_EMULATOR :
			file_exists(cupti) ? TIMER_CUPTI :
					     TIMER_EVENTS;
	bool emulator = t->o.timer == TIMER_EMULATOR;
	t->o.runs = t->o.runs ? t->o.runs : emulator ? 1 : 5;
	t->o.warmup = t->o.warmup != UINT32_MAX ? t->o.warmup : !emulator;
	if (t->o.timer == TIMER_CUPTI && !file_exists(cupti))
		return "--timer=cupti: ccc-tune was built without CUPTI (the toolkit's extras/CUPTI)";
	if (t->o.timer == TIMER_EVENTS && !file_exists(events))
		return tune_printf(t, "--timer=events: there is no '%s'", events);
	return emulator ? emulator_in_command(t) : NULL;
}

const char *
timer_unit(const Tune *t)
{
	return t->o.timer == TIMER_EMULATOR ? "issue slots" : "ns";
}

static const char *
table_file(Tune *t)
{
	return tune_printf(t, "%s/times", t->folder);
}

/* Returns the field of a line of a table whose columns are separated by tabs; NULL if it has fewer
 * columns. */
static const char *
field_at(const char *line, uint32_t column)
{
	while (column-- && line)
		line = line[strcspn(line, "\t\n")] == '\t' ? line + strcspn(line, "\t\n") + 1 : NULL;
	return line;
}

static double
number_at(const char *line, uint32_t column)
{
	const char *v = field_at(line, column);

	return v && *v >= '0' && *v <= '9' ? strtod(v, NULL) : 0;
}

/* Sums a column of a table. If the first line does not begin with a number, it has the names of the
 * columns. */
static bool
sum_column(const char *file, uint32_t column, double *to)
{
	Source s;
	const char *why;
	bool any = false;

	*to = 0;
	if (!source_read(&s, file, &why))
		return false;
	for (const char *at = s.text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *v = field_at(at, column);
		any |= v && *v >= '0' && *v <= '9';
		*to += number_at(at, column);
	}
	source_release(&s);
	return any;
}

/* Returns the number of the column with this name. */
static uint32_t
column_named(const char *head, const char *name)
{
	uint32_t k = 0;

	while (field_at(head, k) && (strncmp(field_at(head, k), name, strlen(name)) != 0 ||
					    !strchr("\t\n", field_at(head, k)[strlen(name)])))
		k++;
	return k;
}

const char *
timer_few_tasks(Tune *t)
{
	enum { ISSUED = 1, FEW = 4 }; /* tasks a thread: as sim_has_few_tasks */
	const char *why, *few = NULL;
	double most = 0;
	Source s;

	if (t->o.timer != TIMER_EMULATOR || !source_read(&s, table_file(t), &why))
		return NULL;
	const uint32_t tasks = column_named(s.text, "tasks"),
		       slots = column_named(s.text, "collecting"),
		       kernel = column_named(s.text, "kernel");
	for (const char *at = s.text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const double n = number_at(at, tasks), threads = number_at(at, slots);
		if (!(threads > 0) || number_at(at, ISSUED) < most)
			continue;
		most = number_at(at, ISSUED);
		const char *name = field_at(at, kernel);
		few = n < FEW * threads ?
			tune_printf(t, "'%.*s' has %.0f tasks for the %.0f threads of its task loop; use a larger input, or --ccc-grid-blocks=1",
				(int)strcspn(name, "(\n"), name, n, threads) : NULL;
	}
	source_release(&s);
	return few;
}

char **
timer_on_emulator(Tune *t, const char *const *options, uint32_t n)
{
	const char *const front[] = { tune_printf(t, "%sptxrun", t->bin), "--exit-status=program",
		"--no-races", "--no-unwritten" };
	enum { N = sizeof front / sizeof *front };
	uint32_t words = 0, k = 0;

	while (t->o.program[words])
		words++;
	char **argv = arena_array(t->arena, N + n + words + 2u, sizeof *argv);
	for (uint32_t i = 0; i < N + n; i++) {
		const char *s = i < N ? front[i] : options[i - N];
		argv[k++] = arena_strndup(t->arena, s, strlen(s));
	}
	argv[k++] = arena_strndup(t->arena, "--", 2);
	memcpy(argv + k, t->o.program, words * sizeof *argv);
	return argv;
}

/* Copies what the program wrote to standard error, and removes the file. */
static void
pass_on(const char *log)
{
	Source s;
	const char *why;

	if (source_read(&s, log, &why)) {
		fwrite(s.text, 1, s.len, stderr);
		source_release(&s);
	}
	unlink(log);
}

const char *
exit_reason(Tune *t, Exit_status e, const char *log)
{
	const char *said = last_error(t, log);
	const char *how = e.signal ? tune_printf(t, "the program was ended by signal %d", e.signal) :
				     tune_printf(t, "the program ended with status %d", e.code);

	return said ? tune_printf(t, "%s: %s", how, said) : how;
}

const char *
timer_run(Tune *t, const char *out, double *time)
{
	const char *table = table_file(t), *log = tune_printf(t, "%s/errors", t->folder);
	const char *env[5] = { "CCC_TUNE_TIMES", table };
	const char *const counts[] = { "--no-promises", tune_printf(t, "--counts=%s", table) };
	bool emulator = t->o.timer == TIMER_EMULATOR;

	unlink(table);
	unlink(log);
	if (t->o.timer == TIMER_CUPTI)
		env[2] = "CUDA_INJECTION64_PATH", env[3] = timer_library(t, "libccc-cupti.so");
	else if (t->o.timer == TIMER_EVENTS)
		env[2] = "LD_PRELOAD", env[3] = timer_library(t, "libccc-events.so");
	Exit_status e = child_end(
		&(Child){ .argv = emulator ? timer_on_emulator(t, counts, 2) : t->o.program,
			.out = out, .err = log, .env = env });
	const char *wrong = e.code || e.signal ? exit_reason(t, e, log) : NULL;
	pass_on(log);
	if (wrong)
		return wrong;
	if (!sum_column(table, 1, time) || !(*time > 0))
		return emulator ? "it ran no kernel" :
				  "no kernel was seen: it ran none, or its CUDA runtime is linked into it (nvcc -cudart shared)";
	return NULL;
}
