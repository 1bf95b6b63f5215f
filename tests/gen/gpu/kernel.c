/* SPDX-License-Identifier: MIT */
/* See kernel.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/gen/gpu/cuda.h"
#include "tests/gen/gpu/kernel.h"

enum { LAUNCHES = 3 };

/* The buffers, in sequence, and the device variables. Offsets are multiples of 256. */
enum {
	AT_IN = 0,
	AT_MEMORY = AT_IN + 4 * GEN_IN_WORDS,
	AT_LAST = AT_MEMORY + (ALIAS_MEMORY + 255) / 256 * 256,
	AT_SUMS = AT_LAST + ALIAS_THREADS * ALIAS_LAST,
	ALL = AT_SUMS + 4 * GEN_SUMS
};
typedef struct {
	uint8_t buffers[ALL], variables[ALIAS_VARIABLES][ALIAS_MEMORY];
} Memory;

typedef struct {
	Cuda_module *module;
	Cuda_function *function;
	uint64_t variables[ALIAS_VARIABLES];
} Loaded;

/* A text generated from the kernel. */
typedef struct {
	Buf annotated, text;
} Made;

typedef struct {
	uint64_t seed;
	const Kernel_options *asked;
	Gen_info info;
	bool dynamic;           /* it uses dynamic shared memory */
	Alias_launch launches[LAUNCHES];
	Memory left[LAUNCHES]; /* by the original kernel */
	Buf *why;
} Kernel;

static uint64_t buffers; /* of this process */

static bool
load_text(const Buf *text, Loaded *l, Buf *why)
{
	*l = (Loaded){ 0 };
	if (!cuda_load(text->at, &l->module, why) ||
		!cuda_kernel(l->module, "k", &l->function, why))
		return false;
	for (uint32_t v = 0; v < ALIAS_VARIABLES; v++)
		if (!cuda_variable(l->module, alias_variables[v], &l->variables[v], why))
			return false;
	return true;
}

/* The input, and zeros. */
static void
fill_memory(uint32_t in_seed, Memory *m)
{
	uint64_t state = in_seed;

	memset(m, 0, sizeof *m);
	for (uint32_t i = 0; i < GEN_IN_WORDS; i++) {
		uint32_t v = (uint32_t)(gen_random(&state) >> 33);
		memcpy(m->buffers + AT_IN + 4 * i, &v, 4);
	}
}

static bool
launch_kernel(const Kernel *k, const Loaded *l, const Alias_launch *a)
{
	uint64_t of[ALIAS_VARIABLES + 1] = { buffers + AT_MEMORY }, p[3 + ALIAS_POINTERS];
	uint32_t n = k->info.n, x = k->info.x;
	void *params[] = { &p[0], &p[1], &p[2], &p[3], &p[4], &p[5], &n, &x };
	Cuda_launch c = { .grid = { a->grid, 1, 1 }, .params = params };

	/* a launch that requests more than the kernel uses may fail after the transformation */
	if (k->dynamic)
		c.shared = ALIAS_DYNAMIC;

	memcpy(c.block, a->block, sizeof c.block);
	memcpy(of + 1, l->variables, sizeof l->variables);
	p[0] = buffers + AT_IN;
	for (uint32_t i = 0; i < ALIAS_POINTERS; i++)
		p[1 + i] = of[a->pointer[i].variable] + a->pointer[i].offset;
	p[1 + ALIAS_POINTERS] = buffers + AT_LAST;
	p[2 + ALIAS_POINTERS] = buffers + AT_SUMS;
	return cuda_launch(l->function, &c, k->why);
}

/* Launches the kernel on fresh memory, and reads the memory back. */
static bool
run_text(const Kernel *k, const Loaded *l, const Alias_launch *a, Memory *m)
{
	fill_memory(k->info.in_seed, m);
	bool ok = cuda_put(buffers, m->buffers, ALL, k->why);
	for (uint32_t v = 0; v < ALIAS_VARIABLES; v++)
		ok = ok && cuda_put(l->variables[v], m->variables[v], ALIAS_MEMORY, k->why);
	ok = ok && launch_kernel(k, l, a) && cuda_get(m->buffers, buffers, ALL, k->why);
	for (uint32_t v = 0; v < ALIAS_VARIABLES; v++)
		ok = ok && cuda_get(m->variables[v], l->variables[v], ALIAS_MEMORY, k->why);
	return ok;
}

