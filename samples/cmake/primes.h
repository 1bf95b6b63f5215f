/* SPDX-License-Identifier: MIT */
// How many of the numbers in[0 .. n) are primes?
#pragma once
void launch_primes(int n, const unsigned *in, unsigned *found); // both on the device
