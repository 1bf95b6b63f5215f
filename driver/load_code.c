/* SPDX-License-Identifier: MIT */
/* Machine code for modules that are loaded. See load_code.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/cubin.h"
#include "driver/load_code.h"
#include "driver/load_jit.h"
#include "driver/ptxas_find.h"

void
load_code_open(Load_code *c, const Source *ptx, unsigned arch, unsigned driver)
{
	*c = (Load_code){ .ptx = ptx,
		.ptxas = { .program = ptxas_find(""), .arch = arch },
		.driver = driver };
	heap_init(&c->heap, NULL, NULL);
	setenv("CCC_DISABLE", "1", 1); /* ccc-ptxas may have the name ptxas */
}

void
load_code_close(Load_code *c)
{
	if (c->by_driver)
		load_jit_close();
	heap_clear(&c->heap);
	xfree((char *)(uintptr_t)c->ptxas.program);
}

bool
load_code_replaces(Load_code *c, const Buf *code, unsigned arch)
{
	bool own = strstr(c->ptx->text, ".maxnreg") != NULL; /* limits in the PTX */
	unsigned limit = own ? 0 : cubin_register_limit(code->at, code->n);

	c->ptxas.arch = arch;
	snprintf(c->limit, sizeof c->limit, "%u", limit);
	c->ptxas.maxrregcount = limit ? c->limit : NULL;
	return limit != 0;
}

typedef struct {
	Load_code *c;
	const char *ptx;
	size_t len;
	const char *log;
	bool ok;
} Assembly;

static bool
compile_by_driver(Ptxas *p, const char *ptx, size_t len, const char **log)
{
	p->code.n = p->text.n = 0;
	child_release(&p->said);
	buf_add(&p->text, ptx, len);
	p->whole = load_jit_compile(p->text.at, len, &p->code, &p->said.err);
	*log = p->said.err.n ? p->said.err.at : "";
	return p->whole;
}

/* Assembles, unless the text is the last one. */
static void
run_assembly(void *arg)
{
	Assembly *a = arg;
	Ptxas *p = &a->c->ptxas;

	if (a->len && p->text.n == a->len && memcmp(p->text.at, a->ptx, a->len) == 0) {
		a->log = p->said.err.n ? p->said.err.at : "";
		a->ok = true;
	} else if (a->c->by_driver) {
		a->ok = compile_by_driver(p, a->ptx, a->len, &a->log);
	} else {
		a->ok = ptxas_assemble(p, a->ptx, a->len, &a->log) == 0;
	}
}

static void
run_original(void *arg)
{
	Assembly *a = arg;
	Load_code *c = a->c;

	run_assembly(a);
	if (a->ok && c->ptxas.whole)
		buf_add(&c->original, c->ptxas.code.at, c->ptxas.code.n);
}

/* Whether the assembler accepts the original. */
static bool
knows_original(Load_code *c)
{
	Assembly a = { .c = c, .ptx = c->ptx->text, .len = c->ptx->len };

	if (c->state == ORIGINAL_UNTRIED) {
		bool ok = (c->ptxas.program || c->by_driver) &&
			heap_run(&c->heap, run_original, &a) == HEAP_DONE && a.ok;
		c->state = ok ? ORIGINAL_ASSEMBLED : ORIGINAL_REJECTED;
	}
	return c->state == ORIGINAL_ASSEMBLED;
}

int
load_code_assemble(void *user, const char *ptx, size_t len, const char **log)
{
	Assembly a = { .c = user, .ptx = ptx, .len = len, .log = "" };
	bool ok = knows_original(a.c) && heap_run(&a.c->heap, run_assembly, &a) == HEAP_DONE &&
		a.ok;

	*log = a.log;
	return !ok;
}

const char *
load_code_machine_code(void *user, size_t *len)
{
	return ptxas_machine_code(&((Load_code *)user)->ptxas, len);
}

bool
load_code_is(Load_code *c, const Buf *code)
{
	const char *section;

	return knows_original(c) && c->original.n &&
		cubins_are_equal(c->original.at, c->original.n, code->at, code->n, &section);
}

static void
assemble_anew(Load_code *c, bool by_driver)
{
	c->by_driver = by_driver;
	c->state = ORIGINAL_UNTRIED;
	c->original.n = c->ptxas.text.n = 0;
}

static void
run_comparison(void *arg)
{
	Assembly *a = arg;

	a->ok = load_jit_loads(a->ptx, &a->c->original);
}

bool
load_code_by_driver(Load_code *c, unsigned arch)
{
	Assembly a = { .c = c, .ptx = c->ptx->text };

	if (!load_jit_open(arch))
		return false;
	assemble_anew(c, true);
	if (knows_original(c) && heap_run(&c->heap, run_comparison, &a) == HEAP_DONE && a.ok)
		return true;
	load_jit_close();
	assemble_anew(c, false);
	return false;
}

bool
load_code_launches(Load_code *c, const char *ptx, size_t len)
{
	const char *log;

	return load_code_assemble(c, ptx, len, &log) == 0 &&
		cubin_launches_as(c->ptxas.code.at, c->ptxas.code.n, c->original.at,
			c->original.n, c->ptxas.arch);
}

/* Returns the CUDA version of ptxas, 13000 for 13.0; UINT_MAX if it does not tell. */
static unsigned
ptxas_version(const char *program)
{
	static char version[] = "--version", release[] = "release ";
	char *argv[] = { (char *)(uintptr_t)program, version, NULL };
	Caught said = { 0 };
	Ended e = child_run(argv, NULL, &said);
	const char *at = e.code == 0 && e.signal == 0 && said.out.n ?
		strstr(said.out.at, release) : NULL;
	char *end = NULL;
	unsigned major = at ? (unsigned)strtoul(at + strlen(release), &end, 10) : 0;
	unsigned minor = end && *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;

	child_release(&said);
	return major ? 1000 * major + 10 * minor : UINT_MAX;
}

/* Whether machine code for this GPU can replace the text. The driver binds texture references to
 * symbols, and code for a debugger needs options. A target with a letter is for one GPU (sm_90a) or
 * a family of them. */
static bool
is_replaceable(const char *ptx, unsigned arch)
{
	static const char *const names[] = { ".texref", ".samplerref", ".surfref" };
	const char *target = strstr(ptx, ".target"), *sm = target ? strstr(target, "sm_") : NULL;
	char *suffix = NULL;
	unsigned long number = sm ? strtoul(sm + 3, &suffix, 10) : 0;

	if (!number || number > arch || (*suffix == 'a' && number != arch) || *suffix == 'f')
		return false;
	const char *debug = strstr(target, "debug");
	if (debug && debug < target + strcspn(target, "\r\n"))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strstr(ptx, names[i]))
			return false;
	return true;
}

void
load_code_make(Load_code *c, const char *ptx, size_t len, Buf *to)
{
	const char *log;

	/* A driver takes the code of all toolkits with its major version, and of earlier ones. */
	if (!is_replaceable(ptx, c->ptxas.arch) || !knows_original(c) || !c->original.n ||
		ptxas_version(c->ptxas.program) / 1000 > c->driver / 1000 ||
		load_code_assemble(c, ptx, len, &log) != 0 || !c->ptxas.whole)
		return;
	buf_add(to, c->ptxas.code.at, c->ptxas.code.n);
}
