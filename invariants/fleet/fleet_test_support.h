// SPDX-License-Identifier: Apache-2.0
// For tests only: evidence folders made of the worked example.
#pragma once

#include <string>

#include "dossiers/dossier.h"
#include "invariants/test_support.h"

namespace assay::test {

/// What one run in an evidence folder differs in from the worked example.
struct PlantedRun {
  std::string host = "n1";
  std::string uuid = "GPU-a";
  std::string run = "run-1";
  std::string utc = "2026-11-29T02:14:07Z";
  std::string above = {};  ///< a folder above the host's
  /// In certificate.json: "from" -> "to", each once.
  std::vector<std::pair<std::string, std::string>> edits = {};
};

/// <dir>/[above/]<host>/<uuid>/<run>/ with a certificate and the dossier that it was made of.
inline std::filesystem::path plant_run(const std::filesystem::path& dir,
                                       const PlantedRun& planted) {
  static const std::string kCertificate = read_file(example_dir() / "certificate.json");
  static const std::string kDossier = read_file(example_dir() / "dossier.json");
  const std::string uuid = "GPU-e0a3b1e0-0000-4000-8000-000000000001";
  const std::string run = "example-20261129-021407";
  std::string dossier = replaced(kDossier, uuid, planted.uuid);
  dossier = replaced(dossier, "\"run_id\": \"" + run, "\"run_id\": \"" + planted.run);
  std::string text = replaced(kCertificate, uuid, planted.uuid);
  text = replaced(text, "\"run_id\": \"" + run, "\"run_id\": \"" + planted.run);
  text = replaced(text, "\"created_utc\": \"2026-11-29T02:14:07Z\"",
                  "\"created_utc\": \"" + planted.utc + "\"");
  text = replaced(text, sha256_hex(kDossier), sha256_hex(dossier));
  for (const auto& [from, to] : planted.edits) text = replaced(text, from, to);
  const auto folder = dir / planted.above / planted.host / planted.uuid / planted.run;
  write_text(folder / "dossier.json", dossier);
  write_text(folder / "certificate.json", text);
  return folder;
}

/// `hosts` hosts of four GPUs, the DRAM's read rate of each a little different.
inline void plant_fleet(const std::filesystem::path& dir, int hosts) {
  for (int gpu = 0; gpu < 4 * hosts; ++gpu) {
    PlantedRun run;
    run.host = "n" + std::to_string(gpu / 4 + 1);
    run.uuid = "GPU-" + std::to_string(gpu);
    plant_run(dir, run);
  }
}

}  // namespace assay::test
