/* SPDX-License-Identifier: MIT */
/* test.h: shared functions of the unit tests. Each check prints "ok NAME" or "FAIL NAME"; test_end
 * gives main's exit status. */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <stdbool.h>
#include <stdio.h>

static int test_failures;

static inline void
test_check(bool ok, const char *name, const char *file, int line)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("FAIL %s (%s:%d)\n", name, file, line);
	test_failures += !ok;
}
#define CHECK(name, condition) test_check(condition, name, __FILE__, __LINE__)

static inline int
test_end(void)
{
	return test_failures != 0;
}

#endif
