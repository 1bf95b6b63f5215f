/* SPDX-License-Identifier: MIT */
/* ptxccc: the command line of the PTX-to-PTX compiler. See docs/ptxccc.1.
 *
 * libptxccc does the work: read, ptxccc_transform, write. Exit status: 0 success, 1 diagnosed
 * error, 2 usage or I/O error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/dump/dump.h"
#include "analysis/dataflow/function.h"
#include "annotate/files.h"
#include "base/console.h"
#include "driver/profiles.h"
#include "driver/ptxccc_options.h"

const char program_name[] = "ptxccc";

/* ---- work -------------------------------------------------------------------------------- */

static int
io_error(const char *what, const char *file, const char *why)
{
	fprintf(stderr, "ptxccc: %s '%s': %s\n", what, file, why);
	return 2;
}

static int
write_result(const Options *o, const Source *src)
{
	const char *why, *text;
	size_t len;
	if (o->keep && o->out && strcmp(o->out, "-")) {
		Buf name = {0};
		size_t n = strlen(o->out);
		bool ptx = n > 4 && !strcmp(o->out + n - 4, ".ptx");
		buf_printf(&name, "%.*s.orig.ptx", (int)(ptx ? n - 4 : n), o->out);
		bool ok = source_write(name.at, src->text, src->len, &why);
		int status = ok ? 0 : io_error("cannot write", name.at, why);
		buf_free(&name);
		if (status)
			return status;
	}
	text = o->dump ? ptxccc_report(o->lib, PTXCCC_STEPS) : ptxccc_text(o->lib, &len);
	if (!source_write(o->out, text, o->dump ? strlen(text) : len, &why))
		return io_error("cannot write", o->out ? o->out : "<stdout>", why);
	return 0;
}

static int
dump_module(const Options *o, const Module *m, Diags *d)
{
	Buf out = {0};
	for (uint32_t i = 1; i < m->nfuncs; i++)
		if (m->funcs[i].body)
			dump_function(o->dump, m, i, o->dot, d, &out);
	const char *why;
	bool ok = source_write(o->out, out.at ? out.at : "", out.n, &why);
	buf_free(&out);
	return ok ? 0 : io_error("cannot write", o->out ? o->out : "<stdout>", why);
}

static int
write_dump(const Options *o, Source *src)
{
	Diags *d = diags_new(src);
	Module *m = ptx_parse(src, d);
	int status = m ? dump_module(o, m, d) : 1;
	diags_print(d, stderr);
	ptx_free(m);
	diags_free(d);
	return status;
}

static void
note_diagnostic(void *said, const ptxccc_diagnostic *d)
{
	buf_puts(said, d->printed);
}

/* Returns false after printing a message if the file cannot be written. */
static bool
write_to(const char *file, const char *text)
{
	const char *why;

	if (source_write(file, text, strlen(text), &why))
		return true;
	io_error("cannot write", file, why);
	return false;
}

static bool
write_report(const Options *o)
{
	FILE *to = o->list || o->format == PTXCCC_JSON ? stdout : stderr;

	if (!o->report && !o->list)
		return true;
	const char *text = ptxccc_report(o->lib, o->format);
	if (o->report_to)
		return write_to(o->report_to, text);
	fputs(text, to);
	return console_flush(to);
}

/* Writes the page of --explain. There is none if the input could not be parsed. */
static bool
write_explanation(const Options *o)
{
	const char *text = o->explain ? ptxccc_report(o->lib, PTXCCC_EXPLANATION) : "";

	return !*text || write_to(o->explain, text);
}

/* Writes the outcome of each annotation, which annotate/again.c reads. */
static bool
write_annotations(const Options *o)
{
	const ptxccc_annotation *a;
	const ptxccc_site *s;
	Buf out = { 0 };

	if (!o->annotations)
		return true;
	for (size_t i = 0; (s = ptxccc_site_at(o->lib, i)); i++)
		if (s->transformed)
			buf_printf(&out, "site %u %s %s\n", s->number,
				s->choice ? s->choice : s->policy, s->function);
	for (size_t i = 0; (a = ptxccc_annotation_at(o->lib, i)); i++)
		buf_printf(&out, "annotation %u %u %u %s:%u\n", a->number, a->copies, a->followed,
			a->file ? a->file : "", a->line);
	bool ok = write_to(o->annotations, out.at ? out.at : "");
	buf_free(&out);
	return ok;
}

/* Writes the report before the output, so that whoever has the output can read the report. */
static int
run_transform(Options *o, const Source *src)
{
	Buf said = {0};
	Source cuda = {0};
	ptxccc_on_diagnostic(o->lib, note_diagnostic, &said);
	ptxccc_on_source(o->lib, source_read_shown, &cuda);
	if (console_color(o->color))
		(void)ptxccc_option(o->lib, "--color");
	if (o->ptxas.program) {
		child_catch_signals();
		ptxccc_on_assemble(o->lib, ptxas_assemble, &o->ptxas);
		ptxccc_on_machine_code(o->lib, ptxas_machine_code);
	}
	int status = (int)ptxccc_transform(o->lib, src->name, src->text, src->len);
	if (o->ptxas.program)
		child_end_by_broken_pipe();
	if (status == PTXCCC_NO_MEMORY || status == PTXCCC_INTERNAL)
		fatal(status == PTXCCC_INTERNAL, ptxccc_message(o->lib));
	if (!write_report(o) || !write_explanation(o) || !write_annotations(o))
		status = 2;
	if (!o->dump)
		fputs(ptxccc_report(o->lib, PTXCCC_STEPS), stderr);
	if (o->suggest)
		fputs(ptxccc_report(o->lib, PTXCCC_SUGGESTIONS), stderr);
	if (status == PTXCCC_OK && !o->list)
		status = write_result(o, src);
	if (status == PTXCCC_OK && !o->list && !o->dump) {
		size_t len;
		const char *text = ptxccc_text(o->lib, &len);
		ptxas_keep_code(&o->ptxas, text, len);
	}
	if (said.n)
		fputs(said.at, stderr);
	buf_free(&said);
	source_release(&cuda);
	return status;
}

static int
run_command(Options *o)
{
	Source src;
	const char *why;
	if (!source_read(&src, o->in, &why))
		return io_error("cannot read", o->in, why);
	bool plans = o->dump && strcmp(o->dump, "plan") == 0;
	if (plans)
		(void)(ptxccc_option(o->lib, o->dot ? "-dP" : "-dp") ||
			ptxccc_option(o->lib, "--stop-after=plan"));
	int status = o->dump && !plans ? write_dump(o, &src) : run_transform(o, &src);
	source_release(&src);
	return status;
}

int
main(int argc, char **argv)
{
	Options o = { .lib = ptxccc_new(NULL, NULL) };
	if (!o.lib)
		fatal(false, "out of memory");
	console_open();
	bool profiles = argc > 1 && strcmp(argv[1], "profile") == 0;
	int status = profiles ? profiles_main(argv + 2) : options_parse(&o, argc, argv);
	if (status == 0 && !profiles)
		status = run_command(&o);
	if (status <= 0)
		status = console_flush(stdout) ? 0 : 2;
	ptxas_release(&o.ptxas);
	ptxccc_free(o.lib);
	return status;
}
