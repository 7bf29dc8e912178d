// SPDX-License-Identifier: Apache-2.0
// assay llm: does a language model fit, and how fast can it be at most?
#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dossiers/cards/card_list.h"
#include "dossiers/cli/nearest.h"
#include "dossiers/cli/numbers.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/models/dossier_source.h"
#include "dossiers/models/llm_devices.h"
#include "dossiers/models/llm_text.h"

namespace {

struct Options {
  std::string parameters, active, quant, bytes_per_param, bits, weights, experts;
  std::string layers, heads, kv_heads, head_dim, kv_bits, context, batch, num_gpus, overhead;
  std::string memory, peak_gbs, peak_tflops, dossier, device, cost, measured, ceiling, cards_file;
  std::string dtype = "fp16", peaks = "vendor";
  std::vector<std::string> gpus;
  bool per_watt = false, json = false;
};

constexpr int kMostTokens = 100'000'000;

/// Sets bits per weight from the one flag that was given; says which.
std::string read_weights(const Options& options, assay::LlmModel& model) {
  const int given = int(!options.quant.empty()) + int(!options.bytes_per_param.empty()) +
                    int(!options.bits.empty()) + int(!options.weights.empty());
  if (given > 1) {
    throw std::invalid_argument(
        "want one of --quant, --bits-per-weight, --bytes-per-param and --weights");
  }
  constexpr double kBits = 8.0;
  if (!options.weights.empty()) {
    const double bytes = assay::size_in_bytes("--weights", options.weights);
    if (!(bytes > 0.0)) throw std::invalid_argument("--weights: want a size above 0");
    model.bits_per_weight = bytes * kBits / model.parameters;
    return "--weights";
  }
  if (!options.bytes_per_param.empty()) {
    model.bits_per_weight =
        kBits * assay::positive_number("--bytes-per-param", options.bytes_per_param);
    return "--bytes-per-param";
  }
  if (!options.bits.empty()) {
    model.bits_per_weight = assay::positive_number("--bits-per-weight", options.bits);
    return "--bits-per-weight";
  }
  std::string name = options.quant.empty() ? "f16" : options.quant;
  model.bits_per_weight = assay::bits_of_quantisation(name);
  return name;
}

/// "256:8": of 256 experts a token uses 8.
assay::Experts read_experts(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw std::invalid_argument("--experts: '" + text + "': want all:used, such as 256:8");
  }
  constexpr int kMost = 100000;
  return {assay::whole_number("--experts", text.substr(0, colon), 2, kMost),
          assay::whole_number("--experts", text.substr(colon + 1), 1, kMost)};
}

std::optional<assay::KvShape> read_kv(const Options& options) {
  const std::string& kv_heads = options.kv_heads.empty() ? options.heads : options.kv_heads;
  const bool any = !options.layers.empty() || !kv_heads.empty() || !options.head_dim.empty();
  if (!any) {
    if (!options.context.empty() || !options.kv_bits.empty()) {
      throw std::invalid_argument(
          "--context and --kv-bits: want --layers, --kv-heads and --head-dim with them");
    }
    return std::nullopt;
  }
  if (options.layers.empty() || kv_heads.empty() || options.head_dim.empty()) {
    throw std::invalid_argument("the KV cache needs --layers, --kv-heads and --head-dim together");
  }
  constexpr int kMost = 100000;
  assay::KvShape shape;
  shape.layers = assay::whole_number("--layers", options.layers, 1, kMost);
  shape.kv_heads = assay::whole_number("--kv-heads", kv_heads, 1, kMost);
  shape.head_dim = assay::whole_number("--head-dim", options.head_dim, 1, kMost);
  if (!options.kv_bits.empty()) shape.bits = assay::positive_number("--kv-bits", options.kv_bits);
  if (!options.heads.empty() &&
      assay::whole_number("--heads", options.heads, 1, kMost) % shape.kv_heads != 0) {
    throw std::invalid_argument("--kv-heads: '" + options.kv_heads +
                                "': want a divisor of --heads " + options.heads);
  }
  return shape;
}

assay::LlmModel read_model(const Options& options, std::string& weights_from) {
  assay::LlmModel model;
  model.parameters = assay::parameter_count("parameters", options.parameters);
  model.active = options.active.empty() ? model.parameters
                                        : assay::parameter_count("--active-params", options.active);
  weights_from = read_weights(options, model);
  if (!options.experts.empty()) model.experts = read_experts(options.experts);
  model.kv = read_kv(options);
  assay::check_model(model);
  return model;
}

