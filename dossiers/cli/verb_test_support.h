// SPDX-License-Identifier: Apache-2.0
// For tests only: a built verb, run as a person would.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/wait.h>

#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {

struct EndedVerb {
  int code = -1;
  std::string out, err;
};

/// Runs libexec/assay/assay-<command>; `environment` stands before it ("LC_ALL=de_DE.UTF-8").
inline EndedVerb run_built_verb(const std::string& command, const std::string& environment = {}) {
  const TempFolder folder;
  const std::string out = (folder / "stdout").string();
  const std::string err = (folder / "stderr").string();
  const std::string whole = "cd '" ASSAY_TEST_SOURCE_DIR "' && " + environment + " '" +
                            ASSAY_TEST_BINARY_DIR "'/libexec/assay/assay-" + command + " >'" + out +
                            "' 2>'" + err + "' </dev/null";
  const int status = std::system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

/// The first "Example:" command of a verb's --help, without its leading "assay " and with
/// continued lines joined; empty when there is none.
inline std::string example_of_help(const std::string& verb) {
  const std::string help = run_built_verb(verb + " --help").out;
  const std::size_t start = help.find("assay " + verb, help.find("Example:"));
  if (start == std::string::npos || help.find("Example:") == std::string::npos) return "";
  std::string line = help.substr(start + 6);
  line.erase(line.find('\n'));
  return line;
}

/// Every "$ assay ..." of a README's console blocks that does not print what stands under it.
inline std::string stale_readme_commands(const std::string& readme) {
  const std::string text = read_file(ASSAY_TEST_SOURCE_DIR "/" + readme);
  const std::string prompt = "\n$ assay ";
  std::string stale;
  std::size_t at = text.find(prompt);
  while (at != std::string::npos) {
    const std::size_t start = at + prompt.size();
    const std::size_t end = text.find('\n', start);
    const std::size_t next = text.find(prompt, end);
    const std::size_t shown = std::min(next, text.find("\n```", end));
    const std::string command = text.substr(start, end - start);
    const std::string printed = run_built_verb(command).out;
    if (printed != text.substr(end + 1, shown - end)) stale += command + "\n" + printed;
    at = next;
  }
  return stale;
}

}  // namespace assay
