/* SPDX-License-Identifier: MIT */
/* Modules of PTX text made one: the texts behind one another, under one head.
 *
 * The head is that of the newest version and target. What a text declares as .extern and another
 * one defines is then declared and defined in one module, which PTX allows. Names that two texts
 * have each for themselves (without .visible, .weak) would meet: parsing tells of it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "driver/rt/rt.h"

struct Link { Buf body, whole; unsigned major, minor, target; char suffix; uint32_t texts; };

Link *
link_new(void)
{
	Link *l = xmalloc(sizeof *l);
	*l = (Link){ .major = 0 };
	return l;
}

void
link_free(Link *l)
{
	if (!l)
		return;
	buf_free(&l->body);
	buf_free(&l->whole);
	xfree(l);
}

/* Takes a line of the head; false: it is none. */
static bool
head(Link *l, const char *line)
{
	unsigned major, minor, target;
	char suffix = 0;
	while (isspace((unsigned char)*line))
		line++;
	if (sscanf(line, ".version %u.%u", &major, &minor) == 2) {
		if (major > l->major || (major == l->major && minor > l->minor))
			l->major = major, l->minor = minor;
		return true;
	}
	if (sscanf(line, ".target sm_%u%c", &target, &suffix) >= 1) {
		if (target > l->target)
			l->target = target, l->suffix = suffix;
		return true;
	}
	return strncmp(line, ".address_size", 13) == 0;
}

static void
add_text(Link *l, const char *text, size_t n)
{
	Buf line = {0};
	for (size_t at = 0, end; at < n && text[at]; at = end) {
		for (end = at; end < n && text[end] && text[end] != '\n';)
			end++;
		line.n = 0;
		buf_printf(&line, "%.*s\n", (int)(end - at), text + at);
		if (!head(l, line.at))
			buf_puts(&l->body, line.at);
		end += end < n && text[end] == '\n';
	}
	buf_free(&line);
	l->texts++;
}

cudaError_t
link_add(Runtime *rt, Link *l, const void *data, size_t n)
{
	const char *why;
	Source src = {0};
	if (!fatbin_is(data)) {
		add_text(l, data, n);
		return cudaSuccess;
	}
	if (!module_fatbin(rt, data, &src, &why)) {
		rt_say("cannot link a fat binary: %s", why);
		return cudaErrorNoKernelImageForDevice;
	}
	add_text(l, src.text, src.len);
	source_release(&src);
	return cudaSuccess;
}

const char *
link_text(Link *l, size_t *n)
{
	char suffix[2] = { l->suffix == 'a' || l->suffix == 'f' ? l->suffix : 0, 0 };
	l->whole.n = 0;
	buf_printf(&l->whole, ".version %u.%u\n.target sm_%u%s\n.address_size 64\n", l->major,
		l->minor, l->target, suffix);
	buf_puts(&l->whole, l->body.at ? l->body.at : "");
	*n = l->whole.n + 1; /* with the NUL, as it is loaded as a string */
	return l->whole.at;
}
