/* SPDX-License-Identifier: MIT */
/* Names and texts of errors. */
#include "driver/rt/rt.h"

static const struct { int code; const char *name, *text; } errors[] = {
#define ERROR(code, name, text) { code, #name, text },
#include "driver/rt/errors.def"
#undef ERROR
};

const char *
error_name(int code)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == code)
			return errors[i].name;
	return NULL;
}

const char *
error_text(int code)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == code)
			return errors[i].text;
	return NULL;
}
