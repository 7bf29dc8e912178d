// SPDX-License-Identifier: Apache-2.0
// Which names did somebody perhaps mean? For messages only, never to guess.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// At most four of `names` that hold `typed`, are held by it, or are few edits from it, nearest
/// first.
std::vector<std::string> nearest_names(std::string_view typed,
                                       const std::vector<std::string>& names);
/// "; near: a, b" or empty.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names);
/// `typed`, when it is one of `allowed`; else throws std::invalid_argument that names the flag, the
/// value, what is allowed and what is near.
std::string one_of(std::string_view flag, const std::string& typed,
                   const std::vector<std::string>& allowed);

}  // namespace assay
