// SPDX-License-Identifier: Apache-2.0
// A pretended NVML for machines without a GPU.
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <vector>

#include "dossiers/driver/fake/fake_gpus.h"

namespace fake = assay::fake;

namespace {

constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kTimeout = 10;
constexpr int kGpuIsLost = 15;

// A handle is the index plus one.
void* handle_of(unsigned index) {
  return reinterpret_cast<void*>(std::size_t{index} + 1);
}
unsigned bus_of(void* device) {
  return fake::nvml_bus(static_cast<unsigned>(reinterpret_cast<std::size_t>(device) - 1));
}
int unsupported() {
  return fake::scenario("fields_unsupported") ? kNotSupported : 0;
}

void format_uuid(unsigned bus, char* text, unsigned length) {
  const auto uuid = fake::uuid_of(bus, false);
  std::string out = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02X", uuid.at(i));
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      out += '-';
    }
    out += digits;
  }
  std::snprintf(text, length, "%s", out.c_str());
}

template <typename T>
int answer(T* out, T value) {
  const int code = unsupported();
  if (code == 0) {
    *out = value;
  }
  return code;
}

struct PciInfo {
  char legacy_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

struct FieldValue {
  unsigned field, scope;
  long long timestamp_us, latency_us;
  int value_type, result;
  unsigned long long value;
};

struct EventData {
  void* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return fake::number("ASSAY_FAKE_NVML_INIT", 0);
}
int nvmlShutdown() {
  return 0;
}

const char* nvmlErrorString(int code) {
  switch (code) {
    case kNotSupported:
      return "Not Supported";
    case kNotFound:
      return "Not Found";
    case kGpuIsLost:
      return "GPU is lost";
    case 9:
      return "Driver Not Loaded";
    default:
      return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "580.159.04");
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(fake::nvml_count());
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= static_cast<unsigned>(fake::nvml_count())) {
    return kInvalidArgument;
  }
  *device = handle_of(index);
  return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (std::string(uuid).rfind("MIG-", 0) != 0) {
    return kNotFound;
  }
  *device = handle_of(0);
  return 0;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  const bool other = fake::scenario("nvml_by_pci") || fake::scenario("nvml_elsewhere");
  format_uuid(bus_of(device) + (other ? 1U : 0U), text, length);
  return 0;
}

int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  *info = {};
  const unsigned bus = bus_of(device) + (fake::scenario("nvml_elsewhere") ? 1U : 0U);
  std::snprintf(info->bus_id, sizeof(info->bus_id), "00000000:%02X:00.0", bus);
  return 0;
}

int nvmlDeviceGetVbiosVersion(void*, char* text, unsigned length) {
  if (unsupported() == 0) {
    std::snprintf(text, length, "96.00.A5.00.1A");
  }
  return unsupported();
}

int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
  *pending = 1;
  return answer(current, 1U);
}

int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  *pending = 0;
  return answer(current, fake::scenario("mig") ? 1U : 0U);
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return answer(milliwatts, 700000U);
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return answer(milliwatts, 112500U);
}

int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  return answer(celsius, 31U);
}

int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) {
  return answer(mhz, 1980U);
}

int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) {
  return answer(mhz, 1980U);
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  return answer(millijoules, 1234567ULL);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  return answer(generation, 4U);
}

int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) {
  return answer(lanes, 8U);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  return answer(generation, 5U);
}

int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) {
  return answer(lanes, 16U);
}

int nvmlDeviceGetTotalEccErrors(void*, int kind, int since_ever, unsigned long long* count) {
  return answer(count, since_ever != 0 ? 99ULL : kind == 0 ? 7ULL : 2ULL);
}

int nvmlDeviceGetRemappedRows(void*, unsigned* correctable, unsigned* uncorrectable,
                              unsigned* pending, unsigned* failed) {
  *pending = fake::scenario("row_pending") ? 1 : 0;
  *failed = fake::scenario("row_failed") ? 1 : 0;
  *uncorrectable = 3;
  return answer(correctable, 1U);
}

