/* SPDX-License-Identifier: MIT */
/* Selects a kernel of a module by name. See kernels.h. */
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/demangle.h"
#include "driver/kernels.h"

enum { MOST_LISTED = 20 };

/* Ways to match a name, the closest first. */
typedef enum { AS_IT_IS, AS_IN_SOURCE, AS_IT_BEGINS, WAYS } Match_kind;

typedef struct { const char *name, *shown; } Kernel;

/* Gets the names of function f. Returns false if it is not a kernel with a body. */
static bool
kernel_of(const Module *m, uint32_t f, Arena *a, Kernel *k)
{
	size_t n;
	if (!m->funcs[f].entry || !m->funcs[f].body)
		return false;
	const char *name = ptx_name(m, m->funcs[f].sym, &n);
	*k = (Kernel){ arena_strndup(a, name, n), demangle(a, name, n) };
	return true;
}

/* Compares with the name in the source without template arguments. */
static bool
is_source_name(const char *shown, const char *given)
{
	size_t n = strlen(given);
	return !strncmp(shown, given, n) && (!shown[n] || shown[n] == '<');
}

static bool
kernel_name_matches(const Kernel *k, const char *given, Match_kind kind)
{
	size_t n = strlen(given);
	if (kind == AS_IT_IS)
		return !strcmp(k->name, given);
	if (kind == AS_IN_SOURCE)
		return is_source_name(k->shown, given);
	return !strncmp(k->name, given, n) || !strncmp(k->shown, given, n);
}

/* Counts the matching kernels; *first receives the first one. */
static uint32_t
count_matches(const Module *m, const char *given, Match_kind kind, Arena *a, Kernel *first)
{
	uint32_t n = 0;
	Kernel k;
	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (kernel_of(m, f, a, &k) && kernel_name_matches(&k, given, kind) && n++ == 0)
			*first = k;
	return n;
}

/* Lists the matching kernels; all if given is "". */
static void
list_matches(const Module *m, const char *given, Arena *a)
{
	uint32_t n = 0;
	Kernel k;
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		if (!kernel_of(m, f, a, &k) || !kernel_name_matches(&k, given, AS_IT_BEGINS) ||
			n++ >= MOST_LISTED)
			continue;
		fprintf(stderr, "  %s", k.name);
		fprintf(stderr, strcmp(k.shown, k.name) ? "  %s\n" : "\n", k.shown);
	}
	if (n > MOST_LISTED)
		fprintf(stderr, "  and %u more\n", n - MOST_LISTED);
}

const char *
kernel_choose(const Module *m, const char *given, Arena *a)
{
	Kernel k;
	for (Match_kind kind = AS_IT_IS; kind < WAYS; kind++) {
		uint32_t n = count_matches(m, given, kind, a, &k);
		if (n == 1)
			return k.name;
		if (!n)
			continue;
		fprintf(stderr, "%s: error: several kernels could be '%s':\n", m->src->name, given);
		list_matches(m, given, a);
		return NULL;
	}
	bool any = count_matches(m, "", AS_IT_BEGINS, a, &k);
	fprintf(stderr, "%s: error: no kernel '%s'%s\n", m->src->name, given,
		any ? "; the module has" : ", nor any other");
	list_matches(m, "", a);
	return NULL;
}

/* Appends the argument that ptxrun's --arg takes for a parameter. */
static void
describe_param(const Module *m, uint32_t sym, Buf *out)
{
	const Var *v = ptx_var(m, sym);
	unsigned long long bytes = v->bytes;
	const char *type = ptx_type_name(m->syms[sym].type);
	if (v->dims.end > v->dims.pos || bytes > 8)
		buf_printf(out, "--arg u32:VALUE ... (%llu bytes in parts)", bytes);
	else if (*type == 'f' && bytes >= 4)
		buf_printf(out, "--arg %s:VALUE", type);
	else
		buf_printf(out, "--arg %su%llu:VALUE", bytes == 8 ? "buf:BYTES or " : "",
			8 * bytes);
}

void
kernel_list_params(const Module *m, const char *name)
{
	Buf out = {0};
	size_t n = strlen(name);
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		const Func *k = &m->funcs[f];
		if (!k->entry || !k->body || (size_t)ptx_name_len(m, k->sym) != n ||
			memcmp(ptx_name_text(m, k->sym), name, n) != 0)
			continue;
		for (uint32_t i = 0; i < k->nparam; i++) {
			buf_printf(&out, "  parameter %u, %.*s: ", i + 1, PTX_NAME(m, k->param + i));
			describe_param(m, k->param + i, &out);
			buf_puts(&out, "\n");
		}
	}
	if (out.n)
		fputs(out.at, stderr);
	buf_free(&out);
}
