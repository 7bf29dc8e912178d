// SPDX-License-Identifier: Apache-2.0
// Did everything that had to run really run, and does the certificate say what the steps said?
#include "invariants/audit.h"

#include <exception>
#include <optional>

#include "dossiers/evidence.h"
#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

/// Reads `file` with `read`; a file that cannot be read is a problem. nullopt when it is not there.
template <typename Document>
std::optional<Document> try_read(const std::filesystem::path& file,
                                 Document (*read)(const std::filesystem::path&),
                                 std::vector<std::string>& problems) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return read(file);
  } catch (const std::exception& error) {
    problems.emplace_back(error.what());
    return std::nullopt;
  }
}

void audit_probe(const std::filesystem::path& folder, const std::string& run_id,
                 const std::string& probe, Audit& audit) {
  ++audit.planned_probes;
  const std::filesystem::path evidence_file = folder / "evidence" / (probe + ".json");
  const std::filesystem::path exit_file = folder / "evidence" / (probe + ".exit.json");
  if (!std::filesystem::exists(evidence_file) && !std::filesystem::exists(exit_file)) {
    audit.problems.push_back("probe " + probe + ": neither evidence nor an exit record");
    return;
  }
  bool accounted = false;
  const auto check = [&](const std::string& found, const std::filesystem::path& file) {
    if (found == run_id) {
      accounted = true;
    } else {
      audit.problems.push_back(file.string() + ": of run " + found + ", not of " + run_id);
    }
  };
  if (const auto evidence = try_read(evidence_file, &read_evidence, audit.problems)) {
    check(evidence->run_id, evidence_file);
  }
  if (const auto ended = try_read(exit_file, &read_probe_exit, audit.problems)) {
    check(ended->run_id, exit_file);
  }
  if (accounted) ++audit.probes_accounted;
}

void audit_probes(const std::filesystem::path& folder, const Certificate& certificate,
                  Audit& audit) {
  const std::filesystem::path file = folder / "run.json";
  const auto run = try_read(file, &read_run, audit.problems);
  if (!run) {
    if (!std::filesystem::exists(file)) audit.problems.push_back(file.string() + ": is missing");
    return;
  }
  if (run->run_id != certificate.run_id) {
    audit.problems.push_back("certificate: of run " + certificate.run_id + ", not of " +
                             run->run_id);
  }
  if (run->probes.empty()) audit.problems.push_back(file.string() + ": plans no probe");
  for (const std::string& probe : run->probes) audit_probe(folder, run->run_id, probe, audit);
}

void audit_verdict(const std::filesystem::path& folder, const std::string& id,
                   const Certificate& certificate, Audit& audit) {
  ++audit.wanted_verdicts;
  const Verdict* own = find_verdict(certificate, id);
  if (own == nullptr) {
    audit.problems.push_back("invariant " + id + ": not in the certificate");
    return;
  }
  const std::filesystem::path file = folder / "verdicts" / (id + ".json");
  if (!std::filesystem::exists(file)) {
    audit.problems.push_back("invariant " + id + ": no verdict file, so its step did not run");
    return;
  }
  const auto found = try_read(file, &read_verdict, audit.problems);
  if (!found) return;
  if (found->run_id != certificate.run_id) {
    audit.problems.push_back(file.string() + ": of run " + found->run_id + ", not of " +
                             certificate.run_id);
    return;
  }
  const std::string expected = verdict_text({certificate.run_id, certificate.suite, *own});
  if (read_file(file) != expected) {
    audit.problems.push_back(
        file.string() + ": says " + std::string(to_string(found->verdict.outcome)) +
        ", differs from the certificate's verdict " + std::string(to_string(own->outcome)));
    return;
  }
  ++audit.verdicts_confirmed;
}

}  // namespace

Audit audit_run(const std::filesystem::path& folder, const MustPass& mustpass,
                const Certificate& certificate) {
  Audit audit;
  if (certificate.mustpass_sha256 != mustpass.sha256) {
    audit.problems.emplace_back("certificate: judged by another must-pass list");
  }
  audit_probes(folder, certificate, audit);
  for (const MustPassInvariant& wanted : mustpass.invariants) {
    audit_verdict(folder, wanted.id, certificate, audit);
  }
  if (audit.probes_accounted == 0) audit.problems.emplace_back("no probe ran");
  if (audit.verdicts_confirmed == 0) audit.problems.emplace_back("no verdict is confirmed");
  return audit;
}

}  // namespace assay
