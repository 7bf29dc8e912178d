// SPDX-License-Identifier: Apache-2.0
// Which device, which suite, which run: what makes two numbers comparable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The version of assay that wrote a document. `commit` is empty outside a checkout.
struct SuiteIdentity {
  std::string version;
  std::string commit;
  bool dirty = false;
  bool operator==(const SuiteIdentity&) const = default;
};
/// The suite that this program was built from.
const SuiteIdentity& this_suite();

/// What names a device and the software under it. Unknown is nullopt, never a default.
struct DeviceIdentity {
  std::string uuid;        ///< "GPU-xxxxxxxx-..." or "MIG-..."; "sha256:..." once redacted
  std::string name;        ///< as the driver gives it
  std::string pci_bus_id;  ///< "0000:c1:00.0": 4-digit domain, lower case
  int cc_major = 0;
  int cc_minor = 0;
  std::string driver;   ///< "580.159.04"; empty when NVML could not say
  int driver_cuda = 0;  ///< cuDriverGetVersion, for example 13000
  std::optional<std::string> vbios;
  std::optional<bool> ecc;
  std::optional<bool> mig;  ///< this device is a MIG slice
  std::optional<double> power_limit_w;
  bool operator==(const DeviceIdentity&) const = default;
};

/// This moment as every document writes it: "2026-11-30T02:14:07Z".
std::string utc_now();

/// "sm_90" for 9.0.
std::string architecture(const DeviceIdentity& device);

/// The build of one probe program.
struct BuildIdentity {
  std::string toolkit;                     ///< "13.0.88"
  std::vector<std::string> architectures;  ///< "sm_90", "sm_90a", ... with machine code inside
  std::string compiler;                    ///< host compiler, for example "GNU 12.2.0"
  bool operator==(const BuildIdentity&) const = default;
};

}  // namespace assay
