// SPDX-License-Identifier: Apache-2.0
// Which verbs does this installation have?
#include "invariants/plan/verb_list.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace assay {

std::vector<Verb> read_verbs(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) {
    throw std::runtime_error(file.string() + ": cannot read the list of verbs");
  }
  std::vector<Verb> verbs{{"help", "list the verbs, or explain one: assay help certify"}};
  for (std::string line; std::getline(in, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos || tab == 0) {
      throw std::runtime_error(file.string() + ": not \"<verb><tab><summary>\": " + line);
    }
    verbs.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  std::sort(verbs.begin(), verbs.end(),
            [](const Verb& a, const Verb& b) { return a.name < b.name; });
  return verbs;
}

std::string help_text(const std::vector<Verb>& verbs) {
  std::size_t width = 0;
  for (const auto& verb : verbs) {
    width = std::max(width, verb.name.size());
  }
  std::string text = "assay: measures a GPU, judges what it measured, certifies the result\n\n";
  text += "usage: assay <verb> [options]\n\n";
  for (const auto& verb : verbs) {
    text += "  " + verb.name + std::string(width - verb.name.size() + 2, ' ') + verb.summary + "\n";
  }
  text += "\n`assay <verb> --help` explains a verb; `assay --version` names this build.\n";
  return text;
}

}  // namespace assay
