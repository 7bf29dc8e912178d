// SPDX-License-Identifier: Apache-2.0
// How often would healthy runs fail, and how often would planted faults be seen? A model: it judges
// runs drawn from a recorded one, and says nothing that the record does not hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "invariants/rates/plants.h"
#include "invariants/rates/repeat.h"

namespace assay {

struct Rules;

/// Against which dossier drift was measured.
enum class PinTier {
  same_device,   ///< the recorded run, as this device's
  same_product,  ///< the recorded run, as another device's of the product
};
std::string_view to_string(PinTier tier);

/// Runs of one kind, judged.
struct PowerRow {
  std::string plant;         ///< empty: healthy
  std::string title, model;  ///< what was changed
  PinTier tier = PinTier::same_device;
  std::int64_t runs = 0;
  std::int64_t failed = 0;        ///< judged fail or no_evidence: a false alarm, or a fault seen
  std::int64_t inconclusive = 0;  ///< neither
};

struct PowerModel {
  SuiteIdentity suite;
  std::string product;
  int cc_major = 0, cc_minor = 0;
  Level level = Level::quick;
  std::string judging_sha256;
  std::string run_id;  ///< of the recorded run
  std::uint64_t seed = 0;
  std::int64_t facts_drawn = 0;    ///< with samples to draw from
  std::int64_t facts_between = 0;  ///< of those: their distance between runs was measured too
  std::vector<PowerRow> rows;
};

struct PowerOrder {
  std::int64_t runs = 3000;  ///< healthy ones; faults are planted in every third
  std::uint64_t seed = 1;
  std::function<void(std::int64_t done)> progress;  ///< may be empty
};

/// Judges drawn runs by `rules`. `between` may be null. Throws DataError when the recorded run is
/// without samples or does not itself pass.
PowerModel simulate(const Rules& rules, const Dossier& recorded, const Repeat* between,
                    const PowerOrder& order);

/// The document: canonical.
std::string power_text(const PowerModel& model);
/// Throws DataError on anything the schema does not allow.
PowerModel read_power(const std::filesystem::path& file);
/// A table for a person. Ends with a newline.
std::string power_table(const PowerModel& model);

}  // namespace assay
