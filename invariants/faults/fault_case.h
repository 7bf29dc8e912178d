// SPDX-License-Identifier: Apache-2.0
// Which faults are made on a device, and what must become of the invariants then?
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"
#include "invariants/verdict.h"

namespace assay {

/// One fault. A demand names an invariant, or as "probe:<name>" all that need a fact of that probe,
/// drift apart.
struct FaultCase {
  std::string id;                   ///< "hog_dram"
  std::string what;                 ///< one line
  std::string hog;                  ///< kind of hog in another process; empty: `build` has it
  std::string build;                ///< suffix of the probes' faulty builds; empty: `hog` has it
  std::vector<std::string> probes;  ///< measured under the fault
  std::vector<std::string> beside;  ///< measured on the healthy device
  std::vector<std::string> fail, inconclusive, not_pass;
};

/// Reads the table. Throws DataError: unknown keys, an id twice, neither or both of hog and build,
/// no demand, a demand that names nothing in `catalog` or nothing that the probes' facts decide.
std::vector<FaultCase> read_faults(const std::filesystem::path& file, const Catalog& catalog);

/// Outcomes by invariant.
using Outcomes = std::map<std::string, Outcome>;

/// Of every invariant that needs a fact of `probes`; drift of a family is held against `healthy`,
/// what the device measured without a fault, as its pin.
Outcomes outcomes_of(const Catalog& catalog, const Dossier& dossier,
                     const std::vector<std::string>& probes, const Dossier& healthy);

/// The invariants that a demand stands for.
std::vector<std::string> demanded(const std::string& demand, const Catalog& catalog);

/// What came of a fault.
struct FaultResult {
  Outcome outcome = Outcome::no_evidence;
  /// Why it is no pass: each demand that was not met, or why none could be asked.
  std::vector<std::string> problems;
};

/// Pure. `healthy` and `faulty` are the outcomes before and under the fault. Pass: each demand is
/// met. Fail: one is not. Inconclusive: one of the invariants in question does not pass on the
/// healthy device, so that its outcome under the fault says nothing.
FaultResult judge_fault(const FaultCase& fault, const Catalog& catalog, const Outcomes& healthy,
                        const Outcomes& faulty);

}  // namespace assay
