/* SPDX-License-Identifier: MIT */
/* Parses register use and computes launch limits. See ptxas_registers.h. */
#include <stdlib.h>
#include <string.h>
#include "transform/output/ptxas_registers.h"

/* registers are allocated in units of 8 per thread */
enum { FILE_SIZE = 65536, UNIT = 8, MOST = 255, WARP = 32, MAX_WARPS = 32 };

/* Returns the text after `word` in the line; NULL if it does not occur. */
static const char *
text_after(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (memcmp(line + i, word, n) == 0)
			return line + i + n;
	return NULL;
}

/* Returns the kernel whose name begins at s and ends at a quote or the end of the line; 0 if
 * none. */
static uint32_t
kernel_by_name(const Module *m, const char *s)
{
	uint32_t name = intern_find(m->names, s, strcspn(s, "'\n"));

	for (uint32_t i = 1; name && i < m->nfuncs; i++)
		if (m->funcs[i].entry && m->syms[m->funcs[i].sym].name == name)
			return i;
	return 0;
}

/* Returns the number before `word` in the line; 0 if it does not occur. */
static uint32_t
number_before(const char *line, size_t len, const char *word)
{
	const char *s = text_after(line, len, word);

	if (!s)
		return 0;
	for (s -= strlen(word); s > line && s[-1] >= '0' && s[-1] <= '9'; s--)
		;
	return (uint32_t)strtoul(s, NULL, 10);
}

void
kernel_registers_parse(const Module *m, const char *log, Kernel_registers *of)
{
	uint32_t kernel = 0;
	/* the previous line began the properties of the kernel itself, not of a called function */
	bool own = false;

	memset(of, 0, m->nfuncs * sizeof *of);
	for (size_t len; *log; log += len + (log[len] == '\n')) {
		len = strcspn(log, "\n");
		const char *s;
		if ((s = text_after(log, len, "Compiling entry function '")))
			kernel = kernel_by_name(m, s);
		else if ((s = text_after(log, len, "bytes stack frame, ")) && own)
			of[kernel].spilled = (uint32_t)strtoul(s, NULL, 10);
		else if ((s = text_after(log, len, " Used ")) && kernel) {
			of[kernel].used = (uint32_t)strtoul(s, NULL, 10);
			of[kernel].shared = number_before(log, len, " bytes smem");
		}
		s = text_after(log, len, "Function properties for ");
		own = s && kernel && kernel_by_name(m, s) == kernel;
	}
}

uint32_t
registers_max_warps(uint32_t used)
{
	uint32_t taken = (used + UNIT - 1) / UNIT * UNIT * WARP,
		 warps = taken ? FILE_SIZE / taken : MAX_WARPS;

	return warps < MAX_WARPS ? warps : MAX_WARPS;
}

uint32_t
registers_max_per_thread(uint32_t warps)
{
	uint32_t n = FILE_SIZE / (warps * WARP) / UNIT * UNIT;

	return n < MOST ? n : MOST;
}
