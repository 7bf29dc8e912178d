// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/device_clock.cuh"
#include "probes/harness/stamps.h"

namespace assay {

namespace {

/// More than any device has SM ids; a larger id is left out.
constexpr std::size_t kSlots = 512;

__global__ void stamp_kernel(Stamp* stamps) {
  if (threadIdx.x != 0) {
    return;
  }
  const unsigned sm = read_smid();
  if (sm < kSlots) {
    const std::uint64_t clock = read_sm_clock();
    const std::uint64_t time = read_globaltimer();
    // One 16-byte store: of two blocks on one SM the later wins whole, never half of each.
    reinterpret_cast<ulonglong2*>(stamps)[sm] = make_ulonglong2(clock, time);
  }
}

}  // namespace

Stamper::Stamper(int sm_count) : blocks_(2 * sm_count), stamps_(2 * kSlots), host_(2 * kSlots) {}

void Stamper::clear(cudaStream_t stream) {
  ASSAY_CUDA(cudaMemsetAsync(stamps_.data(), 0, stamps_.bytes(), stream));
}

void Stamper::stamp_before(cudaStream_t stream) const {
  stamp_kernel<<<blocks_, 32, 0, stream>>>(stamps_.data());
  ASSAY_CUDA(cudaGetLastError());
}

void Stamper::stamp_after(cudaStream_t stream) const {
  stamp_kernel<<<blocks_, 32, 0, stream>>>(stamps_.data() + kSlots);
  ASSAY_CUDA(cudaGetLastError());
}

StampWindow Stamper::read(cudaStream_t stream) const {
  ASSAY_CUDA(cudaMemcpyAsync(host_.data(), stamps_.data(), stamps_.bytes(), cudaMemcpyDeviceToHost,
                             stream));
  ASSAY_CUDA(cudaStreamSynchronize(stream));
  const Stamp* rows = host_.data();
  return read_window({rows, rows + kSlots}, {rows + kSlots, rows + 2 * kSlots});
}

const void* stamp_kernel_address() {
  return reinterpret_cast<const void*>(&stamp_kernel);
}

}  // namespace assay
