/* SPDX-License-Identifier: MIT */
// Counts the squares among the numbers in[0 .. n).
#pragma once
void launch_squares(int n, const unsigned *in, unsigned *found); // both on the device
