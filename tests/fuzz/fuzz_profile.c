/* SPDX-License-Identifier: MIT */
/* Fuzz entry of profiles: a text is read or refused without a crash; what was read is written, and
 * read again as the same. */
#include <string.h>
#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Profile p = profile_new(), q = profile_new();
	Buf said = { 0 }, once = { 0 }, twice = { 0 }, table = { 0 };

	profile_read(&p, (const char *)data, size, &said);
	profile_sort_and_merge(&p);
	profile_write(&p, &once);
	if (!profile_read(&q, once.at, once.n, &said))
		die("what is written is refused");
	profile_sort_and_merge(&q);
	profile_write(&q, &twice);
	if (once.n != twice.n || memcmp(once.at, twice.at, once.n) != 0)
		die("what is read again is not the same");
	for (uint32_t i = 0; i < p.records.n; i++) {
		const Profile_record *r = &p.records.at[i], *chosen;
		Execution_counts f;
		if (r->counted && profile_find(&p, &r->key, &f) == PROFILE_NONE)
			die("a record is not found by its key");
		if (r->choice && profile_find_choice(&p, &r->key, &chosen) != PROFILE_FOUND)
			die("a choice is not found by its key");
	}
	profile_show(&p, &table);
	profile_overlap(&p, &q);
	profile_release(&p);
	profile_release(&q);
	buf_free(&said);
	buf_free(&once);
	buf_free(&twice);
	buf_free(&table);
	return 0;
}
