// SPDX-License-Identifier: Apache-2.0
// assay certify: does this GPU keep its promises? Or, with --replay, did a recorded one?
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/driver/libcuda.h"
#include "dossiers/head.h"
#include "dossiers/json/json_reader.h"
#include "invariants/plan/certification.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/host/host_repeat.h"
#include "invariants/plan/host/host_verb.h"
#include "invariants/plan/interrupt.h"
#include "invariants/plan/prepare.h"
#include "invariants/plan/repeat_runs.h"
#include "invariants/plan/replay.h"
#include "invariants/plan/signature.h"
#include "invariants/plan/soak/soak_verb.h"
#include "invariants/share.h"
#include "invariants/summary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string device, level, out, replay, pinned, sign;
  double hours = 1.0;
  std::int64_t repeat = 0;   ///< 0: once, without counting
  std::int64_t devices = 0;  ///< 0: nobody said how many GPUs there must be
  bool bootstrap = false, json = false, prepare = false, all = false;
};

fs::path absolute_or_empty(const std::string& text) {
  return text.empty() ? fs::path() : fs::absolute(text).lexically_normal();
}

/// What a person reads: stdout, or stderr when stdout belongs to the machine.
class Prose {
 public:
  explicit Prose(bool json) : out_(json ? std::cerr : std::cout), fd_(json ? 2 : 1) {}
  void line(const std::string& text) const { out_ << text << '\n' << std::flush; }
  void text(const std::string& lines) const { out_ << lines << std::flush; }
  void summary(const Certificate& certificate) const {
    SummaryOptions options;
    options.colour = wants_colour(fd_);
    out_ << summary_text(certificate, options) << std::flush;
  }

 private:
  std::ostream& out_;
  int fd_;
};

Judging judging_of(const Options& options, const fs::path& share) {
  Judging how;
  how.share = share;
  how.pinned_file = absolute_or_empty(options.pinned);
  how.options.bootstrap = options.bootstrap;
  return how;
}

void write_document(const std::string& text, const fs::path& folder, const char* name) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot make the folder: " + error.message());
  }
  write_file_atomically(folder / name, text);
}

/// One dossier again and again: the bytes are compared, and what is counted says that it is a
/// replay.
int repeat_replay_verb(const Options& options, const fs::path& share) {
  const Prose prose(options.json);
  const Repeat repeat =
      repeat_replay(judging_of(options, share), dossier_file(options.replay), options.repeat);
  const std::string text = repeat_text(repeat);
  if (!options.out.empty()) {
    write_document(text, options.out, "repeat.json");
  }
  prose.line(kReplayNotice);
  prose.text(repeat_table(repeat));
  if (options.json) {
    std::cout << text;
  }
  return exit_code(repeat.sessions);
}

/// The detached signature, where one was asked for.
void sign_certificate(const Options& options, const fs::path& folder) {
  if (options.sign.empty()) return;
  const fs::path signature = sign_file(folder / "certificate.json", options.sign);
  Prose(options.json).line("signature " + signature.string());
}

int replay_verb(const Options& options, const fs::path& share, const fs::path& dossier) {
  const Prose prose(options.json);
  const Certificate certificate = replay(judging_of(options, share), dossier);
  const std::string text = certificate_text(certificate);
  if (!options.out.empty()) {
    write_document(text, options.out, "certificate.json");
    sign_certificate(options, options.out);
  }
  prose.line(kReplayNotice);
  prose.summary(certificate);
  if (options.json) {
    std::cout << text;
  }
  return exit_code(certificate.verdict);
}

/// A machine without a GPU is never green: the recorded dossier shows what a run looks like.
int without_device(const Options& options, const fs::path& share, const NoDevice& reason) {
  const auto recorded = newest_recorded(share);
  if (recorded) {
    Options replayed = options;
    replayed.out.clear();
    replay_verb(replayed, share, *recorded);
  }
  const std::string left_out = std::to_string(steps_to_run(share).size());
  Prose(options.json)
      .line("GPU part: not run (" + left_out + " skipped); not certified: " + reason.what() +
            (recorded ? "" : "; no recorded dossier to replay"));
  return kExitNotApplicable;
}

CertifyOrder order_of(const Options& options, const fs::path& share) {
  CertifyOrder order;
  order.layout = this_layout();
  order.share = share;
  order.out = fs::absolute(options.out.empty() ? "out" : options.out).lexically_normal();
  order.level = level_from(options.level.empty() ? "quick" : options.level).value();
  order.pinned_file = absolute_or_empty(options.pinned);
  order.bootstrap = options.bootstrap;
  return order;
}

