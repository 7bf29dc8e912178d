// SPDX-License-Identifier: Apache-2.0
// Does a language model fit, and how many tokens a second can there be at most?
// Roofline arithmetic: no step is faster than its bytes over the bandwidth or its FLOPs over the
// peak. Bytes are B, GB = 1e9 B, GiB = 2^30 B.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Keys and values of one token: 2 * layers * KV heads * head size * bits / 8 bytes.
struct KvShape {
  int layers = 0;
  int kv_heads = 0;  ///< with grouped queries fewer than the query heads
  int head_dim = 0;
  double bits = 16.0;
};
double kv_bytes_per_token(const KvShape& shape);

/// Experts of a mixture: each token uses `used` of `total` per layer.
struct Experts {
  int total = 0;
  int used = 0;
};

struct LlmModel {
  double parameters = 0.0;
  double active = 0.0;  ///< per token; equal to `parameters` in a dense model
  double bits_per_weight = 16.0;
  std::optional<Experts> experts;
  std::optional<KvShape> kv;  ///< unknown: the cache is left out, and the result says so
};
/// Throws std::invalid_argument: active above all, no parameters, experts used above their number
/// or with active parameters that they cannot give.
void check_model(const LlmModel& model);

double weight_bytes(const LlmModel& model);
/// Parameters that one step reads for `batch` independent tokens: all shared ones, and of the
/// experts the expected number of distinct ones, total * (1 - (1 - used / total)^batch), each token
/// choosing evenly. Without `experts` the active ones, read once: a bound from below.
double parameters_read(const LlmModel& model, int batch);

/// Bits per weight of a named format; block formats carry their scales (q4: 4.64 bits).
/// Throws std::invalid_argument that lists the names.
double bits_of_quantisation(std::string_view name);
std::vector<std::string> quantisation_names();

/// One device; unknown is null with a reason.
struct LlmDevice {
  std::string name;
  std::optional<double> memory_bytes;
  std::string memory_why;
  std::optional<double> gbs;
  std::optional<double> tflops;  ///< of the arithmetic that the matrices use
  std::string tflops_basis;      ///< "bf16, vendor", or why there is none
  std::optional<double> watts, dollars_per_hour;
};

struct LlmLoad {
  int batch = 1;                ///< sequences decoded together
  double context = 0.0;         ///< tokens in each one's cache
  int devices = 1;              ///< bandwidth, peak and memory add up without loss
  double overhead_bytes = 2e9;  ///< kept free on each device for activations and the runtime
};

enum class Fits { yes, no, unknown };
std::string_view to_string(Fits fits);

struct LlmCeiling {
  double weight_bytes = 0.0, kv_bytes = 0.0;  ///< of all sequences together
  std::optional<double> memory_bytes;         ///< of all devices together
  std::optional<double> left_bytes;           ///< may be negative
  Fits fits = Fits::unknown;
  double step_bytes = 0.0;                    ///< read in one decode step
  std::optional<double> decode_tokens;        ///< a second, all sequences together
  std::optional<double> stream_tokens;        ///< a second, each sequence
  bool compute_bound = false;                 ///< of the decode step
  std::optional<double> prefill_tokens;       ///< a second
  std::optional<double> dollars_per_million;  ///< decoded tokens
  std::optional<double> tokens_per_dollar;    ///< tokens a second per dollar an hour
  std::optional<double> tokens_per_watt;      ///< tokens a second per watt of TDP
};
LlmCeiling llm_ceiling(const LlmModel& model, const LlmDevice& device, const LlmLoad& load);

/// A measured rate against a ceiling: percent, and whether it is above it by more than 1 %.
struct MeasuredAgainst {
  std::optional<double> percent;
  bool above = false;
};
MeasuredAgainst measured_against(double measured, std::optional<double> ceiling);

}  // namespace assay
