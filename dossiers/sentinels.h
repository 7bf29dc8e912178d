// SPDX-License-Identifier: Apache-2.0
// Is this number a measurement, or a source's way of saying that it has none?
#pragma once

#include <string>

#include "dossiers/measurement.h"

namespace assay {

/// The fact that a foreign source (NVML, DCGM) states, or an absent fact when its number is a
/// sentinel: DCGM's "blank", "not found", "not supported" and "not permitted" in their 32-bit,
/// 64-bit and floating-point forms, NVML's -1, an unsigned 32-bit -1 that leaked out, and anything
/// negative or not finite where the unit cannot be. Byte counts are not held against the 32-bit
/// forms: they can really be that large. Integers never pass through a double.
Fact imported(Value raw, Unit units, std::string method);

}  // namespace assay
