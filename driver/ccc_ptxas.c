/* SPDX-License-Identifier: MIT */
/* ccc-ptxas: a drop-in for ptxas that transforms its inputs. See docs/ccc-ptxas.1.
 *
 * ptxas runs on the rewritten texts, and again with the original command line if it fails. So it
 * does if this program crashes. Its output and exit status are passed on. */
#define _XOPEN_SOURCE 700 /* sigaltstack */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "annotate/child.h"
#include "annotate/files.h"
#include "base/console.h"
#include "base/exec.h"
#include "base/heap.h"
#include "base/source.h"
#include "base/temporary.h"
#include "driver/ptxas_args.h"
#include "driver/ptxas_find.h"
#include "driver/rewriter.h"
#include "commit.h"

const char program_name[] = "ccc-ptxas";

/* An input and the file that ptxas is given in its place. */
typedef struct { uint32_t word; const char *name; Memory_file file; } Replaced;

typedef struct {
	char **argv;            /* the original command line, of the real ptxas */
	Ptxas_args args;
	Rewriter rewriter;
	VEC(Replaced) replaced;
	bool any;               /* one of them is rewritten */
	Caught said;            /* by ptxas, on the rewritten texts */
	/* output and machine code of ptxas in the last call of `assemble` */
	Caught log;
	Buf code;
	uint32_t assembled;     /* the word of the input that `assemble` checks */
} Job;

/* ---- the original command line --------------------------------------------------------------- */

static char **original;
static bool verbose;

static void
tell(const char *name, const char *text)
{
	if (verbose)
		fprintf(stderr, "ccc-ptxas: %s: %s\n", name, text);
}

/* Runs ptxas with the original command line in place of this process. */
static int
become_ptxas(char **argv)
{
	(void)lseek(STDIN_FILENO, 0, SEEK_SET); /* if it was read, it is a file by now */
	return child_become(argv);
}

#ifndef __SANITIZE_ADDRESS__
/* For signals that report a bug. */
static void
on_crash(int sig)
{
	static const char text[] = "ccc-ptxas: internal error; the original is used\n";
	sigset_t all;

	if (verbose && write(STDERR_FILENO, text, sizeof text - 1) < 0)
		verbose = false;
	(void)lseek(STDIN_FILENO, 0, SEEK_SET);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	signal(SIGPIPE, SIG_DFL);
	execv(original[0], original);
	_exit(128 + sig);
}

static void
catch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	static char stack[1 << 16];
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };

	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &sa, NULL);
}
#else
static void catch_crashes(void) {}
#endif

/* ---- ptxas on rewritten texts ---------------------------------------------------------------- */

static bool
run_ptxas(char **argv, Caught *said)
{
	Ended e = child_run(argv, NULL, said);
	return e.code == 0 && e.signal == 0;
}

/* A ptxccc_machine_code. */
static const char *
machine_code(void *job, size_t *len)
{
	const Job *j = job;

	*len = j->code.n;
	return j->code.n ? j->code.at : NULL;
}

/* Runs ptxas as the user does, but on one text, and into a file that is discarded. A
 * ptxccc_assemble. */
static int
assemble(void *job, const char *ptx, size_t len, const char **log)
{
	static char info[] = "-v", output[] = "-o";
	Job *j = job;
	VEC(char *) argv = { 0 };
	Memory_file in, out;
	Buf to = { 0 };
	bool ok = false;

	*log = "";
	child_release(&j->log);
	j->code.n = 0;
	if (!memory_file(&in, ptx, len))
		return 1;
	if (memory_file(&out, "", 0)) {
		for (uint32_t i = 0; j->args.words.at[i]; i++)
			*vec_push(&argv) = i == j->assembled ? in.path : j->args.words.at[i];
		buf_printf(&to, "%s%s", j->args.output_option, out.path);
		if (j->args.output) {
			argv.at[j->args.output] = to.at;
		} else {
			*vec_push(&argv) = output;
			*vec_push(&argv) = out.path;
		}
		*vec_push(&argv) = info;
		*vec_push(&argv) = NULL;
		ok = run_ptxas(argv.at, &j->log);
		if (ok)
			(void)source_append(&j->code, out.path);
		buf_add(&j->log.err, j->log.out.at ? j->log.out.at : "", j->log.out.n);
		buf_puts(&j->log.err, "");
		*log = j->log.err.at;
		close(out.fd);
	}
	close(in.fd);
	vec_free(&argv);
	buf_free(&to);
	return !ok;
}

