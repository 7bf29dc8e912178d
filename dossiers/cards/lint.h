// SPDX-License-Identifier: Apache-2.0
// Can a card list be believed? Every entry must follow from itself.
#pragma once

#include <string>
#include <vector>

#include "dossiers/cards/card_list.h"

namespace assay {

/// One thing that is wrong: in which card, which figure, and what would be right.
struct LintFinding {
  std::string card;
  std::string figure;
  std::string what;
};

/// Refuses: a stated peak more than 2 % off what follows from clock, width and rate unless the
/// figure says why; a dense peak that is the sparse one; sparse other than twice dense (1 %); TF32
/// other than half of BF16 (2 %) unless the figure says why; a figure outside of the range of its
/// unit; FP16 rates other than 1 or 2 to 1 by accumulator; an FP32 rate that is not the compute
/// capability's; equal figures of two cards unless one says that it is the other's twin.
std::vector<LintFinding> lint_cards(const CardList& list);

/// Relative distance of what follows from what the vendor states; nullopt when either is unknown.
std::optional<double> derived_off(std::optional<double> derived, const Figure& stated);

}  // namespace assay
