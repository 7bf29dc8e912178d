// SPDX-License-Identifier: Apache-2.0
// What did the probes of one run see together, and which of their files may not be believed?
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dossiers/dossier.h"

namespace assay {
namespace {

constexpr std::size_t kTailBytes = 2000;

/// What one probe left behind. Errors name files relative to the run's folder, so that merging
/// gives the same bytes wherever the folder lies.
struct Remains {
  std::optional<Evidence> evidence;
  std::string unreadable;  ///< the DataError of an evidence file that could not be read
  std::optional<ProbeExit> ended;
};

std::string evidence_name(const std::string& probe) {
  return "evidence/" + probe + ".json";
}

[[noreturn]] void refuse(const std::string& file, const std::string& what,
                         const std::string& theirs, const std::string& ours) {
  throw DataError(file + ":1: " + what + ": is \"" + theirs + "\", the run has \"" + ours + "\"");
}

std::string in_words(const SuiteIdentity& suite) {
  return suite.version + " " + suite.commit + (suite.dirty ? " dirty" : "");
}

std::string in_words(const DeviceIdentity& device) {
  return device.driver + " (CUDA " + std::to_string(device.driver_cuda) + ")";
}

void check_same_run(const Evidence& evidence, const Run& run, const std::string& probe) {
  const std::string file = evidence_name(probe);
  if (evidence.run_id != run.run_id) {
    refuse(file, "run_id", evidence.run_id, run.run_id);
  }
  if (evidence.probe != probe) {
    refuse(file, "probe", evidence.probe, probe);
  }
  if (evidence.device.uuid != run.device.uuid) {
    refuse(file, "device.uuid", evidence.device.uuid, run.device.uuid);
  }
  if (in_words(evidence.device) != in_words(run.device)) {
    refuse(file, "device.driver", in_words(evidence.device), in_words(run.device));
  }
  if (!(evidence.suite == run.suite)) {
    refuse(file, "suite", in_words(evidence.suite), in_words(run.suite));
  }
  if (evidence.level != run.level) {
    refuse(file, "level", std::string(to_string(evidence.level)),
           std::string(to_string(run.level)));
  }
}

/// Re-throws a DataError about `folder`/`name` as one about `name`.
template <typename Read>
auto read_relative(const std::filesystem::path& folder, const std::string& name, Read read) {
  try {
    return read(folder / name);
  } catch (const DataError& error) {
    const std::string absolute = (folder / name).string();
    std::string message = error.what();
    if (message.rfind(absolute, 0) == 0) {
      message.replace(0, absolute.size(), name);
    }
    throw DataError(message);
  }
}

Remains read_remains(const std::filesystem::path& folder, const Run& run,
                     const std::string& probe) {
  Remains remains;
  const std::string exit_name = "evidence/" + probe + ".exit.json";
  if (std::filesystem::exists(folder / exit_name)) {
    remains.ended = read_relative(folder, exit_name, read_probe_exit);
    if (remains.ended->run_id != run.run_id) {
      refuse(exit_name, "run_id", remains.ended->run_id, run.run_id);
    }
    if (remains.ended->probe != probe) {
      refuse(exit_name, "probe", remains.ended->probe, probe);
    }
  }
  if (std::filesystem::exists(folder / evidence_name(probe))) {
    try {
      remains.evidence = read_relative(folder, evidence_name(probe), read_evidence);
    } catch (const DataError& error) {
      remains.unreadable = error.what();
      return remains;
    }
    check_same_run(*remains.evidence, run, probe);
  }
  return remains;
}

/// Evidence of a probe that is not in the plan has no place in this run.
void refuse_strangers(const std::filesystem::path& folder, const Run& run) {
  std::vector<std::string> names;
  if (std::filesystem::is_directory(folder / "evidence")) {
    for (const auto& file : std::filesystem::directory_iterator(folder / "evidence")) {
      names.push_back(file.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const bool is_document = name.front() != '.' && name.ends_with(".json");
    std::string probe = name.substr(0, name.size() - (is_document ? 5 : 0));
    if (probe.ends_with(".exit")) {
      probe.resize(probe.size() - 5);
    }
    if (is_document && std::find(run.probes.begin(), run.probes.end(), probe) == run.probes.end()) {
      throw DataError("evidence/" + name + ":1: probe: \"" + probe + "\" is not in the run's plan");
    }
  }
}

std::string how_it_ended(const std::optional<ProbeExit>& ended) {
  if (!ended) {
    return "the probe did not run";
  }
  std::string text = ended->timed_out ? "timed out, " : "";
  if (ended->signal) {
    return text + "killed by signal " + std::to_string(*ended->signal);
  }
  if (ended->exit_code) {
    return text + "exited with " + std::to_string(*ended->exit_code);
  }
  return text + "ended in an unknown way";
}

/// Why the evidence may not be believed; empty when it may.
std::string disbelief(const Remains& remains, const Run& run) {
  if (!remains.unreadable.empty()) {
    return remains.unreadable + " (" + how_it_ended(remains.ended) + ")";
  }
  if (!remains.evidence) {
    return "no evidence: " + how_it_ended(remains.ended);
  }
  // Times of this form compare as text.
  if (remains.evidence->started_utc < run.created_utc) {
    return "the evidence began at " + remains.evidence->started_utc + ", before the run did (" +
           run.created_utc + "): the system clock went back, or it is another run's";
  }
  const int wanted = exit_code_of(remains.evidence->status);
  // Steps that did not start the probe say so in evidence of their own, which measured nothing.
  if (!remains.ended && remains.evidence->status == ProbeStatus::measured) {
    return "the evidence says measured, but nobody recorded how the probe ended";
  }
  if (remains.ended && (remains.ended->timed_out || remains.ended->exit_code != wanted)) {
    return "the evidence says " + std::string(to_string(remains.evidence->status)) +
           ", but the probe " + how_it_ended(remains.ended);
  }
  return "";
}

ProbeRecord record_of(const Remains& remains, const Run& run) {
  ProbeRecord record;
  record.reason = disbelief(remains, run);
  if (remains.ended) {
    record.exit_code = remains.ended->exit_code;
    record.signal = remains.ended->signal;
    record.timed_out = remains.ended->timed_out;
    record.seconds = remains.ended->seconds;
  }
  if (remains.evidence) {
    record.seconds = remains.evidence->seconds;
    record.build = remains.evidence->build;
    record.conditions = remains.evidence->conditions;
    if (record.reason.empty()) {
      record.status = remains.evidence->status;
      record.reason = remains.evidence->reason;
    }
  }
  if (remains.ended && record.status != ProbeStatus::measured) {
    const std::string& tail = remains.ended->stderr_tail;
    record.stderr_tail = tail.substr(tail.size() - std::min(tail.size(), kTailBytes));
  }
  return record;
}

class EntryMerger {
 public:
  void take(const Evidence& evidence) {
    for (const auto& [name, entry] : evidence.measurements.entries()) {
      for (const auto& [key, fact] : entry.facts) {
        take_fact(evidence, fact_path(name, key), fact);
      }
      std::string& note = notes_[name];
      if (!entry.note.empty() && note.find(entry.note) == std::string::npos) {
        note += (note.empty() ? "" : "; ") + entry.note;
      }
    }
  }
  std::map<std::string, Measurement> entries() {
    for (const auto& [name, note] : notes_) {
      all_.note(name, note);
    }
    return all_.entries();
  }

 private:
  void take_fact(const Evidence& evidence, const std::string& path, const Fact& fact) {
    const std::string file = evidence_name(evidence.probe);
    const auto [owner, is_new] = owners_.emplace(path, file);
    if (!is_new) {
      throw DataError(file + ":1: entries." + path + ": is measured by " + owner->second + ", too");
    }
    try {
      all_.add(path, fact);
    } catch (const std::invalid_argument& error) {
      throw DataError(file + ":1: entries." + path + ": " + error.what());
    }
  }

  Measurements all_;
  std::map<std::string, std::string> owners_, notes_;
};

}  // namespace

Dossier merge_run(const std::filesystem::path& folder) {
  const Run run = read_run(folder / "run.json");
  refuse_strangers(folder, run);
  Dossier dossier;
  dossier.run_id = run.run_id;
  dossier.suite = run.suite;
  dossier.created_utc = run.created_utc;
  dossier.level = run.level;
  dossier.device = run.device;
  EntryMerger merger;
  for (const std::string& probe : run.probes) {
    const Remains remains = read_remains(folder, run, probe);
    const ProbeRecord record = record_of(remains, run);
    if (record.status != ProbeStatus::failed) {
      merger.take(*remains.evidence);
    }
    dossier.probes.emplace(probe, record);
  }
  dossier.entries = merger.entries();
  return dossier;
}

}  // namespace assay
