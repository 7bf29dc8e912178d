// SPDX-License-Identifier: Apache-2.0
// One planted condition that must never come out as a pass, and the tree in which it is planted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/plan/testing/fake_tree.h"

namespace assay {

/// What came of it: the verdict of the certificate that was written or printed, "none" when there
/// is no certificate; the exit code; all that was said.
struct CameOf {
  std::string verdict;
  int code = -1;
  std::string text;
};

/// An installation with fake drivers and probes, in which conditions are planted.
class PlantedTree : public FakeTree {
 public:
  /// Cuts the plan down to three probes and their invariants, so that a whole certification takes
  /// a fraction of a second; the programs, the steps and their order stay.
  void use_small_plan();

  /// `assay certify --out out <more>`, after use_small_plan().
  CameOf certify(const std::vector<std::string>& more = {});
  /// ctest over a prepared folder `mine`, after use_small_plan().
  CameOf run_ctest(const std::vector<std::string>& more = {});
  /// `assay certify --replay` of the worked example after `edit`, by the whole catalogue.
  CameOf judge(const std::function<void(Dossier&)>& edit);
  /// The same with the JSON text `raw`, which need not be JSON, at `pointer` ("/entries/dram_bw").
  CameOf judge_raw(const std::string& pointer, const std::string& raw);
  /// The same of its text after the first `from` was replaced by `to`.
  CameOf judge_text(const std::string& from, const std::string& to);
  /// The same of a file's text.
  CameOf judge_file(const std::string& text);
  /// `assay judge --verify` of the certificate of a sound run, after `edit` of its folder.
  CameOf verify(const std::function<void(const std::filesystem::path& run)>& edit);
  /// `assay judge --verify` of the only run's certificate.
  CameOf run_verify();
  /// Any program of the tree; the verdict is that of the only certificate under `out`, if any.
  CameOf run(const std::vector<std::string>& arguments);

  /// Puts `text` in the place of the first `from` of a file of the tree's share folder.
  void edit_share(const std::string& name, const std::string& from, const std::string& to);
  /// The example dossier as the tree has it pinned, and as text.
  Dossier example() const;
  std::string example_text() const;
  std::filesystem::path share() const { return root_ / "share" / "assay"; }
  std::filesystem::path work() const { return work_; }
  std::filesystem::path root() const { return root_; }
  std::filesystem::path base() const { return base_; }
  std::filesystem::path only_run(const std::string& out = "out") const;
  void set(const std::string& variable, const std::string& value) {
    environment_[variable] = value;
  }
  using FakeTree::assay_program;
  using FakeTree::limit_probes;
  using FakeTree::tell;
  using FakeTree::text_of;

  CameOf came_of(const Said& said, const std::string& out) const;
};

/// One row of the matrix.
struct Planted {
  const char* id;         ///< "D07": its group and its number
  const char* condition;  ///< what is wrong, as the table says it
  const char* verdict;    ///< exactly
  int code;               ///< exactly
  const char* says;       ///< what the output names, so that it is this that was found
  CameOf (*plant)(PlantedTree&);
};

// The rows, by what is broken.
std::vector<Planted> figure_rows();   ///< F: figures that cannot be true
std::vector<Planted> missing_rows();  ///< N: figures that are not there, and conditions that spoil
std::vector<Planted> file_rows();     ///< J: files that are not what they seem
std::vector<Planted> rule_rows();     ///< R: rules, waivers, pins, certificates
std::vector<Planted> process_rows();  ///< P: probes that crash, hang and lie
std::vector<Planted> host_rows();     ///< H: devices, drivers, disks, clocks
std::vector<Planted> ctest_rows();    ///< C: ctest's own ways to be green
/// All of them.
std::vector<Planted> all_rows();

/// The matrix as the README has it.
std::string matrix_text(const std::vector<Planted>& rows);

}  // namespace assay
