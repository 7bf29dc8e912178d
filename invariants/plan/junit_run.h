// SPDX-License-Identifier: Apache-2.0
// A run as JUnit, from the files that its steps left: for runs that ctest made. Its own
// --output-junit calls a test that was blocked skipped, and keeps neither verdicts nor figures.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/plan/judging.h"
#include "invariants/plan/junit.h"
#include "invariants/plan/plan.h"

namespace assay {

/// The suite of a run, without cases.
JUnitSuite suite_of(const Run& run);

/// The numbers of a probe's evidence; none when there is none that can be read.
std::vector<std::pair<std::string, std::string>> measured_numbers(
    const std::filesystem::path& folder, const std::string& probe);

/// A case for each of `planned`. What left nothing behind failed, whatever stopped it.
JUnitSuite junit_of_run(const std::vector<Step>& planned, const Judging& how,
                        const std::filesystem::path& folder);

}  // namespace assay
