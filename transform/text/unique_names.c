/* SPDX-License-Identifier: MIT */
/* Names of the module. See unique_names.h. */
#include <string.h>
#include "transform/text/unique_names.h"

uint32_t
unique_first_number(const Module *m)
{
	uint32_t next = 1;

	for (uint32_t i = 1; i <= intern_count(m->names); i++) {
		size_t len;
		const char *s = intern_text(m->names, i, &len);
		size_t lead = len && (*s == '%' || *s == '$');
		uint32_t n = 0;
		if (len < lead + 4 || memcmp(s + lead, "ccc", 3) != 0)
			continue;
		for (size_t k = lead + 3; k < len && s[k] >= '0' && s[k] <= '9' && n < 100000000;
			k++)
			n = 10 * n + (uint32_t)(s[k] - '0');
		next = n >= next ? n + 1 : next;
	}
	return next;
}

bool
module_has_guard_names(const Module *m, const Effects *effects, uint32_t func)
{
	size_t len, k = 3;
	const char *s = intern_text(m->names, m->syms[m->funcs[func].sym].name, &len);

	if (len < 12 || memcmp(s, "_ZN", 3) != 0)
		return false;
	while (k < len && s[k] >= '0' && s[k] <= '9')
		k++;
	if (len - k < 7 || memcmp(s + k, "__ccc_g", 7) != 0)
		return false;
	for (uint32_t i = 0; i < effects->callee_of[m->nfuncs]; i++)
		if (effects->callees[i] == func)
			return false;
	return true;
}
