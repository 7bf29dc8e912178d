// SPDX-License-Identifier: Apache-2.0
// Does each edit of each catalogue entry give exactly the outcome that the entry says?
// The cases come from the catalogue: a new entry brings its tests with it.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "invariants/evaluate.h"
#include "invariants/mutate.h"
#include "invariants/test_support.h"

namespace assay {
namespace {

struct Base {
  std::string name;
  Dossier dossier;
  bool recorded = false;
};

/// A recorded run knows no facts that came later: those prove nothing about it.
bool knows_facts_of(const Base& base, const Invariant& invariant) {
  if (!base.recorded) return true;
  const std::vector<std::string> paths = paths_of(invariant.check);
  return std::all_of(paths.begin(), paths.end(), [&base](const std::string& path) {
    return base.dossier.find(path) != nullptr;
  });
}

bool is_dossier(const std::filesystem::path& file) {
  const JsonNode top = read_json(file);
  const auto kind = top.kind() == JsonKind::object ? top.find("kind") : std::nullopt;
  return kind && kind->string() == "dossier";
}

/// The worked example and every recorded run. Each is judged as of level full, where no fact may be
/// left out.
std::vector<Base> load_bases() {
  std::vector<Base> bases = {{"the worked example", test::example(), false},
                             {"the worked example with peers", test::example_with_peers(), false}};
  const std::filesystem::path recorded = test::source_dir() / "dossiers/recorded";
  if (!std::filesystem::is_directory(recorded)) return bases;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(recorded)) {
    const bool json = entry.is_regular_file() && entry.path().extension() == ".json";
    if (json && is_dossier(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    bases.push_back({file.lexically_relative(recorded).string(), read_dossier(file), true});
  }
  for (Base& base : bases) base.dossier.level = Level::full;
  return bases;
}

const std::vector<Base>& bases() {
  static const std::vector<Base> all = load_bases();
  return all;
}

const Catalog& catalog() {
  static const Catalog all = load_catalog(test::rules_dir() / "catalog.json");
  return all;
}

Waiver waiver_for(const Invariant& invariant, const Dossier& dossier) {
  Waiver waiver;
  waiver.id = "mutant";
  waiver.invariant = invariant.id;
  waiver.device_name = dossier.device.name;
  waiver.driver_min = "0";
  waiver.driver_max = "99999";
  waiver.issue = "none";
  waiver.author = "mutant";
  waiver.expires = "9999-12-31";
  return waiver;
}

bool reads_peers(const Invariant& invariant) {
  return std::find(invariant.probes.begin(), invariant.probes.end(), "peers") !=
         invariant.probes.end();
}

Verdict judge_mutant(const Invariant& invariant, const Break& mutant, const Dossier& base) {
  const Dossier edited = mutate(invariant, mutant.edit, base, &base);
  Verdict verdict = evaluate(catalog(), invariant, edited, &base);
  if (mutant.waived) apply_waivers({waiver_for(invariant, base)}, edited, verdict);
  return verdict;
}

class MutantTest : public ::testing::Test {
 public:
  MutantTest(const Invariant& invariant, const Break& mutant)
      : invariant_(invariant), mutant_(mutant) {}
  void TestBody() override {
    int judged = 0;
    for (const Base& base : bases()) {
      // Edits of the peer matrix name pairs of the worked example's three GPUs.
      const bool other_pairs = base.recorded && reads_peers(invariant_);
      if (other_pairs ||
          evaluate(catalog(), invariant_, base.dossier, &base.dossier).outcome != Outcome::pass) {
        continue;
      }
      ++judged;
      const Verdict verdict = judge_mutant(invariant_, mutant_, base.dossier);
      EXPECT_EQ(to_string(verdict.outcome), to_string(mutant_.expect))
          << invariant_.id << ", \"" << mutant_.name << "\" on " << base.name << ": "
          << verdict.reason;
      EXPECT_EQ(verdict.outcome == Outcome::pass, verdict.reason.empty()) << verdict.reason;
    }
    EXPECT_GT(judged, 0) << invariant_.id << " passes on no base";
  }

 private:
  const Invariant& invariant_;
  const Break& mutant_;
};

class BaseTest : public ::testing::Test {
 public:
  explicit BaseTest(const Base& base) : base_(base) {}
  void TestBody() override {
    for (const Invariant& invariant : catalog().invariants) {
      if (!knows_facts_of(base_, invariant)) continue;
      const Verdict verdict = evaluate(catalog(), invariant, base_.dossier, &base_.dossier);
      const bool good =
          verdict.outcome == Outcome::pass || verdict.outcome == Outcome::not_applicable;
      EXPECT_TRUE(good) << invariant.id << " " << to_string(verdict.outcome) << ": "
                        << verdict.reason;
    }
  }

 private:
  const Base& base_;
};

/// Every relation kind fails on some mutant, and every outcome is somewhere expected.
class CoverageTest : public ::testing::Test {
 public:
  void TestBody() override {
    std::set<CheckKind> failing;
    std::set<Outcome> outcomes;
    for (const Invariant& invariant : catalog().invariants) {
      for (const Break& mutant : invariant.breaks) {
        outcomes.insert(mutant.expect);
        if (mutant.expect == Outcome::fail) failing.insert(invariant.check.kind);
      }
    }
    for (const CheckKind kind :
         {CheckKind::descending, CheckKind::ratio, CheckKind::range, CheckKind::ceiling,
          CheckKind::equals, CheckKind::curve, CheckKind::agree, CheckKind::drift}) {
      EXPECT_TRUE(failing.contains(kind)) << to_string(kind);
    }
    for (const Outcome outcome : {Outcome::pass, Outcome::fail, Outcome::inconclusive,
                                  Outcome::not_applicable, Outcome::no_evidence, Outcome::waived}) {
      EXPECT_TRUE(outcomes.contains(outcome)) << to_string(outcome);
    }
  }
};

void add_mutants() {
  for (const Invariant& invariant : catalog().invariants) {
    for (std::size_t i = 0; i < invariant.breaks.size(); ++i) {
      const Break& mutant = invariant.breaks[i];
      ::testing::RegisterTest(
          ("mutant." + invariant.id).c_str(), std::to_string(i).c_str(), nullptr, nullptr, __FILE__,
          __LINE__, [&invariant, &mutant] {
            return static_cast<::testing::Test*>(new MutantTest(invariant, mutant));
          });
    }
  }
}

void add_bases() {
  for (std::size_t i = 0; i < bases().size(); ++i) {
    const Base& base = bases()[i];
    ::testing::RegisterTest("mutant.base", std::to_string(i).c_str(), nullptr, nullptr, __FILE__,
                            __LINE__,
                            [&base] { return static_cast<::testing::Test*>(new BaseTest(base)); });
  }
  ::testing::RegisterTest("mutant", "coverage", nullptr, nullptr, __FILE__, __LINE__,
                          [] { return static_cast<::testing::Test*>(new CoverageTest()); });
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  assay::add_mutants();
  assay::add_bases();
  return RUN_ALL_TESTS();
}
