/* SPDX-License-Identifier: MIT */
/* through [OPTION ...] FILE.ptx: what ptxccc does with the same arguments, by way of libptxccc: the
 * result on standard output, --report and diagnostics on standard error. FILE.cu:
 * ptxccc_annotate. */
#include <ptxccc/ptxccc.h>
#include <stdio.h>
#include <string.h>
#include "tests/lib/slurp.h"

static char said[1 << 20];

static void
note(void *user, const ptxccc_diagnostic *d)
{
	(void)user;
	strncat(said, d->printed, sizeof said - strlen(said) - 1);
}

static const char *
source(void *user, const char *file, size_t *len)
{
	char **text = user;
	FILE *there = fopen(file, "r"); /* slurp complains */

	free(*text);
	*text = NULL;
	if (there) {
		fclose(there);
		*text = slurp(file, len);
	}
	return *text;
}

static int
process_file(ptxccc *c, const char *file, const char *report)
{
	size_t len, n = strlen(file);
	char *text = slurp(file, &len);

	if (!text)
		return 2;
	char *cuda = NULL;
	ptxccc_on_diagnostic(c, note, NULL);
	ptxccc_on_source(c, source, &cuda);
	ptxccc_status status =
		(n > 3 && !strcmp(file + n - 3, ".cu") ? ptxccc_annotate : ptxccc_transform)(
			c, file, text, len);
	free(text);
	free(cuda);
	if (report)
		fputs(ptxccc_report(
			      c, !strcmp(report, "--report=json") ? PTXCCC_JSON : PTXCCC_TEXT),
			stderr);
	if (status == PTXCCC_OK) {
		const char *out = ptxccc_text(c, &len);
		fwrite(out, 1, len, stdout);
	}
	fputs(said, stderr);
	return (int)status;
}

static int
give_plain(ptxccc *c, const char *file)
{
	size_t len;
	char *text = slurp(file, &len);
	int status = text ? (int)ptxccc_plain(c, file, text, len) : 2;

	free(text);
	return status;
}

int
main(int argc, char **argv)
{
	ptxccc *c = ptxccc_new(NULL, NULL);
	const char *report = NULL, *file = NULL;
	int status = c ? 0 : 2;

	for (int i = 1; i < argc && !status; i++) {
		if (!strncmp(argv[i], "--report", 8))
			report = argv[i];
		else if (!strncmp(argv[i], "--plain=", 8))
			status = give_plain(c, argv[i] + 8);
		else if (*argv[i] != '-')
			file = argv[i];
		else
			status = (int)ptxccc_option(c, argv[i]);
	}
	if (status == 0)
		status = file ? process_file(c, file, report) : 2;
	else if (c)
		fprintf(stderr, "ptxccc: %s\nTry 'ptxccc --help'.\n", ptxccc_message(c));
	ptxccc_free(c);
	return status;
}
