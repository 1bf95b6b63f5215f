// SPDX-License-Identifier: MIT
// Julia and Mandelbrot sets by escape time, in double precision, with a check for periodic orbits;
// grid-stride loop over the pixels. Data set a is a part of the boundary, b lies inside the set.
#include "unseen.h"

template <typename T> struct View {
	T left, top, pixel;
	int width, height;
	bool julia;
	T cr, ci;
	int limit;
};

template <typename T> __device__ int
escape_time(T x, T y, T cr, T ci, int limit, T *last)
{
	T oldx = x, oldy = y, xx = x * x, yy = y * y;
	int i = 0, period = 0;
	while (i < limit && xx + yy <= T(16)) {
		y = 2 * x * y + ci;
		x = xx - yy + cr;
		xx = x * x;
		yy = y * y;
		i++;
		if (fabs(x - oldx) < T(1e-13) && fabs(y - oldy) < T(1e-13)) {
			i = limit;
			break;
		}
		if (++period == 200) {
			period = 0;
			oldx = x;
			oldy = y;
		}
	}
	*last = xx + yy;
	return i;
}

template <typename T> __global__ void
fractal(View<T> view, int *iterations, float *smooth)
{
	int pixels = view.width * view.height;
	for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += blockDim.x * gridDim.x) {
		T x = view.left + (p % view.width) * view.pixel, y = view.top + (p / view.width) * view.pixel;
		T last;
		int i = view.julia ? escape_time<T>(x, y, view.cr, view.ci, view.limit, &last) :
			escape_time<T>(0, 0, x, y, view.limit, &last);
		iterations[p] = i;
		float s = i;
		if (i < view.limit) // continuous colouring
			s = i + 1 - log2f(0.5f * log2f((float)last + 1.0f) + 1e-6f);
		smooth[p] = s;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int width = options.side(1600, 2), height = width * 3 / 4;
	View<double> julia = { -1.6, -1.2, 3.2 / width, width, height, true, -0.7269, 0.1889, 600 };
	View<double> bulb = { -0.1, -0.05, 0.1 / width, width, height, false, 0, 0, 180 };
	int *iterations = device_zeros<int>(width * height);
	float *smooth = device_zeros<float>(width * height);
	int blocks = std::min(blocks_for(width * height, 256), 132 * 16);
	double ms = time_ms(options,
		[&] { fractal<double><<<blocks, 256>>>(options.divergent ? julia : bulb, iterations, smooth); });
	Checksum sum;
	sum.device(iterations, width * height);
	sum.device(smooth, width * height);
	return report(sum, ms);
}
