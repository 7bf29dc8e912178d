// SPDX-License-Identifier: Apache-2.0
// assay explain: what does an invariant claim, what usually breaks it, and what is to be done?
#include <charconv>
#include <iostream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/json/json_writer.h"
#include "invariants/explain.h"
#include "invariants/plan/text.h"
#include "invariants/share.h"

namespace assay {
namespace {

struct Arguments {
  std::string id, dossier, cc, product, share;
  bool json = false;
  bool markdown = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  auto* id =
      app.add_option("ID", arguments.id, "an invariant such as latency.order; none: all ids");
  auto* dossier =
      app.add_option("--dossier", arguments.dossier, "say the band of this dossier's device");
  auto* cc = app.add_option("--cc", arguments.cc, "say the band of a compute capability, \"9.0\"");
  app.add_option("--product", arguments.product, "with --cc: the product, \"NVIDIA H200\"")
      ->needs(cc);
  app.add_option("--share", arguments.share, "the folder of catalog.json");
  auto* json = app.add_flag("--json", arguments.json, "one JSON object on stdout");
  auto* markdown = app.add_flag("--markdown", arguments.markdown,
                                "the table of invariants/README.md, of the whole catalogue");
  cc->excludes(dossier);
  markdown->excludes(id)->excludes(json);
  app.footer(
      "examples:\n"
      "  assay explain\n"
      "  assay explain dram.read_share --cc 9.0 --product \"NVIDIA H200\"");
}

DeviceIdentity device_of(const Arguments& arguments) {
  DeviceIdentity device;
  device.name = arguments.product;
  const char* const end = arguments.cc.data() + arguments.cc.size();
  const auto major = std::from_chars(arguments.cc.data(), end, device.cc_major);
  const bool dot = major.ec == std::errc{} && major.ptr != end && *major.ptr == '.';
  const auto minor = dot ? std::from_chars(major.ptr + 1, end, device.cc_minor) : major;
  if (!dot || minor.ec != std::errc{} || minor.ptr != end || minor.ptr == major.ptr + 1) {
    throw std::runtime_error("--cc is \"" + arguments.cc + "\"; want one such as 9.0");
  }
  device.ecc = true;
  return device;
}

std::optional<DeviceIdentity> device_for(const Arguments& arguments) {
  if (!arguments.dossier.empty()) return read_dossier(arguments.dossier).device;
  if (!arguments.cc.empty()) return device_of(arguments);
  return std::nullopt;
}

const Invariant& find(const Catalog& catalog, const std::string& id) {
  const Invariant* found = catalog.find(id);
  if (found != nullptr) return *found;
  std::vector<std::string> ids;
  for (const Invariant& invariant : catalog.invariants) ids.push_back(invariant.id);
  const std::string near = nearest(id, ids);
  throw std::runtime_error(
      "no invariant `" + id + "`; " +
      (near.empty() ? "`assay explain` lists them" : "did you mean `" + near + "`?"));
}

std::string list_json(const Catalog& catalog) {
  nlohmann::ordered_json json;
  json["kind"] = "invariants";
  json["version"] = catalog.version;
  for (const Invariant& invariant : catalog.invariants) {
    json["invariants"].push_back({{"id", invariant.id}, {"title", invariant.title}});
  }
  return json_text(json);
}

int run(const Arguments& arguments) {
  const Catalog catalog = load_catalog(share_dir(arguments.share) / "catalog.json");
  if (arguments.markdown) {
    std::cout << markdown_table(catalog);
  } else if (arguments.id.empty()) {
    std::cout << (arguments.json ? list_json(catalog) : invariant_list(catalog));
  } else {
    const Invariant& invariant = find(catalog, arguments.id);
    const std::optional<DeviceIdentity> device = device_for(arguments);
    std::cout << (arguments.json ? explanation_json(catalog, invariant, device)
                                 : explanation(catalog, invariant, device));
  }
  return kExitPass;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Say what an invariant claims, what usually breaks it and what to do next.",
               "assay explain");
  assay::Arguments arguments;
  assay::declare(app, arguments);
  return assay::run_verb(app, argc, argv, [&arguments] { return assay::run(arguments); });
}
