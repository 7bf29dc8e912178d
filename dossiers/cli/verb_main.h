// SPDX-License-Identifier: Apache-2.0
// Which exit code does a verb end with? The one place that turns errors into codes.
#pragma once

#include <functional>

#include "dossiers/exit_code.h"

namespace CLI {
class App;
}

namespace assay {

/// Parses the command line into `app` and runs `body`, whose result is the exit code. `app` carries
/// the verb's whole name ("assay drift"). Help gives 0; a bad command line, any exception and an
/// output that cannot be written give one line on stderr and 2.
int run_verb(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace assay
