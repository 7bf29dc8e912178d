// SPDX-License-Identifier: Apache-2.0
#include "dossiers/driver/telemetry.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace assay {

namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Telemetry::Telemetry(std::shared_ptr<const Nvml> nvml, const ListedDevice& device)
    : nvml_(std::move(nvml)), gpu_(device.nvml_handle) {
  users_ = device.identity.mig == true ? device.slice_handle : gpu_;
}

TelemetrySnapshot Telemetry::poll() const {
  TelemetrySnapshot now;
  if (nvml_ == nullptr || gpu_ == nullptr) {
    return now;
  }
  now.sm_clock_mhz = nvml_->sm_clock_mhz(gpu_).value;
  now.clock_reasons = nvml_->clock_reasons(gpu_).value;
  now.temperature_c = nvml_->temperature_c(gpu_).value;
  now.power_w = nvml_->power_w(gpu_).value;
  return now;
}

TelemetrySnapshot Telemetry::snapshot() const {
  TelemetrySnapshot now = poll();
  if (nvml_ == nullptr || gpu_ == nullptr) {
    return now;
  }
  now.power_cap_ns = nvml_->power_cap_ns(gpu_).value;
  if (users_ != nullptr) {
    if (const auto pids = nvml_->compute_pids(users_)) {
      now.other_processes =
          other_processes(*pids.value, own_pids(getpid(), file_text("/proc/self/status")));
    }
  }
  return now;
}

std::vector<std::int64_t> own_pids(std::int64_t pid, std::string_view proc_status) {
  std::vector<std::int64_t> own = {pid};
  constexpr std::string_view kLabel = "NSpid:";
  const std::size_t start = proc_status.find(kLabel);
  if (start == std::string_view::npos) {
    return own;
  }
  const std::size_t end = proc_status.find('\n', start);
  std::istringstream ids(
      std::string(proc_status.substr(start + kLabel.size(), end - start - kLabel.size())));
  own.insert(own.end(), std::istream_iterator<std::int64_t>(ids), {});
  return own;
}

std::vector<Process> other_processes(const std::vector<std::int64_t>& pids,
                                     const std::vector<std::int64_t>& own,
                                     const std::string& proc) {
  const std::set<std::int64_t> unique(pids.begin(), pids.end());
  std::vector<Process> others;
  for (const std::int64_t pid : unique) {
    if (std::find(own.begin(), own.end(), pid) != own.end()) {
      continue;
    }
    std::string name = file_text(proc + "/" + std::to_string(pid) + "/comm");
    name.erase(std::find(name.begin(), name.end(), '\n'), name.end());
    others.push_back({pid, name});
  }
  return others;
}

}  // namespace assay
