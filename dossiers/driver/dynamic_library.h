// SPDX-License-Identifier: Apache-2.0
// How is a driver library used that may not be there? Loaded at run time, never linked.
#pragma once

#include <string>

namespace assay {

/// A shared library, closed with the value. Movable.
class DynamicLibrary {
 public:
  /// Throws std::runtime_error with the loader's own words when `name` cannot be loaded.
  explicit DynamicLibrary(const std::string& name);
  ~DynamicLibrary();
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;

  /// The function of that name, or nullptr: older drivers lack newer functions.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
};

/// The value of the environment variable `variable` if it is set and not empty, else `name`.
std::string library_path(const char* variable, const char* name);

/// "this NVML has no nvmlDeviceGetUUID": why a figure of an older driver is absent.
std::string not_offered(const char* library, const char* function);

}  // namespace assay
