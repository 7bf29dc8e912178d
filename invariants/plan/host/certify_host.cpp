// SPDX-License-Identifier: Apache-2.0
// assay certify --all: every GPU of the host, each in a process of its own, at once.
#include "invariants/plan/host/certify_host.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "dossiers/exit_code.h"
#include "invariants/plan/host/host_run.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/supervisor.h"
#include "invariants/plan/text.h"

namespace assay {
namespace {

/// Above everything that one certification may wait for, so that only a stuck one meets it.
double deadline_s(const CertifyOrder& order) {
  double seconds = 0.0;
  for (const Step& step : steps(read_plan(order.share))) {
    seconds += step.kind == StepKind::invariant ? 0.0 : step.timeout_s;
  }
  return seconds;
}

Program child_of(const HostOrder& order, const std::string& uuid) {
  Program child;
  child.file = order.certify.layout.verb("certify");
  child.arguments = {"--device", uuid,
                     "--level",  std::string(to_string(order.certify.level)),
                     "--out",    order.certify.out.string()};
  if (!order.certify.pinned_file.empty()) {
    child.arguments.insert(child.arguments.end(), {"--pinned", order.certify.pinned_file.string()});
  }
  if (order.certify.bootstrap) {
    child.arguments.emplace_back("--bootstrap");
  }
  if (!order.sign.empty()) {
    child.arguments.insert(child.arguments.end(), {"--sign", order.sign});
  }
  child.output = ChildOutput::captured;
  child.echo_stderr = false;
  child.stop = order.certify.stop;
  return child;
}

/// One device and its child, which its own thread waits for.
struct Watched {
  HostDevice device;
  std::vector<PeerCell> peers;
  bool refused = false;  ///< exit 2: usage or I/O
  bool stopped = false;
};

/// Something is wrong with this GPU, as far as anybody knows: not only with a file or a call.
bool is_bad(const Watched& watched) {
  return exit_code(watched.device.verdict) == kExitFail &&
         (!watched.refused || watched.device.verdict == Outcome::fail);
}

/// The child's end, where it is not what the run says.
void add_end(const Ended& ended, Watched& watched) {
  HostDevice& device = watched.device;
  watched.refused = ended.exit_code == kExitUsage;
  if (ended.exit_code && *ended.exit_code == exit_code(device.verdict) &&
      !device.certificate_sha256.empty()) {
    return;
  }
  const bool busy = ended.exit_code == kExitInconclusive && device.certificate_sha256.empty();
  // A fault that its certificate found stays what is said first.
  if (device.verdict != Outcome::fail) {
    device.verdict = busy ? Outcome::inconclusive : Outcome::no_evidence;
    const std::string said = last_line(ended.stderr_tail);
    device.reason =
        "its certification ended with " + describe(ended) + (said.empty() ? "" : ": " + said);
  }
}

/// The devices of a host, and a thread for each.
class Host {
 public:
  Host(const HostOrder& order, const HostRecord& host,
       const std::function<void(const std::string&)>& say)
      : order_(order), say_(say), record_(host), deadline_s_(deadline_s(order.certify)) {}
  HostCertified run();

 private:
  void watch(Watched& watched);
  void certify(Watched& watched);
  int code(const std::vector<Watched>& all) const;

  const HostOrder& order_;
  const std::function<void(const std::string&)>& say_;
  HostRecord record_;
  double deadline_s_;
  std::mutex saying_;
};

void Host::certify(Watched& watched) {
  Program child = child_of(order_, watched.device.uuid);
  child.deadline_s = deadline_s_;
  const std::string begun = utc_now();
  const Ended ended = supervise(child);
  watched.stopped = ended.stopped;
  const std::optional<FoundRun> found =
      run_begun_by(order_.certify.out, watched.device.uuid, ended.pid, begun);
  if (found) {
    add_run(judging_of(order_.certify), order_.certify.out, found->folder, watched.device,
            watched.peers);
  }
  add_end(ended, watched);
  const std::lock_guard guard(saying_);
  say_(watched.device.uuid + ": " +
       (ended.stopped ? "stopped" : std::string(to_string(watched.device.verdict))) + ", " +
       compact(ended.seconds) + " s");
}

/// A child that cannot even be started costs no other GPU its verdict.
void Host::watch(Watched& watched) {
  try {
    certify(watched);
  } catch (const std::exception& error) {
    watched.refused = true;
    watched.device.verdict = Outcome::no_evidence;
    watched.device.reason = error.what();
  }
}

/// A GPU that is bad or missing weighs more than a file that could not be written.
int Host::code(const std::vector<Watched>& all) const {
  const bool refused =
      std::any_of(all.begin(), all.end(), [](const Watched& one) { return one.refused; });
  const bool short_of =
      record_.expected && static_cast<std::int64_t>(all.size()) < *record_.expected;
  const bool bad = short_of || std::any_of(all.begin(), all.end(), is_bad);
  return refused && !bad ? kExitUsage : exit_code(record_.verdict);
}

HostCertified Host::run() {
  record_.run_id = new_run_id();
  record_.suite = this_suite();
  record_.created_utc = utc_now();
  record_.level = order_.certify.level;
  record_.expected = order_.expected;
  std::vector<Watched> all(record_.devices.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].device = record_.devices[i];
    threads.emplace_back([this, &watched = all[i]] { watch(watched); });
  }
  threads.clear();  // waits for each
  bool stopped = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    record_.devices[i] = all[i].device;
    record_.peers.insert(record_.peers.end(), all[i].peers.begin(), all[i].peers.end());
    stopped = stopped || all[i].stopped;
  }
  if (stopped) {
    throw Interrupted("interrupted: no verdict on this host");
  }
  judge_host(record_);
  return {record_, write_host(record_, order_.certify.out), code(all)};
}

}  // namespace

HostCertified certify_host(const HostOrder& order, const HostRecord& host,
                           const std::function<void(const std::string&)>& say) {
  return Host(order, host, say).run();
}

}  // namespace assay
