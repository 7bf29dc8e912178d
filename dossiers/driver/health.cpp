// SPDX-License-Identifier: Apache-2.0
// What do a device's fault counters say before and after a piece of work?
#include "dossiers/driver/health.h"

#include <utility>

namespace assay {
namespace {

/// What NVML's words mean for a fact: a device that cannot have it is not one that will not say.
NullReason reason_of(const std::string& why) {
  if (why == "Not Supported" || why.rfind("this NVML has no ", 0) == 0) {
    return {NullKind::not_supported, "NVML: " + why};
  }
  if (why == "Insufficient Permissions") {
    return {NullKind::no_permission, "NVML: " + why};
  }
  return {NullKind::not_available, why.empty() ? "NVML does not say" : "NVML: " + why};
}

Fact count_of(const Answer<std::uint64_t>& answer, const std::string& method) {
  return answer ? stated(*answer.value, Unit::count, method)
                : absent(Unit::count, method, reason_of(answer.why));
}

Fact difference(const Answer<std::uint64_t>& before, const Answer<std::uint64_t>& after,
                const std::string& method) {
  const std::string both = method + ": after - before";
  if (!before || !after) {
    return absent(Unit::count, both, reason_of(before ? after.why : before.why));
  }
  if (*after.value < *before.value) {
    return absent(Unit::count, both, {NullKind::not_available, "the counter was reset meanwhile"});
  }
  return stated(std::uint64_t{*after.value - *before.value}, Unit::count, both);
}

void add_counter(const std::string& name, const std::string& method,
                 const Answer<std::uint64_t>& before, const Answer<std::uint64_t>& after,
                 Measurements& facts) {
  facts.add("health." + name + "_before", count_of(before, method + ", before"));
  facts.add("health." + name + "_after", count_of(after, method + ", after"));
  facts.add("health." + name + "_delta", difference(before, after, method));
}

}  // namespace

HealthCounters read_health(const Nvml& nvml, NvmlHandle device) {
  HealthCounters now;
  now.ecc_corrected = nvml.ecc_errors(device, EccErrors::corrected);
  now.ecc_uncorrected = nvml.ecc_errors(device, EccErrors::uncorrected);
  now.pcie_replays = nvml.pcie_replays(device);
  now.nvlink_retries = nvml.nvlink_retries(device);
  now.nvlink_recoveries = nvml.nvlink_recoveries(device);
  const Answer<RowRemapping> rows = nvml.row_remapping(device);
  const auto number = [&rows](std::uint64_t value) {
    return rows ? Answer<std::uint64_t>{value, {}} : no_answer<std::uint64_t>(rows.why);
  };
  const RowRemapping state = rows.value.value_or(RowRemapping{});
  now.rows_remapped = number(state.rows);
  now.rows_pending = number(state.pending ? 1 : 0);
  now.rows_failed = number(state.failed ? 1 : 0);
  const Answer<bool> pages = nvml.page_retirement_pending(device);
  now.pages_pending = pages ? Answer<std::uint64_t>{*pages.value ? 1U : 0U, {}}
                            : no_answer<std::uint64_t>(pages.why);
  return now;
}

HealthCounters unknown_health(const std::string& why) {
  const auto none = no_answer<std::uint64_t>(why);
  return {none, none, none, none, none, none, none, none, none};
}

XidWatch::XidWatch(std::shared_ptr<const Nvml> nvml, NvmlHandle device) : nvml_(std::move(nvml)) {
  if (nvml_ == nullptr || device == nullptr) {
    why_ = "no NVML for this device";
    return;
  }
  const Answer<void*> set = nvml_->listen_for_xids(device);
  set_ = set.value.value_or(nullptr);
  why_ = set.why;
}

XidWatch::~XidWatch() {
  if (set_ != nullptr) {
    nvml_->stop_listening(set_);
  }
}

Answer<std::vector<std::uint64_t>> XidWatch::events() {
  using Numbers = std::vector<std::uint64_t>;
  if (set_ == nullptr) {
    return no_answer<Numbers>(why_);
  }
  const Answer<Numbers> fresh = nvml_->pending_xids(set_);
  if (!fresh) {
    return no_answer<Numbers>(fresh.why);
  }
  seen_.insert(seen_.end(), fresh.value->begin(), fresh.value->end());
  return {seen_, {}};
}

Measurements health_facts(const HealthCounters& before, const HealthCounters& after,
                          const Answer<std::vector<std::uint64_t>>& xids) {
  Measurements facts;
  add_counter("ecc_corrected", "NVML, errors that ECC corrected", before.ecc_corrected,
              after.ecc_corrected, facts);
  add_counter("ecc_uncorrected", "NVML, errors that ECC could not correct", before.ecc_uncorrected,
              after.ecc_uncorrected, facts);
  add_counter("pcie_replays", "NVML, PCIe packets sent again", before.pcie_replays,
              after.pcie_replays, facts);
  add_counter("nvlink_retries", "NVML, NVLink replays and CRC errors", before.nvlink_retries,
              after.nvlink_retries, facts);
  add_counter("nvlink_recoveries", "NVML, NVLinks trained anew", before.nvlink_recoveries,
              after.nvlink_recoveries, facts);
  add_counter("rows_remapped", "NVML, rows replaced by spare ones", before.rows_remapped,
              after.rows_remapped, facts);
  facts.add("health.rows_pending",
            count_of(after.rows_pending, "NVML, 1 while a row waits to be replaced"));
  facts.add("health.rows_failed",
            count_of(after.rows_failed, "NVML, 1 once a row could not be replaced"));
  facts.add("health.pages_pending",
            count_of(after.pages_pending, "NVML, 1 while a page waits to be retired"));
  const auto events =
      xids ? Answer<std::uint64_t>{xids.value->size(), {}} : no_answer<std::uint64_t>(xids.why);
  facts.add("health.xid_events", count_of(events, "NVML, Xid events in the window"));
  std::string note;
  for (const std::uint64_t xid : xids.value.value_or(std::vector<std::uint64_t>{})) {
    note += (note.empty() ? "Xid " : ", ") + std::to_string(xid);
  }
  if (!note.empty()) {
    facts.note("health", note);
  }
  return facts;
}

}  // namespace assay
