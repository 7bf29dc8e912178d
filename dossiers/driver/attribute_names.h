// SPDX-License-Identifier: Apache-2.0
// What are the driver's attributes called?
#pragma once

#include <string>

namespace assay {

/// The highest attribute id that is asked for: well above those that any driver knows today.
inline constexpr int kMaxAttributeId = 400;

/// "warp_size" for 10; "attribute_<id>" for one that has no name here.
std::string attribute_name(int id);

}  // namespace assay
