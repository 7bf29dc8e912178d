// SPDX-License-Identifier: Apache-2.0
// Which approved dossier is this device compared with?
#include "invariants/pinned.h"

#include <algorithm>
#include <vector>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

bool same_product(const DeviceIdentity& a, const DeviceIdentity& b) {
  return a.name == b.name && a.cc_major == b.cc_major && a.cc_minor == b.cc_minor &&
         a.ecc == b.ecc && a.mig == b.mig;
}

/// Same device first, then the newer.
bool is_better(const PinnedDossier& a, const PinnedDossier& b) {
  if (a.same_device != b.same_device) return a.same_device;
  return a.dossier.created_utc > b.dossier.created_utc;
}

}  // namespace

std::string device_hash(const std::string& uuid) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kDigits = 16;
  if (uuid.starts_with(kPrefix)) return uuid;
  return std::string(kPrefix) + sha256_hex(uuid).substr(0, kDigits);
}

PinnedDossier read_pinned(const std::filesystem::path& file, const Dossier& current) {
  PinnedDossier pinned;
  const std::string text = read_file(file);
  pinned.dossier = dossier_from_text(text, file.string());
  pinned.sha256 = sha256_hex(text);
  pinned.same_device = device_hash(pinned.dossier.device.uuid) == device_hash(current.device.uuid);
  return pinned;
}

PinnedFolder::PinnedFolder(const std::filesystem::path& dir) {
  for (const std::filesystem::path& file : json_files(dir)) pins_.push_back(read_pinned(file, {}));
}

const PinnedDossier* PinnedFolder::best(const Dossier& current) {
  const std::string device = device_hash(current.device.uuid);
  PinnedDossier* best = nullptr;
  for (PinnedDossier& pinned : pins_) {
    // A device that changed its ECC or MIG state since is another thing, whatever its UUID.
    if (!same_product(pinned.dossier.device, current.device)) continue;
    pinned.same_device = device_hash(pinned.dossier.device.uuid) == device;
    if (best == nullptr || is_better(pinned, *best)) best = &pinned;
  }
  return best;
}

std::optional<PinnedDossier> find_pinned(const Dossier& current, const std::filesystem::path& dir) {
  PinnedFolder folder(dir);
  const PinnedDossier* best = folder.best(current);
  return best == nullptr ? std::nullopt : std::optional<PinnedDossier>(*best);
}

}  // namespace assay
