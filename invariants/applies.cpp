// SPDX-License-Identifier: Apache-2.0
// Where does an invariant apply, and which band is this device's?
#include <algorithm>
#include <string>

#include "invariants/evaluate.h"

namespace assay {
namespace {

constexpr int kTen = 10;

std::string cc_text(const DeviceIdentity& device) {
  return std::to_string(device.cc_major) + "." + std::to_string(device.cc_minor);
}

bool matches_any(const std::string& product, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&product](const std::string& pattern) {
    return name_matches(product, pattern);
  });
}

bool has_cc(const std::vector<std::string>& ccs, const DeviceIdentity& device) {
  return std::find(ccs.begin(), ccs.end(), cc_text(device)) != ccs.end();
}

/// From 7.0 on, but for the small dies under 7.5 that were made without.
bool has_tensor_cores(const DeviceIdentity& device) {
  constexpr int kFirst = 7;
  if (device.cc_major < kFirst) return false;
  const bool turing = device.cc_major == 7 && device.cc_minor == 5;
  return !(turing && matches_any(device.name, {"GTX 16*", "MX450", "MX550", "T400*", "T500*",
                                               "T550*", "T600*", "T1000*", "T1200*"}));
}

}  // namespace

std::string why_not_applicable(const Applies& applies, const DeviceIdentity& device) {
  const std::string cc = cc_text(device);
  if (applies.min_cc && device.cc_major * kTen + device.cc_minor < *applies.min_cc) {
    return "compute capability " + cc + " is below " + std::to_string(*applies.min_cc / kTen) +
           "." + std::to_string(*applies.min_cc % kTen);
  }
  if (!applies.cc.empty() && !has_cc(applies.cc, device)) {
    return "not for compute capability " + cc;
  }
  for (const std::string& feature : applies.has) {
    if (feature == "tensor_cores" && !has_tensor_cores(device)) {
      return "the device has no tensor cores";
    }
    if (feature == "ecc" && !device.ecc.value_or(false)) return "ECC is not on";
    if (feature == "full_device" && device.mig.value_or(false)) {
      return "a MIG slice is not the full device";
    }
  }
  if (matches_any(device.name, applies.not_names)) return "not for " + device.name;
  return {};
}

const Band* band_for(const std::vector<Band>& bands, const DeviceIdentity& device) {
  for (const Band& band : bands) {
    const bool cc = band.cc.empty() || has_cc(band.cc, device);
    const bool name = band.names.empty() || matches_any(device.name, band.names);
    if (cc && name && !matches_any(device.name, band.not_names)) return &band;
  }
  return nullptr;
}

}  // namespace assay
