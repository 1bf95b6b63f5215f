/* SPDX-License-Identifier: MIT */
/* Units as LLVM's optimization remarks in YAML (llvm.org/docs/Remarks.html), which opt-viewer and
 * llvm-remarkutil read. See unit.h.
 *
 *	--- !Missed
 *	Pass:            ccc
 *	Name:            ccc-live-out
 *	DebugLoc:        { File: 'bfs.cu', Line: 14, Column: 1 }
 *	Function:        _Z3bfsPi
 *	Args:
 *	  - String:          'left as it was: '
 *	  ...
 *
 * A transformed site is Passed, any other is Missed; registers and occupancy are an Analysis.
 */
#include "report/unit.h"

static void
quoted(Buf *out, const char *s)
{
	buf_putc(out, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_puts(out, "''");
		else
			buf_putc(out, *s == '\n' ? ' ' : *s);
	buf_putc(out, '\'');
}

static void
argument(Buf *out, const char *key, const char *value)
{
	buf_printf(out, "  - %s:%*s", key, (int)(16 - 4), "");
	quoted(out, value);
	buf_putc(out, '\n');
}

static void
number(Buf *out, const char *front, const char *key, uint32_t n)
{
	argument(out, "String", front);
	buf_printf(out, "  - %s: '%u'\n", key, n);
}

static void
location(Buf *out, Cuda_pos at)
{
	if (!at.file)
		return;
	buf_puts(out, "{ File: ");
	quoted(out, at.file);
	buf_printf(out, ", Line: %u, Column: %u }\n", at.line, at.col ? at.col : 1);
}

static void
head(Buf *out, const char *type, const char *name, const Unit_site *s)
{
	buf_printf(out, "--- !%s\nPass:            ccc\nName:            %s\n", type, name);
	if (site_place(s).file) {
		buf_puts(out, "DebugLoc:        ");
		location(out, site_place(s));
	}
	buf_puts(out, "Function:        ");
	quoted(out, s->function);
	buf_puts(out, "\nArgs:\n");
}

/* Writes the expected speed in percent of the original's. */
static void
expected(const Unit_site *s, Buf *out)
{
	if (!s->expected)
		return;
	number(out, ", expected speed: ", "ExpectedPercent", s->expected);
	number(out, " percent, issue slots an iteration: ", "Slots", s->slots);
	number(out, " instead of ", "SlotsBefore", s->slots_before);
}

static void
passed(const Unit_site *s, Buf *out)
{
	head(out, "Passed", s->branch ? "Melded" : s->remap ? "Remapped" : "Transformed", s);
	if (s->branch) {
		number(out, "arms melded: ", "Slots", s->slots);
		number(out, " issue slots instead of ", "SlotsBefore", s->slots_before);
		return;
	}
	argument(out, "String", "transformed, policy ");
	argument(out, "Policy", s->policy);
	if (s->shared) {
		number(out, ", ", "ContextBytes", s->context_bytes);
		number(out, " bytes a task, ", "SharedBytes", s->shared);
		argument(out, "String", " bytes of shared memory a block");
	}
	expected(s, out);
}

static void
missed(const Unit_site *s, Buf *out)
{
	head(out, "Missed", s->kind ? s->kind : "Left", s);
	argument(out, "String", "left unchanged: ");
	argument(out, "Reason", s->reason);
	for (uint32_t i = 0; i < s->notes.n; i++) {
		argument(out, "String", "; ");
		argument(out, "Note", s->notes.at[i].text);
		if (s->notes.at[i].at.file) {
			buf_puts(out, "    DebugLoc:        ");
			location(out, s->notes.at[i].at);
		}
	}
	expected(s, out);
	if (s->remedy) {
		argument(out, "String", ": ");
		argument(out, "Remedy", s->remedy);
	}
}

static void
analysis(const Unit_site *s, const Unit *u, Buf *out)
{
	head(out, "Analysis", "Registers", s);
	number(out, "registers a thread: ", "Registers", s->registers);
	number(out, " instead of ", "RegistersBefore", s->registers_before);
	if (s->block) {
		number(out, ", warps with room: ", "Warps", s->warps);
		number(out, " instead of ", "WarpsBefore", s->warps_before);
	}
	argument(out, "String", " on ");
	argument(out, "Arch", u->arch ? u->arch : "?");
}

void
units_remarks(const Units_report *r, Buf *out)
{
	for (uint32_t i = 0; i < r->units->n; i++) {
		const Unit *u = &r->units->at[i];
		for (uint32_t k = 0; k < u->sites.n; k++) {
			const Unit_site *s = &u->sites.at[k];
			(s->done ? passed : missed)(s, out);
			buf_puts(out, "...\n");
			if (!s->registers || s->further)
				continue;
			analysis(s, u, out);
			buf_puts(out, "...\n");
		}
	}
}
