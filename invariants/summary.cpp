// SPDX-License-Identifier: Apache-2.0
// What does a person need to see of a certificate in ten seconds?
#include "invariants/summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "invariants/claims.h"
#include "invariants/columns.h"

namespace assay {
namespace {

/// A row of the table: the fact, and the one whose ceiling says how good it is.
struct Row {
  std::string_view label, path, rated;
};
constexpr std::array kRows = {
    Row{"SM clock held", "clock.sm_ghz", ""},
    Row{"DRAM read", "dram_bw.read", "dram_bw.read"},
    Row{"DRAM write", "dram_bw.write", "dram_bw.write"},
    Row{"DRAM copy", "dram_bw.copy", "dram_bw.copy"},
    Row{"DRAM triad 16 B", "dram_bw.triad_16B", "dram_bw.triad_16B"},
    Row{"L2 read", "l2_bw.read", ""},
    Row{"latency shared", "latency.shared", ""},
    Row{"latency L1", "latency.l1", ""},
    Row{"latency L2", "latency.l2", ""},
    Row{"latency DRAM", "latency.dram", ""},
    Row{"FFMA", "fma_f32", "fma_per_clock.f32"},
    Row{"DFMA", "fma_f64", "fma_per_clock.f64"},
    Row{"mma.sync fp16", "mma.mma_sync_f16_f32", "mma_per_clock.mma_sync_f16_f32"},
    Row{"mma.sync TF32", "mma.mma_sync_tf32_f32", "mma_per_clock.mma_sync_tf32_f32"},
    Row{"wgmma fp16", "mma.wgmma_f16_f32", "mma_per_clock.wgmma_f16_f32"},
    Row{"wgmma TF32", "mma.wgmma_tf32_f32", "mma_per_clock.wgmma_tf32_f32"},
    Row{"atomics, 64 Ki addresses", "atomics_f32.65536", ""},
    Row{"launch, stream", "launch_overhead.stream", ""},
    Row{"launch, graph node of 200", "launch_overhead.graph_node_200", ""},
};

std::string paint(std::string_view text, Outcome outcome, const SummaryOptions& options) {
  if (!options.colour) return std::string(text);
  const bool good = outcome == Outcome::pass;
  const bool bad = outcome == Outcome::fail || outcome == Outcome::no_evidence;
  return std::string(good  ? "\033[32m"
                     : bad ? "\033[31m"
                           : "\033[33m") +
         std::string(text) + "\033[0m";
}

const CertifiedFact* find_fact(const Certificate& certificate, std::string_view path) {
  for (const CertifiedFact& fact : certificate.facts) {
    if (fact.path == path) return &fact;
  }
  return nullptr;
}

std::string identity_text(const Certificate& certificate) {
  const DeviceIdentity& device = certificate.device;
  std::string text = "device   " + device.name + ", " + device.uuid + ", compute capability " +
                     std::to_string(device.cc_major) + "." + std::to_string(device.cc_minor);
  text += "\ndriver   " + (device.driver.empty() ? std::string("unknown") : device.driver);
  if (device.vbios) text += ", VBIOS " + *device.vbios;
  if (device.ecc) text += *device.ecc ? ", ECC on" : ", ECC off";
  if (device.power_limit_w) text += ", limit " + number_text(*device.power_limit_w) + " W";
  constexpr std::size_t kShortCommit = 10;
  const SuiteIdentity& suite = certificate.suite;
  text += "\nrun      " + certificate.run_id + ", " + certificate.created_utc + ", level " +
          std::string(to_string(certificate.level)) + ", assay " + suite.version;
  if (!suite.commit.empty()) text += " (" + suite.commit.substr(0, kShortCommit) + ")";
  if (suite.dirty) text += " with local changes";
  return text + "\n";
}

std::string row_text(const Certificate& certificate, const Row& row) {
  constexpr std::size_t kLabel = 28;
  constexpr std::size_t kValue = 20;
  const CertifiedFact* fact = find_fact(certificate, row.path);
  if (fact == nullptr) return {};
  const auto number = as_number(fact->fact.value);
  if (!number) return {};
  std::string text =
      "  " + padded(std::string(row.label), kLabel) +
      padded(number_text(*number) + " " + std::string(to_string(fact->fact.units)), kValue);
  const CertifiedFact* rated = row.rated.empty() ? nullptr : find_fact(certificate, row.rated);
  if (rated != nullptr && rated->ceiling) {
    std::array<char, 32> percent{};
    static_cast<void>(
        std::snprintf(percent.data(), percent.size(), "%5.1f %% of ", rated->ceiling->percent));
    text += percent.data() + number_text(rated->ceiling->ceiling) + " " +
            std::string(to_string(rated->fact.units));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string drift_line(const Certificate& certificate) {
  if (!certificate.drift) return "drift    no pinned dossier\n";
  const Drift& drift = *certificate.drift;
  return "drift    worst " + percent_text(drift.worst_rel) + " over " +
         std::to_string(drift.compared) + " facts against " +
         (drift.same_device ? "this device's" : "this product's") + " pinned run " +
         certificate.pinned_run_id + ", " + std::to_string(drift.over_tol) + " over tolerance\n";
}

/// Where a person reads what to do now.
std::string explain_hint(const Verdict& verdict) {
  return " (assay explain " + verdict.id + ")";
}

std::string verdict_lines(const Certificate& certificate, const SummaryOptions& options) {
  std::string text;
  for (const Verdict& verdict : certificate.verdicts) {
    const bool quiet =
        verdict.outcome == Outcome::pass || verdict.outcome == Outcome::not_applicable;
    if (quiet) continue;
    text += paint(to_string(verdict.outcome), verdict.outcome, options) + "  " + verdict.id + ": " +
            verdict.reason + (verdict.outcome == Outcome::waived ? "" : explain_hint(verdict)) +
            "\n";
  }
  return text;
}

/// What a quick run leaves to level full is one reason, whichever facts the claims name.
std::string shared_reason(const std::string& reason) {
  constexpr std::string_view kLeftOut = "measured at level full only";
  return reason.find(kLeftOut) == std::string::npos ? reason : std::string(kLeftOut);
}

/// One line for each reason: a probe that could not run takes many facts with it.
std::string gap_lines(std::string_view word, std::vector<Gap> gaps) {
  constexpr std::size_t kNamesShown = 2;
  for (Gap& gap : gaps) gap.reason = shared_reason(gap.reason);
  std::string text;
  while (!gaps.empty()) {
    const std::string reason = gaps.front().reason;
    const auto others = std::stable_partition(
        gaps.begin(), gaps.end(), [&reason](const Gap& gap) { return gap.reason == reason; });
    const auto count = static_cast<std::size_t>(others - gaps.begin());
    std::string names;
    for (std::size_t i = 0; i < std::min(count, kNamesShown); ++i) {
      names += (i == 0 ? "" : ", ") + gaps[i].what;
    }
    if (count > kNamesShown) names += " and " + std::to_string(count - kNamesShown) + " more";
    text.append(word).append("  ").append(names).append(": ").append(reason).append("\n");
    gaps.erase(gaps.begin(), others);
  }
  return text;
}

std::string counts_line(const Certificate& certificate) {
  std::string text;
  for (const Outcome outcome : {Outcome::pass, Outcome::fail, Outcome::no_evidence,
                                Outcome::inconclusive, Outcome::waived, Outcome::not_applicable}) {
    const auto count =
        std::count_if(certificate.verdicts.begin(), certificate.verdicts.end(),
                      [outcome](const Verdict& verdict) { return verdict.outcome == outcome; });
    if (count == 0) continue;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(to_string(outcome));
  }
  return "counts   " + std::to_string(certificate.verdicts.size()) + " invariants: " + text + "; " +
         std::to_string(certificate.completeness.missing.size()) + " missing, " +
         std::to_string(certificate.completeness.skipped.size()) + " skipped\n";
}

std::string band_text(const Verdict& verdict) {
  if (!verdict.measured) return {};
  std::string text = number_text(*verdict.measured) + " in [";
  text += (verdict.low ? number_text(*verdict.low) : "") + std::string(", ") +
          (verdict.high ? number_text(*verdict.high) : "") + "]";
  if (verdict.margin) text += " margin " + percent_text(*verdict.margin);
  return text;
}

}  // namespace

bool wants_colour(int descriptor) {
  return isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr;
}

std::string summary_text(const Certificate& certificate, const SummaryOptions& options) {
  std::string text = "verdict  ";
  text.append(paint(certificate.headline, certificate.verdict, options)).append("\n");
  text.append(identity_text(certificate)).append("\n");
  for (const Row& row : kRows) text.append(row_text(certificate, row));
  text.append("\n").append(drift_line(certificate)).append(verdict_lines(certificate, options));
  text.append(gap_lines("missing", certificate.completeness.missing));
  text.append(gap_lines("skipped", certificate.completeness.skipped));
  text.append(counts_line(certificate));
  text.append(rates_text(certificate.rates, certificate.judging_sha256));
  return text;
}

std::string verdict_table(const Certificate& certificate, const SummaryOptions& options) {
  constexpr std::size_t kOutcome = 15;
  constexpr std::size_t kId = 24;
  constexpr std::size_t kBand = 44;
  std::string text;
  for (const Verdict& verdict : certificate.verdicts) {
    const std::string name(to_string(verdict.outcome));
    std::string line = paint(name, verdict.outcome, options) +
                       std::string(kOutcome - std::min(kOutcome - 1, name.size()), ' ') +
                       padded(verdict.id, kId) + padded(band_text(verdict), kBand) +
                       (verdict.outcome == Outcome::pass ? verdict.claim : verdict.reason);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace assay
