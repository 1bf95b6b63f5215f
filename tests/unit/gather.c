/* SPDX-License-Identifier: MIT */
/* Unit tests: records of reports (report/records.c) are read back unchanged; the report of a build
 * (annotate/gather.c) has all units, even if many processes write it at once, and only the last one
 * of each source. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "annotate/gather.h"
#include "base/source.h"
#include "tests/unit/test.h"

enum { PROCESSES = 12 };

static Unit
unit(const char *source, const char *arch)
{
	Unit u = { .source = source, .folder = "/a b", .arch = arch };
	Unit_site done = { .function = "f",
		.loop = { "a\tb\\c\n.cu", 3, 4 },
		.done = true,
		.policy = "stack",
		.flow = "fork",
		.walk = "apart",
		.context_bytes = 4,
		.uncompressed = 8,
		.shared = 4096,
		.threads = 1024,
		.registers = 20,
		.registers_before = 18 };
	Unit_site left = { .function = "g",
		.loop = { "a.cu", 9, 0 },
		.path = { "b.cu", 10, 1 },
		.kind = "ccc-call",
		.reason = "a call\nof \"log\"" };

	*vec_push(&done.context) = (Unit_value){ "%r1", "b32", 4, { "a.cu", 2, 1 } };
	*vec_push(&left.notes) = (Unit_note){ "here\\", { 0 } };
	*vec_push(&u.sites) = done;
	*vec_push(&u.sites) = left;
	return u;
}

static void
release_unit(Unit *u)
{
	Units all = { 0 };

	*vec_push(&all) = *u;
	units_release(&all);
}

static void
test_records(void)
{
	Arena *a = arena_new();
	Unit u = unit("x.cu", NULL), v;
	Buf first = { 0 }, second = { 0 };

	unit_write(&u, &first);
	CHECK("records are read", unit_read(first.at, a, &v) && v.sites.n == 2);
	unit_write(&v, &second);
	CHECK("as they were", strcmp(first.at, second.at) == 0);
	CHECK("odd texts",
		strcmp(v.sites.at[0].loop.file, "a\tb\\c\n.cu") == 0 &&
			strcmp(v.sites.at[1].notes.at[0].text, "here\\") == 0);
	CHECK("what is not there",
		!v.arch && !v.sites.at[0].path.file && !v.sites.at[1].notes.at[0].at.file);
	CHECK("no records",
		!unit_read("", a, &(Unit){ 0 }) && !unit_read("report of x\n", a, &(Unit){ 0 }));
	release_unit(&u);
	release_unit(&v);
	buf_free(&first);
	buf_free(&second);
	arena_free(a);
}

static void
test_both(void)
{
	Unit a = unit("x.cu", "sm_80"), b = unit("x.cu", "sm_80");

	a.sites.at[0].function = "first's";
	b.sites.at[1].function = "second's";
	Unit u = gather_both(&a, &b);
	CHECK("left by the first, done by the second",
		u.sites.n == 2 && !u.sites.at[0].done && strcmp(u.sites.at[0].function, "g") == 0 &&
			u.sites.at[1].done && strcmp(u.sites.at[1].function, "f") == 0);
	release_unit(&u);
}

static int
gather_one(const char *file, unsigned n)
{
	char name[16];

	snprintf(name, sizeof name, "%u.cu", n % 10);
	Unit u = unit(name, n < 10 ? "sm_80" : "sm_90");
	int rc = gather_report(file, &u);
	release_unit(&u);
	return rc;
}

static unsigned
count_word(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		n++;
	return n;
}

static void
test_processes(const char *file)
{
	unsigned good = 0;
	Source s;
	const char *why;

	fflush(stdout);
	for (unsigned i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			_exit(gather_one(file, i) | gather_one(file, i));
	for (int status; wait(&status) > 0;)
		good += status == 0;
	CHECK("many at once", good == PROCESSES && source_read(&s, file, &why));
	CHECK("all are in it, once",
		count_word(s.text, "\"input\"") == PROCESSES &&
			count_word(s.text, "\"input\": \"1.cu\"") == 2);
	source_release(&s);
}

int
main(void)
{
	char folder[] = "/tmp/gather.XXXXXX", file[64], command[64];

	test_records();
	test_both();
	if (!mkdtemp(folder))
		return 2;
	snprintf(file, sizeof file, "%s/report.json", folder);
	test_processes(file);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) ? 2 : test_end();
}
