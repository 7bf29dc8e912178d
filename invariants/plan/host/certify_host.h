// SPDX-License-Identifier: Apache-2.0
// assay certify --all: every GPU of the host, each in a process of its own, at once. Probes that
// share something take turns (invariants/plan/measure.h); here is nothing that knows which.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "invariants/plan/certification.h"
#include "invariants/plan/host/host_record.h"

namespace assay {

struct HostOrder {
  CertifyOrder certify;  ///< `device_uuid` is not read
  std::optional<std::int64_t> expected;
  std::string sign;  ///< an SSH key, or empty
};

struct HostCertified {
  HostRecord record;
  std::filesystem::path folder;  ///< of host.json
  int code = 1;
};

/// Certifies the devices of `host` (look_at_host) and writes the host's document. `say` gets a line
/// when one has ended; never two at once. A child that crashes or hangs costs its own GPU its
/// verdict and no other. The code is the verdict's; 2 when what stands against a pass is only that
/// files could not be written or a child was called wrongly. Throws Interrupted, and then leaves no
/// host document.
HostCertified certify_host(const HostOrder& order, const HostRecord& host,
                           const std::function<void(const std::string&)>& say);

}  // namespace assay
