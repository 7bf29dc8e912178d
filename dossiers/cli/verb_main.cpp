// SPDX-License-Identifier: Apache-2.0
// How does a verb end when something is wrong?
#include "dossiers/cli/verb_main.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

namespace assay {
namespace {

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
  } catch (const CLI::Error& error) {
    return usage_error(app, std::string(error.what()) + " (see " + app.get_name() + " --help)");
  } catch (const std::exception& error) {
    return usage_error(app, error.what());
  }
}

}  // namespace assay
