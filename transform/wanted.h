/* SPDX-License-Identifier: MIT */
/* What an iteration of a loop wants of the machine, for known shares of lanes: the time that it
 * takes, in issue slots of a warp (for gain.c).
 *
 * Issue slots, the memory system and waiting go on beside each other, and what is wanted most
 * decides; but they hinder each other where they are about the same, so it is the root of the sum
 * of their squares.
 */
#ifndef TRANSFORM_WANTED_H
#define TRANSFORM_WANTED_H

#include "transform/gain.h"

enum { WARP_LANES = 32 };

typedef enum { ISSUE, MEMORY, WAITS, NWANTS } Want;

typedef struct {
	const Gain_site *site;
	Gain_share of[GAIN_CUTS]; /* shares of all lanes, by cut */
	/* of the distance from an inner loop's mean to the longest that is left between the sums of
	 * all of a lane's iterations: one over the root of their number */
	double uneven;
	bool measured;          /* the shares are a profile's */
	Want want;              /* what is counted now: slots, lanes' accesses, or loads in a row */
} Case;

double wanted_as_it_is(Case *c);
/* Under a policy, n being its number; 0: nothing is known of it. */
double wanted_by(Case *c, Annot_policy policy, uint32_t n);
double wanted_power(double x, uint32_t n);

#endif
