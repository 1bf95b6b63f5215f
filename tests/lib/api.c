/* SPDX-License-Identifier: MIT */
/* What ptxccc.h promises beyond the result: options, diagnostics, sites, wrong arguments, one
 * context used from the callback of another. Also compiled as C++. */
#include <ptxccc/ptxccc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;
#define CHECK(name, x) ((x) ? (void)passed++ : (void)(failed++, printf("FAIL lib %s\n", name)))

static const char plain[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char wrong[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { bra away; }\n";
/* #pragma ccc for over a loop with a path that a call through a pointer ends. */
static const char loop[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 p, .param .u32 n) {\n"
	"\t.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
	"\tld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
	"\t// begin inline asm\n\t// .ccc begin for 0 \"k.cu\":3\n\t// end inline asm\n"
	"LOOP:\n"
	"\tsetp.ge.u32 %p1, %r2, %r1;\n\t@%p1 bra END;\n"
	"\tmul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
	"\tld.global.u32 %r3, [%rd3];\n\tsetp.eq.u32 %p2, %r3, 0;\n\t@%p2 bra NEXT;\n"
	"\t// begin inline asm\n\t// .ccc begin if 1 \"k.cu\":5\n\t// end inline asm\n"
	"\trem.u32 %r4, %r3, 7; st.global.u32 [%rd3], %r4;\n"
	"\t// begin inline asm\n\t// .ccc end if 1\n\t// end inline asm\n"
	"NEXT:\n\tadd.u32 %r2, %r2, 32;\n\tbra LOOP;\n"
	"END:\n"
	"\t// begin inline asm\n\t// .ccc end for 0\n\t// end inline asm\n"
	"\tret;\n}\n";

typedef struct {
	ptxccc_diagnostic last;
	char text[300], printed[2000];
	int n;
	ptxccc *other;
	ptxccc_status status;
} Seen;

static void
see_diagnostic(void *user, const ptxccc_diagnostic *d)
{
	Seen *s = (Seen *)user;

	s->last = *d;
	snprintf(s->text, sizeof s->text, "%s", d->text);
	snprintf(s->printed, sizeof s->printed, "%s", d->printed);
	s->n++;
	if (s->other)
		s->status = ptxccc_transform(s->other, "inner", plain, strlen(plain));
}

static void
options(ptxccc *c)
{
	static const char *const good[] = { "--policy=stack", "--policy=auto", "--threads=1",
		"--threads=1024", "-Wno-ccc-spin", "-Werror", "--auto" };
	static const char *const bad[] = { "", "-", "--polic=stack", "--policy",
		"--policy=", "--policy=x", "--threads=0", "--threads=1025", "--threads=+1",
		"--threads= 1", "--threads=1x", "--threads", "--strictly", "--auto=1", "-W", "-Wx", "-o",
		"k.ptx" };

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECK(good[i], ptxccc_option(c, good[i]) == PTXCCC_OK && !*ptxccc_message(c));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(bad[i], ptxccc_option(c, bad[i]) == PTXCCC_USAGE && *ptxccc_message(c));
}

static void
diagnostics(ptxccc *c)
{
	Seen s;
	size_t len = 1;

	memset(&s, 0, sizeof s);
	ptxccc_on_diagnostic(c, see_diagnostic, &s);
	CHECK("an error",
		ptxccc_transform(c, "w.ptx", wrong, strlen(wrong)) == PTXCCC_ERROR &&
			!strcmp(ptxccc_message(c), "1 error"));
	CHECK("no text", !ptxccc_text(c, &len) && len == 0 && !ptxccc_site_at(c, 0));
	CHECK("its place",
		s.n == 1 && s.last.severity == PTXCCC_SEVERE && !s.last.file &&
			s.last.ptx_line == 4 && s.last.ptx_column == 27);
	CHECK("its words",
		!strncmp(s.printed, "w.ptx:4:27: error: ", 19) && strstr(s.printed, s.text) &&
			strstr(s.printed, "^\n"));
	s.other = ptxccc_new(NULL, NULL);
	CHECK("a context in the callback of another",
		ptxccc_transform(c, "w.ptx", wrong, strlen(wrong)) == PTXCCC_ERROR && s.n == 2 &&
			s.status == PTXCCC_OK && !strcmp(ptxccc_text(s.other, NULL), plain) &&
			!ptxccc_text(c, NULL));
	ptxccc_free(s.other);
	ptxccc_on_diagnostic(c, NULL, NULL);
	CHECK("no callback", ptxccc_transform(c, "w.ptx", wrong, strlen(wrong)) == PTXCCC_ERROR);
}

static void
transformed(ptxccc *c)
{
	size_t len;

	CHECK("nothing to do",
		ptxccc_transform(c, "p.ptx", plain, sizeof plain) == PTXCCC_OK &&
			!ptxccc_site_at(c, 0));
	CHECK("a loop",
		ptxccc_transform(c, "l.ptx", loop, strlen(loop)) == PTXCCC_OK &&
			strlen(ptxccc_text(c, &len)) == len &&
			strstr(ptxccc_text(c, NULL), "vote.sync"));
	const ptxccc_site *s = ptxccc_site_at(c, 0);
	CHECK("its site",
		s && s->transformed && !s->reason && !s->kind && !strcmp(s->function, "k") &&
			!strcmp(s->loop_file, "k.cu") && s->loop_line == 3 &&
			!strcmp(s->path_file, "k.cu") && s->path_line == 5 &&
			!strcmp(s->policy, "stack") && s->shared_bytes && s->max_threads == 1024);
	CHECK("its context",
		s && s->ncontext >= 1 && *s->context[0].reg == '%' &&
			s->task_bytes >= s->context[0].bytes && !ptxccc_site_at(c, 1));
	const ptxccc_annotation *a = ptxccc_annotation_at(c, 0), *b = ptxccc_annotation_at(c, 1);
	CHECK("its annotations",
		a && b && !ptxccc_annotation_at(c, 2) && a->number == s->number && a->line == 3 &&
			!strcmp(a->file, "k.cu") && a->copies == 1 && a->followed == 1 &&
			b->line == 5 && b->number != a->number && b->followed == 1);
	CHECK("its report",
		strstr(ptxccc_report(c, PTXCCC_TEXT), "1 of 1 annotated loops transformed") &&
			strstr(ptxccc_report(c, PTXCCC_JSON), "\"transformed\": true"));
	CHECK("threads",
		ptxccc_option(c, "--threads=64") == PTXCCC_OK &&
			ptxccc_transform(c, "l.ptx", loop, strlen(loop)) == PTXCCC_OK &&
			ptxccc_site_at(c, 0)->max_threads == 64);
}

static void
strict(void)
{
	ptxccc *c = ptxccc_new(NULL, NULL);
	Seen s;
	char text[sizeof loop];
	char *at = strstr(strcpy(text, loop), "rem.u32 %r4, %r3, 7;");

	memset(&s, 0, sizeof s);
	memcpy(at, "bar.sync 0;         ", 20);
	ptxccc_on_diagnostic(c, see_diagnostic, &s);
	CHECK("left unchanged",
		ptxccc_transform(c, "b.ptx", text, strlen(text)) == PTXCCC_OK &&
			!strcmp(ptxccc_text(c, NULL), text) && s.n == 1 &&
			s.last.severity == PTXCCC_WARNING && !strcmp(s.last.name, "ccc-barrier") &&
			s.last.line);
	const ptxccc_annotation *a = ptxccc_annotation_at(c, 0), *b = ptxccc_annotation_at(c, 1);
	CHECK("none followed",
		a && a->copies == 1 && !a->followed && b && b->copies == 1 && !b->followed &&
			!ptxccc_annotation_at(c, 2));
	const ptxccc_site *site = ptxccc_site_at(c, 0);
	CHECK("why",
		site && !site->transformed && site->reason && *site->reason &&
			!strcmp(site->kind, "ccc-barrier") && !site->context);
	CHECK("strict",
		ptxccc_option(c, "--strict") == PTXCCC_OK &&
			ptxccc_transform(c, "b.ptx", text, strlen(text)) == PTXCCC_ERROR &&
			!ptxccc_text(c, NULL) && ptxccc_site_at(c, 0));
	CHECK("a warning off",
		ptxccc_option(c, "-Wno-ccc-barrier") == PTXCCC_OK &&
			ptxccc_transform(c, "b.ptx", text, strlen(text)) == PTXCCC_OK);
	ptxccc_free(c);
}

/* The loop above without markers, with a path that is worth planning. */
static void
automatic(void)
{
	static const char bare[] =
		".version 7.0\n.target sm_70\n.address_size 64\n"
		".visible .entry k(.param .u64 p, .param .u32 n) {\n"
		"\t.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
		"\tld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
		"LOOP:\n"
		"\tmul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
		"\tld.global.u32 %r3, [%rd3];\n\tsetp.eq.u32 %p2, %r3, 0;\n\t@%p2 bra NEXT;\n"
		"\trem.u32 %r4, %r3, 7; rem.u32 %r5, %r3, 13; add.u32 %r4, %r4, %r5;\n"
		"\tst.global.u32 [%rd3], %r4;\n"
		"NEXT:\n\tadd.u32 %r2, %r2, 32;\n"
		"\tsetp.lt.u32 %p1, %r2, %r1;\n\t@%p1 bra LOOP;\n"
		"\tret;\n}\n";
	ptxccc *c = ptxccc_new(NULL, NULL);

	CHECK("without --auto",
		ptxccc_option(c, "--choose=always") == PTXCCC_OK &&
			ptxccc_transform(c, "b.ptx", bare, strlen(bare)) == PTXCCC_OK &&
			!strcmp(ptxccc_text(c, NULL), bare) && !ptxccc_site_at(c, 0));
	CHECK("--auto",
		ptxccc_option(c, "--auto") == PTXCCC_OK &&
			ptxccc_transform(c, "b.ptx", bare, strlen(bare)) == PTXCCC_OK &&
			strcmp(ptxccc_text(c, NULL), bare) != 0);
	const ptxccc_site *s = ptxccc_site_at(c, 0);
	CHECK("its site",
		s && s->transformed && !strcmp(s->function, "k") &&
			!strcmp(s->loop_file, "b.ptx") && s->loop_line == 11);
	CHECK("--auto without a gain",
		ptxccc_option(c, "--choose=best") == PTXCCC_OK &&
			ptxccc_transform(c, "b.ptx", bare, strlen(bare)) == PTXCCC_OK &&
			!strcmp(ptxccc_text(c, NULL), bare));
	ptxccc_free(c);
}

int
main(void)
{
	ptxccc *c = ptxccc_new(NULL, NULL);

	CHECK("new",
		c && !ptxccc_text(c, NULL) && !*ptxccc_message(c) && !ptxccc_site_at(c, 0) &&
			!*ptxccc_report(c, PTXCCC_TEXT));
	CHECK("version", *ptxccc_version());
	options(c);
	ptxccc_free(c);
	ptxccc_free(NULL);
	c = ptxccc_new(NULL, NULL);
	CHECK("plans, whatever they gain", ptxccc_option(c, "--choose=first") == PTXCCC_OK);
	diagnostics(c);
	transformed(c);
#if SIZE_MAX > 0xffffffff
	CHECK("too long",
		ptxccc_transform(c, "x", plain, (size_t)0xffffffff) == PTXCCC_USAGE &&
			!ptxccc_text(c, NULL));
#endif
	CHECK("nothing", ptxccc_transform(c, "x", "", 0) == PTXCCC_ERROR);
	ptxccc_free(c);
	strict();
	automatic();
	printf("lib api: %d passed, %d failed\n", passed, failed);
	return failed != 0;
}
