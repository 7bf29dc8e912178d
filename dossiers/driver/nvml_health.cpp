// SPDX-License-Identifier: Apache-2.0
// What does the management library say about a device's link, its energy and its memory's health?
#include <array>
#include <optional>

#include "dossiers/driver/dynamic_library.h"
#include "dossiers/driver/nvml.h"

namespace assay {

namespace {

// As NVML's ABI has them.
using DeviceErrors = int(NvmlHandle, int, int, unsigned long long*);
using DeviceRows = int(NvmlHandle, unsigned*, unsigned*, unsigned*, unsigned*);

using DeviceState = int(NvmlHandle, int*);
using DeviceLinkState = int(NvmlHandle, unsigned, unsigned*);
using DeviceLinkErrors = int(NvmlHandle, unsigned, int, unsigned long long*);
using EventSetOut = int(void**);
using EventSetFree = int(void*);
using DeviceEvents = int(NvmlHandle, unsigned long long, void*);

struct EventData {  // nvmlEventData_t
  NvmlHandle device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(EventData) == 32);
using EventWait = int(void*, EventData*, unsigned);

constexpr int kNotSupported = 3;
constexpr int kTimeout = 10;
constexpr unsigned long long kXidEvent = 0x8;
constexpr std::size_t kMostEvents = 1000;
constexpr unsigned kMostLinks = 18;
// nvmlNvLinkErrorCounter_t: replays, CRC errors of flits and of data; recoveries.
constexpr std::array kLinkRetries = {0, 2, 3};
constexpr std::array kLinkRecoveries = {1};

constexpr int kSinceDriverLoad = 0;
constexpr double kJoulesPerMillijoule = 1e-3;

}  // namespace

Answer<double> Nvml::energy_j(NvmlHandle device) const {
  const auto millijoules = long_number("nvmlDeviceGetTotalEnergyConsumption", device);
  return millijoules
             ? Answer<double>{kJoulesPerMillijoule * static_cast<double>(*millijoules.value), {}}
             : no_answer<double>(millijoules.why);
}

Answer<unsigned> Nvml::pcie_generation(NvmlHandle device) const {
  return number("nvmlDeviceGetCurrPcieLinkGeneration", device);
}

Answer<unsigned> Nvml::pcie_width(NvmlHandle device) const {
  return number("nvmlDeviceGetCurrPcieLinkWidth", device);
}

Answer<unsigned> Nvml::max_pcie_generation(NvmlHandle device) const {
  return number("nvmlDeviceGetMaxPcieLinkGeneration", device);
}

Answer<unsigned> Nvml::max_pcie_width(NvmlHandle device) const {
  return number("nvmlDeviceGetMaxPcieLinkWidth", device);
}

Answer<std::uint64_t> Nvml::ecc_errors(NvmlHandle device, EccErrors kind) const {
  constexpr const char* kName = "nvmlDeviceGetTotalEccErrors";
  auto* get_errors = library_.function<DeviceErrors>(kName);
  if (get_errors == nullptr) {
    return no_answer<std::uint64_t>(not_offered("NVML", kName));
  }
  unsigned long long count = 0;
  const int code = get_errors(device, static_cast<int>(kind), kSinceDriverLoad, &count);
  return code == 0 ? Answer<std::uint64_t>{count, {}} : no_answer<std::uint64_t>(error_text(code));
}

Answer<std::uint64_t> Nvml::remapped_rows(NvmlHandle device) const {
  const Answer<RowRemapping> state = row_remapping(device);
  return state ? Answer<std::uint64_t>{state.value->rows, {}} : no_answer<std::uint64_t>(state.why);
}

Answer<RowRemapping> Nvml::row_remapping(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetRemappedRows";
  auto* get_rows = library_.function<DeviceRows>(kName);
  if (get_rows == nullptr) {
    return no_answer<RowRemapping>(not_offered("NVML", kName));
  }
  unsigned correctable = 0;
  unsigned uncorrectable = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  const int code = get_rows(device, &correctable, &uncorrectable, &pending, &failed);
  if (code != 0) {
    return no_answer<RowRemapping>(error_text(code));
  }
  return {RowRemapping{std::uint64_t{correctable} + uncorrectable, pending != 0, failed != 0}, {}};
}

Answer<bool> Nvml::page_retirement_pending(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetRetiredPagesPendingStatus";
  auto* get_state = library_.function<DeviceState>(kName);
  if (get_state == nullptr) {
    return no_answer<bool>(not_offered("NVML", kName));
  }
  int pending = 0;
  const int code = get_state(device, &pending);
  return code == 0 ? Answer<bool>{pending != 0, {}} : no_answer<bool>(error_text(code));
}

Answer<std::uint64_t> Nvml::pcie_replays(NvmlHandle device) const {
  const Answer<unsigned> count = number("nvmlDeviceGetPcieReplayCounter", device);
  return count ? Answer<std::uint64_t>{*count.value, {}} : no_answer<std::uint64_t>(count.why);
}

Answer<std::uint64_t> Nvml::nvlink_retries(NvmlHandle device) const {
  return link_counters(device, kLinkRetries);
}

Answer<std::uint64_t> Nvml::nvlink_recoveries(NvmlHandle device) const {
  return link_counters(device, kLinkRecoveries);
}

Answer<std::uint64_t> Nvml::link_counters(NvmlHandle device, std::span<const int> counters) const {
  constexpr const char* kState = "nvmlDeviceGetNvLinkState";
  constexpr const char* kErrors = "nvmlDeviceGetNvLinkErrorCounter";
  auto* get_state = library_.function<DeviceLinkState>(kState);
  auto* get_errors = library_.function<DeviceLinkErrors>(kErrors);
  if (get_state == nullptr || get_errors == nullptr) {
    return no_answer<std::uint64_t>(not_offered("NVML", get_state == nullptr ? kState : kErrors));
  }
  std::optional<std::uint64_t> total;
  std::string why = "Not Supported";
  for (unsigned link = 0; link < kMostLinks; ++link) {
    unsigned is_up = 0;
    if (get_state(device, link, &is_up) != 0 || is_up == 0) {
      continue;
    }
    for (const int counter : counters) {
      unsigned long long count = 0;
      const int code = get_errors(device, link, counter, &count);
      if (code == 0) {
        total = total.value_or(0) + count;
      } else if (code != kNotSupported) {
        // A link that is up and will not say is no link without errors.
        return no_answer<std::uint64_t>(error_text(code));
      }
    }
  }
  return total ? Answer<std::uint64_t>{*total, {}} : no_answer<std::uint64_t>(why);
}

Answer<void*> Nvml::listen_for_xids(NvmlHandle device) const {
  auto* create = library_.function<EventSetOut>("nvmlEventSetCreate");
  auto* listen = library_.function<DeviceEvents>("nvmlDeviceRegisterEvents");
  auto* wait = library_.function<EventWait>("nvmlEventSetWait_v2");
  if (create == nullptr || listen == nullptr || wait == nullptr) {
    return no_answer<void*>(not_offered("NVML", "nvmlEventSetWait_v2 and what belongs to it"));
  }
  void* set = nullptr;
  int code = create(&set);
  if (code != 0) {
    return no_answer<void*>(error_text(code));
  }
  code = listen(device, kXidEvent, set);
  if (code != 0) {
    stop_listening(set);
    return no_answer<void*>(error_text(code));
  }
  return {set, {}};
}

Answer<std::vector<std::uint64_t>> Nvml::pending_xids(void* event_set) const {
  using Numbers = std::vector<std::uint64_t>;
  auto* wait = library_.function<EventWait>("nvmlEventSetWait_v2");
  if (wait == nullptr) {
    return no_answer<Numbers>(not_offered("NVML", "nvmlEventSetWait_v2"));
  }
  Numbers numbers;
  // A driver in a storm of errors must not keep us here.
  while (numbers.size() < kMostEvents) {
    EventData event{};
    const int code = wait(event_set, &event, 0);
    if (code == kTimeout) {
      break;
    }
    if (code != 0) {
      return no_answer<Numbers>(error_text(code));
    }
    if (event.type == kXidEvent) {
      numbers.push_back(event.data);
    }
  }
  return {numbers, {}};
}

void Nvml::stop_listening(void* event_set) const {
  if (auto* release = library_.function<EventSetFree>("nvmlEventSetFree")) {
    release(event_set);
  }
}

}  // namespace assay
