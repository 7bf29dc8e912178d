// SPDX-License-Identifier: Apache-2.0
// What would a fault have changed in the facts of a run? The faults whose detection is promised.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dossiers/dossier.h"

namespace assay {

struct Plant {
  std::string id;     ///< "dram_loss_2"
  std::string title;  ///< "2 % of the DRAM bandwidth lost"
  std::string model;  ///< which facts it changes, and by what reasoning
};

/// All of them, in the order of the report.
const std::vector<Plant>& plants();

/// The dossier as the device would have measured it with the fault. Throws std::invalid_argument on
/// an id that is no plant.
Dossier planted(Dossier dossier, std::string_view id);

}  // namespace assay
