// SPDX-License-Identifier: Apache-2.0
// For tests only: the list of cards as it ships.
#pragma once

#include "dossiers/cards/card_list.h"

namespace assay {

inline const CardList& shipped_cards() {
  static const CardList list = read_cards(ASSAY_TEST_SOURCE_DIR "/dossiers/cards/cards.json");
  return list;
}

}  // namespace assay
