// SPDX-License-Identifier: Apache-2.0
// Where does a run keep its files, and how do the tests of one ctest process find the run that
// their `device` test began?
//
//   <out>/<uuid>/<run_id>/run.json evidence/ samples/ verdicts/ dossier.json certificate.json
//   <out>/<uuid>/current/<parent pid>-<parent start time>    holds the run id
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "dossiers/dossier.h"

namespace assay {

/// A process, told apart from a later one with the same id by its start time.
struct ProcessStamp {
  std::int64_t pid = 0;
  std::uint64_t start = 0;  ///< clock ticks since boot
  bool operator==(const ProcessStamp&) const = default;
};

/// The stamp of a live process, or nullopt.
std::optional<ProcessStamp> process_stamp(std::int64_t pid);
/// The stamp of this process's parent. Throws std::runtime_error when /proc cannot say.
ProcessStamp parent_stamp();

/// No run was begun under this parent, or more than one. what() says what to do.
class NoRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Now and a random suffix, as "20261130T021407Z-7f3a9c": sorts by time, never meets another.
std::string new_run_id();

/// The name of the folder of a device: its UUID, with anything unfit for a file name as '_'.
std::string device_folder(const std::string& uuid);

/// Makes the folder of `run`, writes run.json and, last, the pointer for the run's parent. Never
/// touches another run. Throws std::runtime_error naming the path and the cause; then nothing of
/// the run is left.
std::filesystem::path create_run(const std::filesystem::path& out, const Run& run);

/// A run begun under `parent`, with what its run.json says.
struct FoundRun {
  std::filesystem::path folder;
  Run run;
};
/// `device` (UUID or a prefix of one; an index or nothing says nothing) tells apart the runs of one
/// ctest that certifies several. Throws NoRun, or DataError when run.json cannot be read.
FoundRun find_run(const std::filesystem::path& out, const ProcessStamp& parent,
                  const std::string& device = {});

/// The run of device `uuid` that the process `pid`, which has ended, began at `since_utc` or later.
std::optional<FoundRun> run_begun_by(const std::filesystem::path& out, const std::string& uuid,
                                     std::int64_t pid, const std::string& since_utc);

}  // namespace assay
