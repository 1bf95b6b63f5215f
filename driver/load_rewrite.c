/* SPDX-License-Identifier: MIT */
/* Rewrites one module. See load_rewrite.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "annotate/child.h"
#include "base/heap.h"
#include "base/source.h"
#include "base/vec.h"
#include "driver/cubin.h"
#include "driver/load/status.h"
#include "driver/load_cache.h"
#include "driver/load_code.h"
#include "driver/load_fatbin.h"
#include "driver/load_rewrite.h"
#include "driver/rewriter.h"

/* ---- the transformation ---------------------------------------------------------------------- */

typedef struct {
	Rewriter r;
	Fatbin_choice module;   /* of a module that is PTX: without machine code */
	Load_code code;
	bool loads_code;        /* machine code may be loaded */
	bool needs_code;        /* PTX may not */
	unsigned jit_arch;      /* the GPU's, if the driver compiles the module as it is; else 0 */
	Rewritten done;
	Rewrite_status status;
	Buf ptx, machine;       /* the results */
	Buf warnings;           /* about annotations: lines */
} Job;

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

static const char *
transform_once(Job *j, ptxccc_assemble *f, size_t *len)
{
	const Source *src = &j->module.ptx;

	rewritten_release(&j->done);
	ptxccc_on_assemble(j->r.lib, f, &j->code);
	return rewriter_transform(&j->r, src->name, src->text, src->len, len, &j->done);
}

/* Has the result checked by ptxas, if there is one that knows this PTX and the GPU. Otherwise
 * kernels are limited to the registers with which any block can be launched. */
static const char *
transform_checked(Job *j, size_t *len)
{
	const char *flags = getenv("CCC_FLAGS"), *text = NULL;

	bool assembled = j->code.ptxas.program || j->code.by_driver;
	if (assembled)
		text = transform_once(j, load_code_assemble, len);
	if (assembled && j->code.state != ORIGINAL_REJECTED)
		return text;
	if (!flags || !strstr(flags, "-max-regs="))
		(void)ptxccc_option(j->r.lib, "--max-regs=64");
	return transform_once(j, NULL, len);
}

/* Whether a loop is left since the assembler may round differently. */
static bool
is_left_for_rounding(const ptxccc *lib)
{
	const ptxccc_site *s;

	for (size_t i = 0; (s = ptxccc_site_at(lib, i)); i++)
		if (s->kind && strcmp(s->kind, "ccc-rounding") == 0)
			return true;
	return false;
}

/* The driver makes the original's code and that of the result: its code shows how it rounds. */
static const char *
transform_by_driver(Job *j, size_t *len)
{
	ptxccc_on_machine_code(j->r.lib, load_code_machine_code);
	const char *text = transform_checked(j, len);
	if (text && !load_code_launches(&j->code, text, *len)) {
		buf_puts(&j->done.why, "kernels need more registers than before");
		return NULL;
	}
	return text;
}

/* The result may round differently than the original if different assemblers make their code.
 * docs/proofs/contraction.md, "Modules that are loaded", has the argument. */
static const char *
transform_by_rounding(Job *j, size_t *len)
{
	bool replaces = j->module.code.n != 0;
	const char *text;

	if (j->loads_code) /* the last text that is assembled is the result */
		ASSERT(ptxccc_option(j->r.lib, "--assemble-whole") == PTXCCC_OK);
	if (replaces || j->loads_code)
		ASSERT(ptxccc_option(j->r.lib, "--other-assembler") == PTXCCC_OK);
	text = transform_checked(j, len);
	if (j->done.rounding && replaces) {
		if (!j->loads_code || !load_code_is(&j->code, &j->module.code))
			return NULL;
		ptxccc_on_machine_code(j->r.lib, load_code_machine_code);
		j->needs_code = true; /* this ptxas makes both */
	}
	if (j->done.rounding) {
		j->loads_code = j->needs_code; /* else the driver makes both */
		ASSERT(ptxccc_option(j->r.lib, "--no-other-assembler") == PTXCCC_OK);
		text = transform_checked(j, len);
	}
	if (replaces || j->r.counts || !j->jit_arch || !is_left_for_rounding(j->r.lib) ||
		!load_code_by_driver(&j->code, j->jit_arch))
		return text;
	return transform_by_driver(j, len);
}

static void
tell_outcome(const Job *j, bool cached)
{
	const Rewrite_status *s = &j->status;

	if (j->warnings.n)
		fwrite(j->warnings.at, 1, j->warnings.n, stderr);
	if (!rewriter_variable("CCC_VERBOSE") || !s->magic)
		return;
	if (j->done.why.n)
		fprintf(stderr, "ptxccc-run: module: not transformed: %s\n", j->done.why.at);
	else
		fprintf(stderr, "ptxccc-run: module: %u of %u kernels %s%s%s\n", s->transformed,
			s->kernels, rewriter_variable("CCC_RUN_PROFILE") ? "count" : "transformed",
			s->code_bytes ? ", loaded as machine code" : "",
			cached ? " (from the cache)" : "");
}

