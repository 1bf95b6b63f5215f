/* SPDX-License-Identifier: MIT */
/* Errors: conversion from the runtime's numbers, names and texts. */
#include "driver/libcuda/cu.h"

static const struct { int code; const char *name; } errors[] = {
#define CU_ERROR(code, name) { code, #name },
#include "driver/libcuda/errors.def"
#undef CU_ERROR
};

API CUresult cuGetErrorName(int e, const char **name);
API CUresult cuGetErrorString(int e, const char **text);

static const char *
name_of(int code)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == code)
			return errors[i].name;
	return NULL;
}

CUresult
cu_result(cudaError_t e)
{
	switch (e) {
	case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
	case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
	default: return name_of((int)e) ? (CUresult)e : CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult
cuGetErrorName(int e, const char **name)
{
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = name_of(e);
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGetErrorString(int e, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = name_of(e) ? error_text(e) : NULL;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
