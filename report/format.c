/* SPDX-License-Identifier: MIT */
/* Selects the format of a report by the file's extension. See unit.h. */
#include <string.h>
#include "report/unit.h"

Units_format *
units_format(const char *file)
{
	static const struct { const char *end; Units_format *format; } rows[] = {
		{ ".txt", units_text },
		{ ".json", units_json },
		{ ".sarif", units_sarif },
		{ ".opt.yaml", units_remarks },
		{ ".html", units_html },
	};
	size_t n = strlen(file);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t k = strlen(rows[i].end);
		if (n > k && strcmp(file + n - k, rows[i].end) == 0)
			return rows[i].format;
	}
	return NULL;
}
