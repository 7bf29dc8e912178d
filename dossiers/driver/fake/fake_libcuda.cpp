// SPDX-License-Identifier: Apache-2.0
// A pretended libcuda for machines without a GPU: it lists devices and runs nothing.
#include <cstddef>
#include <cstdio>
#include <map>

#include "dossiers/driver/fake/fake_gpus.h"

namespace fake = assay::fake;

namespace {

constexpr int kInvalidDevice = 101;
constexpr int kInvalidValue = 1;

bool is_device(int device) {
  return device >= 0 && device < fake::gpu_count();
}

/// What an H200 answers.
const std::map<int, int>& attributes() {
  static const std::map<int, int> values = {
      {13, 1980000}, {16, 132},      {18, 0},    {20, 0}, {32, 1},      {36, 3201000},
      {37, 6016},    {38, 62914560}, {39, 2048}, {75, 9}, {76, 0},      {81, 233472},
      {82, 65536},   {87, 2},        {88, 0},    {95, 1}, {97, 232448}, {106, 32},
      {139, 0x2335}, {140, 0x18be},  {390, 7}};  // 390: of a driver newer than any header
  return values;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  const int code = fake::number("ASSAY_FAKE_CUINIT", 0);
  return code == 0 && fake::gpu_count() == 0 ? 100 : code;
}

int cuGetErrorName(int code, const char** name) {
  static const std::map<int, const char*> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                   {100, "CUDA_ERROR_NO_DEVICE"},
                                                   {101, "CUDA_ERROR_INVALID_DEVICE"},
                                                   {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? kInvalidValue : 0;
}

int cuDriverGetVersion(int* version) {
  *version = fake::number("ASSAY_FAKE_DRIVER_CUDA", 13000);
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = fake::gpu_count();
  return 0;
}

int cuDeviceGetName(char* name, int length, int device) {
  if (!is_device(device)) {
    return kInvalidDevice;
  }
  const bool slice = fake::scenario("mig") && device == 0;
  std::snprintf(name, static_cast<std::size_t>(length), "NVIDIA Pretend H200%s",
                slice ? " MIG 1g.18gb" : "");
  return 0;
}

int cuDeviceGetPCIBusId(char* text, int length, int device) {
  if (!is_device(device)) {
    return kInvalidDevice;
  }
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", fake::cuda_bus(device));
  return 0;
}

#ifndef ASSAY_FAKE_OLD_DRIVER
int cuDeviceGetUuid_v2(void* bytes, int device) {
  if (!is_device(device)) {
    return kInvalidDevice;
  }
  const auto uuid = fake::uuid_of(fake::cuda_bus(device), fake::scenario("mig") && device == 0);
  std::memcpy(bytes, uuid.data(), uuid.size());
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (!is_device(device)) {
    return kInvalidDevice;
  }
  *bytes = 150754820096;
  return 0;
}
#endif

int cuDeviceGetUuid(void* bytes, int device) {
  if (!is_device(device)) {
    return kInvalidDevice;
  }
  const auto uuid = fake::uuid_of(fake::cuda_bus(device), false);
  std::memcpy(bytes, uuid.data(), uuid.size());
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (fake::scenario("no_39") && attribute == 39) {
    return 999;
  }
  const auto found = attributes().find(attribute);
  if (!is_device(device) || found == attributes().end()) {
    return is_device(device) ? kInvalidValue : kInvalidDevice;
  }
  *value = found->second;
  return 0;
}

}  // extern "C"
