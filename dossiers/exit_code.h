// SPDX-License-Identifier: Apache-2.0
// What does a program's exit code say? The same five words everywhere.
#pragma once

namespace assay {

inline constexpr int kExitPass = 0;
inline constexpr int kExitFail = 1;           ///< fail or no_evidence
inline constexpr int kExitUsage = 2;          ///< usage or I/O
inline constexpr int kExitInconclusive = 75;  ///< try again
inline constexpr int kExitNotApplicable = 77;

}  // namespace assay
