// SPDX-License-Identifier: Apache-2.0
// The verdict on a host whose GPUs one ctest has certified.
#include <algorithm>
#include <iostream>

#include "dossiers/driver/libcuda.h"
#include "invariants/plan/host/host_run.h"
#include "invariants/plan/run_folder.h"
#include "invariants/plan/steps.h"

namespace assay {
namespace {

HostRecord seen_now() {
  try {
    return look_at_host();
  } catch (const NoDevice&) {
    return {};  // those that were to be certified are missing: each says so
  }
}

/// The devices of `uuids`, in that order; what is not there now is known by its UUID alone.
HostRecord wanted_of(const HostRecord& seen, const std::vector<std::string>& uuids) {
  HostRecord wanted = seen;
  wanted.devices.clear();
  auto next = static_cast<std::int64_t>(seen.devices.size());
  for (const std::string& uuid : uuids) {
    const auto found = std::find_if(seen.devices.begin(), seen.devices.end(),
                                    [&](const HostDevice& device) { return device.uuid == uuid; });
    HostDevice gone;
    gone.uuid = uuid;
    gone.reason = "this GPU is not there";
    if (found == seen.devices.end()) {
      gone.index = next++;
    }
    wanted.devices.push_back(found == seen.devices.end() ? gone : *found);
  }
  return wanted;
}

}  // namespace

int run_host_step(const StepContext& context, std::int64_t expected,
                  const std::vector<std::string>& uuids) {
  HostRecord record = wanted_of(seen_now(), uuids);
  record.run_id = new_run_id();
  record.suite = this_suite();
  record.created_utc = utc_now();
  record.level = context.level;
  const auto listed = static_cast<std::int64_t>(uuids.size());
  record.expected = std::max(expected, listed);
  for (HostDevice& device : record.devices) {
    try {
      const FoundRun found = find_run(context.out, parent_stamp(), device.uuid);
      add_run(judging_of(context), context.out, found.folder, device, record.peers);
    } catch (const NoRun&) {
      device.reason += "; no run was begun under this ctest";
    }
  }
  judge_host(record);
  const std::filesystem::path folder = write_host(record, context.out);
  std::cout << host_summary(record) << "host " << (folder / "host.json").string() << '\n';
  return exit_code(record.verdict);
}

}  // namespace assay
