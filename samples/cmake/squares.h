/* SPDX-License-Identifier: MIT */
// How many of the numbers in[0 .. n) are squares?
#pragma once
void launch_squares(int n, const unsigned *in, unsigned *found); // both on the device
