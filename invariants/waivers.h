// SPDX-License-Identifier: Apache-2.0
// Which failures are known, accepted for a while, and by whom?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"
#include "invariants/verdict.h"

namespace assay {

struct Waiver {
  std::string id, invariant;
  std::string device_uuid;             ///< "sha256:<16 hex>" as in a redacted dossier; or empty
  std::string device_name;             ///< the product name; or empty
  std::string driver_min, driver_max;  ///< inclusive dotted versions
  std::string issue, author;
  std::string expires;  ///< "2027-03-31", the last day it holds
  bool operator==(const Waiver&) const = default;
};

/// What a waiver did to a verdict.
struct WaiverUse {
  std::string id, invariant, issue, author, expires;
  bool expired = false;
};

/// Throws DataError on unknown keys, bad dates or versions, duplicate ids, unknown invariants.
std::vector<Waiver> load_waivers(const std::filesystem::path& file, const Catalog& catalog);

/// Turns a failed verdict into waived when a waiver names its invariant, device and driver and had
/// not expired when the dossier was made; an expired one leaves fail and is named in the reason.
/// Only `fail` can be waived: missing evidence cannot. Returns the waiver that matched.
std::optional<WaiverUse> apply_waivers(const std::vector<Waiver>& waivers, const Dossier& dossier,
                                       Verdict& verdict);

}  // namespace assay
