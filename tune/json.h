/* SPDX-License-Identifier: MIT */
/* JSON as it is read: reports of a build, and what ccc-tune wrote itself. Writing is report's
 * (json_string). */
#ifndef TUNE_JSON_H
#define TUNE_JSON_H

#include <stdbool.h>
#include "base/arena.h"

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT
} Json_kind;

typedef struct Json Json;
struct Json {
	Json_kind kind;
	const char *name;       /* of a member */
	const char *text;       /* of a text; of a number, as it is written */
	Json *child, *next;     /* members, in their order */
};

/* NULL: it is none. All lives in the arena. */
Json *json_read(const char *text, Arena *a);

/* The member of that name; NULL: there is none, or j is no object. */
const Json *json_member(const Json *j, const char *name);
/* A member's text; NULL: it has none. */
const char *json_text(const Json *j, const char *name);
double json_number(const Json *j, const char *name);
bool json_true(const Json *j, const char *name);

#define JSON_EACH(list, j) \
	for (const Json *j = (list) ? (list)->child : NULL; j; j = j->next)

#endif
