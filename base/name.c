/* SPDX-License-Identifier: MIT */
/* Default program name (console.h), for tests and fuzzers. */
#include "base/console.h"

const char program_name[] = "ptxccc";
