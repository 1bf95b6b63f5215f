/* SPDX-License-Identifier: MIT */
/* Selects what a GPU executes of a fat binary. See load_fatbin.h. */
#include <string.h>
#include "base/heap.h"
#include "driver/load_fatbin.h"
#include "driver/rt/fatbin.h"

/* Entries of one kind for the best architecture so far. */
typedef struct { Fatbin_entry best; unsigned n; } Candidates;

/* sm_90a and the like, which have the number of sm_90 */
static uint64_t
variant(const Fatbin_entry *e)
{
	return e->flags & 0x700000;
}

static void
add_candidate(Candidates *c, const Fatbin_entry *e)
{
	if (c->n && e->arch < c->best.arch)
		return;
	c->n = c->n && e->arch == c->best.arch ? c->n + 1 : 1;
	c->best = *e;
}

/* Collects the best machine code that the GPU can execute. */
static Candidates
find_code(const uint8_t *at, const uint8_t *end, unsigned arch)
{
	Candidates found = { .n = 0 };
	Fatbin_entry e;

	while (fatbin_next(&at, end, &e))
		if (e.kind == FATBIN_ELF && e.arch / 10 == arch / 10 && e.arch <= arch)
			add_candidate(&found, &e);
	return found;
}

/* Collects the PTX from which the machine code was made; if there is none, the best other one. */
static Candidates
find_ptx(const uint8_t *at, const uint8_t *end, unsigned arch, const Candidates *code)
{
	Candidates same = { .n = 0 }, other = { .n = 0 };
	Fatbin_entry e;

	while (fatbin_next(&at, end, &e)) {
		if (e.kind != FATBIN_PTX || e.arch > arch)
			continue;
		bool matches = code->n && e.arch == code->best.arch &&
			variant(&e) == variant(&code->best);
		add_candidate(matches ? &same : &other, &e);
	}
	return same.n ? same : other;
}

bool
fatbin_choose(const Source *container, unsigned arch, Fatbin_choice *to)
{
	const uint8_t *end, *first = (const uint8_t *)container->text;
	const uint8_t *at = fatbin_open(first, container->len, &end);
	const char *why;

	*to = (Fatbin_choice){ .code_arch = 0 };
	if (!at)
		return false;
	Candidates code = find_code(at, end, arch), ptx = find_ptx(at, end, arch, &code);
	char *text = ptx.n == 1 && code.n <= 1 ? fatbin_contents(&ptx.best, &why) : NULL;
	char *machine = text && code.n ? fatbin_contents(&code.best, &why) : NULL;
	if (machine)
		buf_add(&to->code, machine, (size_t)code.best.plain);
	if (text) {
		source_from(&to->ptx, LOADED_PTX, text, strnlen(text, (size_t)ptx.best.plain));
		to->code_arch = code.best.arch;
		to->other_source = code.n && (ptx.best.arch != code.best.arch ||
			variant(&ptx.best) != variant(&code.best));
	}
	xfree(machine);
	xfree(text);
	return text && (machine || !code.n);
}

void
fatbin_choice_release(Fatbin_choice *c)
{
	source_release(&c->ptx);
	buf_free(&c->code);
}
