// SPDX-License-Identifier: Apache-2.0
// assay certify --repeat: the same device, measured and judged again and again, and counted.
#include "invariants/plan/repeat_runs.h"

#include <chrono>
#include <optional>
#include <vector>

#include "dossiers/exit_code.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/text.h"
#include "invariants/share.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

RepeatSession new_session(const DeviceIdentity& device, std::int64_t runs,
                          const std::string& started_utc) {
  RepeatSession session;
  session.id = new_run_id();
  session.device = hashed_uuid(device.uuid);
  session.driver = device.driver;
  session.started_utc = started_utc;
  session.ended_utc = started_utc;
  session.asked = runs;
  return session;
}

/// What one certification came to, and what it is counted as.
Outcome count(RepeatCount& counted, const Judging& how, const Certified& certified) {
  if (certified.folder.empty()) {
    counted.add(0, Outcome::inconclusive);  // the GPU was not to be had
    return Outcome::inconclusive;
  }
  // The audit, not an invariant: what ran is not what the certificate says.
  const bool refused = certified.code == kExitFail;
  return counted.add(0, how, certified.folder, refused);
}

/// "run 3 of 100: pass, 20.3 s (20261130T021407Z-7f3a9c); about 33 min left"
std::string run_line(std::int64_t number, std::int64_t runs, Outcome verdict,
                     const Certified& certified, double elapsed_s) {
  std::string line = "run " + std::to_string(number) + " of " + std::to_string(runs) + ": " +
                     std::string(to_string(verdict));
  line += certified.folder.empty() ? " (" + certified.problem + ")"
                                   : " (" + certified.folder.filename().string() + ")";
  return line + time_left(number, runs, elapsed_s);
}

/// The sessions of the folder, as they were before.
std::optional<Repeat> known_repeat(const fs::path& file, const Repeat& now) {
  std::error_code absent;
  if (!fs::exists(file, absent)) return std::nullopt;
  Repeat known = read_repeat(file);
  if (const std::string why = why_apart(known, now); !why.empty()) {
    throw DataError(file.string() + ": holds runs that cannot be counted with these, " + why +
                    "; give another --out");
  }
  return known;
}

/// Is there no sense in another run: bad input, or no run at all but for a busy GPU?
bool ends_it(const Certified& certified) {
  const bool busy = certified.folder.empty() && certified.code == kExitInconclusive;
  return certified.code == kExitUsage || (certified.folder.empty() && !busy);
}

}  // namespace

RepeatCount::RepeatCount(const CertifyOrder& order, const std::vector<DeviceIdentity>& devices,
                         std::int64_t runs)
    : file_(order.out / "repeat.json") {
  const std::string sha256 = load_catalog(order.share / "catalog.json").judging_sha256;
  for (const DeviceIdentity& device : devices) {
    const Repeat now = repeat_of(this_suite(), device, order.level, sha256, false);
    if (tallies_.empty()) all_ = now;
    if (const std::string why = why_apart(all_, now); !why.empty()) {
      throw DataError("these GPUs cannot be counted together, one is " + why);
    }
    tallies_.emplace_back(new_session(device, runs, utc_now()));
  }
  if (const auto known = known_repeat(file_, all_)) all_ = *known;
}

Outcome RepeatCount::add(std::size_t device, const Judging& how, const fs::path& folder,
                         bool refused) {
  const Dossier dossier = read_dossier(folder / "dossier.json");
  Judgement judgement = judge(how, dossier);
  if (refused && exit_code(judgement.verdict) == kExitPass) judgement.verdict = Outcome::fail;
  tallies_.at(device).add(judgement, dossier);
  return judgement.verdict;
}

void RepeatCount::add(std::size_t device, Outcome verdict) {
  tallies_.at(device).add(verdict);
}

void RepeatCount::keep() {
  for (const RepeatTally& tally : tallies_) {
    RepeatSession now = tally.session();
    now.ended_utc = utc_now();
    std::erase_if(all_.sessions, [&](const RepeatSession& other) { return other.id == now.id; });
    all_.sessions.push_back(std::move(now));
  }
  write_file_atomically(file_, repeat_text(all_));
}

std::vector<RepeatSession> RepeatCount::sessions() const {
  std::vector<RepeatSession> sessions;
  for (const RepeatTally& tally : tallies_) sessions.push_back(tally.session());
  return sessions;
}

Repeated repeat_device(const RepeatOrder& order, const std::function<void(std::string)>& say) {
  RepeatCount counted(order.certify, {order.device}, order.runs);
  const auto begun = std::chrono::steady_clock::now();
  std::string problem;
  const auto is_stopped = [&order] { return order.certify.stop && order.certify.stop(); };
  try {
    for (std::int64_t number = 1; number <= order.runs && !is_stopped(); ++number) {
      const Certified certified = certify_device(order.certify);
      if (ends_it(certified)) {
        problem = certified.problem;
        break;
      }
      const Outcome verdict = count(counted, judging_of(order.certify), certified);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun;
      say(run_line(number, order.runs, verdict, certified, elapsed.count()));
      counted.keep();
    }
  } catch (const Interrupted&) {
    // The run that was cut is not counted; its folder stays, without a certificate.
  }
  return {counted.all(), counted.sessions(), problem};
}

Repeat repeat_replay(const Judging& how, const fs::path& dossier_file, std::int64_t runs) {
  Judging replayed = how;
  replayed.options.replay = true;
  const Dossier dossier = read_dossier(dossier_file);
  Repeat repeat = repeat_of(dossier.suite, dossier.device, dossier.level,
                            load_catalog(how.share / "catalog.json").judging_sha256, true);
  RepeatTally tally(new_session(dossier.device, runs, dossier.created_utc));
  std::string first;
  for (std::int64_t number = 0; number < runs; ++number) {
    const Certificate certificate = judge(replayed, read_dossier(dossier_file));
    const std::string text = certificate_text(certificate);
    if (number > 0 && text != first) {
      throw std::runtime_error(dossier_file.string() +
                               ": two judgements of one dossier differ; the judge is broken");
    }
    first = text;
    tally.add(certificate, dossier);
  }
  repeat.sessions.push_back(tally.session());
  return repeat;
}

int exit_code(const std::vector<RepeatSession>& sessions) {
  std::vector<Outcome> verdicts;
  for (const RepeatSession& session : sessions) {
    for (const auto& [outcome, number] : session.verdicts) verdicts.push_back(outcome);
    if (session.ran < session.asked) verdicts.push_back(Outcome::inconclusive);
  }
  return exit_code(combine(verdicts));
}

std::string time_left(std::int64_t done, std::int64_t of, double elapsed_s) {
  const double left_s = elapsed_s / static_cast<double>(done) * static_cast<double>(of - done);
  if (left_s > 120.0) return "; about " + compact(left_s / 60.0) + " min left";
  return left_s > 2.0 ? "; about " + compact(left_s) + " s left" : "";
}

}  // namespace assay