static bool
run_plain(Kernel *k, const Buf *text)
{
	Loaded l;
	bool ok = load_text(text, &l, k->why);

	for (int s = 0; s < LAUNCHES && ok; s++)
		ok = run_text(k, &l, &k->launches[s], &k->left[s]);
	if (!ok)
		buf_puts(k->why, " (the kernel as it is)");
	return cuda_unload(l.module, k->why) && ok;
}

/* Reports the first difference of two memories. */
static void
tell_difference(const Memory *a, const Memory *b, Buf *why)
{
	const uint8_t *p = (const uint8_t *)a, *q = (const uint8_t *)b;
	uint32_t i = 0;

	while (p[i] == q[i])
		i++;
	if (i >= ALL)
		buf_printf(why, "variable %s, byte %u", alias_variables[(i - ALL) / ALIAS_MEMORY],
			(i - ALL) % ALIAS_MEMORY);
	else if (i >= AT_SUMS)
		buf_printf(why, "sums, byte %u", i - AT_SUMS);
	else if (i >= AT_LAST)
		buf_printf(why, "last, thread %u, byte %u", (i - AT_LAST) / ALIAS_LAST,
			(i - AT_LAST) % ALIAS_LAST);
	else
		buf_printf(why, "memory, byte %u", i);
}

