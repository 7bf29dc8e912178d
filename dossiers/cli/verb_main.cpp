// SPDX-License-Identifier: Apache-2.0
// How does a verb end when something is wrong?
#include "dossiers/cli/verb_main.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dossiers/cli/nearest.h"

namespace assay {
namespace {

/// What the first unknown flag among `typed` is near to, of the flags of the (sub)command in use.
std::string near_flags(const CLI::App& app, const std::vector<std::string>& typed) {
  const CLI::App* used = &app;
  while (!used->get_subcommands().empty()) {
    used = used->get_subcommands().front();
  }
  std::vector<std::string> flags;
  for (const CLI::Option* option : used->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back("--" + name);
    }
  }
  for (const std::string& word : typed) {
    const std::string flag = word.substr(0, word.find('='));
    if (flag.rfind("--", 0) == 0 && std::find(flags.begin(), flags.end(), flag) == flags.end()) {
      return did_you_mean(flag, flags);
    }
  }
  return "";
}

int usage_error(const CLI::App& app, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << app.get_name() << ": " << message << '\n';
  return kExitUsage;
}

}  // namespace

int run_verb(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
    const int code = body();
    std::cout.flush();
    return std::cout ? code : usage_error(app, "cannot write to standard output");
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ExtrasError& error) {
    return usage_error(app, error.what() +
                                near_flags(app, std::vector<std::string>(argv + 1, argv + argc)) +
                                " (see " + app.get_name() + " --help)");
  } catch (const CLI::Error& error) {
    return usage_error(app, std::string(error.what()) + " (see " + app.get_name() + " --help)");
  } catch (const std::exception& error) {
    return usage_error(app, error.what());
  }
}

}  // namespace assay
