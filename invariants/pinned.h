// SPDX-License-Identifier: Apache-2.0
// Which approved dossier is this device compared with?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"

namespace assay {

struct PinnedDossier {
  Dossier dossier;
  std::string sha256;  ///< of the file's bytes
  bool same_device = false;
};

/// Reads one pinned dossier. Throws DataError.
PinnedDossier read_pinned(const std::filesystem::path& file, const Dossier& current);

/// The pin of the same device, else one of the same product, compute capability, ECC and MIG
/// state; never another product. Of several, the newest, then the first by file name. A folder
/// that is not there holds no pin. Throws DataError on a file that cannot be read.
std::optional<PinnedDossier> find_pinned(const Dossier& current, const std::filesystem::path& dir);

/// The pins of a folder, read once: for many dossiers.
class PinnedFolder {
 public:
  /// Throws DataError on a file that cannot be read.
  explicit PinnedFolder(const std::filesystem::path& dir);
  /// As find_pinned chooses; nullptr for none. Valid until the next call.
  const PinnedDossier* best(const Dossier& current);

 private:
  std::vector<PinnedDossier> pins_;
};

/// "sha256:<first 16 hex digits>" of a UUID; a text that is already so stays.
std::string device_hash(const std::string& uuid);

}  // namespace assay
