// SPDX-License-Identifier: Apache-2.0
// What does the arithmetic on language models need to know of a device?
#pragma once

#include "dossiers/cards/card.h"
#include "dossiers/dossier.h"
#include "dossiers/driver/info.h"
#include "dossiers/models/llm.h"

namespace assay {

/// A card's figures. With unified memory the size is unknown: the host decides what a GPU may use.
LlmDevice llm_device(const Card& card, Arithmetic arithmetic, PeakBasis basis);
/// A dossier's measured rates and the memory that the driver stated.
LlmDevice llm_device(const Dossier& dossier, Arithmetic arithmetic);
/// What the driver says about a device now; its peak is that of the card with exactly its name
/// (`card`, may be nullptr), else unknown.
LlmDevice llm_device(const DeviceInfo& info, const Card* card, Arithmetic arithmetic);

}  // namespace assay