HostOrder host_order_of(const Options& options, const fs::path& share) {
  HostOrder order;
  order.certify = order_of(options, share);
  if (options.devices > 0) {
    order.expected = options.devices;
  }
  order.sign = absolute_or_empty(options.sign);
  return order;
}

/// A host of which nobody said how many GPUs it must have may have none.
int all_verb(const Options& options, const fs::path& share) {
  try {
    const HostOrder order = host_order_of(options, share);
    return options.repeat > 0 ? repeat_all_verb(order, options.repeat, options.json)
                              : certify_all_verb(order, options.json);
  } catch (const NoDevice& reason) {
    return without_device(options, share, reason);
  }
}

int prepare_verb(const Options& options, const fs::path& share) {
  const fs::path folder = absolute_or_empty(options.out);
  Preparation preparation;
  preparation.graph = fs::canonical(share / "graph.cmake");
  preparation.device = options.device;
  if (!options.level.empty()) {
    preparation.level = level_from(options.level);
  }
  preparation.pinned_file = absolute_or_empty(options.pinned);
  preparation.bootstrap = options.bootstrap;
  const Prose prose(options.json);
  try {
    if (options.all) {
      prepare_all(host_order_of(options, share), preparation, folder);
    } else {
      prepare(preparation, folder);
    }
  } catch (const NoDevice& reason) {
    prose.line(std::string("not prepared: ") + reason.what());
    return options.devices > 0 ? kExitFail : kExitNotApplicable;
  }
  prose.line("prepared: ctest --no-tests=error --test-dir " + folder.string() +
             (options.all ? " --parallel 8" : ""));
  return kExitPass;
}

int report(const Options& options, const CertifyOrder& order, const Certified& certified) {
  const Prose prose(options.json);
  if (!certified.problem.empty()) {
    std::cerr << "assay certify: " << certified.problem << '\n';
  }
  if (certified.folder.empty() || certified.code == kExitUsage) {
    return certified.code;
  }
  Judging how = judging_of(options, order.share);
  const Certificate certificate = judge(how, read_dossier(certified.folder / "dossier.json"));
  prose.summary(certificate);
  prose.line("files in " + certified.folder.string());
  sign_certificate(options, certified.folder);
  if (options.json) {
    std::cout << read_file(certified.folder / "certificate.json");
  }
  return certified.code;
}

int repeat_verb(const Options& options, const CertifyOrder& certify, const DeviceIdentity& device) {
  const Prose prose(options.json);
  const InterruptWatch watch;
  RepeatOrder order{certify, device, options.repeat};
  order.certify.stop = [&watch] { return watch.asked(); };
  const Repeated repeated =
      repeat_device(order, [&prose](const std::string& line) { prose.line(line); });
  if (watch.asked()) {
    prose.line("interrupted; " + std::to_string(repeated.now.front().ran) + " of " +
               std::to_string(options.repeat) + " runs were counted");
  }
  if (!repeated.all.sessions.empty()) {
    prose.text(repeat_table(repeated.all));
    prose.line("counted in " + (certify.out / "repeat.json").string());
  }
  if (options.json && !repeated.all.sessions.empty()) {
    std::cout << repeat_text(repeated.all);
  }
  if (!repeated.problem.empty()) {
    throw std::runtime_error(repeated.problem);
  }
  return exit_code(repeated.now);
}

int certify_verb(const Options& options, const fs::path& share) {
  DeviceIdentity device;
  try {
    device = choose_device(options.device);
  } catch (const NoDevice& reason) {
    return without_device(options, share, reason);
  }
  CertifyOrder order = order_of(options, share);
  order.device_uuid = device.uuid;
  if (options.repeat > 0) {
    return repeat_verb(options, order, device);
  }
  return report(options, order, certify_device(order));
}

int soak_this(const Options& options, const fs::path& share) {
  if (options.prepare || options.all || !options.replay.empty() || options.repeat > 0 ||
      !options.sign.empty()) {
    throw std::runtime_error(
        "--level soak seals no certificate: it goes without --prepare, --all, --replay, --repeat, "
        "--sign");
  }
  SoakOptions order;
  order.device = options.device;
  order.out = fs::absolute(options.out.empty() ? "out" : options.out).lexically_normal();
  order.share = share;
  order.hours = options.hours;
  order.json = options.json;
  try {
    return soak_verb(order);
  } catch (const NoDevice& reason) {
    Prose(options.json).line(std::string("not soaked: ") + reason.what());
    return kExitNotApplicable;
  }
}

