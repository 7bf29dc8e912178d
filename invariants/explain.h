// SPDX-License-Identifier: Apache-2.0
// What does an invariant claim, for which devices, and what is to be done when it fails?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "invariants/catalog.h"

namespace assay {

/// The claims one by one, without the bands of ratio and range: "latency.l2 >= 3 x latency.l1",
/// "dram_bw.write / dram_bw.read".
std::vector<std::string> claims_of(const Check& check);

/// One band in words: "in 0.94 to 1.01 of 128", with the devices it is for: "9.0, not H20".
struct BandWords {
  std::string limits;
  std::string devices;  ///< "every device" where nothing limits it
};
BandWords words_of(const Band& band);

/// Where it applies, in words: "compute capability 9.0", "tensor cores", "level full only".
std::vector<std::string> conditions_of(const Catalog& catalog, const Invariant& invariant);

/// Everything about one invariant, as a person reads it. With a device its band is said, or why it
/// does not apply there.
std::string explanation(const Catalog& catalog, const Invariant& invariant,
                        const std::optional<DeviceIdentity>& device);
/// The same for machines: one JSON object.
std::string explanation_json(const Catalog& catalog, const Invariant& invariant,
                             const std::optional<DeviceIdentity>& device);

/// Ids and titles, one line each.
std::string invariant_list(const Catalog& catalog);

/// The table of invariants/README.md: one line each with id, title, check and why.
std::string markdown_table(const Catalog& catalog);

}  // namespace assay
