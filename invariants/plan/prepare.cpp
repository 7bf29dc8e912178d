// SPDX-License-Identifier: Apache-2.0
// How does a user without write access to the installation certify with ctest?
#include "invariants/plan/prepare.h"

#include <stdexcept>
#include <system_error>

#include "dossiers/dossier.h"

namespace assay {
namespace {

/// A bracket argument takes every character but its own end.
std::string bracketed_name(const std::string& text) {
  if (text.find("]==]") != std::string::npos) {
    throw std::runtime_error(text + ": a name with \"]==]\" in it cannot stand in a CMake file");
  }
  return "[==[" + text + "]==]";
}

/// ctest hands its own environment to the tests; what the user has set wins.
std::string default_of(const char* name, const std::string& value) {
  if (value.empty()) {
    return "";
  }
  return std::string("if(NOT DEFINED ENV{") + name + "})\n  set(ENV{" + name + "} " +
         bracketed_name(value) + ")\nendif()\n";
}

}  // namespace

std::string prepared_text(const Preparation& preparation) {
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Written by `assay certify --prepare`: run `ctest --test-dir` on this folder.\n";
  text += default_of("ASSAY_DEVICE", preparation.device);
  text += default_of("ASSAY_LEVEL",
                     preparation.level ? std::string(to_string(*preparation.level)) : "");
  text += default_of("ASSAY_PINNED", preparation.pinned_file.string());
  text += default_of("ASSAY_BOOTSTRAP", preparation.bootstrap ? "1" : "");
  if (!preparation.tests.empty()) {
    return text + preparation.tests;
  }
  return text + "include(" + bracketed_name(preparation.graph.string()) + ")\n";
}

void prepare(const Preparation& preparation, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot make the folder: " + error.message());
  }
  write_file_atomically(folder / "CTestTestfile.cmake", prepared_text(preparation));
}

}  // namespace assay
