// SPDX-License-Identifier: Apache-2.0
// Which quantities does a check compare with which limits, and how is that said in words?
#pragma once

#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"
#include "invariants/relations.h"
#include "invariants/verdict.h"

namespace assay {

/// One comparison of a check: the term's value must lie within the limits.
struct Quantity {
  Term term;
  Limits limits;
};

/// The comparisons in the order in which the relation of that kind counts them; none for equals,
/// agree and drift. `band` is the device's band for ratio and range.
std::vector<Quantity> quantities_of(const Check& check, const Band* band);

/// The term over the dossier's facts; nullopt when one is missing or no number.
std::optional<double> value_of(const Term& term, const Dossier& dossier);

/// "4605.3", "62914560", "0.9487": what a person reads, five digits.
std::string number_text(double number);
/// "latency.l2 261 cycles"; "latency.l2 null" when it is not there.
std::string fact_text(const Dossier& dossier, const std::string& path);
/// "-2.4 %", "0.13 %".
std::string percent_text(double ratio);

/// The term in paths: "fma_f32 x 1000 / (fma_per_clock.f32 x device.sm_count)".
std::string term_text(const Term& term);
/// "in 0.8 to 1.01", ">= 1.9", "<= 0.5".
std::string limits_text(const Limits& limits);
/// The claim in paths: "latency.l2 >= 3 x latency.l1".
std::string claim_text(const Check& check, const Quantity& quantity);
/// What is wrong, in numbers: "latency.l2 261 cycles is not >= 3 x latency.l1 243 cycles (margin
/// -64 %)".
std::string failure_text(const Check& check, const Quantity& quantity, const Relation& relation,
                         const Dossier& dossier);

}  // namespace assay
