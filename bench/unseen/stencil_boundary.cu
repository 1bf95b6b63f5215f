// SPDX-License-Identifier: MIT
// Heat conduction on a connected 3-D domain, explicit 7-point stencil: fluid cells, insulating
// walls, cells of fixed temperature, and surfaces that radiate, whose temperature is found by
// Newton's method. Planes pass through a tile in shared memory. Data set b has fluid cells only.
#include "unseen.h"

#define TX 32
#define TY 8

enum CellType : unsigned char { FLUID, WALL, FIXED, RADIATING };

struct Domain {
	int nx, ny, nz;
	float diffusion, ambient;
};

// The temperature of a surface cell where conduction from its neighbours balances radiation
__device__ float
radiating_surface(float inside, float conductance, float ambient)
{
	float t = inside, a2 = ambient * ambient, emitted = 5e-9f;
	for (int i = 0; i < 12; i++) {
		float f = conductance * (inside - t) - emitted * (t * t * t * t - a2 * a2);
		float slope = -conductance - 4 * emitted * t * t * t;
		float step = f / slope;
		t -= step;
		if (fabsf(step) < 1e-4f * fabsf(t))
			break;
	}
	return t;
}

__global__ void
step(Domain d, const unsigned char *__restrict__ type, const float *__restrict__ in, float *__restrict__ out)
{
	__shared__ float tile[TY + 2][TX + 2];
	int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
	bool inside = x < d.nx && y < d.ny;
	int cx = min(x, d.nx - 1), cy = min(y, d.ny - 1);
	size_t plane = (size_t)d.nx * d.ny, column = (size_t)cy * d.nx + cx;
	for (int z = blockIdx.z; z < d.nz; z += gridDim.z) {
		const float *p = in + z * plane;
		tile[threadIdx.y + 1][threadIdx.x + 1] = p[column];
		if (threadIdx.x == 0)
			tile[threadIdx.y + 1][0] = p[(size_t)cy * d.nx + max(cx - 1, 0)];
		if (threadIdx.x == TX - 1)
			tile[threadIdx.y + 1][TX + 1] = p[(size_t)cy * d.nx + min(cx + 1, d.nx - 1)];
		if (threadIdx.y == 0)
			tile[0][threadIdx.x + 1] = p[(size_t)max(cy - 1, 0) * d.nx + cx];
		if (threadIdx.y == TY - 1)
			tile[TY + 1][threadIdx.x + 1] = p[(size_t)min(cy + 1, d.ny - 1) * d.nx + cx];
		__syncthreads();
		if (inside) {
			size_t i = z * plane + column;
			float c = tile[threadIdx.y + 1][threadIdx.x + 1], result = c;
			float w = tile[threadIdx.y + 1][threadIdx.x], e = tile[threadIdx.y + 1][threadIdx.x + 2];
			float n = tile[threadIdx.y][threadIdx.x + 1], s = tile[threadIdx.y + 2][threadIdx.x + 1];
			float b = z > 0 ? in[i - plane] : c, t = z + 1 < d.nz ? in[i + plane] : c;
			unsigned char kind = type[i];
			if (kind == FLUID) {
				if (x > 0 && type[i - 1] == WALL) // no flux through walls
					w = c;
				if (x + 1 < d.nx && type[i + 1] == WALL)
					e = c;
				if (y > 0 && type[i - d.nx] == WALL)
					n = c;
				if (y + 1 < d.ny && type[i + d.nx] == WALL)
					s = c;
				if (z > 0 && type[i - plane] == WALL)
					b = c;
				if (z + 1 < d.nz && type[i + plane] == WALL)
					t = c;
				result = c + d.diffusion * (w + e + n + s + b + t - 6 * c);
			} else if (kind == RADIATING) {
				result = radiating_surface((w + e + n + s + b + t) / 6, 2.0f, d.ambient);
			}
			out[i] = result;
		}
		__syncthreads();
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int side = options.side(256, 3);
	Domain d = { side, side, side, 0.12f, 290 };
	size_t cells = (size_t)side * side * side;
	Rng rng(36);
	std::vector<unsigned char> type(cells, FLUID);
	std::vector<float> start(cells);
	for (size_t i = 0; i < cells; i++) {
		uint64_t r = rng.next();
		start[i] = 300 + (r & 255);
		if (options.divergent) { // porous: grains of two cells
			unsigned kind = r >> 56;
			type[i] = kind < 40 ? WALL : kind < 60 ? RADIATING : kind < 64 ? FIXED : FLUID;
			if (i & 1)
				type[i] = type[i - 1];
		}
	}
	unsigned char *d_type = to_device(type);
	float *initial = to_device(start), *grid[2] = { device_zeros<float>(cells), device_zeros<float>(cells) };
	dim3 threads(TX, TY), blocks(blocks_for(side, TX), blocks_for(side, TY), std::max(1, side / 4));
	const int steps = 6;
	auto reset = [&] {
		CUDA_CHECK(cudaMemcpy(
			grid[0], initial, cells * sizeof(float), cudaMemcpyDeviceToDevice));
	};
	double ms = time_ms(options, reset, [&] {
		for (int i = 0; i < steps; i++)
			step<<<blocks, threads>>>(d, d_type, grid[i & 1], grid[~i & 1]);
	});
	Checksum sum;
	sum.device(grid[steps & 1], cells);
	return report(sum, ms);
}
