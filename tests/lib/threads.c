/* SPDX-License-Identifier: MIT */
/* threads FILE ...: eight threads work on all files at once, each with separate contexts and from
 * another file on; every result must be what one thread alone gets. Built with ThreadSanitizer,
 * which ends the program at the first race. */
#include <ptxccc/ptxccc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "tests/lib/slurp.h"

enum { THREADS = 8, MAX_FILES = 1000 };

typedef struct { const char *name; char *text, *result; size_t len; unsigned said; int cuda; } File;

static File files[MAX_FILES];
static int nfiles;

static void
count_diagnostic(void *user, const ptxccc_diagnostic *d)
{
	*(unsigned *)user += (unsigned)strlen(d->printed);
}

/* What comes out: the text, or the message; and how much was said. */
static char *
process_file(ptxccc *c, const File *f, unsigned *said)
{
	*said = 0;
	ptxccc_on_diagnostic(c, count_diagnostic, said);
	ptxccc_status s =
		(f->cuda ? ptxccc_annotate : ptxccc_transform)(c, f->name, f->text, f->len);
	const char *from = s == PTXCCC_OK ? ptxccc_text(c, NULL) : ptxccc_message(c);
	char *copy = malloc(strlen(from) + 1);
	return copy ? strcpy(copy, from) : NULL;
}

static void *
run_thread(void *arg)
{
	int *first = arg;
	bool wrong = false;
	ptxccc *c = ptxccc_new(NULL, NULL);

	for (int k = 0; k < nfiles && c; k++) {
		const File *f = &files[(*first + k) % nfiles];
		unsigned said;
		char *result = process_file(c, f, &said);
		if (!result || strcmp(result, f->result) != 0 || said != f->said) {
			fprintf(stderr, "FAIL threads: %s: another text, or other messages\n", f->name);
			wrong = true;
		}
		free(result);
	}
	wrong |= !c;
	ptxccc_free(c);
	return wrong ? arg : NULL;
}

int
main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int first[THREADS], failed = 0;
	int ptx = 0; /* all begin with PTX: a context numbers the guards of CUDA texts in order */
	ptxccc *c = ptxccc_new(NULL, NULL);

	for (int i = 1; i < argc && nfiles < MAX_FILES; i++) {
		File *f = &files[nfiles++];
		size_t n = strlen(argv[i]);
		*f = (File){ .name = argv[i], .cuda = n > 3 && !strcmp(argv[i] + n - 3, ".cu") };
		f->text = slurp(f->name, &f->len);
		f->result = f->text && c ? process_file(c, f, &f->said) : NULL;
		if (!f->result)
			return 2;
		ptx += !f->cuda;
	}
	ptxccc_free(c);
	for (int i = 0; i < THREADS; i++) {
		first[i] = i * ptx / THREADS;
		if (pthread_create(&thread[i], NULL, run_thread, &first[i]) != 0)
			return 2;
	}
	for (int i = 0; i < THREADS; i++) {
		void *wrong;
		pthread_join(thread[i], &wrong);
		failed += wrong != NULL;
	}
	for (int i = 0; i < nfiles; i++) {
		free(files[i].text);
		free(files[i].result);
	}
	printf("lib threads, %d files: %d passed, %d failed\n", nfiles, THREADS - failed, failed);
	return failed != 0;
}
