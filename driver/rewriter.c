/* SPDX-License-Identifier: MIT */
/* Transforms the PTX of other compilers' programs. See rewriter.h. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/files.h"
#include "annotate/gather.h"
#include "base/heap.h"
#include "base/source.h"
#include "base/vec.h"
#include "driver/profiles.h"
#include "driver/rewriter.h"

bool
rewriter_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

/* ---- the sum --------------------------------------------------------------------------------- */

static void
add_to_sum(uint64_t *sum, const char *text, size_t len)
{
	uint64_t part;

	for (size_t i = 0; i < len; i += sizeof part) {
		part = len; /* fills the last part */
		memcpy(&part, text + i, len - i < sizeof part ? len - i : sizeof part);
		*sum = (*sum ^ part) * UINT64_C(0x100000001b3); /* FNV-1a, on words */
		*sum ^= *sum >> 32;
	}
}

static void
add_file(uint64_t *sum, const char *name)
{
	const char *why;
	Source file;

	if (!source_read(&file, name, &why)) {
		add_to_sum(sum, VERSION, sizeof VERSION);
		return;
	}
	add_to_sum(sum, file.text, file.len);
	source_release(&file);
}

const char *
rewriter_library(void)
{
	ptxccc *(*in_library)(ptxccc_allocate *, void *) = ptxccc_new;
	void *address;
	Dl_info library;

	memcpy(&address, &in_library, sizeof address);
	return dladdr(address, &library) ? library.dli_fname : "/proc/self/exe";
}

uint64_t
rewriter_version(const Rewriter *r)
{
	uint64_t sum = r->sum;

	add_file(&sum, "/proc/self/exe");
	add_file(&sum, rewriter_library());
	return sum;
}

/* ---- options --------------------------------------------------------------------------------- */

typedef struct { Rewriter *r; Buf *why; bool ok; } Opening;

static void
take_profile(void *user, const char *file, const char *text, size_t len, const char *why)
{
	Opening *o = user;

	if (!text || ptxccc_profile(o->r->lib, file, text, len) != PTXCCC_OK) {
		buf_printf(o->why, "cannot read '%s': %s", file,
			text ? ptxccc_message(o->r->lib) : why);
		o->ok = false;
		return;
	}
	add_to_sum(&o->r->sum, text, len);
}

/* Whether the option adds something to the PTX that only cccnvcc's programs use. */
static bool
needs_cccnvcc(const char *option)
{
	return strncmp(option, "--profile-generate", 18) == 0 ||
		strncmp(option, "--check-promise", 15) == 0 ||
		strncmp(option, "--switchable", 12) == 0;
}

/* Options that only cccnvcc knows are ignored: builds share the variable. */
static void
take_word(Opening *o, char *word)
{
	bool shared = strncmp(word, "--ccc-", 6) == 0; /* as cccnvcc spells it */
	char *value = strchr(word, '=');
	Buf option = { 0 };

	buf_printf(&option, "%s%s", !shared ? "" : word[6] == 'W' ? "-" : "--",
		word + (shared ? 6 : 0));
	if (value && (strncmp(option.at, "--report-to=", 12) == 0 ||
			     strncmp(option.at, "--report=", 9) == 0)) {
		o->r->report_to = value + 1;
		ASSERT(ptxccc_option(o->r->lib, "--auto=remedies") == PTXCCC_OK);
	} else if (value && strncmp(option.at, "--profile-use=", 14) == 0) {
		profiles_each(value + 1, take_profile, o);
	} else if (!shared && needs_cccnvcc(option.at)) {
		o->ok = false;
		buf_printf(o->why, "'%s' is for cccnvcc", word);
	} else if (!needs_cccnvcc(option.at) &&
		ptxccc_option(o->r->lib, option.at) != PTXCCC_OK && !shared) {
		o->ok = false;
		buf_puts(o->why, ptxccc_message(o->r->lib));
	}
	buf_free(&option);
}

