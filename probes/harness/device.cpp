// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/device.h"

#include <utility>

#include "probes/harness/check.h"

namespace assay {

Device::Device(int ordinal, DeviceIdentity identity, Level level)
    : ordinal_(ordinal), identity_(std::move(identity)), level_(level) {
  // Spin: a thread that sleeps until an interrupt adds tens of microseconds to every wall time.
  // cudaSetDevice() makes the context, so the flags must come before it.
  ASSAY_CUDA(cudaInitDevice(ordinal, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
  ASSAY_CUDA(cudaSetDevice(ordinal));
  read_attributes();
}

Device::Device(Adopt /*guest*/, int ordinal, DeviceIdentity identity, Level level)
    : ordinal_(ordinal), identity_(std::move(identity)), level_(level) {
  read_attributes();
}

Device Device::adopt_current(DeviceIdentity identity, Level level) {
  int ordinal = 0;
  ASSAY_CUDA(cudaGetDevice(&ordinal));
  return {Adopt{}, ordinal, std::move(identity), level};
}

void Device::read_attributes() {
  sm_count_ = attribute(cudaDevAttrMultiProcessorCount);
  l2_bytes_ = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
}

std::size_t Device::free_bytes() const {
  std::size_t available = 0;
  std::size_t total = 0;
  ASSAY_CUDA(cudaMemGetInfo(&available, &total));
  return available;
}

int Device::attribute(cudaDeviceAttr attribute) const {
  int value = 0;
  ASSAY_CUDA(cudaDeviceGetAttribute(&value, attribute, ordinal_));
  return value;
}

}  // namespace assay
