// SPDX-License-Identifier: Apache-2.0
// Which device is this in the toolchain's words?
#include "dossiers/identity.h"

namespace assay {

std::string architecture(const DeviceIdentity& device) {
  return "sm_" + std::to_string(device.cc_major) + std::to_string(device.cc_minor);
}

}  // namespace assay
