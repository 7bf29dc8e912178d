// SPDX-License-Identifier: Apache-2.0
// How does one thread have the copy unit of 9.0 and up bring a run of bytes into shared memory?
#pragma once

#include <cstdint>

namespace assay {

__device__ inline std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

/// A barrier in shared memory that one thread arrives at and whose phase ends when the bytes that
/// this thread announced have landed as well.
__device__ inline void init_arrival(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

/// Makes the barriers known to the copy unit; by the thread that made them.
__device__ inline void publish_arrivals() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Starts the copy of `bytes`, a multiple of 16, and announces them; addresses by 16 bytes.
__device__ inline void start_bulk_copy(void* shared, const void* global, std::uint32_t bytes,
                                       std::uint64_t* barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(reinterpret_cast<std::uint64_t>(global)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// Returns once the first phase of the barrier has ended.
__device__ inline void wait_for_arrival(std::uint64_t* barrier) {
  std::uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier))
        : "memory");
  }
}

}  // namespace assay
