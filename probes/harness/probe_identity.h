// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

extern const char* const kProbeName;
/// Comma-separated: "sm_75,sm_90".
extern const char* const kProbeArchitectures;

}  // namespace assay
