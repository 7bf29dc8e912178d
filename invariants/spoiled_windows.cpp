// SPDX-License-Identifier: Apache-2.0
// Which probes of an invariant measured in a window that says nothing about the device?
#include <string>

#include "dossiers/driver/clock_reasons.h"
#include "invariants/evaluate_detail.h"

namespace assay::detail {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The probes themselves take such facts back; a dossier that still holds them is not believed.
/// The software power cap is the normal state of tensor work, told by each fact's own clock.
std::vector<Gap> throttling(const Invariant& invariant, const Dossier& dossier) {
  std::vector<Gap> gaps;
  for (const std::string& probe : invariant.probes) {
    const auto record = dossier.probes.find(probe);
    if (record == dossier.probes.end() || !record->second.conditions) continue;
    const auto& mask = record->second.conditions->throttle_mask;
    if (!mask) continue;
    const ClockDecision held = judge_clock_reasons(*mask & ~kPowerCapReason);
    if (held.state != ClockState::reject) continue;
    gaps.push_back(
        {probe, "probe " + probe + " ran throttled: " + joined(held.names), Outcome::inconclusive});
  }
  return gaps;
}

}  // namespace

std::vector<Gap> spoiled_windows(const Invariant& invariant, const Dossier& dossier) {
  std::vector<Gap> gaps = contention(invariant, dossier);
  const std::vector<Gap> throttled = throttling(invariant, dossier);
  gaps.insert(gaps.end(), throttled.begin(), throttled.end());
  return gaps;
}

}  // namespace assay::detail
