/* SPDX-License-Identifier: MIT */
/* Maps host handles of kernels and variables to what they denote in a module.
 *
 * A fat binary is parsed, and a kernel decoded, at first use. The PTX of the newest architecture
 * up to the device's is taken. If a program only has PTX for newer architectures, the device
 * becomes the oldest of these, unless PTXRUN_ARCH is set. Kernels of --module are found by the
 * name of the host function, which dladdr knows if the program was linked with -rdynamic. */
#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "base/marker_label.h"
#include "base/untouched.h"
#include "driver/rt/rt.h"
#include "driver/rt/toolkit.h"
#include "suggest/auto_output.h"

/* ---- which PTX ------------------------------------------------------------------------------- */

/* the newest up to the limit, and the oldest beyond it; 0: none */
typedef struct { uint32_t limit, below, above; } Target_choice;

static void
consider_target(void *user, uint32_t arch)
{
	Target_choice *c = user;
	if (arch <= c->limit)
		c->below = arch > c->below ? arch : c->below;
	else if (!c->above || arch < c->above)
		c->above = arch;
}

/* Updates the device's architecture, since a program may only have PTX for newer ones. */
static void
choose_target(Runtime *rt, const Binary *b)
{
	Target_choice c = { rt->arch, 0, 0 };
	const void *part;
	const char *why;
	for (uint32_t k = 0; (part = fatbin_part(b->fatbin, k)); k++)
		(void)fatbin_targets(part, consider_target, &c, &why);
	if (!c.below && c.above && !rt->arch_given)
		rt->arch = c.above;
}

static bool
part_text(const Runtime *rt, const void *part, Source *src, const char **why)
{
	Target_choice c = { rt->arch, 0, 0 };
	if (!fatbin_targets(part, consider_target, &c, why))
		return false;
	*why = "its PTX is for newer architectures only: choose one of them with --arch";
	return (c.below || !c.above) && fatbin_ptx(part, c.below, rt->program, src, why);
}

/* Links the parts of linked device code. Parts without PTX are skipped: they may belong to a
 * library whose functions no kernel uses. If one does, decoding reports it. */
static bool
linked_text(const Runtime *rt, const void *fatbin, Source *src, const char **why)
{
	Link *l = link_new();
	const void *part;
	bool good = true;
	uint32_t parts = 0, without = 0;
	for (uint32_t k = 0; good && (part = fatbin_part(fatbin, k)); k++) {
		Source of = { 0 };
		parts++;
		if (part_text(rt, part, &of, why))
			good = link_source(l, &of);
		else
			without++;
	}
	bool any = without < parts;
	if (any && without)
		rt_say("%u of the %u parts that the device code of '%s' was linked from have no PTX, and "
		       "cannot run here: compile all of them with -arch=sm_80, or code=compute_80",
			without, parts, rt->program);
	if (any && !good)
		*why = "the PTX of a part of its linked device code cannot be read";
	if (any && good) {
		char name[128];
		size_t n;
		snprintf(name, sizeof name, "%s.linked.ptx", rt->program);
		const char *text = link_text(l, &n);
		source_from(src, name, text, n - 1);
	}
	link_free(l);
	return any && good;
}

bool
module_fatbin(const Runtime *rt, const void *fatbin, Source *src, const char **why)
{
	const void *first = fatbin_part(fatbin, 0);
	*why = "it holds no device code";
	if (first && fatbin_part(fatbin, 1))
		return linked_text(rt, fatbin, src, why);
	return first && part_text(rt, first, src, why);
}

static bool
read_binary(const Runtime *rt, Binary *b, const char **why)
{
	if (b->text)
		return true;
	if (b->file)
		return source_read(&b->src, b->file, why);
	return module_fatbin(rt, b->fatbin, &b->src, why);
}

/* Converts markers that were stored as labels, because a fat binary has no comments. */
static void
take_markers(Source *src)
{
	Source plain = *src;
	Buf text = {0};
	marker_labels_decode(plain.text, plain.len, &text);
	source_from(src, plain.name, text.at ? text.at : "", text.n);
	buf_free(&text);
	source_release(&plain);
}

