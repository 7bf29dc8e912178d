// SPDX-License-Identifier: Apache-2.0
// Would the catalogue take a table of figures that somebody copied wrong? The approved dossiers and
// the worked example pass through it as any dossier does; each slip must be found by name.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "invariants/evaluate.h"
#include "invariants/test_support.h"

namespace {

using assay::Dossier;
using assay::Fact;
using assay::Invariant;
using assay::Outcome;

struct Table {
  std::string name;
  Dossier dossier;
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = [] {
    std::vector<Table> found = {{"the worked example", assay::test::example()}};
    const auto pinned = assay::test::source_dir() / "dossiers/pinned";
    for (const auto& entry : std::filesystem::directory_iterator(pinned)) {
      if (entry.path().extension() != ".json") continue;
      found.push_back({entry.path().filename().string(), assay::read_dossier(entry.path())});
    }
    return found;
  }();
  return all;
}

/// An old dossier lacks facts that came later: what reads them says nothing about it.
bool has_facts_of(const Dossier& dossier, const Invariant& invariant) {
  const std::vector<std::string> paths = paths_of(invariant.check);
  return std::all_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return dossier.find(path) != nullptr; });
}

/// The invariants that fail on the dossier and read `path`; drift is no rule of its own here.
std::set<std::string> failures(const Dossier& dossier, const std::string& path) {
  std::set<std::string> ids;
  for (const Invariant& invariant : assay::test::shipped_catalog().invariants) {
    const std::vector<std::string> paths = paths_of(invariant.check);
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) continue;
    if (!has_facts_of(dossier, invariant)) continue;
    if (evaluate(assay::test::shipped_catalog(), invariant, dossier, nullptr).outcome ==
        Outcome::fail) {
      ids.insert(invariant.id);
    }
  }
  return ids;
}

Fact& fact_at(Dossier& dossier, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string key = dot == std::string::npos ? "" : path.substr(dot + 1);
  return dossier.entries.at(path.substr(0, dot)).facts.at(key);
}

std::set<std::string> failures_after_scaling(const Table& table, const std::string& path,
                                             double factor) {
  Dossier dossier = table.dossier;
  Fact& fact = fact_at(dossier, path);
  fact.value = *assay::as_number(fact.value) * factor;
  return failures(dossier, path);
}

/// Every measured number that has a unit: counts, ratios and flags cannot be off by a prefix.
std::vector<std::string> figures_of(const Dossier& dossier) {
  std::vector<std::string> paths;
  for (const auto& [entry, measurement] : dossier.entries) {
    for (const auto& [key, fact] : measurement.facts) {
      const bool plain = fact.units == assay::Unit::none || fact.units == assay::Unit::count ||
                         fact.units == assay::Unit::ratio || fact.units == assay::Unit::bits;
      if (fact.samples > 0 && !plain && assay::as_number(fact.value)) {
        paths.push_back(assay::fact_path(entry, key));
      }
    }
  }
  return paths;
}

TEST(golden, EveryTableHoldsTheCatalogue) {
  ASSERT_GE(tables().size(), 2U);
  for (const Table& table : tables()) {
    for (const Invariant& invariant : assay::test::shipped_catalog().invariants) {
      if (!has_facts_of(table.dossier, invariant)) continue;
      const auto verdict =
          evaluate(assay::test::shipped_catalog(), invariant, table.dossier, &table.dossier);
      EXPECT_TRUE(verdict.outcome == Outcome::pass || verdict.outcome == Outcome::not_applicable)
          << table.name << ": " << invariant.id << ": " << verdict.reason;
    }
  }
}

TEST(golden, AUnitSlipOfAThousandIsFoundInEveryFigure) {
  for (const Table& table : tables()) {
    const std::vector<std::string> paths = figures_of(table.dossier);
    EXPECT_GT(paths.size(), 40U) << table.name;
    for (const std::string& path : paths) {
      for (const double factor : {1000.0, 0.001}) {
        EXPECT_FALSE(failures_after_scaling(table, path, factor).empty())
            << table.name << ": " << path << " x " << factor << " passes";
      }
    }
  }
}

/// Sets both the wall rate and the rate per clock, as a table copied from a data sheet would.
std::set<std::string> failures_with_rates(const Table& table, const std::string& key,
                                          double factor) {
  Dossier dossier = table.dossier;
  std::set<std::string> all;
  for (const char* entry : {"mma.", "mma_per_clock."}) {
    Fact& fact = fact_at(dossier, entry + key);
    fact.value = *assay::as_number(fact.value) * factor;
  }
  for (const char* entry : {"mma.", "mma_per_clock."}) all.merge(failures(dossier, entry + key));
  return all;
}

TEST(golden, ASparseFigureAmongDenseOnesIsFound) {
  for (const Table& table : tables()) {
    for (const char* key : {"wgmma_f16_f32", "wgmma_tf32_f32", "mma_sync_f16_f32"}) {
      const std::set<std::string> found = failures_with_rates(table, key, 2.0);
      const char* rule =
          std::string(key).starts_with("wgmma") ? "mma.wgmma_per_clock" : "mma.sync_per_clock";
      EXPECT_TRUE(found.contains(rule)) << table.name << ": " << key;
    }
  }
  for (const char* key : {"wgmma_bf16_f32", "wgmma_s8_s32", "wgmma_e4m3_f32"}) {
    EXPECT_TRUE(
        failures_with_rates(tables().front(), key, 2.0).contains("mma.wgmma_more_per_clock"))
        << key;
  }
}

TEST(golden, ARowCopiedOverAnotherIsFound) {
  struct Copy {
    std::string from, to, rule;
  };
  const Copy copies[] = {
      {"mma_per_clock.wgmma_f16_f32", "mma_per_clock.wgmma_tf32_f32", "mma.wgmma_f16_tf32"},
      {"mma_per_clock.mma_sync_tf32_f32", "mma_per_clock.mma_sync_f16_f32", "mma.sync_f16_tf32"},
      {"dram_bw.read", "l2_bw.read", "l2.beats_dram"},
      {"latency.l1", "latency.l2", "latency.order"},
      {"fma_per_clock.f32", "fma_per_clock.f64", "fma.f64_ratio"},
      {"dram_bw.read", "dram_bw.gather_4B", "dram.gather"},
  };
  for (const Table& table : tables()) {
    for (const Copy& copy : copies) {
      Dossier dossier = table.dossier;
      fact_at(dossier, copy.to).value = fact_at(dossier, copy.from).value;
      EXPECT_TRUE(failures(dossier, copy.to).contains(copy.rule))
          << table.name << ": " << copy.from << " over " << copy.to;
    }
  }
}

TEST(golden, ASlipIsRefusedByTheNameOfItsFact) {
  for (const Table& table : tables()) {
    Dossier dossier = table.dossier;
    Fact& fact = fact_at(dossier, "dram_bw.read");
    fact.value = *assay::as_number(fact.value) * 1000.0;
    const auto verdict =
        evaluate(assay::test::shipped_catalog(), *assay::test::shipped_catalog().find("dram.peak"),
                 dossier, nullptr);
    EXPECT_EQ(verdict.outcome, Outcome::fail);
    EXPECT_TRUE(verdict.reason.starts_with("dram_bw.read ")) << verdict.reason;
  }
}

}  // namespace
