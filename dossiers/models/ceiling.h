// SPDX-License-Identifier: Apache-2.0
// What can this device really do, beside what its vendor says? A view of a dossier: nothing is
// measured here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dossiers/cards/card.h"
#include "dossiers/dossier.h"

namespace assay {

/// One ceiling on its rungs: stated by the vendor, derived from what the driver says, held at the
/// clock of the measurement, measured. Unknown is null, and so is every percentage of it.
struct CeilingRow {
  std::string name;   ///< "DRAM, read"
  std::string units;  ///< "GB/s" or "TFLOP/s"
  std::string fact;   ///< path of the measured fact
  std::optional<double> measured;
  std::string why;                 ///< why nothing was measured
  std::optional<double> vendor;    ///< of the whole card with exactly this name
  std::optional<double> driver;    ///< from the driver's clock and bus width
  std::optional<double> at_clock;  ///< rate per clock times the clock that was held
  std::optional<double> percent_of_vendor, percent_of_driver, percent_at_clock;
};

struct Ceiling {
  std::string device, run_id, utc;
  bool recorded = false;    ///< not a run of this machine
  std::string vendor_card;  ///< key; empty when unknown
  std::string vendor_why;   ///< why it is unknown
  std::vector<CeilingRow> rows;
};

/// `card` is the one that the driver's name says, or nullptr with the reason `why`.
Ceiling ceiling_of(const Dossier& dossier, const Card* card, const std::string& why);

std::string ceiling_text(const Ceiling& ceiling);
std::string ceiling_json(const Ceiling& ceiling);

}  // namespace assay
