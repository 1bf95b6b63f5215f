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
 *	  - String:          'left unchanged: '
 *	  ...
 *
 * A transformed site is Passed, any other is Missed; registers and occupancy are an Analysis.
 */
#include "report/unit.h"

static void
write_quoted(Buf *out, const char *s)
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
write_argument(Buf *out, const char *key, const char *value)
{
	buf_printf(out, "  - %s:%*s", key, (int)(16 - 4), "");
	write_quoted(out, value);
	buf_putc(out, '\n');
}

static void
write_number(Buf *out, const char *front, const char *key, uint32_t n)
{
	write_argument(out, "String", front);
	buf_printf(out, "  - %s: '%u'\n", key, n);
}

static void
write_location(Buf *out, Cuda_pos at)
{
	if (!at.file)
		return;
	buf_puts(out, "{ File: ");
	write_quoted(out, at.file);
	buf_printf(out, ", Line: %u, Column: %u }\n", at.line, at.col ? at.col : 1);
}

static void
write_head(Buf *out, const char *type, const char *name, const Unit_site *s)
{
	buf_printf(out, "--- !%s\nPass:            ccc\nName:            %s\n", type, name);
	if (site_place(s).file) {
		buf_puts(out, "DebugLoc:        ");
		write_location(out, site_place(s));
	}
	buf_puts(out, "Function:        ");
	write_quoted(out, s->function);
	buf_puts(out, "\nArgs:\n");
}

/* Writes the expected speed in percent of the original's. */
static void
write_expected(const Unit_site *s, Buf *out)
{
	if (!s->expected)
		return;
	write_number(out, ", expected speed: ", "ExpectedPercent", s->expected);
	write_number(out, " percent, issue slots an iteration: ", "Slots", s->slots);
	write_number(out, " instead of ", "SlotsBefore", s->slots_before);
}

static void
write_passed(const Unit_site *s, Buf *out)
{
	write_head(out, "Passed", s->branch ? "Melded" : s->remap ? "Remapped" : "Transformed", s);
	if (s->branch) {
		write_number(out, "arms melded: ", "Slots", s->slots);
		write_number(out, " issue slots instead of ", "SlotsBefore", s->slots_before);
		return;
	}
	write_argument(out, "String", "transformed, policy ");
	write_argument(out, "Policy", s->policy);
	if (s->shared) {
		write_number(out, ", ", "ContextBytes", s->context_bytes);
		write_number(out, " bytes a task, ", "SharedBytes", s->shared);
		write_argument(out, "String", " bytes of shared memory a block");
	}
	write_expected(s, out);
}

static void
write_missed(const Unit_site *s, Buf *out)
{
	write_head(out, "Missed", s->kind ? s->kind : "Left", s);
	write_argument(out, "String", "left unchanged: ");
	write_argument(out, "Reason", s->reason);
	for (uint32_t i = 0; i < s->notes.n; i++) {
		write_argument(out, "String", "; ");
		write_argument(out, "Note", s->notes.at[i].text);
		if (s->notes.at[i].at.file) {
			buf_puts(out, "    DebugLoc:        ");
			write_location(out, s->notes.at[i].at);
		}
	}
	write_expected(s, out);
	if (s->remedy) {
		write_argument(out, "String", ": ");
		write_argument(out, "Remedy", s->remedy);
	}
}

static void
write_analysis(const Unit_site *s, const Unit *u, Buf *out)
{
	write_head(out, "Analysis", "Registers", s);
	write_number(out, "registers a thread: ", "Registers", s->registers);
	write_number(out, " instead of ", "RegistersBefore", s->registers_before);
	if (s->block) {
		write_number(out, ", warps with room: ", "Warps", s->warps);
		write_number(out, " instead of ", "WarpsBefore", s->warps_before);
	}
	write_argument(out, "String", " on ");
	write_argument(out, "Arch", u->arch ? u->arch : "?");
}

void
units_remarks(const Units_report *r, Buf *out)
{
	for (uint32_t i = 0; i < r->units->n; i++) {
		const Unit *u = &r->units->at[i];
		for (uint32_t k = 0; k < u->sites.n; k++) {
			const Unit_site *s = &u->sites.at[k];
			(s->done ? write_passed : write_missed)(s, out);
			buf_puts(out, "...\n");
			if (!s->registers || s->further)
				continue;
			write_analysis(s, u, out);
			buf_puts(out, "...\n");
		}
	}
}
