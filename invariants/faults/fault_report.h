// SPDX-License-Identifier: Apache-2.0
// What came of the faults, for people and for the record?
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/faults/fault_case.h"

namespace assay {

struct FaultOutcome {
  std::string id;
  std::map<std::string, std::string> probes;  ///< how each probe ended under the fault, and why
  Outcomes healthy, faulty;
  FaultResult result;
};

/// One row a fault: verdict, what failed, what was inconclusive, what passed; problems below.
std::string fault_table(const std::vector<FaultOutcome>& outcomes);

/// A document of kind gpu_run, as ci/record_gpu_run writes them, with the outcomes of each fault's
/// invariants under "faults". `tests` names each as "fault.<id>".
std::string fault_record(const Run& run, const std::vector<FaultOutcome>& outcomes);

/// The outcomes of such a document, to be judged again. Throws DataError.
std::vector<FaultOutcome> read_fault_record(const std::filesystem::path& file);

}  // namespace assay
