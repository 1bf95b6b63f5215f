/* corpus: textures and surfaces by object */
__global__ void
read(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3, cudaSurfaceObject_t s, float *out)
{
	float4 v = tex2D<float4>(t2, 0.5f, threadIdx.x);
	float w = tex1Dfetch<float>(t1, threadIdx.x) + tex3D<float>(t3, 1.0f, 2.0f, 3.0f) + tex2DLod<float>(t2, 1.0f, 2.0f, 0.5f);
	float4 g = tex2Dgather<float4>(t2, 0.25f, 0.75f, 1);
	uchar4 c = surf2Dread<uchar4>(s, 4 * threadIdx.x, 3);
	surf2Dwrite<uchar4>(c, s, 4 * threadIdx.x, 4, cudaBoundaryModeClamp);
	out[threadIdx.x] = v.x + v.w + w + g.y + c.z;
}
// SPDX-License-Identifier: MIT
