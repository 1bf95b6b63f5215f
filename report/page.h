/* SPDX-License-Identifier: MIT */
/* Common parts of the HTML pages. A page is self-contained, and only that of
 * --explain has a script. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include "base/buf.h"

/* Write the page up to its heading, which repeats the title, and its end. more: further style
 * rules, or "". */
void page_begin(Buf *out, const char *title, const char *more);
void page_end(Buf *out);

/* Write text with HTML's special characters escaped. */
void page_text(Buf *out, const char *s);
void page_text_n(Buf *out, const char *s, size_t n);

/* A source text as rows of a table. A run of hidden lines becomes one row with an ellipsis. */
typedef struct {
	const char *text; size_t len;
	unsigned columns;       /* of the table */
	bool (*shown)(void *user, unsigned line);
	/* writes the row of a line, numbered from 1, with text s */
	void (*row)(void *user, unsigned line, const char *s, size_t n);
	void *user;
} Page_source;

/* Returns the number of lines of the text. */
unsigned page_source(Buf *out, const Page_source *p);

#endif
