// SPDX-License-Identifier: Apache-2.0
// Where does a run keep its files, and how do later tests find it?
#include "invariants/plan/run_folder.h"

#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string pointer_name(const ProcessStamp& parent) {
  return std::to_string(parent.pid) + "-" + std::to_string(parent.start);
}

std::string formatted_now(const char* format) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  static_cast<void>(::gmtime_r(&now, &utc));
  std::array<char, 32> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), format, &utc);
  return {buffer.data(), length};
}

/// Removes the folder of a run that could not be begun, unless it was kept.
class Tentative {
 public:
  explicit Tentative(fs::path folder) : folder_(std::move(folder)) {}
  Tentative(const Tentative&) = delete;
  Tentative& operator=(const Tentative&) = delete;
  ~Tentative() {
    if (!kept_) {
      std::error_code ignored;
      fs::remove_all(folder_, ignored);
    }
  }
  void keep() { kept_ = true; }

 private:
  fs::path folder_;
  bool kept_ = false;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot make the folder: " + error.message());
  }
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string lower(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

/// True where the folder of a device may be the one that `wanted` names.
bool may_mean(const std::string& folder, const std::string& wanted) {
  constexpr std::size_t kShortestPrefix = 8;  // of a UUID; an index is shorter
  if (wanted.size() < kShortestPrefix) {
    return true;
  }
  const std::string name = lower(folder), begin = lower(device_folder(wanted));
  return name.rfind(begin, 0) == 0 || name.find("-" + begin) == 3;  // "gpu-<prefix>"
}

[[noreturn]] void no_run(const ProcessStamp& parent, const fs::path& out) {
  throw NoRun("no `device` test has run under this ctest (pid " + std::to_string(parent.pid) +
              "; looked in " + out.string() + "): run ctest with its fixtures");
}

}  // namespace

std::optional<ProcessStamp> process_stamp(std::int64_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  // The second field is the program's name in parentheses, and may itself hold ") ".
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) {
    fields >> skipped;
  }
  ProcessStamp stamp{pid, 0};
  if (!(fields >> stamp.start)) {
    return std::nullopt;
  }
  return stamp;
}

ProcessStamp parent_stamp() {
  const auto parent = process_stamp(::getppid());
  if (!parent) {
    throw std::runtime_error("/proc/" + std::to_string(::getppid()) +
                             "/stat: cannot read when the parent process started");
  }
  return *parent;
}

std::string new_run_id() {
  std::random_device random;
  std::array<char, 8> suffix{};
  static_cast<void>(std::snprintf(suffix.data(), suffix.size(), "%06x", random() & 0xFFFFFFu));
  return formatted_now("%Y%m%dT%H%M%SZ") + "-" + suffix.data();
}

std::string device_folder(const std::string& uuid) {
  std::string name = uuid;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') {
      c = '_';
    }
  }
  return name.empty() ? "_" : name;
}

std::filesystem::path create_run(const fs::path& out, const Run& run) {
  const fs::path device = out / device_folder(run.device.uuid);
  fs::path folder = device / run.run_id;
  make_folder(device / "current");
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    throw std::runtime_error(folder.string() + ": cannot make the run's folder: " +
                             (error ? error.message() : "it exists"));
  }
  Tentative tentative(folder);
  for (const char* name : {"evidence", "samples", "verdicts"}) {
    make_folder(folder / name);
  }
  write_run(run, folder / "run.json");
  // Last: a later test that finds the pointer finds a whole run.
  const ProcessStamp parent{run.parent_pid, run.parent_start};
  write_file_atomically(device / "current" / pointer_name(parent), run.run_id + "\n");
  tentative.keep();
  return folder;
}

FoundRun find_run(const fs::path& out, const ProcessStamp& parent, const std::string& device) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out, error)) {
    const fs::path pointer = entry.path() / "current" / pointer_name(parent);
    std::error_code absent;
    if (may_mean(entry.path().filename().string(), device) &&
        fs::is_regular_file(pointer, absent)) {
      folders.push_back(entry.path() / first_line(pointer));
    }
  }
  if (folders.empty()) {
    no_run(parent, out);
  }
  if (folders.size() > 1) {
    throw NoRun(folders[0].string() + " and " + folders[1].string() +
                ": two runs under one ctest; one ctest certifies one device (ASSAY_DEVICE)");
  }
  if (!fs::exists(folders[0] / "run.json", error)) {
    throw NoRun(folders[0].string() + ": the run that `device` began is gone: run ctest again");
  }
  FoundRun found{folders[0], read_run(folders[0] / "run.json")};
  if (!(ProcessStamp{found.run.parent_pid, found.run.parent_start} == parent)) {
    throw NoRun(found.folder.string() + ": run.json was written under another ctest (pid " +
                std::to_string(found.run.parent_pid) + ")");
  }
  return found;
}

std::optional<FoundRun> run_begun_by(const fs::path& out, const std::string& uuid, std::int64_t pid,
                                     const std::string& since_utc) {
  std::optional<FoundRun> found;
  const fs::path device = out / device_folder(uuid);
  const std::string begin = std::to_string(pid) + "-";
  std::error_code absent;
  for (const auto& pointer : fs::directory_iterator(device / "current", absent)) {
    if (pointer.path().filename().string().rfind(begin, 0) != 0) {
      continue;
    }
    const fs::path folder = device / first_line(pointer.path());
    if (!fs::exists(folder / "run.json", absent)) {
      continue;
    }
    const Run run = read_run(folder / "run.json");
    const bool later = !found || found->run.created_utc < run.created_utc;
    // Process ids come around: an older run may have had the same parent id.
    if (run.parent_pid == pid && !(run.created_utc < since_utc) && later) {
      found = FoundRun{folder, run};
    }
  }
  return found;
}

}  // namespace assay
