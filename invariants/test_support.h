// SPDX-License-Identifier: Apache-2.0
// What do the tests of the judging half judge? The worked example, by the shipped rules.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dossiers/dossier.h"
#include "dossiers/json/json_reader.h"
#include "invariants/share.h"

namespace assay::test {

inline std::filesystem::path source_dir() {
  return ASSAY_TEST_SOURCE_DIR;
}
/// The folder of the rules in the source tree has the shape of the share folder.
inline std::filesystem::path rules_dir() {
  return source_dir() / "invariants";
}
inline std::filesystem::path example_dir() {
  return source_dir() / "dossiers/schema/examples";
}
inline std::filesystem::path example_file() {
  return example_dir() / "dossier.json";
}

inline Dossier example() {
  return read_dossier(example_file());
}
/// The worked example on a host of four GPUs: two peers behind links, one that cannot be reached.
/// Figures of two H200s.
inline Dossier example_with_peers() {
  Dossier dossier = example();
  dossier.probes["peers"] = dossier.probes.at("transfer");
  const auto add = [&dossier](const std::string& entry, Unit units, double value) {
    for (const char* pair : {"0>1", "0>2"}) {
      dossier.entries[entry].facts[pair] =
          measured(value, units, "m", 1.98, {value, 1.001 * value, 0.999 * value});
    }
    dossier.entries[entry].facts["0>3"] =
        absent(units, "m", {NullKind::not_supported, "the driver gives these two no access"});
  };
  add("peer_read", Unit::gb_per_s, 395.0);
  add("peer_write", Unit::gb_per_s, 396.0);
  add("peer_read_sm", Unit::gb_per_s, 376.0);
  add("peer_write_sm", Unit::gb_per_s, 370.0);
  add("peer_latency_ns", Unit::ns, 853.0);
  return dossier;
}
/// The catalogue as shipped, read once.
inline const Catalog& shipped_catalog() {
  static const Catalog all = load_catalog(rules_dir() / "catalog.json");
  return all;
}
inline Rules rules() {
  return load_rules(rules_dir(), Level::quick);
}

/// A folder of this test alone, empty.
inline std::filesystem::path fresh_dir() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::filesystem::path dir = std::filesystem::path(::testing::TempDir()) /
                              (std::string("assay-") + std::to_string(::getpid()) + "-" +
                               info->test_suite_name() + "-" + info->name());
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  return dir;
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// `text` with the one occurrence of `from` replaced; a text without it fails the test.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct Ended {
  int code = -1;
  std::string out;  ///< stdout and stderr together
};

/// Runs a command line through the shell.
inline Ended run(const std::string& command) {
  Ended ended;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    ended.out.append(part.data(), got);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

/// Runs libexec/assay/assay-<verb> of the build tree.
inline Ended run_verb_program(const std::string& verb, const std::string& arguments) {
  return run(std::string("'") + ASSAY_TEST_BINARY_DIR + "/libexec/assay/assay-" + verb + "' " +
             arguments);
}

/// The message of the DataError that `action` throws; empty when it throws none.
template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return {};
}

}  // namespace assay::test
