// SPDX-License-Identifier: Apache-2.0
#include "probes/harness/timing_facts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace assay {

namespace {

constexpr double kMaxRejectedShare = 0.2;
constexpr double kClockSag = 0.97;

double rate_scale(Unit units) {
  switch (units) {
    case Unit::gb_per_s:
    case Unit::gop_per_s:
      return 1e9;
    case Unit::tflop_per_s:
      return 1e12;
    default:
      throw std::invalid_argument("rate(): GB/s, TFLOP/s or Gop/s, not '" +
                                  std::string(to_string(units)) + "'");
  }
}

double duration_scale(Unit units) {
  switch (units) {
    case Unit::ns:
      return 1e9;
    case Unit::us:
      return 1e6;
    case Unit::ms:
      return 1e3;
    case Unit::s:
      return 1.0;
    default:
      throw std::invalid_argument("duration(): ns, us, ms or s, not '" +
                                  std::string(to_string(units)) + "'");
  }
}

void require_positive(double amount, const char* what) {
  if (!(amount > 0.0) || !std::isfinite(amount)) {
    throw std::invalid_argument(std::string(what) + " must be positive and finite");
  }
}

template <typename Convert>
std::vector<double> converted(const std::vector<double>& samples, Convert convert) {
  std::vector<double> out;
  out.reserve(samples.size());
  for (const double sample : samples) {
    out.push_back(convert(sample));
  }
  return out;
}

/// A measured fact, or the timing's reason; the raw samples travel either way.
template <typename Convert>
Fact fact_of(const Timing& timing, double middle, const std::vector<double>& samples, Unit units,
             std::string method, Convert convert) {
  std::vector<double> raw = converted(samples, convert);
  std::optional<NullReason> reason = timing.spoiled;
  if (!reason && (!(middle > 0.0) || samples.empty())) {
    reason = NullReason{NullKind::clock_lost, "no positive sample"};
  }
  if (!reason) {
    return measured(convert(middle), units, std::move(method), timing.clock_ghz, std::move(raw),
                    confidence_of(timing));
  }
  Fact fact = absent(units, std::move(method), *reason);
  fact.samples = static_cast<int>(raw.size());
  fact.raw = std::move(raw);
  return fact;
}

}  // namespace

Confidence confidence_of(const Timing& timing) {
  const bool few_rejected = timing.rejected <= kMaxRejectedShare * timing.windows;
  const bool steady_clock = timing.clock_min_ghz >= kClockSag * timing.clock_max_ghz;
  return few_rejected && steady_clock ? Confidence::high : Confidence::medium;
}

Fact rate(const Timing& timing, double work_per_call, Unit units, std::string method) {
  require_positive(work_per_call, "work per call");
  const double work = work_per_call / rate_scale(units);
  return fact_of(timing, timing.seconds, timing.seconds_samples, units, std::move(method),
                 [work](double seconds) { return work / seconds; });
}

Fact rate_per_clock(const Timing& timing, double work_per_call, int sm_count, Unit units,
                    std::string method) {
  require_positive(work_per_call, "work per call");
  require_positive(sm_count, "SM count");
  if (units != Unit::flop_per_clock_per_sm && units != Unit::bytes_per_clock_per_sm) {
    throw std::invalid_argument("rate_per_clock(): FLOP or bytes per clock per SM, not '" +
                                std::string(to_string(units)) + "'");
  }
  const double work = work_per_call / sm_count;
  return fact_of(timing, timing.cycles, timing.cycles_samples, units, std::move(method),
                 [work](double cycles) { return work / cycles; });
}

Fact duration(const Timing& timing, double operations, Unit units, std::string method) {
  require_positive(operations, "operations per call");
  const double scale = duration_scale(units) / operations;
  return fact_of(timing, timing.seconds, timing.seconds_samples, units, std::move(method),
                 [scale](double seconds) { return seconds * scale; });
}

Fact sampled(const Timing& label, const std::vector<double>& samples, Unit units,
             std::string method) {
  std::vector<double> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept),
               [](double sample) { return sample > 0.0 && std::isfinite(sample); });
  const std::size_t dropped = samples.size() - kept.size();
  Timing timing = label;
  if (!timing.spoiled && (kept.empty() || dropped > 1)) {
    timing.spoiled = NullReason{NullKind::unsteady, std::to_string(dropped) + " of " +
                                                        std::to_string(samples.size()) +
                                                        " samples were not positive"};
  }
  return fact_of(timing, median(kept).value_or(0.0), kept, units, std::move(method),
                 [](double sample) { return sample; });
}

}  // namespace assay
