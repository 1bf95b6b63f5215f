/* SPDX-License-Identifier: MIT */
/* Comments that name the source of text. See template.h; transform/output/explain.c reads them. */
#include "transform/text/template.h"

static void put_citation(Tpl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
put_citation(Tpl *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_puts(&t->out, TPL_CITE);
	buf_vprintf(&t->out, fmt, ap);
	buf_puts(&t->out, TPL_CITE_END);
	va_end(ap);
}

void
tpl_cite_input(Tpl *t, uint32_t pos)
{
	if (t->cites)
		put_citation(t, "S%u", pos);
}

/* The row is a line, so the comment precedes its end. */
void
tpl_cite_row(Tpl *t, uint32_t row)
{
	if (!t->cites)
		return;
	t->out.n--;
	put_citation(t, "T%s:%u %s", t->of->name, row + 1, t->of->rows[row].cites);
	buf_putc(&t->out, '\n');
}
