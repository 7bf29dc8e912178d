// SPDX-License-Identifier: Apache-2.0
// Two SMs are dead: a green context of all but two SMs stands for them. The driver's attribute
// still counts them all, as it would for SMs that stopped working.
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

#include "probes/faults/faulty_probe.h"

namespace assay {
namespace {

constexpr unsigned kDeadSms = 2;
constexpr unsigned kApiVersion = 12040;

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) {
    throw Inconclusive(std::string("the fault cannot be made: ") + what + " gave " +
                       std::to_string(static_cast<int>(result)));
  }
}

/// A function of libcuda, which is not linked: it is looked up where the probe runs.
template <typename Function>
Function driver_function(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  ASSAY_CUDA(
      cudaGetDriverEntryPointByVersion(name, &address, kApiVersion, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw NotApplicable(std::string("the driver has no ") + name + ": no green contexts");
  }
  return reinterpret_cast<Function>(address);
}

#define ASSAY_DRIVER(name, ...) check(driver_function<decltype(&name)>(#name)(__VA_ARGS__), #name)

/// Makes a context without the last SMs current on this thread. It lives as long as the process.
void leave_out_sms(int ordinal) {
  CUdevResource all{}, part{}, rest{};
  ASSAY_DRIVER(cuDeviceGetDevResource, ordinal, &all, CU_DEV_RESOURCE_TYPE_SM);
  unsigned groups = 1;
  ASSAY_DRIVER(cuDevSmResourceSplitByCount, &part, &groups, &all, &rest,
               CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, all.sm.smCount - kDeadSms);
  if (part.sm.smCount >= all.sm.smCount) {
    throw Inconclusive("the fault cannot be made: the driver left no SM out");
  }
  CUdevResourceDesc description{};
  ASSAY_DRIVER(cuDevResourceGenerateDesc, &description, &part, 1u);
  CUgreenCtx green{};
  ASSAY_DRIVER(cuGreenCtxCreate, &green, description, ordinal, CU_GREEN_CTX_DEFAULT_STREAM);
  CUcontext context{};
  ASSAY_DRIVER(cuCtxFromGreenCtx, &context, green);
  ASSAY_DRIVER(cuCtxSetCurrent, context);
}

#undef ASSAY_DRIVER

}  // namespace

Measurements run_probe(const Device& device) {
  leave_out_sms(device.ordinal());
  return healthy_run_probe(device);
}

}  // namespace assay
