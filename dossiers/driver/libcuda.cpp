// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/libcuda.h"

#include <cstddef>
#include <cstdlib>

#include "dossiers/driver/device_files.h"
#include "dossiers/driver/dynamic_library.h"

namespace assay {

namespace {

// Our own declarations of the driver's functions: results are CUresult, devices are CUdevice, both
// ints in the ABI.
using InitFunction = int(unsigned);
using IntOutFunction = int(int*);
using ErrorNameFunction = int(int, const char**);
using TextFunction = int(char*, int, int);
using UuidFunction = int(void*, int);
using MemoryFunction = int(std::size_t*, int);
using AttributeFunction = int(int*, int, int);

constexpr int kNoDevice = 100;

DynamicLibrary load() {
  try {
    return DynamicLibrary(library_path("ASSAY_LIBCUDA", "libcuda.so.1"));
  } catch (const std::runtime_error& error) {
    throw NoDevice(std::string("no libcuda: ") + error.what());
  }
}

std::string nothing_visible() {
  std::string text = "no GPU: the driver sees none";
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    text += " with CUDA_VISIBLE_DEVICES='" + std::string(visible) + "'";
  }
  if (const std::string refused = refused_device_file(); !refused.empty()) {
    text += "; " + refused;
  }
  return text;
}

}  // namespace

LibCuda::LibCuda() : library_(load()) {
  auto* init = library_.function<InitFunction>("cuInit");
  if (init == nullptr) {
    throw NoDevice("no driver: the library has no cuInit");
  }
  const int code = init(0);
  if (code == kNoDevice) {
    throw NoDevice(nothing_visible());
  }
  if (code != 0) {
    throw NoDevice("no driver: cuInit says " + error_name(code));
  }
  count_ = count_devices();
  if (count_ == 0) {
    throw NoDevice(nothing_visible());
  }
}

int LibCuda::count_devices() const {
  auto* get_count = library_.function<IntOutFunction>("cuDeviceGetCount");
  if (get_count == nullptr) {
    throw NoDevice("no driver: the library has no cuDeviceGetCount");
  }
  int count = 0;
  const int code = get_count(&count);
  if (code != 0) {
    throw NoDevice("no driver: cuDeviceGetCount says " + error_name(code));
  }
  return count;
}

std::string LibCuda::error_name(int code) const {
  const char* name = nullptr;
  auto* get_name = library_.function<ErrorNameFunction>("cuGetErrorName");
  if (get_name != nullptr && get_name(code, &name) == 0 && name != nullptr) {
    return name;
  }
  return "error " + std::to_string(code);
}

Answer<int> LibCuda::driver_version() const {
  auto* get_version = library_.function<IntOutFunction>("cuDriverGetVersion");
  if (get_version == nullptr) {
    return no_answer<int>(not_offered("driver", "cuDriverGetVersion"));
  }
  int version = 0;
  const int code = get_version(&version);
  return code == 0 ? Answer<int>{version, {}} : no_answer<int>(error_name(code));
}

Answer<std::string> LibCuda::name(int ordinal) const {
  auto* get_name = library_.function<TextFunction>("cuDeviceGetName");
  if (get_name == nullptr) {
    return no_answer<std::string>(not_offered("driver", "cuDeviceGetName"));
  }
  std::array<char, 256> text{};
  const int code = get_name(text.data(), static_cast<int>(text.size()) - 1, ordinal);
  return code == 0 ? Answer<std::string>{text.data(), {}}
                   : no_answer<std::string>(error_name(code));
}

Answer<UuidBytes> LibCuda::uuid(int ordinal) const {
  auto* get_uuid = library_.function<UuidFunction>("cuDeviceGetUuid_v2");
  if (get_uuid == nullptr) {
    return gpu_uuid(ordinal);
  }
  UuidBytes bytes{};
  const int code = get_uuid(bytes.data(), ordinal);
  return code == 0 ? Answer<UuidBytes>{bytes, {}} : no_answer<UuidBytes>(error_name(code));
}

Answer<UuidBytes> LibCuda::gpu_uuid(int ordinal) const {
  auto* get_uuid = library_.function<UuidFunction>("cuDeviceGetUuid");
  if (get_uuid == nullptr) {
    return no_answer<UuidBytes>(not_offered("driver", "cuDeviceGetUuid"));
  }
  UuidBytes bytes{};
  const int code = get_uuid(bytes.data(), ordinal);
  return code == 0 ? Answer<UuidBytes>{bytes, {}} : no_answer<UuidBytes>(error_name(code));
}

Answer<std::string> LibCuda::pci_bus_id(int ordinal) const {
  auto* get_id = library_.function<TextFunction>("cuDeviceGetPCIBusId");
  if (get_id == nullptr) {
    return no_answer<std::string>(not_offered("driver", "cuDeviceGetPCIBusId"));
  }
  std::array<char, 64> text{};
  const int code = get_id(text.data(), static_cast<int>(text.size()) - 1, ordinal);
  return code == 0 ? Answer<std::string>{text.data(), {}}
                   : no_answer<std::string>(error_name(code));
}

Answer<std::uint64_t> LibCuda::memory_bytes(int ordinal) const {
  auto* get_bytes = library_.function<MemoryFunction>("cuDeviceTotalMem_v2");
  if (get_bytes == nullptr) {
    return no_answer<std::uint64_t>(not_offered("driver", "cuDeviceTotalMem_v2"));
  }
  std::size_t bytes = 0;
  const int code = get_bytes(&bytes, ordinal);
  return code == 0 ? Answer<std::uint64_t>{bytes, {}} : no_answer<std::uint64_t>(error_name(code));
}

Answer<int> LibCuda::attribute(int ordinal, DriverAttribute attribute) const {
  return this->attribute(ordinal, static_cast<int>(attribute));
}

Answer<int> LibCuda::attribute(int ordinal, int id) const {
  auto* get_attribute = library_.function<AttributeFunction>("cuDeviceGetAttribute");
  if (get_attribute == nullptr) {
    return no_answer<int>(not_offered("driver", "cuDeviceGetAttribute"));
  }
  int value = 0;
  const int code = get_attribute(&value, id, ordinal);
  return code == 0 ? Answer<int>{value, {}} : no_answer<int>(error_name(code));
}

}  // namespace assay
