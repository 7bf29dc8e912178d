// SPDX-License-Identifier: Apache-2.0
// What does a person need to see of a certificate in ten seconds?
#pragma once

#include <string>

#include "invariants/certificate.h"

namespace assay {

struct SummaryOptions {
  bool colour = false;
};

/// True when `descriptor` is a terminal and NO_COLOR is not set.
bool wants_colour(int descriptor);

/// Verdict first; device and driver; key facts against their ceilings; every invariant that did
/// not pass with its numbers and margin; every skip with its reason; counts. Ends with a newline.
std::string summary_text(const Certificate& certificate, const SummaryOptions& options = {});

/// The table of all invariants that `assay judge` prints.
std::string verdict_table(const Certificate& certificate, const SummaryOptions& options = {});

}  // namespace assay
