// SPDX-License-Identifier: Apache-2.0
// How much is a G? By 1000 in rates and counts, by 1024 where memory is sold.
#pragma once

namespace assay {

inline constexpr double kGiga = 1e9;
inline constexpr double kTera = 1e12;
inline constexpr double kGibi = 1073741824.0;  // 2^30

}  // namespace assay
