// SPDX-License-Identifier: Apache-2.0
// Which one device is measured? Named by UUID or index, or the only one there is; never guessed.
#pragma once

#include <string>
#include <vector>

#include "dossiers/identity.h"

namespace assay {

/// The device that `wanted` (UUID, index in PCI order, or empty) names. Throws NoDevice when there
/// is none at all, BadChoice listing what is there when `wanted` names none or is needed and empty.
DeviceIdentity choose_device(const std::string& wanted);

/// The UUIDs of all devices that this process sees, sorted; `own` alone where the driver counts one
/// GPU, which takes a hundredth of the time that listing takes. Throws NoDevice.
std::vector<std::string> uuids_of_host(const std::string& own);

}  // namespace assay
