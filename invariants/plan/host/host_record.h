// SPDX-License-Identifier: Apache-2.0
// What do the certificates of one host's GPUs say together? host.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/verdict.h"

namespace assay {

/// One GPU of the host, and what its run came to.
struct HostDevice {
  std::int64_t index = 0;  ///< in PCI order; what the peer matrix and the paths name it by
  std::string uuid, name, pci_bus_id, driver;
  std::optional<std::int64_t> numa_node;
  Outcome verdict = Outcome::no_evidence;
  bool provisional = false;
  std::string reason;              ///< empty for a pass alone
  std::string run_id;              ///< empty when no run was begun
  std::string folder;              ///< of the run, relative to where runs are kept
  std::string certificate_sha256;  ///< of the file; empty without one
};

/// What the PCIe ways of two GPUs meet in; each pair once.
struct HostPath {
  std::int64_t from = 0, to = 0;
  std::string through;  ///< "one NUMA node"; empty when the driver does not say
};

/// One cell of a peer matrix.
struct PeerCell {
  std::string entry;  ///< "peer_read"
  std::int64_t from = 0, to = 0;
  std::optional<double> value;
  Unit units = Unit::gb_per_s;
  std::string reason;  ///< why there is no value
};

struct HostRecord {
  std::string run_id;
  SuiteIdentity suite;
  std::string created_utc;
  Level level = Level::quick;
  std::optional<std::int64_t> expected;  ///< how many GPUs were asked for
  Outcome verdict = Outcome::no_evidence;
  std::string reason;  ///< empty for a pass alone
  std::vector<HostDevice> devices;
  std::vector<HostPath> paths;
  std::vector<PeerCell> peers;
};

/// The worst of the GPUs: fail, no_evidence, inconclusive, not_applicable, waived, pass. Fewer GPUs
/// than were asked for, or none, are no evidence. Sets `verdict` and `reason`.
void judge_host(HostRecord& record);

/// The rows of the peer matrix that this GPU measured: those from its own index.
void add_peers(const Dossier& dossier, std::int64_t index, std::vector<PeerCell>& peers);

/// The document (dossiers/schema/host.schema.json).
std::string host_text(const HostRecord& record);
/// Throws DataError on anything the schema does not allow, and for a verdict that its devices do
/// not give.
HostRecord read_host(const std::filesystem::path& file);

/// Verdict first, a line for each GPU, ways and peer matrix.
std::string host_summary(const HostRecord& record);

}  // namespace assay