/* Whether the transformed text leaves the same memory. */
static Kernel_result
compare_text(const Kernel *k, const Buf *text)
{
	static Memory m;
	Loaded l;
	bool ok = load_text(text, &l, k->why), same = true;

	for (int s = 0; s < LAUNCHES && ok && same; s++) {
		ok = run_text(k, &l, &k->launches[s], &m);
		same = !ok || k->asked->promises || memcmp(&m, &k->left[s], sizeof m) == 0;
		if (same)
			continue;
		buf_printf(k->why, "launch %d, --grid %u --block %u,%u: ", s, k->launches[s].grid,
			k->launches[s].block[0], k->launches[s].block[1]);
		tell_difference(&m, &k->left[s], k->why);
	}
	if (!ok && !l.function)
		return KERNEL_WRONG; /* the compiler refuses it, which is not an error */
	if (!cuda_unload(l.module, k->why) || !ok)
		return KERNEL_LOST;
	return same ? KERNEL_RIGHT : KERNEL_WRONG;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static Module *
parse_text(Source *src, const char *name, const Buf *text, Diags **d)
{
	source_from(src, name, text->at, text->n);
	*d = diags_new(src);
	return ptx_parse(src, *d);
}

/* Removes each `proven`. */
static void
promise_everything(Buf *text)
{
	static const char word[] = " proven";
	char *at;

	buf_putc(text, '\0');
	text->n--;
	while ((at = strstr(text->at, word))) {
		text->n -= sizeof word - 1;
		memmove(at, at + sizeof word - 1, strlen(at + sizeof word - 1) + 1);
	}
}

/* Whether the lanes of the warp meet before a transformed loop, or would, without the omitted
 * line. */
static bool
gathers_lanes(const Module *annotated, Pass_options o, uint64_t state)
{
	static const char barrier[] = "bar.warp.sync \t-1;\n\tactivemask";
	Buf text = { 0 }, why = { 0 };
	Unasked sum = { 0 };

	o.debug.omit = (Tpl_place){ 0 };
	bool has = unasked_transform(annotated, &o, &state, &sum, &text, &why);
	buf_putc(&text, '\0');
	has = has && strstr(text.at, barrier);
	buf_free(&text);
	buf_free(&why);
	return has;
}

/* Annotates and transforms it. Returns false if there is nothing to compare. */
static bool
make_text(const Kernel *k, const Module *m, uint64_t *state, Unasked *sum, Made *to)
{
	const Pass_options opt = { .validate = !k->asked->omit.line, .debug.omit = k->asked->omit };
	Source src;
	Diags *d;
	uint64_t places = ~*state;
	bool done = false;

	if (!unasked_annotate(m, &places, &to->annotated))
		return false;
	if (k->asked->promises)
		promise_everything(&to->annotated);
	Module *annotated = parse_text(&src, "annotated", &to->annotated, &d);
	if (annotated)
		done = (!k->asked->gathers || gathers_lanes(annotated, opt, *state)) &&
			unasked_transform(annotated, &opt, state, sum, &to->text, k->why);
	else
		buf_puts(k->why, "annotated: syntax");
	ptx_free(annotated);
	diags_free(d);
	source_release(&src);
	return done;
}

/* The name of a file for a text of the kernel. */
static void
name_file(const Kernel *k, const char *dir, const char *what, Buf *to)
{
	buf_printf(to, "%s/%llu%s.ptx", dir, (unsigned long long)k->seed, what);
}

static void
save(const Kernel *k, const char *dir, const char *what, const Buf *text)
{
	Buf name = { 0 };
	const char *error;

	name_file(k, dir, what, &name);
	if (text->n && !source_write(name.at, text->at, text->n, &error))
		fprintf(stderr, "fuzz_gpu: cannot write '%s': %s\n", name.at, error);
	buf_free(&name);
}

static void
drop(const Kernel *k, const char *dir, const char *what)
{
	Buf name = { 0 };

	name_file(k, dir, what, &name);
	unlink(name.at);
	buf_free(&name);
}

/* One text of the kernel. Its files are there while it runs, since it may not return. */
static Kernel_result
run_made(Kernel *k, const Module *m, const Buf *plain, uint64_t state, bool *any, Unasked *sum)
{
	const char *dir = k->asked->dir;
	Made made = { 0 };
	Kernel_result r = KERNEL_RIGHT;
	bool made_one = make_text(k, m, &state, sum, &made);

	if (dir && (made_one || k->why->n)) {
		save(k, dir, "", plain);
		save(k, dir, ".annotated", &made.annotated);
	}
	if (made_one && !*any && !run_plain(k, plain))
		r = KERNEL_LOST;
	if (made_one && r == KERNEL_RIGHT) {
		if (dir)
			save(k, dir, ".transformed", &made.text);
		r = compare_text(k, &made.text);
	}
	*any |= made_one;
	if (r == KERNEL_RIGHT && k->why->n)
		r = KERNEL_WRONG;
	if (r == KERNEL_RIGHT && dir && made_one) {
		drop(k, dir, "");
		drop(k, dir, ".annotated");
		drop(k, dir, ".transformed");
	}
	buf_free(&made.annotated);
	buf_free(&made.text);
	return r;
}

/* Whether the kernel names one of the arrays of dynamic shared memory. */
static bool
uses_dynamic(const Buf *text)
{
	static const char *const names[] = { ", d1", ", d2", "[d1", "[d2" };
	const char *entry = strstr(text->at, ".entry");
	bool uses = false;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		uses |= strstr(entry, names[i]) != NULL;
	return uses;
}

Kernel_result
kernel_run(uint64_t seed, const Kernel_options *o, Unasked *sum, Buf *why)
{
	static Kernel k;
	uint64_t state = seed ^ 0xa11a5;
	Kernel_result r = KERNEL_RIGHT;
	Buf text = { 0 };
	bool any = false;
	Source src;
	Diags *d;

	if (!buffers && !cuda_alloc(ALL, &buffers, why))
		return KERNEL_LOST;
	k.seed = seed;
	k.asked = o;
	k.why = why;
	alias_kernel(seed, &text, &k.info);
	buf_putc(&text, '\0');
	text.n--;
	k.dynamic = uses_dynamic(&text);
	for (int s = 0; s < LAUNCHES; s++)
		alias_launch(&state, &k.launches[s]);
	Module *m = parse_text(&src, "plain", &text, &d);
	for (uint64_t t = 0; m && t < UNASKED_TRIES && r == KERNEL_RIGHT; t++)
		r = run_made(&k, m, &text, state + t, &any, sum);
	sum->kernels += any;
	if (!m)
		buf_puts(why, "plain: syntax");
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	buf_free(&text);
	return m ? r : KERNEL_WRONG;
}
