// SPDX-License-Identifier: Apache-2.0
// May this process open the driver's device files? Where it may not, the driver sees no GPU and
// says nothing more.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

/// "/dev/nvidia0: Permission denied", the first of the driver's files in `folder` that cannot be
/// opened for reading and writing; empty when all can or there is none.
std::string refused_device_file(const std::filesystem::path& folder = "/dev");

}  // namespace assay
