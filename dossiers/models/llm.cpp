// SPDX-License-Identifier: Apache-2.0
// Does a language model fit, and how many tokens a second can there be at most?
#include "dossiers/models/llm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "dossiers/cli/nearest.h"
#include "dossiers/models/prefixes.h"
#include "dossiers/peaks.h"

namespace assay {
namespace {

constexpr double kBitsPerByte = 8.0;
constexpr double kFlopPerParameter = 2.0;  // one multiplication and one addition per token
constexpr double kSecondsPerHour = 3600.0;

struct Quantisation {
  std::string_view name;
  double bytes;
};
/// Effective bytes per weight; of the k-quants of GGUF files with their scales.
constexpr std::array<Quantisation, 9> kQuantisations = {{{"f32", 4.0},
                                                         {"f16", 2.0},
                                                         {"bf16", 2.0},
                                                         {"fp8", 1.0},
                                                         {"q8", 1.07},
                                                         {"q6", 0.82},
                                                         {"q5", 0.70},
                                                         {"q4", 0.58},
                                                         {"q3", 0.44}}};

/// Parameters of one expert (of every layer together): what active and all differ by.
double expert_parameters(const LlmModel& model) {
  return (model.parameters - model.active) / (model.experts->total - model.experts->used);
}

std::optional<double> add_up(std::optional<double> one, int devices) {
  return one ? std::optional<double>(*one * devices) : std::nullopt;
}

Fits fits(const std::optional<double>& left) {
  if (!left) return Fits::unknown;
  return *left >= 0.0 ? Fits::yes : Fits::no;
}

void rates(LlmCeiling& ceiling, const LlmModel& model, const LlmDevice& device,
           const LlmLoad& load) {
  const double flop = kFlopPerParameter * model.active;
  const auto tflops = add_up(device.tflops, load.devices);
  const auto gbs = add_up(device.gbs, load.devices);
  if (tflops) ceiling.prefill_tokens = *tflops * kTera / flop;
  if (!gbs) return;
  const double by_memory = ceiling.step_bytes / (*gbs * kGiga);
  const double by_compute = tflops ? flop * load.batch / (*tflops * kTera) : 0.0;
  ceiling.compute_bound = by_compute > by_memory;
  const double step = std::max(by_memory, by_compute);
  ceiling.stream_tokens = 1.0 / step;
  ceiling.decode_tokens = load.batch / step;
}

void prices(LlmCeiling& ceiling, const LlmDevice& device, const LlmLoad& load) {
  if (!ceiling.decode_tokens) return;
  if (device.dollars_per_hour) {
    const double dollars = *device.dollars_per_hour * load.devices;
    ceiling.tokens_per_dollar = *ceiling.decode_tokens / dollars;
    ceiling.dollars_per_million = dollars / (*ceiling.decode_tokens * kSecondsPerHour) * 1e6;
  }
  if (device.watts) {
    ceiling.tokens_per_watt = *ceiling.decode_tokens / (*device.watts * load.devices);
  }
}

}  // namespace

double kv_bytes_per_token(const KvShape& shape) {
  return 2.0 * shape.layers * shape.kv_heads * shape.head_dim * shape.bits / kBitsPerByte;
}

void check_model(const LlmModel& model) {
  if (!(model.parameters > 0.0) || !(model.active > 0.0) || !(model.bits_per_weight > 0.0)) {
    throw std::invalid_argument("a model needs parameters and bits per weight above 0");
  }
  if (model.active > model.parameters) {
    throw std::invalid_argument(
        "--active-params: more than all parameters; a dense model uses all of them");
  }
  if (!model.experts) return;
  const Experts& experts = *model.experts;
  if (experts.used < 1 || experts.total <= experts.used) {
    throw std::invalid_argument("--experts: a token uses fewer experts than there are");
  }
  if (!(model.active < model.parameters)) {
    throw std::invalid_argument("--experts: needs --active-params below all parameters");
  }
  if (!(expert_parameters(model) * experts.used <= model.active)) {
    throw std::invalid_argument(
        "--experts: so few active parameters cannot hold that many used experts");
  }
}

double weight_bytes(const LlmModel& model) {
  return model.parameters * model.bits_per_weight / kBitsPerByte;
}

double parameters_read(const LlmModel& model, int batch) {
  if (!model.experts) return model.active;
  const Experts& experts = *model.experts;
  const double chosen = static_cast<double>(experts.used) / experts.total;
  const double distinct = experts.total * (1.0 - std::pow(1.0 - chosen, batch));
  const double shared = model.active - experts.used * expert_parameters(model);
  return shared + distinct * expert_parameters(model);
}

double bits_of_quantisation(std::string_view name) {
  const std::string known = one_of("--quant", std::string(name), quantisation_names());
  const auto* found = std::find_if(kQuantisations.begin(), kQuantisations.end(),
                                   [&](const Quantisation& one) { return one.name == known; });
  return found->bytes * kBitsPerByte;
}

std::vector<std::string> quantisation_names() {
  std::vector<std::string> names;
  names.reserve(kQuantisations.size());
  for (const Quantisation& one : kQuantisations) names.emplace_back(one.name);
  return names;
}

std::string_view to_string(Fits fits) {
  return fits == Fits::yes ? "yes" : (fits == Fits::no ? "no" : "unknown");
}

LlmCeiling llm_ceiling(const LlmModel& model, const LlmDevice& device, const LlmLoad& load) {
  LlmCeiling ceiling;
  const double kv_of_one = model.kv ? kv_bytes_per_token(*model.kv) * load.context : 0.0;
  ceiling.weight_bytes = weight_bytes(model);
  ceiling.kv_bytes = kv_of_one * load.batch;
  ceiling.memory_bytes = add_up(device.memory_bytes, load.devices);
  if (ceiling.memory_bytes) {
    ceiling.left_bytes = *ceiling.memory_bytes - ceiling.weight_bytes - ceiling.kv_bytes -
                         load.overhead_bytes * load.devices;
  }
  ceiling.fits = fits(ceiling.left_bytes);
  ceiling.step_bytes =
      parameters_read(model, load.batch) * model.bits_per_weight / kBitsPerByte + ceiling.kv_bytes;
  rates(ceiling, model, device, load);
  prices(ceiling, device, load);
  return ceiling;
}

MeasuredAgainst measured_against(double measured, std::optional<double> ceiling) {
  constexpr double kAbovePercent = 101.0;
  MeasuredAgainst against;
  against.percent = percent_of_peak(measured, ceiling);
  against.above = against.percent && *against.percent > kAbovePercent;
  return against;
}

}  // namespace assay
