// SPDX-License-Identifier: Apache-2.0
// The list of expected hosts.
#include "invariants/fleet/hosts.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

constexpr int kMostGpus = 1024;  // of one host; more is a slip of the pen

int gpus_of(const std::string& word, const std::string& where) {
  int count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc() || end != word.data() + word.size() || count < 1 || count > kMostGpus) {
    throw DataError(where + "'" + word + "' is no number of GPUs; want 1 to 1024");
  }
  return count;
}

std::vector<std::string> words_of(std::string line) {
  line.erase(std::min(line.find('#'), line.size()));
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string lower(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + ('a' - 'A'));
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> hosts_named_twice(
    const std::vector<std::string>& names) {
  std::map<std::string, std::string> spelled;  // as first seen, by lower case
  std::vector<std::pair<std::string, std::string>> twice;
  for (const std::string& name : names) {
    const auto [known, fresh] = spelled.emplace(lower(name), name);
    if (!fresh && known->second != name) twice.emplace_back(known->second, name);
  }
  for (const auto& [key, name] : spelled) {
    const auto shorter = spelled.find(key.substr(0, key.find('.')));
    if (shorter != spelled.end() && shorter->first != key) {
      twice.emplace_back(shorter->second, name);
    }
  }
  return twice;
}

std::map<std::string, ExpectedHost> read_expected_hosts(const std::filesystem::path& file) {
  std::istringstream in(read_file(file));
  std::map<std::string, ExpectedHost> hosts;
  std::vector<std::string> names;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = file.string() + ":" + std::to_string(++number) + ": ";
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.size() > 3) throw DataError(where + "want 'host [rack [gpus]]'");
    if (hosts.contains(words[0])) throw DataError(where + "host '" + words[0] + "' is named twice");
    names.push_back(words[0]);
    ExpectedHost host;
    if (words.size() > 1 && words[1] != "-") host.rack = words[1];
    if (words.size() > 2) host.gpus = gpus_of(words[2], where);
    hosts.emplace(words[0], host);
  }
  if (hosts.empty()) throw DataError(file.string() + ": names no host");
  for (const auto& [one, other] : hosts_named_twice(names)) {
    throw DataError(file.string() + ": '" + one + "' and '" + other + "' are one host");
  }
  return hosts;
}

}  // namespace assay