bool
rewriter_open(Rewriter *r, Buf *why)
{
	static const char blanks[] = " \t\n";
	const char *flags = getenv("CCC_FLAGS") ? getenv("CCC_FLAGS") : "";
	Opening o = { r, why, true };
	Buf words = { 0 };
	char *rest = NULL;

	*r = (Rewriter){ .lib = ptxccc_new(NULL, NULL), .sum = UINT64_C(0xcbf29ce484222325) };
	if (!r->lib)
		out_of_memory();
	add_to_sum(&r->sum, flags, strlen(flags));
	buf_puts(&words, flags);
	r->words = words.at;
	ASSERT(ptxccc_option(r->lib, "--auto") == PTXCCC_OK);
	for (char *w = strtok_r(r->words, blanks, &rest); w && o.ok;
		w = strtok_r(NULL, blanks, &rest))
		take_word(&o, w);
	return o.ok;
}

void
rewriter_close(Rewriter *r)
{
	ptxccc_free(r->lib);
	xfree(r->words);
}

void
rewriter_count(Rewriter *r)
{
	ASSERT(ptxccc_option(r->lib, "--profile-generate") == PTXCCC_OK);
	r->counts = true;
	add_to_sum(&r->sum, "counts", 6);
}

void
rewriter_time(Rewriter *r)
{
	ASSERT(ptxccc_option(r->lib, "--timed") == PTXCCC_OK);
	r->timed = true;
	add_to_sum(&r->sum, "timed", 5);
}

/* ---- a module -------------------------------------------------------------------------------- */

/* Appends a warning as its first line and its advice: the text of the PTX is not in a file. */
static void
add_warning(Buf *to, const ptxccc_diagnostic *d)
{
	buf_printf(to, "%s:%u: warning: %s [-W%s]\n", d->file, d->line, d->text, d->name);
	for (size_t i = 0; i < d->nnotes; i++)
		if (!d->note[i].at.file)
			buf_printf(to, "  note: %s\n", d->note[i].text);
}

/* Keeps the warnings about annotations, and the first reason for which the whole module is left
 * unchanged. */
static void
note_diagnostic(void *to, const ptxccc_diagnostic *d)
{
	static const char left[] = "module left unchanged: ";
	size_t n = strncmp(d->text, left, sizeof left - 1) == 0 ? sizeof left - 1 : 0;
	Rewritten *done = to;

	if (d->severity == PTXCCC_WARNING && d->file)
		add_warning(&done->warnings, d);
	if ((d->severity != PTXCCC_SEVERE && !n) || done->why.n)
		return;
	buf_puts(&done->why, d->text + n);
	done->rounding = strcmp(d->name, "ccc-rounding") == 0;
}

const char *
rewriter_transform(Rewriter *r, const char *name, const char *ptx, size_t len, size_t *out_len,
	Rewritten *done)
{
	const ptxccc_site *s;

	if (r->timed)
		(void)ptxccc_plain(r->lib, name, ptx, len);
	ptxccc_on_diagnostic(r->lib, note_diagnostic, done);
	ptxccc_status status = ptxccc_transform(r->lib, name, ptx, len);
	ptxccc_on_diagnostic(r->lib, NULL, NULL);
	if (status != PTXCCC_OK) {
		if (!done->why.n)
			buf_puts(&done->why, ptxccc_message(r->lib));
		return NULL;
	}
	for (; (s = ptxccc_site_at(r->lib, done->loops)); done->loops++)
		done->transformed += s->transformed != 0;
	const char *text = ptxccc_text(r->lib, out_len);
	bool changed = r->counts ? strstr(text, "__ccc_profile") != NULL : done->transformed != 0;
	return changed ? text : NULL;
}

void
rewritten_release(Rewritten *done)
{
	buf_free(&done->why);
	buf_free(&done->warnings);
	*done = (Rewritten){ 0 };
}

/* Adds the records of a module to the report of all modules. */
static void
add_records(const Rewriter *r)
{
	Arena *a = arena_new();
	char here[4096];
	Units all = { 0 };
	Unit u;

	if (unit_read(ptxccc_report(r->lib, PTXCCC_RECORDS), a, &u)) {
		u.folder = getcwd(here, sizeof here);
		(void)gather_report(r->report_to, &u);
		*vec_push(&all) = u;
		units_release(&all);
	}
	arena_free(a);
}

void
rewriter_report(const Rewriter *r)
{
	if (!r->report_to)
		return;
	if (units_format(r->report_to)) {
		add_records(r);
		return;
	}
	const char *text = ptxccc_site_at(r->lib, 0) ? ptxccc_report(r->lib, PTXCCC_TEXT) : "";
	(void)file_append(r->report_to, text, strlen(text));
}
