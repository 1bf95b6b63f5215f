/* SPDX-License-Identifier: MIT */
/* Programs that time transformed and original kernels at their first launches. See timed_launch.h.
 *
 * The stub of the host code (switch.c) gets a table of these kernels, and the header ccc_timed.h,
 * whose macros registering and launching expand to: each original is registered, too, under an
 * address of its own. */
#include <string.h>
#include "annotate/timed_launch.h"
#include "base/untouched.h"

void
timed_table_write(const char *names, Buf *to)
{
	buf_puts(to, "#ifndef __NV_LEGACY_LAUNCH\n"
		     "#pragma GCC diagnostic ignored \"-Wmissing-field-initializers\"\n"
		     "#include <ccc_timed.h>\n"
		     "static struct ccc_timed ccc_kernels[] = {\n");
	for (const char *s = names; *s; s += strcspn(s, "\n") + 1) {
		int n = (int)strcspn(s, "\n");
		buf_printf(to, "\t{ \"%.*s\", \"%.*s" UNTOUCHED_SUFFIX "\" },\n", n, s, n, s);
	}
	buf_puts(to, "\t{ 0 }\n};\n#endif\n");
}
