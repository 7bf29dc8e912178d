// SPDX-License-Identifier: Apache-2.0
// How are cards said: as tables for people, as JSON for programs?
#pragma once

#include <string>
#include <vector>

#include "dossiers/cards/card_list.h"
#include "dossiers/cards/lint.h"

namespace assay {

/// One line per card.
std::string cards_table(const CardList& list);
/// Every figure of one card: value, where from, what follows from the others.
std::string card_table(const Card& card);
/// The document of kind "cards_view": figures with provenance, and what follows from them.
std::string cards_json(const std::vector<const Card*>& cards);

std::string match_text(const CardMatch& match, const std::string& driver_name);
std::string match_json(const CardMatch& match, const std::string& driver_name);

std::string lint_text(const std::vector<LintFinding>& findings, std::size_t cards);
std::string lint_json(const std::vector<LintFinding>& findings, std::size_t cards);

}  // namespace assay
