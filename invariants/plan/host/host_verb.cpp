// SPDX-License-Identifier: Apache-2.0
// `assay certify --all`
#include "invariants/plan/host/host_verb.h"

#include <iostream>
#include <ostream>

#include "dossiers/driver/libcuda.h"
#include "dossiers/exit_code.h"
#include "invariants/plan/graph.h"
#include "invariants/plan/host/host_run.h"
#include "invariants/plan/interrupt.h"

namespace assay {
namespace {

/// A host without a GPU that must have some is judged, too.
HostRecord host_of(const HostOrder& order) {
  try {
    return look_at_host();
  } catch (const NoDevice&) {
    if (!order.expected) {
      throw;
    }
    return {};
  }
}

/// Before anything is measured for minutes: a folder that cannot be made costs nothing yet.
void make_out(const std::filesystem::path& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) {
    throw std::runtime_error(out.string() + ": cannot make the folder: " + error.message());
  }
}

}  // namespace

int certify_all_verb(const HostOrder& order, bool json) {
  std::ostream& prose = json ? std::cerr : std::cout;
  const HostRecord host = host_of(order);
  make_out(order.certify.out);
  prose << "certifying " << host.devices.size() << " GPUs\n" << std::flush;
  const InterruptWatch watch;
  HostOrder watched = order;
  watched.certify.stop = [&watch] { return watch.asked(); };
  try {
    const HostCertified certified = certify_host(watched, host, [&prose](const std::string& line) {
      prose << line << '\n' << std::flush;
    });
    prose << '\n' << host_summary(certified.record);
    prose << "files in " << certified.folder.string() << '\n';
    if (json) {
      std::cout << host_text(certified.record);
    }
    return certified.code;
  } catch (const Interrupted& interrupted) {
    std::cerr << "assay certify: " << interrupted.what() << '\n';
    return kExitInconclusive;
  }
}

void prepare_all(const HostOrder& order, Preparation preparation,
                 const std::filesystem::path& folder) {
  std::vector<std::string> uuids;
  for (const HostDevice& device : look_at_host().devices) {
    uuids.push_back(device.uuid);
  }
  const std::vector<Step> steps =
      steps_of_host(read_plan(order.certify.share), uuids, order.expected.value_or(0));
  preparation.tests = graph_text(steps, order.certify.layout.step());
  prepare(preparation, folder);
}

}  // namespace assay
