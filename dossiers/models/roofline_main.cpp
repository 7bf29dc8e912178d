// SPDX-License-Identifier: Apache-2.0
// assay roofline: where is the roof, and how far below it is this kernel?
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cards/card_list.h"
#include "dossiers/cli/nearest.h"
#include "dossiers/cli/numbers.h"
#include "dossiers/cli/table.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_writer.h"
#include "dossiers/models/chart.h"
#include "dossiers/models/dossier_source.h"

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string card, cards_file, dossier, peak_gbs, peak_tflops, dtype, intensity, svg;
  std::string peaks = "vendor";
  std::vector<std::string> marks;
  bool ascii = false, json = false;
};

assay::Rungs given_rungs(const Options& options) {
  if (options.peak_gbs.empty() || options.peak_tflops.empty()) {
    throw std::invalid_argument("--peak-gbs and --peak-tflops: want both");
  }
  const std::string name = options.dtype.empty() ? "peak" : options.dtype;
  return {"given peaks",
          {{"DRAM", assay::positive_number("--peak-gbs", options.peak_gbs), "given"}},
          {{name, assay::positive_number("--peak-tflops", options.peak_tflops), "given"}},
          ""};
}

assay::Rungs choose_rungs(const Options& options) {
  const bool given = !options.peak_gbs.empty() || !options.peak_tflops.empty();
  if (int(given) + int(!options.card.empty()) + int(!options.dossier.empty()) != 1) {
    throw std::invalid_argument(
        "want one of --card KEY, --dossier FILE, or --peak-gbs with --peak-tflops");
  }
  if (!options.dtype.empty()) {
    assay::one_of("--dtype", options.dtype, {"fp32", "fp16", "fp16-f16", "bf16", "tf32"});
  }
  const bool derived = assay::one_of("--peaks", options.peaks, {"vendor", "derived"}) == "derived";
  if (given) return given_rungs(options);
  if (!options.dossier.empty()) {
    return assay::rungs_of_dossier(assay::read_dossier(assay::dossier_file(options.dossier)));
  }
  const auto list = assay::load_cards(options.cards_file);
  const auto arithmetic = assay::arithmetic_from(options.dtype.empty() ? "fp32" : options.dtype);
  return assay::rungs_of_card(assay::card_by_key(list, options.card), *arithmetic,
                              derived ? assay::PeakBasis::derived : assay::PeakBasis::vendor);
}

std::vector<assay::Mark> choose_marks(const Options& options) {
  std::vector<assay::Mark> marks;
  if (!options.intensity.empty()) {
    marks.push_back({"kernel", assay::positive_number("--ai", options.intensity), {}});
  }
  for (const std::string& mark : options.marks) marks.push_back(assay::read_mark(mark));
  return marks;
}

Json rungs_json(const std::vector<assay::Rung>& rungs, const char* unit) {
  Json json = Json::array();
  for (const assay::Rung& rung : rungs) {
    json.push_back({{"name", rung.name}, {unit, rung.value}, {"basis", rung.basis}});
  }
  return json;
}

Json marks_json(const assay::Roof& roof, const std::vector<assay::Mark>& marks) {
  Json json = Json::array();
  for (const assay::Mark& mark : marks) {
    const assay::Placement placement = assay::place(roof, mark);
    json.push_back({{"name", mark.name},
                    {"flop_per_byte", mark.flop_per_byte},
                    {"tflops", assay::number_or_null(mark.tflops)},
                    {"bound", assay::to_string(placement.bound)},
                    {"attainable_tflops", placement.attainable},
                    {"percent_of_roof", assay::number_or_null(placement.percent_of_roof)},
                    {"above_roof", placement.above_roof}});
  }
  return json;
}

std::string roofline_json(const assay::Rungs& rungs, const assay::Roof& roof,
                          const std::vector<assay::Mark>& marks) {
  const assay::SuiteIdentity& suite = assay::this_suite();
  Json json;
  json["schema"] = assay::kSchemaVersion;
  json["kind"] = "roofline";
  json["suite"] = {{"version", suite.version}, {"commit", suite.commit}, {"dirty", suite.dirty}};
  json["title"] = rungs.title;
  json["bandwidths"] = rungs_json(rungs.bandwidths, "gbs");
  json["peaks"] = rungs_json(rungs.peaks, "tflops");
  json["roof"] = {{"gbs", roof.gbs}, {"tflops", roof.tflops}};
  json["ridge_flop_per_byte"] = assay::ridge_flop_per_byte(roof);
  json["marks"] = marks_json(roof, marks);
  return assay::json_text(json);
}

