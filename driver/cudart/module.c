/* SPDX-License-Identifier: MIT */
/* From what stands for a kernel or a variable on the host to what it is in a module.
 *
 * A fat binary is read, and a kernel decoded, when it is first used. The PTX taken is that of the
 * newest architecture up to the device's; a program that has PTX for newer ones only gets a device
 * of the oldest of those, unless PTXRUN_ARCH forbids. Kernels of --module are found by the name of
 * the host function, which the linker knows (-rdynamic).
 */
#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "base/marker_label.h"
#include "driver/cudart/cudart.h"

/* ---- which PTX ------------------------------------------------------------------------------- */

/* newest up to the limit, oldest beyond; 0: none */
typedef struct { uint32_t limit, below, above; } Choice;

static void
consider(void *user, uint32_t arch)
{
	Choice *c = user;
	if (arch <= c->limit)
		c->below = arch > c->below ? arch : c->below;
	else if (!c->above || arch < c->above)
		c->above = arch;
}

void
module_target(Runtime *rt, const Binary *b)
{
	Choice c = { rt->arch, 0, 0 };
	const char *why;
	if (fatbin_targets(b->fatbin, consider, &c, &why) && !c.below && c.above && !rt->arch_given)
		rt->arch = c.above;
}

static bool
read_binary(const Runtime *rt, Binary *b, const char **why)
{
	Choice c = { rt->arch, 0, 0 };
	if (b->file)
		return source_read(&b->src, b->file, why);
	if (!fatbin_targets(b->fatbin, consider, &c, why))
		return false;
	*why = "its PTX is for newer architectures only: choose one of them with --arch";
	return (c.below || !c.above) && fatbin_ptx(b->fatbin, c.below, rt->program, &b->src, why);
}

/* A fat binary has no comments: markers stand in it as labels. */
static void
take_markers(Source *src)
{
	Source plain = *src;
	Buf text = {0};
	marker_labels_take(plain.text, plain.len, &text);
	source_from(src, plain.name, text.at ? text.at : "", text.n);
	buf_free(&text);
	source_release(&plain);
}

/* Reads and parses the PTX; false: said why, once. */
static bool
load(Runtime *rt, Binary *b)
{
	const char *why = NULL;
	if (b->tried)
		return b->m != NULL;
	b->tried = true;
	if (!read_binary(rt, b, &why)) {
		rt_say("cannot run the kernels of '%s': %s", b->file ? b->file : rt->program, why);
		return false;
	}
	if (rt->profile && !b->file)
		take_markers(&b->src);
	Diags *d = diags_new(&b->src);
	b->m = ptx_parse(&b->src, d);
	diags_print(d, stderr);
	diags_free(d);
	if (b->m)
		b->sim = sim_beside(b->m, rt->memory);
	if (b->sim && rt->profile)
		sim_count_cuts(b->sim);
	return b->m != NULL;
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef char *Demangle(const char *name, char *to, size_t *n, int *status);

/* The name as in the source: every CUDA program is linked with the C++ library, which can tell. */
static const char *
source_name(const char *name)
{
	void *f = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	Demangle *demangle;
	int status;
	memcpy(&demangle, &f, sizeof demangle);
	const char *s = f ? demangle(name, NULL, NULL, &status) : NULL;
	return s ? s : name;
}

/* A kernel of --module that has the host function's name. */
static Function *
find_by_name(Runtime *rt, const void *func)
{
	Dl_info at;
	Binary *b = rt->binaries.n ? rt->binaries.at[0] : NULL;
	if (!b || !b->file || !dladdr(func, &at) || !at.dli_sname)
		return NULL;
	Function *f = xmalloc(sizeof *f);
	*f = (Function){ .host = func, .name = at.dli_sname, .binary = b };
	*vec_push(&rt->functions) = f;
	return f;
}

Function *
module_find(Runtime *rt, const void *func)
{
	for (uint32_t i = 0; i < rt->functions.n; i++)
		if (rt->functions.at[i]->host == func || (const void *)rt->functions.at[i] == func)
			return rt->functions.at[i];
	return func ? find_by_name(rt, func) : NULL;
}

Function *
module_function(Runtime *rt, const void *func, cudaError_t *e)
{
	Function *f = module_find(rt, func);
	*e = cudaErrorInvalidDeviceFunction;
	if (!f)
		return NULL;
	if (!f->shown)
		f->shown = source_name(f->name);
	*e = cudaErrorNoKernelImageForDevice;
	if (!load(rt, f->binary))
		return NULL;
	if (!f->tried) {
		Buf out = {0};
		f->tried = true;
		f->kernel = sim_kernel(f->binary->sim, f->name, &out);
		if (!f->kernel)
			rt_say("cannot run kernel '%s':\n%s", f->shown, out.at ? out.at : "");
		else
			f->needs = function_needs(f);
		buf_free(&out);
	}
	*e = f->kernel ? cudaSuccess : cudaErrorNotSupported;
	return f->kernel ? f : NULL;
}

/* ---- variables ------------------------------------------------------------------------------- */

uint64_t
module_variable(Runtime *rt, const void *symbol, size_t *n)
{
	for (uint32_t i = 0; i < rt->variables.n; i++) {
		const Variable *v = &rt->variables.at[i];
		if (v->host != symbol && !(v->managed && *v->managed == symbol))
			continue;
		return load(rt, v->binary) ? sim_variable(v->binary->sim, v->name, n) : 0;
	}
	Dl_info at;
	Binary *b = rt->binaries.n ? rt->binaries.at[0] : NULL;
	if (!b || !b->file || !dladdr(symbol, &at) || !at.dli_sname || at.dli_saddr != symbol ||
		!load(rt, b))
		return 0;
	return sim_variable(b->sim, at.dli_sname, n);
}

void
module_managed(Runtime *rt, const Binary *b)
{
	for (uint32_t i = 0; i < rt->variables.n; i++) {
		const Variable *v = &rt->variables.at[i];
		size_t n;
		if (v->managed && (!b || v->binary == b) && load(rt, v->binary))
			*v->managed = (void *)(uintptr_t)sim_variable(v->binary->sim, v->name, &n);
	}
}
