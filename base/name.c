/* SPDX-License-Identifier: MIT */
/* The name of programs that do not define one (console.h): tests, fuzzers. */
#include "base/console.h"

const char program_name[] = "ptxccc";
