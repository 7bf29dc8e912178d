// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/nvml.h"

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "dossiers/driver/dynamic_library.h"

namespace assay {

namespace {

// Our own declarations of NVML's functions and structures, as its ABI has them.
using NoArgument = int();
using ErrorString = const char*(int);
using SystemText = int(char*, unsigned);
using CountOut = int(unsigned*);
using HandleByIndex = int(unsigned, NvmlHandle*);
using HandleByText = int(const char*, NvmlHandle*);
using DeviceText = int(NvmlHandle, char*, unsigned);
using DeviceNumber = int(NvmlHandle, unsigned*);
using DeviceNumberOf = int(NvmlHandle, int, unsigned*);
using DeviceTwoNumbers = int(NvmlHandle, unsigned*, unsigned*);
using DeviceMask = int(NvmlHandle, unsigned long long*);

struct PciInfo {  // nvmlPciInfo_t
  std::array<char, 16> legacy_id;
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  std::array<char, 32> bus_id;
};
using DevicePci = int(NvmlHandle, PciInfo*);

struct FieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  int value_type;
  int result;
  union {
    double real;
    unsigned u32;
    unsigned long u64;
    unsigned long long u64_long;
    long long i64;
  } value;
};
static_assert(sizeof(FieldValue) == 40);
using DeviceFields = int(NvmlHandle, int, FieldValue*);

struct ProcessInfo {  // nvmlProcessInfo_t, second version and later
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);
using DeviceProcesses = int(NvmlHandle, unsigned*, ProcessInfo*);

constexpr int kInsufficientSize = 7;
constexpr int kClockSm = 1;
constexpr int kSensorGpu = 0;
constexpr unsigned kFieldPowerCapTime = 74;

/// The field's value as an unsigned number; its type differs between drivers.
std::optional<std::uint64_t> field_number(const FieldValue& field) {
  switch (field.value_type) {
    case 1:
      return field.value.u32;
    case 2:
      return field.value.u64;
    case 3:
      return field.value.u64_long;
    case 4:
      return field.value.i64 < 0
                 ? std::nullopt
                 : std::optional<std::uint64_t>(static_cast<std::uint64_t>(field.value.i64));
    default:
      return std::nullopt;
  }
}

Answer<double> scaled(const Answer<unsigned>& answer, double unit) {
  return answer ? Answer<double>{*answer.value * unit, {}} : no_answer<double>(answer.why);
}

}  // namespace

Nvml::Nvml() : library_(library_path("ASSAY_LIBNVML", "libnvidia-ml.so.1")) {
  auto* init = library_.function<NoArgument>("nvmlInit_v2");
  if (init == nullptr) {
    throw std::runtime_error(not_offered("NVML", "nvmlInit_v2"));
  }
  const int code = init();
  if (code != 0) {
    throw std::runtime_error("nvmlInit_v2 says " + error_text(code));
  }
}

Nvml::~Nvml() {
  if (auto* shutdown = library_.function<NoArgument>("nvmlShutdown")) {
    shutdown();
  }
}

std::string Nvml::error_text(int code) const {
  auto* text = library_.function<ErrorString>("nvmlErrorString");
  const char* words = text == nullptr ? nullptr : text(code);
  return words == nullptr ? "error " + std::to_string(code) : words;
}

Answer<std::string> Nvml::driver_version() const {
  constexpr const char* kName = "nvmlSystemGetDriverVersion";
  auto* function = library_.function<SystemText>(kName);
  if (function == nullptr) {
    return no_answer<std::string>(not_offered("NVML", kName));
  }
  std::array<char, 96> text{};
  const int code = function(text.data(), static_cast<unsigned>(text.size()));
  return code == 0 ? Answer<std::string>{text.data(), {}}
                   : no_answer<std::string>(error_text(code));
}

