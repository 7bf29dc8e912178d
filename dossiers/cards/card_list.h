// SPDX-License-Identifier: Apache-2.0
// Which cards are known, and which one is meant? Exact or unknown: a wrong card's peaks are worse
// than none.
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/cards/card.h"

namespace assay {

/// No card has this key; what() names the nearest ones.
class UnknownCard : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CardList {
  std::vector<Card> cards;
  /// Names that a driver gives to several products, with how these differ.
  std::map<std::string, std::string> shared_driver_names;
};

/// Reads a card list. Throws DataError with line and path on unknown or missing keys, a figure
/// without value and reason, and a key, alias or driver name that two cards claim.
CardList read_cards(const std::filesystem::path& file);
/// `file`, or with an empty name the list that came with the program (share/assay/cards.json).
CardList load_cards(const std::string& file = {});

/// The card with this key or alias, or the GeForce one called "rtx-<key>" or "gtx-<key>"; upper
/// case and "_" or " " for "-" do not matter. Throws UnknownCard.
const Card& card_by_key(const CardList& list, std::string_view key);

/// What a driver's device name says about the product.
struct CardMatch {
  const Card* card = nullptr;        ///< nullptr: unknown
  std::string why;                   ///< why it is unknown
  std::vector<std::string> nearest;  ///< keys with similar names, for people only, never a match
};
/// The card that the driver calls `driver_name`, to the letter but for a leading "NVIDIA " that
/// older drivers leave out. MIG slices, names of several products and all others are unknown.
CardMatch match_driver_name(const CardList& list, std::string_view driver_name);

}  // namespace assay
