// SPDX-License-Identifier: Apache-2.0
// What did a driver library answer, or in its own words why not?
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace assay {

/// A value, or the library's own word for why there is none ("Not Supported").
template <typename T>
struct Answer {
  std::optional<T> value;
  std::string why;  ///< empty when there is a value
  explicit operator bool() const { return value.has_value(); }
};

template <typename T>
Answer<T> no_answer(std::string why) {
  return {std::nullopt, std::move(why)};
}

}  // namespace assay
