// SPDX-License-Identifier: Apache-2.0
#include "dossiers/head.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Collects the strings of the first two levels, by "key" or "key.key", and stops after the last
/// one that a head needs.
class HeadParser : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth_ == 1) found_.emplace(key_, text);
    if (depth_ == 2 && in_object_) found_.emplace(object_ + "." + key_, text);
    return true;
  }
  bool start_object(std::size_t) override {
    if (++depth_ == 2) {
      object_ = key_;
      in_object_ = true;
    }
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ <= 2) key_ = name;
    return true;
  }
  bool end_object() override {
    --depth_;
    return !is_whole();
  }
  bool start_array(std::size_t) override {
    if (++depth_ == 2) in_object_ = false;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    error_position_ = position;
    has_error_ = true;
    return false;
  }

  bool has_error() const { return has_error_; }
  std::size_t error_position() const { return error_position_; }
  const std::map<std::string, std::string>& found() const { return found_; }

 private:
  static constexpr std::array kWanted{"schema",      "kind",        "run_id",
                                      "created_utc", "level",       "suite.version",
                                      "device.uuid", "device.name", "device.driver"};
  bool is_whole() const {
    return std::all_of(kWanted.begin(), kWanted.end(),
                       [this](const char* key) { return found_.contains(key); });
  }

  int depth_ = 0;
  bool in_object_ = false;
  bool has_error_ = false;
  std::size_t error_position_ = 0;
  std::string key_, object_;
  std::map<std::string, std::string> found_;
};

/// A document's last character; anything else means that the end is missing.
bool ends_as_an_object(std::ifstream& stream) {
  constexpr std::streamoff kTail = 16;
  stream.clear();
  stream.seekg(0, std::ios::end);
  stream.seekg(-std::min<std::streamoff>(kTail, stream.tellg()), std::ios::end);
  std::array<char, kTail> tail{};
  stream.read(tail.data(), tail.size());
  const std::string_view text(tail.data(), static_cast<std::size_t>(stream.gcount()));
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && text[last] == '}';
}

/// Canonical documents say their kind in the second line; others need not be looked at further.
bool begins_as_dossier(const fs::path& file) {
  std::array<char, 256> begin{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(stream.gcount()));
  const std::size_t kind = text.find("\"kind\"");
  if (kind == std::string_view::npos) return false;
  const std::string_view after = text.substr(kind + std::string_view("\"kind\"").size());
  const std::size_t value = after.find_first_not_of(" \t\r\n:");
  return value != std::string_view::npos && after.substr(value).starts_with("\"dossier\"");
}

/// The same checks that every reader of a document makes.
void check_found(const std::map<std::string, std::string>& found, const std::string& name) {
  nlohmann::json head;
  for (const char* key : {"schema", "kind"}) {
    if (found.contains(key)) head[key] = found.at(key);
  }
  check_schema(parse_json(head.dump(), name), "dossier");
}

}  // namespace

DossierHead read_dossier_head(const fs::path& file) {
  const std::string name = file.string();
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw DataError(name + ": cannot be read");
  HeadParser parser;
  nlohmann::json::sax_parse(stream, &parser);
  if (parser.has_error()) {
    throw DataError(name + ": not a JSON document: broken at byte " +
                    std::to_string(parser.error_position()));
  }
  const auto& found = parser.found();
  check_found(found, name);
  const auto text = [&](const char* key) {
    const auto at = found.find(key);
    if (at == found.end()) throw DataError(name + ": " + key + ": missing, want a string");
    return at->second;
  };
  DossierHead head{text("run_id"),
                   text("created_utc"),
                   text("level"),
                   text("suite.version"),
                   text("device.name"),
                   text("device.uuid"),
                   ""};
  // NVML cannot always say it.
  if (found.contains("device.driver")) head.driver = found.at("device.driver");
  if (!ends_as_an_object(stream)) throw DataError(name + ": the file is truncated");
  return head;
}

std::vector<fs::path> dossiers_under(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json" || entry.is_directory()) continue;
    const bool named = entry.path().filename() == "dossier.json";
    if (named || begins_as_dossier(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path dossier_file(const fs::path& file_or_folder) {
  fs::path file =
      fs::is_directory(file_or_folder) ? file_or_folder / "dossier.json" : file_or_folder;
  if (!fs::exists(file)) {
    throw DataError(file.string() + ": no such file; want a dossier.json or its folder");
  }
  return file;
}

}  // namespace assay
