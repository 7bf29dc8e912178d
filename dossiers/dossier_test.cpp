// SPDX-License-Identifier: Apache-2.0
// What may a dossier not silently become?
#include "dossiers/dossier.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dossiers/json/json_reader.h"
#include "dossiers/test_support.h"

namespace assay {
namespace {

std::string example_text() {
  return read_file(examples_dir() / "dossier.json");
}

/// The example with `was` replaced by `is` once; the text must be there.
std::string planted(const std::string& was, const std::string& is) {
  std::string text = example_text();
  const std::size_t at = text.find(was);
  EXPECT_NE(at, std::string::npos) << was;
  return text.replace(at, was.size(), is);
}

std::string refusal_of(const std::string& text) {
  return refusal<DataError>([&] { return dossier_from_text(text, "d.json"); });
}

int line_of(const std::string& part) {
  const std::string text = example_text();
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<long>(text.find(part)), '\n'));
}

const std::string kSmCount = "\"sm_count\": 132";

TEST(CaseB03, NullIsAMissingFactNotZeroAndNotAnError) {
  const std::string text = planted("\"read\": 4605.0", "\"read\": null");
  const Dossier dossier = dossier_from_text(text, "d.json");
  const Fact* fact = dossier.find("dram_bw.read");
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(as_number(fact->value), std::nullopt);
  ASSERT_TRUE(fact->reason);
  EXPECT_EQ(*fact->reason, (NullReason{NullKind::unstated, ""}));
}

TEST(CaseB03, DuplicateKeyInADossierIsRefusedWithLine) {
  const std::string message = refusal_of(planted(kSmCount, kSmCount + ", \"sm_count\": 144"));
  EXPECT_TRUE(holds(message, "d.json:" + std::to_string(line_of(kSmCount)) + ": "));
  EXPECT_TRUE(holds(message, "entries.device.value.sm_count: duplicate key"));
}

TEST(CaseB03, AWrongCountIsRefusedByKey) {
  const auto with = [](const std::string& value) {
    return refusal_of(planted(kSmCount, "\"sm_count\": " + value));
  };
  const std::string where =
      "d.json:" + std::to_string(line_of(kSmCount)) + ": entries.device.value.sm_count: ";
  EXPECT_TRUE(holds(with("-1"), where + "is negative"));
  EXPECT_TRUE(holds(with("132.9"), where + "is not an integer"));
  EXPECT_TRUE(holds(with("\"132\""), where + "is a string, not a number"));
  EXPECT_TRUE(holds(with("true"), where + "is true or false, not a number"));
  EXPECT_TRUE(holds(with("{}"), where + "is nested"));
  EXPECT_TRUE(holds(with("[132]"), where + "is nested"));
  EXPECT_EQ(with("132.0"), "");
}

TEST(CaseB03, NumbersThatAreNoneAreRefused) {
  for (const char* value : {"1e999", "NaN", "Infinity", "-Infinity"}) {
    const std::string message =
        refusal_of(planted("\"read\": 4605.0", "\"read\": " + std::string(value)));
    EXPECT_TRUE(holds(message, "d.json:" + std::to_string(line_of("\"read\": 4605.0")) +
                                   ": entries.dram_bw.value: "))
        << value;
  }
}

TEST(CaseB03, TrailingCommaTruncationAndMarkAreTold) {
  EXPECT_TRUE(
      holds(refusal_of(planted("\"dirty\": false", "\"dirty\": false,")), "trailing comma"));
  EXPECT_TRUE(holds(refusal_of(example_text().substr(0, 5000)), "truncated"));
  EXPECT_EQ(refusal_of("\xEF\xBB\xBF" + example_text()), "");
}

TEST(CaseB03, ANameWithABrokenByteIsWrittenWithAReplacementCharacter) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  dossier.device.name = "Quadro\xAE";
  const Dossier back = dossier_from_text(dossier_text(dossier), "d.json");
  EXPECT_EQ(back.device.name, "Quadro\xEF\xBF\xBD");
}

