// SPDX-License-Identifier: Apache-2.0
// What does a vendor say about one product, how sure is it, and what follows from it?
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dossiers/measurement.h"

namespace assay {

/// Where a figure of the card list comes from.
enum class Provenance {
  checked,      ///< the vendor's; a second, independent public list agrees
  recalled,     ///< the vendor's as noted down; the sheet was not read again for this list
  back_solved,  ///< computed from a peak that the vendor states: agreeing with it proves nothing
  follows,      ///< computed from another figure of the same card by a rule of its architecture
};
std::string_view to_string(Provenance provenance);

/// One figure: a value and where it comes from, or null and why.
struct Figure {
  std::optional<double> value;
  std::optional<Provenance> from;  ///< present exactly when there is a value
  std::string why;                 ///< why it is null, or why it is off what follows from others
};

/// Peaks are dense, in TFLOP/s = 1e12; GB/s = 1e9; "unit" is an SM (NVIDIA) or CU (AMD).
struct CardFigures {
  Figure units, boost_mhz;
  Figure tensor_mhz;  ///< the clock of the stated tensor peaks; null: the boost clock
  Figure bus_bits, pin_gbps;
  Figure memory_gib;  ///< of the chips (what vendors call GB); a driver reports less
  Figure tdp_w, l2_mb;
  Figure fp32_per_clock;                          ///< FLOP per clock per unit
  Figure fp16_f16_per_clock, fp16_f32_per_clock;  ///< tensor FP16, by type of the accumulator
  Figure bandwidth_gbs, fp32_tflops;              ///< as the vendor states them, as are all below
  Figure fp16_f16_tflops, fp16_f32_tflops, bf16_f32_tflops, tf32_f32_tflops;
  Figure bf16_f32_sparse_tflops;  ///< with 2:4 sparsity; kept only to be told from the dense one
};

/// One figure's name in the data file and the range outside of which its unit must be wrong.
struct FigureField {
  std::string_view name;
  std::string_view units;
  Figure CardFigures::*member;
  double least, most;
};
extern const std::array<FigureField, 18> kFigureFields;

struct Card {
  std::string key;                        ///< "h100-sxm5-80gb"
  std::string name;                       ///< "H100 SXM5 80GB"
  std::string vendor;                     ///< "nvidia" or "amd"
  std::string arch;                       ///< compute capability "9.0", or "gfx942"
  std::vector<std::string> aliases;       ///< other keys that people type
  std::vector<std::string> driver_names;  ///< what the driver calls it, to the letter
  std::string memory_type;
  bool inline_ecc = false;      ///< ECC bits lie in the same memory: less size and bandwidth
  bool unified_memory = false;  ///< shared with the host: no driver states a size for the GPU
  std::string source;
  Confidence sure = Confidence::low;
  std::string note;
  std::string same_figures_as;  ///< key of the card that this one equals on purpose
  CardFigures figures;
};

/// Which arithmetic a peak is for; tensor types accumulate in FP32 unless named otherwise.
enum class Arithmetic { fp32, fp16, fp16_f16, bf16, tf32 };
std::string_view to_string(Arithmetic arithmetic);
/// nullopt when `name` is none of fp32, fp16, fp16-f16, bf16, tf32.
std::optional<Arithmetic> arithmetic_from(std::string_view name);

/// Which rung a peak stands on.
enum class PeakBasis {
  vendor,   ///< what the vendor states, with all digits where it is a rounding of what follows from
            ///< clock and width; what follows where the vendor states nothing
  derived,  ///< what follows from clock, width and rate
};

struct Peak {
  std::optional<double> value;
  PeakBasis basis = PeakBasis::vendor;  ///< of the value given, not of the one asked for
  std::string why;                      ///< why there is none
};

/// Bus width * pin rate / 8, in GB/s.
std::optional<double> derived_bandwidth_gbs(const Card& card);
/// Units * rate * clock in TFLOP/s; tensor rates at the tensor clock where one is recorded.
/// BF16 runs at FP16's rate and TF32 at half of it where the card has them at all.
std::optional<double> derived_tflops(const Card& card, Arithmetic arithmetic);

Peak bandwidth_gbs(const Card& card, PeakBasis basis);
Peak peak_tflops(const Card& card, Arithmetic arithmetic, PeakBasis basis);
/// FP32 FLOP per clock per SM of a compute capability ("9.0"), two per FMA lane, from the CUDA
/// programming guide's table of throughputs; nullopt for others.
std::optional<double> fp32_per_clock_of(const std::string& compute_capability);

/// The stated figure of `arithmetic`.
const Figure& stated_tflops(const Card& card, Arithmetic arithmetic);

}  // namespace assay
