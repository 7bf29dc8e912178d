// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/dynamic_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <utility>

namespace assay {

DynamicLibrary::DynamicLibrary(const std::string& name)
    : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char* why = dlerror();
    throw std::runtime_error(why == nullptr ? name + ": cannot be loaded" : why);
  }
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr) {
    dlclose(handle_);
  }
}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void* DynamicLibrary::symbol(const char* name) const {
  return dlsym(handle_, name);
}

std::string library_path(const char* variable, const char* name) {
  const char* path = std::getenv(variable);
  return path == nullptr || *path == '\0' ? name : path;
}

std::string not_offered(const char* library, const char* function) {
  return std::string("this ") + library + " has no " + function;
}

}  // namespace assay
