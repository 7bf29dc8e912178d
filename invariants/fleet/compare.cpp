// SPDX-License-Identifier: Apache-2.0
// The layers "host peers", "cohort" and "ceiling": how far from the middle is each device, each
// rack, each cohort?
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "dossiers/drift.h"
#include "invariants/fleet/judge_detail.h"

namespace assay::detail {
namespace {

constexpr double kSixth = 1.0 / 6.0;    // drift's tolerances are six standard deviations
constexpr double kLeastFloor = 1e-4;    // relative: what a clock of a few MHz can tell apart
constexpr double kGroupZ = 4.0;         // of comparisons with few or fixed others
constexpr std::size_t kLeastPeers = 2;  // others on the host
constexpr std::size_t kLeastOfHost = 4, kLeastOfRack = 8;
const double kMedianError = std::sqrt(std::numbers::pi / 2.0);  // of a median, over a mean's

double floor_of(const FleetOptions& options, const FactNames::Name& name) {
  const auto known = options.repeatability.find(name.path);
  if (known != options.repeatability.end()) return std::max(known->second, kLeastFloor);
  return kSixth * usual_move(name.path, name.unit, true);
}

/// How much worse `off` (a difference of logarithms) is; of a ratio, how far away.
double loss_of(double off, int better) {
  return better == 0 ? std::abs(off) : -better * off;
}

bool beyond_margin(double loss, const FleetOptions& options) {
  return loss > -std::log1p(-options.margin);
}

const FleetReference* reference_for(const Stage& stage, const FleetCohort& cohort) {
  const FleetRun& run = stage.evidence.runs[stage.judgement.gpus[cohort.gpus.front()].run];
  for (const FleetReference& reference : stage.options.references) {
    if (reference.product == run.device.name && reference.cc_major == run.device.cc_major &&
        reference.cc_minor == run.device.cc_minor && reference.ecc == run.device.ecc &&
        reference.mig == run.device.mig) {
      return &reference;
    }
  }
  return nullptr;
}

/// The approved device has its own place in the spread of its kind, and the median an error.
void compare_with_reference(FleetSpread& fact, const Spread& spread, int better,
                            const FleetOptions& options) {
  const double off = std::log(fact.median / *fact.reference);
  const double loss = loss_of(off, better);
  const double error =
      spread.scale * std::sqrt(1.0 + std::numbers::pi / 2.0 / static_cast<double>(fact.devices));
  fact.shift = std::expm1(off);
  fact.shifted = beyond_margin(loss, options) && loss / error >= kGroupZ;
}

FleetSpread summary_of(const Column& column, std::uint32_t id, double floor, double usual_ceiling) {
  FleetSpread fact;
  fact.id = id;
  fact.devices = column.cells.size();
  fact.median = std::exp(column.spread.median) * usual_ceiling;
  fact.scale = column.spread.scale;
  fact.floor = floor;
  constexpr std::size_t kMiddleBin = kFleetBins / 2;
  constexpr auto kMiddle = static_cast<double>(kMiddleBin);
  for (const Column::Cell& cell : column.cells) {
    const double step = std::round(2.0 * (cell.y - column.spread.median) / column.spread.scale);
    ++fact.bins[static_cast<std::size_t>(kMiddle + std::clamp(step, -kMiddle, kMiddle))];
  }
  return fact;
}

double ceiling_of(const FleetRun& run, std::uint32_t id) {
  const auto found = std::find_if(run.facts.begin(), run.facts.end(),
                                  [id](const FleetFact& fact) { return fact.id == id; });
  return found->ceiling;
}

void compare_cohort(Stage& stage, FleetCohort& cohort, std::map<std::uint32_t, Column>& columns) {
  const FleetReference* reference = reference_for(stage, cohort);
  if (reference != nullptr) cohort.reference_run = reference->run_id;
  for (auto& [id, column] : columns) {
    const FactNames::Name& name = stage.evidence.names.name(id);
    const double floor = floor_of(stage.options, name);
    std::vector<double> values;
    for (const Column::Cell& cell : column.cells) values.push_back(cell.y);
    column.better = better_way(name.unit);
    column.spread = spread_of(std::move(values), floor, column.better);
    const auto& first = stage.judgement.gpus[column.cells.front().gpu];
    FleetSpread fact =
        summary_of(column, id, floor, ceiling_of(stage.evidence.runs[first.run], id));
    if (reference != nullptr) {
      const auto value = reference->values.find(name.path);
      if (value != reference->values.end()) {
        fact.reference = value->second;
        compare_with_reference(fact, column.spread, column.better, stage.options);
      }
    }
    cohort.facts.push_back(fact);
  }
  std::sort(cohort.facts.begin(), cohort.facts.end(),
            [&stage](const FleetSpread& a, const FleetSpread& b) {
              return stage.evidence.names.name(a.id).path < stage.evidence.names.name(b.id).path;
            });
}

struct Alarm {
  std::size_t cohort = 0;
  std::uint32_t id = 0;
  Column::Cell cell;
  double p = 1.0;
};

double tail_of(double loss, const Spread& spread, int better) {
  const double one_side = upper_tail(loss / spread.scale, spread.degrees);
  return better == 0 ? 2.0 * one_side : one_side;
}

/// Every pair of device and fact is a test; those that could be an alarm are kept.
std::vector<Alarm> test_all(Stage& stage) {
  std::vector<Alarm> small;
  for (std::size_t c = 0; c < stage.columns.size(); ++c) {
    for (const auto& [id, column] : stage.columns[c]) {
      stage.judgement.tests += column.cells.size();
      for (const Column::Cell& cell : column.cells) {
        const double loss = loss_of(cell.y - column.spread.median, column.better);
        const double p = tail_of(loss, column.spread, column.better);
        if (p <= stage.options.q) small.push_back({c, id, cell, p});
      }
    }
  }
  return small;
}

/// Against the middle of the host's other devices of the cohort.
bool worse_than_host(const Stage& stage, const Column& column, const Column::Cell& cell) {
  const auto& runs = stage.evidence.runs;
  const std::string& host = runs[stage.judgement.gpus[cell.gpu].run].host;
  const auto on_host = [&](const Column::Cell& other) {
    return runs[stage.judgement.gpus[other.gpu].run].host == host;
  };
  // Devices stand by host, so the host's lie around this one.
  const auto own = std::lower_bound(
      column.cells.begin(), column.cells.end(), cell.gpu,
      [](const Column::Cell& other, std::uint32_t gpu) { return other.gpu < gpu; });
  std::vector<double> others;
  for (auto other = std::next(own); other != column.cells.end() && on_host(*other); ++other) {
    others.push_back(other->y);
  }
  for (auto other = own; other != column.cells.begin() && on_host(*std::prev(other)); --other) {
    others.push_back(std::prev(other)->y);
  }
  if (others.size() < kLeastPeers) return false;
  const double loss = loss_of(cell.y - *median(std::move(others)), column.better);
  return beyond_margin(loss, stage.options) && loss / column.spread.scale >= kGroupZ;
}

void confirm(const Stage& stage, const Column& column, const Alarm& alarm, FleetFinding& finding) {
  const auto& list = stage.runs_of[alarm.cell.gpu];
  if (list.size() < 2) return;
  const auto before = log_ratio(stage.evidence.runs[list[list.size() - 2]], alarm.id);
  if (!before) return;
  const double off = *before - column.spread.median;
  const double loss = loss_of(off, column.better);
  finding.before = std::expm1(off);
  finding.confirmed = beyond_margin(loss, stage.options) &&
                      tail_of(loss, column.spread, column.better) <= stage.options.q;
}

FleetFinding finding_of(const Stage& stage, const Column& column, const Alarm& alarm) {
  const FactNames::Name& name = stage.evidence.names.name(alarm.id);
  const FleetRun& run = stage.evidence.runs[stage.judgement.gpus[alarm.cell.gpu].run];
  const double off = alarm.cell.y - column.spread.median;
  FleetFinding finding;
  finding.path = name.path;
  finding.unit = name.unit;
  finding.value = std::exp(alarm.cell.y) * ceiling_of(run, alarm.id);
  finding.effect = std::expm1(off);
  finding.usual = finding.value / (1.0 + finding.effect);
  finding.z = off / column.spread.scale;
  finding.p = alarm.p;
  finding.drift = run.own_dossier &&
                  std::any_of(run.drifted.begin(), run.drifted.end(),
                              [&name](const FleetDrift& drift) { return drift.path == name.path; });
  finding.host_peers = worse_than_host(stage, column, alarm.cell);
  confirm(stage, column, alarm, finding);
  return finding;
}

using Groups = std::map<std::string, std::vector<double>>;

void judge_groups(Stage& stage, std::size_t cohort, std::uint32_t id, const char* kind,
                  std::size_t least, Groups& groups) {
  const Column& column = stage.columns[cohort].at(id);
  for (auto& [name, offs] : groups) {
    if (name.empty() || offs.size() < least || 2 * offs.size() > column.cells.size()) continue;
    const auto devices = static_cast<double>(offs.size());
    const double off = *median(std::move(offs));
    const double loss = loss_of(off, column.better);
    const double z = loss / (kMedianError * column.spread.scale / std::sqrt(devices));
    // Of a host's four to eight devices chance moves the median further than the z-value says.
    if (!beyond_margin(loss, stage.options) || !(z >= 1.5 * kGroupZ)) continue;
    stage.judgement.groups.push_back({kind, name, stage.evidence.names.name(id).path, cohort,
                                      static_cast<std::size_t>(devices), std::expm1(off), z});
  }
}

}  // namespace

void compare_cohorts(Stage& stage) {
  for (FleetCohort& cohort : stage.judgement.cohorts) {
    std::map<std::uint32_t, Column> columns;
    for (const std::size_t gpu : cohort.gpus) {
      if (!cohort.judged) break;
      const FleetRun& run = stage.evidence.runs[stage.judgement.gpus[gpu].run];
      for (const FleetFact& fact : run.facts) {
        columns[fact.id].cells.push_back(
            {static_cast<std::uint32_t>(gpu), std::log(fact.value / fact.ceiling)});
      }
    }
    std::erase_if(columns,
                  [](const auto& item) { return item.second.cells.size() < kLeastCohort; });
    compare_cohort(stage, cohort, columns);
    stage.columns.push_back(std::move(columns));
  }
}

void find_outliers(Stage& stage) {
  FleetJudgement& judgement = stage.judgement;
  const std::vector<Alarm> small = test_all(stage);
  std::vector<double> p;
  p.reserve(small.size());
  for (const Alarm& alarm : small) p.push_back(alarm.p);
  judgement.p_bound = rejected_up_to(std::move(p), judgement.tests, stage.options.q);
  for (const Alarm& alarm : small) {
    const Column& column = stage.columns[alarm.cohort].at(alarm.id);
    const double loss = loss_of(alarm.cell.y - column.spread.median, column.better);
    if (!(alarm.p <= judgement.p_bound) || !beyond_margin(loss, stage.options)) continue;
    judgement.gpus[alarm.cell.gpu].findings.push_back(finding_of(stage, column, alarm));
  }
  for (FleetGpu& gpu : judgement.gpus) {
    std::sort(gpu.findings.begin(), gpu.findings.end(),
              [](const FleetFinding& a, const FleetFinding& b) {
                const double x = std::abs(a.effect), y = std::abs(b.effect);
                return x != y ? x > y : a.path < b.path;
              });
  }
}

void find_groups(Stage& stage) {
  for (std::size_t c = 0; c < stage.columns.size(); ++c) {
    for (const auto& [id, column] : stage.columns[c]) {
      Groups racks, hosts;
      for (const Column::Cell& cell : column.cells) {
        const FleetGpu& gpu = stage.judgement.gpus[cell.gpu];
        const double off = cell.y - column.spread.median;
        racks[gpu.rack].push_back(off);
        hosts[stage.evidence.runs[gpu.run].host].push_back(off);
      }
      judge_groups(stage, c, id, "rack", kLeastOfRack, racks);
      judge_groups(stage, c, id, "host", kLeastOfHost, hosts);
    }
  }
  std::sort(stage.judgement.groups.begin(), stage.judgement.groups.end(),
            [](const FleetGroup& a, const FleetGroup& b) {
              return std::tie(b.kind, a.name, a.path, a.cohort) <
                     std::tie(a.kind, b.name, b.path, b.cohort);
            });
}

}  // namespace assay::detail
