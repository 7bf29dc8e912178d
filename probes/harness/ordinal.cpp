// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/ordinal.h"

#include <cstring>
#include <stdexcept>

#include <cuda_runtime_api.h>

#include "probes/harness/check.h"

namespace assay {

namespace {

bool has_uuid(const cudaDeviceProp& properties, const UuidBytes& uuid) {
  static_assert(sizeof(properties.uuid.bytes) == sizeof(UuidBytes));
  return std::memcmp(properties.uuid.bytes, uuid.data(), uuid.size()) == 0;
}

}  // namespace

int runtime_ordinal(const ListedDevice& device) {
  int count = 0;
  ASSAY_CUDA(cudaGetDeviceCount(&count));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    ASSAY_CUDA(cudaGetDeviceProperties(&properties, ordinal));
    // The runtime of some drivers names a MIG slice by its whole GPU's UUID; a process sees one
    // slice at most, so that this is no ambiguity.
    if (has_uuid(properties, device.uuid) || has_uuid(properties, device.gpu_uuid)) {
      return ordinal;
    }
  }
  throw std::runtime_error("the CUDA runtime lists no device " + device.identity.uuid);
}

}  // namespace assay