assay::LlmLoad read_load(const Options& options) {
  constexpr int kMostBatch = 1'000'000;
  constexpr int kMostDevices = 100'000;
  assay::LlmLoad load;
  if (!options.batch.empty()) {
    load.batch = assay::whole_number("--batch", options.batch, 1, kMostBatch);
  }
  if (!options.context.empty()) {
    load.context = assay::whole_number("--context", options.context, 0, kMostTokens);
  }
  if (!options.num_gpus.empty()) {
    load.devices = assay::whole_number("--num-gpus", options.num_gpus, 1, kMostDevices);
  }
  if (!options.overhead.empty()) {
    load.overhead_bytes = assay::size_in_bytes("--overhead", options.overhead);
  }
  return load;
}

/// Cards by key, with their prices.
std::vector<assay::LlmDevice> card_devices(const Options& options, assay::Arithmetic arithmetic,
                                           assay::PeakBasis basis) {
  const assay::CardList list = assay::load_cards(options.cards_file);
  std::vector<assay::LlmDevice> devices;
  for (const std::string& key : options.gpus) {
    devices.push_back(assay::llm_device(assay::card_by_key(list, key), arithmetic, basis));
  }
  if (options.cost.empty()) return devices;
  for (const auto& [name, price] : assay::named_prices("--cost", options.cost)) {
    const std::string& key = assay::card_by_key(list, name).key;
    bool found = false;
    for (assay::LlmDevice& device : devices) {
      if (device.name == key) device.dollars_per_hour = price;
      found = found || device.name == key;
    }
    if (!found) throw std::invalid_argument("--cost: '" + name + "' is not among --gpus");
  }
  return devices;
}

std::vector<assay::LlmDevice> live_devices(const Options& options, assay::Arithmetic arithmetic) {
  const assay::CardList list = assay::load_cards(options.cards_file);
  std::vector<assay::LlmDevice> devices;
  for (const assay::DeviceInfo& info : assay::gather_info(options.device)) {
    const auto match = assay::match_driver_name(list, info.device.identity.name);
    devices.push_back(assay::llm_device(info, match.card, arithmetic));
  }
  return devices;
}

assay::LlmDevice given_device(const Options& options) {
  assay::LlmDevice device;
  device.name = "given";
  device.memory_why = "not given";
  if (!options.peak_gbs.empty()) {
    device.gbs = assay::positive_number("--peak-gbs", options.peak_gbs);
  }
  device.tflops_basis = "--peak-tflops not given";
  if (!options.peak_tflops.empty()) {
    device.tflops = assay::positive_number("--peak-tflops", options.peak_tflops);
    device.tflops_basis = "given";
  }
  return device;
}

std::vector<assay::LlmDevice> choose_devices(const Options& options) {
  const std::string dtype =
      assay::one_of("--dtype", options.dtype, {"fp32", "fp16", "fp16-f16", "bf16", "tf32"});
  const auto arithmetic = *assay::arithmetic_from(dtype);
  const auto basis = assay::one_of("--peaks", options.peaks, {"vendor", "derived"}) == "derived"
                         ? assay::PeakBasis::derived
                         : assay::PeakBasis::vendor;
  const bool given = !options.peak_gbs.empty() || !options.peak_tflops.empty();
  if (int(given) + int(!options.gpus.empty()) + int(!options.dossier.empty()) > 1) {
    throw std::invalid_argument("want one of --gpus, --dossier and --peak-gbs");
  }
  if (options.gpus.empty() && !options.cost.empty()) {
    throw std::invalid_argument("--cost: prices are for the cards of --gpus");
  }
  std::vector<assay::LlmDevice> devices;
  if (given) {
    devices = {given_device(options)};
  } else if (!options.gpus.empty()) {
    devices = card_devices(options, arithmetic, basis);
  } else if (!options.dossier.empty()) {
    devices = {
        assay::llm_device(assay::read_dossier(assay::dossier_file(options.dossier)), arithmetic)};
  } else {
    devices = live_devices(options, arithmetic);
  }
  if (!options.memory.empty()) {
    const double bytes = assay::size_in_bytes("--memory", options.memory);
    for (assay::LlmDevice& device : devices) device.memory_bytes = bytes;
  }
  return devices;
}

/// 0; 1 when a measurement is above its ceiling; 77 when of no device it is known whether it fits.
int exit_code(const assay::LlmAnswer& answer) {
  bool known = false;
  for (const assay::LlmRow& row : answer.rows) {
    if (row.measured && row.measured->above) return assay::kExitFail;
    known = known || row.ceiling.fits != assay::Fits::unknown;
  }
  return known ? assay::kExitPass : assay::kExitNotApplicable;
}

