// SPDX-License-Identifier: Apache-2.0
// Which GPUs does this host have, and what did the run of each come to?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dossiers/identity.h"
#include "invariants/plan/host/host_record.h"
#include "invariants/plan/judging.h"

namespace assay {

/// The GPUs that this process sees, in PCI order, and the ways between them; no run is known yet.
/// Throws NoDevice.
HostRecord look_at_host();

/// The same GPUs, each with all that is known of it. Throws NoDevice.
std::vector<DeviceIdentity> devices_of_host();

/// What the run in `folder` (under `out`) says of its device, and its row of the peer matrix. The
/// dossier is judged again and audited: a certificate that is not what its evidence gives fails.
/// A run without one leaves no_evidence.
void add_run(const Judging& how, const std::filesystem::path& out,
             const std::filesystem::path& folder, HostDevice& device, std::vector<PeerCell>& peers);

/// Writes <out>/host/<run id>/host.json and summary.txt; the folder. Throws std::runtime_error.
std::filesystem::path write_host(const HostRecord& record, const std::filesystem::path& out);

}  // namespace assay