TEST(CaseB03, OurWriterGivenNanWritesNullWithAReason) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  auto& facts = dossier.entries.at("dram_bw").facts;
  facts.at("read").value = std::numeric_limits<double>::quiet_NaN();
  facts.at("write").value = -std::numeric_limits<double>::infinity();
  facts.at("copy").value = -1.0;
  facts.at("working_set_bytes").value = 0.5;
  facts.at("triad_4B").clock_ghz = std::nan("");
  const std::string text = dossier_text(dossier);
  const Dossier back = dossier_from_text(text, "d.json");
  for (const char* path : {"dram_bw.read", "dram_bw.write", "dram_bw.copy", "dram_bw.triad_4B",
                           "dram_bw.working_set_bytes"}) {
    const Fact* fact = back.find(path);
    ASSERT_TRUE(fact != nullptr && fact->reason) << path;
    EXPECT_NE(fact->reason->kind, NullKind::unstated) << path;
  }
  EXPECT_EQ(to_string(*back.find("dram_bw.read")->reason), "out of range: not a number");
  EXPECT_EQ(dossier_text(back), text);
}

TEST(CaseA2, AnEntryIsFlatAndHasClockAndMethod) {
  nlohmann::json good = nlohmann::json::parse(example_text());
  const auto refused = [&](const std::function<void(nlohmann::json&)>& edit) {
    nlohmann::json bad = good;
    edit(bad["entries"]["fma_f32"]);
    return refusal_of(bad.dump(2));
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_TRUE(holds(refused([](auto& e) { e["value"] = {{"a", {{"b", 1.0}}}}; }), "nested"));
  EXPECT_TRUE(holds(refused([](auto& e) { e.erase("clock_ghz"); }), "\"clock_ghz\""));
  EXPECT_TRUE(holds(refused([](auto& e) { e["clock_ghz"] = nullptr; }), "needs the SM clock"));
  EXPECT_TRUE(holds(refused([](auto& e) { e["clock_ghz"] = 0.0; }), "needs the SM clock"));
  EXPECT_TRUE(holds(refused([](auto& e) { e["method"] = ""; }), "method: is empty"));
  EXPECT_TRUE(holds(refused([](auto& e) { e["value"] = nlohmann::json::object(); }), "is empty"));
  EXPECT_TRUE(holds(refused([](auto& e) { e["reason"] = "blank: x"; }), "only null has a reason"));
  EXPECT_TRUE(holds(refused([](auto& e) { e["units"] = {{"x", "ns"}}; }), "units: is a map"));
}

TEST(CaseA2, AttributeMapsHaveTheKeysOfTheValue) {
  EXPECT_TRUE(holds(refusal_of(planted("\"l2_ns\": \"ns\",", "")), "has no key \"l2_ns\""));
  EXPECT_TRUE(holds(refusal_of(planted("\"l2_ns\": \"ns\",", "\"l2_ns\": \"ns\", \"l3\": \"ns\",")),
                    "latency.units.l3: unknown key"));
}

TEST(CaseA3, AnUnknownPowerLimitIsNull) {
  const Dossier dossier = dossier_from_text(
      planted("\"power_limit_w\": 700.0\n  },", "\"power_limit_w\": null\n  },"), "d.json");
  EXPECT_EQ(dossier.device.power_limit_w, std::nullopt);
  EXPECT_TRUE(holds(dossier_text(dossier), "\"power_limit_w\": null\n  },"));
}

TEST(CaseA1, TheExampleHoldsTheFactsOfEveryProbe) {
  const Dossier dossier = read_dossier(examples_dir() / "dossier.json");
  for (const char* path :
       {"device.sm_count", "device.sm_count_alive", "device.dram_peak_gbs", "clock.sm_ghz",
        "clock.max_ghz", "dram_bw.gather_4B", "dram_bw.working_set_bytes", "l2_bw.write",
        "latency.dram_ns", "fma_f64", "fma_per_clock.f64", "fma_scaling.f64",
        "mma.mma_sync_tf32_f32_zeros", "mma.wgmma_f16_f32", "mma_per_clock.wgmma_tf32_f32_zeros",
        "mma_scaling.wgmma_f16_f32", "mma_tile.wgmma_tf32_f32_sms", "atomics_f32.65536",
        "launch_overhead.graph_node_200"}) {
    ASSERT_NE(dossier.find(path), nullptr) << path;
    EXPECT_FALSE(dossier.find(path)->reason) << path;
  }
  EXPECT_EQ(dossier.find("latency"), nullptr);
  EXPECT_EQ(dossier.find("latency.l3"), nullptr);
}

TEST(Sidecars, SamplesComeBackAndTheirDigestIsChecked) {
  const TempFolder folder;
  const Dossier dossier = read_dossier(examples_dir() / "dossier.json", true);
  ASSERT_EQ(dossier.find("latency.l2")->raw.size(), 11U);
  EXPECT_EQ(median(dossier.find("latency.l2")->raw), 281.4);
  write_dossier(dossier, folder / "out/dossier.json");
  const auto sidecar = folder / "out/samples/latency.json";
  const auto why = [&] {
    return refusal<DataError>([&] { return read_dossier(folder / "out/dossier.json", true); });
  };
  EXPECT_EQ(why(), "");
  std::string text = read_file(sidecar);
  text.replace(text.find("281.4"), 5, "281.5");
  write_file_atomically(sidecar, text);
  EXPECT_TRUE(holds(why(), "latency.json:1: top level: has SHA-256"));
  EXPECT_NO_THROW(read_dossier(folder / "out/dossier.json"));
  std::filesystem::remove(sidecar);
  EXPECT_TRUE(holds(why(), "latency.json: cannot be read"));
}

TEST(Sidecars, EachFactHasAsManySamplesAsItSays) {
  Dossier dossier = read_dossier(examples_dir() / "dossier.json", true);
  dossier.entries.at("fma_f32").facts.at("").raw.pop_back();
  const TempFolder folder;
  write_dossier(dossier, folder / "dossier.json");
  EXPECT_TRUE(holds(refusal<DataError>([&] { return read_dossier(folder / "dossier.json", true); }),
                    "holds 10 samples, want the 11"));
}

TEST(Evidence, EveryTypeOfValueComesBackAsItWas) {
  Evidence evidence = read_evidence(examples_dir() / "evidence.json");
  evidence.measurements = {};
  const std::vector<Value> values{
      std::int64_t{-5},       std::int64_t{1} << 62, (std::uint64_t{1} << 63) + 1, 0.1, 5.0, true,
      std::string("a\n\"b\"")};
  for (std::size_t i = 0; i < values.size(); ++i) {
    evidence.measurements.add("device.k" + std::to_string(i),
                              stated(values[i], Unit::none, "stated"));
  }
  evidence.measurements.add("latency.gone",
                            absent(Unit::ns, "ring", {NullKind::no_code, "sm_75: none"}));
  const TempFolder folder;
  write_evidence(evidence, folder / "e.json");
  const Evidence back = read_evidence(folder / "e.json");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(back.measurements.find("device.k" + std::to_string(i))->value, values[i]) << i;
  }
  EXPECT_EQ(back.measurements.find("latency.gone")->reason,
            (NullReason{NullKind::no_code, "sm_75: none"}));
  EXPECT_EQ(evidence_text(back), evidence_text(evidence));
}

TEST(Evidence, AWriteThatFailsLeavesNothing) {
  const TempFolder folder;
  folder.write("file", "x");
  const Evidence evidence = read_evidence(examples_dir() / "evidence.json");
  EXPECT_THROW(write_evidence(evidence, folder / "file/e.json"), std::runtime_error);
  Evidence unreadable = evidence;
  unreadable.started_utc = "noon";
  EXPECT_THROW(write_evidence(unreadable, folder / "e.json"), DataError);
  EXPECT_FALSE(std::filesystem::exists(folder / "e.json"));
}

}  // namespace
}  // namespace assay
