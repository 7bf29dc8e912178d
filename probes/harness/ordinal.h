// SPDX-License-Identifier: Apache-2.0
// Which number does the CUDA runtime give to a device that the driver listed?
#pragma once

#include "dossiers/driver/device_list.h"

namespace assay {

/// The runtime's ordinal of the device with this UUID; never an index taken over from elsewhere.
/// Throws std::runtime_error when the runtime does not list it, CudaError when it cannot say.
int runtime_ordinal(const ListedDevice& device);

}  // namespace assay
