// SPDX-License-Identifier: Apache-2.0
// Does a build claim to hold machine code for a device?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dossiers/identity.h"

namespace assay {

/// "sm_75,sm_90a" as its parts; none for "".
std::vector<std::string> split_architectures(std::string_view text);

/// Machine code runs on its own major version from its own minor version on; "sm_90a" on 9.0 alone.
bool covers(const std::vector<std::string>& architectures, const DeviceIdentity& device);

}  // namespace assay