/* Prints ptxas's messages with the names of the user's files. */
static void
print_said(const Job *j, const Buf *said, FILE *to)
{
	const char *end = said->at + said->n;

	for (const char *s = said->at; s < end; s++) {
		const Replaced *r = NULL;
		for (uint32_t i = 0; i < j->replaced.n && !r; i++) {
			const char *path = j->replaced.at[i].file.path;
			size_t n = strlen(path);
			if (*s == *path && (size_t)(end - s) > n && memcmp(s, path, n) == 0 &&
				(s[n] < '0' || s[n] > '9'))
				r = &j->replaced.at[i];
		}
		if (r) {
			fputs(r->name, to);
			s += strlen(r->file.path) - 1;
		} else {
			fputc(*s, to);
		}
	}
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Reads a PTX file that a word names. Returns false if it names none. */
static bool
read_input(Source *src, const char *name)
{
	const char *why;
	struct stat st;

	if (strcmp(name, "-") != 0 && (stat(name, &st) != 0 || !S_ISREG(st.st_mode)))
		return false;
	if (!source_read(src, name, &why))
		return false;
	if (strcmp(name, "-") == 0 || strstr(src->text, ".version"))
		return true;
	source_release(src);
	return false;
}

static bool
replace_input(Job *j, uint32_t word, const char *text, size_t len)
{
	Replaced r = { .word = word, .name = j->args.words.at[word] };

	if (!memory_file(&r.file, text, len))
		return false;
	*vec_push(&j->replaced) = r;
	return true;
}

/* Standard input can be read only once: a file takes its place. */
static void
replace_stdin(const Source *src)
{
	Memory_file f;

	if (!memory_file(&f, src->text, src->len) || dup2(f.fd, STDIN_FILENO) < 0)
		fatal(false, "cannot make a temporary file");
	close(f.fd);
	(void)lseek(STDIN_FILENO, 0, SEEK_SET);
}

static void
tell_outcome(const char *name, const Rewritten *done, bool used)
{
	Buf text = { 0 };

	if (done->why.n)
		buf_printf(&text, "not transformed: %s", done->why.at);
	else
		buf_printf(&text, "%u of %u loops transformed%s", done->transformed, done->loops,
			used || !done->transformed ? "" : "; the original is used");
	tell(name, text.at);
	buf_free(&text);
}

static void
rewrite_input(Job *j, uint32_t word)
{
	const char *name = j->args.words.at[word];
	Rewritten done = { 0 };
	Source src;
	size_t len;

	if (!read_input(&src, name))
		return;
	bool standard = strcmp(name, "-") == 0;
	if (standard)
		replace_stdin(&src);
	j->assembled = word;
	const char *text =
		rewriter_transform(&j->rewriter, src.name, src.text, src.len, &len, &done);
	child_release(&j->log);
	buf_free(&j->code);
	bool used = text && replace_input(j, word, text, len);
	j->any |= used;
	if (!used && standard)
		(void)replace_input(j, word, src.text, src.len);
	tell_outcome(src.name, &done, used);
	rewriter_report(&j->rewriter);
	rewritten_release(&done);
	source_release(&src);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Runs ptxas on the rewritten inputs. Returns false if the original command line is to be run. */
static bool
run_rewritten(Job *j)
{
	for (uint32_t i = 0; i < j->args.inputs.n; i++)
		rewrite_input(j, j->args.inputs.at[i]);
	if (!j->any)
		return false;
	for (uint32_t i = 0; i < j->replaced.n; i++)
		j->args.words.at[j->replaced.at[i].word] = j->replaced.at[i].file.path;
	if (!run_ptxas(j->args.words.at, &j->said)) {
		tell("ptxas", "rejects the rewritten text; the original is used");
		return false;
	}
	child_end_by_broken_pipe();
	print_said(j, &j->said.out, stdout);
	print_said(j, &j->said.err, stderr);
	return true;
}

/* Transforms the inputs and runs ptxas. Returns the exit status. */
static int
run_job(Job *j)
{
	Buf why = { 0 };
	bool done = false;

	child_catch_signals();
	if (rewriter_open(&j->rewriter, &why)) {
		ptxccc_on_assemble(j->rewriter.lib, assemble, j);
		ptxccc_on_machine_code(j->rewriter.lib, machine_code);
		catch_crashes();
		done = run_rewritten(j);
	} else {
		fprintf(stderr, "ccc-ptxas: CCC_FLAGS: %s: nothing is transformed\n", why.at);
	}
	buf_free(&why);
	rewriter_close(&j->rewriter);
	for (uint32_t i = 0; i < j->replaced.n; i++)
		close(j->replaced.at[i].file.fd);
	vec_free(&j->replaced);
	child_release(&j->said);
	return done ? 0 : become_ptxas(j->argv);
}

/* Prints what ptxas prints for --version, with a line that changes whenever its results may. */
static int
print_version(char **argv)
{
	Rewriter r;
	Buf why = { 0 };
	int status = child_status(child_run(argv, NULL, NULL));

	(void)rewriter_open(&r, &why);
	printf("ccc-ptxas " VERSION COMMIT ", sum %016llx\n", (unsigned long long)rewriter_version(&r));
	rewriter_close(&r);
	buf_free(&why);
	return status;
}

static const char help[] =
	"\nThis is ccc-ptxas, which transforms its inputs and passes them to ptxas (see ccc-ptxas(1)). In the environment:\n"
	"  CCC_FLAGS     options of ptxccc, such as --choose=always --profile-use=FILE --report-to=FILE\n"
	"  CCC_PTXAS     the ptxas to run (default: the next one on PATH, else the CUDA toolkit's)\n"
	"  CCC_DISABLE   1: ptxas only\n"
	"  CCC_VERBOSE   1: a line on standard error for each input\n";

static int
run_command(Job *j)
{
	int status;

	if (rewriter_variable("CCC_DISABLE") || !ptxas_args_read(&j->args, j->argv))
		return child_become(j->argv);
	if (j->args.help) {
		status = child_status(child_run(j->argv, NULL, NULL));
		fputs(help, stdout);
	} else if (j->args.version) {
		status = print_version(j->argv);
	} else {
		status = j->args.debug || !j->args.inputs.n ? child_become(j->argv) : run_job(j);
	}
	ptxas_args_release(&j->args);
	return console_flush(stdout) ? status : 2;
}

/* A ptxas on PATH that is a script and calls this program must not do so for ever. */
static bool
runs_itself(void)
{
	const char *value = getenv("CCC_DEPTH");
	char depth[16];
	int n = value ? atoi(value) : 0;

	snprintf(depth, sizeof depth, "%d", n + 1);
	setenv("CCC_DEPTH", depth, 1);
	return n >= 4;
}

int
main(int argc, char **argv)
{
	Job j = { 0 };

	console_open();
	char *ptxas = argc ? ptxas_find(argv[0]) : NULL;
	if (!ptxas || runs_itself()) {
		fprintf(stderr, "ccc-ptxas: %s: install the CUDA toolkit, or set CCC_PTXAS to the path of its ptxas\n",
			ptxas ? "'ptxas' leads back to this program" : "cannot find 'ptxas'");
		return 127;
	}
	argv[0] = ptxas;
	original = j.argv = argv;
	verbose = rewriter_variable("CCC_VERBOSE");
	int status = run_command(&j);
	xfree(ptxas);
	return status;
}
