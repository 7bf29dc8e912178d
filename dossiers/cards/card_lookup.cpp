// SPDX-License-Identifier: Apache-2.0
// Which card is meant?
#include <algorithm>
#include <cctype>

#include "dossiers/cards/card_list.h"
#include "dossiers/cli/nearest.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "NVIDIA ";

std::string as_key(std::string_view typed) {
  std::string key(typed);
  for (char& letter : key) {
    letter = letter == '_' || letter == ' ' ? '-' : letter;
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return key;
}

const Card* find_key(const CardList& list, const std::string& key) {
  for (const Card& card : list.cards) {
    const auto& aliases = card.aliases;
    if (card.key == key || std::find(aliases.begin(), aliases.end(), key) != aliases.end()) {
      return &card;
    }
  }
  return nullptr;
}

std::vector<std::string> all_keys(const CardList& list) {
  std::vector<std::string> keys;
  for (const Card& card : list.cards) {
    keys.push_back(card.key);
    keys.insert(keys.end(), card.aliases.begin(), card.aliases.end());
  }
  return keys;
}

bool same_name(std::string_view listed, std::string_view driver) {
  return listed == driver ||
         (listed.substr(0, kPrefix.size()) == kPrefix && listed.substr(kPrefix.size()) == driver);
}

}  // namespace

const Card& card_by_key(const CardList& list, std::string_view key) {
  const std::string wanted = as_key(key);
  for (const std::string& candidate : {wanted, "rtx-" + wanted, "gtx-" + wanted}) {
    if (const Card* card = find_key(list, candidate)) return *card;
  }
  const bool number = !wanted.empty() && std::isdigit(static_cast<unsigned char>(wanted[0])) != 0;
  throw UnknownCard("no card '" + std::string(key) + "'" +
                    did_you_mean((number ? "rtx-" : "") + wanted, all_keys(list)) +
                    "; `assay cards` lists them all");
}

CardMatch match_driver_name(const CardList& list, std::string_view driver_name) {
  CardMatch match;
  if (driver_name.find(" MIG ") != std::string_view::npos) {
    match.why = "a MIG slice: the whole card's peaks are not its own";
    return match;
  }
  for (const auto& [name, how] : list.shared_driver_names) {
    if (same_name(name, driver_name)) {
      match.why = "several products have this name: " + how;
      return match;
    }
  }
  std::vector<std::string> names;
  for (const Card& card : list.cards) {
    for (const std::string& name : card.driver_names) {
      if (same_name(name, driver_name)) {
        match.card = &card;
        return match;
      }
      names.push_back(name);
    }
  }
  match.why = "no card of the list has this name";
  match.nearest = nearest_names(driver_name, names);
  return match;
}

}  // namespace assay