int nvmlDeviceGetRetiredPagesPendingStatus(void*, int*) {
  return kNotSupported;  // as on every device that remaps rows
}

int nvmlDeviceGetPcieReplayCounter(void*, unsigned* count) {
  return answer(count, static_cast<unsigned>(fake::number("ASSAY_FAKE_REPLAYS", 11)));
}

/// Eighteen links, all up unless there is none.
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* is_up) {
  constexpr unsigned kLinks = 18;
  if (link >= kLinks) {
    return kNotSupported;
  }
  return answer(is_up, fake::scenario("no_links") ? 0U : 1U);
}

int nvmlDeviceGetNvLinkErrorCounter(void*, unsigned link, int counter, unsigned long long* count) {
  if (fake::scenario("link_lost")) {
    return kGpuIsLost;
  }
  if (counter == 3) {
    return kNotSupported;  // newer links do not count these
  }
  if (link != 1 || counter > 1) {
    return answer(count, 0ULL);
  }
  const int seen =
      fake::number(counter == 0 ? "ASSAY_FAKE_LINK_RETRIES" : "ASSAY_FAKE_LINK_RECOVERIES", 0);
  return answer(count, static_cast<unsigned long long>(seen));
}

int nvmlEventSetCreate(void** set) {
  *set = new std::size_t(0);  // how many events were told
  return 0;
}

int nvmlEventSetFree(void* set) {
  delete static_cast<std::size_t*>(set);
  return 0;
}

int nvmlDeviceRegisterEvents(void*, unsigned long long, void*) {
  return unsupported();
}

int nvmlEventSetWait_v2(void* set, EventData* event, unsigned) {
  std::size_t& told = *static_cast<std::size_t*>(set);
  std::istringstream list(fake::environment("ASSAY_FAKE_XIDS"));
  std::string xid;
  for (std::size_t i = 0; i <= told; ++i) {
    if (!std::getline(list, xid, ',')) {
      return kTimeout;
    }
  }
  ++told;
  *event = {nullptr, 0x8, std::strtoull(xid.c_str(), nullptr, 10), 0, 0};
  return 0;
}

int nvmlDeviceGetArchitecture(void*, unsigned* architecture) {
  return answer(architecture, 9U);
}

int nvmlDeviceGetBrand(void*, unsigned* brand) {
  return answer(brand, 14U);
}

int nvmlDeviceGetNumGpuCores(void*, unsigned* cores) {
  return answer(cores, 16896U);
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) {
  memory[0] = fake::scenario("no_memory") ? 0ULL : 150754820096ULL;
  memory[1] = 150000000000ULL;
  memory[2] = 754820096ULL;
  return unsupported();
}

int nvmlDeviceGetTopologyCommonAncestor(void*, void*, int* level) {
  return answer(level, 40);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* mask) {
  return answer(mask, static_cast<unsigned long long>(fake::number("ASSAY_FAKE_REASONS", 0)));
}

int nvmlDeviceGetFieldValues(void*, int count, FieldValue* fields) {
  for (int i = 0; i < count; ++i) {
    fields[i].result = fields[i].field == 74 ? unsupported() : kNotSupported;
    fields[i].value_type = 3;
    fields[i].value = 5000000ULL;
  }
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* infos) {
  std::vector<unsigned> pids;
  std::istringstream list(fake::environment("ASSAY_FAKE_PIDS"));
  for (std::string pid; std::getline(list, pid, ',');) {
    pids.push_back(static_cast<unsigned>(std::strtoul(pid.c_str(), nullptr, 10)));
  }
  const auto room = static_cast<std::size_t>(*count);
  *count = static_cast<unsigned>(pids.size());
  if (unsupported() != 0 || room < pids.size()) {
    return unsupported() != 0 ? kNotSupported : kInsufficientSize;
  }
  for (std::size_t i = 0; i < pids.size(); ++i) {
    infos[i] = {pids[i], 1ULL << 30, 0, 0};
  }
  return 0;
}

}  // extern "C"
