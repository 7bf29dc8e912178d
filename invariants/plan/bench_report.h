// SPDX-License-Identifier: Apache-2.0
// How does what was measured stand beside the figures that it is held against?
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/measurement.h"

namespace assay {

/// One figure that a fact of one product is held against: share/assay/bars.json.
struct Bar {
  std::string device;  ///< as the driver names the product
  std::string fact;    ///< "entry.key", or "entry.*" for each key of the entry
  Unit units = Unit::none;
  std::optional<double> against;   ///< a number, or
  std::string against_fact;        ///< another fact of the same dossier
  std::optional<double> at_least;  ///< of fact / figure; one of the two is there
  std::optional<double> at_most;
  std::string source;  ///< whose figure it is
};

/// Throws DataError: not such a list, an unknown unit, a figure that is not positive, no limit.
std::vector<Bar> load_bars(const std::filesystem::path& file);

enum class Standing { met, below, above, unknown };
std::string_view to_string(Standing standing);

struct BenchRow {
  std::string fact;
  std::optional<double> value, against, ratio;
  Unit units = Unit::none;
  std::optional<double> at_least, at_most;
  Standing standing = Standing::unknown;
  std::string source;
  std::string why;  ///< why it is unknown
};

/// A row for each bar of `device`, in the order of the bars. A fact that is not there, is null, or
/// has another unit stands as unknown, never as met.
std::vector<BenchRow> bench_rows(const std::vector<Bar>& bars, const std::string& device,
                                 const std::map<std::string, Measurement>& entries);

/// A table with a last line that counts; one line that says so when there are no rows.
std::string bench_text(const std::vector<BenchRow>& rows, const std::string& device);

/// {"device", "rows": [...], "met", "short", "unknown"} as text.
std::string bench_json(const std::vector<BenchRow>& rows, const std::string& device);

}  // namespace assay