static void
take_machine_code(const Runtime *rt, Binary *b)
{
	Buf why = {0};
	if (toolkit_listing(rt->ptxas, b->m->src, rt->arch, &b->listing, &why))
		sim_listing(b->sim, b->listing.at);
	else
		rt_say("warning: %s: rules count the instructions of '%s'", why.at, b->src.name);
	buf_free(&why);
}

/* FNV-1a */
static uint64_t
text_hash(const Source *src)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (uint32_t i = 0; i < src->len; i++)
		h = (h ^ (unsigned char)src->text[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* Counts the candidates of functions without annotations. */
static void
count_candidates(Binary *b)
{
	if (auto_layers_make(b->m, NULL, &b->layers))
		b->m = b->layers.m;
}

/* Loads and parses the PTX. Returns false on failure, which is reported once. */
/* Whether the module has annotations that are not transformed. */
static bool
has_sites(const Module *m)
{
	for (uint32_t i = 1; i < m->nmarkers; i++)
		if (!m->markers[i].done)
			return true;
	return false;
}

static bool
load_binary(Runtime *rt, Binary *b)
{
	const char *why = NULL;
	if (b->tried)
		return b->m != NULL;
	b->tried = true;
	if (!read_binary(rt, b, &why)) {
		rt_say("cannot run the kernels of '%s': %s", b->file ? b->file : rt->program, why);
		return false;
	}
	if (!b->file)
		take_markers(&b->src);
	Diags *d = diags_new(&b->src);
	b->m = ptx_parse(&b->src, d);
	b->hash = text_hash(&b->src);
	diags_print(d, stderr);
	diags_free(d);
	if (b->m && (rt->advice || (rt->profile && !has_sites(b->m))))
		count_candidates(b);
	if (b->m)
		b->sim = sim_new_sharing(b->m, rt->memory);
	if (b->sim && b->layers.m)
		sim_reconverge_as(b->sim, b->layers.of, b->layers.origin);
	if (b->sim && rt->ptxas)
		take_machine_code(rt, b);
	if (b->sim && rt->promises)
		sim_check_promises(b->sim);
	if (b->sim && (rt->profile || rt->advice))
		sim_count_profile_points(b->sim);
	return b->m != NULL;
}

/* ---- what is made known ---------------------------------------------------------------------- */

static Binary *
binary_new(Runtime *rt, Binary is)
{
	Binary *b = xmalloc(sizeof *b);
	*b = is;
	*vec_push(&rt->binaries) = b;
	return b;
}

Binary *
module_register(Runtime *rt, const void *wrapper)
{
	Binary *b = binary_new(rt, (Binary){ .fatbin = wrapper });
	choose_target(rt, b);
	return b;
}

static Function *
function_new(Runtime *rt, Function is)
{
	Function *f = xmalloc(sizeof *f);
	*f = is;
	*vec_push(&rt->functions) = f;
	return f;
}

void
module_register_function(Runtime *rt, Binary *b, const void *host, const char *name)
{
	function_new(rt, (Function){ .host = host, .name = name, .binary = b });
}

void
module_register_variable(Runtime *rt, Variable v)
{
	*vec_push(&rt->variables) = v;
}

static Binary *
module_text(Runtime *rt, const char *text, size_t n, cudaError_t *e)
{
	char name[128];
	Binary *b = binary_new(rt, (Binary){ .text = true });
	snprintf(name, sizeof name, "%s.module%u.ptx", rt->program, ++rt->texts);
	source_from(&b->src, name, text, n);
	*e = load_binary(rt, b) ? cudaSuccess : cudaErrorInvalidPtx;
	if (b->m && b->m->target > rt->arch) {
		rt_say("module '%s' is for sm_%u, and the device is sm_%u: choose another with "
		       "--arch=sm_%u", name, b->m->target, rt->arch, b->m->target);
		*e = cudaErrorNoKernelImageForDevice;
	}
	b->gone = *e != cudaSuccess;
	return b->gone ? NULL : b;
}

static Binary *
fatbin_image(Runtime *rt, const void *image, cudaError_t *e)
{
	Binary *b = binary_new(rt, (Binary){ .fatbin = image });
	*e = load_binary(rt, b) ? cudaSuccess : cudaErrorNoKernelImageForDevice;
	b->fatbin = NULL; /* the program may free its memory */
	b->gone = *e != cudaSuccess;
	return b->gone ? NULL : b;
}

Binary *
module_image(Runtime *rt, const void *image, cudaError_t *e)
{
	static const char elf[] = "\177ELF";
	if (fatbin_is(image))
		return fatbin_image(rt, image, e);
	if (strncmp(image, elf, sizeof elf - 1))
		return module_text(rt, image, strlen(image), e);
	rt_say("a module that '%s' loads is machine code only (a cubin), which cannot run here: load PTX. "
	       "What CuPy or Numba kept of a run on a GPU is one: let them begin anew, with CUPY_CACHE_DIR or "
	       "NUMBA_CACHE_DIR",
		rt->program);
	*e = cudaErrorNoKernelImageForDevice;
	return NULL;
}

bool
module_is(const Runtime *rt, const void *binary)
{
	for (uint32_t i = 0; i < rt->binaries.n; i++)
		if (rt->binaries.at[i] == binary)
			return !rt->binaries.at[i]->gone;
	return false;
}

bool
module_is_function(const Runtime *rt, const void *function)
{
	for (uint32_t i = 0; i < rt->functions.n; i++)
		if (rt->functions.at[i] == function)
			return !rt->functions.at[i]->binary->gone;
	return false;
}

/* Whether the module has a kernel of that name. */
static bool
has_entry(const Module *m, const char *name)
{
	uint32_t id = intern_find(m->names, name, strlen(name));
	for (uint32_t f = 1; id && f < m->nfuncs; f++)
		if (m->syms[m->funcs[f].sym].name == id && m->funcs[f].body && m->funcs[f].entry)
			return true;
	return false;
}

Function *
module_named(Runtime *rt, Binary *b, const char *name)
{
	for (uint32_t i = 0; i < rt->functions.n; i++) {
		Function *f = rt->functions.at[i];
		if (f->binary == b && !strcmp(f->name, name))
			return f;
	}
	if (!load_binary(rt, b) || !has_entry(b->m, name))
		return NULL;
	Buf own = {0}; /* not freed: owned by the function */
	buf_puts(&own, name);
	return function_new(rt, (Function){ .name = own.at, .binary = b });
}

uint32_t
module_kernels(Runtime *rt, Binary *b, Function **to, uint32_t room)
{
	const Module *m = b->m;
	uint32_t n = 0;
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		if (!m->funcs[f].entry || !m->funcs[f].body)
			continue;
		if (n < room) {
			size_t len;
			Buf name = {0};
			const char *is = intern_text(m->names, m->syms[m->funcs[f].sym].name, &len);
			buf_printf(&name, "%.*s", (int)len, is);
			to[n] = module_named(rt, b, name.at);
			buf_free(&name);
		}
		n++;
	}
	return n;
}

uint64_t
module_global(const Binary *b, const char *name, size_t *n)
{
	return b->sim ? sim_variable(b->sim, name, n) : 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef char *Demangle(const char *name, char *to, size_t *n, int *status);

/* Strips the prefix that nvcc adds to static functions in relocatable code:
 * "__nv_static_21__0fdaab8e_4_a_cu_main_" before _Z1kPi. */
static const char *
plain_name(const char *name)
{
	static const char front[] = "__nv_static_";
	size_t n = strlen(name);
	if (strncmp(name, front, sizeof front - 1))
		return name;
	char *end;
	unsigned long skip = strtoul(name + sizeof front - 1, &end, 10) + 2;
	return skip < n - (size_t)(end - name) ? end + skip : name;
}

/* Returns the name as in the source. Every CUDA program is linked with the C++ library, whose
 * demangler does this. Python programs are not; for them the parameters are omitted. */
static const char *
source_name(const char *name)
{
	void *f = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	Demangle *whole;
	int status;
	if (!f) {
		static Arena *names; /* protected by the lock; never freed, like the kernels */
		names = names ? names : arena_new();
		return demangle(names, name, strlen(name));
	}
	memcpy(&whole, &f, sizeof whole);
	name = plain_name(name);
	const char *s = whole(name, NULL, NULL, &status);
	return s ? s : name;
}

/* Returns the kernel of --module that has the host function's name. */
static Function *
find_by_name(Runtime *rt, const void *func)
{
	Dl_info at;
	Binary *b = rt->binaries.n ? rt->binaries.at[0] : NULL;
	if (!b || !b->file || !dladdr(func, &at) || !at.dli_sname)
		return NULL;
	return function_new(rt, (Function){ .host = func, .name = at.dli_sname, .binary = b });
}

Function *
module_find(Runtime *rt, const void *func)
{
	for (uint32_t i = 0; i < rt->functions.n; i++)
		if (func && (rt->functions.at[i]->host == func || rt->functions.at[i] == func))
			return rt->functions.at[i];
	return func ? find_by_name(rt, func) : NULL;
}

/* Whether the module has a kernel NAME with this suffix. n: length of NAME */
static bool
has_version(const Module *m, const char *name, size_t n, const char *suffix)
{
	Buf b = {0};
	buf_printf(&b, "%.*s%s", (int)n, name, suffix);
	bool has = intern_find(m->names, b.at, b.n) != 0;
	buf_free(&b);
	return has;
}

static size_t
suffix_length(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);
	return n > k && strcmp(name + n - k, suffix) == 0 ? k : 0;
}

static void
find_versions(Function *f)
{
	const Module *m = f->binary->m;
	size_t on = suffix_length(f->name, TRANSFORMED_SUFFIX),
	       off = suffix_length(f->name, UNTOUCHED_SUFFIX), n = strlen(f->name) - on - off;
	if (!has_version(m, f->name, n, TRANSFORMED_SUFFIX) &&
		!has_version(m, f->name, n, UNTOUCHED_SUFFIX))
		return;
	f->transformed = on || (!off && has_version(m, f->name, n, UNTOUCHED_SUFFIX));
	char *name = xmalloc(n + 1); /* never freed, like the kernels */
	memcpy(name, f->name, n);
	name[n] = '\0';
	f->versions_of = source_name(name);
}

cudaError_t
module_decode(Runtime *rt, Function *f)
{
	if (!f->shown)
		f->shown = source_name(f->name);
	if (!load_binary(rt, f->binary))
		return cudaErrorNoKernelImageForDevice;
	if (!f->tried) {
		Buf out = {0};
		f->tried = true;
		f->kernel = sim_kernel(f->binary->sim, f->name, &out);
		if (!f->kernel)
			rt_say("cannot run kernel '%s':\n%s", f->shown, out.at ? out.at : "");
		else
			f->needs = function_needs(f);
		find_versions(f);
		buf_free(&out);
	}
	return f->kernel ? cudaSuccess : cudaErrorNotSupported;
}

Function *
module_function(Runtime *rt, const void *func, cudaError_t *e)
{
	Function *f = module_find(rt, func);
	*e = f ? module_decode(rt, f) : cudaErrorInvalidDeviceFunction;
	return *e ? NULL : f;
}

/* ---- variables ------------------------------------------------------------------------------- */

uint64_t
module_variable(Runtime *rt, const void *symbol, size_t *n)
{
	for (uint32_t i = 0; i < rt->variables.n; i++) {
		const Variable *v = &rt->variables.at[i];
		if (v->host != symbol && !(v->managed && *v->managed == symbol))
			continue;
		return load_binary(rt, v->binary) ? sim_variable(v->binary->sim, v->name, n) : 0;
	}
	Dl_info at;
	Binary *b = rt->binaries.n ? rt->binaries.at[0] : NULL;
	if (!b || !b->file || !dladdr(symbol, &at) || !at.dli_sname || at.dli_saddr != symbol ||
		!load_binary(rt, b))
		return 0;
	return sim_variable(b->sim, at.dli_sname, n);
}

void
module_managed(Runtime *rt, const Binary *b)
{
	for (uint32_t i = 0; i < rt->variables.n; i++) {
		const Variable *v = &rt->variables.at[i];
		size_t n;
		if (v->managed && (!b || v->binary == b) && load_binary(rt, v->binary))
			*v->managed = (void *)(uintptr_t)sim_variable(v->binary->sim, v->name, &n);
	}
}