int run(const Options& options) {
  if (options.all && !options.device.empty()) {
    throw std::runtime_error(
        "--all certifies every GPU: it goes without --device and ASSAY_DEVICE (" + options.device +
        ")");
  }
  const fs::path share = share_dir();
  if (options.level == "soak") {
    return soak_this(options, share);
  }
  if (!options.replay.empty() && options.repeat > 0) {
    return repeat_replay_verb(options, share);
  }
  if (!options.replay.empty()) {
    return replay_verb(options, share, dossier_file(options.replay));
  }
  if (options.prepare) {
    return prepare_verb(options, share);
  }
  return options.all ? all_verb(options, share) : certify_verb(options, share);
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--device", options.device,
                 "UUID or index in PCI order; needed when several GPUs are visible")
      ->envname("ASSAY_DEVICE");
  auto* level =
      app.add_option(
             "--level", options.level,
             "quick (default), full, or soak: exact tiles on every SM, the memory and the fault "
             "counters again and again; no certificate")
          ->check(CLI::IsMember({"quick", "full", "soak"}))
          ->envname("ASSAY_LEVEL");
  app.add_option("--hours", options.hours,
                 "with --level soak: hours of rounds that pass (default: 1, at most 168); at most "
                 "twice that in all; a soak that was killed goes on with the same --out")
      ->needs(level);
  app.add_option("--out", options.out,
                 "where <uuid>/<run id>/ is made (default: out); with --replay, where "
                 "certificate.json is written; with --prepare, the folder for ctest");
  app.add_option("--pinned", options.pinned, "measure drift against this dossier");
  app.add_flag("--bootstrap", options.bootstrap,
               "without a pinned dossier: a provisional certificate, drift left out");
  app.add_flag("--json", options.json, "the certificate on stdout, prose on stderr");
  auto* prepare = app.add_flag("--prepare", options.prepare,
                               "measure nothing: write a folder in which ctest certifies");
  auto* replay =
      app.add_option("--replay", options.replay,
                     "judge this dossier (the file or its folder); certifies nothing about this "
                     "machine");
  auto* repeat =
      app.add_option(
             "--repeat", options.repeat,
             "measure and judge N times (1 to 10000) and count: false alarms with their "
             "bound, verdicts of each invariant, spread of each fact; adds to "
             "<out>/repeat.json; Ctrl-C ends it with what there is; with --all, N rounds of all "
             "GPUs")
          ->check(CLI::Range(std::int64_t{1}, kMostRepeats));
  auto* sign = app.add_option("--sign", options.sign,
                              "sign the certificate with this SSH key: certificate.json.sig beside "
                              "it (ssh-keygen -Y, namespace assay)");
  prepare->excludes(replay)->excludes(repeat)->excludes(sign);
  repeat->excludes(sign);
  prepare->needs(app.get_option("--out"));
}

/// What goes for all GPUs of a host; after declare().
void declare_all(CLI::App& app, Options& options) {
  auto* all = app.add_flag("--all", options.all,
                           "every GPU of this host at once, a certificate each, and a verdict on "
                           "the host in <out>/host/; with --prepare, one ctest for all of them");
  app.add_option("--devices", options.devices,
                 "with --all: how many GPUs there must be; fewer is no pass")
      ->check(CLI::Range(std::int64_t{1}, kMostDevices))
      ->needs(all);
  all->excludes(app.get_option("--replay"));
  app.footer(
      "examples:\n"
      "  assay certify --out results\n"
      "  assay certify --all --devices 8 --out results\n"
      "  assay certify --level soak --hours 8 --out soak\n"
      "  assay certify --prepare --out mine && ctest --no-tests=error --test-dir mine\n"
      "  assay certify --replay dossier.json\n"
      "  assay certify --repeat 100 --out healthy\n\n"
      "exit: 0 pass, 1 fail or no evidence, 2 usage or I/O, 75 inconclusive (try again),\n"
      "77 no GPU here");
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Measures this GPU, judges every invariant and seals a certificate.",
               "assay certify");
  assay::Options options;
  assay::declare(app, options);
  assay::declare_all(app, options);
  return assay::run_verb(app, argc, argv, [&] { return assay::run(options); });
}
