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

/// Counts one certification. Returns its verdict.
Outcome count(const CertifyOrder& order, const Certified& certified, RepeatTally& tally) {
  if (certified.folder.empty()) {
    tally.add(Outcome::inconclusive);  // the GPU was not to be had
    return Outcome::inconclusive;
  }
  const Dossier dossier = read_dossier(certified.folder / "dossier.json");
  Judgement judgement = judge(judging_of(order), dossier);
  // The audit, not an invariant: what ran is not what the certificate says.
  if (certified.code == 1 && exit_code(judgement.verdict) == 0) {
    judgement.verdict = Outcome::fail;
  }
  tally.add(judgement, dossier);
  return judgement.verdict;
}

/// "run 3 of 100: pass, 20.3 s (20261130T021407Z-7f3a9c); about 33 min left"
std::string run_line(std::int64_t number, std::int64_t runs, Outcome verdict,
                     const Certified& certified, double elapsed_s) {
  const double each_s = elapsed_s / static_cast<double>(number);
  const double left_s = each_s * static_cast<double>(runs - number);
  std::string line = "run " + std::to_string(number) + " of " + std::to_string(runs) + ": " +
                     std::string(to_string(verdict));
  line += certified.folder.empty() ? " (" + certified.problem + ")"
                                   : " (" + certified.folder.filename().string() + ")";
  if (left_s > 120.0) return line + "; about " + compact(left_s / 60.0) + " min left";
  return left_s > 2.0 ? line + "; about " + compact(left_s) + " s left" : line;
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

/// One `--repeat`, and where it stands.
class Session {
 public:
  Session(const RepeatOrder& order, const std::function<void(std::string)>& say)
      : order_(order),
        say_(say),
        tally_(new_session(order.device, order.runs, utc_now())),
        file_(order.certify.out / "repeat.json") {
    const Catalog catalog = load_catalog(order.certify.share / "catalog.json");
    repeated_.all =
        repeat_of(this_suite(), order.device, order.certify.level, catalog.sha256, false);
    if (const auto known = known_repeat(file_, repeated_.all)) repeated_.all = *known;
  }
  Repeated run();

 private:
  bool one(std::int64_t number);
  void keep();

  const RepeatOrder& order_;
  const std::function<void(std::string)>& say_;
  RepeatTally tally_;
  fs::path file_;
  Repeated repeated_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

void Session::keep() {
  RepeatSession now = tally_.session();
  now.ended_utc = utc_now();
  auto& sessions = repeated_.all.sessions;
  if (!sessions.empty() && sessions.back().id == now.id) sessions.pop_back();
  sessions.push_back(now);
  repeated_.now = std::move(now);
  write_file_atomically(file_, repeat_text(repeated_.all));
}

/// False when there is no sense in another one.
bool Session::one(std::int64_t number) {
  const Certified certified = certify_device(order_.certify);
  const bool busy = certified.folder.empty() && certified.code == kExitInconclusive;
  if (certified.code == kExitUsage || (certified.folder.empty() && !busy)) {
    repeated_.problem = certified.problem;
    return false;
  }
  const Outcome verdict = count(order_.certify, certified, tally_);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
  say_(run_line(number, order_.runs, verdict, certified, elapsed.count()));
  keep();
  return true;
}

Repeated Session::run() {
  repeated_.now = tally_.session();
  try {
    for (std::int64_t number = 1; number <= order_.runs; ++number) {
      if (order_.certify.stop && order_.certify.stop()) break;
      if (!one(number)) break;
    }
  } catch (const Interrupted&) {
    // The run that was cut is not counted; its folder stays, without a certificate.
  }
  return std::move(repeated_);
}

}  // namespace

Repeated repeat_device(const RepeatOrder& order, const std::function<void(std::string)>& say) {
  return Session(order, say).run();
}

Repeat repeat_replay(const Judging& how, const fs::path& dossier_file, std::int64_t runs) {
  Judging replayed = how;
  replayed.options.replay = true;
  const Dossier dossier = read_dossier(dossier_file);
  Repeat repeat = repeat_of(dossier.suite, dossier.device, dossier.level,
                            load_catalog(how.share / "catalog.json").sha256, true);
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

int exit_code(const RepeatSession& session) {
  std::vector<Outcome> verdicts;
  for (const auto& [outcome, number] : session.verdicts) verdicts.push_back(outcome);
  if (session.ran < session.asked) verdicts.push_back(Outcome::inconclusive);
  return exit_code(combine(verdicts));
}

}  // namespace assay