Answer<std::vector<NvmlDevice>> Nvml::devices() const {
  using Devices = std::vector<NvmlDevice>;
  auto* get_count = library_.function<CountOut>("nvmlDeviceGetCount_v2");
  auto* get_handle = library_.function<HandleByIndex>("nvmlDeviceGetHandleByIndex_v2");
  if (get_count == nullptr || get_handle == nullptr) {
    return no_answer<Devices>(
        not_offered("NVML", "nvmlDeviceGetCount_v2 or nvmlDeviceGetHandleByIndex_v2"));
  }
  unsigned count = 0;
  const int code = get_count(&count);
  if (code != 0) {
    return no_answer<Devices>(error_text(code));
  }
  Devices found;
  for (unsigned index = 0; index < count; ++index) {
    NvmlHandle handle = nullptr;
    // A device that is lost or not ours to see must not hide the others.
    if (get_handle(index, &handle) == 0) {
      found.push_back({index, handle, text("nvmlDeviceGetUUID", handle).value.value_or(""),
                       pci_bus_id(handle).value.value_or("")});
    }
  }
  return {found, {}};
}

Answer<NvmlHandle> Nvml::find(const std::string& uuid) const {
  constexpr const char* kName = "nvmlDeviceGetHandleByUUID";
  auto* function = library_.function<HandleByText>(kName);
  if (function == nullptr) {
    return no_answer<NvmlHandle>(not_offered("NVML", kName));
  }
  NvmlHandle handle = nullptr;
  const int code = function(uuid.c_str(), &handle);
  return code == 0 ? Answer<NvmlHandle>{handle, {}} : no_answer<NvmlHandle>(error_text(code));
}

Answer<std::string> Nvml::text(const char* function, NvmlHandle device) const {
  auto* get_text = library_.function<DeviceText>(function);
  if (get_text == nullptr) {
    return no_answer<std::string>(not_offered("NVML", function));
  }
  std::array<char, 128> text{};
  const int code = get_text(device, text.data(), static_cast<unsigned>(text.size()));
  return code == 0 ? Answer<std::string>{text.data(), {}}
                   : no_answer<std::string>(error_text(code));
}

Answer<std::string> Nvml::pci_bus_id(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetPciInfo_v3";
  auto* function = library_.function<DevicePci>(kName);
  if (function == nullptr) {
    return no_answer<std::string>(not_offered("NVML", kName));
  }
  PciInfo info{};
  const int code = function(device, &info);
  if (code != 0) {
    return no_answer<std::string>(error_text(code));
  }
  info.bus_id.back() = '\0';
  return {info.bus_id.data(), {}};
}

Answer<unsigned> Nvml::number(const char* function, NvmlHandle device) const {
  auto* get_number = library_.function<DeviceNumber>(function);
  if (get_number == nullptr) {
    return no_answer<unsigned>(not_offered("NVML", function));
  }
  unsigned value = 0;
  const int code = get_number(device, &value);
  return code == 0 ? Answer<unsigned>{value, {}} : no_answer<unsigned>(error_text(code));
}

Answer<unsigned> Nvml::number(const char* function, NvmlHandle device, int which) const {
  auto* get_number = library_.function<DeviceNumberOf>(function);
  if (get_number == nullptr) {
    return no_answer<unsigned>(not_offered("NVML", function));
  }
  unsigned value = 0;
  const int code = get_number(device, which, &value);
  return code == 0 ? Answer<unsigned>{value, {}} : no_answer<unsigned>(error_text(code));
}

Answer<bool> Nvml::mode(const char* function, NvmlHandle device) const {
  auto* get_mode = library_.function<DeviceTwoNumbers>(function);
  if (get_mode == nullptr) {
    return no_answer<bool>(not_offered("NVML", function));
  }
  unsigned current = 0;
  unsigned pending = 0;
  const int code = get_mode(device, &current, &pending);
  return code == 0 ? Answer<bool>{current != 0, {}} : no_answer<bool>(error_text(code));
}

Answer<std::uint64_t> Nvml::long_number(const char* function, NvmlHandle device) const {
  auto* get_number = library_.function<DeviceMask>(function);
  if (get_number == nullptr) {
    return no_answer<std::uint64_t>(not_offered("NVML", function));
  }
  unsigned long long value = 0;
  const int code = get_number(device, &value);
  return code == 0 ? Answer<std::uint64_t>{value, {}} : no_answer<std::uint64_t>(error_text(code));
}

