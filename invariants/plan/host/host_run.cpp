// SPDX-License-Identifier: Apache-2.0
// Which GPUs does this host have, and what did the run of each come to?
#include "invariants/plan/host/host_run.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <system_error>

#include "dossiers/driver/device_place.h"
#include "dossiers/json/json_reader.h"
#include "invariants/plan/run_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// What the driver and NVML see, in PCI order. Throws NoDevice.
struct Listing {
  Listing() {
    order_devices_by_pci();
    const LibCuda cuda;
    std::string why;
    nvml = load_nvml(why);
    devices = list_devices(cuda, nvml.get(), why);
  }
  std::shared_ptr<const Nvml> nvml;  ///< null without it
  std::vector<ListedDevice> devices;
};

HostDevice device_of(std::size_t index, const DeviceIdentity& identity) {
  HostDevice device;
  device.index = static_cast<std::int64_t>(index);
  device.uuid = identity.uuid;
  device.name = identity.name;
  device.pci_bus_id = identity.pci_bus_id;
  device.driver = identity.driver;
  if (const auto node = place_of(identity.pci_bus_id).numa_node) {
    device.numa_node = *node;
  }
  device.reason = "it has no run";
  return device;
}

/// The first verdict that is as bad as the certificate's, and how many more there are.
std::string reason_of(const Certificate& certificate) {
  const auto as_bad = [&](const Verdict& verdict) {
    return verdict.outcome == certificate.verdict;
  };
  const auto first = std::find_if(certificate.verdicts.begin(), certificate.verdicts.end(), as_bad);
  const auto& missing = certificate.completeness.missing;
  auto more = static_cast<std::size_t>(
      std::count_if(certificate.verdicts.begin(), certificate.verdicts.end(), as_bad));
  std::string text;
  if (first != certificate.verdicts.end()) {
    text = first->id + ": " + first->reason;
    --more;
  } else if (!missing.empty()) {
    text = missing.front().what + " is missing";
    more = missing.size() - 1;
  } else {
    text = certificate.headline;
  }
  return more == 0 ? text : text + "; " + std::to_string(more) + " more";
}

void add_certificate(const Judging& how, const fs::path& folder, HostDevice& device,
                     std::vector<PeerCell>& peers) {
  const Dossier dossier = read_dossier(folder / "dossier.json");
  if (dossier.device.uuid != device.uuid) {
    device.reason = "dossier.json is of " + dossier.device.uuid;
    return;
  }
  const Certificate certificate = judge(how, dossier);
  const Audit audit = audit_again(how, folder);
  device.certificate_sha256 = sha256_hex(read_file(folder / "certificate.json"));
  device.verdict = certificate.verdict;
  device.provisional = certificate.provisional;
  device.reason = device.verdict == Outcome::pass ? "" : reason_of(certificate);
  if (!audit.pass() && exit_code(device.verdict) == 0) {
    device.verdict = Outcome::fail;
    device.reason =
        "the audit: " + (audit.problems.empty() ? "nothing was executed" : audit.problems.front());
  }
  add_peers(dossier, device.index, peers);
}

}  // namespace

std::vector<DeviceIdentity> devices_of_host() {
  const Listing listing;
  std::vector<DeviceIdentity> identities;
  for (const ListedDevice& device : listing.devices) identities.push_back(device.identity);
  return identities;
}

HostRecord look_at_host() {
  const Listing listing;
  const auto& devices = listing.devices;
  HostRecord record;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    record.devices.push_back(device_of(i, devices[i].identity));
    for (const DevicePlace::Path& path : paths_from(i, devices, listing.nvml.get())) {
      if (path.to > i) {
        record.paths.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(path.to),
                                path.through.value.value_or("")});
      }
    }
  }
  return record;
}

void add_run(const Judging& how, const fs::path& out, const fs::path& folder, HostDevice& device,
             std::vector<PeerCell>& peers) {
  device.verdict = Outcome::no_evidence;
  device.reason = "the run ended without a certificate";
  device.run_id = folder.filename().string();
  device.folder = folder.lexically_relative(out).string();
  std::error_code absent;
  if (!fs::exists(folder / "certificate.json", absent)) {
    return;
  }
  try {
    add_certificate(how, folder, device, peers);
  } catch (const std::exception& error) {
    device.verdict = Outcome::no_evidence;
    device.reason = error.what();
  }
}

fs::path write_host(const HostRecord& record, const fs::path& out) {
  fs::path folder = out / "host" / record.run_id;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot make the folder: " + error.message());
  }
  write_file_atomically(folder / "summary.txt", host_summary(record));
  write_file_atomically(folder / "host.json", host_text(record));
  return folder;
}

}  // namespace assay
