// SPDX-License-Identifier: Apache-2.0
// What does the arithmetic on language models need to know of a device?
#include "dossiers/models/llm_devices.h"

#include "dossiers/models/prefixes.h"
#include "dossiers/models/rungs.h"

namespace assay {
namespace {

constexpr const char* kUnified = "unified with the host's, no driver states a size";

void set_peak(LlmDevice& device, const Card& card, Arithmetic arithmetic, PeakBasis basis) {
  const Peak peak = peak_tflops(card, arithmetic, basis);
  device.tflops = peak.value;
  const std::string name(to_string(arithmetic));
  device.tflops_basis =
      !peak.value ? peak.why
                  : name + ", " + (peak.basis == PeakBasis::vendor ? "vendor" : "derived");
}

}  // namespace

LlmDevice llm_device(const Card& card, Arithmetic arithmetic, PeakBasis basis) {
  LlmDevice device;
  device.name = card.key;
  if (card.unified_memory) {
    device.memory_why = kUnified;
  } else if (card.figures.memory_gib.value) {
    device.memory_bytes = *card.figures.memory_gib.value * kGibi;
  } else {
    device.memory_why = card.figures.memory_gib.why;
  }
  device.gbs = bandwidth_gbs(card, basis).value;
  set_peak(device, card, arithmetic, basis);
  device.watts = card.figures.tdp_w.value;
  return device;
}

LlmDevice llm_device(const Dossier& dossier, Arithmetic arithmetic) {
  LlmDevice device;
  device.name = dossier.device.name;
  const Fact* memory = dossier.find("device.memory_bytes");
  device.memory_bytes = memory == nullptr ? std::nullopt : as_number(memory->value);
  if (device.memory_bytes && !(*device.memory_bytes > 0.0)) device.memory_bytes.reset();
  if (!device.memory_bytes) {
    device.memory_why = memory != nullptr && memory->reason ? to_string(*memory->reason)
                                                            : "the dossier does not say";
  }
  const BestFact read = best_fact(dossier, {"dram_bw.read"});
  if (!read.path.empty()) device.gbs = read.value;
  const BestFact rate = best_fact(dossier, rate_paths(dossier, arithmetic));
  if (!rate.path.empty()) device.tflops = rate.value;
  device.tflops_basis = rate.path.empty()
                            ? "no rate of " + std::string(to_string(arithmetic)) + " was measured"
                            : "measured, " + rate.path;
  device.watts = dossier.device.power_limit_w;
  return device;
}

LlmDevice llm_device(const DeviceInfo& info, const Card* card, Arithmetic arithmetic) {
  LlmDevice device;
  device.name = info.device.identity.name;
  const Answer<std::uint64_t>& memory = info.device.memory_bytes;
  const auto integrated = info.device.attributes.find("integrated");
  const bool unified =
      integrated != info.device.attributes.end() && integrated->second.value.value_or(0) != 0;
  if (unified) {
    device.memory_why = kUnified;
  } else if (memory && *memory.value > 0) {
    device.memory_bytes = static_cast<double>(*memory.value);
  } else {
    device.memory_why = memory.why.empty() ? "the driver answers 0" : memory.why;
  }
  device.gbs = info.dram_peak_gbs;
  device.watts = info.device.identity.power_limit_w;
  if (card != nullptr) {
    set_peak(device, *card, arithmetic, PeakBasis::vendor);
  } else {
    device.tflops_basis = "no card of the list has exactly this name";
  }
  return device;
}

}  // namespace assay