int run(const Options& options) {
  assay::LlmAnswer answer;
  answer.model = read_model(options, answer.weights_from);
  answer.load = read_load(options);
  answer.per_watt = options.per_watt;
  if (!options.measured.empty()) {
    answer.measured = assay::positive_number("--measured", options.measured);
  }
  if (!options.ceiling.empty()) {
    answer.own_ceiling = assay::positive_number("--ceiling", options.ceiling);
    if (!answer.measured) throw std::invalid_argument("--ceiling: want --measured with it");
  }
  for (const assay::LlmDevice& device : choose_devices(options)) {
    assay::LlmRow row{device, assay::llm_ceiling(answer.model, device, answer.load), {}};
    if (answer.measured) {
      row.measured = assay::measured_against(
          *answer.measured, answer.own_ceiling ? answer.own_ceiling : row.ceiling.decode_tokens);
    }
    answer.rows.push_back(row);
  }
  std::cout << (options.json ? assay::llm_json(answer) : assay::llm_text(answer));
  return exit_code(answer);
}

int run_or_no_device(const Options& options) {
  try {
    return run(options);
  } catch (const assay::NoDevice& absence) {
    std::cerr << "assay llm: " << absence.what() << "; name cards with --gpus\n";
    return assay::kExitNotApplicable;
  }
}

void add_model(CLI::App& app, Options& options) {
  app.add_option("parameters", options.parameters, "parameters of the model: 70b, 900m")
      ->required();
  app.add_option("--quant", options.quant,
                 "format of the weights: f32, f16 (default), bf16, fp8, "
                 "q8, q6, q5, q4, q3");
  app.add_option("--bits-per-weight", options.bits, "or its exact size");
  app.add_option("--bytes-per-param", options.bytes_per_param, "or the same in bytes");
  app.add_option("--weights", options.weights, "or the size of the weight file: 42.52GB, 39.6GiB");
  app.add_option("--active-params", options.active, "per token, of a mixture of experts: 37b");
  app.add_option("--experts", options.experts, "all:used per token, such as 256:8");
  app.add_option("--layers", options.layers, "for the KV cache: layers");
  app.add_option("--kv-heads", options.kv_heads, "KV heads (fewer than query heads with GQA)");
  app.add_option("--heads", options.heads,
                 "query heads; these are the KV heads without --kv-heads");
  app.add_option("--head-dim", options.head_dim, "size of a head");
  app.add_option("--kv-bits", options.kv_bits, "bits of a cached number (default 16)");
  app.add_option("--context", options.context, "tokens in the cache of each sequence (default 0)");
  app.add_option("--batch", options.batch, "sequences decoded together (default 1)");
}

void add_devices(CLI::App& app, Options& options) {
  app.add_option("--gpus", options.gpus, "cards by key; `assay cards` lists them")->delimiter(',');
  app.add_option("--num-gpus", options.num_gpus, "how many of each together (default 1)");
  app.add_option("--dossier", options.dossier, "a dossier.json or its folder: measured rates");
  app.add_option("--device", options.device, "a GPU here: UUID or index; all without any of these")
      ->envname("ASSAY_DEVICE");
  app.add_option("--memory", options.memory, "memory of each device: 24GiB, 40960MiB, 80GB");
  app.add_option("--peak-gbs", options.peak_gbs, "bandwidth of a device of your own, GB/s");
  app.add_option("--peak-tflops", options.peak_tflops, "its peak, TFLOP/s");
  app.add_option("--cards-file", options.cards_file, "another card list");
  app.add_option("--dtype", options.dtype, "arithmetic of the matrices (default fp16, FP32 sums)");
  app.add_option("--peaks", options.peaks, "of cards: vendor (default) or derived");
  app.add_option("--overhead", options.overhead, "kept free on each device (default 2GB)");
  app.add_option("--cost", options.cost, "dollars an hour: key=price,key=price");
  app.add_flag("--per-watt", options.per_watt, "also tokens per second and watt of TDP");
  app.add_option("--measured", options.measured, "tokens a second that you measured");
  app.add_option("--ceiling", options.ceiling, "judge that by a ceiling of your own");
  app.add_flag("--json", options.json, "machine output on standard output");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Does a language model fit, and how many tokens a second can there be at most?",
               "assay llm");
  Options options;
  add_model(app, options);
  add_devices(app, options);
  app.footer(
      "Example:\n  assay llm 70b --quant q4 --gpus 4090 a100-80gb h100-sxm "
      "--cost a100-80gb=1.19,h100-sxm=2.69\n"
      "Exit codes: 0; 1 a measurement is above its ceiling; 2 bad input; 77 no GPU, or of none is "
      "the memory known.");
  return assay::run_verb(app, argc, argv, [&] { return run_or_no_device(options); });
}
