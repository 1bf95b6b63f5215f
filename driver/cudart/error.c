/* SPDX-License-Identifier: MIT */
/* Errors: their names and texts, and the last one of each thread. */
#include "driver/cudart/cudart.h"

static const struct { int code; const char *name, *text; } errors[] = {
#define ERROR(code, name, text) { code, #name, text },
#include "driver/cudart/errors.def"
#undef ERROR
};

API const char *
cudaGetErrorName(cudaError_t e)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == (int)e)
			return errors[i].name;
	return "unrecognized error code";
}

API const char *
cudaGetErrorString(cudaError_t e)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == (int)e)
			return errors[i].text;
	return "unrecognized error code";
}

API cudaError_t cudaGetLastError(void) { return rt_last_error(true); }
API cudaError_t cudaPeekAtLastError(void) { return rt_last_error(false); }
