/* SPDX-License-Identifier: MIT */
/* Compilers in the program, NVRTC and nvJitLink. PTX that is linked is transformed. Machine code
 * that they make of other input is remembered with its PTX, and transformed when it is loaded: what
 * the program stores remains the compiler's.
 *
 * These are libraries that programs load or are linked with (linked.c). If a program has several
 * versions of one, functions of the first are replaced, because objects belong to a version. */
#define _GNU_SOURCE /* dladdr, RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/load/load.h"

typedef Result Create(Handle *, uint32_t, const char **);
typedef Result Add_data(Handle, int, const void *, size_t, const char *);
typedef Result Add_file(Handle, int, const char *);
typedef Result Get_text(Handle, char *);
typedef Result Get_size(Handle, size_t *);
typedef Result Complete(Handle);
typedef Result Destroy(Handle *);
static Get_text get_cubin;
static Create jit_create;
static Add_data jit_add_data;
static Add_file jit_add_file;
static Get_text jit_get_cubin;
static Destroy jit_destroy;

typedef enum {
	GET_CUBIN, JIT_CREATE, JIT_ADD_DATA, JIT_ADD_FILE, JIT_GET_CUBIN, JIT_DESTROY,
	COMPILER_HOOKS
} Compiler_hook;
static const char *const names[COMPILER_HOOKS] = { "nvrtcGetCUBIN", "nvJitLinkCreate",
	"nvJitLinkAddData", "nvJitLinkAddFile", "nvJitLinkGetLinkedCubin", "nvJitLinkDestroy" };
static void *real[COMPILER_HOOKS]; /* set when the program looks one up */

/* ---- names ----------------------------------------------------------------------------------- */

/* nvJitLink's functions are versioned: __nvJitLinkAddData_13_0. */
static bool
is_function(const char *name, const char *unversioned)
{
	const size_t n = strlen(unversioned);

	return strcmp(name, unversioned) == 0 ||
		(strncmp(name, "__", 2) == 0 && strncmp(name + 2, unversioned, n) == 0 &&
			name[2 + n] == '_');
}

static Compiler_hook
hook_by_name(const char *name)
{
	Compiler_hook id = 0;

	while (id < COMPILER_HOOKS && !is_function(name, names[id]))
		id++;
	return id;
}

bool
compiler_function(const char *name)
{
	return hook_by_name(name) < COMPILER_HOOKS;
}

static void *
hook_address(Compiler_hook id)
{
	void *at = NULL;
#define HOOK(id, f) \
	case id: *(__typeof__(&f) *)(void *)&at = f; break
	switch (id) {
	HOOK(GET_CUBIN, get_cubin);
	HOOK(JIT_CREATE, jit_create);
	HOOK(JIT_ADD_DATA, jit_add_data);
	HOOK(JIT_ADD_FILE, jit_add_file);
	HOOK(JIT_GET_CUBIN, jit_get_cubin);
	HOOK(JIT_DESTROY, jit_destroy);
	case COMPILER_HOOKS: break;
	}
#undef HOOK
	return at;
}

/* Whether no library has this function's hook, or the one that the function is in. */
static bool
is_same_library(Compiler_hook id, void *found)
{
	Dl_info a, b;
	const Compiler_hook first = id == GET_CUBIN ? GET_CUBIN : JIT_CREATE,
			    end = id == GET_CUBIN ? JIT_CREATE : COMPILER_HOOKS;

	for (id = first; id < end; id++)
		if (real[id] && (!dladdr(real[id], &a) || !dladdr(found, &b) ||
			a.dli_fbase != b.dli_fbase))
			return false;
	return true;
}

void *
compiler_replace(const char *name, void *found)
{
	Compiler_hook id = hook_by_name(name);
	void *hook = hook_address(id);

	if (is_own_function(found)) /* looked up among all libraries */
		found = real_dlsym()(RTLD_NEXT, name);
	if (!found || !is_same_library(id, found))
		return found;
	real[id] = found;
	return hook;
}

/* Returns another function of the library that has f. */
static void *
sibling(void *f, const char *name)
{
	Dl_info found;
	void *library = f && dladdr(f, &found) && found.dli_fname ?
		dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *other = library ? real_dlsym()(library, name) : NULL;

	if (library)
		dlclose(library);
	return other;
}

/* Calls a function of a library, by its address; the result is 1 if there is none. */
#define CALL(result, type, address, ...) \
	do { \
		type *f_; \
		*(void **)(void *)&f_ = (address); \
		(result) = f_ ? f_(__VA_ARGS__) : 1; \
	} while (0)

