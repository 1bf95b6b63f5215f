/* SPDX-License-Identifier: MIT */
/* Parser of JSON, for build reports and ccc-tune's own files. The writer is in report/
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
	const char *text;       /* of a string; of a number, as written */
	Json *child, *next;     /* members or elements, in order */
};

/* Parses text; all nodes are in the arena. Returns NULL if it is not valid JSON. */
Json *json_read(const char *text, Arena *a);

/* Returns the member of that name; NULL if there is none or j is not an object. */
const Json *json_member(const Json *j, const char *name);
/* Returns a member's string; NULL if it has none. */
const char *json_text(const Json *j, const char *name);
double json_number(const Json *j, const char *name);
bool json_true(const Json *j, const char *name);

#define JSON_EACH(list, j) \
	for (const Json *j = (list) ? (list)->child : NULL; j; j = j->next)

#endif
