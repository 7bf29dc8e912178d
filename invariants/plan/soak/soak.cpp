// SPDX-License-Identifier: Apache-2.0
// Does the GPU still compute and remember exactly after hours of it?
#include "invariants/plan/soak/soak.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include "dossiers/dossier.h"
#include "dossiers/driver/device_list.h"
#include "invariants/evaluate.h"
#include "invariants/plan/run_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 100;
/// Contended rounds do not count; a GPU that is never alone ends the soak here.
constexpr double kMostOfWanted = 2.0;

/// NVML's view of the device, for as long as the soak lasts.
class Watched {
 public:
  explicit Watched(const std::string& uuid) {
    order_devices_by_pci();
    nvml_ = load_nvml(why_);
    const LibCuda cuda;
    const auto devices = list_devices(cuda, nvml_.get(), why_);
    handle_ = devices.at(select_device(devices, uuid)).nvml_handle;
    xids_ = std::make_unique<XidWatch>(nvml_, handle_);
  }
  HealthCounters counters() const {
    return nvml_ == nullptr || handle_ == nullptr ? unknown_health(why_)
                                                  : read_health(*nvml_, handle_);
  }
  Answer<std::vector<std::uint64_t>> xids() { return xids_->events(); }

 private:
  std::string why_ = "NVML does not list the device";
  std::shared_ptr<const Nvml> nvml_;
  NvmlHandle handle_ = nullptr;
  std::unique_ptr<XidWatch> xids_;
};

void require_same(const std::string& file, const char* what, const std::string& theirs,
                  const std::string& ours) {
  if (theirs != ours) {
    throw DataError(file + ": an unfinished soak of another " + what + " (" + theirs + ", now " +
                    ours + "); finish it as it was begun, or give another --out");
  }
}

void require_same_soak(const fs::path& file, const SoakRecord& record, const SoakOrder& order) {
  const std::string name = file.string();
  require_same(name, "driver", record.device.driver, order.round.device.driver);
  require_same(name, "build", record.suite.commit, this_suite().commit);
  require_same(name, "length", std::to_string(record.wanted_s / kSecondsPerHour) + " h",
               std::to_string(order.wanted_s / kSecondsPerHour) + " h");
}

/// The newest soak of the device that was not finished.
std::optional<Soaked> unfinished(const SoakOrder& order) {
  std::optional<Soaked> newest;
  std::error_code absent;
  const fs::path device = order.out / device_folder(order.round.device.uuid);
  for (const auto& entry : fs::directory_iterator(device, absent)) {
    const fs::path file = entry.path() / "soak.json";
    if (entry.path().filename().string().rfind("soak-", 0) != 0 || !fs::exists(file)) continue;
    SoakRecord record = read_soak(file);
    if (record.finished) continue;
    require_same_soak(file, record, order);
    if (!newest || newest->record.run_id < record.run_id) {
      newest = Soaked{entry.path(), std::move(record)};
    }
  }
  return newest;
}

Soaked begin(const SoakOrder& order, const HealthCounters& before) {
  Soaked soaked;
  SoakRecord& record = soaked.record;
  record.run_id = new_run_id();
  record.suite = this_suite();
  record.device = order.round.device;
  record.created_utc = record.updated_utc = utc_now();
  record.wanted_s = order.wanted_s;
  record.before = before;
  record.reason = "not finished";
  soaked.folder = order.out / device_folder(order.round.device.uuid) / ("soak-" + record.run_id);
  std::error_code error;
  fs::create_directories(soaked.folder, error);
  if (error) {
    throw std::runtime_error(soaked.folder.string() +
                             ": cannot make the folder: " + error.message());
  }
  write_soak(record, soaked.folder / "soak.json");
  return soaked;
}

/// rounds/000012: one that a kill interrupted keeps its folder and its number.
fs::path next_folder(const Soaked& soaked, std::uint64_t& number) {
  number = soaked.record.rounds_done() + 1;
  for (;; ++number) {
    char name[32];
    static_cast<void>(
        std::snprintf(name, sizeof name, "%06llu", static_cast<unsigned long long>(number)));
    fs::path folder = soaked.folder / "rounds" / name;
    std::error_code absent;
    if (!fs::exists(folder, absent)) return folder;
  }
}

void take(const RoundResult& result, std::uint64_t number, double seconds, SoakRecord& record) {
  ++record.rounds[result.outcome];
  record.total_s += seconds;
  if (result.outcome == Outcome::pass) {
    record.clean_s += seconds;
    return;
  }
  if (record.kept.size() < kMostKept) {
    record.kept.push_back({number, result.outcome, result.reason});
  }
  if (result.outcome == Outcome::fail && record.first_fault.empty()) {
    record.first_fault = "round " + std::to_string(number) + ": " + result.reason;
  }
}

bool goes_on(const SoakRecord& record) {
  if (record.rounds_done() == 0) return true;
  if (record.rounds_of(Outcome::not_applicable) > 0) return false;  // it will not apply later
  return record.clean_s < record.wanted_s && record.total_s < kMostOfWanted * record.wanted_s;
}

