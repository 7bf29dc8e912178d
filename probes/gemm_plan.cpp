// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm_plan.h"

#include "dossiers/driver/dynamic_library.h"

namespace assay {

std::vector<std::string> cublas_candidates() {
  const std::string chosen = library_path("ASSAY_LIBCUBLAS", "");
  if (!chosen.empty()) {
    return {chosen};
  }
  std::vector<std::string> all;
  for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
      all.push_back(std::string(folder) + name);
    }
  }
  return all;
}

std::uint64_t gemm_bytes(const GemmSize& size, int side) {
  const auto elements = static_cast<std::uint64_t>(side) * static_cast<std::uint64_t>(side);
  return elements * static_cast<std::uint64_t>(2 * size.in_bytes + size.out_bytes);
}

double gemm_flops(int side) {
  const double n = side;
  return 2.0 * n * n * n;
}

std::optional<int> fitting_side(const GemmSize& size, std::uint64_t free_bytes) {
  for (int side = size.most_side; side >= kLeastSide; side /= 2) {
    if (gemm_bytes(size, side) <= free_bytes / 4) {
      return side;
    }
  }
  return std::nullopt;
}

int timely_side(int side, double seconds, double most_seconds) {
  while (seconds > most_seconds && side / 2 >= kLeastSide) {
    side /= 2;
    seconds /= 8.0;
  }
  return side;
}

std::string cublas_version_text(std::size_t number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

}  // namespace assay
