// SPDX-License-Identifier: Apache-2.0
// `assay certify --level soak`
#include "invariants/plan/soak/soak_verb.h"

#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#include "dossiers/json/json_reader.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/probe_list.h"
#include "invariants/plan/soak/soak.h"
#include "invariants/plan/wall_clock.h"

namespace assay {
namespace {

constexpr std::size_t kShown = 10;

std::string fact_line(const SoakRecord& record, const std::string& key, const char* words) {
  const auto health = record.health.find("health");
  if (health == record.health.end() || health->second.facts.count(key) == 0) return "";
  const Fact& fact = health->second.facts.at(key);
  const auto number = as_number(fact.value);
  std::ostringstream line;
  line << "         " << words << ": ";
  if (number) {
    line << *number;
  } else {
    line << "unknown, " << to_string(fact.reason.value_or(NullReason{}));
  }
  return line.str() + "\n";
}

std::string rounds_line(const SoakRecord& record) {
  std::ostringstream line;
  line << "rounds   " << record.rounds_done() << ":";
  for (const auto& [outcome, count] : record.rounds)
    line << " " << count << " " << to_string(outcome);
  if (record.resumed > 0) line << "; resumed " << record.resumed << " times";
  return line.str() + "\n";
}

std::string time_line(const SoakRecord& record) {
  char text[120];
  static_cast<void>(
      std::snprintf(text, sizeof text, "time     %.4g h clean of %.4g h, %.4g h in all\n",
                    record.clean_s / kSecondsPerHour, record.wanted_s / kSecondsPerHour,
                    record.total_s / kSecondsPerHour));
  return text;
}

std::string summary(const Soaked& soaked) {
  const SoakRecord& record = soaked.record;
  std::string text = "soak     " + std::string(to_string(record.verdict)) + "\n";
  text += "device   " + record.device.name + ", " + record.device.uuid + "\n";
  text += time_line(record) + rounds_line(record);
  text += "health   over the whole time\n";
  text += fact_line(record, "ecc_corrected_delta", "errors that ECC corrected");
  text += fact_line(record, "ecc_uncorrected_delta", "errors that ECC could not correct");
  text += fact_line(record, "rows_remapped_delta", "rows of memory replaced");
  text += fact_line(record, "pcie_replays_delta", "PCIe packets sent again");
  text += fact_line(record, "nvlink_recoveries_delta", "NVLink recoveries");
  text += fact_line(record, "xid_events", "Xid events");
  if (!record.reason.empty()) text += "reason   " + record.reason + "\n";
  for (std::size_t i = 0; i < std::min(record.kept.size(), kShown); ++i) {
    const KeptRound& kept = record.kept[i];
    text += std::string(to_string(kept.outcome)) + "  round " + std::to_string(kept.round) + ": " +
            kept.reason + "\n";
  }
  if (record.kept.size() > kShown) {
    text += "and " + std::to_string(record.kept.size() - kShown) + " more in soak.json\n";
  }
  return text + "files in " + soaked.folder.string() + "\n";
}

void show_progress(const SoakRecord& record) {
  if (::isatty(STDERR_FILENO) == 1) {
    std::cerr << "\r\033[K" << soak_progress(record) << std::flush;
  }
}

}  // namespace

int soak_verb(const SoakOptions& options) {
  if (!(options.hours > 0.0 && options.hours <= kMostSoakHours)) {
    throw std::runtime_error("--hours: want a number above 0 and at most 168");
  }
  require_wall_clock(options.share);
  SoakOrder order;
  order.round.layout = this_layout();
  order.round.device = choose_device(options.device);
  order.round.catalog = load_catalog(options.share / "catalog.json");
  order.round.probes = soak_probes(read_probes(options.share / "probes.json"));
  order.out = options.out;
  order.wanted_s = options.hours * kSecondsPerHour;
  const Soaked soaked = soak(order, show_progress);
  if (::isatty(STDERR_FILENO) == 1) std::cerr << "\r\033[K";
  (options.json ? std::cerr : std::cout) << summary(soaked) << std::flush;
  if (options.json) std::cout << soak_text(soaked.record);
  return exit_code(soaked.record.verdict);
}

}  // namespace assay
