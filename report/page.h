/* SPDX-License-Identifier: MIT */
/* What the HTML pages share. A page needs nothing from elsewhere, and no script. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include "base/buf.h"

/* The page up to its heading, which is its title too; and its end. */
void page_begin(Buf *out, const char *title);
void page_end(Buf *out);

/* Text, with what HTML means otherwise written as it has to be. */
void page_text(Buf *out, const char *s);
void page_text_n(Buf *out, const char *s, size_t n);

/* A source's text as rows of a table. Rows of lines that are not shown become one with three dots.
 */
typedef struct {
	const char *text; size_t len;
	unsigned columns;       /* of the table */
	bool (*shown)(void *user, unsigned line);
	/* writes the row of a line, from 1, whose text this is */
	void (*row)(void *user, unsigned line, const char *s, size_t n);
	void *user;
} Page_source;

/* Gives the number of the text's lines. */
unsigned page_source(Buf *out, const Page_source *p);

#endif
