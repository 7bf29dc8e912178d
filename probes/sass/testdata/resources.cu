// SPDX-License-Identifier: Apache-2.0
// The source of resources_sm80.cubin and resources_sm90.cubin (nvcc 13.0 -cubin -arch=sm_NN).
// ptxas -v: scale 8 registers, 1 barrier, 1024 bytes smem; bars 12 (sm_80) or 14 (sm_90) registers,
// 6 barriers, no static shared memory.
extern "C" __global__ void __launch_bounds__(256) scale(float* p, int n) {
  __shared__ float s[256];
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  s[threadIdx.x] = i < n ? p[i] : 0;
  __syncthreads();
  if (i < n) p[i] = s[255 - threadIdx.x] * 2;
}
extern "C" __global__ void bars(float* p) {
  extern __shared__ float d[];
  asm volatile("bar.sync 3, 128;");
  d[threadIdx.x] = p[0];
  asm volatile("bar.sync 5, 128;");
  p[threadIdx.x] = d[0];
}
