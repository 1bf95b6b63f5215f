/* SPDX-License-Identifier: MIT */
/* Markers as labels; see marker_label.h. A byte of the marker that is not a letter or digit is
 * written as an underscore and two hexadecimal digits; a number makes the label unique. */
#include <string.h>
#include "base/marker_label.h"

static const char lead[] = "$ccc__", first[] = "// begin inline asm", second[] = "// .ccc ",
		  third[] = "// end inline asm";

/* A line of a text, without its line end and surrounding blanks. */
typedef struct { const char *at; size_t n; const char *next; } Text_line;

static Text_line
line_at(const char *s, const char *end)
{
	const char *stop = memchr(s, '\n', (size_t)(end - s));
	Text_line l = { s, (size_t)((stop ? stop : end) - s), stop ? stop + 1 : end };

	while (l.n && (*l.at == ' ' || *l.at == '\t'))
		l.at++, l.n--;
	while (l.n && (l.at[l.n - 1] == ' ' || l.at[l.n - 1] == '\t' || l.at[l.n - 1] == '\r'))
		l.n--;
	return l;
}

static int
line_begins_with(Text_line l, const char *with)
{
	return l.n >= strlen(with) && memcmp(l.at, with, strlen(with)) == 0;
}

static int
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool
marker_label_is(const char *name, size_t len)
{
	return len >= sizeof lead - 1 && memcmp(name, lead, sizeof lead - 1) == 0;
}

void
marker_labels_encode(const char *text, size_t len, Buf *to)
{
	const char *end = text + len;
	Text_line marker = { 0 };
	unsigned n = 0;

	for (const char *s = text; s < end;) {
		Text_line l = line_at(s, end);
		buf_add(to, s, (size_t)(l.next - s));
		s = l.next;
		if (line_begins_with(l, second)) {
			marker = l;
		} else if (marker.n && line_begins_with(l, third)) {
			buf_printf(to, "%s%u_", lead, n++);
			for (size_t i = strlen(second); i < marker.n; i++)
				if (is_plain(marker.at[i]))
					buf_putc(to, marker.at[i]);
				else
					buf_printf(to, "_%02X",
						(unsigned)(unsigned char)marker.at[i]);
			buf_puts(to, ":\n");
			marker.n = 0;
		} else {
			marker.n = 0;
		}
	}
}

static int
hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Appends the marker of a label. Returns 0 and appends nothing if it is another label. */
static int
decode_label(Text_line l, Buf *to)
{
	size_t at = sizeof lead - 1, start = to->n;

	if (!line_begins_with(l, lead) || l.at[l.n - 1] != ':')
		return 0;
	while (at < l.n && l.at[at] >= '0' && l.at[at] <= '9')
		at++;
	if (at == l.n || l.at[at++] != '_')
		return 0;
	buf_printf(to, "\t%s\n\t%s", first, second);
	for (; at < l.n - 1; at++) {
		int high = at + 2 < l.n ? hex_value(l.at[at + 1]) : -1,
		    low = at + 2 < l.n ? hex_value(l.at[at + 2]) : -1;
		if (l.at[at] != '_') {
			buf_putc(to, l.at[at]);
		} else if (high < 0 || low < 0 || high * 16 + low < ' ') {
			to->n = start;
			return 0;
		} else {
			buf_putc(to, (char)(high * 16 + low));
			at += 2;
		}
	}
	buf_printf(to, "\n\t%s\n", third);
	return 1;
}

void
marker_labels_decode(const char *text, size_t len, Buf *to)
{
	const char *end = text + len;
	int lines = 0; /* of a marker that precede the line */

	for (const char *s = text; s < end;) {
		Text_line l = line_at(s, end);
		if (lines == 2 || !decode_label(l, to))
			buf_add(to, s, (size_t)(l.next - s));
		lines = line_begins_with(l, second)          ? 1 :
			lines == 1 && line_begins_with(l, third) ? 2 :
								   0;
		s = l.next;
	}
}
