// SPDX-License-Identifier: Apache-2.0
// How is an invariant told to a person, to a machine and to the README?
#include <algorithm>

#include <nlohmann/json.hpp>

#include "dossiers/json/json_writer.h"
#include "invariants/claims.h"
#include "invariants/columns.h"
#include "invariants/evaluate.h"
#include "invariants/explain.h"

namespace assay {
namespace {

constexpr std::size_t kLabel = 10;
constexpr std::size_t kWidth = 100;

/// A label and a text that goes on below itself where it is longer than the line.
std::string paragraph(const std::string& label, const std::string& text) {
  std::string out = padded(label, kLabel);
  std::size_t column = kLabel;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t word = end - at;
    if (column > kLabel && column + 1 + word > kWidth) {
      out.append("\n").append(kLabel, ' ');
      column = kLabel;
    } else if (column > kLabel) {
      out += ' ';
      ++column;
    }
    out.append(text, at, word);
    column += word;
    at = end + 1;
  }
  return out + "\n";
}

std::string product(const DeviceIdentity& device) {
  std::string cc = std::to_string(device.cc_major);
  cc.append(".").append(std::to_string(device.cc_minor));
  std::string text = device.name.empty() ? "compute capability" : device.name;
  return device.name.empty() ? text.append(" ").append(cc)
                             : text.append(" (").append(cc).append(")");
}

/// Why it is not applicable on the device, or which band it has there; empty when there is nothing
/// to say.
std::string device_line(const Invariant& invariant, const DeviceIdentity& device) {
  std::string text = product(device);
  text.append(": ");
  const std::string why = why_not_applicable(invariant.applies, device);
  if (!why.empty()) return text.append("not applicable, ").append(why);
  if (invariant.check.bands.empty()) return text.append("applies");
  const Band* band = band_for(invariant.check.bands, device);
  return text.append(band == nullptr ? "not applicable, no band for it" : words_of(*band).limits);
}

std::string band_lines(const Check& check) {
  std::string text;
  for (const Band& band : check.bands) {
    const BandWords words = words_of(band);
    std::string band_text = words.limits;
    band_text.append(" for ").append(words.devices);
    text += paragraph(text.empty() ? "bands" : "", band_text);
  }
  return text;
}

std::string comma_list(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : ", ").append(part);
  return text;
}

nlohmann::ordered_json band_json(const Band& band) {
  nlohmann::ordered_json json;
  const BandWords words = words_of(band);
  json["limits"] = words.limits;
  json["devices"] = words.devices;
  json["low"] = band.low ? nlohmann::ordered_json(*band.low) : nullptr;
  json["high"] = band.high ? nlohmann::ordered_json(*band.high) : nullptr;
  json["nominal"] = band.nominal;
  return json;
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

/// The check in one cell: the first claims, then the bands.
std::string check_cell(const Check& check) {
  constexpr std::size_t kShown = 3;
  const std::vector<std::string> claims = claims_of(check);
  std::string text;
  for (std::size_t i = 0; i < std::min(claims.size(), kShown); ++i) {
    text.append(i == 0 ? "" : "; ").append(claims[i]);
  }
  if (claims.size() > kShown) {
    text.append("; and ").append(std::to_string(claims.size() - kShown)).append(" more");
  }
  for (const Band& band : check.bands) {
    const BandWords words = words_of(band);
    text.append(&band == &check.bands.front() ? " " : ", ").append(words.limits);
    if (words.devices != "every device") text.append(" (").append(words.devices).append(")");
  }
  return text;
}

}  // namespace

std::string explanation(const Catalog& catalog, const Invariant& invariant,
                        const std::optional<DeviceIdentity>& device) {
  std::string text = invariant.id;
  text.append(": ").append(invariant.title).append("\n\n");
  bool first = true;
  for (const std::string& claim : claims_of(invariant.check)) {
    text += paragraph(first ? "claims" : "", claim);
    first = false;
  }
  text += band_lines(invariant.check);
  const std::vector<std::string> conditions = conditions_of(catalog, invariant);
  if (!conditions.empty()) text += paragraph("applies", comma_list(conditions));
  if (invariant.max_spread) {
    std::string spread = "above ";
    spread.append(percent_text(*invariant.max_spread)).append(" in a fact makes it inconclusive");
    text += paragraph("spread", spread);
  }
  if (device) text += paragraph("here", device_line(invariant, *device));
  text += paragraph("probes", comma_list(invariant.probes));
  text.append("\n").append(paragraph("why", invariant.why));
  text.append(paragraph("catches", invariant.catches));
  text.append(paragraph("usually", invariant.usually));
  if (!invariant.close_because.empty()) text.append(paragraph("close", invariant.close_because));
  return text.append(paragraph("next", invariant.next));
}

std::string explanation_json(const Catalog& catalog, const Invariant& invariant,
                             const std::optional<DeviceIdentity>& device) {
  nlohmann::ordered_json json;
  json["kind"] = "explanation";
  json["id"] = invariant.id;
  json["title"] = invariant.title;
  json["check"] = to_string(invariant.check.kind);
  json["claims"] = claims_of(invariant.check);
  json["bands"] = nlohmann::ordered_json::array();
  for (const Band& band : invariant.check.bands) json["bands"].push_back(band_json(band));
  json["applies"] = conditions_of(catalog, invariant);
  json["max_spread"] =
      invariant.max_spread ? nlohmann::ordered_json(*invariant.max_spread) : nullptr;
  json["probes"] = invariant.probes;
  if (device) json["here"] = device_line(invariant, *device);
  json["why"] = invariant.why;
  json["catches"] = invariant.catches;
  json["usually"] = invariant.usually;
  if (!invariant.close_because.empty()) json["close_because"] = invariant.close_because;
  json["next"] = invariant.next;
  return json_text(json);
}

std::string invariant_list(const Catalog& catalog) {
  std::size_t width = 0;
  for (const Invariant& invariant : catalog.invariants) {
    width = std::max(width, invariant.id.size());
  }
  std::string text;
  for (const Invariant& invariant : catalog.invariants) {
    text += padded(invariant.id, width + 2) + invariant.title + "\n";
  }
  return text;
}

std::string markdown_table(const Catalog& catalog) {
  std::string text = "| id | what must hold | check | why |\n|---|---|---|---|\n";
  for (const Invariant& invariant : catalog.invariants) {
    text.append("| `").append(invariant.id).append("` | ").append(cell(invariant.title));
    text.append(" | ").append(cell(check_cell(invariant.check)));
    text.append(" | ").append(cell(invariant.why)).append(" |\n");
  }
  return text;
}

}  // namespace assay