Answer<std::string> Nvml::vbios(NvmlHandle device) const {
  return text("nvmlDeviceGetVbiosVersion", device);
}

Answer<bool> Nvml::ecc(NvmlHandle device) const {
  return mode("nvmlDeviceGetEccMode", device);
}

Answer<bool> Nvml::mig_mode(NvmlHandle device) const {
  return mode("nvmlDeviceGetMigMode", device);
}

Answer<double> Nvml::power_limit_w(NvmlHandle device) const {
  return scaled(number("nvmlDeviceGetEnforcedPowerLimit", device), 1e-3);
}

Answer<double> Nvml::power_w(NvmlHandle device) const {
  return scaled(number("nvmlDeviceGetPowerUsage", device), 1e-3);
}

Answer<double> Nvml::temperature_c(NvmlHandle device) const {
  return scaled(number("nvmlDeviceGetTemperature", device, kSensorGpu), 1.0);
}

Answer<double> Nvml::sm_clock_mhz(NvmlHandle device) const {
  return scaled(number("nvmlDeviceGetClockInfo", device, kClockSm), 1.0);
}

Answer<double> Nvml::max_sm_clock_mhz(NvmlHandle device) const {
  return scaled(number("nvmlDeviceGetMaxClockInfo", device, kClockSm), 1.0);
}

Answer<std::uint64_t> Nvml::clock_reasons(NvmlHandle device) const {
  auto* get_mask = library_.function<DeviceMask>("nvmlDeviceGetCurrentClocksEventReasons");
  if (get_mask == nullptr) {  // its name before driver 535
    get_mask = library_.function<DeviceMask>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  if (get_mask == nullptr) {
    return no_answer<std::uint64_t>(not_offered("NVML", "nvmlDeviceGetCurrentClocksEventReasons"));
  }
  unsigned long long mask = 0;
  const int code = get_mask(device, &mask);
  return code == 0 ? Answer<std::uint64_t>{mask, {}} : no_answer<std::uint64_t>(error_text(code));
}

Answer<std::uint64_t> Nvml::power_cap_ns(NvmlHandle device) const {
  constexpr const char* kName = "nvmlDeviceGetFieldValues";
  auto* get_fields = library_.function<DeviceFields>(kName);
  if (get_fields == nullptr) {
    return no_answer<std::uint64_t>(not_offered("NVML", kName));
  }
  FieldValue field{};
  field.field = kFieldPowerCapTime;
  int code = get_fields(device, 1, &field);
  if (code == 0) {
    code = field.result;  // the call succeeds also when the one field failed
  }
  if (code != 0) {
    return no_answer<std::uint64_t>(error_text(code));
  }
  const std::optional<std::uint64_t> value = field_number(field);
  return value ? Answer<std::uint64_t>{*value, {}}
               : no_answer<std::uint64_t>("a value of an unexpected type");
}

Answer<std::vector<std::int64_t>> Nvml::compute_pids(NvmlHandle device) const {
  using Pids = std::vector<std::int64_t>;
  auto* get = library_.function<DeviceProcesses>("nvmlDeviceGetComputeRunningProcesses_v3");
  if (get == nullptr) {
    get = library_.function<DeviceProcesses>("nvmlDeviceGetComputeRunningProcesses_v2");
  }
  if (get == nullptr) {
    return no_answer<Pids>(not_offered("NVML", "nvmlDeviceGetComputeRunningProcesses_v3"));
  }
  std::vector<ProcessInfo> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  int code = get(device, &count, infos.data());
  if (code == kInsufficientSize) {
    infos.resize(count + 64U);  // some may start in between
    count = static_cast<unsigned>(infos.size());
    code = get(device, &count, infos.data());
  }
  if (code != 0) {
    return no_answer<Pids>(error_text(code));
  }
  Pids pids;
  for (unsigned i = 0; i < count && i < infos.size(); ++i) {
    pids.push_back(infos[i].pid);
  }
  return {pids, {}};
}

std::shared_ptr<const Nvml> load_nvml(std::string& why) {
  try {
    return std::make_shared<const Nvml>();
  } catch (const std::runtime_error& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace assay
