// SPDX-License-Identifier: Apache-2.0
// Which one device is measured? Named by UUID or index, or the only one there is; never guessed.
#pragma once

#include <stdexcept>
#include <string>

#include "dossiers/identity.h"

namespace assay {

/// No GPU, no driver or no libcuda: nothing can be measured here.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device that `wanted` (UUID, index in PCI order, or empty) names. Throws NoDevice, or
/// std::runtime_error that lists what is there when `wanted` names none or is needed and empty.
DeviceIdentity choose_device(const std::string& wanted);

}  // namespace assay
