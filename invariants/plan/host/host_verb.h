// SPDX-License-Identifier: Apache-2.0
// `assay certify --all`: what it asks, what it prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "invariants/plan/host/certify_host.h"
#include "invariants/plan/prepare.h"

namespace assay {

/// How many GPUs one host may be said to have.
inline constexpr std::int64_t kMostDevices = 1024;

/// Certifies every GPU of this host and prints what came of it; the exit code. With `json` the
/// host's document goes to stdout and prose to stderr. Throws NoDevice where there is none and
/// nobody said how many there must be.
int certify_all_verb(const HostOrder& order, bool json);

/// Writes `folder` so that one ctest there certifies every GPU that this host has now. Throws
/// NoDevice.
void prepare_all(const HostOrder& order, Preparation preparation,
                 const std::filesystem::path& folder);

}  // namespace assay
