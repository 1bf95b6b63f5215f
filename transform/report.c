/* SPDX-License-Identifier: MIT */
/* The report as text and as JSON. See report.h; the JSON's fields are documented in
 * docs/ptxccc.1. */
#include <string.h>
#include "transform/report.h"

void
report_init(Report *r)
{
	*r = (Report){ .arena = arena_new() };
}

void
report_release(Report *r)
{
	vec_free(&r->sites);
	vec_free(&r->met);
	vec_free(&r->branches);
	vec_free(&r->remaps);
	arena_free(r->arena);
	*r = (Report){ 0 };
}

Cuda_pos
report_place(Arena *a, Cuda_pos at)
{
	if (at.file)
		at.file = arena_strndup(a, at.file, strlen(at.file));
	return at;
}

/* What a task is made of, and where it waits. */
static void
text_context(const Report_site *s, const Report_part *k, Buf *out)
{
	buf_printf(out, "  context: %u bytes a task", k->context_bytes);
	if (k->uncompressed)
		buf_printf(out, " instead of %u", k->uncompressed);
	for (uint32_t i = 0; i < k->ncontext; i++)
		buf_printf(out, "%s %s .%s", i ? "," : ":", k->context[i].name, k->context[i].type);
	buf_printf(out, "\n  shared memory: %u bytes a block (blocks of up to %u threads)\n",
		s->shared, s->threads);
	if (s->blocks)
		buf_printf(out, "  task loop: the first %s blocks of a launch take all\n", s->blocks);
	if (s->recomputed)
		buf_printf(
			out, "  computed again at the entry: %u uniform values\n", s->recomputed);
	if (k->owner_slice)
		buf_printf(out,
			"  computed by the owner too: %u values that flow out of the path\n",
			k->owner_slice);
	if (k->reductions)
		buf_printf(out, "  reductions: %u, each lane has a slot for each\n", k->reductions);
}

static void
text_part(const Report_site *s, const Report_part *k, Buf *out)
{
	buf_printf(out, "  transformed, policy %s\n", k->policy);
	if (k->jump)
		buf_puts(out, "  flow: jump, a task runs the rest of its iteration too\n");
	if (!s->bound)
		text_context(s, k, out);
	else
		buf_puts(out, "  each lane runs its own iterations: no shared memory\n");
	if (s->instead)
		buf_printf(out, "  its tasks are not collected: %s\n", s->instead);
}

static void
text_head(const Report_site *s, const Report_part *k, const Module *m, Buf *out)
{
	uint32_t func = m->funcs[s->func].sym;
	Cuda_pos path = k ? k->path : s->path;

	buf_printf(out, "%s:%u: %s %.*s", s->loop.file, s->loop.line,
		m->funcs[s->func].entry ? "kernel" : "function", PTX_NAME(m, func));
	if (path.file)
		buf_printf(out, ", path %s:%u", path.file, path.line);
	if (k && k->inside.file)
		buf_printf(out, ", inside %s:%u", k->inside.file, k->inside.line);
	buf_putc(out, '\n');
}

static void
text_site(const Report_site *s, const Module *m, Buf *out)
{
	for (uint32_t i = 0; s->done && i < s->nparts; i++) {
		text_head(s, &s->parts[i], m, out);
		text_part(s, &s->parts[i], out);
	}
	if (s->done)
		return;
	text_head(s, NULL, m, out);
	buf_printf(out, "  left as it was: %s\n", s->why.text ? s->why.text : "not asked for");
}

static void
text_branches(const Report *r, const Module *m, Buf *out)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < r->branches.n; i++) {
		const Report_branch *b = &r->branches.at[i];
		const Func *f = &m->funcs[b->func];
		buf_printf(out, "%s:%u: %s %.*s, arms\n", b->at.file, b->at.line,
			f->entry ? "kernel" : "function", PTX_NAME(m, f->sym));
		if (b->done)
			buf_printf(out, "  melded: of %u instructions %u are one for both, %llu issue slots instead of %llu\n",
				b->total, b->both, (unsigned long long)b->after, (unsigned long long)b->before);
		else
			buf_printf(out, "  left as they were: %s\n", b->why.text);
		done += b->done;
	}
	if (r->branches.n)
		buf_printf(out, "%u of %u annotated branches melded\n", done, r->branches.n);
}

static void
text_values(const char *what, const Report_value *v, uint32_t n, Buf *out)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += v[i].bytes;
	buf_printf(out, "  %s: %u bytes a task", what, bytes);
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, "%s %s .%s", i ? "," : ":", v[i].name, v[i].type);
	buf_putc(out, '\n');
}

