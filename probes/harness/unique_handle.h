// SPDX-License-Identifier: Apache-2.0
// How is a handle freed once, and nowhere else?
#pragma once

#include <utility>

namespace assay {

/// Owns a handle, of which {} is none. (Not a unique_ptr: <memory> takes the compiler a fifth of
/// its time over a probe, once for each architecture.) Errors of destroying are ignored:
/// destructors do not throw.
template <auto Destroy, typename Handle>
class UniqueHandle {
 public:
  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    UniqueHandle taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  ~UniqueHandle() {
    if (handle_) static_cast<void>(Destroy(handle_));
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_{};
};

}  // namespace assay