static void
transform(Job *j)
{
	const Source *src = &j->module.ptx;
	const char *text = NULL;
	size_t len = 0;

	j->status.magic = REWRITE_MAGIC;
	j->status.kernels = count_kernels(src->text);
	if (j->r.counts && strstr(src->text, "__ccc_profile"))
		buf_puts(&j->done.why, "it has counters already");
	else if (j->needs_code && !j->loads_code)
		buf_puts(&j->done.why, "its machine code has a register limit, which PTX has not");
	else
		text = transform_by_rounding(j, &len);
	rewriter_report(&j->r);
	if (text && j->loads_code)
		load_code_make(&j->code, text, len, &j->machine);
	const Buf *now = &j->machine, *before = &j->module.code;
	if (now->n && before->n &&
		!cubin_launches_as(
			now->at, now->n, before->at, before->n, j->module.code_arch)) {
		buf_puts(&j->done.why, "kernels need more registers than its machine code");
		j->machine.n = 0;
		text = NULL;
	}
	if (j->needs_code && !j->machine.n)
		text = NULL;
	if (text)
		j->status.transformed =
			j->r.counts ? count_counting(text) : count_transformed(j->r.lib);
	if (text && !j->needs_code)
		buf_add(&j->ptx, text, len);
	j->status.ptx_bytes = (uint32_t)j->ptx.n;
	j->status.code_bytes = (uint32_t)j->machine.n;
	if (j->done.warnings.n && !j->r.counts)
		buf_add(&j->warnings, j->done.warnings.at, j->done.warnings.n);
	j->status.warning_bytes = (uint32_t)j->warnings.n;
}

/* ---- the cache ------------------------------------------------------------------------------- */

/* Appends what tells versions of a program apart. */
static void
add_version(Buf *to, const char *program)
{
	struct stat st;

	if (program && stat(program, &st) == 0)
		buf_printf(to, " %s %lld %lld.%09ld", program, (long long)st.st_size,
			(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static Cache_key
key_of_job(const Job *j, const Load_request *wanted, const Source *image)
{
	Buf text = { 0 };

	buf_printf(&text, "%s %u %u " VERSION, wanted->kind, wanted->arch, wanted->driver);
	add_version(&text, wanted->library);
	add_version(&text, "/proc/self/exe");
	add_version(&text, rewriter_library());
	add_version(&text, j->code.ptxas.program);
	uint64_t sum = cache_key(text.at, text.n, j->r.sum).half[0];
	buf_free(&text);
	return cache_key(image->text, image->len, sum);
}

static bool
read_cached(Job *j, Cache_key key)
{
	Buf entry = { 0 };
	bool ok = cache_read(key, &entry) && entry.n >= sizeof j->status;

	if (ok) {
		memcpy(&j->status, entry.at, sizeof j->status);
		const char *at = entry.at + sizeof j->status;
		ok = entry.n - sizeof j->status ==
			(size_t)j->status.ptx_bytes + j->status.code_bytes +
				j->status.warning_bytes;
		if (ok) {
			buf_add(&j->ptx, at, j->status.ptx_bytes);
			buf_add(&j->machine, at + j->status.ptx_bytes, j->status.code_bytes);
			buf_add(&j->warnings,
				at + j->status.ptx_bytes + j->status.code_bytes,
				j->status.warning_bytes);
		}
	}
	buf_free(&entry);
	return ok;
}

/* ---- a module -------------------------------------------------------------------------------- */

/* Selects the PTX of the image. Returns false if the image is to be loaded as it is. */
static bool
select_module(Job *j, const Load_request *wanted, const Source *image)
{
	if (strcmp(wanted->kind, "fatbin") != 0) {
		source_from(&j->module.ptx, LOADED_PTX, image->text, image->len);
		return true;
	}
	if (!fatbin_choose(image, wanted->arch, &j->module))
		return false;
	if (j->module.code.n)
		j->needs_code = load_code_replaces(
			&j->code, &j->module.code, j->module.code_arch);
	return !j->module.other_source ||
		(j->code.ptxas.program &&
			load_code_is(&j->code, &j->module.code));
}

static void
release(Job *j)
{
	rewriter_close(&j->r);
	load_code_close(&j->code);
	fatbin_choice_release(&j->module);
	rewritten_release(&j->done);
	buf_free(&j->ptx);
	buf_free(&j->machine);
	buf_free(&j->warnings);
}

static void
collect_result(const Job *j, Buf *to)
{
	buf_add(to, (const char *)&j->status, sizeof j->status);
	if (j->ptx.n)
		buf_add(to, j->ptx.at, j->ptx.n);
	if (j->machine.n)
		buf_add(to, j->machine.at, j->machine.n);
	if (j->warnings.n)
		buf_add(to, j->warnings.at, j->warnings.n);
}

static bool
write_result(const Buf *result)
{
	return fwrite(result->at, 1, result->n, stdout) == result->n && fflush(stdout) == 0;
}

int
load_rewrite(const Load_request *wanted)
{
	Job j = { .loads_code = false };
	Buf why = { 0 }, result = { 0 };
	const char *unread;
	Source image;

	if (!source_read(&image, "-", &unread))
		return 2;
	if (!rewriter_open(&j.r, &why)) {
		fprintf(stderr, "ptxccc-run: CCC_FLAGS: %s: nothing is transformed\n", why.at);
		return 2;
	}
	if (rewriter_variable("CCC_RUN_PROFILE"))
		rewriter_count(&j.r);
	else if (rewriter_variable("CCC_RUN_TIMED"))
		rewriter_time(&j.r);
	load_code_open(&j.code, &j.module.ptx, wanted->arch, wanted->driver);
	j.loads_code = j.code.ptxas.program && wanted->arch && wanted->driver;
	j.jit_arch = wanted->driver ? wanted->arch : 0;
	Cache_key key = key_of_job(&j, wanted, &image);
	bool cached = !j.r.report_to && read_cached(&j, key);
	if (!cached) {
		child_catch_signals();
		if (select_module(&j, wanted, &image))
			transform(&j);
	}
	collect_result(&j, &result);
	if (!cached)
		cache_write(key, &result);
	tell_outcome(&j, cached);
	bool ok = write_result(&result);
	release(&j);
	source_release(&image);
	buf_free(&result);
	buf_free(&why);
	return ok ? 0 : 2;
}