std::string rungs_text(const assay::Rungs& rungs, const assay::Roof& roof) {
  assay::Table table({"rung", "value", "units", "basis"}, {2, 3});
  for (const assay::Rung& rung : rungs.bandwidths) {
    table.row({rung.name, assay::shortest(rung.value, 5), "GB/s", rung.basis});
  }
  for (const assay::Rung& rung : rungs.peaks) {
    table.row({rung.name, assay::shortest(rung.value, 5), "TFLOP/s", rung.basis});
  }
  return table.text() + "ridge: " + assay::fixed(assay::ridge_flop_per_byte(roof), 1) +
         " FLOP/B (" + assay::shortest(roof.tflops, 5) + " TFLOP/s over " +
         assay::shortest(roof.gbs, 5) + " GB/s)\n";
}

std::string marks_text(const assay::Roof& roof, const std::vector<assay::Mark>& marks) {
  if (marks.empty()) return "";
  assay::Table table({"", "kernel", "FLOP/B", "TFLOP/s", "roof", "% of roof", "bound"}, {1, 6});
  bool above = false;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const assay::Placement placement = assay::place(roof, marks[i]);
    above = above || placement.above_roof;
    table.row({std::string(1, assay::mark_letter(i)), marks[i].name,
               assay::shortest(marks[i].flop_per_byte), assay::shortest(marks[i].tflops, 5),
               assay::fixed(placement.attainable, 2), assay::fixed(placement.percent_of_roof, 1),
               std::string(assay::to_string(placement.bound)) +
                   (placement.above_roof ? ", ABOVE THE ROOF" : "")});
  }
  return table.text() +
         (above ? "above the roof: the rate, the intensity or the peak is wrong\n" : "");
}

int draw(const Options& options) {
  const assay::Rungs rungs = choose_rungs(options);
  const std::vector<assay::Mark> marks = choose_marks(options);
  const bool measured = !options.dossier.empty();
  const assay::Roof roof = assay::roof_of(rungs, measured ? options.dtype : "");
  const assay::Chart chart = assay::chart_of(rungs, marks);
  if (!options.svg.empty()) {
    assay::write_file_atomically(options.svg, assay::svg_chart(chart));
    std::cerr << "wrote " << options.svg << '\n';
  }
  if (options.json) {
    std::cout << roofline_json(rungs, roof, marks);
    return assay::kExitPass;
  }
  std::cout << rungs_text(rungs, roof) << marks_text(roof, marks)
            << (rungs.note.empty() ? "" : "note: " + rungs.note + "\n") << '\n'
            << assay::text_chart(chart, assay::standard_output_style(options.ascii));
  return assay::kExitPass;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Draws a roofline and places kernels under it.", "assay roofline");
  Options options;
  app.add_option("--card", options.card, "a card's key; `assay cards` lists them");
  app.add_option("--cards-file", options.cards_file, "another card list");
  app.add_option("--dossier", options.dossier, "a dossier.json or its folder: measured rungs");
  app.add_option("--peak-gbs", options.peak_gbs, "a bandwidth of your own, GB/s = 1e9 B/s");
  app.add_option("--peak-tflops", options.peak_tflops, "a peak of your own, TFLOP/s");
  app.add_option("--dtype", options.dtype, "fp32 (default), fp16, fp16-f16, bf16 or tf32");
  app.add_option("--peaks", options.peaks, "of a card: vendor (default) or derived");
  app.add_option("--ai", options.intensity, "mark a kernel by its FLOP per byte");
  app.add_option("--mark", options.marks, "mark a kernel: name:FLOP-per-byte[:TFLOP/s]; repeat it");
  app.add_option("--svg", options.svg, "also write the chart to this file");
  app.add_flag("--ascii", options.ascii, "draw with ASCII only");
  app.add_flag("--json", options.json, "machine output on standard output");
  app.footer(
      "Example:\n  assay roofline --card h100-sxm --dtype bf16 --mark gemm:400:600\n"
      "Exit codes: 0; 2 bad input.");
  return assay::run_verb(app, argc, argv, [&] { return draw(options); });
}
