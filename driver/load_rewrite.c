/* SPDX-License-Identifier: MIT */
/* Rewrites one module. See load_rewrite.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/child.h"
#include "base/heap.h"
#include "base/source.h"
#include "base/vec.h"
#include "driver/load/status.h"
#include "driver/load_cache.h"
#include "driver/load_rewrite.h"
#include "driver/ptxas.h"
#include "driver/ptxas_find.h"
#include "driver/rewriter.h"
#include "driver/rt/fatbin.h"

/* ---- fat binaries ---------------------------------------------------------------------------- */

/* Finds the PTX for the GPU, and the machine code that the driver would load. Returns the
 * PTX's architecture; 0 if there is none, or if the machine code is for a later one, whose source
 * may differ. *compiled: whether there is such machine code. */
static unsigned
select_arch(const uint8_t *at, const uint8_t *end, unsigned arch, bool *compiled)
{
	unsigned ptx = 0, code = 0;
	Fatbin_entry e;

	while (fatbin_next(&at, end, &e)) {
		if (e.kind == FATBIN_PTX && e.arch <= arch && e.arch > ptx)
			ptx = e.arch;
		if (e.kind == FATBIN_ELF && e.arch / 10 == arch / 10 && e.arch <= arch &&
			e.arch > code)
			code = e.arch;
	}
	*compiled = code != 0;
	return ptx >= code ? ptx : 0;
}

/* Replaces a container by its PTX. Returns false if it is not to be used. */
static bool
extract_ptx(Source *src, unsigned arch, bool *compiled)
{
	const uint8_t *end, *at = fatbin_open((const uint8_t *)src->text, src->len, &end);
	unsigned ptx = at ? select_arch(at, end, arch, compiled) : 0;
	const char *why;
	Source text;

	if (!ptx || !fatbin_ptx(src->text, ptx, "module", &text, &why))
		return false;
	source_release(src);
	*src = text;
	return true;
}

/* ---- the transformation ---------------------------------------------------------------------- */

static uint32_t
count_kernels(const char *ptx)
{
	uint32_t n = 0;

	for (const char *s = ptx; (s = strstr(s, ".entry")) != NULL; s++)
		n += s[6] == ' ' || s[6] == '\t';
	return n;
}

static uint32_t
count_transformed(const ptxccc *lib)
{
	VEC(const char *) names = { 0 };
	const ptxccc_site *s;

	for (size_t i = 0; (s = ptxccc_site_at(lib, i)); i++) {
		bool known = !s->transformed;
		for (uint32_t k = 0; k < names.n && !known; k++)
			known = strcmp(names.at[k], s->function) == 0;
		if (!known)
			*vec_push(&names) = s->function;
	}
	uint32_t n = names.n;
	vec_free(&names);
	return n;
}

/* The kernels in which a text that this program wrote has registers of its own. */
static uint32_t
count_counting(const char *ptx)
{
	uint32_t n = 0;

	for (const char *s = strstr(ptx, ".entry"), *end; s; s = end) {
		const char *own = strstr(s, "%ccc");
		end = strstr(s + 1, ".entry");
		n += own && (!end || own < end);
	}
	return n;
}

/* Has the result checked by ptxas, if there is one that knows this PTX and the GPU. Otherwise
 * kernels are limited to the registers with which any block can be launched. */
static void
use_assembler(Rewriter *r, Ptxas *p, const Source *src)
{
	const char *flags = getenv("CCC_FLAGS"), *log;

	p->program = ptxas_find("");
	if (p->program && ptxas_assemble(p, src->text, src->len, &log) == 0)
		ptxccc_on_assemble(r->lib, ptxas_assemble, p);
	else if (!flags || !strstr(flags, "-max-regs="))
		(void)ptxccc_option(r->lib, "--max-regs=64");
	child_release(&p->said);
	p->said = (Caught){ 0 };
}

static void
tell_outcome(const char *name, const Rewritten *done, const Rewrite_status *s)
{
	if (!rewriter_variable("CCC_VERBOSE"))
		return;
	if (done->why.n)
		fprintf(stderr, "ptxccc-run: %s: not transformed: %s\n", name, done->why.at);
	else
		fprintf(stderr, "ptxccc-run: %s: %u of %u kernels %s\n", name, s->transformed,
			s->kernels, rewriter_variable("CCC_RUN_PROFILE") ? "count" : "transformed");
}

static void
transform(Rewriter *r, Source *src, unsigned arch, bool compiled, Buf *result)
{
	Rewrite_status status = { .magic = REWRITE_MAGIC, .kernels = count_kernels(src->text) };
	Rewritten done = { 0 };
	Ptxas ptxas = { .arch = arch };
	const char *text = NULL;
	size_t len;

	if (r->counts && strstr(src->text, "__ccc_profile")) {
		buf_puts(&done.why, "it has counters already");
	} else {
		if (compiled)
			ASSERT(ptxccc_option(r->lib, "--other-assembler") == PTXCCC_OK);
		use_assembler(r, &ptxas, src);
		text = rewriter_transform(r, src->name, src->text, src->len, &len, &done);
		rewriter_report(r);
	}
	if (text)
		status.transformed = r->counts ? count_counting(text) : count_transformed(r->lib);
	tell_outcome(src->name, &done, &status);
	buf_add(result, (const char *)&status, sizeof status);
	if (text)
		buf_add(result, text, len);
	buf_free(&done.why);
}

/* Returns the number by which results of different programs, options and GPUs are told apart. */
static uint64_t
sum_of_job(const Rewriter *r, const char *kind, unsigned arch)
{
	char *ptxas = ptxas_find("");
	Buf text = { 0 };

	buf_printf(&text, "%s %u %s", kind, arch, ptxas ? ptxas : "");
	uint64_t sum = cache_key(text.at, text.n, r->sum).half[0];
	buf_free(&text);
	xfree(ptxas);
	return sum;
}

int
load_rewrite(const char *kind, unsigned arch)
{
	Rewriter r;
	Buf why = { 0 }, result = { 0 };
	const char *unread;
	bool compiled = false;
	Source src;

	if (!source_read(&src, "-", &unread))
		return 2;
	if (!rewriter_open(&r, &why)) {
		fprintf(stderr, "ptxccc-run: CCC_FLAGS: %s: nothing is transformed\n", why.at);
		return 2;
	}
	if (rewriter_variable("CCC_RUN_PROFILE"))
		rewriter_count(&r);
	Cache_key key = cache_key(src.text, src.len, sum_of_job(&r, kind, arch));
	if (r.report_to || !cache_read(key, &result)) {
		if (strcmp(kind, "fatbin") == 0 && !extract_ptx(&src, arch, &compiled))
			return 2;
		child_catch_signals();
		transform(&r, &src, arch, compiled, &result);
		cache_write(key, &result);
	}
	bool ok = fwrite(result.at, 1, result.n, stdout) == result.n && fflush(stdout) == 0;
	rewriter_close(&r);
	source_release(&src);
	buf_free(&result);
	buf_free(&why);
	return ok ? 0 : 2;
}
