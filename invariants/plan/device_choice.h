// SPDX-License-Identifier: Apache-2.0
// Which one device is measured? Named by UUID or index, or the only one there is; never guessed.
#pragma once

#include <string>

#include "dossiers/identity.h"

namespace assay {

/// The device that `wanted` (UUID, index in PCI order, or empty) names. Throws NoDevice when there
/// is none at all, BadChoice listing what is there when `wanted` names none or is needed and empty.
DeviceIdentity choose_device(const std::string& wanted);

}  // namespace assay
