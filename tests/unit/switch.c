/* SPDX-License-Identifier: MIT */
/* Unit tests: the table in nvcc's host code (annotate/switch.c) has the kernels of all
 * architectures, in any order; a stub of another form is an error unless there is nothing to
 * switch. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/files.h"
#include "annotate/switch.h"
#include "base/source.h"
#include "tests/unit/test.h"

static const char stub[] = "#define A\n#include \"crt/host_runtime.h\"\n#include \"x.fatbin.c\"\n";

static bool
file_holds(const char *file, const char *text)
{
	Source src;
	const char *why;

	if (!source_read(&src, file, &why))
		return false;
	bool yes = strstr(src.text, text) != NULL;
	source_release(&src);
	return yes;
}

static bool
is(const char *file, const char *text)
{
	Source src;
	const char *why;

	if (!source_read(&src, file, &why))
		return false;
	bool yes = strcmp(src.text, text) == 0;
	source_release(&src);
	return yes;
}

/* Runs the hook of an architecture; returns whether it reports `left` as omitted kernels. */
static bool
run_hook(const char *file, const char *names, const char *left)
{
	Buf out = { 0 };
	Switch s = { "x.cu", file, "../x.fatbin.c", names, false };

	buf_puts(&out, "");
	bool ok = switch_update(&s, &out) && strcmp(out.at, left) == 0;
	buf_free(&out);
	return ok;
}

static void
write_stub(const char *file)
{
	CHECK("the stub", file_write_here(file, stub, sizeof stub - 1) == 0);
}

static void
test_archs(void)
{
	write_stub("80.stub.c");
	CHECK("one", run_hook("80.stub.c", "a\nb\n", "") && file_holds("80.stub.c", "{ \"b\", \"b_ccc_off\" }") &&
			file_holds("80.stub.c", "\n#define __cudaRegisterFunction(") &&
			file_holds("80.stub.c", "#define A\n") && file_holds("80.stub.c", "#include \"x.fatbin.c\"\n"));
	write_stub("90.stub.c");
	CHECK("two", run_hook("90.stub.c", "b\nc\n", "c\na\n"));
	CHECK("both have b", file_holds("80.stub.c", "\"b\"") && file_holds("90.stub.c", "\"b\""));
	CHECK("none else", !file_holds("80.stub.c", "\"a\"") && !file_holds("90.stub.c", "\"c\""));
	CHECK("again, the same", run_hook("90.stub.c", "b\nc\n", "c\na\n") && file_holds("90.stub.c", "\"b\""));
	CHECK("one without", run_hook("100.stub.c", "", "b\n"));
	CHECK("stubs as they were", is("80.stub.c", stub) && is("90.stub.c", stub));
	CHECK("a name that begins like one", run_hook("100.stub.c", "b2\nb\n", "b2\n") &&
			file_holds("90.stub.c", "\"b\"") && !file_holds("90.stub.c", "b2"));
}

static void
test_forms(void)
{
	static const char other[] = "#include <other.h>\n", fatbin[] = "asm(\"...\");\n";

	CHECK("an old fat binary", file_write_here("x.fatbin.c", fatbin, sizeof fatbin - 1) == 0);
	CHECK("another form", file_write_here("o.stub.c", other, sizeof other - 1) == 0);
	CHECK("nothing to switch", run_hook("o.stub.c", "", "") && is("o.stub.c", other));
	fprintf(stderr, "one error is expected: ");
	CHECK("cannot be", !run_hook("o.stub.c", "a\n", "") && is("o.stub.c", other));
}

int
main(void)
{
	char folder[] = "/tmp/ccc-switch-XXXXXX";

	if (!mkdtemp(folder) || chdir(folder) != 0)
		return 2;
	test_archs();
	test_forms();
	static const char *const files[] = { "80.stub.c", "90.stub.c", "o.stub.c", "x.fatbin.c" };
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		remove(files[i]);
	CHECK("nothing else left", chdir("/") == 0 && rmdir(folder) == 0);
	return test_end();
}
