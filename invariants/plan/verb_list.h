// SPDX-License-Identifier: Apache-2.0
// Which verbs does this installation have? share/assay/verbs.txt: "<verb><tab><one line>" per line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct Verb {
  std::string name;
  std::string summary;
};

/// By name, with `help` among them. Throws std::runtime_error naming the file.
std::vector<Verb> read_verbs(const std::filesystem::path& file);
/// What `assay help` prints.
std::string help_text(const std::vector<Verb>& verbs);

}  // namespace assay
