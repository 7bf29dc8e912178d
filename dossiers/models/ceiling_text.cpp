// SPDX-License-Identifier: Apache-2.0
// How are ceilings said?
#include <nlohmann/json.hpp>

#include "dossiers/cli/table.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/models/ceiling.h"

namespace assay {

std::string ceiling_text(const Ceiling& ceiling) {
  std::string text =
      ceiling.device + ", measured " + ceiling.utc + " (run " + ceiling.run_id + ")" +
      (ceiling.recorded ? ": a recorded run, it says nothing of this machine" : "") + "\nvendor: " +
      (ceiling.vendor_card.empty() ? "unknown: " + ceiling.vendor_why : ceiling.vendor_card) +
      "\n\n";
  Table table(
      {"ceiling", "measured", "units", "vendor", "%", "driver", "%", "at clock", "%", "fact"},
      {2, 9});
  for (const CeilingRow& row : ceiling.rows) {
    table.row({row.name, shortest(row.measured, 5), row.units, shortest(row.vendor, 5),
               fixed(row.percent_of_vendor, 1), shortest(row.driver, 5),
               fixed(row.percent_of_driver, 1), shortest(row.at_clock, 5),
               fixed(row.percent_at_clock, 1),
               row.measured ? row.fact : row.fact + ": " + row.why});
  }
  return text + table.text() +
         "driver: from the driver's memory clock and bus width; at clock: the rate per clock times "
         "the clock held\n";
}

std::string ceiling_json(const Ceiling& ceiling) {
  const SuiteIdentity& suite = this_suite();
  nlohmann::ordered_json json;
  json["schema"] = kSchemaVersion;
  json["kind"] = "ceiling";
  json["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  json["device"] = ceiling.device;
  json["run_id"] = ceiling.run_id;
  json["created_utc"] = ceiling.utc;
  json["recorded"] = ceiling.recorded;
  json["vendor_card"] = ceiling.vendor_card.empty() ? nlohmann::ordered_json()
                                                    : nlohmann::ordered_json(ceiling.vendor_card);
  if (ceiling.vendor_card.empty()) json["vendor_reason"] = ceiling.vendor_why;
  json["ceilings"] = nlohmann::ordered_json::array();
  for (const CeilingRow& row : ceiling.rows) {
    nlohmann::ordered_json one;
    one["name"] = row.name;
    one["fact"] = row.fact;
    one["units"] = row.units;
    one["measured"] = number_or_null(row.measured);
    if (!row.measured) one["reason"] = row.why;
    one["vendor"] = number_or_null(row.vendor);
    one["percent_of_vendor"] = number_or_null(row.percent_of_vendor);
    one["driver"] = number_or_null(row.driver);
    one["percent_of_driver"] = number_or_null(row.percent_of_driver);
    one["at_clock"] = number_or_null(row.at_clock);
    one["percent_at_clock"] = number_or_null(row.percent_at_clock);
    json["ceilings"].push_back(one);
  }
  return json_text(json);
}

}  // namespace assay
