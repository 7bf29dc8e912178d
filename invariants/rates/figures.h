// SPDX-License-Identifier: Apache-2.0
// Which error rates are known of judging this product? What was counted on devices and what was
// modelled, as recorded files say it; nothing is made up where there is none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "invariants/rates/power.h"
#include "invariants/rates/repeat.h"

namespace assay {

/// A document and the digest of its bytes.
template <typename Document>
struct Recorded {
  Document document;
  std::string sha256;
};

struct RecordedFigures {
  std::vector<Recorded<Repeat>> repeats;
  std::vector<Recorded<PowerModel>> models;
};

/// Every repeat and power document in `folder`, by file name. A folder that is not there holds
/// none. Throws DataError on one that cannot be read, and on a replay: it measured nothing.
RecordedFigures read_figures(const std::filesystem::path& folder);

/// Runs that were counted on devices of the product.
struct MeasuredAlarms {
  std::string sha256;  ///< of repeat.json
  SuiteIdentity suite;
  std::string judging_sha256;
  std::int64_t sessions = 0;
  RepeatTotals totals;
};

/// What a certificate states of error rates. Where one is not known, `absent` says which.
struct CertifiedRates {
  std::optional<MeasuredAlarms> measured;
  std::optional<Recorded<PowerModel>> model;
  std::vector<std::string> absent;
};

/// The figures of that product and level; of several the last by file name.
CertifiedRates rates_for(const RecordedFigures& figures, const DeviceIdentity& device, Level level);

/// One line for each: "0 of 100 (at most 2.95 %, ...)" and where it comes from.
std::string rates_text(const CertifiedRates& rates, const std::string& judging_sha256);

}  // namespace assay