/* Returns a text that a compiler has, with a zero at its end; NULL if it has none. */
static char *
get_text(Handle h, void *size_function, void *function, size_t *n)
{
	char *text;
	Result e;

	*n = 0;
	CALL(e, Get_size, size_function, h, n);
	text = !e && *n ? malloc(*n + 1) : NULL;
	if (!text)
		return NULL;
	text[*n] = '\0';
	CALL(e, Get_text, function, h, text);
	if (!e)
		return text;
	free(text);
	return NULL;
}

/* ---- machine code that was made of PTX ------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	Compiled *at;           /* allocated one by one: they stay */
	size_t n;
} compiled = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The header tells where the tables are that a file of machine code ends with, so that code with an
 * equal header has at least this length. */
static bool
is_code(const void *image, const Compiled *c)
{
	enum { HEADER = 64 };

	return c->code_bytes > HEADER && memcmp(image, c->code, HEADER) == 0 &&
		memcmp(image, c->code, c->code_bytes) == 0;
}

const Compiled *
compiled_find(const void *image)
{
	pthread_mutex_lock(&compiled.lock);
	const Compiled *c = compiled.at;
	while (c && !is_code(image, c))
		c = c->next;
	pthread_mutex_unlock(&compiled.lock);
	return c;
}

/* Remembers machine code with its PTX, which it takes. */
static void
compiled_add(const void *code, size_t n, char *ptx)
{
	Compiled *c = ptx ? malloc(sizeof *c + n) : NULL;

	if (!c || compiled_find(code)) {
		free(c);
		free(ptx);
		return;
	}
	*c = (Compiled){ .ptx = ptx, .code = (char *)(c + 1), .code_bytes = n };
	memcpy(c + 1, code, n);
	pthread_mutex_lock(&compiled.lock);
	c->next = compiled.at;
	compiled.at = c;
	pthread_mutex_unlock(&compiled.lock);
}

/* ---- NVRTC ----------------------------------------------------------------------------------- */

/* NVRTC has the text also of a program that it compiles for a GPU (-arch=sm_90). */
static Result
get_cubin(Handle program, char *code)
{
	void *f = real[GET_CUBIN];
	size_t n = 0, len;
	Result e;

	CALL(e, Get_text, f, program, code);
	if (e || !rewrites())
		return e;
	CALL(e, Get_size, sibling(f, "nvrtcGetCUBINSize"), program, &n);
	if (!e)
		compiled_add(code, n, get_text(program, sibling(f, "nvrtcGetPTXSize"),
					      sibling(f, "nvrtcGetPTX"), &len));
	return 0;
}

/* ---- nvJitLink ------------------------------------------------------------------------------- */

/* The arguments of a call: of nvJitLinkCreate its options, else data or the name of a file. */
typedef struct Input {
	int type;
	char *data, *name;
	size_t n;
	bool file;
	struct Input *next;
} Input;

/* A linker that optimizes at link time. */
typedef struct Optimizer {
	Handle linker;
	uint32_t n;
	char **options;
	Input *first, **end;
	struct Optimizer *next;
} Optimizer;

static struct {
	pthread_mutex_t lock;
	Optimizer *at;
} optimizers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
free_optimizer(Optimizer *o)
{
	for (Input *i = o ? o->first : NULL, *next; i; i = next) {
		next = i->next;
		free(i->data);
		free(i->name);
		free(i);
	}
	for (uint32_t i = 0; o && i < o->n; i++)
		free(o->options[i]);
	if (o)
		free(o->options);
	free(o);
}

/* Returns the linker's entry; remove: and takes it out of the list. */
static Optimizer *
find_optimizer(Handle linker, bool remove)
{
	Optimizer **at = &optimizers.at, *o;

	pthread_mutex_lock(&optimizers.lock);
	while (*at && (*at)->linker != linker)
		at = &(*at)->next;
	o = *at;
	if (o && remove)
		*at = o->next;
	pthread_mutex_unlock(&optimizers.lock);
	return o;
}

static bool
has_option(uint32_t n, const char *const *options, const char *option)
{
	for (uint32_t i = 0; i < n; i++)
		if (options[i] && strcmp(options[i], option) == 0)
			return true;
	return false;
}

