/* SPDX-License-Identifier: MIT */
/* Compares the key of a record with that of a profile point. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include "profile/profile.h"

/* How well a record's key matches that of a profile point. ANY: the record is for any code. */
typedef enum { FAR, HERE, ANY, ANY_CHAIN, CODE, FUNCTION, CHAIN } Nearness;

/* Whether it is the name of a PTX text, not of a source. */
bool profile_is_ptx_file(const char *name);
/* Compares annotation, code and calls. */
Nearness profile_match_code(const Profile_key *r, const Profile_key *k);
/* Compares positions. Records of the same candidate have its column (suggest/candidate.h). */
Nearness profile_match_place(const Profile_key *r, const Profile_key *k);
/* Compares positions of a record of a candidate and of a point that was annotated since; added: as
 * for profile_find_added(). Returns the distance in lines; -1: it is of something else. */
int profile_match_added(const Profile_key *r, const Profile_key *k, uint32_t added);

#endif
