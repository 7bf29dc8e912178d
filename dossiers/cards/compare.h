// SPDX-License-Identifier: Apache-2.0
// Which card for this kernel, and per dollar?
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dossiers/cards/card.h"
#include "dossiers/models/roofline.h"

namespace assay {

struct CompareRow {
  const Card* card = nullptr;
  Peak bandwidth, peak;  ///< GB/s; TFLOP/s of the arithmetic asked for
  std::optional<double> fp32_tflops, fp16_tflops;
  std::optional<double> ridge;       ///< FLOP per byte
  std::optional<double> attainable;  ///< TFLOP/s at the intensity asked for
  std::optional<Bound> bound;
  std::optional<double> against_first;
  std::optional<double> dollars_per_hour;
  std::optional<double> tflops_per_dollar;  ///< TFLOP/s per dollar an hour
  std::optional<double> tflops_per_watt;
};

struct Compare {
  double flop_per_byte = 0.0;
  Arithmetic arithmetic = Arithmetic::fp32;
  PeakBasis basis = PeakBasis::vendor;
  std::vector<CompareRow> rows;
};

/// `dollars_per_hour` by card key. A card without the peak keeps its row, with nulls.
Compare compare_cards(const std::vector<const Card*>& cards, double flop_per_byte,
                      Arithmetic arithmetic, PeakBasis basis,
                      const std::map<std::string, double>& dollars_per_hour);

/// What the money buys at that intensity, in one or two sentences.
std::string compare_verdict(const Compare& compare);
std::string compare_table(const Compare& compare);
std::string compare_json(const Compare& compare);

}  // namespace assay
