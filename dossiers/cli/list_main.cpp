// SPDX-License-Identifier: Apache-2.0
// assay list: which dossiers lie in this folder?
#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/progress.h"
#include "dossiers/cli/table.h"
#include "dossiers/cli/verb_main.h"
#include "dossiers/head.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Listed {
  std::string file;  ///< relative to the folder
  DossierHead head;
};
struct Listing {
  std::vector<Listed> dossiers;
  std::vector<std::string> problems;  ///< of the files that could not be read
};

Listing list_folder(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw DataError(folder.string() + ": no such folder");
  const std::vector<fs::path> files = dossiers_under(folder);
  if (files.empty()) throw DataError(folder.string() + ": holds no dossier");
  Listing listing;
  Progress progress(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    progress.at(i, "reading " + folder.string());
    try {
      listing.dossiers.push_back(
          {files[i].lexically_relative(folder).string(), read_dossier_head(files[i])});
    } catch (const DataError& error) {
      listing.problems.push_back(error.what());
    }
  }
  std::stable_sort(
      listing.dossiers.begin(), listing.dossiers.end(),
      [](const Listed& a, const Listed& b) { return a.head.created_utc > b.head.created_utc; });
  return listing;
}

std::string table_of(const Listing& listing) {
  Table table({"measured", "device", "UUID", "driver", "level", "assay", "file"},
              {1, 2, 3, 4, 5, 6});
  for (const Listed& one : listing.dossiers) {
    table.row({one.head.created_utc, one.head.device, one.head.uuid, one.head.driver,
               one.head.level, one.head.suite_version, one.file});
  }
  return table.text();
}

nlohmann::ordered_json json_of(const Listing& listing) {
  nlohmann::ordered_json json{{"dossiers", nlohmann::ordered_json::array()},
                              {"unreadable", listing.problems}};
  for (const Listed& one : listing.dossiers) {
    json["dossiers"].push_back({{"file", one.file},
                                {"run_id", one.head.run_id},
                                {"created_utc", one.head.created_utc},
                                {"level", one.head.level},
                                {"device", one.head.device},
                                {"uuid", one.head.uuid},
                                {"driver", one.head.driver},
                                {"suite_version", one.head.suite_version}});
  }
  return json;
}

int list(const std::string& folder, bool json) {
  const Listing listing = list_folder(folder);
  if (json) {
    std::cout << json_text(json_of(listing));
  } else if (!listing.dossiers.empty()) {
    std::cout << table_of(listing);
  }
  for (const std::string& problem : listing.problems) std::cerr << problem << '\n';
  return listing.problems.empty() ? kExitPass : kExitUsage;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Lists the dossiers of a folder, the newest first. Facts are not read: judge does.",
               "assay list");
  std::string folder;
  bool json = false;
  app.add_option("folder", folder, "folder to look through, with those inside it")->required();
  app.add_flag("--json", json, "the list as JSON on standard output");
  app.footer(
      "Example:\n  assay list dossiers/recorded\n"
      "Exit codes: 0; 2 no dossier there, or some could not be read (one line each says why).");
  return assay::run_verb(app, argc, argv, [&] { return assay::list(folder, json); });
}
