/* SPDX-License-Identifier: MIT */
/* Interned strings: equal text, equal id. Ids are dense and start at 1; 0 is no string. The text is
 * not copied: it must outlive the table (it is the module's source text or a literal). */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

typedef struct Intern Intern;

Intern *intern_new(void);
void intern_free(Intern *t); /* t may be NULL */
uint32_t intern_add(Intern *t, const char *s, size_t len);
/* Returns the id of an interned string, or 0. */
uint32_t intern_find(const Intern *t, const char *s, size_t len);
const char *intern_text(const Intern *t, uint32_t id, size_t *len); /* not NUL-terminated */
uint32_t intern_count(const Intern *t);

#endif