void run_one(const SoakOrder& order, Soaked& soaked) {
  std::uint64_t number = 0;
  const fs::path folder = next_folder(soaked, number);
  const auto start = std::chrono::steady_clock::now();
  const RoundResult result = run_round(order.round, folder);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  take(result, number, took.count(), soaked.record);
  const bool is_kept = !soaked.record.kept.empty() && soaked.record.kept.back().round == number;
  if (!is_kept) {
    std::error_code ignored;  // a folder too many is no fault of the GPU
    fs::remove_all(folder, ignored);
  }
  soaked.record.updated_utc = utc_now();
}

/// The catalogue's health invariants over the whole soak.
std::vector<std::pair<Outcome, std::string>> health_verdicts(const SoakOrder& order,
                                                             const SoakRecord& record) {
  Dossier dossier;
  dossier.device = record.device;
  dossier.level = Level::full;
  dossier.entries = record.health;
  dossier.probes["memory_health"].status = ProbeStatus::measured;
  std::vector<std::pair<Outcome, std::string>> verdicts;
  for (const Invariant& invariant : order.round.catalog.invariants) {
    const auto paths = paths_of(invariant.check);
    const bool is_health =
        !paths.empty() && std::all_of(paths.begin(), paths.end(),
                                      [](auto& path) { return path.rfind("health.", 0) == 0; });
    if (!is_health) continue;
    const Verdict verdict = evaluate(order.round.catalog, invariant, dossier, nullptr);
    verdicts.emplace_back(verdict.outcome,
                          "over the whole soak: " + verdict.id + ": " + verdict.reason);
  }
  return verdicts;
}

void conclude(const SoakOrder& order, SoakRecord& record) {
  std::vector<std::pair<Outcome, std::string>> all = health_verdicts(order, record);
  const auto rounds = [&](Outcome outcome, const std::string& reason) {
    if (record.rounds_of(outcome) > 0) all.emplace_back(outcome, reason);
  };
  const auto first = [&](Outcome outcome) {
    for (const KeptRound& kept : record.kept) {
      if (kept.outcome == outcome)
        return "round " + std::to_string(kept.round) + ": " + kept.reason;
    }
    return std::string("more rounds than are kept");
  };
  rounds(Outcome::fail, record.first_fault);
  rounds(Outcome::no_evidence, first(Outcome::no_evidence));
  rounds(Outcome::not_applicable, first(Outcome::not_applicable));
  rounds(Outcome::pass, "");
  if (record.clean_s < record.wanted_s && record.rounds_of(Outcome::not_applicable) == 0) {
    all.emplace_back(Outcome::inconclusive,
                     "too few clean rounds: " + std::to_string(record.rounds_of(Outcome::pass)) +
                         " of " + std::to_string(record.rounds_done()));
  }
  std::vector<Outcome> outcomes;
  outcomes.reserve(all.size());
  for (const auto& [outcome, reason] : all) outcomes.push_back(outcome);
  record.verdict =
      record.rounds_of(Outcome::not_applicable) > 0 ? Outcome::not_applicable : combine(outcomes);
  record.reason.clear();
  for (const auto& [outcome, reason] : all) {
    if (outcome == record.verdict && outcome != Outcome::pass && record.reason.empty()) {
      record.reason = reason;
    }
  }
  record.finished = true;
}

}  // namespace

Soaked soak(const SoakOrder& order, const std::function<void(const SoakRecord&)>& tell) {
  Watched watched(order.round.device.uuid);
  std::optional<Soaked> earlier = unfinished(order);
  if (earlier) ++earlier->record.resumed;
  Soaked soaked = earlier ? std::move(*earlier) : begin(order, watched.counters());
  const std::vector<std::uint64_t> xids_before = soaked.record.xids;
  const fs::path file = soaked.folder / "soak.json";
  const auto hear = [&] {
    auto xids = watched.xids();
    if (xids) {
      soaked.record.xids = xids_before;
      soaked.record.xids.insert(soaked.record.xids.end(), xids.value->begin(), xids.value->end());
      xids.value = soaked.record.xids;
    }
    return xids;
  };
  while (goes_on(soaked.record)) {
    run_one(order, soaked);
    hear();
    write_soak(soaked.record, file);
    tell(soaked.record);
  }
  soaked.record.health = health_facts(soaked.record.before, watched.counters(), hear()).entries();
  conclude(order, soaked.record);
  write_soak(soaked.record, file);
  return soaked;
}

std::string soak_progress(const SoakRecord& record) {
  char text[160];
  const double left_s = std::max(0.0, record.wanted_s - record.clean_s);
  static_cast<void>(std::snprintf(
      text, sizeof text, "round %llu, %.2f h of %.2f h clean, about %.0f min left",
      static_cast<unsigned long long>(record.rounds_done()), record.clean_s / kSecondsPerHour,
      record.wanted_s / kSecondsPerHour, left_s / 60.0));
  std::string line = text;
  const auto others = record.rounds_done() - record.rounds_of(Outcome::pass);
  if (others > 0) line += "; " + std::to_string(others) + " rounds did not pass";
  return line;
}

}  // namespace assay
