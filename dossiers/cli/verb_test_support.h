// SPDX-License-Identifier: Apache-2.0
// For tests only: a built verb, run as a person would.
#pragma once

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

}  // namespace assay
