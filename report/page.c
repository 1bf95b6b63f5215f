/* SPDX-License-Identifier: MIT */
/* Common parts of the HTML pages. See page.h. */
#include <string.h>
#include "report/page.h"

static const char style[] =
	"<style>\n"
	":root { color-scheme: light dark; --good: #1a7f37; --bad: #9a6700; --soft: #8884; --cost: #0969da; }\n"
	"@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #d29922; --cost: #58a6ff; } }\n"
	"body { font: 15px/1.45 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }\n"
	"table { border-collapse: collapse; width: 100%; }\n"
	"h1, h2, p { overflow-wrap: anywhere; } th { text-align: left; white-space: nowrap; } td, th { padding: .2rem .6rem; vertical-align: top; }\n"
	".sites tr { border-bottom: 1px solid var(--soft); }\n"
	".sites td:nth-child(-n+2) { min-width: min(9.5rem, 12vw); } .sites td:nth-child(3) { white-space: nowrap; } .sites td, .source td { overflow-wrap: anywhere; }\n"
	".done { color: var(--good); } .left { color: var(--bad); }\n"
	".source { border: 1px solid var(--soft); } .source pre { margin: 0; font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; tab-size: 4; }\n"
	".source td { padding: 0 .6rem; } .source .site td { padding: .2rem .6rem; }\n"
	".source td:first-child { width: 3rem; text-align: right; opacity: .7; } .gap td { opacity: .7; }\n"
	".mark td { background: var(--soft); } .site td { border-left: 4px solid currentColor; } .site > td > div { color: CanvasText; }\n"
	".source .n { width: 3.5rem; white-space: nowrap; text-align: right; font: 13px/1.4 ui-monospace, monospace; }\n"
	".source .b { width: 6rem; padding-top: .35rem; }\n"
	".bar { display: block; height: .6rem; background: var(--soft); } .bar i { display: block; height: 100%; background: var(--good); }\n"
	".bar.few i { background: var(--bad); } .bar.cost { background: none; } .bar.cost i { background: var(--cost); }\n";

void
page_begin(Buf *out, const char *title, const char *more)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	page_text(out, title);
	buf_puts(out, "</title>\n");
	buf_puts(out, style);
	buf_puts(out, more);
	buf_puts(out, "</style>\n");
	buf_puts(out, "</head>\n<body>\n<h1>");
	page_text(out, title);
	buf_puts(out, "</h1>\n");
}

void
page_end(Buf *out)
{
	buf_puts(out, "</body>\n</html>\n");
}

void
page_text_n(Buf *out, const char *s, size_t n)
{
	for (; n--; s++)
		if (*s == '<' || *s == '>' || *s == '&' || *s == '"')
			buf_printf(out, "&#%d;", *s);
		else
			buf_putc(out, *s);
}

void
page_text(Buf *out, const char *s)
{
	page_text_n(out, s, strlen(s));
}

unsigned
page_source(Buf *out, const Page_source *p)
{
	bool gap = false;
	unsigned line = 1;

	for (size_t i = 0, n; i < p->len; i += n + 1, line++) {
		const char *s = p->text + i, *stop = memchr(s, '\n', p->len - i);
		n = stop ? (size_t)(stop - s) : p->len - i;
		if (p->shown(p->user, line)) {
			p->row(p->user, line, s, n);
			gap = true;
		} else if (gap) {
			buf_printf(out,
				"<tr class=\"gap\"><td></td><td colspan=\"%u\">&#8942;</td></tr>\n",
				p->columns - 1);
			gap = false;
		}
	}
	return line - 1;
}
