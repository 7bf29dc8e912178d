// SPDX-License-Identifier: Apache-2.0
// A host with two pretended GPUs and a plan of three probes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "invariants/plan/failopen/planted.h"
#include "invariants/plan/host/host_record.h"

namespace assay {

class HostTree : public PlantedTree {
 protected:
  void SetUp() override;
  void TestBody() override {}

  /// `assay certify --all --out out <more>`
  Said certify_all(const std::vector<std::string>& more = {});
  /// Tells a probe how to misbehave on one GPU alone.
  void tell_on(const std::string& uuid, const std::string& probe, const std::string& mode);

  /// The only host document under work_/<out>; fails without exactly one.
  HostRecord record(const std::string& out = "out") const;
  bool has_record(const std::string& out = "out") const;
  /// The only run of a GPU.
  std::filesystem::path run_of(const std::string& uuid, const std::string& out = "out") const;
  std::string verdict_of(const std::string& uuid, const std::string& out = "out") const;
  /// Waits for a file to be there; false after half a minute.
  static bool comes(const std::filesystem::path& file);

  std::string first_, second_;  ///< UUIDs in PCI order
};

}  // namespace assay
