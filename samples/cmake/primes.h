/* SPDX-License-Identifier: MIT */
// Counts the primes among the numbers in[0 .. n).
#pragma once
void launch_primes(int n, const unsigned *in, unsigned *found); // both on the device
