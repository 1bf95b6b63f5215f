/* SPDX-License-Identifier: MIT */
/* The cicc hook's part in switchable kernels. See switched.h. */
#include <string.h>
#include "annotate/files.h"
#include "annotate/loudness.h"
#include "annotate/switch.h"
#include "annotate/switched.h"
#include "base/demangle.h"

int
hook_write_switch(const Hook *h, const char *ptx)
{
	Buf names = { 0 }, left = { 0 }, text = { 0 };
	int rc = 0;

	if (!h->options.switchable && !h->options.timed)
		return 0;
	buf_puts(&names, "");
	buf_puts(&left, "");
	if (ptx)
		switch_kernels(ptx, !h->options.switchable, &names);
	Switch s = { h->cicc.source, h->cicc.stub, h->cicc.include, names.at,
		!h->options.switchable };
	if (!switch_update(&s, &left))
		rc = 1;
	for (const char *k = left.at; h->options.switchable && rc == 0 && *k; k += strcspn(k, "\n") + 1) {
		size_t n = strcspn(k, "\n");
		text.n = 0;
		buf_printf(&text,
			"kernel '%s' can be switched for some architectures only: CCC_DISABLE does nothing to it",
			demangle(h->arena, k, n));
		rc = hook_warn(h, "switchable", text.at) == LOUDNESS_ERROR ? 1 : 0;
	}
	buf_free(&names);
	buf_free(&left);
	buf_free(&text);
	return rc;
}

int
hook_note_switched(const Hook *h, const char *ptx)
{
	Buf names = { 0 };
	int rc = 0;

	if (h->options.switchable)
		switch_kernels(ptx, false, &names);
	if (names.n)
		rc = file_write_here(h->files.switched, names.at, names.n);
	buf_free(&names);
	return rc;
}