static void
text_remaps(const Report *r, const Module *m, Buf *out)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < r->remaps.n; i++) {
		const Report_remap *k = &r->remaps.at[i];
		buf_printf(out, "%s:%u: kernel %.*s, branch of %u paths\n", k->at.file, k->at.line, PTX_NAME(m, m->funcs[k->func].sym),
			k->paths);
		done += k->done;
		if (!k->done) {
			buf_printf(out, "  left as it was: %s\n", k->why.text);
			continue;
		}
		buf_printf(out, "  remapped, policy %s; %s\n", k->policy, k->come);
		text_values("goes to who runs it", k->context, k->ncontext, out);
		text_values("comes back", k->results, k->nresults, out);
		buf_printf(out, "  shared memory: %u bytes a block (blocks of up to %u threads)\n", k->shared, k->threads);
	}
	if (r->remaps.n)
		buf_printf(out, "%u of %u annotated branches remapped\n", done, r->remaps.n);
}

void
report_text(const Report *r, const Module *m, Buf *out)
{
	uint32_t done = 0;
	for (uint32_t i = 0; i < r->sites.n; i++) {
		text_site(&r->sites.at[i], m, out);
		done += r->sites.at[i].done;
	}
	buf_printf(out, "%u of %u annotated loops transformed\n", done, r->sites.n);
	text_branches(r, m, out);
	text_remaps(r, m, out);
}

static void
json_string(Buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; s && *s; s++)
		if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			buf_printf(out, "\\u%04x", (unsigned)(unsigned char)*s);
		else
			buf_putc(out, *s);
	buf_putc(out, '"');
}

static void
json_pos(Buf *out, const char *key, Cuda_pos p)
{
	buf_printf(out, "\"%s\": ", key);
	if (!p.file) {
		buf_puts(out, "null");
		return;
	}
	buf_puts(out, "{\"file\": ");
	json_string(out, p.file);
	buf_printf(out, ", \"line\": %u}", p.line);
}

static void
json_head(const Report_site *s, Cuda_pos path, const Module *m, Buf *out)
{
	uint32_t func = m->funcs[s->func].sym;

	buf_printf(out, "    {\"function\": \"%.*s\", ", PTX_NAME(m, func));
	json_pos(out, "loop", s->loop);
	buf_puts(out, ", ");
	json_pos(out, "path", path);
	buf_printf(out, ", \"transformed\": %s", s->done ? "true" : "false");
}

static void
json_part(const Report_site *s, const Report_part *k, const Module *m, Buf *out)
{
	json_head(s, k->path, m, out);
	if (k->inside.file) {
		buf_puts(out, ", ");
		json_pos(out, "inside", k->inside);
	}
	if (s->blocks)
		buf_printf(out, ", \"task_loop\": \"%s\"", s->blocks);
	buf_printf(out,
		", \"policy\": \"%s\", \"flow\": \"%s\", \"walk\": \"%s\", "
		"\"context_bytes\": %u, \"uncompressed_bytes\": %u, \"shared_bytes\": %u, \"max_threads\": %u, \"reductions\": %u,\n     \"context\": [",
		k->policy, s->bound ? "bound" : k->jump ? "jump" : "fork",
		s->bound ? "bound" : s->lockstep ? "lockstep" : "apart", k->context_bytes,
		k->uncompressed ? k->uncompressed : k->context_bytes, s->shared, s->threads, k->reductions);
	for (uint32_t i = 0; i < k->ncontext; i++)
		buf_printf(out, "%s{\"register\": \"%s\", \"type\": \"%s\", \"bytes\": %u}",
			i ? ", " : "", k->context[i].name, k->context[i].type, k->context[i].bytes);
	buf_puts(out, "]}");
}

/* One entry for each path that is collected; for a loop that was left as it was, one. */
static void
json_site(const Report_site *s, const Module *m, Buf *out)
{
	for (uint32_t i = 0; s->done && i < s->nparts; i++) {
		buf_puts(out, i ? ",\n" : "");
		json_part(s, &s->parts[i], m, out);
	}
	if (s->done)
		return;
	json_head(s, s->path, m, out);
	buf_puts(out, ", \"reason\": ");
	json_string(out, s->why.text ? s->why.text : "not asked for");
	buf_putc(out, '}');
}

void
report_json(const Report *r, const Module *m, const char *file, Buf *out)
{
	buf_puts(out, "{\"input\": ");
	json_string(out, file);
	buf_puts(out, ", \"sites\": [");
	for (uint32_t i = 0; i < r->sites.n; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		json_site(&r->sites.at[i], m, out);
	}
	buf_puts(out, r->sites.n ? "\n]}\n" : "]}\n");
}
