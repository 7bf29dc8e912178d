// SPDX-License-Identifier: Apache-2.0
// The source of the two cubins beside it: one loop with 32 FFMA, to read without a CUDA toolkit.
//   nvcc -O3 -arch sm_75 -cubin -o ffma_loop_sm75.cubin ffma_loop.cu   (sm_90 likewise)
__global__ void ffma_loop(float* data, int trips, float b, float c) {
  float a[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = data[threadIdx.x + i * 32];
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < 32; ++step) a[step % 8] = fmaf(a[step % 8], b, c);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) data[threadIdx.x + i * 32] = a[i];
}
