// SPDX-License-Identifier: Apache-2.0
// Which error rates are known of judging this product?
#include "invariants/rates/figures.h"

#include <algorithm>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

template <typename Document>
bool is_of(const Document& document, const DeviceIdentity& device, Level level) {
  return document.product == device.name && document.cc_major == device.cc_major &&
         document.cc_minor == device.cc_minor && document.level == level;
}

std::string absence(const char* what, const DeviceIdentity& device, Level level) {
  return std::string(what) + ": none recorded for " + device.name + " at level " +
         std::string(to_string(level));
}

std::string made_with(const std::string& theirs, const std::string& ours) {
  return theirs == ours ? "" : ", by other rules";
}

/// The row of the model that is the lowest power, and the healthy one, against the device's own
/// pin.
std::string model_text(const PowerModel& model, const std::string& other) {
  const PowerRow* healthy = nullptr;
  const PowerRow* weakest = nullptr;
  for (const PowerRow& row : model.rows) {
    if (row.tier != PinTier::same_device) continue;
    const PowerRow*& slot = row.plant.empty() ? healthy : weakest;
    if (slot == nullptr || row.failed * slot->runs < slot->failed * row.runs) slot = &row;
  }
  std::string text = "model    ";
  if (healthy != nullptr) {
    text += "false alarms " + rate_text(healthy->failed, healthy->runs) + "\n         ";
  }
  if (weakest != nullptr) {
    text += "planted faults seen, the worst of all: " + weakest->title + ", " +
            std::to_string(weakest->failed) + " of " + std::to_string(weakest->runs);
  }
  return text + other + "\n";
}

}  // namespace

RecordedFigures read_figures(const std::filesystem::path& folder) {
  RecordedFigures figures;
  for (const std::filesystem::path& file : json_files(folder)) {
    const std::string sha256 = sha256_hex(read_file(file));
    const std::string kind = read_json(file).at("kind").string();
    if (kind == "power") {
      figures.models.push_back({read_power(file), sha256});
      continue;
    }
    Repeat repeat = read_repeat(file);
    if (repeat.replay) throw DataError(file.string() + ": is a replay, which measured nothing");
    figures.repeats.push_back({std::move(repeat), sha256});
  }
  return figures;
}

CertifiedRates rates_for(const RecordedFigures& figures, const DeviceIdentity& device,
                         Level level) {
  CertifiedRates rates;
  for (const auto& [repeat, sha256] : figures.repeats) {
    if (!is_of(repeat, device, level)) continue;
    rates.measured =
        MeasuredAlarms{sha256, repeat.suite, repeat.judging_sha256,
                       static_cast<std::int64_t>(repeat.sessions.size()), totals_of(repeat)};
  }
  for (const auto& recorded : figures.models) {
    if (is_of(recorded.document, device, level)) rates.model = recorded;
  }
  if (!rates.measured) rates.absent.push_back(absence("measured false alarms", device, level));
  if (!rates.model) rates.absent.push_back(absence("modelled power", device, level));
  return rates;
}

std::string rates_text(const CertifiedRates& rates, const std::string& judging_sha256) {
  std::string text;
  if (rates.measured) {
    const MeasuredAlarms& measured = *rates.measured;
    text += "alarms   false in " + rate_text(measured.totals.failed, measured.totals.decided) +
            " decided runs of this product" + made_with(measured.judging_sha256, judging_sha256) +
            "\n";
  }
  if (rates.model) {
    text += model_text(rates.model->document,
                       made_with(rates.model->document.judging_sha256, judging_sha256));
  }
  for (const std::string& absent : rates.absent) text += "unknown  " + absent + "\n";
  return text;
}

}  // namespace assay
