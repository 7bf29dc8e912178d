// SPDX-License-Identifier: Apache-2.0
// What came of running one probe?
#include "invariants/plan/measure.h"

#include <chrono>
#include <system_error>

#include "dossiers/exit_code.h"
#include "invariants/plan/device_choice.h"
#include "invariants/plan/gpu_lock.h"
#include "invariants/plan/run_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotStart = 127;

fs::path evidence_file(const ProbeOrder& order) {
  return order.folder / (order.probe.name + ".json");
}

fs::path exit_file(const ProbeOrder& order) {
  return order.folder / (order.probe.name + ".exit.json");
}

Program program_of(const ProbeOrder& order) {
  Program program;
  program.file = order.layout.probe(order.probe.name);
  if (order.stand_in) {
    program.file = order.stand_in->program;
    program.arguments = order.stand_in->arguments;
  }
  for (const std::string& argument :
       {std::string("--out"), order.folder.string(), std::string("--run-id"), order.run_id,
        std::string("--device"), order.device.uuid, std::string("--level"),
        std::string(to_string(order.level))}) {
    program.arguments.push_back(argument);
  }
  program.deadline_s = probe_deadline_s(order.probe, order.level);
  program.output = ChildOutput::to_stderr;
  program.echo_stderr = order.echo_stderr;
  return program;
}

ProbeExit exit_record(const ProbeOrder& order, const Ended& ended) {
  ProbeExit record;
  record.run_id = order.run_id;
  record.suite = this_suite();
  record.probe = order.probe.name;
  record.exit_code = ended.exit_code;
  record.signal = ended.signal;
  record.timed_out = ended.timed_out;
  record.stderr_tail = ended.stderr_tail;
  record.seconds = ended.seconds;
  return record;
}

/// Runs the program; a program that cannot run leaves a record too, so that the certificate says
/// why its facts are missing.
Ended run_and_record(const ProbeOrder& order) {
  try {
    Ended ended = supervise(program_of(order));
    write_probe_exit(exit_record(order, ended), exit_file(order));
    return ended;
  } catch (const CannotStart& error) {
    Ended ended;
    ended.exit_code = kCannotStart;
    ended.stderr_tail = error.what();
    write_probe_exit(exit_record(order, ended), exit_file(order));
    throw;
  }
}

/// What stands in for the evidence of a probe that did not begin.
Evidence evidence_without_run(const ProbeOrder& order, ProbeStatus status,
                              const std::string& reason) {
  Evidence evidence;
  evidence.run_id = order.run_id;
  evidence.suite = this_suite();
  evidence.probe = order.probe.name;
  evidence.device = order.device;
  evidence.level = order.level;
  evidence.started_utc = utc_now();
  evidence.status = status;
  evidence.reason = reason;
  return evidence;
}

void write_busy_evidence(const ProbeOrder& order, const std::string& reason) {
  Evidence evidence = evidence_without_run(order, ProbeStatus::inconclusive, reason);
  evidence.conditions.contended = true;
  write_evidence(evidence, evidence_file(order));
}

/// A probe of level full in a quick run: a process start is 0.3 s that nobody asked for.
ProbeResult leave_out(const ProbeOrder& order) {
  ProbeResult result;
  result.status = ProbeStatus::not_applicable;
  result.reason = "measured at level full only";
  result.evidence = evidence_without_run(order, result.status, result.reason);
  fs::remove(exit_file(order));
  write_evidence(*result.evidence, evidence_file(order));
  return result;
}

/// What nobody else of this user has while the probe runs.
struct Alone {
  std::optional<HostLinkLock> link;
  std::vector<GpuLock> gpus;
};

/// The link first, then GPUs by UUID: one order in every process, so that no two wait for each
/// other.
Alone alone_for(const ProbeOrder& order) {
  Alone alone;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(turn_wait_s());
  const auto left_s = [end] {
    return std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
  };
  if (order.probe.turn != Turn::none) {
    alone.link.emplace(left_s());
  }
  if (order.probe.turn == Turn::every_gpu) {
    for (const std::string& uuid : uuids_of_host(order.device.uuid)) {
      alone.gpus.emplace_back(uuid, left_s());
    }
  } else {
    alone.gpus.emplace_back(order.device.uuid, lock_wait_s());
  }
  return alone;
}

Alone lock_or_say_busy(const ProbeOrder& order) {
  // A crash must not leave the evidence of an earlier attempt standing.
  fs::remove(evidence_file(order));
  fs::remove(exit_file(order));
  try {
    return alone_for(order);
  } catch (const GpuBusy& busy) {
    write_busy_evidence(order, busy.what());
    throw;
  }
}

/// What the probe left: its evidence, or why that is none.
struct Left {
  std::optional<Evidence> evidence;
  std::string refused;
};

Left left_by(const ProbeOrder& order) {
  std::error_code absent;
  if (!fs::exists(evidence_file(order), absent)) {
    return {};
  }
  try {
    Evidence evidence = read_evidence(evidence_file(order));
    if (evidence.run_id != order.run_id || evidence.probe != order.probe.name) {
      return {{},
              evidence_file(order).string() + ": evidence of another run or probe (" +
                  evidence.run_id + ", " + evidence.probe + ")"};
    }
    return {std::move(evidence), ""};
  } catch (const DataError& error) {
    return {{}, error.what()};
  }
}

ProbeResult judged(const Ended& ended, Left left) {
  ProbeResult result;
  result.evidence = std::move(left.evidence);
  if (ended.timed_out || !ended.exit_code) {
    result.reason = describe(ended);
  } else if (*ended.exit_code == kExitUsage) {
    result.usage_error = true;
    result.reason = "exit 2 (usage or I/O)";
  } else if (!result.evidence) {
    result.reason =
        left.refused.empty() ? describe(ended) + ", and it left no evidence" : left.refused;
  } else if (exit_code_of(result.evidence->status) != *ended.exit_code) {
    result.reason = describe(ended) + ", but its evidence says " +
                    std::string(to_string(result.evidence->status));
  } else {
    result.status = result.evidence->status;
    result.reason = result.evidence->reason;
  }
  return result;
}

}  // namespace

ProbeResult measure(const ProbeOrder& order) {
  if (order.probe.level == Level::full && order.level == Level::quick) {
    return leave_out(order);
  }
  const Alone alone = lock_or_say_busy(order);
  const Ended ended = run_and_record(order);
  return judged(ended, left_by(order));
}

int exit_code(const ProbeResult& result) {
  return result.usage_error ? kExitUsage : exit_code_of(result.status);
}

}  // namespace assay