/* Adds an entry with room for one more option. */
static void
add_optimizer(Handle linker, uint32_t n, const char *const *options)
{
	Optimizer *o = malloc(sizeof *o);
	char **copies = calloc(n + 1, sizeof *copies);

	if (!o || !copies) {
		free(o);
		free(copies);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		copies[i] = options[i] ? strdup(options[i]) : NULL;
	*o = (Optimizer){ .linker = linker, .n = n, .options = copies };
	o->end = &o->first;
	pthread_mutex_lock(&optimizers.lock);
	o->next = optimizers.at;
	optimizers.at = o;
	pthread_mutex_unlock(&optimizers.lock);
}

static void
add_input(Handle linker, Input i)
{
	Optimizer *o = find_optimizer(linker, false);
	Input *copy = o ? malloc(sizeof *copy) : NULL;
	char *data = copy && !i.file ? malloc(i.n + 1) : NULL;

	if (!copy || (!i.file && !data)) {
		free(copy);
		return;
	}
	if (data)
		memcpy(data, i.data, i.n);
	i.data = data;
	i.name = i.name ? strdup(i.name) : NULL;
	*copy = i;
	*o->end = copy;
	o->end = &copy->next;
}

static Result
jit_create(Handle *s, uint32_t n, const char **options)
{
	Result e;

	CALL(e, Create, real[JIT_CREATE], s, n, options);
	bool optimizes = has_option(n, options, "-lto") || has_option(n, options, "-dlto");
	if (!e && rewrites() && optimizes && !has_option(n, options, "-ptx"))
		add_optimizer(*s, n, options);
	return e;
}

static Result
jit_add_data(Handle s, int type, const void *data, size_t size, const char *name)
{
	enum { PTX = 2 };
	size_t len = 0;
	char *text = type == PTX && data ? rewrite_linked(s, data, size, &len) : NULL;
	Result e = 1;

	if (text) {
		CALL(e, Add_data, real[JIT_ADD_DATA], s, type, text, len + 1, name);
		free(text);
	}
	if (!e)
		return e;
	CALL(e, Add_data, real[JIT_ADD_DATA], s, type, data, size, name);
	if (!e && data)
		add_input(s, (Input){ type, (char *)(uintptr_t)data, (char *)(uintptr_t)name, size,
				     false, NULL });
	return e;
}

static Result
jit_add_file(Handle s, int type, const char *name)
{
	Result e;

	CALL(e, Add_file, real[JIT_ADD_FILE], s, type, name);
	if (!e)
		add_input(s, (Input){ type, NULL, (char *)(uintptr_t)name, 0, true, NULL });
	return e;
}

/* Returns nvJitLink's function of the version that the program calls. */
static void *
jit_function(const char *name)
{
	Dl_info found;
	char versioned[64];
	const char *create = names[JIT_CREATE];

	if (!dladdr(real[JIT_CREATE], &found) || !found.dli_sname ||
		strncmp(found.dli_sname, "__", 2) != 0)
		return sibling(real[JIT_CREATE], name);
	snprintf(versioned, sizeof versioned, "__%s%s", name, found.dli_sname + 2 + strlen(create));
	return sibling(real[JIT_CREATE], versioned);
}

/* Links the inputs to PTX, from which nvJitLink makes machine code. Returns NULL if
 * an input has none, such as machine code. */
static char *
optimized_text(Optimizer *o)
{
	static char ptx[] = "-ptx";
	char *text = NULL;
	Handle s;
	size_t n;
	Result e;

	o->options[o->n] = ptx;
	CALL(e, Create, real[JIT_CREATE], &s, o->n + 1, (const char **)(void *)o->options);
	o->options[o->n] = NULL;
	if (e)
		return NULL;
	for (const Input *i = o->first; i && !e; i = i->next)
		if (i->file)
			CALL(e, Add_file, jit_function("nvJitLinkAddFile"), s, i->type, i->name);
		else
			CALL(e, Add_data, jit_function("nvJitLinkAddData"), s, i->type, i->data,
				i->n, i->name);
	if (!e)
		CALL(e, Complete, jit_function("nvJitLinkComplete"), s);
	if (!e)
		text = get_text(s, jit_function("nvJitLinkGetLinkedPtxSize"),
			jit_function("nvJitLinkGetLinkedPtx"), &n);
	CALL(e, Destroy, jit_function("nvJitLinkDestroy"), &s);
	return text;
}

static Result
jit_get_cubin(Handle s, char *code)
{
	Optimizer *o = find_optimizer(s, false);
	size_t n = 0;
	Result e;

	CALL(e, Get_text, real[JIT_GET_CUBIN], s, code);
	if (e || !o)
		return e;
	CALL(e, Get_size, jit_function("nvJitLinkGetLinkedCubinSize"), s, &n);
	if (!e)
		compiled_add(code, n, optimized_text(o));
	return 0;
}

static Result
jit_destroy(Handle *s)
{
	Result e;

	if (s) {
		linked_forget(*s);
		free_optimizer(find_optimizer(*s, true));
	}
	CALL(e, Destroy, real[JIT_DESTROY], s);
	return e;
}
